"""A run as a folder for an archive: a zip of its bundle, tables, pages and methods, with a
citation, metadata as an RO-Crate
1.1 (https://www.researchobject.org/ro-crate/specification/1.1/) and what checks all of it
(inference.deposited).

What may not be shared is left out, and the README says so.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

from django.http import QueryDict
from django.template.loader import render_to_string

from inference import deposited
from inference.errors import Invalid
from inference.runtime.versions import topograph
from webapp.core.curation.services import one_line
from webapp.core.documents.selection import Selection
from webapp.core.notebooks import html, queries
from webapp.core.results.view import RunView
from webapp.models import Corpus, Notebook, Run
from webapp.platform.accounts import embargo
from webapp.service import exports
from webapp.service.exports import bundle, methods, site
from webapp.service.exports.deposit_form import LICENCES, DepositForm, own_runs
from webapp.service.exports.tables import Block, Column, Wanted, selected, table
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
CRATE, SPECIFICATION = "ro-crate-metadata.json", "https://w3id.org/ro/crate/1.1"
TEXTS = 50  # in a block: one may be long
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


def _about(run: Run, form: DepositForm) -> SimpleNamespace:
    """What a deposit says of itself. books, tables: path -> notebook, or form of a table. parts:
    what a reader opens."""
    given, paragraphs = form.cleaned_data, methods.paragraphs(run)
    shared = () if run.corpus.embargo else tuple(given["share"])
    missing = (
        [_SHUT]
        if run.corpus.embargo
        else [sentence for name, sentence in _MISSING.items() if name not in shared]
    )
    tables = {
        **{
            f"tables/{name}.csv": exports.FORMS[name]
            for name in TABLES
            if exports.ready(run, exports.FORMS[name])
        },
        **({"tables/texts.json": _TEXTS} if "texts" in shared else {}),
    }
    books = {f"notebooks/{n}.html": form.own[key] for n, key in enumerate(given["notebooks"], 1)}
    version, (licence, url) = topograph(), LICENCES[given["licence"]]
    what = (
        f"A topic model of “{run.corpus.name}”, made by Topograph {version}: its topics as tables"
        " and pages, how it was made, and what checks it."
    )
    parts = {
        "site/index.html": (
            "Topics as pages",
            "words, numbers and titles; they open without a network",
        ),
        **{path: (book.title, "a notebook") for path, book in books.items()},
        **{path: (table.title, table.sentence.partition(";")[0]) for path, table in tables.items()},
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
    return SimpleNamespace(
        title=one_line(given["title"]) or "Untitled",
        creators=given["creators"],
        date=datetime.now(UTC).date().isoformat(),
        version=version,
        spdx=given["licence"],
        licence=licence,
        url=url,
        description=one_line(f"{what} {paragraphs[0].partition(' The sha256 ')[0]}"),
        paragraphs=paragraphs,
        shared=shared,
        left_out=[*missing, *_NEVER],
        books=books,
        tables=tables,
        parts=parts,
    )


def wanted(run: Run, query: QueryDict, by: int) -> Wanted:
    """Of all documents, as a user answered. Raises Invalid."""
    form = DepositForm(query, run, by)
    for field, errors in form.errors.items():
        raise Invalid(field, f"{form.fields[field].label}: {errors[0]}")
    return Wanted(run, Selection.all(RunView(run)), deposit=form)


def archive(wanted: Wanted) -> Iterator[bytes]:
    """Each member is written before the next is made: the last two tell of all before them."""
    assert wanted.deposit is not None  # `wanted` makes it
    return zipped(_members(wanted, _about(wanted.run, wanted.deposit), {}))


def _members(
    wanted: Wanted, about: SimpleNamespace, kept: dict[str, tuple[int, str]]
) -> Iterator[Member]:
    for member in _content(wanted, about):
        yield member._replace(pieces=_counted(member, kept))
    crate = Member(CRATE, [_crate(about, kept)])
    yield crate._replace(pieces=_counted(crate, kept))
    yield Member(
        deposited.LIST,
        ["".join(f"{digest}  {name}\n" for name, (_, digest) in sorted(kept.items())).encode()],
    )


def _counted(member: Member, kept: dict[str, tuple[int, str]]) -> Iterator[bytes]:
    size, digest = 0, sha256()
    for piece in member.pieces:
        size += len(piece)
        digest.update(piece)
        yield piece
    kept[member.name] = size, digest.hexdigest()


def _content(wanted: Wanted, about: SimpleNamespace) -> Iterator[Member]:
    for name in ("README.txt", "index.html"):
        shown = {"about": about, "run": wanted.run, "above": "site/"}
        yield Member(name, [render_to_string(f"deposit/{name}", shown).encode()])
    yield Member("CITATION.cff", [_citation(about)])
    yield Member("verify.py", [Path(deposited.__file__).read_bytes()])
    yield Member("methods.txt", ["\n\n".join([*about.paragraphs, ""]).encode()])
    yield Member("methods.bib", [methods.bibtex(wanted.run).encode()])
    for path, book in about.books.items():
        yield Member(path, [_notebook(book, wanted.run, "quotes" in about.shared).encode()])
    for path, form in about.tables.items():
        yield Member(path, exports.made(wanted, form, path.rpartition(".")[2]).pieces)
    for member in site.members(wanted.run, home="../index.html"):
        yield member._replace(name=f"site/{member.name}")
    yield Member("bundle.zip", bundle.archive(wanted, bag="bag" in about.shared), stored=True)


def _notebook(notebook: Notebook, run: Run, quotes: bool) -> str:
    """With what it has of the run's corpus; without addresses, which lead to this server."""
    page, runs = queries.content(notebook, Corpus.objects.filter(pk=run.corpus_id)), own_runs(run)
    here = [
        pin
        for pin in page.pins
        if pin.source.get("corpus_id") == run.corpus_id or pin.source.get("run") in runs
    ]
    return html.notebook(
        replace(
            page,
            pins=[
                replace(pin, address="", quote=pin.quote if quotes or pin.kind != "passage" else "")
                for pin in here
            ],
        ),
        "",
    )


