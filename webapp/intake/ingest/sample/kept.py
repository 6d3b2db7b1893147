"""The samples of a draft that are kept, one for each way of reading: a small stream of words and
`sample.json`, in a folder below the corpus's `sample/`."""

import hashlib
import os
import secrets
import shutil
from dataclasses import asdict, fields
from pathlib import Path

import orjson

from inference.errors import Invalid
from inference.text import Stream
from webapp.intake.ingest import looks
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.sample import drawing
from webapp.intake.ingest.sample.plan import SamplePlan
from webapp.intake.ingest.sample.sample import Sample
from webapp.models import Corpus
from webapp.platform.storage import files

KEPT_SAMPLES = 4  # someone goes back and forth between two encodings
# Whose texts are cut into words in ways of their own
CUT_APART = frozenset({"zh", "ja", "th", "ko", "km", "lo", "my", "tr", "az"})
NAME_LENGTH = 20  # of a folder, in hexadecimal digits
TOKEN_BYTES = 6  # in the name of a folder whose sample is being drawn: of two requests each has one
BEING_DRAWN = ".new"  # suffix of a folder whose sample is not complete


def take_sample(corpus: Corpus, reading: ReadingSettings) -> tuple[Sample, Stream | None]:
    """The sample of a draft's files, drawn now where it was not yet; no stream where no document
    came of it.

    Raises Invalid and file_formats.Unreadable for a table about the files that can't be used,
    FileNotFoundError where another request removes the sample meanwhile.
    """
    sample_folder = _folder(corpus) / _name_of_way(corpus, reading)
    if not (sample_folder / "sample.json").exists():
        _draw(corpus, reading, sample_folder)
    sample = Sample(**orjson.loads((sample_folder / "sample.json").read_bytes()))
    os.utime(sample_folder)
    try:
        return sample, Stream.open(sample_folder) if sample.documents else None
    except Invalid:
        if sample_folder.exists():
            raise
        raise FileNotFoundError(f"the sample {sample_folder.name} was removed meanwhile") from None


def remove_samples(corpus: Corpus) -> None:
    """Also what was seen in the files: whoever asks next looks again."""
    looks.remove(corpus)
    shutil.rmtree(_folder(corpus), ignore_errors=True)


def are_cut_alike(first: str, second: str) -> bool:
    """Whether texts are cut into words in the same way, whichever of two languages they are said to
    be in."""
    return _cut_as(first) == _cut_as(second)


def _cut_as(language: str) -> str:
    """Languages whose texts are cut alike share a sample."""
    return language if language in CUT_APART else ""


def _folder(corpus: Corpus) -> Path:
    return files.corpus_folder(corpus.pk) / "sample"


def _name_of_way(corpus: Corpus, reading: ReadingSettings) -> str:
    """The folder's name of a way of reading, by all that changes what is read."""
    key = [
        [f.name for f in fields(Sample)],
        reading.options,
        reading.shaping,
        _cut_as(reading.language),
        corpus.bytes_total,
        looks.program_digest(),
    ]
    return hashlib.sha256(orjson.dumps(key, option=orjson.OPT_SORT_KEYS)).hexdigest()[:NAME_LENGTH]


def _draw(corpus: Corpus, reading: ReadingSettings, sample_folder: Path) -> None:
    """Draw the sample in a folder that gets its name when it is complete."""
    building = sample_folder.with_name(
        f"{sample_folder.name}-{secrets.token_hex(TOKEN_BYTES)}{BEING_DRAWN}"
    )
    building.mkdir(parents=True)
    try:
        plan = SamplePlan.of(corpus, reading)
        sample = drawing.draw_sample(plan, building)
        # It unpacks to more, or has more documents, than its bytes would have it
        if plan.reads_all and not sample.whole:
            shutil.rmtree(building)
            building.mkdir()
            sample = drawing.draw_sample(
                SamplePlan.of(corpus, reading, may_read_all=False), building
            )
        (building / "sample.json").write_bytes(orjson.dumps(asdict(sample)))
        _give_name(building, sample_folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    _remove_old(sample_folder.parent)


def _give_name(building: Path, sample_folder: Path) -> None:
    if sample_folder.exists():
        return
    try:
        building.rename(sample_folder)
    except OSError:  # another request was faster
        if not sample_folder.exists():
            raise


def _remove_old(folder: Path) -> None:
    """All but the samples that were asked for last."""
    complete = [path for path in folder.iterdir() if path.suffix != BEING_DRAWN]
    for old in sorted(complete, key=_last_used)[:-KEPT_SAMPLES]:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(sample_folder: Path) -> float:
    """When a sample was last asked for; 0 where another request has just removed it."""
    try:
        return sample_folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0
