"""A run as a folder for an archive: a zip of its bundle, tables, pages and methods, with a
citation, metadata as an RO-Crate
1.1 (https://www.researchobject.org/ro-crate/specification/1.1/) and what checks all of it
(inference.deposited).

What may not be shared is left out, and the README says so.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from django.http import QueryDict
from django.template.loader import render_to_string

from inference import deposited
from inference.errors import Invalid
from inference.runtime.versions import topograph
from webapp.core.documents.selection import Selection
from webapp.core.notebooks import html, queries
from webapp.core.results.view import RunView
from webapp.models import Corpus, Notebook, Run
from webapp.platform.accounts import embargo
from webapp.platform.typed_text import one_line
from webapp.service.exports import bundle, catalogue, methods, site
from webapp.service.exports.catalogue import EXPORT_KINDS, ExportKind
from webapp.service.exports.deposit_form import LICENCES, Creator, DepositForm, own_runs
from webapp.service.exports.making import make_file
from webapp.service.exports.tables import ExportSource, selected, table
from webapp.service.exports.texts import TEXTS_IN_BLOCK, texts_of
from webapp.service.exports.zips import Member, zipped

TABLES = (
    "topics-long",
    "topics-wide",
    "topic-measures",
    "words",
    "documents",
    "document-topics",
    "topic-time",
    "curation",
)
MEDIA = {
    "csv": "text/csv",
    "html": "text/html",
    "css": "text/css",
    "json": "application/json",
    "zip": "application/zip",
    "py": "text/x-python",
}
CRATE = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_NOT_IN_YAML = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_SHUT = (
    "The texts, passages that notebooks quote and the bag of words: the texts are under embargo."
    " Titles and metadata may be cut for it."
)
_MISSING = {
    "texts": (
        "The texts. tables/documents.csv says where each came from, with the sha256 of its text."
    ),
    "bag": (
        "The bag of words, which is what trains: only who has the texts can train the run again."
    ),
    "quotes": "Passages that notebooks quote. Each says in which document it is, and where.",
}
_NEVER = (
    "The files that were uploaded: bundle.zip has their names and sha256.",
    "Who labelled a topic, and what single readers answered in reading tests.",
)


@dataclass(frozen=True)
class Deposit:
    """What a deposit says of itself: its templates, citation and crate are made of it.

    books, tables: path -> notebook, or kind of a table. parts: path -> title and description of
    what a reader opens. shared: of "texts", "bag" and "quotes". left_out: sentences. spdx, licence,
    url: of the licence.
    """

    title: str
    creators: list[Creator]
    date: str
    version: str
    spdx: str
    licence: str
    url: str
    description: str
    paragraphs: list[str]
    shared: tuple[str, ...]
    left_out: list[str]
    books: dict[str, Notebook]
    tables: dict[str, ExportKind]
    parts: dict[str, tuple[str, str]]


def describe_deposit(run: Run, form: DepositForm) -> Deposit:
    """What a deposit says of itself, and what it holds. form: valid."""
    answers = form.cleaned_data
    paragraphs = methods.paragraphs(run)
    about_corpus, *_ = paragraphs[0].partition(" The sha256 ")
    version = topograph()
    licence, url = LICENCES[answers["licence"]]
    shared = () if run.corpus.embargo else tuple(answers["share"])
    notebooks = [form.own[key] for key in answers["notebooks"]]
    books = {f"notebooks/{n}.html": notebook for n, notebook in enumerate(notebooks, 1)}
    tables = _tables(run, shared)
    description = (
        f"A topic model of “{run.corpus.name}”, made by Topograph {version}: its topics as tables"
        f" and pages, how it was made, and what checks it. {about_corpus}"
    )
    return Deposit(
        title=one_line(answers["title"]) or "Untitled",
        creators=answers["creators"],
        date=datetime.now(UTC).date().isoformat(),
        version=version,
        spdx=answers["licence"],
        licence=licence,
        url=url,
        description=one_line(description),
        paragraphs=paragraphs,
        shared=shared,
        left_out=[*_missing(run, shared), *_NEVER],
        books=books,
        tables=tables,
        parts=_parts(books, tables),
    )


def _missing(run: Run, shared: tuple[str, ...]) -> list[str]:
    """Sentences about what could be shared and is not."""
    if run.corpus.embargo:
        return [_SHUT]
    return [sentence for name, sentence in _MISSING.items() if name not in shared]


def _tables(run: Run, shared: tuple[str, ...]) -> dict[str, ExportKind]:
    tables = {}
    for name in TABLES:
        kind = EXPORT_KINDS[name]
        if kind.is_ready(run):
            tables[f"tables/{name}.csv"] = kind
    if "texts" in shared:
        tables["tables/texts.json"] = _TEXTS
    return tables


def _parts(books: dict[str, Notebook], tables: dict[str, ExportKind]) -> dict[str, tuple[str, str]]:
    """In the order in which they are listed."""
    parts = {
        "site/index.html": (
            "Topics as pages",
            "words, numbers and titles; they open without a network",
        )
    }
    for path, notebook in books.items():
        parts[path] = (notebook.title, "a notebook")
    for path, kind in tables.items():
        sentence, *_ = kind.sentence.partition(";")
        parts[path] = (kind.title, sentence)
    return parts | {
        "methods.txt": ("Methods", "how the topics were made, in sentences for a paper"),
        "methods.bib": ("Works cited", "those of the methods, as BibTeX"),
        "bundle.zip": (
            "Reproduction bundle",
            "settings, seed, versions, vocabulary, hashes, topics and assignments",
        ),
        "CITATION.cff": ("Citation", "how to cite this deposit"),
        CRATE: ("Metadata", "of all files, with sizes and sha256, as an RO-Crate"),
        "verify.py": ("Check", "a program that compares every file with its sha256"),
    }


def read_source(run: Run, query: QueryDict, by: int) -> ExportSource:
    """What a deposit is made of: all documents, and what a user answered. Raises Invalid."""
    form = DepositForm(query, run, by)
    for field, errors in form.errors.items():
        raise Invalid(field, f"{form.fields[field].label}: {errors[0]}")
    return ExportSource(run, Selection.all(RunView(run)), deposit=form)


def archive(source: ExportSource) -> Iterator[bytes]:
    """Each member is written before the next is made: the last two tell of all before them."""
    assert source.deposit is not None  # `read_source` makes it
    return zipped(_members(source, describe_deposit(source.run, source.deposit)))


class Written(NamedTuple):
    """What is known of a member that was written."""

    size: int  # bytes
    sha256: str


def _members(source: ExportSource, about: Deposit) -> Iterator[Member]:
    written: dict[str, Written] = {}
    for member in _content(source, about):
        yield member._replace(pieces=_note_pieces(member, written))
    crate = Member(CRATE, [_crate(about, written)])
    yield crate._replace(pieces=_note_pieces(crate, written))
    lines = [f"{file.sha256}  {name}\n" for name, file in sorted(written.items())]
    yield Member(deposited.LIST, ["".join(lines).encode()])


def _note_pieces(member: Member, written: dict[str, Written]) -> Iterator[bytes]:
    """Its pieces; when the last has gone, `written` says what they were."""
    size = 0
    digest = sha256()
    for block in member.pieces:
        size += len(block)
        digest.update(block)
        yield block
    written[member.name] = Written(size, digest.hexdigest())


def _content(source: ExportSource, about: Deposit) -> Iterator[Member]:
    for name in ("README.txt", "index.html"):
        context = {"about": about, "run": source.run, "above": "site/"}
        yield Member(name, [render_to_string(f"deposit/{name}", context).encode()])
    yield Member("CITATION.cff", [_citation(about)])
    yield Member("verify.py", [Path(deposited.__file__).read_bytes()])
    yield Member("methods.txt", ["\n\n".join([*about.paragraphs, ""]).encode()])
    yield Member("methods.bib", [methods.bibtex(source.run).encode()])
    for path, book in about.books.items():
        yield Member(path, [_notebook(book, source.run, "quotes" in about.shared).encode()])
    for path, kind in about.tables.items():
        yield Member(path, make_file(source, kind, _ending(path)).pieces)
    for member in site.members(source.run, home="../index.html"):
        yield member._replace(name=f"site/{member.name}")
    yield Member("bundle.zip", bundle.archive(source, bag="bag" in about.shared), stored=True)


def _notebook(notebook: Notebook, run: Run, quotes: bool) -> str:
    """With what it has of the run's corpus; without addresses, which lead to this server."""
    page = queries.content(notebook, Corpus.objects.filter(pk=run.corpus_id))
    runs = own_runs(run)
    pins = []
    for pin in page.pins:
        of_corpus = pin.source.get("corpus_id") == run.corpus_id
        if of_corpus or pin.source.get("run") in runs:
            may_quote = quotes or pin.kind != "passage"
            pins.append(replace(pin, address="", quote=pin.quote if may_quote else ""))
    return html.notebook(replace(page, pins=pins), "")


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