@table(Column("document", int), Column("sha256", str), Column("text", str))
def _texts(wanted: Wanted) -> Iterator[Block]:
    corpus = wanted.run.corpus
    embargo.refuse(corpus, "The texts")
    for numbers in selected(wanted, TEXTS):
        known = embargo.about(corpus, numbers.tolist(), "digest")
        texts = embargo.chosen(
            corpus, numbers.tolist(), embargo.FARTHEST, lambda _, text: (0, len(text))
        )
        yield [(d, known[d]["digest"], texts[d][1]) for d in numbers.tolist()]


_TEXTS = exports.Form(
    "texts",
    exports.DOCUMENTS,
    "Texts",
    "every document’s text, with its sha256",
    _texts,
    texts=True,
)


def _citation(about: SimpleNamespace) -> bytes:
    """CITATION.cff: YAML, whose values are written as JSON, which YAML includes."""
    facts = {
        "cff-version": "1.2.0",
        "message": "If you use this deposit, please cite it, and the works that methods.bib lists.",
        "type": "dataset",
        "title": about.title,
        "abstract": about.description,
        "authors": [
            ({"family-names": c.family, "given-names": c.given} if c.given else {"name": c.name})
            | ({"orcid": f"https://orcid.org/{c.orcid}"} if c.orcid else {})
            for c in about.creators
        ],
        "license": about.spdx,
        "date-released": about.date,
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
    return "".join(
        _NOT_IN_YAML.sub(lambda c: f"\\u{ord(c[0]):04x}", line) + "\n" for line in lines
    ).encode()


def _crate(about: SimpleNamespace, kept: dict[str, tuple[int, str]]) -> bytes:
    titles = {
        path: {"name": title, "description": sentence}
        for path, (title, sentence) in about.parts.items()
    }
    people = [
        {
            "@id": f"https://orcid.org/{c.orcid}" if c.orcid else f"#creator-{n}",
            "@type": "Person" if c.given else "Organization",
            "name": c.name,
        }
        | ({"familyName": c.family, "givenName": c.given} if c.given else {})
        for n, c in enumerate(about.creators, 1)
    ]
    files = [
        {
            "@id": name,
            "@type": "File",
            "name": name,
            "contentSize": str(size),
            "sha256": digest,
            "encodingFormat": MEDIA.get(name.rpartition(".")[2], "text/plain"),
        }
        | titles.get(name, {})
        for name, (size, digest) in kept.items()
    ]
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


FORM = exports.Form(
    "deposit",
    exports.WHOLE,
    "Deposit",
    "a folder for an archive",
    None,
    archive,
    "zip",
    "application/zip",
)
