"""Runs: how they were trained, their topics, words with senses, documents with mixtures, time, and
how two compare."""

from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Field, Query, Router, Status

from inference.errors import Invalid, called
from webapp.analysis.collocations import views as collocations
from webapp.analysis.collocations.shapes import Collocations, ComparedCollocations
from webapp.analysis.compare import matchings, queries as comparisons, waiting
from webapp.analysis.compare.shapes import Comparing, Comparison
from webapp.analysis.effects import answering as effects_answering, estimates, two_sets
from webapp.analysis.effects.estimator import Order as EffectOrder
from webapp.analysis.effects.model import EffectQuestion, Way as EffectWay
from webapp.analysis.effects.pages import asked_formula, claim_of_sets, claim_page, effects_page
from webapp.analysis.effects.shapes import ClaimPage, EffectsPage
from webapp.analysis.findings.finding import Detail
from webapp.analysis.findings.overview import overview
from webapp.analysis.findings.shapes import OverviewPage
from webapp.analysis.how_many import page as how_many_page
from webapp.analysis.how_many.shapes import HowMany, HowManyAsked
from webapp.analysis.keyness import queries as keyness
from webapp.analysis.keyness.shapes import Keyness
from webapp.analysis.time import trends
from webapp.analysis.topics import word_times_page
from webapp.analysis.topics.listing import ORDERS, TopicListing, read_listing_query
from webapp.analysis.topics.shapes import FollowingWords, WordsThroughTime, WordsWithoutTime
from webapp.analysis.topics.topic import ShownTopic, read_topic
from webapp.analysis.two_sets import compared_sets
from webapp.analysis.two_sets.shapes import Answering
from webapp.analysis.two_sets.word_contrast import Contrast
from webapp.analysis.two_sets.word_shapes import (
    Counting,
    Counts as KeynessCounts,
    Order as KeynessOrder,
    Which as KeynessWhich,
)
from webapp.analysis.words import concordance, queries as words, senses, views
from webapp.analysis.words.senses_page import topic_rows
from webapp.core.documents import queries as documents, sums, whole_documents
from webapp.core.documents.document import read_document_of_run
from webapp.core.documents.selection import Selection
from webapp.core.results import topic_numbers, topics
from webapp.core.results.family_tree import CUTS
from webapp.core.results.view import RunView
from webapp.core.runs import how_many, queries as run_queries, series, services as runs
from webapp.core.runs.shapes import RunAbout
from webapp.models import Metric, Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.not_yet import NotYet, status_of
from webapp.platform.pages.page import unchecked_published_run, unchecked_run
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.nulls import number_or_none
from webapp.service.api import paging, shapes
from webapp.service.api.access import Token
from webapp.service.api.corpora import ERRORS, Limit, Offset
from webapp.service.exports import methods
from webapp.service.exports.catalogue import EXPORT_KINDS
from webapp.service.exports.shapes import MethodsPage
from webapp.service.exports.tables import groupings

Families = Annotated[
    int | None,
    Field(
        ge=CUTS[0],
        le=CUTS[1],
        description="how many families of topics; the usual number by default",
    ),
]
TopicNumber = Annotated[int, Field(ge=0, description="a topic")]
FewestDocuments = Annotated[int, Field(ge=0, description="in which a word is at least")]
Window = Annotated[int, Field(ge=0, le=collocations.WIDEST_WINDOW)]
router = Router()
MOST_COUNTS = 500_000  # groups times topics of one answer


def _page_as_it_is(page: object) -> Status:
    """With status 202 while a worker makes it."""
    return Status(status_of(page), page)


@router.get("/{int:run_id}", response={200: RunAbout, **ERRORS}, summary="A run")
def detail(request: HttpRequest, run_id: int):
    return run_queries.about(unchecked_run(run_id))


@router.post(
    "/{int:run_id}/stop",
    auth=Token(),
    response={200: RunAbout, **ERRORS},
    summary="Stop, and keep what there is",
)
def stop(request: HttpRequest, run_id: int):
    runs.stop(unchecked_run(run_id))
    return run_queries.about(unchecked_run(run_id))


@router.post(
    "/{int:run_id}/cancel",
    auth=Token(),
    response={200: RunAbout, **ERRORS},
    summary="Cancel, and keep nothing but the curves",
)
def cancel(request: HttpRequest, run_id: int):
    runs.cancel(unchecked_run(run_id))
    return run_queries.about(unchecked_run(run_id))


