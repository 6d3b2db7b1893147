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
    job, compared with other jobs of its kind. request: the field with what a user asks of the
    attempt at work, as to cancel it; "" where there is none.
    """

    model: type[Upload | Corpus | Version | Run | Comparison | Export | Replicate | CodeFile]
    task: str
    publish: Callable[[int, dict], None]
    active: tuple[str, ...]
    folder: Callable[[int], Path]
    owner: str
    size: Combinable
    request: str = ""

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
    model=Upload,
    task="tasks.corpora.store",
    publish=_publish_upload,
    active=(Upload.Status.STORING,),
    folder=files.corpus_folder,
    owner="corpus__owner",
    size=F("corpus__bytes_total"),
)
READ = JobKind(
    model=Corpus,
    task="tasks.corpora.read",
    publish=events.corpus,
    active=(Corpus.Status.READING,),
    folder=files.corpus_folder,
    owner="owner",
    size=F("bytes_total"),
)
VECTORIZE = JobKind(
    model=Version,
    task="tasks.corpora.choose",
    publish=_publish_version,
    active=(Version.Status.CHOOSING,),
    folder=_version_folder,
    owner="corpus__owner",
    size=F("corpus__bytes_total"),
)
TRAIN = JobKind(
    model=Run,
    task="tasks.runs.train",
    publish=events.run,
    active=(Run.Status.RUNNING, Run.Status.STORING),
    folder=files.run_folder,
    owner="by",
    size=F("version__tokens") * Cast(KT("settings__topics"), BigIntegerField()),
    request="request",
)
COMPARE = JobKind(
    model=Comparison,
    task="tasks.runs.compare",
    publish=_nobody,
    active=(Comparison.Status.COMPARING,),
    folder=files.comparison_folder,
    owner="by",
    size=F("size"),
)
EXPORT = JobKind(
    model=Export,
    task="tasks.runs.export",
    publish=_nobody,
    active=(Export.Status.MAKING,),
    folder=files.export_folder,
    owner="by",
    size=F("expected"),
)
REPLICATE = JobKind(
    model=Replicate,
    task="tasks.runs.replicate",
    publish=_nobody,
    active=(Replicate.Status.TRAINING,),
    folder=files.replicate_folder,
    owner="run__by",
    size=F("run__seconds"),
)
TAKE_IN = JobKind(
    model=CodeFile,
    task="tasks.codebook.take_in",
    publish=_nobody,
    active=(CodeFile.Status.READING,),
    folder=files.code_file_folder,
    owner="concept__corpus__owner",
    size=F("size"),
)
KINDS = (STORE, READ, VECTORIZE, TRAIN, COMPARE, EXPORT, REPLICATE, TAKE_IN)
