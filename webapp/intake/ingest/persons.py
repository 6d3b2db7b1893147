"""Persons in columns and texts, and pseudonyms in their place (docs/pseudonyms.md).

`Register` takes the values of the columns that name persons; `Replacer` puts pseudonyms in the
place of these values, and in texts in the place of addresses, numbers of phones, handles, and the
names that the register has. A pseudonym is a keyed hash: the same person has the same one in all
corpora of an owner, and without the server's key nobody can compute it.

Not found: names that are in no column, other spellings and nicknames, names with endings (of Slavic
languages, say), postal addresses, and persons who are known by what is said of them.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import regex
from django.utils.crypto import salted_hmac

from inference.errors import Invalid
from inference.text import stop_words
from webapp.intake.metadata.missing import is_missing

KINDS = {  # what is replaced, as pages say it
    "person": "names",
    "mail": "e-mail addresses",
    "link": "web addresses",
    "phone": "phone numbers",
    "handle": "handles",
}
MOST_PERSONS = 200_000  # different values: each takes about a kilobyte of memory
MOST_KNOWN = 500_000  # pseudonyms that are kept in memory: texts may have more addresses
# Of a pseudonym: no vowels, so that it is no word of a language. 20 ** 12 are 4e15: two of 200,000
# persons have the same one with a probability of 5e-6
# One word without a hyphen, so that it is one word of a topic, too
LETTERS = "bcdfghjklmnpqrstvwxz"
LENGTH = 12
JOINING = ("-", "‐", "‑", "–", "'", "’", "_")  # between the words of one name
SHORTEST_LONE_WORD = 3  # letters of a single word of a name that is looked for in texts
ORDINARY = 0.1  # a word of a name that texts write small so often is an ordinary word, too
TITLES = frozenset(
    "mr mrs ms miss mx sir dr prof professor herr frau fräulein monsieur madame mme mlle señor señora sr"
    " sra don doña signor signora jr sen rep hon van von der den de la le du da di del of the and und et y"
    " president senator minister chancellor judge justice reverend rev bishop pope king queen prince lord"
    " lady user admin anonymous unknown deleted guest staff editor".split()
)
_FOUND = regex.compile(
    r"(?P<link>\b(?:https?://|www\.)[^\s<>\"“”]{1,2000}(?<![.,;:!?)\]]))"
    r"|(?P<mail>[\p{L}\p{N}._%+\-]{1,64}@[\p{L}\p{N}\-]{1,63}(?:\.[\p{L}\p{N}\-]{1,63})+)"
    r"|(?P<handle>(?<![\p{L}\p{N}_@.])@[\p{L}\p{N}_][\p{L}\p{N}_.\-]{0,62}[\p{L}\p{N}_](?:@[\p{L}\p{N}.\-]{1,80}[\p{L}\p{N}])?"
    r"|(?<![\p{L}\p{N}])/?u/[\p{L}\p{N}_\-]{3,40})"
    # An international number, one that begins with 0 or is in brackets, and those of North America
    r"|(?P<phone>(?<![\p{L}\p{N}]|\p{N}[.,])(?:(?:\+|00 ?)[1-9](?:[ ().\-/]{0,3}\d){6,14}"
    r"|\(0?\d{1,5}\)(?:[ .\-/]{0,2}\d){5,12}"
    r"|0[1-9]\d{0,4}[ .\-/](?:[ .\-/]{0,2}\d){5,10}"
    r"|\d{3}[ .\-]\d{3}[ .\-]\d{4})(?![\p{L}\p{N}]))"
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_BETWEEN_NAME_WORDS = regex.compile(r"[\s.,'’_\-]{0,3}")  # the words of a name
_IN_BRACKETS = regex.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Khmer}\p{Lao}ー]"
# A name in a script without spaces, whose parts may be set apart all the same
_UNSPACED_NAME = regex.compile(rf"{_UNSPACED}+(?:[\s·・]{{1,3}}{_UNSPACED}+)*")
_SEVERAL = regex.compile(r"\s*[;|<>\n]\s*")


class Pseudonyms:
    """owner: the number of the account whose corpora have them. Of another owner they differ, so
    that nobody can tell by an own upload who is who."""

    def __init__(self, owner: int | None):
        self.salt = f"webapp.pseudonyms:{owner}"
        self.known: dict[tuple[str, str], str] = {}

    def of(self, kind: str, key: str) -> str:
        """kind: of KINDS. key: as `key_of` has it."""
        if (kind, key) not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            digest = salted_hmac(self.salt, f"{kind}:{key}", algorithm="sha256").digest()
            number = int.from_bytes(digest, "big")
            letters = []
            for _ in range(LENGTH):
                number, place = divmod(number, len(LETTERS))
                letters.append(LETTERS[place])
            self.known[kind, key] = f"{kind}{''.join(letters)}"
        return self.known[kind, key]


def plain(text: str) -> str:
    """The text as words are compared: whatever their case and the form of their accents."""
    return unicodedata.normalize("NFKC", text).casefold()


def key_of(name: str) -> str:
    """One key for a person's name in whatever order of its words: Lovelace, Ada; Ada Lovelace."""
    words = _WORD.findall(plain(name))
    return " ".join(sorted(words)) if words else plain(name).strip()


