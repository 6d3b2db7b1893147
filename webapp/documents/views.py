"""Documents: lists and search of a corpus or inside a run, and one document."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from webapp.documents import facets, fields, infer, queries, texts
from webapp.documents.listing import ORDERS, Listing
from webapp.documents.passages import Place
from webapp.documents.selection import Selection
from webapp.drawing.numbers import topic_label
from webapp.models import Corpus, Run
from webapp.pages.page import address, corpus_or_404, next_page, page, place, run_or_404
from webapp.pages.page import number as whole_number
from webapp.results import links
from webapp.results.topics import is_topic
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page

ALL, STRONGEST = "all", "strongest"  # topics whose words are coloured
STRONG = 3  # largest topics of a document: more colours than that are hard to tell apart while one reads


@require_safe
def of_corpus(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    selection = Selection.read(request.GET, corpus)
    data = _list(request, selection)
    return page(request, "corpus/documents.html", data, as_json=as_json, corpus=corpus, selection=selection)


@cached_page()
def of_run(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    selection = Selection.read(request.GET, RunView(run))
    data = _list(request, selection)
    return page(request, "run/documents.html", data, as_json=as_json, run=run, corpus=run.corpus, selection=selection)


def _list(request: HttpRequest, selection: Selection) -> dict:
    """A page of the set's documents, and what the set is made up of."""
    listing = Listing(selection, request.GET.get("by", ""))
    listed, following = queries.page(listing, place(request))
    return listed | {
        "of": selection.corpus.documents,
        "q": selection.q,
        "by": listing.by,
        "orders": _orders(listing),
        "next": next_page(request, after=following),
        "facets": facets.counts(selection),
        "uses": _uses(selection),
    }


def _uses(selection: Selection) -> dict:
    """Pages that show the set, or make something of it."""
    run = selection.run
    uses = {
        "subset": reverse("corpus_subset", args=[selection.corpus.pk]) + selection.address(run=run.pk if run else None)
    }
    if run:
        uses |= {
            "topics": reverse("run_topics", args=[run.pk]) + selection.address(),
            "time": reverse("run_time", args=[run.pk]) + selection.address(),
        }
    return uses


def _orders(listing: Listing) -> list[dict]:
    """The orders in which the list can be read, and the address of each."""
    selection = listing.selection
    offered = {by: label for by, label in ORDERS.items() if by != "relevance" or selection.q}
    if not fields.dated(selection.version):
        del offered["date"], offered["newest"]
    topics = dict.fromkeys([topic for topic, _ in selection.topics] + [listing.topic] * (listing.topic is not None))
    offered |= {topic_label(k): f"share of {selection.run_view.labels.title(k)}" for k in topics}
    return [
        {
            "by": by,
            "label": label,
            "url": selection.address(by=by if by != listing.default else None),
            "chosen": by == listing.by,
        }
        for by, label in offered.items()
    ]


@require_safe
def in_corpus(request: HttpRequest, corpus_id: int, number: int, as_json: bool = False) -> HttpResponse:
    """A document as it is, without a run."""
    corpus = corpus_or_404(corpus_id)
    data = _document(request, Selection.read(request.GET, corpus), number, "corpus_document", corpus.pk)
    document, passage = data["document"], Place.read(request)
    whole = [texts.Word(document["text"], document["start"])] if document["text"] else []
    return page(
        request,
        "corpus/document.html",
        data,
        as_json=as_json,
        corpus=corpus,
        **_cite(corpus, number, passage),
        text_words=texts.parted(whole, *passage) if passage else (whole, [], []),
    )


@require_safe
def in_run(request: HttpRequest, run_id: int, number: int, as_json: bool = False) -> HttpResponse:
    """A document with its topics' proportions, its words by topic, and the documents that are like it; as it is while
    the run has no topics of it."""
    run = run_or_404(run_id)
    if not as_json and not run.final:
        return redirect(reverse("corpus_document", args=[run.corpus_id, number]) + address(request).rstrip("?"))
    view = RunView(run)
    data = _document(request, Selection.read(request.GET, view), number, "run_document", run.pk)
    tokens, document = texts.tokens(view, number), data["document"]
    parts = queries.proportions(view, number)
    for part in parts:
        part["mark"] = address(request, show=part["number"], topic=None)
    chosen = _shown(request, view, parts)
    data |= {
        "proportions": parts,
        "show": chosen.name,
        "topic": chosen.topic,
        "strip": _strip(request, texts.strip(tokens, document["length"])),
    }
    data |= queries.similar(view, number).data(run)
    if as_json:
        return page(request, "", data, as_json=True)
    words, passage = texts.words(run, tokens, document["text"], document["start"]), Place.read(request)
    ways = {name: address(request, show=name, topic=None) for name in (ALL, STRONGEST)}
    hues = links.hues(view, parts)
    return page(
        request,
        "run/document.html",
        data,
        run=run,
        text_words=texts.parted(words, *passage) if passage else (words, [], []),
        **_cite(run, number, passage),
        shown=chosen.topics,
        ways=ways,
        hues=hues,
        length_shown=document["end"] - document["start"],
    )


