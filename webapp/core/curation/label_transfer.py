"""Labels and notes of one run, carried to the same topics of another run of the corpus."""

from typing import NamedTuple

import numpy as np
from django.db.models import Count

from inference import Topics
from inference.errors import Invalid
from inference.explore import matching
from webapp.core.curation import services as curation
from webapp.core.curation.shapes import LabelledRun
from webapp.core.results.view import RunView
from webapp.core.results.weights import topics as topics_of, vocabulary, words
from webapp.models import Edit, Run, Version

PLACING_FIELDS = ("into", "beside")  # that name another topic
FIELDS = tuple(field for field in Edit.Field.values if field not in PLACING_FIELDS)
RUNS_OFFERED = 30  # runs


class Plan(NamedTuple):
    """What is carried. pairs: (topic there, topic here, similarity) of topics that have labels or
    notes; orphans: such topics there without a match here. values: topic here -> field -> text, of
    fields that are empty here.
    """

    pairs: list[tuple[int, int, float]]
    orphans: list[int]
    values: dict[int, dict[str, str]]


def plan(source_view: RunView, target_view: RunView) -> Plan:
    """By the one-to-one matching that is best over all topics, at least as similar as
    explore.matching asks. Raises Invalid."""
    source = source_view.run
    target = target_view.run
    if source.corpus_id != target.corpus_id or source.pk == target.pk:
        raise Invalid(
            "from",
            f"Labels are carried between two runs of one corpus; run {source.pk} is none for run"
            f" {target.pk}.",
        )
    for run in (source, target):
        if not run.final:
            raise Invalid("from", f"Run {run.pk} is not done; labels can be carried when it is.")
    matched = matching.match(
        topics_of(source_view.snapshot), topics_of(target_view.snapshot), *words(source, target)
    )
    source_labels = source_view.labels
    target_labels = target_view.labels
    edited = source_labels.edited()
    pairs = [
        (k, int(matched.partner[k]), float(matched.similarity[k]))
        for k in edited
        if matched.partner[k] >= 0
    ]
    values = {}
    for k, partner, _ in pairs:
        theirs = source_labels.present(k)
        own_labels = target_labels.present(partner)
        unlabelled = [field for field in FIELDS if not own_labels[field]]
        values[partner] = {field: theirs[field] for field in unlabelled if theirs[field]}
        for field in PLACING_FIELDS:
            matched_topic = int(matched.partner[int(theirs[field])]) if theirs[field] else -1
            if matched_topic >= 0 and not own_labels[field]:
                values[partner][field] = str(matched_topic)
    return Plan(
        pairs=pairs,
        orphans=[k for k in edited if matched.partner[k] < 0],
        values={k: fields for k, fields in values.items() if fields},
    )


def carry(source: Run, target: Run) -> Plan:
    """Store the edits of `plan`, which can be undone together; none of a field of which a reader
    said something while it was made. Returns the plan with what was stored. Raises Invalid; then
    nothing is stored."""
    transfer = plan(RunView(source), RunView(target))
    stored = curation.fill_empty(target, transfer.values, f"carried from run {source.pk}")
    return transfer._replace(values=stored)


def inherited(parent: Run, version: Version) -> tuple[Topics, np.ndarray]:
    """The topics of a run, and for each word of another version's vocabulary its number in them, -1
    for a new one: int32[V]."""
    parent_numbers = {word: number for number, word in enumerate(vocabulary(parent.version))}
    return topics_of(RunView(parent).snapshot), np.array(
        [parent_numbers.get(word, -1) for word in vocabulary(version)], np.int32
    )


def labelled(run: Run) -> list[LabelledRun]:
    """Other runs of the corpus of which a topic has a label or a note, newest first."""
    edits = Edit.objects.filter(
        run__corpus=run.corpus_id, run__status=Run.Status.DONE, run__deleted_at=None, undone_at=None
    ).exclude(run=run)
    edited_topics = edits.values_list("run").annotate(topics=Count("topic", distinct=True))
    return [LabelledRun(*row) for row in edited_topics.order_by("-run")[:RUNS_OFFERED]]