class _DocumentText(NamedTuple):
    document: int
    sha256: str
    text: str


@table(_DocumentText)
def _texts(source: ExportSource) -> Iterator[list[_DocumentText]]:
    corpus = source.run.corpus
    embargo.refuse(corpus, "The texts")
    for numbers in selected(source, TEXTS_IN_BLOCK):
        stored = embargo.about(corpus, numbers.tolist(), "digest")
        whole_texts = texts_of(corpus, numbers.tolist())
        yield [
            _DocumentText(document=d, sha256=stored[d]["digest"], text=whole_texts[d])
            for d in numbers.tolist()
        ]


_TEXTS = ExportKind(
    "texts",
    catalogue.DOCUMENTS,
    "Texts",
    "every document’s text, with its sha256",
    table=_texts,
    texts=True,
)


def _citation(about: Deposit) -> bytes:
    """CITATION.cff: YAML, whose values are written as JSON, which YAML includes."""
    facts = {
        "cff-version": "1.2.0",
        "message": "If you use this deposit, please cite it, and the works that methods.bib lists.",
        "type": "dataset",
        "title": about.title,
        "abstract": about.description,
        "authors": [_author(creator) for creator in about.creators],
        "license": about.spdx,
        "date-released": about.date,
    }
    lines = []
    for name, value in facts.items():
        line = f"{name}: {json.dumps(value, ensure_ascii=False)}"
        lines.append(_NOT_IN_YAML.sub(_escape, line) + "\n")
    return "".join(lines).encode()


