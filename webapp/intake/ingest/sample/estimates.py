"""How many documents and characters all files of an upload have, by what was counted in some of
them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webapp.intake import file_formats
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.sample.plan import Kind, SamplePlan, UploadedFile


@dataclass
class KindTally:
    """What was counted in the files of a kind: `bytes` of all of them, and of these the bytes that
    were read. Of the texts that begin there some are in the sample, where they were cut into, or
    joined to, documents_made."""

    bytes: int = 0
    bytes_read: int = 0
    texts_read: int = 0
    characters_read: int = 0
    texts_sampled: float = 0.0  # the last one in part, where others of its sections are to come
    documents_made: int = 0

    @property
    def documents_read(self) -> float:
        """Documents that the texts become which were read: as many each as those of the sample."""
        return self.texts_read * self.documents_made / (self.texts_sampled or 1)


def empty_tallies(plan: SamplePlan) -> dict[Kind, KindTally]:
    """One for each kind of file, of which nothing is read yet."""
    tallies: dict[Kind, KindTally] = {}
    for file in plan.files:
        tallies.setdefault(plan.kind_of(file), KindTally()).bytes += file.bytes
    return tallies


def in_all_files(tallies: Iterable[KindTally], count_in: Callable[[KindTally], float]) -> float:
    """How many of something are in all files, about, by how many were counted in the bytes that
    were read, for each kind by itself. Files of a kind of which none was read are taken to have as
    many a byte as the others."""
    tallies = list(tallies)
    read = [tally for tally in tallies if tally.bytes_read]
    in_kinds_read = sum(count_in(tally) * tally.bytes / tally.bytes_read for tally in read)
    all_bytes = sum(tally.bytes for tally in tallies)
    return in_kinds_read * all_bytes / max(1, sum(tally.bytes for tally in read))


def documents_by_bytes(tallies: Iterable[KindTally], sampled: int) -> int:
    """Documents of all files, of which so many are in the sample."""
    return max(sampled, round(in_all_files(tallies, lambda tally: tally.documents_read)))


def characters_by_bytes(tallies: Iterable[KindTally], sampled: int) -> int:
    """Characters of all files, of which so many are in the sample."""
    return max(sampled, round(in_all_files(tallies, lambda tally: tally.characters_read)))


def documents_by_files(files: int, unreadable: int, sampled: int) -> int:
    """Documents of all files, where each is one; those are none that were tried and can't be
    read."""
    return max(sampled, files - unreadable)


def documents_by_names(named_documents: int, sampled: int, lost: int) -> int:
    """Documents of all files, where each file or entry of an archive is one by its name. lost: of
    those that were tried, how many can't be read; as large a share of all can't be."""
    readable_share = sampled / max(1, sampled + lost)
    return max(sampled, round(named_documents * readable_share))


def count_names(
    files: Iterable[UploadedFile],
    is_archive_of_documents: Callable[[UploadedFile], bool],
    most_names: int,
) -> int | None:
    """Files that are one document each by their names, those in archives too; None where some are
    not, or archives have more names than `most_names`.

    is_archive_of_documents: of a file that is no single document. Raises Unreadable and
    looking.Exhausted.
    """
    documents = 0
    for file in files:
        if file_formats.single(file.name):
            documents += 1
            continue
        if not is_archive_of_documents(file):
            return None
        inside = file_formats.count_single(stored_path(file), file.name, most_names)
        if inside is None:
            return None
        most_names -= inside.names
        documents += inside.documents
    return documents
