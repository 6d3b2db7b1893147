"""Which files a sample is drawn from, decided before any of them is opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from webapp.intake import file_formats
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.shaping import Shaping, upload_with_table
from webapp.models import Corpus

Kind = str | None  # of a file: its format (file_formats.kind), None for one that is not read


class UploadedFile(NamedTuple):
    """What is needed here of a SourceFile: there may be a hundred thousand."""

    name: str
    path: str
    bytes: int


@dataclass(frozen=True)
class SamplePlan:
    """Which files are read, and how. files: all but a table about the others, which is the `table`
    (shaping.upload_with_table). to_read: those of them that are read, in this order. reads_all:
    whether there is room for all they have, as far as their bytes tell. files_are_single: whether
    each file is one document. is_spread: whether files and entries of archives are read that are
    evenly spread over all."""

    language: str
    options: file_formats.Options
    shaping: Shaping
    companions: file_formats.Companions
    table: tuple[Path, str] | None
    files: Sequence[UploadedFile]
    to_read: Sequence[UploadedFile]
    reads_all: bool
    files_are_single: bool
    is_spread: bool

    @classmethod
    def of(
        cls, corpus: Corpus, reading: ReadingSettings, may_read_all: bool = True
    ) -> "SamplePlan":
        """may_read_all: False where it has shown that there is no room for all."""
        options = file_formats.Options(**reading.options)
        shaping = Shaping(**reading.shaping)
        everything = [
            UploadedFile(*row) for row in corpus.files.values_list("name", "path", "bytes")
        ]
        table = None
        if shaping.table:
            paths_and_names = [(stored_path(file), file.name) for file in everything]
            table = upload_with_table(paths_and_names, shaping.table)
        files = [file for file in everything if file.name != shaping.table]
        files_are_single = all(file_formats.single(file.name) for file in files)
        has_room = (
            sum(file.bytes for file in files) <= limits.CHARACTERS
            and len(files) < limits.MOST_DOCUMENTS
        )
        reads_all = may_read_all and has_room
        # Documents that are joined lie side by side
        is_spread = not reads_all and not shaping.joins
        return cls(
            language=reading.language,
            options=options,
            shaping=shaping,
            companions=file_formats.Companions(
                lambda: ((stored_path(file), file.name) for file in everything)
            ),
            table=table,
            files=files,
            to_read=files if reads_all else choose_files(files, is_spread and files_are_single),
            reads_all=reads_all,
            files_are_single=files_are_single,
            is_spread=is_spread,
        )

    @property
    def is_shaped(self) -> bool:
        """Whether documents are joined or cut: then as many are read as are made of them, but by
        chance."""
        return bool(self.shaping.joins or self.shaping.sections)

    @property
    def has_one_document_a_file(self) -> bool:
        return self.files_are_single and not self.is_shaped

    def reads_evenly(self, file: UploadedFile) -> bool:
        """Whether a file is an archive whose entries are read in an even order."""
        return self.is_spread and file_formats.can_be_spread(stored_path(file), file.name)

    def kind_of(self, file: UploadedFile) -> Kind:
        """Files of a kind have about as many documents a byte; all are of one where documents are
        joined across them."""
        return None if self.shaping.joins else file_formats.kind(file.name)


def choose_files(files: Sequence[UploadedFile], each_is_single: bool) -> list[UploadedFile]:
    """Files that are read as long as there is room, evenly spread over all; of those that may have
    many documents, or are joined, a few, in their order."""
    if each_is_single:
        return [files[number] for number in file_formats.even_order(len(files))]
    count = min(len(files), limits.MOST_FILES)
    return [files[turn * len(files) // count] for turn in range(count)]
