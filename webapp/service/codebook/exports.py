"""The codes of a concept as files: a table (CSV), a project for programs of qualitative analysis
(QDPX), and annotations (JSON-LD)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC
from html import escape
from uuid import NAMESPACE_URL, uuid5

from inference.runtime.versions import topograph
from webapp.intake.file_formats import qda_project
from webapp.models import Coding, Concept, Definition
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import document_name
from webapp.platform.storage.csv_table import CsvTable
from webapp.service.codebook import coding, qdpx
from webapp.service.codebook.concepts import defined
from webapp.service.exports.zips import Member, zipped

COLUMNS = (
    "corpus concept definition document id title date coder code label unsure remark at probability"
    " stratum settled".split()
)
BLOCK = 200  # texts at a time


def table(concept: Concept) -> CsvTable:
    """A row for each coding that counts."""
    base = defined(concept).base
    coded = coding.by_text(concept, base)
    settled = coding.settled(concept, base)
    documents = [readings[0].item.document for readings in coded]
    about = embargo.about(concept.corpus, documents, "source_id", "title", "date_text")
    rows = []
    for document, readings in zip(documents, coded, strict=True):
        about_document = about.get(document, {"source_id": "", "title": "", "date_text": ""})
        for reading in readings:
            codes = reading.definition.codes
            item = reading.item
            rows.append(
                [
                    concept.corpus.name,
                    concept.name,
                    reading.definition.number,
                    document,
                    about_document["source_id"],
                    about_document["title"],
                    about_document["date_text"],
                    reading.coder.name,
                    reading.code,
                    codes[reading.code],
                    int(reading.unsure),
                    reading.remark,
                    reading.at.astimezone(UTC).isoformat(timespec="seconds"),
                    item.pi,
                    item.stratum,
                    codes[settled[item.pk]] if item.pk in settled else "",
                ]
            )
    return CsvTable(COLUMNS, rows)


def project(concept: Concept) -> Iterator[bytes]:
    """A project of the REFI-QDA standard 1.0 (www.qdasoftware.org): a zip of the texts that were
    coded, and of project.qde, which holds coders, codes, and each text with its codes as selections
    of all of it."""
    holds, base = defined(concept)
    coded = coding.by_text(concept, base)
    sources = []

    def members() -> Iterator[Member]:
        for first in range(0, len(coded), BLOCK):
            part = {
                readings[0].item.document: readings for readings in coded[first : first + BLOCK]
            }
            texts = embargo.beginnings(concept.corpus, part, coding.CHARACTERS_SHOWN)
            about = embargo.about(concept.corpus, list(texts), "title")
            for document, readings in part.items():
                text = texts.get(document, "")
                title = about[document]["title"] if document in about else ""
                sources.append(_source(concept, document, title, len(text), readings))
                yield Member(
                    f"{qda_project.FOLDER}{_guid(concept, 'text', document)}.txt", [text.encode()]
                )
        yield Member(qda_project.NAME, [_qde(concept, holds, coded, sources).encode()])

    return zipped(members())


def annotations(concept: Concept, url: Callable[[int], str]) -> Iterator[bytes]:
    """A W3C annotation (www.w3.org/TR/annotation-model) of each coding that counts, in a
    collection. Codes are of whole documents, so targets have no selectors, and no text is told.
    url: of a document by its number."""
    codings = list(coding.counting_codings(concept, defined(concept).base))
    head = {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "id": f"urn:uuid:{_guid(concept, 'concept', 0)}",
        "type": "AnnotationCollection",
        "label": concept.name,
        "total": len(codings),
    }
    yield (
        json.dumps(head, ensure_ascii=False)[:-1].encode()
        + b', "first": {"type": "AnnotationPage", "items": ['
    )
    for i, code in enumerate(codings):
        body = {"tagging": code.definition.codes[code.code], "commenting": _remark(code)}
        annotation = {
            "id": f"urn:uuid:{_guid(concept, 'coding', code.pk)}",
            "type": "Annotation",
            "motivation": "classifying",
            "creator": {
                "id": f"urn:uuid:{_guid(concept, 'coder', code.coder_id)}",
                "type": "Person",
                "name": code.coder.name,
            },
            "created": f"{code.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "body": [
                {"type": "TextualBody", "purpose": why, "value": value}
                for why, value in body.items()
                if value
            ],
            "target": url(code.item.document),
        }
        yield (b",\n" if i else b"\n") + json.dumps(annotation, ensure_ascii=False).encode()
    yield b"\n]}}\n"


def _remark(coding: Coding) -> str:
    return " ".join(filter(None, [qdpx.UNSURE if coding.unsure else "", coding.remark]))


def _guid(concept: Concept, kind: str, key: object) -> str:
    """An identifier that is the same each time, so that a project can be merged with an earlier
    one."""
    return str(uuid5(NAMESPACE_URL, f"topograph:{concept.corpus_id}:{concept.pk}:{kind}:{key}"))


def _source(
    concept: Concept, document: int, title: str, length: int, readings: list[Coding]
) -> str:
    guid = _guid(concept, "text", document)
    name = escape(document_name(title, document))
    marks = []
    for row in readings:
        who = (
            f'creatingUser="{_guid(concept, "coder", row.coder_id)}"'
            f' creationDateTime="{row.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"'
        )
        mark = _guid(concept, "coding", row.pk)
        code = _guid(concept, "code", row.code)
        remark = escape(_remark(row))
        marks.append(
            f'<PlainTextSelection guid="{_guid(concept, "selection", row.pk)}" startPosition="0"'
            f' endPosition="{length}" {who}>'
            f"{f'<Description>{remark}</Description>' if remark else ''}"
            f'<Coding guid="{mark}" {who}><CodeRef'
            f' targetGUID="{code}"/></Coding></PlainTextSelection>'
        )
    return (
        f'<TextSource guid="{guid}" name="{name}" plainTextPath="internal://{guid}.txt">'
        f"<Description>{qdpx.PROBABILITY}{readings[0].item.pi!r}</Description>{''.join(marks)}</TextSource>"
    )


def _qde(concept: Concept, holds: Definition, coded: list[list[Coding]], sources: list[str]) -> str:
    coders = {row.coder_id: row.coder.name for readings in coded for row in readings}
    users = "".join(
        f'<User guid="{_guid(concept, "coder", k)}" name="{escape(n)}"/>' for k, n in coders.items()
    )
    codes = "".join(
        f'<Code guid="{_guid(concept, "code", i)}" name="{escape(name)}" isCodable="true"/>'
        for i, name in enumerate(holds.codes)
    )
    root = (
        f'<Code guid="{_guid(concept, "concept", 0)}" name="{escape(concept.name)}"'
        ' isCodable="false">'
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<Project xmlns="urn:QDA-XML:project:1.0" name="{escape(concept.name)}" origin="Topograph'
        f' {topograph()}">'
        f"<Users>{users}</Users><CodeBook><Codes>{root}<Description>{escape(holds.text)}</Description>{codes}</Code>"
        f"</Codes></CodeBook><Sources>{''.join(sources)}</Sources></Project>"
    )