def found_alone(value: str) -> bool:
    """Whether a value is an address, a number of a phone or a handle, and nothing else."""
    return bool(_FOUND.fullmatch(value.strip()))


def persons_in(value: str) -> list[str]:
    """The persons of a cell, which may have several."""
    persons = []
    for piece in _SEVERAL.split(value):
        pieces = [part.strip() for part in piece.split(",")]
        # “Lovelace, Ada” is one person; “Ada Lovelace, Ben Bell” are two
        alone = len(pieces) > 1 and all(len(_WORD.findall(part)) > 1 for part in pieces)
        persons += pieces if alone else [piece.strip()]
    return [person for person in persons if person and not is_missing(person)]


class _Name(NamedTuple):
    """Words of a name as texts may have them, and whose it is."""

    words: tuple[str, ...]
    pseudonym: str


class Register:
    """The persons that columns name. `add` all values, `count` all texts, then `Replacer`."""

    def __init__(self, pseudonyms: Pseudonyms, spared: Iterable[str] = ()):
        """spared: words that are never replaced in texts."""
        self.pseudonyms = pseudonyms
        self.spared = {plain(word) for word in spared}
        self.values: set[str] = set()
        self.persons: set[str] = set()
        self.names: dict[str, set[_Name]] = {}  # by the first word
        self.single: dict[str, set[str]] = {}  # a word of longer names -> whose
        # Names of one word -> whether a column writes it small: then texts may, too
        self.whole: dict[str, bool] = {}
        self.unspaced: dict[str, str] = {}  # names in scripts without spaces
        self.small: Counter[str] = Counter()  # how often texts write these words small
        self.written: Counter[str] = Counter()
        self.stops = stop_words("en") | TITLES

    def add(self, value: str) -> None:
        """A value of a column that names persons. Raises Invalid where they are too many."""
        if value in self.values:
            return
        self.values.add(value)
        for person in persons_in(value):
            if _FOUND.fullmatch(person) and not person.startswith("@"):
                continue  # texts are searched for these whatever columns say
            self.persons.add(key_of(person))
            self._add_name(person)
        if len(self.values) > MOST_PERSONS:
            raise Invalid(
                "columns",
                f"These columns have more than {MOST_PERSONS:,} different values. Choose those that"
                " name persons, or upload less at once.",
            )

    def _add_name(self, person: str) -> None:
        pseudonym = self.pseudonyms.of("person", key_of(person))
        outside = _IN_BRACKETS.sub(" ", person)
        # “李明 Li Ming” are two writings of one name, “山田, 太郎” the parts of one
        unspaced = "".join(_UNSPACED_NAME.findall(outside))
        if _UNSPACED_NAME.search(person):
            self._add_unspaced(person.strip(), pseudonym)
            self._add_unspaced(unspaced, pseudonym)
        is_apart = len(unspaced) > 1  # “张 Wei” is one name of two words
        written = _WORD.findall(_UNSPACED_NAME.sub(" ", outside) if is_apart else outside)
        words = [(plain(word), word) for word in written]
        while words and words[0][0] in TITLES:
            del words[0]
        while words and words[-1][0] in TITLES:
            del words[-1]
        if all(word.isdecimal() for word, _ in words):
            return
        known = tuple(word for word, _ in words)
        if len(known) == 1:
            form = words[0][1]
            self.whole[known[0]] = self.whole.get(known[0], False) or form[0].islower()
            self._add_single(known[0], pseudonym)
            return
        for order in {known, (known[-1], *known[:-1]), (*known[1:], known[0])}:
            self.names.setdefault(order[0], set()).add(_Name(order, pseudonym))
        for word in known:
            self._add_single(word, pseudonym)

    def _add_unspaced(self, name: str, pseudonym: str) -> None:
        """A name that is searched within words; that of several persons has nobody's pseudonym."""
        if len(name) < 2:
            return
        for form in {name, plain(name)}:
            if self.unspaced.setdefault(form, pseudonym) != pseudonym:
                self.unspaced[form] = self.pseudonyms.of("person", key_of(name))

    def _add_single(self, word: str, pseudonym: str) -> None:
        usual = word.isdecimal() or word in self.stops or word in self.spared
        if len(word) >= SHORTEST_LONE_WORD and not usual:
            self.single.setdefault(word, set()).add(pseudonym)

    def count(self, text: str) -> None:
        """How texts write the words of names: a word that they often write small is no name
        alone."""
        for match in _WORD.finditer(text):
            word = plain(match[0])
            if word in self.single:
                self.written[word] += 1
                self.small[word] += match[0][0].islower()

    def alone(self) -> dict[str, str]:
        """Words that are a name alone -> the pseudonym of whose it is, or of the word where it is
        several persons'."""
        ordinary = self.ordinary()
        return {
            word: next(iter(owners)) if len(owners) == 1 else self.pseudonyms.of("person", word)
            for word, owners in self.single.items()
            if word not in ordinary
        }

    def ordinary(self) -> set[str]:
        """Words of longer names that are ordinary words in these texts: alone they are left."""
        return {
            word
            for word, times in self.small.items()
            if times > ORDINARY * self.written[word] and word not in self.whole
        }


