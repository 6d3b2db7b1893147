"""Parts of texts that nobody of interest said, known by their form: addresses, retweets, quoted
mail, interjections in brackets, speakers' labels, salutations, and what many texts share word for
word (shared.py). Their words don't count; documents still show them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from webapp.intake.ingest.shaping import shared

_LABEL = regex.compile(
    r"^[ \t]*(\p{Lu}[\p{L}\p{M}.'’ \-]{1,40}(?:\([^()\n]{1,40}\) ?)?):(?=\s)", regex.MULTILINE
)
_QUOTED = regex.compile(r"^>[^\n]*", regex.MULTILINE)
# Interjections are left out by default (`certain_rules`) where there are so many at least, in such a
# share of the texts; where so few words open such a share of them; and where such a share is there
# so often, word for word
_LEAST_INTERJECTIONS = 20
_INTERRUPTED_SHARE = 0.2
_OPENING_WORDS = 5
_OPENED_SHARE = 0.4
_REPEATED_SHARE = 0.15
_LEAST_TIMES = 3
_WORD = regex.compile(r"\p{L}+")
# A salutation opens texts: two to eight words and a comma, the last word a name or title unless the
# line ends behind it. begins the name of a rule for one, such as “to:Mr. Speaker”, or “to:Dear …”
# with others behind the first word
SALUTATION = "to:"
_ADDRESS = r"(?: [\p{L}\p{M}'’\-]+\.?){1,7}"
_OPENING = regex.compile(
    rf"^[ \t]*((\p{{Lu}}[\p{{L}}\p{{M}}'’\-]*\.?){_ADDRESS}) ?(?:[,!:](?P<alone>[ \t]*$)|(?<="
    r" \p{Lu}[\p{L}\p{M}'’\-]*)[,!](?=\s))",
    regex.MULTILINE,
)
_HEAD_CHARACTERS = 400  # of a text, where a salutation may be
# It is a rule where it opens so many texts, and such a share of them
_LEAST_TEXTS = 5
_SALUTED_SHARE = 0.1
# Of the texts, that begin with a salutation, or have words in common, which are left out by default
# (templates/corpus/prepare.html says so)
_USUAL_SHARE = 0.25
_LONGEST_RULE_NAME = 80  # characters of its rule's name
_MOST_SALUTATIONS = 8  # salutations of a corpus


class Rule(NamedTuple):
    """name: in settings. label: of its box. certain: whether it is chosen by default wherever it
    applies. needs: a part of every text to which it applies, "" for none, so that most texts are
    not searched."""

    name: str
    label: str
    certain: bool
    needs: tuple[str, ...]
    spans: Callable[[str], Iterable[tuple[int, int]]]


def _by(pattern: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    compiled = regex.compile(pattern, regex.MULTILINE)
    return lambda text: (match.span() for match in compiled.finditer(text))


def _labels(text: str) -> Iterable[tuple[int, int]]:
    """Names before a colon at the beginnings of lines, where the text has them several times."""
    matches = list(_LABEL.finditer(text))
    times = Counter(match[1] for match in matches)
    # “Note:” and the like are in a text once
    return (match.span(1) for match in matches if times[match[1]] >= 2)


def _quoted_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines that begin with “>”, and what is behind the last line “--” where that is short."""
    last = max(text.rfind("\n-- \n"), text.rfind("\n--\n"))
    # A signature has 600 characters at most
    end = len(text) if last < 0 or len(text) - last > 600 else last + 1
    yield from (match.span() for match in _QUOTED.finditer(text, endpos=end))
    if end < len(text):
        yield end, len(text)


RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "addresses",
            "addresses (https://…, name@example.org)",
            True,
            ("://", "www.", "@"),
            _by(
                r"\bhttps?://\S+|\bwww\.\S{3,}|[\p{L}\d._%+\-]{1,64}@[\p{L}\d\-]{1,63}(?:\.[\p{L}\d\-]{1,63})+"
            ),
        ),
        Rule(
            "retweets",
            "“RT”, and entities such as &amp;",
            True,
            ("RT ", "&"),
            _by(r"\bRT(?=\s+@)|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#[xX][\da-fA-F]{1,6});"),
        ),
        Rule(
            "quoted",
            "quoted mail (lines that begin with >) and signatures (behind a line --)",
            True,
            (">", "--"),
            _quoted_lines,
        ),
        Rule(
            "interjections",
            "interjections in brackets, between sentences or on lines of their own",
            False,
            ("(", "["),
            _by(
                r"(?:(?<=[.!?:…–—\-”“\")\]]\s{0,3})|(?<=^["
                r" \t]{0,9}))[(\[]\p{Lu}(?:[^()\[\]]|[(\[][^()\[\]]{1,80}[)\]]){1,300}[)\]](?=\s*(?:$|[\p{Lu}–—\-„“\"(\[]))"
            ),
        ),
        Rule(
            "speakers",
            "speakers’ names before a colon, at the beginnings of lines",
            False,
            (":",),
            _labels,
        ),
    )
}


def is_rule(name: str) -> bool:
    if name in RULES:
        return True
    begins = name.startswith((SALUTATION, *shared.PREFIXES))
    return begins and not name.endswith(":") and len(name) <= _LONGEST_RULE_NAME


def is_shared(name: str) -> bool:
    """Whether a rule recognises words that many texts share."""
    return name.startswith(shared.PREFIXES)


