"""Publishing a run's topics: sparse rows and charts, and then the run's pointer to them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from inference import Evidence, Snapshot as Trained, Topics
from inference.evaluate import TopicMeasures
from inference.explore.company import TopicCompany
from inference.explore.cooccurrence import companions
from inference.explore.distances import nearest
from inference.explore.layout import layout, stress
from inference.explore.naming import Name, general_talk
from webapp.core.results.measures import MEASURED
from webapp.core.runs import names, series
from webapp.models import FormingStep, Metric, Run, Snapshot, Topic
from webapp.platform.jobs import claims, kinds
from webapp.platform.storage import bulk

SIMILAR = BESIDE = 10  # topics that a topic's page names as like it, and as its company
KEPT_BESIDE_PRESENT = 1  # snapshot of a run: that which an open page may still be reading
DROPPED_AT_ONCE = 1000
LATEST_SNAPSHOT_STAYS = timedelta(hours=1)  # after the end of a run, for which the latter stays


class Outcome(NamedTuple):
    """What is known of a finished run beyond its topics."""

    evidence: Evidence
    measures: TopicMeasures
    divergences: np.ndarray  # float64[K, K], explore.distances
    called: names.Called
    kinds: TopicCompany


def measure(run_id: int, trained: Trained, seconds: float) -> None:
    """Write a point of the run's charts; a point that a resumed run repeats replaces its like."""
    values = {"tokens": trained.tokens, "seconds": seconds} | series.measured(trained)
    Metric.objects.bulk_create(
        [Metric(run_id=run_id, step=trained.step, **values)],
        update_conflicts=True,
        unique_fields=["run_id", "step"],
        update_fields=list(values),
    )


@dataclass(frozen=True)
class StoredTopics:
    """A snapshot whose rows are committed, and that no page shows yet. in_use: how many of its
    topics are, of an engine whose topics need not all be; else None."""

    snapshot: Snapshot
    in_use: int | None

    def show(self, attempt: int) -> None:
        """Have the run's pages show it; with a final snapshot the run is done.

        Raises ClaimLost, and leaves everything as it was, when the run is not this attempt's any
        more.
        """
        fields = {"status": Run.Status.DONE, "finished_at": Now()} if self.snapshot.final else {}
        claims.update(
            kinds.TRAIN,
            self.snapshot.run_id,
            attempt,
            snapshot=self.snapshot,
            in_use=self.in_use,
            **fields,
        )


@contextmanager
def store(
    run_id: int,
    step: int,
    topics: Topics,
    coherence: np.ndarray,
    outcome: Outcome | None = None,
) -> Iterator[StoredTopics]:
    """Store a snapshot, for the block to show it. With an outcome it is the final one. Where the
    block raises it is dropped again; where the process is killed meanwhile, drop_old or
    drop_replaced drops it.

    Its rows are committed before the run points to them, as bulk says why.

    Of an engine whose topics need not all be in use, those of the final one are in use that words
    were given to. Nothing is measured of the others.
    """
    used = np.ones(topics.K, bool) if topics.used is None else topics.used
    xy: np.ndarray | None = None
    map_stress: float | None = None
    by_words = False
    if outcome is None:
        called = names.of_words(run_id, topics)
    else:
        called = outcome.called.names
        by_words = outcome.called.by_words
        if topics.used is not None:
            used = outcome.measures.tokens > 0
        divergences = outcome.divergences[np.ix_(used, used)]
        xy = layout(divergences)
        map_stress = stress(xy, divergences)
    with transaction.atomic():
        snapshot = Snapshot.objects.create(
            run_id=run_id,
            step=step,
            final=outcome is not None,
            stress=map_stress,
            naming=names.METHOD,
            named_by_words=by_words,
        )
        words = bulk.Partition("topic_word", snapshot.pk)
        words.create()
        rows = np.zeros(topics.K, np.int64)  # of each topic
        words.write_arrays(_count_rows(_topic_rows(topics, outcome), rows))
        Topic.objects.bulk_create(
            _topics(snapshot, topics, coherence, rows, used, outcome, xy, called), batch_size=2000
        )
        words.attach()
    try:
        yield StoredTopics(snapshot, None if topics.used is None else int(used.sum()))
    except BaseException:
        # Also what comes after the block's commit ends here: then the run shows the snapshot
        is_shown = Run.everything.filter(snapshot=snapshot).exists()
        if not is_shown:
            _drop([snapshot.pk])
        raise


def drop_old(run_id: int) -> None:
    """Drop all snapshots of a run but the one it shows and the newest besides; what a reader still
    holds is left to operations.upkeep."""
    others = Snapshot.objects.filter(run=run_id).exclude(pk=F("run__snapshot"))
    newest_first = others.order_by("-pk").values_list("pk", flat=True)
    _drop(list(newest_first[KEPT_BESIDE_PRESENT:]))


def drop_replaced() -> None:
    """Drop the snapshots of finished runs that a newer one replaced long enough ago: no open page
    reads them any more."""
    done = Run.everything.filter(
        status=Run.Status.DONE, finished_at__lt=Now() - LATEST_SNAPSHOT_STAYS
    )
    replaced = Snapshot.objects.filter(run__in=done).exclude(pk=F("run__snapshot"))
    _drop(list(replaced.order_by("pk").values_list("pk", flat=True)[:DROPPED_AT_ONCE]))


def discard(run_id: int) -> None:
    """Drop every snapshot of a run, and what it shows."""
    Run.objects.filter(pk=run_id).update(snapshot=None)
    FormingStep.objects.filter(run=run_id).delete()
    _drop(list(Snapshot.objects.filter(run_id=run_id).values_list("pk", flat=True)))


