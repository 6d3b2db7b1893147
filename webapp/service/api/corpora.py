"""Corpora: what there is, their documents, and training on them."""

from typing import Annotated

from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Status
from ninja.errors import HttpError

from inference.errors import Invalid
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.schema import AskedTraining
from webapp.core.documents.document import read_document
from webapp.core.documents.selection import Selection
from webapp.core.runs import queries as run_queries, services as runs
from webapp.core.runs.shapes import RunAbout
from webapp.intake.file_formats import Unreadable, looking
from webapp.intake.ingest import (
    corpora as services,
    guesses,
    previews,
    pseudonyms,
    upload_limits,
    uploads,
)
from webapp.intake.ingest.asked_reading import AskedFiles
from webapp.models import Corpus
from webapp.platform.accounts import authorization
from webapp.platform.accounts.roles import Role
from webapp.platform.pages.page import unchecked_corpus
from webapp.platform.request_context import request_context
from webapp.service.api import paging, shapes
from webapp.service.api.access import Token
from webapp.service.corpora import (
    language_views,
    languages as dividing,
    proposed_seeds,
    queries,
)
from webapp.service.corpora.shapes import CorpusFacts, LanguagesPage

router = Router()
ERRORS = {
    400: shapes.Sentence,
    401: shapes.Sentence,
    404: shapes.Sentence,
    409: shapes.Sentence,
    429: shapes.Sentence,
}
Offset = Annotated[int, Field(ge=0, description="where the page begins, as “next” says it")]
Limit = Annotated[int, Field(ge=1, le=paging.MOST_ROWS, description="items of a page")]


@router.get(
    "/",
    response={200: shapes.Corpora, **ERRORS},
    summary=(
        "Corpora, one's own and shared ones, newest first; of all that are public with public=true"
    ),
)
def index(request: HttpRequest, before: int | None = None, public: bool = False):
    rows, following = queries.recent(
        authorization.list_corpora(request, before, queries.PAGE + 1, public)
    )
    return {
        "items": [queries.about(corpus) for corpus, _, _ in rows],
        "next": paging.following(request, before=following),
    }


@router.post(
    "/",
    auth=Token(),
    response={201: CorpusFacts, 413: shapes.Sentence, **ERRORS},
    summary="Make a corpus of files that were uploaded",
)
def create(request: HttpRequest, making: shapes.Making):
    owner = authorization.user(request)
    try:
        with uploads.claim(making.uploads, authorization.uploader(request)) as arrived:
            corpus = services.create(making.name, arrived, owner, in_background=True)
            with looking.within(looking.PAGE_SECONDS, request_context(request).abandoned.is_set):
                services.check_readable(corpus)
            return Status(201, queries.about(corpus))
    except upload_limits.Refused as refused:
        raise HttpError(refused.status, refused.sentence) from None


@router.post(
    "/{int:corpus_id}/read",
    auth=Token(),
    response={200: CorpusFacts, **ERRORS},
    summary="Have its files read, as its page would propose but for what is asked",
    description=(
        "With pseudonyms the answer is another corpus, in which persons have pseudonyms: it is read by"
        " itself, and the one that was asked for is deleted then, unless keep_uploaded is true."
    ),
)
def read(request: HttpRequest, corpus_id: int, reading: AskedFiles):
    corpus = unchecked_corpus(corpus_id)
    if corpus.stage != Corpus.Status.DRAFT or corpus.is_addition:
        raise Invalid(
            "corpus",
            f"Corpus {corpus_id} is {corpus.stage}: its files can be read when they are stored, and"
            " were not read before.",
        )
    replaced = reading.has_persons_replaced
    if replaced and not authorization.may(request, corpus_id, Role.OWNER):
        raise Invalid("pseudonyms", "Only the owner can have persons replaced by pseudonyms.")
    try:
        with looking.within(looking.PAGE_SECONDS, request_context(request).abandoned.is_set):
            proposal = previews.propose(corpus, reading)
    except Unreadable as error:
        raise Invalid("corpus", error.message) from None
    except looking.Exhausted as error:
        services.look_by_worker(corpus, guesses.FilesQuestion("", {}))
        raise Invalid(
            "corpus", f"{error} A worker does it now: ask again when the corpus is a draft."
        ) from None
    if replaced:
        return queries.about(_replace_persons(request, corpus, reading, proposal))
    corpus.unit = proposal.unit
    services.read(corpus, proposal.reading)
    corpus.refresh_from_db()
    return queries.about(corpus)


