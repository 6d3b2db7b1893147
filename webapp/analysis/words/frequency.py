"""Whether a word became more frequent, in a sentence: when it is most frequent, and how often it
occurs in the first and in the last third of the words. It says what was counted in these texts;
whether chance explains it is not tested."""

from typing import NamedTuple

import numpy as np

from webapp.analysis.findings.sentences import period
from webapp.analysis.words.senses import THIN_TOKENS, Mix
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence

RATE_OF = 10_000  # words
LEAST_PERIODS = 3  # that have words, so that there are three thirds
LEAST_RATE_SAID = 0.05  # below it 0.0 would be read as none
WITH_PEAK = (
    "“{word}” is most frequent in {peak}: {most} in 10,000 counted words, {early} until {first_end}, {late}"
    " since {last_begin}."
)
WITHOUT_PEAK = (
    "“{word}”: {early} in 10,000 counted words until {first_end}, {late} since {last_begin}."
)


class Thirds(NamedTuple):
    """Of periods by their places: first_end: the last of the first third of the words; last_begin:
    the first of the last third."""

    first_end: int
    last_begin: int


def say_frequency(word: str, mix: Mix | None, selection: RunSelection) -> str:
    """How often a word occurs over the periods of its chart; "" where the chart is not of time, or
    too few documents or occurrences are in it. mix: counts of the word."""
    if mix is None or not mix.groups.in_time:
        return ""
    tokens = np.zeros(len(mix.groups.labels))
    for chart_bin in mix.bins:
        tokens[chart_bin.group] = chart_bin.tokens
    words = _count_words(mix, selection)
    with_words = np.flatnonzero(words)
    if len(with_words) < LEAST_PERIODS or tokens.sum() < THIN_TOKENS:
        return ""
    return _say(
        word, [mix.groups.labels[g] for g in with_words], tokens[with_words], words[with_words]
    )


def _count_words(mix: Mix, selection: RunSelection) -> np.ndarray:
    """float64[G]: all counted words of each period."""
    group = mix.groups.group
    is_counted = group >= 0
    if selection.mask is not None:
        is_counted &= selection.mask
    lengths = evidence.of(selection.run).lengths
    return np.bincount(
        group[is_counted], lengths[is_counted], minlength=len(mix.groups.labels)
    ).astype(float)


def _say(word: str, labels: list[str], tokens: np.ndarray, words: np.ndarray) -> str:
    """labels: of the periods, in their order; tokens: of the word; words: all."""
    thirds = divide_in_thirds(words)
    in_first = slice(0, thirds.first_end + 1)
    in_last = slice(thirds.last_begin, len(words))
    shares = {
        "word": word,
        "early": _say_rate(tokens[in_first].sum() / words[in_first].sum()),
        "late": _say_rate(tokens[in_last].sum() / words[in_last].sum()),
        "first_end": period(labels[thirds.first_end]),
        "last_begin": period(labels[thirds.last_begin]),
    }
    rates = np.where(tokens >= THIN_TOKENS, tokens / words, 0.0)
    peak = int(rates.argmax())
    if not rates[peak]:
        return WITHOUT_PEAK.format(**shares)
    return WITH_PEAK.format(**shares, peak=period(labels[peak]), most=_say_rate(rates[peak]))


def divide_in_thirds(words: np.ndarray) -> Thirds:
    """The periods that come nearest to thirds of the words, at least one of them in each third.
    words: float64[G], of three periods or more, each above 0."""
    passed = np.cumsum(words) / words.sum()
    first_end = int(np.abs(passed[:-2] - 1 / 3).argmin())
    before = first_end + 1  # the earliest period that the second third may end with
    last_of_second = before + int(np.abs(passed[before:-1] - 2 / 3).argmin())
    return Thirds(first_end, last_of_second + 1)


def _say_rate(share: float) -> str:
    """Occurrences in 10,000 words: "7.1", "<0.1", "none"."""
    rate = RATE_OF * share
    if not rate:
        return "none"
    return "<0.1" if rate < LEAST_RATE_SAID else f"{rate:,.1f}"
