"""A claim in trainings on other texts than the run's (webapp.runs.trials): what learning loses, and what half of the documents says of the other."""

import numpy as np

from inference.effects.regression import Data
from inference.effects.units import LEVEL
from webapp.documents import units
from webapp.effects.estimates import Regression
from webapp.effects.shapes import OtherTexts
from webapp.models import Replicate
from webapp.results import evidence
from webapp.runs import replicates, trials
from webapp.runs.trials import Kept
from webapp.time import shares


def trained(regression: Regression, topic: int) -> list[OtherTexts]:
    """[] of a run that has no such trainings."""
    run = regression.selection.run
    if not replicates.possible(run):
        return []
    begun = dict(run.replicates.exclude(texts=Replicate.Texts.OWN).values_list("texts", "status"))
    return [
        _measured(regression, topic, texts, kept)
        if (kept := trials.kept(run, texts))
        else OtherTexts(texts, begun.get(texts, ""), None, None, None, 0, 0, None)
        for texts in (Replicate.Texts.DRAWN, Replicate.Texts.HALF)
    ]


def _measured(regression: Regression, topic: int, texts: str, kept: Kept) -> OtherTexts:
    """times: of all topics that were found again, their differences against those that the run counts, by least squares."""
    table = regression.table()
    data = _data(regression, table.topics, kept)
    found, at = np.isin(np.arange(data.T), data.into), table.topics.index(topic)
    estimated = regression.estimated(data)
    low, high = estimated.between(LEVEL)
    told = estimated.difference[found], table.difference[found]
    known = [x[at] if found[at] else np.nan for x in (estimated.difference, low, high)]
    difference, low_end, high_end = (float(x) if np.isfinite(x) else None for x in known)
    times = told[0] @ told[1] / (told[1] @ told[1]) if told[1].any() else np.nan
    return OtherTexts(
        texts, Replicate.Status.READY, difference, low_end, high_end, int(found.sum()), int(np.count_nonzero(data.cell >= 0)),
        float(times) if np.isfinite(times) else None,
    )  # fmt: skip


def _data(regression: Regression, topics: list[int], kept: Kept) -> Data:
    """As Regression.data, of what was counted there."""
    selection = regression.selection
    row, into = shares.rows_of(selection.view.labels.into, topics), np.full(selection.run.topics, -1, np.int32)
    same = (kept.partner >= 0) & (row >= 0)
    into[kept.partner[same]] = row[same]
    cell = np.where(kept.measured, regression.design.cell, -1)
    arrays = kept.doc_ptr, kept.doc_topics, kept.doc_tokens, evidence.of(selection.run).lengths
    return Data.from_documents(units.documents(selection.version, regression.unit), cell, arrays, into, len(topics))
