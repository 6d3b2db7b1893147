"""Documents: lists and search of a corpus or inside a run, and one document."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inference.errors import there
from webapp.documents import facets, fields, infer, queries, texts
from webapp.documents.listing import ORDERS, Listing
from webapp.documents.passages import Place
from webapp.documents.selection import Selection
from webapp.documents.shapes import (
    ColouredHtml,
    Document,
    DocumentOfRunPage,
    DocumentPage,
    DocumentsPage,
    LikelyTopics,
    ListOrder,
    MarkedProportion,
    Neighbour,
    PlaceInList,
    Proportion,
    Stretch,
    TextHtml,
    WholeLink,
)
from webapp.drawing.numbers import topic_label
from webapp.models import Corpus, Run
from webapp.pages.typed import Answer, Here, typed
from webapp.pages.typed import Place as Begins
from webapp.results import links
from webapp.results.topics import is_topic
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page

ALL, STRONGEST = "all", "strongest"  # topics whose words are coloured
STRONG = 3  # largest topics of a document: more colours than that are hard to tell apart while one reads


@typed("corpus/documents.html")
def of_corpus(
    corpus: Corpus, selection: Selection, here: Here, *, by: str = "", after: Begins = None
) -> Answer[DocumentsPage]:
    return Answer(_list(here, Listing(selection, by), after))


@cached_page()
@typed("run/documents.html")
def of_run(run: Run, selection: Selection, here: Here, *, by: str = "", after: Begins = None) -> Answer[DocumentsPage]:
    return Answer(_list(here, Listing(selection, by), after))


def _list(here: Here, listing: Listing, after: tuple[float, int] | None) -> DocumentsPage:
    """A page of the set's documents, and what the set is made up of."""
    found, following = queries.page(listing, after)
    selection = listing.selection
    return DocumentsPage(
        **vars(found),
        of=selection.corpus.documents,
        q=selection.q,
        by=listing.by,
        orders=_orders(listing),
        next=here.following(following),
        facets=facets.counts(selection),
        uses=_uses(selection),
    )


def _uses(selection: Selection) -> dict[str, str]:
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


def _orders(listing: Listing) -> list[ListOrder]:
    """The orders in which the list can be read, and the address of each."""
    selection = listing.selection
    offered = {by: label for by, label in ORDERS.items() if by != "relevance" or selection.q}
    if not fields.dated(selection.version):
        del offered["date"], offered["newest"]
    own = [] if listing.topic is None else [listing.topic]
    for k in dict.fromkeys([topic for topic, _ in selection.topics] + own):
        offered[topic_label(k)] = f"share of {selection.run_view.labels.title(k)}"
    return [
        ListOrder(by, label, selection.address(by=by if by != listing.default else None), by == listing.by)
        for by, label in offered.items()
    ]


@typed("corpus/document.html")
def in_corpus(
    request: HttpRequest, corpus: Corpus, here: Here, number: int, *, passage: str = "", at: int | None = None, by: str = ""
) -> Answer[DocumentPage]:  # fmt: skip
    """A document as it is, without a run."""
    marked = Place.read(passage)
    page = _document(here, Selection.read(request.GET, corpus), number, marked, at, by)
    document = page.document
    whole = [texts.Word(document.text, document.start)] if document.text else []
    return Answer(page, lambda: _text(corpus, number, marked, whole))


@typed("run/document.html")
def in_run(
    request: HttpRequest, run: Run, view: RunView, here: Here, number: int, as_json: bool,
    *, passage: str = "", at: int | None = None, by: str = "", show: str = "", topic: str = "",
) -> Answer[DocumentOfRunPage] | HttpResponse:  # fmt: skip
    """A document with its topics' proportions, its words by topic, and the documents that are like it; as it is while
    the run has no topics of it."""
    if not as_json and not run.final:
        return redirect(reverse("corpus_document", args=[run.corpus_id, number]) + here.url().rstrip("?"))
    marked = Place.read(passage)
    plain = _document(here, Selection.read(request.GET, view), number, marked, at, by)
    tokens, document = texts.tokens(view, number), plain.document
    parts = queries.proportions(view, number)
    chosen = _shown(show or topic, view, parts)
    page = DocumentOfRunPage(
        **vars(plain),
        proportions=[MarkedProportion(**vars(part), mark=here.url(show=part.number, topic=None)) for part in parts],
        show=chosen.name,
        topic=chosen.topic,
        strip=_strip(here, texts.strip(tokens, document.length)),
        **vars(queries.similar(view, number)),
    )

    def html() -> ColouredHtml:
        text = _text(run, number, marked, texts.words(run, tokens, document.text, document.start))
        return ColouredHtml(
            **vars(text) | {"cite": view.go.with_set(text.cite)},
            shown=chosen.topics,
            hues=links.hues(view, parts),
            all=here.url(show=ALL, topic=None),
            strongest=here.url(show=STRONGEST, topic=None),
            length=document.end - document.start,
        )

    return Answer(page, html)


