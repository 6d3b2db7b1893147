"""The files that a corpus was made of, and what came of each."""

from django.core.exceptions import BadRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from webapp import readers
from webapp.corpora import queries
from webapp.corpora.shapes import FilesHtml, FilesPage, FilesSection, Problem, ProblemsHtml, ProblemsPage, StoredFile
from webapp.ingest import reading_forms
from webapp.ingest import sources as reports
from webapp.models import Corpus, SourceFile
from webapp.pages.typed import Answer, Here, typed


@typed("corpus/files.html")
def files(corpus: Corpus, here: Here, *, only: str = "", after: int | None = None) -> Answer[FilesPage]:
    """A page of them; only: "problems". after: a position."""
    if only not in ("", "problems"):
        raise BadRequest(f"“only” in the address must be problems, got “{only[:50]}”.")
    listed, following = queries.files(corpus, only, after)
    page = FilesPage([_shown(file) for file in listed], here.following(following))
    return Answer(page, lambda: FilesHtml(only, corpus.files.count()))


@typed("corpus/problems.html")
def problems(corpus: Corpus, here: Here, *, file: int | None = None, after: int = 0) -> Answer[ProblemsPage]:
    """What reading the files found wrong, a page of it. file: the position of one of them. after: a place in the report."""
    name = "" if file is None else get_object_or_404(corpus.files, position=file).name
    rows, following = reports.problems(corpus, name, after)
    page = ProblemsPage([Problem(**row) for row in rows], here.following(following))
    return Answer(page, lambda: ProblemsHtml(name))


def first(corpus: Corpus) -> FilesSection:
    """For the corpus's own page."""
    listed, _ = queries.files(corpus, limit=queries.FILES_SHOWN)
    return FilesSection([_shown(file) for file in listed], corpus.files.count())


def _shown(file: SourceFile) -> StoredFile:
    documents, problems = (reverse(name, args=[file.corpus_id]) for name in ("corpus_documents", "corpus_problems"))
    return StoredFile(
        name=file.name,
        format=readers.formats.label(file.name),
        bytes=file.bytes,
        encoding=reading_forms.ENCODING_NAMES.get(file.encoding, file.encoding) if file.documents else "",
        documents=file.documents,
        documents_url=f"{documents}?only=file:{file.position}" if file.first is not None else None,
        problems_url=f"{problems}?file={file.position}" if file.problems else None,
        problems=file.problems,
        error=file.error,
    )