def _replace_persons(
    request: HttpRequest, corpus: Corpus, asked: AskedFiles, proposal: previews.Proposal
) -> Corpus:
    """The draft in which persons have pseudonyms. Raises Invalid."""
    try:
        with looking.within(looking.PAGE_SECONDS, request_context(request).abandoned.is_set):
            return pseudonyms.begin_as_asked(corpus, asked, proposal)
    except Unreadable as error:
        raise Invalid("corpus", error.message) from None
    except looking.Exhausted as error:
        raise Invalid(
            "pseudonyms", f"{error} Name persons by columns of a table, or upload less at once."
        ) from None


@router.get("/{int:corpus_id}", response={200: CorpusFacts, **ERRORS}, summary="A corpus")
def detail(request: HttpRequest, corpus_id: int):
    return queries.about(unchecked_corpus(corpus_id))


@router.get(
    "/{int:corpus_id}/documents",
    response={200: shapes.FoundDocuments, **ERRORS},
    summary="Documents of a corpus, searched and chosen",
)
def search(
    request: HttpRequest,
    corpus_id: int,
    documents: Query[shapes.Documents],
    by: str = "",
    after: str = "",
    limit: Limit = 25,
):
    return paging.documents(
        request, Selection.read(request.GET, ready(corpus_id)), by, after, limit
    )


@router.get(
    "/{int:corpus_id}/documents/{int:number}",
    response={200: shapes.Document, **ERRORS},
    summary="A document",
)
def document(request: HttpRequest, corpus_id: int, number: int):
    document = read_document(Selection(ready(corpus_id), None), number)
    if document is None:
        raise Http404(f"Corpus {corpus_id} has no document {number}.")
    return document.about


@router.get(
    "/{int:corpus_id}/runs",
    response={200: shapes.Runs, **ERRORS},
    summary="Runs on a corpus, newest first",
)
def trained(
    request: HttpRequest, corpus_id: int, before: int | None = None, limit: Limit = paging.LIMIT
):
    all_runs = unchecked_corpus(corpus_id).runs.order_by("-pk")
    rows = list((all_runs.filter(pk__lt=before) if before is not None else all_runs)[: limit + 1])
    next_before = rows[limit - 1].pk if len(rows) > limit else None
    return {
        "items": [run_queries.about(run) for run in rows[:limit]],
        "next": paging.following(request, before=next_before),
    }


@router.get(
    "/{int:corpus_id}/seeds",
    response={200: shapes.Proposed, **ERRORS},
    summary=(
        "Topics to be named before a training, proposed from topics of runs and concepts of the"
        " codebook, with how often their words are in the texts"
    ),
    description="topic: such as 5.12, topic 12 of run 5. Both topic and concept may be repeated.",
)
def seeds(
    request: HttpRequest,
    corpus_id: int,
    topic: list[str] = Query([]),  # noqa: B008
    concept: list[int] = Query([]),  # noqa: B008
):
    corpus = ready(corpus_id)
    assert corpus.version is not None
    proposed = proposed_seeds.propose(corpus, topic, concept)
    counts = named_topics.count_topics(corpus.version, proposed)
    return {"seeds": list(map(shapes.ProposedSeeds.of, proposed, counts))}


@router.get(
    "/{int:corpus_id}/languages",
    response={200: LanguagesPage, **ERRORS},
    summary="The languages of the texts, with the corpus and the newest run of each",
)
def languages(request: HttpRequest, corpus_id: int):
    return language_views.page_of(request, ready(corpus_id))


@router.post(
    "/{int:corpus_id}/languages",
    auth=Token(),
    response={200: LanguagesPage, **ERRORS},
    summary="Make a corpus of each language, and train a run on it when it has been read",
)
def train_languages(request: HttpRequest, corpus_id: int):
    corpus = ready(corpus_id)
    dividing.train_each(corpus, authorization.user(request))
    return language_views.page_of(request, corpus)


@router.post(
    "/{int:corpus_id}/runs",
    auth=Token(),
    response={201: RunAbout, **ERRORS},
    summary="Train topics on a corpus",
)
def train(request: HttpRequest, corpus_id: int, training: AskedTraining):
    version = unchecked_corpus(corpus_id).version
    run = runs.create(version, by=authorization.user(request), **training.settings_of_run())
    return Status(201, run_queries.about(run))


def ready(corpus_id: int) -> Corpus:
    """A corpus that has been read. Raises Http404 for one that is not."""
    corpus = unchecked_corpus(corpus_id)
    if corpus.status != Corpus.Status.READY:
        raise Http404(
            f"Corpus {corpus_id} is {corpus.status}; its documents can be read when it is ready."
        )
    return corpus