@require_safe
def word(request: HttpRequest, run_id: int, number: int, column: int) -> HttpResponse:
    """How likely each topic is for a word of a document, a column of the bag of words: asked for when a reader points
    at it."""
    run = run_or_404(run_id)
    _exists(run.corpus, number)
    likely = infer.word(RunView(run), number, column)
    if likely is None:
        raise Http404(f"Document {number} does not have the word {column}.")
    return page(request, "", likely, as_json=True)


def _cite(owner: Run | Corpus, number: int, passage: Place | None) -> dict:
    """For the link from a marked passage to its page: of the address, or below `passages` where a reader marks one."""
    return {
        "marked": passage,
        "passages": links.selected_document_url(owner, number, "passages/"),
        "cite": passage and links.passage_url(owner, number, *passage),
    }


class Shown(NamedTuple):
    """Which topics' words are coloured: `name` as in the address; topic: where it is one alone."""

    name: str
    topics: set[int]
    topic: int | None


def _shown(request: HttpRequest, view: RunView, parts: list[dict]) -> Shown:
    """?show=all, strongest, or a topic's number. What is none of these is the strongest."""
    name = request.GET.get("show") or request.GET.get("topic") or STRONGEST
    if name == ALL:
        return Shown(ALL, {part["number"] for part in parts}, None)
    if is_topic(name, view.run):
        topic = int(view.labels.into[int(name)])
        return Shown(str(topic), {topic}, topic)
    return Shown(STRONGEST, {part["number"] for part in parts[:STRONG]}, None)


def _strip(request: HttpRequest, strip: texts.Strip) -> list[dict]:
    """Sections of the document: where each begins, its tokens, its topics' shares, and the address of its place."""
    sections = []
    for i, counts in enumerate(strip.tokens):
        total = int(counts.sum())
        shares = [(k, float(n / total)) for k, n in zip(strip.topics, counts.tolist(), strict=True) if n]
        sections.append(
            {
                "at": strip.edges[i],
                "tokens": total,
                "topics": shares,
                "url": address(request, at=strip.edges[i], passage=None) + "#here",
            }
        )
    return sections


def _exists(corpus: Corpus, number: int) -> None:
    if not 0 <= number < corpus.documents:
        raise Http404(f"“{corpus.name}” has no document {number}.")


def _document(request: HttpRequest, selection: Selection, number: int, url_name: str, owner: int) -> dict:
    """A document, the parts of its text, and its neighbours in the list that one came from."""
    corpus = selection.corpus
    _exists(corpus, number)
    passage = Place.read(request)
    at = whole_number(request, "at", passage.start if passage else 0)
    document = queries.described(corpus, number, at)
    if document is None:
        raise Http404(f"“{corpus.name}” has no document {number}.")
    if passage and passage.end > document["length"]:
        raise Http404(f"Document {number} has {document['length']:,} characters, and no passage up to {passage.end:,}.")
    listing = Listing(selection, request.GET.get("by", ""))
    around = listing.around(number)
    kept = listing.parameters + [("show", request.GET.get("show", ""))]
    way = urlencode([(name, value) for name, value in kept if value])
    data = {"document": document, "at": min(at, document["length"]), "whole": None}
    if document["parts"] > 1:
        first = number - document["part"] + 1
        whole = reverse("run_whole" if selection.run else "corpus_whole", args=[owner, first])
        data["whole"] = {"first": first, "title": document["whole"], "url": whole}
    for name in ("previous", "next"):
        n = getattr(around, name)
        data[name] = (
            None if n is None else {"number": n, "url": reverse(url_name, args=[owner, n]) + (f"?{way}" if way else "")}
        )
    data["before"] = (
        address(request, at=max(0, document["start"] - 1), passage=None) + "#text" if document["start"] else None
    )
    data["after"] = (
        address(request, at=document["end"], passage=None) + "#text" if document["end"] < document["length"] else None
    )
    home = reverse("run_documents" if selection.run else "corpus_documents", args=[owner])
    data["list"] = {
        "place": around.place,
        "count": selection.count,
        "sentence": selection.sentence,
        "url": home + (f"?{urlencode(listing.parameters)}" if listing.parameters else ""),
    }
    return data