@router.get(
    "/{int:run_id}/curves",
    response={200: shapes.Curves, **ERRORS},
    summary="Measures while it trained",
)
def curves(request: HttpRequest, run_id: int):
    return series.columns(
        Metric.objects.filter(run=unchecked_run(run_id)).order_by("step").defer("topic_coherence")
    )


@router.get(
    "/{int:run_id}/findings",
    response={200: OverviewPage, 202: OverviewPage, **ERRORS},
    summary=(
        "What stands out, in sentences with intervals: families of topics, what rose and fell, and"
        " more"
    ),
    description=(
        "In a large corpus a worker computes it first: 202 says so, also where it shows what an older"
        " program found meanwhile; ask again."
    ),
)
def what_was_found(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    detail: Detail = "",
    families: Families = None,
):
    selection = Selection.read(request.GET, RunView(finished(run_id)))
    return _page_as_it_is(overview(selection, detail, authorization.user_id(request), families))


@router.get(
    "/{int:run_id}/topics",
    response={200: shapes.Topics, **ERRORS},
    summary=(
        "Topics with their first words, as readers fold them; shares are of the chosen documents"
    ),
)
def index(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    sort: str = "share",
    word: str = "",
    group: str = "",
    hidden: bool = False,
    families: Families = None,
    after: Offset = 0,
    limit: Limit = paging.LIMIT,
):
    if sort.removeprefix("-") not in ORDERS:
        raise Invalid(
            "sort",
            f"“sort” must be one of {', '.join(ORDERS)}, with a minus for the other way round; got"
            f" “{sort[:50]}”.",
        )
    run = unchecked_published_run(run_id)
    filters = replace(read_listing_query(request.GET, run), hidden=hidden)
    listed_topics, following = TopicListing(
        Selection.read(request.GET, RunView(run)), filters
    ).page(after, limit)
    return {"items": listed_topics, "next": paging.following(request, after=following)}


@router.get(
    "/{int:run_id}/topics/{int:number}",
    response={200: topics.TopicDetail, **ERRORS},
    summary="A topic",
)
def topic(request: HttpRequest, run_id: int, number: int):
    return _read_topic(unchecked_published_run(run_id), number).about


def _read_topic(run: Run, number: int) -> ShownTopic:
    """In all documents of the run."""
    return read_topic(Selection.all(RunView(run)), number)


@router.get(
    "/{int:run_id}/topics/{int:number}/words",
    response={200: shapes.WordsOfTopic, **ERRORS},
    summary="A topic's words by weight",
)
def words_of_topic(
    request: HttpRequest, run_id: int, number: int, after: Offset = 0, limit: Limit = paging.LIMIT
):
    topic = _read_topic(unchecked_published_run(run_id), number)
    items, following = topic.words_by_weight(after, limit)
    return {"items": items, "next": paging.following(request, after=following)}


@router.get(
    "/{int:run_id}/documents",
    response={200: shapes.FoundDocuments, **ERRORS},
    summary="Documents, searched and chosen; by=T07 orders them by their share of a topic",
)
def search(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    by: str = "",
    after: str = "",
    limit: Limit = 25,
):
    return paging.documents(
        request, Selection.read(request.GET, RunView(finished(run_id))), by, after, limit
    )


@router.get(
    "/{int:run_id}/documents/{int:number}",
    response={200: shapes.Mixture, **ERRORS},
    summary="A document's topics",
)
def mixture(request: HttpRequest, run_id: int, number: int):
    run = finished(run_id)
    document = read_document_of_run(Selection.all(RunView(run)), number)
    if document is None:
        raise Http404(f"Corpus {run.corpus_id} has no document {number}.")
    return vars(document.about) | {"tokens": document.length, "topics": document.proportions}


@router.get(
    "/{int:run_id}/wholes/{int:number}",
    response={200: shapes.Whole, **ERRORS},
    summary="The topics of the whole document that a document is a section of",
)
def whole(request: HttpRequest, run_id: int, number: int):
    run = finished(run_id)
    whole_document = (
        whole_documents.whole_of(run.corpus, number) if number < run.version.documents else None
    )
    if whole_document is None:
        raise Http404(f"Corpus {run.corpus_id} has no document {number}.")
    view = RunView(run)
    tokens = whole_documents.mixture(view, whole_document)
    return whole_document._asdict() | {
        "tokens": int(tokens.sum()),
        "topics": documents.topic_proportions(view, tokens),
    }


