"""One topic, all its words, and why a word is in it."""

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse

from inference.errors import Invalid
from webapp.curation import queries as curation
from webapp.documents import sums
from webapp.documents.selection import Selection
from webapp.models import Run
from webapp.pages.page import address, number, page, place
from webapp.results import hidden_words
from webapp.results import topics as queries
from webapp.server.page_cache import cached_page
from webapp.topics import topic
from webapp.words import queries as of_words

LAMBDA = 0.6  # the relevance at which readers named topics best: Sievert and Shirley 2014, section 3.2
ALL_WORDS = 100  # on a page of them
RANKS = {"share": "share", "words": "tokens"}


@cached_page()
def detail(request: HttpRequest, run: Run, number: int, as_json: bool = False) -> HttpResponse:
    found, drop = _topic(request, run, number)
    selection = Selection.read(request.GET, run.corpus, run)
    data = {
        "topic": found,
        "drop": drop,
        "previous": queries.link(run, number - 1) if number > 0 else None,
        "next": queries.link(run, number + 1) if number + 1 < run.topics else None,
        "curation": curation.of(run, number),
    }
    if not run.snapshot.final:
        data["words"], _ = queries.words(run, number)
        return page(request, "run/topic_forming.html", data, as_json=as_json, run=run)
    counted = sums.of(run, selection)
    rank = request.GET.get("rank", "")
    rank = rank if rank in RANKS else "share"
    documents, following = topic.documents(run, number, selection, RANKS[rank], place(request))
    data |= {
        "counted": {
            "tokens": int(counted.tokens[0, number]), "documents": int(counted.documents[0, number]),
            "of_tokens": int(counted.of_tokens[0]), "of_documents": int(counted.of_documents[0]),
            "share": int(counted.tokens[0, number]) / max(1, int(counted.of_tokens[0])),
        },
        "first": queries.top_words(run, [number], 5)[number],
        **_words(request, run, number, selection, topic.WORDS, 0),
        "groups": topic.groups(run, number, selection, request.GET.get("by", "")),
        "rank": rank,
        "documents": documents,
        "next_documents": address(request, after=following) if following else None,
        **topic.neighbours(run, number),
        "measures": topic.diagnostics(run, number),
    }  # fmt: skip
    return page(request, "run/topic.html", data, as_json=as_json, run=run, selection=selection)


@cached_page()
def words(request: HttpRequest, run: Run, number: int, as_json: bool = False) -> HttpResponse:
    """All words of a topic, by relevance."""
    found, drop = _topic(request, run, number)
    selection = Selection.read(request.GET, run.corpus, run)
    data = {"topic": found, "drop": drop} | _words(request, run, number, selection, ALL_WORDS, _place(request))
    return page(request, "run/topic_words.html", data, as_json=as_json, run=run, selection=selection)


@cached_page()
def why(request: HttpRequest, run: Run, number: int, word: str, as_json: bool = False) -> HttpResponse:
    found, _ = _topic(request, run, number)
    if not run.snapshot.final:
        raise Invalid("run", f"Run {run.pk} has not counted its words yet: that is done when training ends.")
    known = of_words.word(run.version, word.lower())
    if known is None:
        raise Http404(f"“{word}” is not in the vocabulary of “{run.corpus.name}”.")
    selection = Selection.read(request.GET, run.corpus, run)
    data = {"topic": found, "why": topic.why(run, number, known, selection)}
    return page(request, "run/topic_word.html", data, as_json=as_json, run=run, selection=selection)


def _topic(request: HttpRequest, run: Run, number: int) -> tuple[dict, dict | None]:
    """The topic, and what is dropped from view."""
    drop = hidden_words.read(request.GET, run)
    found = queries.described(run, number)
    if found is None:
        raise Http404(f"Run {run.pk} has no topic {number}.")
    return found, drop


def _words(request: HttpRequest, run: Run, k: int, selection: Selection, limit: int, after: int) -> dict:
    lam = _lambda(request)
    found, following = topic.relevant(run, k, selection, lam, after, limit)
    return {"words": found, "lambda": lam, "next_words": following}


def _lambda(request: HttpRequest) -> float:
    text = request.GET.get("lambda", "")
    if not text:
        return LAMBDA
    try:
        lam = float(text)
    except ValueError:
        lam = -1.0
    if not 0 <= lam <= 1:
        raise BadRequest(f"“lambda” in the address must be from 0 to 1, got “{text[:50]}”.")
    return lam


def _place(request: HttpRequest) -> int:
    return number(request, "after", 0)