def _drop(snapshots: list[int]) -> None:
    Snapshot.objects.filter(pk__in=snapshots).delete()
    for pk in snapshots:
        bulk.drop("topic_word", pk)


def _topic_rows(topics: Topics, outcome: Outcome | None) -> Iterator[tuple[np.ndarray, ...]]:
    """(topic, word, rank, weight, tokens, documents) columns of all rows: topics.words is sorted by
    weight within a topic.

    A word that has tokens in a topic without being listed there comes behind the listed ones, with
    the floor's weight.
    """
    lengths = np.diff(topics.indptr)
    topic = np.repeat(np.arange(topics.K, dtype=np.int64), lengths)
    rank = np.arange(len(topics.words), dtype=np.int64) - np.repeat(topics.indptr[:-1], lengths)
    if outcome is None:
        none = np.zeros(len(topic), np.int64)
        yield topic, topics.words, rank, topics.weights, none, none
        return
    ptr, topics_of_word, tokens, documents = outcome.evidence.word_topics.held_by_word()
    # One number for topic and word
    pair_numbers = topics_of_word.astype(np.int64) * topics.V + np.repeat(
        np.arange(topics.V), np.diff(ptr)
    )
    order = np.argsort(pair_numbers)
    pair_numbers = pair_numbers[order]
    tokens = tokens[order]
    documents = documents[order]
    listed_pairs = topic * topics.V + topics.words
    at = np.minimum(np.searchsorted(pair_numbers, listed_pairs), len(pair_numbers) - 1)
    has = pair_numbers[at] == listed_pairs
    yield (
        topic,
        topics.words,
        rank,
        topics.weights,
        np.where(has, tokens[at], 0),
        np.where(has, documents[at], 0),
    )
    is_unlisted = np.ones(len(pair_numbers), bool)
    is_unlisted[at[has]] = False
    topic, word = np.divmod(pair_numbers[is_unlisted], topics.V)
    yield (
        topic,
        word,
        lengths[topic]
        + np.arange(len(topic))
        - np.searchsorted(topic, topic),  # topic is ascending
        topics.floor[topic],
        tokens[is_unlisted],
        documents[is_unlisted],
    )


def _count_rows(
    blocks: Iterable[tuple[np.ndarray, ...]], rows: np.ndarray
) -> Iterator[tuple[np.ndarray, ...]]:
    """The blocks; each topic's rows are counted into `rows`, int64[K], as they pass."""
    for block in blocks:
        rows += np.bincount(block[0], minlength=len(rows))
        yield block


def _topics(
    snapshot: Snapshot,
    topics: Topics,
    coherence: np.ndarray,
    rows: np.ndarray,
    used: np.ndarray,
    outcome: Outcome | None,
    xy: np.ndarray | None,
    called: list[Name],
) -> list[Topic]:
    share = topics.share
    columns = {}
    marks = {}
    if outcome is not None:
        measures = outcome.measures
        share = measures.tokens / measures.tokens.sum()
        columns = {name: np.where(used, getattr(measures, name), np.nan) for name in MEASURED} | {
            "tokens": measures.tokens.astype(np.int64),
            "documents": outcome.evidence.topic_documents.counts,
        }
        positions = np.full((topics.K, 2), np.nan)
        positions[used] = xy
        columns |= {
            "x": positions[:, 0],
            "y": positions[:, 1],
            "apart": outcome.kinds.apart,
            "tells": outcome.kinds.tells,
        }
        marks = {
            "background": general_talk(outcome.kinds, called) & used,
            "mixed": outcome.kinds.mixed & used,
        }
    similar = _similar(outcome, used)
    company = _company(outcome, topics.K)
    return [
        Topic(
            snapshot=snapshot,
            number=k,
            share=float(share[k]),
            coherence=_none_for_nan(coherence[k]) if used[k] else None,
            floor=float(topics.floor[k]),
            floor_mass=float(topics.floor[k] * (topics.V - rows[k])),
            used=bool(used[k]),
            name=called[k].text,
            name_parts=list(called[k].parts),
            **{name: _none_for_nan(column[k]) for name, column in columns.items()},
            **{name: bool(column[k]) for name, column in marks.items()},
            similar=similar[k],
            beside=company[k],
            phrases=outcome.called.phrases[k] if outcome else [],
        )
        for k in range(topics.K)
    ]


def _similar(outcome: Outcome | None, used: np.ndarray) -> list[list]:
    """[topic, divergence] of the topics in use that are most like each topic."""
    similar: list[list] = [[] for _ in used]
    if outcome is None:
        return similar
    numbers = np.flatnonzero(used)
    near, far = nearest(outcome.divergences[np.ix_(used, used)], SIMILAR)
    for k, similar_topics, divergences in zip(
        numbers.tolist(), numbers[near].tolist(), far.tolist(), strict=True
    ):
        similar[k] = [[j, round(d, 4)] for j, d in zip(similar_topics, divergences, strict=True)]
    return similar


def _company(outcome: Outcome | None, K: int) -> list[list]:
    """[topic, lift, documents] of the topics that stand beside each topic."""
    if outcome is None:
        return [[]] * K
    evidence = outcome.evidence
    columns = companions(
        evidence.mixtures.doc_ptr,
        evidence.mixtures.doc_topics,
        evidence.mixtures.doc_tokens,
        evidence.lengths,
        K,
        BESIDE,
    )
    topics, lifts, documents = (column.tolist() for column in columns)
    rows = []
    for k in range(K):
        companions_of_topic = zip(topics[k], lifts[k], documents[k], strict=True)
        rows.append([[j, round(lift, 3), n] for j, lift, n in companions_of_topic if j >= 0])
    return rows


def _none_for_nan(number: np.generic) -> float | int | None:
    """The number as Postgres takes it: None for NaN."""
    return None if np.isnan(number) else number.item()
