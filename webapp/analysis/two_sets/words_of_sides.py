"""The words that tell two sides apart: of all texts, as the page of all words has them, with the
same verdict; and of each topic, counted in a sample of either side."""

from itertools import chain
from typing import NamedTuple

import numpy as np

from inference.documents import take_evenly, take_evenly_outside
from inference.errors import Invalid
from inference.evidence import GroupWordSums
from inference.explore.relevance import distinctive
from webapp.analysis.answers import cautions
from webapp.analysis.two_sets import word_contrast
from webapp.analysis.two_sets.compared_sets import Side, address
from webapp.analysis.two_sets.division import Division
from webapp.analysis.two_sets.shapes import WordDifference
from webapp.analysis.two_sets.word_contrast import Computed, Contrast
from webapp.core.documents import document_days, search, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.runs.names import spelling
from webapp.models import Run

WORDS_OF_SIDE = 8  # of a topic as one side uses it
ALL_WORDS = 24  # of each side, whatever the topic
# words of each side that are counted, about: of 1 in 10,000 the rate is known within 14%
SAMPLED = 2_000_000
LEAST_SAMPLED = 1_000  # documents of each side at least
PER_WORDS = 10_000  # rates are occurrences in so many words
# standard errors from which a word is said to be more frequent: chance alone exceeds it in 1 of 100
# cases
LEAST_Z = 2.58


def sample_sides(base: RunSelection, sides: Division) -> list[np.ndarray]:
    """int32, ascending: of each side the documents whose words are counted, spread evenly over
    it."""
    most_sampled = max(
        LEAST_SAMPLED, SAMPLED * base.version.documents // max(base.version.tokens, 1)
    )
    if sides.days and document_days.order_by_day(base.version, newest=False) is not None:
        return [sums.sample_of_days(base, spans, most_sampled) for spans in sides.days]
    first, second = sides.of_both(base)
    if second is None:
        sampled_elsewhere = take_evenly_outside(first, base.version.documents, most_sampled)
    else:
        sampled_elsewhere = take_evenly(second, most_sampled)
    return [take_evenly(first, most_sampled), sampled_elsewhere]


def words_of_topics(run: Run, word_sums: GroupWordSums) -> list[list[str]]:
    """For each topic, as its own side uses it, the words that are surely more frequent there than
    in all that both sides say. word_sums: a row for each topic, in its own side; by side."""
    in_both = word_sums.of_groups.sum(axis=0)
    words_by_topic = []
    for counts in word_sums.of_rows:
        used = np.flatnonzero(counts)  # what it does not have is not more frequent there
        z = distinctive(counts, in_both, used)
        strongest = np.argsort(-z, kind="stable")[:WORDS_OF_SIDE]
        words_by_topic.append([int(used[i]) for i in strongest if z[i] > LEAST_Z])
    texts = spelling(run.version_id, set(chain.from_iterable(words_by_topic)))
    return [[texts[w] for w in words] for words in words_by_topic]


class TellingWords(NamedTuple):
    """Words that tell two sides apart, of either side. beyond_chance: those that the page of all
    words lists first; in_these_texts: where there are none, those that differ most in the texts at
    hand. caution: why nothing can be said of other texts; is_judged: whether all words were
    counted; not_held: as of `Contrast`."""

    beyond_chance: list[list[WordDifference]]
    in_these_texts: list[list[WordDifference]]
    caution: str
    is_judged: bool
    not_held: str


NO_WORDS = TellingWords([[], []], [[], []], "", is_judged=False, not_held="")


def telling_words(
    base: RunSelection, sides: tuple[Side, Side], sampled_counts: np.ndarray
) -> TellingWords:
    """By the verdict of the page of all words. sampled_counts: int64[2, V], of the documents in
    which words of topics are counted."""
    contrast = None
    computed = None
    try:
        contrast = Contrast(base, *sides, "content")
        computed = contrast.computed_at_once()
    except Invalid:  # there is no index, or a side has no words: the page of all words says so
        pass
    listed: list[list[WordDifference]] = [[], []]
    caution = ""
    not_held = ""
    if contrast is not None and computed is not None:
        not_held = contrast.not_held
        listed = [_words_beyond_chance(contrast, computed, s) for s in range(2)]
        tried = computed.tried_words
        caution = cautions.caution(contrast.unit, tried.units, tried.obstacle)
    in_these_texts: list[list[WordDifference]] = [[], []]
    if not any(listed):
        in_these_texts = _words_of_sample(base, sides, sampled_counts)
    return TellingWords(listed, in_these_texts, caution, computed is not None, not_held)


def _words_beyond_chance(contrast: Contrast, computed: Computed, s: int) -> list[WordDifference]:
    """The first words of side s on the page of all words."""
    larger_in_first = computed.result.ratio > 0
    of_side = larger_in_first if s == 0 else ~larger_in_first
    ranked = word_contrast.in_order(
        computed.result, computed.is_minor, np.flatnonzero(of_side), "ratio"
    )
    rows = ranked[:ALL_WORDS]
    words = []
    for i, text in zip(rows, contrast.counted.spelled(computed.forms[rows]), strict=True):
        tokens = computed.amounts[i]
        rates = PER_WORDS * tokens / np.maximum(computed.bases, 1)
        url = address(contrast.sides[s], contrast.base, terms=f'"{text}"')
        words.append(WordDifference(text, url, rates.tolist(), tokens.tolist()))
    return words


def _words_of_sample(
    base: RunSelection, sides: tuple[Side, Side], counts: np.ndarray
) -> list[list[WordDifference]]:
    """The words that differ most if all words were independent, with how often they are used in
    10,000 words. counts: int64[2, V]."""
    z = distinctive(counts[0], counts.sum(axis=0))
    words_of_a = [int(w) for w in np.argsort(-z)[:ALL_WORDS] if z[w] > LEAST_Z]
    of_b = [int(w) for w in np.argsort(z)[:ALL_WORDS] if -z[w] > LEAST_Z]
    texts = spelling(base.run.version_id, {*words_of_a, *of_b})
    totals = np.maximum(counts.sum(axis=1), 1)
    rates = PER_WORDS * counts / totals[:, None]

    terms = search.terms(base.version, texts.values())

    def difference(side: Side, w: int) -> WordDifference:
        url = address(side, base, terms=terms[texts[w]])
        return WordDifference(texts[w], url, rates[:, w].tolist(), counts[:, w].tolist())

    side_a, side_b = sides
    return [[difference(side_a, w) for w in words_of_a], [difference(side_b, w) for w in of_b]]
