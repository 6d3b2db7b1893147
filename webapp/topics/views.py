"""One topic, all its words, and why a word is in it."""

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse

from inference.errors import Invalid
from inference.explore import relevance
from webapp.curation import queries as curation
from webapp.documents import sums
from webapp.documents.selection import RunSelection, Selection
from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.pages.page import next_page, number, page, place
from webapp.results import hidden_words, links, topics
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.topics import topic, topic_documents, topic_words, verdict, word_in_topic
from webapp.words import queries as of_words

ALL_WORDS = 100  # on a page of them
RANKS = {"share": "share", "words": "tokens"}


def _runs_to_compare(request: HttpRequest, run: Run) -> tuple[int, ...]:
    """Other runs in which the topic may be found again: a new one changes what the page says."""
    return tuple(verdict.independent(run))


@cached_page(depends_on=_runs_to_compare)
def detail(request: HttpRequest, run: Run, number: int, as_json: bool = False) -> HttpResponse:
    view, link = _topic(request, run, number)
    selection = Selection.read(request.GET, view)
    previous, following = [k for k in view.topics if k < number], [k for k in view.topics if k > number]
    data = {
        "topic": link,
        "drop": view.hidden_words.described(),
        "previous": links.topic(view, previous[-1]) if previous else None,
        "next": links.topic(view, following[0]) if following else None,
        "curation": curation.of(view, number),
    }
    if not run.final:
        data["words"] = links.with_word_urls(topics.words(run, number)[0], run)
        return page(request, "run/topic_forming.html", data, as_json=as_json, run=run, hidden_words=view.hidden_words)
    counted = sums.of(selection)
    rank = request.GET.get("rank", "")
    rank = rank if rank in RANKS else "share"
    documents, following = topic_documents.ranked(view, number, selection, RANKS[rank], place(request))
    for document in documents:
        document["alike"] = links.with_document_urls(
            [{"number": n} for n in document["alike"]], run, f"?topic={number}"
        )
    company = topic.neighbours(view, number, selection)
    data |= {
        "counted": {
            "tokens": int(counted.tokens[0, number]), "documents": int(counted.documents[0, number]),
            "of_tokens": int(counted.of_tokens[0]), "of_documents": int(counted.of_documents[0]),
            "share": int(counted.tokens[0, number]) / max(1, int(counted.of_tokens[0])),
        },
        "first": topics.top_words(view, [number], 5)[number],
        **_words(request, view, number, selection, topic_words.WORDS, 0),
        "groups": topic.groups(view, number, selection, request.GET.get("by", "")),
        "rank": rank,
        "documents": links.with_document_urls(documents, run, f"?topic={number}"),
        "next_documents": next_page(request, after=following),
        **company,
        "verdict": verdict.of(view, number, company["similar"], verdict.independent(run)),
        "measures": topic.diagnostics(run, number),
    }  # fmt: skip
    mostly = links.documents_url(run, selection.with_topic(number, 50).address(by=topic_label(number)))
    return page(
        request,
        "run/topic.html",
        data,
        as_json=as_json,
        run=run,
        hidden_words=view.hidden_words,
        selection=selection,
        mostly=mostly,
        own_words=topics.OWN,
    )


@cached_page()
def words(request: HttpRequest, run: Run, number: int, as_json: bool = False) -> HttpResponse:
    """All words of a topic, by relevance."""
    view, link = _topic(request, run, number)
    selection = Selection.read(request.GET, view)
    data = {"topic": link, "drop": view.hidden_words.described()}
    data |= _words(request, view, number, selection, ALL_WORDS, _place(request))
    return page(
        request,
        "run/topic_words.html",
        data,
        as_json=as_json,
        run=run,
        hidden_words=view.hidden_words,
        selection=selection,
    )


@cached_page()
def why(request: HttpRequest, run: Run, number: int, word: str, as_json: bool = False) -> HttpResponse:
    view, link = _topic(request, run, number)
    if not run.final:
        raise Invalid("run", f"Run {run.pk} has not counted its words yet: that is done when training ends.")
    known = of_words.word(run.version, word.lower())
    if known is None:
        raise Http404(f"“{word}” is not in the vocabulary of “{run.corpus.name}”.")
    selection = Selection.read(request.GET, view)
    data = {"topic": link, "why": word_in_topic.why(view, number, known, selection)}
    return page(
        request,
        "run/topic_word.html",
        data,
        as_json=as_json,
        run=run,
        hidden_words=view.hidden_words,
        selection=selection,
    )


def _topic(request: HttpRequest, run: Run, number: int) -> tuple[RunView, dict]:
    """The run without the words that the address hides, and the topic."""
    view = RunView(run, hidden_words.read(request.GET, run))
    link = topics.described(view, number)
    if link is None:
        raise Http404(f"Run {run.pk} has no topic {number}.")
    return view, link


def _words(request: HttpRequest, view: RunView, k: int, selection: RunSelection, limit: int, after: int) -> dict:
    lam = _lambda(request)
    listed, following = topic_words.relevant(view, k, selection, lam, after, limit)
    return {"words": listed, "lambda": lam, "next_words": following}


def _lambda(request: HttpRequest) -> float:
    text = request.GET.get("lambda", "")
    if not text:
        return relevance.LAM
    try:
        lam = float(text)
    except ValueError:
        lam = -1.0
    if not 0 <= lam <= 1:
        raise BadRequest(f"“lambda” in the address must be from 0 to 1, got “{text[:50]}”.")
    return lam


def _place(request: HttpRequest) -> int:
    return number(request, "after", 0)
