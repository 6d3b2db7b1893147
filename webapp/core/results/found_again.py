"""Which topics of a run were found again with other seeds (webapp.core.runs.replicates), as its
pages read it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from webapp.models import Replicate, Run
from webapp.platform.storage.cache import cached

_KEPT_SNAPSHOTS = 64  # snapshots


@dataclass(frozen=True)
class Elsewhere:
    """A topic in a run with another seed. found: whether that has the same topic
    (inference.explore.matching). similarity: with it, or else with the topic most like it, whose
    first words are `words`."""

    seed: int
    found: bool
    similarity: float
    words: list[str]


@dataclass(frozen=True)
class FoundAgain:
    """In how many of how many runs with other seeds the topic was found."""

    found: int
    runs: int

    @property
    def doubtful(self) -> bool:
        """Whether fewer than half of the runs have it."""
        return self.found < self.runs / 2


def ready(run_id: int) -> QuerySet[Replicate]:
    """The finished trainings with other seeds, in their order."""
    own_texts = Replicate.Texts.OWN
    done = Replicate.Status.READY
    rows = Replicate.objects.filter(run=run_id, texts=own_texts, asked_topics=0, status=done)
    return rows.order_by("pk")


def may_come(run: Run) -> bool:
    """Whether trainings with other seeds are under way, or wait: pages then say in how many its
    topics are found again only later."""
    unfinished = (Replicate.Status.QUEUED, Replicate.Status.TRAINING)
    rows = Replicate.objects.filter(run=run, texts=Replicate.Texts.OWN, asked_topics=0)
    return rows.filter(status__in=unfinished).exists()


def elsewhere(run: Run) -> list[list[Elsewhere]]:
    """Where each topic, by its number, is found again with other seeds; [] while the run is not
    compared with them."""
    compared = run.snapshot.replicates if run.snapshot else None
    return _elsewhere(run.pk, run.snapshot_id, compared) if compared else []


@cached(_KEPT_SNAPSHOTS)
def _elsewhere(run_id: int, snapshot_id: int, compared: int) -> list[list[Elsewhere]]:
    """compared: with how many runs; of a failed one that is trained again later there is one
    more."""
    stored = ready(run_id).values_list("seed", "elsewhere")
    runs = []
    for seed, topics in stored:
        runs.append([Elsewhere(seed, *row) for row in topics])
    return [list(topic) for topic in zip(*runs, strict=True)]


def of_topic(run: Run, number: int) -> list[Elsewhere] | None:
    """None while the run is not compared with other seeds."""
    compared = elsewhere(run)
    return compared[number] if compared else None


def count(topic: list[Elsewhere]) -> FoundAgain:
    """Of a topic, in how many trainings with other seeds it was found. topic: where it is in
    each."""
    return FoundAgain(sum(replicate.found for replicate in topic), len(topic))


def count_found(run: Run) -> list[FoundAgain]:
    """In how many trainings with other seeds each topic is found again; [] while the run is not
    compared with them."""
    return [count(topic) for topic in elsewhere(run)]


def doubtful(run: Run) -> set[int]:
    """Topics that fewer than half of the runs with other seeds have."""
    return {k for k, found_again in enumerate(count_found(run)) if found_again.doubtful}