@router.get(
    "/{int:run_id}/words",
    response={200: shapes.Words, **ERRORS},
    summary="Words that begin with q, most frequent first",
)
def vocabulary(
    request: HttpRequest, run_id: int, q: str = "", after: int = -1, limit: Limit = paging.LIMIT
):
    items, following = words.matching(unchecked_run(run_id).version, q, after, limit)
    return {"items": items, "next": paging.following(request, after=following)}


@router.get(
    "/{int:run_id}/words/{word}",
    response={200: shapes.Senses, **ERRORS},
    summary="A word, and the topics that it was given to",
)
def word(request: HttpRequest, run_id: int, word: str, documents: Query[shapes.Documents]):
    selection, entry, uses = _word(request, run_id, word)
    rows, other_senses = topic_rows(selection, uses, *senses.tallied(uses))
    return {
        "word": entry.word,
        "set": selection.sentence,
        "tokens": int(uses.counts.sum()),
        "documents": uses.in_documents,
        "senses": [*rows, *other_senses],
    }


@router.get(
    "/{int:run_id}/words/{word}/lines",
    response={200: shapes.Lines, **ERRORS},
    summary="The lines in which a word stands",
)
def lines(
    request: HttpRequest,
    run_id: int,
    word: str,
    documents: Query[shapes.Documents],
    topic: int | None = None,
    sort: concordance.Order = "certainty",
    after: Offset = 0,
    limit: Limit = 50,
):
    selection, _, uses = _word(request, run_id, word)
    sense = senses.asked_topic(selection.view, topic)
    if not concordance.has_places(selection.run):
        raise Invalid(
            "run",
            "This corpus was read by a version that did not note where words stand. Upload it"
            " again.",
        )
    page = concordance.page(selection, uses, sense, sort, after, limit)
    last = after + len(page.lines)
    return {
        "count": page.total,
        "items": page.lines,
        "next": paging.following(request, after=last if last < page.total and page.lines else None),
    }


@router.get(
    "/{int:run_id}/patterns",
    response={200: views.PatternPage, **ERRORS},
    summary=(
        "Where a pattern of words occurs, such as the =Union (so written): hits, documents, hits by"
        " time, and a page of lines"
    ),
)
def pattern(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    pattern: str = "*",
    topic: TopicNumber | None = None,
    sort: concordance.Order = "document",
    by: str = "",
    after: Offset = 0,
):
    selection = Selection.read(request.GET, RunView(finished(run_id)))
    with called({"field": "by"}):
        return views.pattern_page(
            selection, PageQuery(request.GET), pattern, topic, sort, by, after
        )


@router.get(
    "/{int:run_id}/keyness",
    response={200: Keyness, 202: Counting, **ERRORS},
    summary=(
        "Words that one set of documents uses more than another, or (rest=true) than all others:"
        " how many times as often, with intervals"
    ),
    description="In a large corpus a worker counts them first: 202 says how far it is; ask again.",
)
def keyness_of(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    sides: Query[shapes.Sides],
    order: KeynessOrder = "ratio",
    which: KeynessWhich = "content",
    counts: KeynessCounts = "occurrences",
    rest: bool = False,
    over: str = "",
):
    selection = Selection.read(request.GET, RunView(finished(run_id)))
    compared = compared_sets.read_sides(request.GET, selection, rest)
    if compared is None:
        raise Invalid("from_a", "Say two sets of documents, or choose documents and say rest=true.")
    contrast = Contrast(*compared, which, counts)
    asker = authorization.user_id(request)
    with called({"field": "over"}):
        return keyness.list_words(contrast, order, selection.sentence, over, asker)


@router.get(
    "/{int:run_id}/topics/{int:number}/time",
    response={200: WordsThroughTime | WordsWithoutTime, 202: FollowingWords, **ERRORS},
    summary="A topic's words through time: which came, went and stayed, with intervals",
    description=(
        "Counts of the occurrences that are assigned to the topic. In a large corpus a worker looks"
        " through them first: 202 until then; ask again."
    ),
)
def words_through_time(
    request: HttpRequest, run_id: int, number: int, documents: Query[shapes.Documents]
):
    selection = Selection.read(request.GET, RunView(finished(run_id)))
    topic = read_topic(selection, number)
    return word_times_page.answer(topic, authorization.user_id(request))


