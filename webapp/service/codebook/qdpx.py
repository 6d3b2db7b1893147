"""Codes from a project of the REFI-QDA standard 1.0 (.qdpx), as MAXQDA, NVivo, ATLAS.ti and
QualCoder save it. The sandbox parses it (webapp.intake.file_formats.qda_project);
webapp.service.codebook.exports writes one."""

import io
import unicodedata
from contextlib import closing
from typing import Any, NamedTuple

from inference.errors import Invalid
from webapp.intake.file_formats import looking, sandbox
from webapp.intake.file_formats.base import Unreadable
from webapp.intake.file_formats.qda_project import NOBODY
from webapp.intake.file_formats.stream_copies import Copy

UNSURE = "(unsure)"  # how a remark begins
PROBABILITY = "probability "  # how the description of a text begins


class Mark(NamedTuple):
    """What a coder said of a text, or of a passage. code: its guid."""

    coder: str
    code: str
    remark: str


class Text(NamedTuple):
    """names: it may be known by; digests: sha256 of its text, as a document may have it."""

    names: list[str]
    digests: list[bytes]
    marks: list[Mark]
    probability: str


class Project(NamedTuple):
    """codes: guid -> (name, name of the code above it). others: how many sources are no texts."""

    codes: dict[str, tuple[str, str]]
    texts: list[Text]
    others: int


def folded(name: str) -> str:
    """A name by which another program may write it."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def read(content: bytes) -> Project:
    """Raises Invalid, and looking.Exhausted where it takes longer than it may."""
    name = "The project"
    try:
        with closing(Copy(io.BytesIO(content), name, len(content))) as copy:
            found = sandbox.project(copy, name)
    except sandbox.Died:
        looking.check()  # it may have been ended for its time
        raise Invalid(
            "codes",
            "The project can’t be read: it is damaged, or it needs more than"
            f" {sandbox.MEMORY >> 20:,} MB of memory. Save it with fewer texts.",
        ) from None
    except Unreadable as error:
        raise Invalid("codes", error.message) from None
    codes = {
        guid: (name, "" if above == NOBODY else found["codes"][above][1])
        for guid, name, above in found["codes"]
    }
    texts = [_text(text, found["coders"], found["remarks"]) for text in found["texts"]]
    return Project(codes, texts, found["others"])


def _text(found: dict[str, Any], coders: list[str], remarks: list[str]) -> Text:
    """found: a text as the sandbox says it, whose marks have the numbers of coders and remarks."""
    marks = [
        Mark("" if coder == NOBODY else coders[coder], code, remarks[remark])
        for coder, code, remark in found["marks"]
    ]
    return Text(
        names=found["names"],
        digests=[bytes.fromhex(digest) for digest in found["digests"]],
        marks=marks,
        probability=_probability(found["description"]),
    )


def _probability(description: str) -> str:
    if not description.startswith(PROBABILITY):
        return ""
    return description.removeprefix(PROBABILITY)
