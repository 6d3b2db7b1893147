"""Whether dates in names of files and folders are taken. A number in a few names may be anything, as
1619 is a chip in “max1619”: what tells is how many of the names have one."""

from collections.abc import Sequence
from typing import NamedTuple

from webapp.intake.ingest.shaping.file_name_fields import (
    FILES,
    FILES_AND_FOLDERS,
    FOLDERS,
    NO_NAMES,
    date_in,
    date_in_folders,
    path,
)

# Of the files that have no other date, from which on names say when: whoever names files by dates
# names most of them so
LEAST_SHARE = 0.5
# Of the files, that one kind of names leaves without a date, from which on the other is judged by
# these alone: a single one tells nothing of the others
LEAST_LEFT_SHARE = 0.1


class DatesInNames(NamedTuple):
    """Whether a file has a date in its own name, and in those of its folders."""

    in_name: bool
    in_folders: bool

    @classmethod
    def of_file(cls, name: str) -> "DatesInNames":
        """name: of an upload or of an archive's entry."""
        where = path(name)
        return cls(bool(date_in(where.stem)), bool(date_in_folders(where.folders)))


def usual_name_dates(files: Sequence[DatesInNames]) -> str:
    """Of NAME_DATES, what suits some files that have no date of their own. Where all that were
    looked at have one, names of files and folders: nothing speaks against those of the others."""
    in_names = [file.in_name for file in files]
    in_folders = [file.in_folders for file in files]
    takes_files = _is_usual(in_names, in_folders)
    takes_folders = _is_usual(in_folders, in_names)
    if takes_files and takes_folders:
        return FILES_AND_FOLDERS
    if takes_files:
        return FILES
    return FOLDERS if takes_folders else NO_NAMES


def _is_usual(dated: list[bool], dated_otherwise: list[bool]) -> bool:
    """Whether enough of the files have a date that the other kind of names leaves without one, or
    of all files where it leaves hardly any."""
    pairs = zip(dated, dated_otherwise, strict=True)
    judged = [has_date for has_date, has_other in pairs if not has_other]
    if len(judged) < LEAST_LEFT_SHARE * len(dated) or not judged:
        judged = dated
    return sum(judged) >= LEAST_SHARE * len(judged)
