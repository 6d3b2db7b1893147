"""The difference of a topic's shares in two sets, split over the topic's own words: their parts add
up to it exactly."""

import numpy as np

from inference.index.query import EXACT, Piece
from webapp.analysis.keyness.counting import Contrast
from webapp.analysis.keyness.queries import PER_WORDS, described
from webapp.analysis.keyness.shapes import TopicSplit, WordPart
from webapp.analysis.two_sets import compared_sets
from webapp.core.results import evidence, links
from webapp.models import Word

WORDS_OF_DIRECTION = 25  # words of either direction


def split(contrast: Contrast, topic: int, by: int | None) -> TopicSplit:
    """by: the user who asks. Raises as Contrast.computed does."""
    computed = contrast.computed(by)
    view = contrast.base.view
    rates = _Rates(contrast, topic)
    directions = [rates.larger_in_first, rates.larger_in_second]
    words_listed = np.concatenate([words[:WORDS_OF_DIRECTION] for words in directions]).tolist()
    texts = dict(
        Word.objects.filter(version=contrast.base.version, number__in=words_listed).values_list(
            "number", "word"
        )
    )
    ratio_of_form = dict(zip(computed.forms.tolist(), computed.result.ratio.tolist(), strict=True))

    def part(w: int) -> WordPart:
        ratio = _ratio(contrast, texts[w], ratio_of_form)
        one_sided = ratio is not None and not np.isfinite(ratio)
        return WordPart(
            word=texts[w],
            apart=float(rates.difference[w]),
            part=float(abs(rates.difference[w]) / rates.largest),
            rates=rates.of_words[:, w].tolist(),
            tokens=rates.tokens[:, w].tolist(),
            times=None if ratio is None or one_sided else 2.0**ratio,
            one_sided=one_sided,
            urls=[
                compared_sets.address(side, contrast.base, topic=topic, word=texts[w])
                for side in contrast.sides
            ],
        )

    words = []
    for direction in directions:
        words.append([part(w) for w in direction[:WORDS_OF_DIRECTION].tolist()])
    return TopicSplit(
        topic=links.topic_link(view, topic),
        sides=described(contrast, computed),
        rates=rates.of_words.sum(axis=1).tolist(),
        words=words,
        more=[max(len(direction) - WORDS_OF_DIRECTION, 0) for direction in directions],
        rest=[
            float(rates.difference[direction[WORDS_OF_DIRECTION:]].sum())
            for direction in directions
        ],
    )


class _Rates:
    """How often a topic's words are on the two sides. tokens: int64[2, V]. of_words: float64[2, V],
    in PER_WORDS words of the side. difference: float64[V], first less second."""

    def __init__(self, contrast: Contrast, topic: int):
        base = contrast.base
        labels = base.view.labels
        assigned = evidence.of(base.run)
        side = contrast.sets[: base.version.documents].astype(np.int32) - 1  # -1: on neither
        words_of_sides = np.bincount(side + 1, assigned.lengths, 3)[1:]
        documents = assigned.at_least(labels.parts(topic), 0.0)
        row = labels.rows_of([topic])
        sums = assigned.word_sums(side[documents], 2, row, 1, documents)
        self.tokens = sums[:, 0]
        self.of_words = PER_WORDS * self.tokens / np.maximum(words_of_sides, 1)[:, None]
        self.difference = self.of_words[0] - self.of_words[1]
        self._order = np.argsort(-np.abs(self.difference), kind="stable")

    @property
    def largest(self) -> float:
        return abs(self.difference[self._order[0]])

    @property
    def larger_in_first(self) -> np.ndarray:
        """Numbers of words, the largest difference first. A word without one is in neither."""
        return self._order[self.difference[self._order] > 0]

    @property
    def larger_in_second(self) -> np.ndarray:
        return self._order[self.difference[self._order] < 0]


def _ratio(contrast: Contrast, word: str, ratio_of_form: dict[int, float]) -> float | None:
    """log2 of how much more the first side uses the word, whatever the topic; None where that may
    be chance."""
    for form in contrast.counted.index.forms.matching(Piece(word, EXACT)).tolist():
        if form in ratio_of_form:
            return ratio_of_form[form]
    return None
