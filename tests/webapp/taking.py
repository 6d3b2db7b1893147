"""A file that can be taken away, as bytes, without a server."""

from django.http import QueryDict

from webapp.models import Run
from webapp.service.exports.catalogue import find_kind
from webapp.service.exports.export_query import read_source
from webapp.service.exports.making import make_file


def taken(run: Run, file: str, query: str = "") -> bytes:
    return b"".join(make_file(read_source(run, QueryDict(query)), *find_kind(file)).pieces)