@router.get(
    "/{int:run_id}/how-many",
    response={200: HowMany | HowManyAsked, 202: HowManyAsked, **ERRORS},
    summary="How many topics: what a third and three times as many would change",
    description=(
        "From short trainings that somebody has to begin: by POST to the same address. 202 until"
        " they are done; ask again."
    ),
)
def how_many_topics(request: HttpRequest, run_id: int, complete: bool = False):
    return _page_as_it_is(how_many_page.answer(RunView(finished(run_id)), complete))


@router.post(
    "/{int:run_id}/how-many",
    auth=Token(),
    response={202: HowManyAsked, **ERRORS},
    summary="Begin the short trainings that say what other numbers of topics would change",
)
def try_numbers(request: HttpRequest, run_id: int):
    run = finished(run_id)
    how_many.begin(run)
    return Status(HTTPStatus.ACCEPTED, how_many_page.describe_progress(run))


@router.get(
    "/{int:run_id}/words/{word}/collocations",
    response={200: Collocations | ComparedCollocations, **ERRORS},
    summary=(
        "Words that tend to occur near a word, in all its uses, in one topic, or in two sets or"
        " topics side by side"
    ),
)
def collocations_of(
    request: HttpRequest,
    run_id: int,
    word: str,
    documents: Query[shapes.Documents],
    sides: Query[shapes.Sides],
    topic: int | None = None,
    topic_a: int | None = None,
    topic_b: int | None = None,
    left: Window = 5,
    right: Window = 5,
    least: FewestDocuments = 5,
    order: collocations.Order = "log_dice",
    which: collocations.Which = "content",
    within: collocations.Within = "words",
):
    selection, known_word, _ = _word(request, run_id, word)
    window = left, right, least, order, which, within
    questions = []
    for name, number in (("topic", topic), ("topic_a", topic_a), ("topic_b", topic_b)):
        with called({"topic": name}):
            questions.append(collocations.read_question(selection.view, number, *window))
    return collocations.list_or_compare(selection, known_word, request.GET, *questions)


def _word(request: HttpRequest, run_id: int, text: str):
    """(the set of documents, the word, its uses there)"""
    run = finished(run_id)
    selection = Selection.read(request.GET, RunView(run))
    entry = words.word(run.version, text)
    if entry is None:
        raise Http404(f"“{text}” is not in the vocabulary of “{run.corpus.name}”.")
    return selection, entry, senses.uses(selection.view, entry, selection)


@router.get(
    "/{int:run_id}/time",
    response={200: shapes.Counts, **ERRORS},
    summary="Topics by year, decade, month or a category, as readers fold them",
)
def time(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    by: str = "",
    topic: list[int] = Query([]),  # noqa: B008
):
    run = finished(run_id)
    selection = Selection.read(request.GET, RunView(run))
    by = by or next(iter(groupings(run)), "")
    if not by:
        raise Invalid("by", f"No document of “{run.corpus.name}” has a date or a category.")
    with called({"field": "by"}):
        counted_sums = sums.of_selection(selection, by)
    topics_chosen = topic or list(range(run.topics))
    for number in topics_chosen:
        topic_numbers.check(number, run, "topic")
    if len(topics_chosen) * len(counted_sums.labels) > MOST_COUNTS:
        raise Invalid(
            "topic",
            f"{len(topics_chosen):,} topics in {len(counted_sums.labels):,} groups are too many for one answer:"
            " say which with ?topic=.",
        )
    shares = counted_sums.shares[:, topics_chosen]
    return {
        "by": by,
        "documents": selection.sentence,
        "groups": counted_sums.labels,
        "topics": topics_chosen,
        "tokens": counted_sums.topic_tokens[:, topics_chosen].tolist(),
        "shares": [list(map(number_or_none, row)) for row in shares],
        "of_tokens": counted_sums.all_tokens.tolist(),
        "of_documents": counted_sums.all_documents.tolist(),
    }