def ordered_rules(names: Iterable[str]) -> tuple[str, ...]:
    """The rules among some names, each once."""
    names = tuple(names)
    others = sorted(filter(is_rule, set(names) - RULES.keys()))
    addressed = [name for name in others if name.startswith(SALUTATION)]
    alike = [name for name in others if is_shared(name)]
    del addressed[_MOST_SALUTATIONS:], alike[shared.MOST_RULES :]
    rules = [*RULES, *addressed, *alike]
    return tuple(name for name in rules if name in names)


@lru_cache(64)
def rule_of(name: str) -> Rule:
    if name in RULES:
        return RULES[name]
    if name.startswith(shared.PREFIXES):
        return Rule(name, shared.label(name), False, ("",), _by(shared.pattern(name)))
    words = name.removeprefix(SALUTATION)
    first = words.removesuffix(" …")
    form = rf"(?:(?<=^[ \t]*)|(?<=[.!?…][\"”’»)]?\s+)){regex.escape(words)} ?[,!:]"
    anyone = rf"^[ \t]*{regex.escape(first)}{_ADDRESS} ?[,!:](?=[ \t]*$)"
    return Rule(
        name, f"the salutation “{words}”", False, (first,), _by(form if first == words else anyone)
    )


def salutations(texts: list[str]) -> dict[str, float]:
    """Rules for those that recur where texts begin, and of which share of the texts, most frequent
    first."""
    opened: Counter[str] = Counter()
    forms: dict[str, set[str]] = {}  # “Dear …”: “Dear Anna”, “Dear Sir”
    for text in texts:
        openings = _OPENING.finditer(text[:_HEAD_CHARACTERS])
        match = next((found for found in openings if not _is_heading(found)), None)
        if match is None:
            continue
        opened[match[1]] += 1
        if match["alone"] is not None:
            general = f"{match[2]} …"
            opened[general] += 1
            forms.setdefault(general, set()).add(match[1])
    least = max(_LEAST_TEXTS, _SALUTED_SHARE * len(texts))
    recurring = {words: count for words, count in opened.most_common() if count >= least}
    left_out = set()
    for general, special_forms in forms.items():
        if general in recurring and len(special_forms) >= _LEAST_TIMES:
            left_out |= special_forms
        else:
            left_out.add(general)
    rules = {}
    for words, count in recurring.items():
        if words not in left_out:
            rules[f"{SALUTATION}{words}"[:_LONGEST_RULE_NAME]] = count / len(texts)
    return rules


def _is_heading(opening: regex.Match) -> bool:
    """Whether it is a heading with a colon rather than a salutation: “Supported chips:” has no name
    and no title behind its first word, as “Dear Sir:” has."""
    others = opening[1].split()[1:]
    return opening[0].rstrip().endswith(":") and not any(word[0].isupper() for word in others)


CERTAIN = tuple(rule.name for rule in RULES.values() if rule.certain)


def blank_silent(text: str, rules: Iterable[str]) -> str:
    """The text with spaces for the parts that some rules recognise: of the same length, so that
    places stay."""
    for name in rules:
        rule = rule_of(name)
        if not any(part in text for part in rule.needs):
            continue
        pieces = []
        at = 0
        for start, end in rule.spans(text):
            pieces += [text[at:start], " " * (end - start)]
            at = end
        text = "".join([*pieces, text[at:]]) if at else text
    return text


def rule_shares(texts: list[str]) -> dict[str, float]:
    """Which share of the words of some texts each rule recognises; rules that recognise none are
    left out."""
    words: Counter[str] = Counter()
    addressed = list(salutations(texts))[:_MOST_SALUTATIONS]
    rules = [rule_of(name) for name in (*RULES, *addressed, *shared.find_rules(texts))]
    for text in texts:
        words[""] += len(text.split())
        for rule in rules:
            if any(part in text for part in rule.needs):
                words[rule.name] += sum(
                    len(text[start:end].split()) for start, end in rule.spans(text)
                )
    return {rule.name: words[rule.name] / words[""] for rule in rules if words[rule.name]}


def certain_rules(texts: list[str]) -> tuple[str, ...]:
    """Rules that are chosen by default in these texts: beside CERTAIN, interjections where they are
    at least twenty, in a fifth of the texts, five words open two fifths of them (applause,
    laughter, hear), and one in seven is there three times, word for word. Asides of authors begin
    in many ways, or with “This” and “Note”, and are not repeated (of proposals for Python 6 to 9%).
    Salutations where each opens a fourth of the texts, and what a fourth of them share."""
    rule = RULES["interjections"]
    alike = salutations(texts) | shared.find_rules(texts)
    usual = (*CERTAIN, *(name for name, share in alike.items() if share >= _USUAL_SHARE))
    spans = []
    texts_with_spans = 0
    for text in texts:
        spans_of_text = [text[start:end] for start, end in rule.spans(text)]
        spans += spans_of_text
        texts_with_spans += bool(spans_of_text)
    if len(spans) < _LEAST_INTERJECTIONS or texts_with_spans < _INTERRUPTED_SHARE * len(texts):
        return ordered_rules(usual)
    openings = Counter(_WORD.search(span)[0] for span in spans)
    wordings = Counter(spans)
    often = sum(times for _, times in openings.most_common(_OPENING_WORDS))
    repeated = sum(times for times in wordings.values() if times >= _LEAST_TIMES)
    recur = often >= _OPENED_SHARE * len(spans) and repeated >= _REPEATED_SHARE * len(spans)
    return ordered_rules((*usual, rule.name) if recur else usual)