@typed({})
def word(run: Run, view: RunView, number: int, column: int) -> Answer[LikelyTopics]:
    """How likely each topic is for a word of a document, a column of the bag of words: asked for when a reader points
    at it."""
    _exists(run.corpus, number)
    likely = there(infer.word(view, number, column), Http404(f"Document {number} does not have the word {column}."))
    return Answer(likely)


def _text(owner: Run | Corpus, number: int, passage: Place | None, words: list[texts.Word]) -> TextHtml:
    return TextHtml(
        words=texts.parted(words, *passage) if passage else (words, [], []),
        marked=passage is not None,
        passages=links.selected_document_url(owner, number, "passages/"),
        cite=links.passage_url(owner, number, *passage) if passage else "",
    )


class Shown(NamedTuple):
    """Which topics' words are coloured: `name` as in the address; topic: where it is one alone."""

    name: str
    topics: set[int]
    topic: int | None


def _shown(name: str, view: RunView, parts: list[Proportion]) -> Shown:
    """name: all, strongest, or a topic's number. What is none of these is the strongest."""
    if name == ALL:
        return Shown(ALL, {part.number for part in parts}, None)
    if is_topic(name, view.run):
        topic = int(view.labels.into[int(name)])
        return Shown(str(topic), {topic}, topic)
    return Shown(STRONGEST, {part.number for part in parts[:STRONG]}, None)


def _strip(here: Here, strip: texts.Strip) -> list[Stretch]:
    """Sections of the document, each with the address of its place."""
    sections = []
    for at, counts in zip(strip.edges, strip.tokens, strict=False):
        total = int(counts.sum())
        shares = [(k, float(n / total)) for k, n in zip(strip.topics, counts.tolist(), strict=True) if n]
        sections.append(Stretch(at, total, shares, here.url(at=at, passage=None) + "#here"))
    return sections


def _exists(corpus: Corpus, number: int) -> None:
    if not 0 <= number < corpus.documents:
        raise Http404(f"“{corpus.name}” has no document {number}.")


def _document(
    here: Here, selection: Selection, number: int, passage: Place | None, at: int | None, by: str
) -> DocumentPage:
    """A document, the parts of its text, and its neighbours in the list that one came from."""
    corpus = selection.corpus
    _exists(corpus, number)
    at = at if at is not None else passage.start if passage else 0
    document = there(queries.document(corpus, number, at), Http404(f"“{corpus.name}” has no document {number}."))
    if passage and passage.end > document.length:
        raise Http404(f"Document {number} has {document.length:,} characters, and no passage up to {passage.end:,}.")
    listing = Listing(selection, by)
    around = listing.around(number)
    before, after = max(0, document.start - 1), document.end
    return DocumentPage(
        document=document,
        at=min(at, document.length),
        whole=_whole(selection, document),
        previous=_neighbour(here, listing, around.previous),
        next=_neighbour(here, listing, around.next),
        before=here.url(at=before, passage=None) + "#text" if document.start else None,
        after=here.url(at=after, passage=None) + "#text" if after < document.length else None,
        list=PlaceInList(around.place, selection.count, selection.sentence, _list_url(listing)),
    )


def _whole(selection: Selection, document: Document) -> WholeLink | None:
    if document.parts <= 1:
        return None
    first = document.number - document.part + 1
    view = selection.view
    url = view.go("run_whole", first) if view else reverse("corpus_whole", args=[selection.corpus.pk, first])
    return WholeLink(first, document.whole, url)


def _neighbour(here: Here, listing: Listing, number: int | None) -> Neighbour | None:
    if number is None:
        return None
    kept = [*listing.parameters, ("show", here.query.get("show", ""))]
    way = urlencode([(name, value) for name, value in kept if value])
    owner = listing.selection.run or listing.selection.corpus
    return Neighbour(number, links.selected_document_url(owner, number, f"?{way}" if way else ""))


def _list_url(listing: Listing) -> str:
    selection = listing.selection
    name, owner = ("run_documents", selection.run) if selection.run else ("corpus_documents", selection.corpus)
    return reverse(name, args=[owner.pk]) + (f"?{urlencode(listing.parameters)}" if listing.parameters else "")
