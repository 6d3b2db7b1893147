"""The difference of a topic's shares in two sets, split over the topic's own words: their parts add
up to it exactly."""

import numpy as np

from inference.index.query import EXACT, Piece
from webapp.analysis.keyness.counting import Contrast
from webapp.analysis.keyness.queries import described
from webapp.analysis.keyness.shapes import TopicSplit, WordPart
from webapp.analysis.time import contrasts, shares
from webapp.core.results import evidence, links
from webapp.models import Word

PER = 10_000
LISTED = 25  # words of either direction


def split(contrast: Contrast, topic: int, by: int | None) -> TopicSplit:
    """by: the user who asks. Raises as Contrast.computed does."""
    made, base, counted = contrast.computed(by), contrast.base, evidence.of(contrast.base.run)
    view, forms = base.view, contrast.counted.index.forms
    group = contrast.sets[: base.version.documents].astype(np.int32) - 1
    totals = np.bincount(group + 1, counted.lengths, 3)[1:]
    documents, row = (
        counted.at_least(view.labels.parts(topic), 0.0),
        shares.rows_of(view.labels.into, [topic]),
    )
    tokens = counted.word_sums(group[documents], 2, row, 1, documents)[:, 0]
    rates = PER * tokens / np.maximum(totals, 1)[:, None]
    apart = rates[0] - rates[1]
    order = np.argsort(-np.abs(apart), kind="stable")
    every = [order[sign * apart[order] > 0] for sign in (1, -1)]  # what is 0 has no part
    listed = [numbers[:LISTED].tolist() for numbers in every]
    spelled = dict(
        Word.objects.filter(version=base.version, number__in=sum(listed, [])).values_list(
            "number", "word"
        )
    )
    ratios = dict(zip(made.forms.tolist(), made.result.ratio.tolist(), strict=True))

    def part(w: int) -> WordPart:
        word = spelled[w]
        ratio = next(
            (
                ratios[form]
                for form in forms.matching(Piece(word, EXACT)).tolist()
                if form in ratios
            ),
            None,
        )
        return WordPart(
            word=word,
            apart=float(apart[w]),
            part=float(abs(apart[w]) / abs(apart[order[0]])),
            rates=rates[:, w].tolist(),
            tokens=tokens[:, w].tolist(),
            times=None if ratio is None else 2.0**ratio,
            urls=[contrasts.address(side, base, topic=topic, word=word) for side in contrast.sides],
        )

    return TopicSplit(
        topic=links.topic_link(view, topic),
        sides=described(contrast, made),
        rates=rates.sum(axis=1).tolist(),
        words=[[part(w) for w in numbers] for numbers in listed],
        more=[len(numbers) - len(some) for numbers, some in zip(every, listed, strict=True)],
        rest=[float(apart[numbers[LISTED:]].sum()) for numbers in every],
    )