@dataclass
class Replaced:
    """How often something was replaced, by kind; and the words of names, most of which a reader may
    want to leave."""

    kinds: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)  # by column
    words: Counter[str] = field(default_factory=Counter)


class Replacer:
    """Puts pseudonyms in the place of persons."""

    def __init__(self, register: Register, columns: Iterable[str]):
        self.pseudonyms = register.pseudonyms
        self.columns = frozenset(columns)
        self.persons = register.persons
        self.alone = register.alone()
        self.whole = register.whole
        self.names = {
            first: sorted(names, key=lambda name: (-len(name.words), name))
            for first, names in register.names.items()
        }
        self.unspaced = register.unspaced
        # A named list: regex looks them up in a set, whatever their number
        self.inside = (
            regex.compile(r"\L<names>", names=list(self.unspaced)) if self.unspaced else None
        )
        self.replaced = Replaced()

    def value(self, column: str, value: str) -> str:
        """The value with pseudonyms: in a chosen column all persons that it names, in another one
        those that a text would name."""
        if column not in self.columns:
            return self.text(value)
        persons = persons_in(value)
        if not persons:
            return value
        self.replaced.values[column] += 1
        return "; ".join(dict.fromkeys(map(self._of_person, persons)))

    def _of_person(self, person: str) -> str:
        match = _FOUND.fullmatch(person)
        if match:
            return self._of_match(match)
        return self.pseudonyms.of("person", key_of(person))

    def _of_match(self, match: regex.Match) -> str:
        kind = match.lastgroup or ""
        text = match[0]
        if kind == "handle":
            name = key_of(text.removeprefix("/").removeprefix("u/").removeprefix("@"))
            return self.pseudonyms.of("person" if name in self.persons else "handle", name)
        if kind == "phone":
            return self.pseudonyms.of(kind, "".join(filter(str.isdigit, text)))
        return self.pseudonyms.of(kind, plain(text).rstrip(".,;:!?)"))

    def text(self, text: str) -> str:
        """With pseudonyms in the place of what is found in it."""
        pieces = []
        begin = 0
        for match in _FOUND.finditer(text):
            pieces.append(self._without_names(text[begin : match.start()]))
            pieces.append(self._of_match(match))
            self.replaced.kinds[match.lastgroup or ""] += 1
            begin = match.end()
        pieces.append(self._without_names(text[begin:]))
        return "".join(pieces)

    def _without_names(self, text: str) -> str:
        pieces: list[str] = []
        begin = 0
        for first, end, pseudonym in self._names_in(text):
            self.replaced.words[plain(text[first:end])] += 1
            between = text[begin:first]
            # “Müller-Hartmann” are two words of one name: one pseudonym, not one joined to itself
            if pieces and pieces[-1] == pseudonym and between in JOINING:
                begin = end
                continue
            pieces.append(between)
            pieces.append(pseudonym)
            self.replaced.kinds["person"] += 1
            begin = end
        replaced = "".join([*pieces, text[begin:]])
        if self.inside is None:
            return replaced
        return self.inside.sub(self._inside, replaced)

    def _inside(self, match: regex.Match) -> str:
        self.replaced.kinds["person"] += 1
        self.replaced.words[match[0]] += 1
        return self.unspaced[match[0]]

    def _names_in(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(first character, behind the last, pseudonym) of each name, the longest of those that
        begin at a place."""
        words = [(plain(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
        place = 0
        while place < len(words):
            word, first, end = words[place]
            length = 1
            pseudonym = ""
            for name in self.names.get(word, ()):
                if self._stands(text, words, place, name.words):
                    pseudonym = name.pseudonym
                    length = len(name.words)
                    end = words[place + length - 1][2]
                    break
            if not pseudonym and word in self.alone and self._is_name(text[first:end], word):
                pseudonym = self.alone[word]
            if pseudonym:
                yield first, end, pseudonym
            place += length

    def _stands(
        self, text: str, words: list[tuple[str, int, int]], place: int, name: tuple[str, ...]
    ) -> bool:
        """Whether a name's words are at a place, with next to nothing between them."""
        there = words[place : place + len(name)]
        if tuple(word for word, _, _ in there) != name:
            return False
        return all(
            _BETWEEN_NAME_WORDS.fullmatch(text, left[2], right[1])
            for left, right in zip(there, there[1:], strict=False)
        )

    def _is_name(self, written: str, word: str) -> bool:
        """A word of a name alone is one where it is written with a capital, or has a digit; a name
        of one word that a column writes small, as handles are, wherever it is."""
        return (
            not written[0].islower() or self.whole.get(word, False) or any(map(str.isdigit, word))
        )
