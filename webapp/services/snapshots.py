"""Publishing a run's topics: sparse rows, charts and the run's pointer to them, in one transaction."""

from collections.abc import Iterable, Iterator

import numpy as np
from django.db import transaction
from django.db.models.functions import Now

from inference import Snapshot as Trained
from inference import Theta, Topics
from webapp import bulk
from webapp.models import Metric, Run, Snapshot, Topic
from webapp.services import jobs

KEEP = 2  # snapshots of a run that stay: the present one, and the one that an open page may still be reading


def measure(run_id: int, trained: Trained, seconds: float) -> None:
    """Write a point of the run's charts; a point that a resumed run repeats replaces its like."""
    coherence = [None if np.isnan(c) else round(float(c), 4) for c in trained.coherence]
    known = [c for c in coherence if c is not None]
    held_out = trained.held_out
    Metric.objects.bulk_create(
        [
            Metric(
                run_id=run_id,
                step=trained.step,
                tokens=trained.tokens,
                seconds=seconds,
                held_out=None if held_out is None or np.isnan(held_out) else float(held_out),
                coherence=sum(known) / len(known) if known else None,
                topic_coherence=coherence,
                nonzero=float(trained.nonzero),
            )
        ],
        update_conflicts=True,
        unique_fields=["run_id", "step"],
        update_fields=["tokens", "seconds", "held_out", "coherence", "topic_coherence", "nonzero"],
    )


def publish(
    run_id: int, attempt: int, step: int, topics: Topics, coherence: np.ndarray, thetas: Iterable[Theta] | None = None
) -> Snapshot:
    """Replace what the run's pages show. With `thetas`, every document's proportions, it is the final snapshot.

    Raises jobs.Lost, and leaves everything as it was, when the run is not this attempt's any more.
    """
    final = thetas is not None
    with transaction.atomic():
        snapshot = Snapshot.objects.create(run_id=run_id, step=step, final=final)
        words = bulk.Partition("topic_word", snapshot.pk)
        words.create()
        words.write_arrays(_topic_rows(topics))
        share = topics.share
        if final:
            documents = bulk.Partition("document_topic", snapshot.pk)
            documents.create()
            share = _write_thetas(documents, thetas, topics)
        Topic.objects.bulk_create(_topics(snapshot, topics, share, coherence), batch_size=2000)
        words.attach()
        if final:
            documents.attach()
        fields = {"status": Run.Status.DONE, "finished_at": Now()} if final else {}
        jobs.update(jobs.TRAINING, run_id, attempt, snapshot=snapshot, **fields)
    return snapshot


def drop_old(run_id: int) -> None:
    """Drop all but the newest snapshots of a run; what a reader still holds is left to services.upkeep."""
    old = list(Snapshot.objects.filter(run_id=run_id).order_by("-pk").values_list("pk", flat=True)[KEEP:])
    Snapshot.objects.filter(pk__in=old).delete()
    for pk in old:
        bulk.drop("topic_word", pk)


def discard(run_id: int) -> None:
    """Drop every snapshot of a run, and what it shows."""
    Run.objects.filter(pk=run_id).update(snapshot=None)
    pks = list(Snapshot.objects.filter(run_id=run_id).values_list("pk", flat=True))
    Snapshot.objects.filter(pk__in=pks).delete()
    for pk in pks:
        bulk.drop("topic_word", pk)
        bulk.drop("document_topic", pk)


def _topic_rows(topics: Topics) -> Iterator[tuple[np.ndarray, ...]]:
    """(topic, word, rank, weight) columns of all rows: topics.words is sorted by weight within a topic."""
    lengths = np.diff(topics.indptr)
    topic = np.repeat(np.arange(topics.K, dtype=np.int32), lengths)
    rank = np.arange(len(topics.words), dtype=np.int64) - np.repeat(topics.indptr[:-1], lengths)
    yield topic, topics.words, rank, topics.weights


def _write_thetas(partition: bulk.Partition, thetas: Iterable[Theta], topics: Topics) -> np.ndarray:
    """COPY the documents' proportions; returns each topic's share of the corpus's tokens, as they were folded in."""
    tokens = np.zeros(topics.K)

    def rows():
        for theta in thetas:
            lengths = np.diff(theta.indptr)
            document = np.repeat(np.arange(theta.first, theta.first + len(lengths), dtype=np.int64), lengths)
            np.add(tokens, theta.tokens, out=tokens)
            yield document, theta.topics, theta.weights

    partition.write_arrays(rows())
    return tokens / tokens.sum()


def _topics(snapshot: Snapshot, topics: Topics, share: np.ndarray, coherence: np.ndarray) -> list[Topic]:
    return [
        Topic(
            snapshot=snapshot,
            number=k,
            share=float(share[k]),
            coherence=None if np.isnan(coherence[k]) else float(coherence[k]),
            floor=float(topics.floor[k]),
            floor_mass=float(topics.floor_mass[k]),
        )
        for k in range(topics.K)
    ]
