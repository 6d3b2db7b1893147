"""A file that can be taken away, as bytes, without a server."""

from django.http import QueryDict

from webapp.models import Run
from webapp.service import exports


def taken(run: Run, file: str, query: str = "") -> bytes:
    return b"".join(
        exports.make_file(exports.read_source(run, QueryDict(query)), *exports.find(file)).pieces
    )
