"""Which words can head a name, learned from the texts without a tagger: by the company of function
words alone.

Two numbers find the articles and prepositions of a language among its stop words: an article is
nearly always followed by a word that counts, and a preposition is often followed by an article.
What stands behind them, and before a function word or a mark, is a noun. In a language without
articles only the end of a phrase is judged; in writing without spaces no word is judged.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import regex

from inference.text.clitics import Clitics
from inference.text.spelling import WORD, fold_apostrophes

# "" : not known; bare: no noun by itself, though it may be a part of a phrase
Kind = Literal["", "noun", "modifier", "verb", "bare"]

SEEN = 20  # uses of a stop word from which on it is judged
LEAST_USES = 4  # of a word that counts
DETERMINER = 0.8  # of a stop word's uses, that a word that counts follows: an article, "our"
PREPOSITION = 0.4  # of its uses, that a determiner follows: "of", "in", "zwischen"
ENDS = 0.3  # of a noun's uses, that a function word or a mark follows: its phrase ends there
OBJECT = 0.15  # of a word's uses, that a determiner follows: from here on a verb
OBJECT_GOVERNED = 0.4  # of its uses, behind articles and prepositions: from here on no verb
PREDICATE = 0.5  # of a verb's uses, behind other function words: "to", "we", "will"
GOVERNED = 0.25  # of a verb's uses, behind articles and prepositions, at most
# behind these, of a word with so many uses: it is no noun
SELDOM = 0.04
SELDOM_USES = 25
LED = 0.25  # of a noun's uses, behind articles, prepositions or words that count
CAPITAL = 0.7  # of a word's uses within sentences, with a capital: a name; in German a noun
JOINED_BY = 15  # the most frequent stop words: a phrase may have these between its words
JUDGED = 20  # uses of a noun that tells whether the language writes its nouns with capitals
INFLECTED = ("en", "em", "er", "es")  # endings of German adjectives; also a last "e"
OBLIQUE = ("en", "em")  # those that an adjective behind nothing never has in the nominative
UNGOVERNED = 2  # uses of such a phrase behind nothing, at least
PERSON_GOVERNED = 0.15  # of a first name's uses, behind articles and prepositions, at most
SHORTEST_PHRASE = 2  # words of the name of a person
# Of the uses of a phrase, between two marks of sentences: from here on it addresses somebody, as
# "dear friends," does, or is a heading. What stands in lists is used otherwise, too
ADDRESSES = 0.5
# Of all uses within sentences, with a capital: where fewer have one, texts write names small, too
LEAST_CAPITALS = 0.005
ACRONYM_CAPITALS = 2  # letters of "TCP" or "IPv6"; an adjective with a capital has one
IN_CODE = 0.4  # of a word's uses, in code or beside digits: from here on it heads no name
# From here on never; between these where sentences have it, too: so many uses behind other words
ALWAYS_IN_CODE = 0.9
IN_SENTENCES = 0.3
COMMANDED = 0.03  # of the uses of a word that begins commands, that a determiner follows: "add a"
COMMAND_GOVERNED = 0.08  # of its uses, behind function words, at most; or they are types
ACRONYM_IN_SENTENCES = 0.1  # the same of any acronym: others stand in tables and commands alone

_ADDRESS = regex.compile(r"(?:https?|ftp)://\S+|www\.\S+")  # its words are no code
_MARKS = r"[^\s\p{L}\p{N}]|\n\s*\n"
_TOKEN = regex.compile(rf"[\p{{L}}\p{{M}}\p{{N}}]+|{_MARKS}")
_JOINED_TOKEN = regex.compile(f"{WORD.pattern}|{_MARKS}")
_SETTING_OFF = ".,;:!?\n—–"  # marks beside what is addressed; a blank line begins with a line's end
_MARK = "."  # stands for the beginning and the end of a text
# A word that touches a mark of programs, or a dot and another word; that has a digit, or stands
# beside a number ("5 pct", "PEP 8"). Brackets count where they touch a name's end: "call(".
_AS_IN_CODE = regex.compile(
    r"""[\p{L}\p{M}]++(?=[_`=<>{}\[(|~^\\\p{N}]|\.[\p{L}_]|[ -]\p{N})
    |(?<=[_`=<>{}|~^\\\p{N}]|[\p{L}_)]\.|\p{N}[ -])[\p{L}\p{M}]++""",
    regex.VERBOSE,
)


@dataclass
class SpellingCounts:
    """How often a word that counts is used: all; behind a determiner or preposition (governed),
    behind another function word (predicate), behind a word that counts (led); before a determiner
    (object), before another function word or a mark (ends); inside a sentence, and with a capital
    there."""

    all: int = 0
    governed: int = 0
    predicate: int = 0
    led: int = 0
    object: int = 0
    ends: int = 0
    inside: int = 0
    capital: int = 0


class Grammar:
    """What the texts teach of the language.

    determiners, prepositions: of the stop words. small: the most frequent stop words.
    nouns_have_capitals: as in German.
    """

    def __init__(self, texts: Iterable[str], stop: Set[str], clitics: Clitics | None = None):
        """texts: some of them; they are kept as words. stop: function words, in small letters.
        clitics: what apostrophes divide from words (`dividing_clitics`); None where they divide
        all."""
        self._stop = stop
        self._texts = []
        self._in_code: Counter[str] = Counter()
        for text in texts:
            self._texts.append(_words(text, clitics))
            without_addresses = _ADDRESS.sub(" ", text)
            self._in_code.update(map(str.casefold, _AS_IN_CODE.findall(without_addresses)))
        seen = self._followed()
        self.small = frozenset(sorted(seen, key=lambda word: (-seen[word], word))[:JOINED_BY])
        self.uses: dict[str, SpellingCounts] = {}
        for words, capitals in self._texts:
            self._count(words, capitals)
        shares = sorted(
            uses.capital / max(uses.inside, 1)
            for uses in self.uses.values()
            if uses.all >= JUDGED and self._by_company(uses) == "noun"
        )
        self.nouns_have_capitals = bool(shares) and shares[len(shares) // 2] >= CAPITAL
        inside = sum(uses.inside for uses in self.uses.values())
        with_capital = sum(uses.capital for uses in self.uses.values())
        self._tells_names = with_capital > LEAST_CAPITALS * inside and not self.nouns_have_capitals

    def kind(self, word: str) -> Kind:
        """What a word is as a part of a name; “” where its uses are too few to tell."""
        uses = self.uses.get(_small_letters(word))
        if uses is None or uses.all < LEAST_USES:
            return ""
        by_company = self._by_company(uses)
        if uses.inside < LEAST_USES:
            return by_company
        capital = uses.capital >= CAPITAL * uses.inside
        if self.nouns_have_capitals:
            if capital:
                return "noun"
            return "modifier" if by_company == "noun" else by_company
        if capital:
            return "noun" if uses.ends >= ENDS * uses.all else "modifier"
        return by_company

    def is_identifier(self, word: str, form: str) -> bool:
        """Whether a word is what programs and tables have, and sentences hardly: "PyObject", "SyS".
        form: as the texts write it."""
        uses = self.uses.get(_small_letters(word))
        if uses is None or uses.all < LEAST_USES:
            return False
        in_code = self._in_code[_small_letters(word)]
        in_sentences = uses.governed + uses.predicate + uses.led
        if in_code >= ALWAYS_IN_CODE * uses.all:
            return True
        if in_code >= IN_CODE * uses.all and in_sentences < IN_SENTENCES * uses.all:
            return True
        is_rare = in_sentences < ACRONYM_IN_SENTENCES * uses.all
        return is_rare and bool(self.determiners) and is_acronym(form)

    def begins_command(self, word: str) -> bool:
        """Whether a word stands before a noun as a command or a type does: "add" of "add build fix",
        "const" of "const char"."""
        uses = self.uses.get(_small_letters(word))
        if uses is None or uses.all < LEAST_USES:
            return False
        behind_function_words = uses.governed + uses.predicate
        begins = behind_function_words < COMMAND_GOVERNED * uses.all
        has_object = uses.object >= COMMANDED * uses.all
        return self._by_company(uses) == "bare" and (begins or has_object)

    def is_noun(self, word: str, form: str) -> bool:
        """Whether a word can stand alone in a name. form: as the texts write it. An acronym can,
        although nouns often follow it: "the TCP header"."""
        kind = self.kind(word)
        if kind == "":
            return not (self.nouns_have_capitals and form.islower())
        return kind == "noun" or (kind == "modifier" and is_acronym(form))

    def is_address(self, phrase: str) -> bool:
        """Whether a phrase is mostly set off by commas and full stops on both sides: it addresses
        somebody ("dear friends,"), or is a heading."""
        first, *later_words = _small_letters(phrase).split()
        uses = alone = 0
        for words, _ in self._texts:
            for start in _places(words, first):
                end = start + 1 + len(later_words)
                if words[start + 1 : end] != later_words:
                    continue
                uses += 1
                before = words[start - 1] if start else _MARK
                behind = words[end] if end < len(words) else _MARK
                alone += before[0] in _SETTING_OFF and behind[0] in _SETTING_OFF
        return uses >= LEAST_USES and alone >= ADDRESSES * uses

    def small_share(self, word: str) -> float | None:
        """Which share of a word's uses within sentences is in small letters: next to none of
        "Lincoln". None where that is not seen, of a word that is seldom used there; or says
        nothing: in writing without capitals, where all nouns have them, and where nothing has, as
        in chats."""
        uses = self.uses.get(_small_letters(word))
        has_case = word.upper() != word.lower()
        if uses is None or uses.inside < LEAST_USES or not (has_case and self._tells_names):
            return None
        return 1 - uses.capital / uses.inside

    def names_person(self, phrase: str) -> bool:
        """Whether a phrase has capitals throughout and its first word hardly ever stands behind an
        article or a preposition: "Saddam Hussein", not "Soviet Union". Not told where the language
        writes all nouns with capitals, or where its function words are not known."""
        words = phrase.split()
        uses = self.uses.get(_small_letters(words[0]), SpellingCounts())
        if self.nouns_have_capitals or len(words) < SHORTEST_PHRASE or not self._stop:
            return False
        has_capitals = all(word[0].isupper() for word in words)
        return has_capitals and uses.governed <= PERSON_GOVERNED * uses.all

    def is_surname(self, word: str, form: str) -> bool:
        """Whether a word has a capital and hardly ever stands behind an article or a preposition:
        "Hoeneisen", not "Scotland". Not told where the language writes all nouns with capitals, or
        where its function words are not known."""
        uses = self.uses.get(_small_letters(word))
        if uses is None or uses.inside < LEAST_USES or self.nouns_have_capitals:
            return False
        if not self._stop:
            return False  # without function words nothing stands behind one
        is_name = self._tells_names and uses.capital >= CAPITAL * uses.inside
        behind_function_words = uses.governed + uses.predicate
        return (
            is_name and not is_acronym(form) and behind_function_words <= PERSON_GOVERNED * uses.all
        )

    def ungoverned(self, phrase: str) -> str:
        """A phrase that begins with an inflected adjective ("erneuerbaren Energien"), as it is
        written behind no article and no preposition; "" where it never is."""
        first, *later_words = _small_letters(phrase).split()
        stem = _stem(first)
        following: Counter[str] = Counter()
        for words, _ in self._texts:
            for start in range(len(words) - len(later_words)):
                word = words[start]
                if not word.startswith(stem) or len(word) > len(stem) + 2:
                    continue
                if words[start + 1 : start + 1 + len(later_words)] != later_words or word.endswith(
                    OBLIQUE
                ):
                    continue
                before = words[start - 1] if start else _MARK
                if before not in self.determiners and before not in self.prepositions:
                    following[word] += 1
        if not following:
            return ""
        commonest = min(following, key=lambda word: (-following[word], word))
        return (
            " ".join([commonest, *phrase.split()[1:]]) if following[commonest] >= UNGOVERNED else ""
        )

    def _followed(self) -> Counter[str]:
        """Uses of the stop words that something follows; finds determiners and prepositions."""
        seen: Counter[str] = Counter()
        by_counted: Counter[str] = Counter()
        for word, following in self._pairs():
            if word in self._stop:
                seen[word] += 1
                by_counted[word] += following[0].isalpha() and following not in self._stop
        frequent = [word for word in seen if seen[word] >= SEEN]
        self.determiners = {w for w in frequent if by_counted[w] >= DETERMINER * seen[w]}
        by_determiner: Counter[str] = Counter()
        for word, following in self._pairs():
            by_determiner[word] += following in self.determiners
        self.prepositions = {
            word
            for word in frequent
            if by_determiner[word] >= PREPOSITION * seen[word] and word not in self.determiners
        }
        return seen

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for words, _ in self._texts:
            yield from zip(words, words[1:], strict=False)

    def _count(self, words: list[str], capitals: bytearray) -> None:
        """Adds up how the words of a text are used."""
        stop = self._stop
        determiners = self.determiners
        for position, word in enumerate(words):
            if word in stop or not word[0].isalpha():
                continue
            before = words[position - 1] if position else _MARK
            behind = words[position + 1] if position + 1 < len(words) else _MARK
            uses = self.uses.setdefault(word, SpellingCounts())
            uses.all += 1
            if before in determiners or before in self.prepositions:
                uses.governed += 1
            elif before in stop:
                uses.predicate += 1
            elif before[0].isalnum():
                uses.led += 1
            if behind in determiners:
                uses.object += 1
            elif behind in stop or (not behind[0].isalnum() and behind != "-"):
                uses.ends += 1
            if before[0].isalnum():
                uses.inside += 1
                uses.capital += capitals[position]

    def _by_company(self, uses: SpellingCounts) -> Kind:
        """By the words beside it."""
        if uses.object >= OBJECT * uses.all and uses.governed < OBJECT_GOVERNED * uses.all:
            return "verb"
        if self.determiners:
            if uses.predicate >= PREDICATE * uses.all and uses.governed < GOVERNED * uses.all:
                return "verb"
            if uses.governed + uses.led < LED * uses.all:
                return "bare"  # an interjection, a hashtag: it begins what is said
            if uses.all >= SELDOM_USES and uses.governed < SELDOM * uses.all:
                return "bare"  # "rose": what stands behind no article and no preposition
        return "noun" if uses.ends >= ENDS * uses.all else "modifier"


def _places(words: list[str], word: str) -> Iterator[int]:
    """Where a word stands among others."""
    start = 0
    while True:
        try:
            start = words.index(word, start)
        except ValueError:
            return
        yield start
        start += 1


def is_acronym(form: str) -> bool:
    """Whether a word is written with several capitals: "TCP", "IPv6"."""
    return sum(letter.isupper() for letter in form) >= ACRONYM_CAPITALS


def _small_letters(text: str) -> str:
    """Words as `Grammar.uses` has them."""
    return fold_apostrophes(text).casefold()


def _words(text: str, clitics: Clitics | None) -> tuple[list[str], bytearray]:
    """Words and marks of a text, in small letters, and whether each begins with a capital."""
    tokens: list[str] = _TOKEN.findall(text)
    if clitics is not None:
        tokens = []
        for token in _JOINED_TOKEN.findall(fold_apostrophes(text)):
            tokens += _without_clitics(token, clitics)
    words = [sys.intern(word.casefold()) for word in tokens]  # each distinct word is kept once
    return words, bytearray(word[0].isupper() for word in tokens)


def _without_clitics(token: str, clitics: Clitics) -> Iterator[str]:
    """A word divided where an apostrophe ties a clitic to it, as the vocabulary divides it:
    “nation”, “'” and “s” of “nation's”, but “Qur'an”."""
    if len(token) == 1 or "'" not in token:
        yield token
        return
    pieces = token.split("'")
    word = pieces[0]
    for before, behind in pairwise(pieces):
        if before.casefold() in clitics.before or behind.casefold() in clitics.behind:
            yield word
            yield "'"
            word = behind
        else:
            word += "'" + behind
    yield word


def _stem(word: str) -> str:
    """An adjective without its ending."""
    if word.endswith(INFLECTED):
        return word[:-2]
    return word.removesuffix("e")
