"""What readers said of the topics of one run, said of the same topics of a later run of the corpus."""

from typing import NamedTuple

import numpy as np

from inference import Topics
from inference.errors import Invalid
from inference.explore import matching
from webapp.curation import services as curation
from webapp.models import Run, Version
from webapp.results.view import RunView
from webapp.results.weights import topics as topics_of
from webapp.results.weights import vocabulary, words

FIELDS = ("label", "note", "group", "colour", "hidden")


class Plan(NamedTuple):
    """pairs: (topic there, topic here, similarity) of those of which anything is said; orphans: topics there without a
    like here.

    values: what is to be said here: topic -> field -> text, where nothing is said yet.
    """

    pairs: list[tuple[int, int, float]]
    orphans: list[int]
    values: dict[int, dict[str, str]]


def plan(source_view: RunView, target_view: RunView) -> Plan:
    """By the one-to-one matching that is best over all topics, at least as similar as explore.matching asks. Raises
    Invalid."""
    source, target = source_view.run, target_view.run
    if source.corpus_id != target.corpus_id or source.pk == target.pk:
        raise Invalid(
            "from", f"Labels are carried between two runs of one corpus; run {source.pk} is none for run {target.pk}."
        )
    for run in (source, target):
        if not run.final:
            raise Invalid("from", f"Run {run.pk} is not done; labels can be carried when it is.")
    matched = matching.match(topics_of(source.snapshot), topics_of(target.snapshot), *words(source, target))
    said, here = source_view.labels, target_view.labels
    edited = said.edited()
    pairs = [(k, int(matched.partner[k]), float(matched.similarity[k])) for k in edited if matched.partner[k] >= 0]
    values = {}
    for k, partner, _ in pairs:
        theirs, own = said.present(k), here.present(partner)
        values[partner] = {field: theirs[field] for field in FIELDS if theirs[field] and not own[field]}
        into = int(matched.partner[int(theirs["into"])]) if theirs["into"] else -1
        if into >= 0 and not own["into"]:
            values[partner]["into"] = str(into)
    return Plan(pairs, [k for k in edited if matched.partner[k] < 0], {k: of for k, of in values.items() if of})


def carry(source: Run, target: Run) -> Plan:
    """Say it, as one entry of the history that can be undone as a whole. Raises Invalid, and then nothing is said."""
    transfer = plan(RunView(source), RunView(target))
    curation.change_many(target, transfer.values, f"carried from run {source.pk}")
    return transfer


def inherited(parent: Run, version: Version) -> tuple[Topics, np.ndarray]:
    """The topics of a run, and for each word of another version's vocabulary its number in them, -1 for a new one:
    int32[V]."""
    there = {word: number for number, word in enumerate(vocabulary(parent.version))}
    return topics_of(parent.snapshot), np.array([there.get(word, -1) for word in vocabulary(version)], np.int32)
