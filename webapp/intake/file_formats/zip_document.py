"""Files that are ZIP archives of XML: .docx, .odt, .epub."""

import contextlib
import zipfile
import zlib
from collections.abc import Callable, Iterator

from webapp.intake.file_formats.base import Source, opened, unreadable


@contextlib.contextmanager
def package(path: Source, name: str, advance: Callable[[int], None]) -> Iterator[zipfile.ZipFile]:
    """The archive; what goes wrong while it is read is an Unreadable."""
    errors = (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    )
    with (
        unreadable(
            errors,
            lambda error: (
                f"“{name}” is damaged ({error or 'it ends too soon'}); it was left out. Save or"
                " download it again."
            ),
        ),
        opened(path, name, advance) as file,
        zipfile.ZipFile(file) as archive,
    ):
        yield archive


def small(archive: zipfile.ZipFile, inside: str, limit: int) -> bytes | None:
    """An entry's content, up to `limit` bytes; None where there is none."""
    try:
        with archive.open(inside) as entry:
            return entry.read(limit)
    except KeyError:
        return None
