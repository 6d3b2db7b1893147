"""The tables that pages give as files: CSV that a spreadsheet may open, under a name that says what
made it, as a CSV has no other place for that.

Of a table of a run the name is webapp.core.results.provenance.file_name, of any other `file_name`.
"""

from http import HTTPStatus
from typing import BinaryIO

from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from inference.runtime.versions import in_file_names
from webapp.platform.server import streams
from webapp.platform.storage.csv_table import CsvTable

MEDIA_TYPE = "text/csv; charset=utf-8"
TRY_FAILED = (
    "A worker tried to make this table, and failed; its log says why. It tries again within the"
    " hour: ask again then."
)


def file_name(stem: str) -> str:
    """The name of a file that is of no run: what it holds, and the version of the program."""
    return f"{stem}_{in_file_names()}.csv"


def table_answer(table: CsvTable, name: str) -> HttpResponse:
    """A table that is computed before the first byte is sent: what its rows raise is answered as on
    any page."""
    return HttpResponse(
        table.content(),
        content_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def streamed_table(table: CsvTable, name: str) -> StreamingHttpResponse:
    """A table that may be longer than memory should hold: its rows are made while they are sent,
    so they raise nothing that a reader should be told."""
    return streams.download(table.pieces(), name, MEDIA_TYPE)


def stored_table(file: BinaryIO, name: str) -> FileResponse:
    """A table that was stored as a file."""
    return FileResponse(file, as_attachment=True, filename=name, content_type=MEDIA_TYPE)


def table_to_come(sentence: str, has_failed: bool = False) -> HttpResponse:
    """Instead of a table that a worker has to make first. sentence: that it is not there yet.
    has_failed: the worker's last try came to nothing, and the next one waits."""
    if has_failed:
        sentence = TRY_FAILED
    return HttpResponse(
        sentence, content_type="text/plain; charset=utf-8", status=HTTPStatus.ACCEPTED
    )


def table_that_failed(sentence: str) -> HttpResponse:
    """Instead of a table that a worker could not make: 409, as who asks again gets it only once the
    work was begun again. sentence: why, and how to try again."""
    return HttpResponse(
        sentence, content_type="text/plain; charset=utf-8", status=HTTPStatus.CONFLICT
    )