@router.get(
    "/{int:run_id}/effects",
    response={200: EffectsPage, 202: Answering, **ERRORS},
    summary=(
        "How topics’ shares depend on what is known of the documents, with intervals; topic=3,7"
        " adds these along it; estimate=stm has each document count the same"
    ),
    description="In a large corpus a worker estimates them first: 202 says so; ask again.",
)
def effects(
    request: HttpRequest,
    run_id: int,
    documents: Query[shapes.Documents],
    effect: Query[shapes.Effect],
    estimate: EffectWay = "counted",
    order: EffectOrder = "difference",
    topic: str = "",
    after: Offset = 0,
):
    regression = _regression(request, run_id, effect, estimate)
    with called({"topics": "topic"}):
        numbers = trends.read_topics(regression.selection.view, [topic])
    asker = authorization.user_id(request)
    regression = effects_answering.with_estimates(regression, numbers, asker)
    return effects_page(
        regression,
        order,
        numbers,
        after,
        lambda following: paging.following(request, after=following),
    )


@router.get(
    "/{int:run_id}/topics/{int:number}/claim",
    response={200: ClaimPage, 202: Answering, **ERRORS},
    summary=(
        "A topic’s difference of two sets (rest=true: of the chosen documents and all others), or"
        " its effect by a formula, in the other runs of the corpus, and one test of all; while"
        " “waiting” is not 0, ask again"
    ),
    description="In a large corpus a worker compares two sets first: 202 says so; ask again.",
)
def claim(
    request: HttpRequest,
    run_id: int,
    number: int,
    documents: Query[shapes.Documents],
    sides: Query[shapes.Sides],
    effect: Query[shapes.Effect],
    against: Query[shapes.Against],
):
    asker = authorization.user_id(request)
    selection = Selection.read(request.GET, RunView(finished(run_id)))
    sets = None
    if not effect.formula:
        sets = two_sets.of_address(request.GET, selection, against.against_rest, against.constant)
    with called({"topic": "number"}):
        if sets is not None:
            return claim_of_sets(sets.known_to(asker), number, asker).page
        regression = _regression(request, run_id, effect)
        return claim_page(
            effects_answering.with_estimates(regression, [], asker), number, asker
        ).page


def _regression(
    request: HttpRequest, run_id: int, effect: shapes.Effect, estimate: EffectWay = "counted"
) -> estimates.Regression:
    run = finished(run_id)
    selection = Selection.read(request.GET, RunView(run))
    with called({"field": "formula"}):
        formula = asked_formula(selection, effect.formula)
    if formula is None:
        raise Invalid(
            "formula", f"Nothing is known of the documents of “{run.corpus.name}” but their texts."
        )
    asked_effect = EffectQuestion(formula, effect.a, effect.b, effect.x, effect.y, estimate)
    with called({"field": "formula"}):
        return estimates.regression_of(selection, asked_effect)


@router.get(
    "/{int:run_id}/compare/{int:other}",
    response={200: Comparison, 202: Comparing, **ERRORS},
    summary="Which topics of two runs are the same",
    description=(
        "Of runs with many topics a worker compares them first: 202 says how far it is; ask again."
    ),
)
def compare(request: HttpRequest, run_id: int, other: int):
    try:
        return comparisons.comparison(
            unchecked_published_run(run_id),
            unchecked_published_run(other),
            authorization.user_id(request),
        )
    except matchings.Unmatched as state:
        raise NotYet(waiting.describe(state)) from None


@router.get(
    "/{int:run_id}/methods",
    response={200: MethodsPage, **ERRORS},
    summary="How it was made, in sentences for a paper",
)
def written(request: HttpRequest, run_id: int):
    return methods.written(unchecked_published_run(run_id))


@router.get(
    "/{int:run_id}/files", response={200: shapes.Files, **ERRORS}, summary="What can be downloaded"
)
def files(request: HttpRequest, run_id: int):
    run = unchecked_run(run_id)
    return {
        "items": [
            {
                "name": kind.name,
                "title": kind.title,
                "sentence": kind.sentence,
                "files": [
                    reverse("export", args=[run_id, f"{kind.name}.{ending}"])
                    for ending in kind.endings
                ],
            }
            for kind in EXPORT_KINDS.values()
            if kind.is_ready(run)
        ]
    }


def finished(run_id: int) -> Run:
    """A run whose words have been counted."""
    run = unchecked_published_run(run_id)
    if not run.final:
        raise Http404(f"Run {run_id} is {run.status}; its words are counted when training ends.")
    return run
