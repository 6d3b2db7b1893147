"""The kinds of job: storing what was uploaded, reading a corpus, making a version of it, training a
run, comparing two, making a large file of one, training with another seed, and taking in codes.
Each row of their models is a job."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, F, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from webapp.models import CodeFile, Comparison, Corpus, Export, Job, Replicate, Run, Upload, Version
from webapp.platform.jobs import events
from webapp.platform.storage import files


def _unknown_progress(row: Any) -> tuple[float, float]:
    return 0, 0


class JobKind(NamedTuple):
    """What differs between the kinds.

    task: the name of the Celery task. publish: tells open pages about a job. active: the statuses
    in which an attempt owns the row; a claim sets the first. folder: what the attempt locks while
    it writes files (jobs.file_lock). owner: the field with the user whose job it is. size: of a
    job, compared with other jobs of its kind. request: the field with what a user asks of the
    attempt at work, as to cancel it; "" where there is none. counts_for_quota: whether these are
    among the jobs of which a user may have only so many at once (accounts.quotas).

    For the operator's page: title: what it calls the jobs. corpus: the field with the key of a
    job's corpus; "" where none is shown. progress: how much of a row is done, and of how much;
    0 of 0 where that is not known. columns: of the row, that are read for it.
    """

    model: type[Upload | Corpus | Version | Run | Comparison | Export | Replicate | CodeFile]
    task: str
    publish: Callable[[int, dict], None]
    active: tuple[str, ...]
    folder: Callable[[int], Path]
    owner: str
    size: Combinable
    title: str
    corpus: str
    request: str = ""
    counts_for_quota: bool = False
    progress: Callable[[Any], tuple[float, float]] = _unknown_progress
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """upload, corpus, version, run, comparison, export, replicate or codefile."""
        return str(self.model._meta.model_name)

    @property
    def unfinished_statuses(self) -> tuple[str, ...]:
        """Of rows that wait for a worker, or that one has."""
        return (Job.QUEUED, *self.active)

    @property
    def is_at_work(self) -> Q:
        """The condition on a row that a worker has. One without an attempt is part of another job:
        the version that a corpus gets while it is read has no worker and no heartbeat of its
        own."""
        return Q(status__in=self.active, attempt__gt=0)

    @property
    def at_work(self) -> QuerySet:
        """Jobs that a worker has, or had when it was killed (jobs.sweep)."""
        return self.model.objects.filter(self.is_at_work)

    @property
    def unfinished(self) -> QuerySet:
        """Jobs that wait for a worker, or that one has."""
        return self.model.objects.filter(Q(status=Job.QUEUED) | self.is_at_work)

    def log_fields(self, pk: int) -> dict[str, str | int]:
        """What a line of the log says of a job."""
        return {"kind": self.name, self.name: pk}


def _publish_upload(pk: int, event: dict) -> None:
    """The page of an upload is its corpus's."""
    if event["type"] == "status":
        event = event | {"status": Upload(status=event["status"]).stage}
    events.corpus(pk, event)


def _publish_version(pk: int, event: dict) -> None:
    """The page of a version is its corpus's."""
    for corpus, number in Version.objects.filter(pk=pk).values_list("corpus", "number"):
        events.corpus(corpus, event | {"version": number})


def _version_folder(pk: int) -> Path:
    """A version is made from files of its corpus, and may read new ones."""
    return files.corpus_folder(Version.everything.values_list("corpus", flat=True).get(pk=pk))


def _nobody(pk: int, event: dict) -> None:
    """Pages that wait for it ask again by themselves."""


def _stored_bytes(upload: Upload) -> tuple[float, float]:
    stored = (upload.checkpoint or {}).get("bytes", 0)
    return stored, upload.corpus.bytes_total


def _read_bytes(corpus: Corpus) -> tuple[float, float]:
    return corpus.bytes_read, corpus.bytes_total


def _steps(run: Run) -> tuple[float, float]:
    return run.step, run.steps


def _compared_part(comparison: Comparison) -> tuple[float, float]:
    return comparison.done, 1


def _written_bytes(export: Export) -> tuple[float, float]:
    return export.bytes, export.expected


STORE = JobKind(
    model=Upload,
    task="tasks.corpora.store",
    publish=_publish_upload,
    active=(Upload.Status.STORING,),
    folder=files.corpus_folder,
    owner="corpus__owner",
    size=F("corpus__bytes_total"),
    title="Files being stored",
    corpus="corpus_id",
    counts_for_quota=True,
    progress=_stored_bytes,
    columns=("checkpoint", "corpus__bytes_total"),
)
READ = JobKind(
    model=Corpus,
    task="tasks.corpora.read",
    publish=events.corpus,
    active=(Corpus.Status.READING,),
    folder=files.corpus_folder,
    owner="owner",
    size=F("bytes_total"),
    title="Corpora being read",
    corpus="pk",
    counts_for_quota=True,
    progress=_read_bytes,
    columns=("bytes_read", "bytes_total"),
)
VECTORIZE = JobKind(
    model=Version,
    task="tasks.corpora.choose",
    publish=_publish_version,
    active=(Version.Status.CHOOSING,),
    folder=_version_folder,
    owner="corpus__owner",
    size=F("corpus__bytes_total"),
    title="Words being chosen",
    corpus="corpus_id",
    counts_for_quota=True,
)
TRAIN = JobKind(
    model=Run,
    task="tasks.runs.train",
    publish=events.run,
    active=(Run.Status.RUNNING, Run.Status.STORING),
    folder=files.run_folder,
    owner="by",
    size=F("version__tokens") * Cast(KT("settings__topics"), BigIntegerField()),
    title="Trainings",
    corpus="corpus_id",
    request="request",
    counts_for_quota=True,
    progress=_steps,
    columns=("step", "steps", "tokens_seen", "seconds"),
)
COMPARE = JobKind(
    model=Comparison,
    task="tasks.runs.compare",
    publish=_nobody,
    active=(Comparison.Status.COMPARING,),
    folder=files.comparison_folder,
    owner="by",
    size=F("size"),
    title="Runs being compared",
    corpus="",
    progress=_compared_part,
    columns=("done",),
)
EXPORT = JobKind(
    model=Export,
    task="tasks.runs.export",
    publish=_nobody,
    active=(Export.Status.MAKING,),
    folder=files.export_folder,
    owner="by",
    size=F("expected"),
    title="Large files being made",
    corpus="",
    counts_for_quota=True,
    progress=_written_bytes,
    columns=("bytes", "expected"),
)
REPLICATE = JobKind(
    model=Replicate,
    task="tasks.runs.replicate",
    publish=_nobody,
    active=(Replicate.Status.TRAINING,),
    folder=files.replicate_folder,
    owner="run__by",
    size=F("run__seconds"),
    title="Trainings with another seed, number of topics or texts",
    corpus="run__corpus_id",
)
TAKE_IN = JobKind(
    model=CodeFile,
    task="tasks.codebook.take_in",
    publish=_nobody,
    active=(CodeFile.Status.READING,),
    folder=files.code_file_folder,
    owner="concept__corpus__owner",
    size=F("size"),
    title="Codes being taken in",
    corpus="concept__corpus_id",
)
KINDS = (STORE, READ, VECTORIZE, TRAIN, COMPARE, EXPORT, REPLICATE, TAKE_IN)
