"""The kinds of job: storing what was uploaded, reading a corpus, making a version of it, training a
run, comparing two, making a large file of one, training with another seed, and taking in codes.
Each row of their models is a job."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from django.db.models import BigIntegerField, F
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from webapp.models import CodeFile, Comparison, Corpus, Export, Replicate, Run, Upload, Version
from webapp.platform.jobs import events
from webapp.platform.storage import files


class JobKind(NamedTuple):
    """What differs between the kinds.

    task: the name of the Celery task. publish: tells open pages about a job. active: the statuses
    in which an attempt owns the row; a claim sets the first. folder: what the attempt locks while
    it writes files (jobs.file_lock). owner: the field with the user whose job it is. size: of a
    job, compared with other jobs of its kind.
    """

    model: type[Upload | Corpus | Version | Run | Comparison | Export | Replicate | CodeFile]
    task: str
    publish: Callable[[int, dict], None]
    active: tuple[str, ...]
    folder: Callable[[int], Path]
    owner: str
    size: Combinable

    @property
    def name(self) -> str:
        """upload, corpus, version, run, comparison, export, replicate or codefile."""
        return str(self.model._meta.model_name)

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


STORE = JobKind(
    Upload,
    "tasks.corpora.store",
    _publish_upload,
    (Upload.Status.STORING,),
    files.corpus_folder,
    "corpus__owner",
    F("corpus__bytes_total"),
)
READ = JobKind(
    Corpus,
    "tasks.corpora.read",
    events.corpus,
    (Corpus.Status.READING,),
    files.corpus_folder,
    "owner",
    F("bytes_total"),
)
VECTORIZE = JobKind(
    Version,
    "tasks.corpora.choose",
    _publish_version,
    (Version.Status.CHOOSING,),
    _version_folder,
    "corpus__owner",
    F("corpus__bytes_total"),
)
TRAIN = JobKind(
    Run,
    "tasks.runs.train",
    events.run,
    (Run.Status.RUNNING, Run.Status.STORING),
    files.run_folder,
    "by",
    F("version__tokens") * Cast(KT("settings__topics"), BigIntegerField()),
)
COMPARE = JobKind(
    Comparison,
    "tasks.runs.compare",
    _nobody,
    (Comparison.Status.COMPARING,),
    files.comparison_folder,
    "by",
    F("size"),
)
EXPORT = JobKind(
    Export,
    "tasks.runs.export",
    _nobody,
    (Export.Status.MAKING,),
    files.export_folder,
    "by",
    F("expected"),
)
REPLICATE = JobKind(
    Replicate,
    "tasks.runs.replicate",
    _nobody,
    (Replicate.Status.TRAINING,),
    files.replicate_folder,
    "run__by",
    F("run__seconds"),
)
TAKE_IN = JobKind(
    CodeFile,
    "tasks.codebook.take_in",
    _nobody,
    (CodeFile.Status.READING,),
    files.code_file_folder,
    "concept__corpus__owner",
    F("size"),
)
KINDS = (STORE, READ, VECTORIZE, TRAIN, COMPARE, EXPORT, REPLICATE, TAKE_IN)