def _escape(character: re.Match) -> str:
    return f"\\u{ord(character[0]):04x}"


def _author(creator: Creator) -> dict[str, str]:
    """A creator as CITATION.cff has a person, or an organisation."""
    if creator.given:
        author = {"family-names": creator.family, "given-names": creator.given}
    else:
        author = {"name": creator.name}
    if creator.orcid:
        author["orcid"] = f"https://orcid.org/{creator.orcid}"
    return author


def _crate(about: Deposit, written: dict[str, Written]) -> bytes:
    """RO-Crate's metadata: a list of things that refer to each other by @id."""
    people = [_person(creator, n) for n, creator in enumerate(about.creators, 1)]
    files = [_file(about, name, file) for name, file in written.items()]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": about.title,
        "description": about.description,
        "datePublished": about.date,
        "license": {"@id": about.url},
        "author": [{"@id": person["@id"]} for person in people],
        "hasPart": [{"@id": file["@id"]} for file in files],
        "mentions": {"@id": "#training"},
    }
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": SPECIFICATION},
            "about": {"@id": "./"},
        },
        root,
        {
            "@id": about.url,
            "@type": "CreativeWork",
            "name": about.licence,
            "identifier": about.spdx,
            "description": f"{about.licence} ({about.spdx})",
        },
        {
            "@id": "#topograph",
            "@type": "SoftwareApplication",
            "name": "Topograph",
            "version": about.version,
        },
        {
            "@id": "#training",
            "@type": "CreateAction",
            "name": "Training of the topics",
            "instrument": {"@id": "#topograph"},
            "result": {"@id": "bundle.zip"},
        },
        *people,
        *files,
    ]
    context = [f"{SPECIFICATION}/context", {"sha256": "http://schema.org/sha256"}]
    return json.dumps({"@context": context, "@graph": graph}, ensure_ascii=False, indent=1).encode()


def _person(creator: Creator, number: int) -> dict[str, str]:
    orcid = f"https://orcid.org/{creator.orcid}"
    person = {
        "@id": orcid if creator.orcid else f"#creator-{number}",
        "@type": "Person" if creator.given else "Organization",
        "name": creator.name,
    }
    if creator.given:
        person |= {"familyName": creator.family, "givenName": creator.given}
    return person


def _file(about: Deposit, name: str, file: Written) -> dict[str, str]:
    entry = {
        "@id": name,
        "@type": "File",
        "name": name,
        "contentSize": str(file.size),
        "sha256": file.sha256,
        "encodingFormat": MEDIA.get(_ending(name), "text/plain"),
    }
    if name in about.parts:
        title, description = about.parts[name]
        entry |= {"name": title, "description": description}
    return entry


KIND = ExportKind(
    "deposit",
    catalogue.WHOLE,
    "Deposit",
    "a folder for an archive",
    file=archive,
    ending="zip",
    media="application/zip",
    passages=True,
)
