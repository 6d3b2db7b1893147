"""Words that many texts have in the same order, and that nobody wrote into each: menus, notices,
signatures, headings of forms. Each is a rule of webapp.intake.ingest.shaping.silent: a run of
words, known by its first and its last ones, or a line of few words."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

RUN_OF_WORDS = "all:"  # with which the rules' names begin
WHOLE_LINE = "line:"
PREFIXES = (RUN_OF_WORDS, WHOLE_LINE)
LONGEST_RULE_NAME = 80  # characters of a name
MOST_RULES = 12  # rules of a corpus
LEAST_TEXTS = 5  # texts that have it
SHARE = 0.1  # of the texts, at least
RUN = 6  # words in the same order that are no chance; a line may have fewer
OFTEN = 2.0  # times in a text, on average: what is there more often is a refrain, or a single word
TEXT = 0.5  # of a text's words: a text of which more is shared is a copy of another
MOST_WORDS_BETWEEN = 200  # words between the first and the last ones of a run, at most
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_DIGITS = regex.compile(r"\p{N}+")
_OF_WORDS = r"\p{L}\p{M}\p{N}"  # characters, in a class
_BETWEEN_WORDS = rf"[^{_OF_WORDS}]+"
_OMITTED = " … "


_Key = tuple[str, ...]  # words in their order


class _Words(NamedTuple):
    """The words of a text, without case and with their digits alike, and where each stands."""

    words: list[str]
    spans: list[tuple[int, int]]
    lines: list[tuple[int, int]]  # the first and one behind the last word of each line


def find_rules(texts: list[str]) -> dict[str, float]:
    """Names of rules, and which share of the texts has what each recognises, most frequent
    first."""
    return dict(_find_shared(tuple(texts)))


@lru_cache(1)  # asked twice of the same texts
def _find_shared(texts: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    least = max(LEAST_TEXTS, SHARE * len(texts))
    cut = [_cut_words(text) for text in texts]
    runs = _runs(cut, least)
    shared: Counter[_Key] = Counter()
    examples: dict[_Key, str] = {}
    for words, text in zip(cut, texts, strict=True):
        marked = sorted(_mark_runs(words, runs))
        if sum(stop - start for start, stop in marked) > TEXT * len(words.words):
            continue
        alike = {tuple(words.words[start:stop]): (start, stop) for start, stop in marked}
        shared.update(alike.keys())
        for key, (start, stop) in alike.items():
            begin, _ = words.spans[start]
            _, end = words.spans[stop - 1]
            examples.setdefault(key, _name(text[begin:end], stop - start < RUN))
    kept = [
        (examples[key], count) for key, count in shared.most_common(MOST_RULES) if count >= least
    ]
    return tuple((name, count / len(texts)) for name, count in kept)


def pattern(name: str) -> str:
    """What a rule recognises, as a regular expression."""
    first, omitted, last = _words_of(name).partition(_OMITTED)
    words = _write_pattern(first)
    if name.startswith(WHOLE_LINE):
        no_words = rf"[^{_OF_WORDS}\n]*"
        return rf"^{no_words}(?i:{words})(?={no_words}$)"
    if omitted:
        few_words = (
            rf"(?:{_BETWEEN_WORDS}[{_OF_WORDS}]+){{0,{MOST_WORDS_BETWEEN}}}?{_BETWEEN_WORDS}"
        )
        words = f"{words}{few_words}{_write_pattern(last)}"
    return rf"(?<![{_OF_WORDS}])(?i:{words})(?![{_OF_WORDS}])"


def label(name: str) -> str:
    where = "as a line of its own, in many texts"
    return f"“{_words_of(name)}”, {where if name.startswith(WHOLE_LINE) else 'in many texts'}"


def _words_of(name: str) -> str:
    return name.partition(":")[2]


def _write_pattern(words: str) -> str:
    """A regular expression of the words, whatever is between them, and whatever their numbers
    are."""
    parts = [_DIGITS.sub("0", word) for word in _WORD.findall(words)]
    return _BETWEEN_WORDS.join(regex.escape(part).replace("0", r"\p{N}+") for part in parts)


def _cut_words(text: str) -> _Words:
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        first = len(words)
        for match in _WORD.finditer(line):
            words.append(_DIGITS.sub("0", match[0].lower()))
            spans.append((at + match.start(), at + match.end()))
        if len(words) > first:
            lines.append((first, len(words)))
        at += len(line) + 1
    return _Words(words, spans, lines)


def _keys(text: _Words) -> Iterator[tuple[int, int, _Key]]:
    """Runs of RUN words, and short lines: where each begins, how long it is, and its words; those
    of a line begin with a line end."""
    for place in range(len(text.words) - RUN + 1):
        yield place, RUN, tuple(text.words[place : place + RUN])
    for first, stop in text.lines:
        words = text.words[first:stop]
        if len(words) < RUN and set(words) != {"0"}:  # numbers of pages are no words
            yield first, stop - first, ("\n", *words)


def _runs(texts: list[_Words], least: float) -> set[_Key]:
    """Those that as many texts have, and hardly any more than OFTEN."""
    having: Counter[_Key] = Counter()
    times: Counter[_Key] = Counter()
    for text in texts:
        counts = Counter(key for _, _, key in _keys(text))
        having.update(counts.keys())
        times.update(counts)
    return {key for key, count in having.items() if count >= max(least, times[key] / OFTEN)}


def _mark_runs(text: _Words, runs: set[_Key]) -> Iterator[tuple[int, int]]:
    """The longest stretches of words that are in runs, and in equally many texts or more."""
    ends: dict[int, int] = defaultdict(int)
    for place, length, key in _keys(text):
        if key in runs:
            ends[place] = max(ends[place], place + length)
    begin = stop = -1
    for place in sorted(ends):
        if place >= stop:
            if stop > begin:
                yield begin, stop
            begin = place
        stop = max(stop, ends[place])
    if stop > begin >= 0:
        yield begin, stop


def _name(text: str, is_line: bool) -> str:
    """A rule's name, for a stretch of a text."""
    words = " ".join(text.split()).replace(_OMITTED, " ")
    prefix = WHOLE_LINE if is_line else RUN_OF_WORDS
    room = LONGEST_RULE_NAME - len(prefix)
    if len(words) <= room:
        return prefix + words
    half = (room - len(_OMITTED)) // 2
    begin = words[:half].rpartition(" ")[0] or words[:half]
    end = words[-half:].partition(" ")[2] or words[-half:]
    return f"{prefix}{begin}{_OMITTED}{end}"
