"""Draws a sample by its plan: documents until it is full, then estimates of all files."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from inference.text import Stream, Tokeniser
from webapp.intake import file_formats
from webapp.intake.file_formats import Document, looking
from webapp.intake.ingest import shaping
from webapp.intake.ingest.sample import estimates, limits
from webapp.intake.ingest.sample.documents import SampledDocuments
from webapp.intake.ingest.sample.plan import SamplePlan
from webapp.intake.ingest.sample.reader import SampleReader
from webapp.intake.ingest.sample.sample import Sample


def draw_sample(plan: SamplePlan, folder: Path) -> Sample:
    """Draw a sample, and write the stream of its words into the folder.

    Who pulls whom, and when:
    1. `_write_documents` pulls documents, one by one, until the sample is full.
    2. For each, `shaping.shape` pulls documents of files from the reader: one, or all that it joins.
    3. The reader reads a file only as far as it is pulled. So while a document is written,
       `reader.tally` is that of the file which the document is of.
    4. Once the sample is full nobody pulls, and the reader may stand in the midst of a file: now
       it is known whether the sample is whole.
    5. `reader.count_the_rest` has it read on in that file for a while, only to count.

    Raises as `kept.take_sample`.
    """
    tokeniser = _load_tokeniser(plan)
    began = time.monotonic()
    reader = SampleReader(plan, until=began + limits.MOST_SECONDS)
    sampled = _write_documents(plan, reader, tokeniser, folder)
    seconds = time.monotonic() - began - reader.counting_seconds
    has_stopped_early = reader.is_cut_short or not reader.has_ended
    is_whole = not has_stopped_early and reader.files_begun == len(plan.files)
    has_beginnings = has_stopped_early and reader.has_several
    reader.count_the_rest()
    in_all = _InAllFiles(sampled.documents, sampled.characters, is_count=True)
    if not is_whole:
        in_all = _estimate(plan, reader, sampled)
    return replace(
        sampled.describe(),
        of=in_all.documents,
        of_characters=in_all.characters,
        counted=in_all.is_count,
        whole=is_whole,
        beginnings=has_beginnings,
        spread=not is_whole and _is_spread(plan, reader),
        files=reader.files_begun,
        of_files=len(plan.files),
        seconds=seconds,
        problems=tuple(reader.problems.sentences),
        left_out=dict(reader.problems.left_out),
    )


def _load_tokeniser(plan: SamplePlan) -> Tokeniser:
    """With what takes long once in a process, so that it is not a part of the sample's seconds."""
    Tokeniser(plan.language, given=plan.options.given).pieces(["a word"])
    return Tokeniser(plan.language, given=plan.options.given)


def _write_documents(
    plan: SamplePlan, reader: SampleReader, tokeniser: Tokeniser, folder: Path
) -> SampledDocuments:
    """Cut the documents of the sample into words."""
    sampled = SampledDocuments(plan.options, plan.is_shaped)
    document: Document | None = None
    with Stream.write(folder, tokeniser) as stream:
        shaped = _shaped_documents(plan, reader, folder)
        for document in itertools.islice(shaped, limits.MOST_DOCUMENTS):
            text = document.text[: limits.CHARACTERS]
            sampled.add(document, text)
            stream.add([shaping.blank_silent(text, plan.shaping.silent)], [document.title])
            reader.tally.documents_made += 1
        stream.commit()
    if document is not None:
        reader.end_sample_with(document)
    return sampled


def _shaped_documents(plan: SamplePlan, reader: SampleReader, folder: Path) -> Iterator[Document]:
    """Documents as they will be rows; problems are noted."""
    for item in shaping.shape(
        reader.items(),
        plan.shaping,
        folder,
        plan.table,
        order=plan.options.date_order,
        running=plan.options.running,
    ):
        if isinstance(item, Document):
            yield item
        else:
            reader.problems.note(item)


def _is_spread(plan: SamplePlan, reader: SampleReader) -> bool:
    """Whether what was read is spread evenly over several files, or entries of archives."""
    if not plan.is_spread or len(reader.names_read) <= 1:
        return False
    return plan.files_are_single or any(map(plan.reads_evenly, plan.to_read))


class _InAllFiles(NamedTuple):
    """Documents and characters of all files. is_count: whether the documents are no estimate."""

    documents: int
    characters: int
    is_count: bool


def _estimate(plan: SamplePlan, reader: SampleReader, sampled: SampledDocuments) -> _InAllFiles:
    """Where each file is one document, by how many files there are; else by names of files and of
    entries of archives, where these are one document each; else by bytes."""
    tallies = reader.tallies.values()
    problems = reader.problems
    characters = estimates.characters_by_bytes(tallies, sampled.characters)
    if plan.has_one_document_a_file:
        documents = estimates.documents_by_files(
            len(plan.files), problems.unreadable, sampled.documents
        )
        return _InAllFiles(documents, characters, is_count=True)
    has_read_all = not plan.is_shaped and all(tally.bytes_read >= tally.bytes for tally in tallies)
    named_documents = _count_names(plan, reader)
    if named_documents is None:
        documents = estimates.documents_by_bytes(tallies, sampled.documents)
        return _InAllFiles(documents, characters, is_count=has_read_all)
    documents = estimates.documents_by_names(named_documents, sampled.documents, problems.lost)
    return _InAllFiles(documents, characters, is_count=has_read_all or not problems.lost)


def _count_names(plan: SamplePlan, reader: SampleReader) -> int | None:
    """Documents of all files by names, where each file or entry is one; None where that is not so,
    or can't be counted in the time there is: it is a sample all the same."""
    reads_a_part = len(plan.to_read) < len(plan.files)
    if plan.is_shaped or reader.has_several or reads_a_part:
        return None
    with contextlib.suppress(looking.Exhausted, file_formats.Unreadable):
        return estimates.count_names(plan.to_read, plan.reads_evenly, limits.MOST_COUNTED_NAMES)
    return None
