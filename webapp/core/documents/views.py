"""Documents: lists and search of a corpus or inside a run, one document, a passage of one, and
whole documents: what the sections that were made of one hold together.
"""

import json
from functools import partial
from itertools import pairwise

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from webapp.core.documents import (
    document_days,
    facets,
    infer,
    passages,
    queries,
    texts,
    whole_documents,
)
from webapp.core.documents.document import (
    ShownDocument,
    read_document,
    read_document_of_run,
)
from webapp.core.documents.listing import ORDERS, Listing
from webapp.core.documents.passages import Place
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.documents.shapes import (
    ColouredHtml,
    DocumentOfRunPage,
    DocumentPage,
    DocumentsPage,
    LikelyTopics,
    Link,
    ListOrder,
    MarkedProportion,
    Neighbour,
    PassageHtml,
    PassageOfRunPage,
    PassagePage,
    PlaceInList,
    Proportion,
    SectionOfRun,
    Stretch,
    StretchOfWhole,
    TextHtml,
    WholeHtml,
    WholeLink,
    WholeOfRunPage,
    WholePage,
)
from webapp.core.results import links, topic_numbers
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.models import Corpus, Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.pages.typed import Cursor, PageQuery, PageResponse, typed

# topics whose words are coloured
ALL = "all"
STRONGEST = "strongest"
STRONG = (
    3  # largest topics of a document: more colours than that are hard to tell apart while one reads
)


@typed("corpus/documents.html")
def of_corpus(
    corpus: Corpus,
    selection: Selection,
    page_query: PageQuery,
    *,
    by: str = "",
    after: Cursor = None,
) -> PageResponse[DocumentsPage]:
    """A page of a corpus's documents, in an order; an empty list where the set has none."""
    return PageResponse(_list(page_query, Listing(selection, by), after))


@cached_page()
@typed("run/documents.html")
def of_run(
    run: Run, selection: Selection, page_query: PageQuery, *, by: str = "", after: Cursor = None
) -> PageResponse[DocumentsPage]:
    """A page of a run's documents, in an order; an empty list where the set has none."""
    return PageResponse(_list(page_query, Listing(selection, by), after))


def _list(
    page_query: PageQuery, listing: Listing, after: tuple[float, int] | None
) -> DocumentsPage:
    """A page of the set's documents, and what the set is made up of."""
    found_documents, following = queries.page(listing, after)
    selection = listing.selection
    return DocumentsPage(
        **vars(found_documents),
        of=selection.corpus.documents,
        q=selection.q,
        by=listing.by,
        orders=_orders(listing),
        next=page_query.following(following),
        facets=facets.counts(selection),
        uses=_uses(selection),
    )


def _uses(selection: Selection) -> dict[str, str]:
    """Pages that show the set, or make something of it."""
    run = selection.run
    subset = reverse("corpus_subset", args=[selection.corpus.pk]) + selection.address(
        run=run.pk if run else None
    )
    addresses = {"subset": subset}
    if run:
        addresses["topics"] = reverse("run_topics", args=[run.pk]) + selection.address()
        addresses["time"] = reverse("run_time", args=[run.pk]) + selection.address()
    return addresses


def _orders(listing: Listing) -> list[ListOrder]:
    """The orders in which the list can be read, and the address of each."""
    selection = listing.selection
    offered = {by: label for by, label in ORDERS.items() if by != "relevance" or selection.q}
    if not document_days.first_and_last(selection.version):
        del offered["date"], offered["newest"]
    if isinstance(selection, RunSelection):
        topic_order = [] if listing.topic is None else [listing.topic]
        for k in dict.fromkeys([topic for topic, _ in selection.topics] + topic_order):
            offered[topic_label(k)] = f"share of {selection.view.labels.title(k)}"
    return [
        ListOrder(
            label, selection.address(by=by if by != listing.default else None), by, by == listing.by
        )
        for by, label in offered.items()
    ]


@typed("corpus/document.html", restricted=False)
def in_corpus(
    corpus: Corpus,
    selection: Selection,
    page_query: PageQuery,
    number: int,
    *,
    passage: str = "",
    at: int | None = None,
    by: str = "",
) -> PageResponse[DocumentPage]:
    """A document as it is, without a run."""
    passage_place = Place.read(passage)
    _check_exists(corpus, number)
    document = read_document(selection, number, _first_character(at, passage_place))
    if document is None:
        raise _missing(corpus, number)
    page = _document(page_query, document, passage_place, at, by)
    return PageResponse(page, partial(_text, corpus, document, passage_place))


@typed("run/document.html", restricted=False)
def in_run(
    run: Run,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    number: int,
    as_json: bool,
    *,
    passage: str = "",
    at: int | None = None,
    by: str = "",
    show: str = "",
    topic: str = "",
) -> PageResponse[DocumentOfRunPage] | HttpResponse:
    """A document with its topics' proportions, its words by topic, and the documents that are like
    it; as it is where the run has no topics of it: while it trains, and where the document was
    added later."""
    was_added_later = run.version.documents <= number < run.corpus.documents
    if not as_json and (was_added_later or not run.final):
        return redirect(
            reverse("corpus_document", args=[run.corpus_id, number]) + page_query.url().rstrip("?")
        )
    passage_place = Place.read(passage)
    _check_is_read(run, number)
    document = read_document_of_run(selection, number, _first_character(at, passage_place))
    if document is None:
        raise _missing(run.corpus, number)
    plain = _document(page_query, document, passage_place, at, by)
    similar = document.similar
    name, coloured, only_topic = _coloured_topics(show or topic, view, document.proportions)
    page = DocumentOfRunPage(
        **vars(plain),
        proportions=[
            MarkedProportion(**vars(part), mark=page_query.url(show=part.number, topic=None))
            for part in document.proportions
        ],
        show=name,
        topic=only_topic,
        strip=_strip(page_query, document.strip),
        similar=similar.similar,
        similar_unseen=similar.similar_unseen,
        similar_looked=similar.similar_looked,
    )

    def html() -> ColouredHtml:
        text = _text(run, document, passage_place)
        return ColouredHtml(
            words=text.words,
            marked=text.marked,
            passages=text.passages,
            cite=view.go.with_set(text.cite),
            shown=coloured,
            hues=links.hues(view),
            all=page_query.url(show=ALL, topic=None),
            strongest=page_query.url(show=STRONGEST, topic=None),
            length=document.about.end - document.about.start,
        )

    return PageResponse(page, html)


@typed({})
def word(run: Run, view: RunView, number: int, column: int) -> PageResponse[LikelyTopics]:
    """How likely each topic is for a word of a document, a column of the bag of words: asked for
    when a reader points at it."""
    _check_is_read(run, number)
    word = infer.word(view, number, column)
    if word is None:
        raise Http404(f"Document {number} does not have the word {column}.")
    return PageResponse(word)


def _first_character(at: int | None, passage: Place | None) -> int:
    """The character that the shown part of the text must hold: the one that the address asks for,
    else the first of the passage."""
    if at is not None:
        return at
    return passage.start if passage else 0


def _text(owner: Run | Corpus, document: ShownDocument, passage: Place | None) -> TextHtml:
    words = document.words
    return TextHtml(
        words=texts.parted(words, *passage) if passage else (words, [], []),
        marked=passage is not None,
        passages=links.selected_document_url(owner, document.number, "passages/"),
        cite=links.passage_url(owner, document.number, *passage) if passage else "",
    )


def _coloured_topics(
    name: str, view: RunView, parts: list[Proportion]
) -> tuple[str, set[int], int | None]:
    """Which topics' words are coloured: as the address says it; their numbers; the topic where it
    is one alone. name: all, strongest, or a topic's number. What is none of these is the
    strongest."""
    number = topic_numbers.find(name, view.run)
    if number is not None:
        topic = int(view.labels.into[number])
        return str(topic), {topic}, topic
    if name == ALL:
        return ALL, {part.number for part in parts}, None
    return STRONGEST, {part.number for part in parts[:STRONG]}, None


def _strip(page_query: PageQuery, strip: texts.Strip) -> list[Stretch]:
    """The stretches of the document, each with the address of its place."""
    stretches = []
    # There is one edge more than stretches: the end of the last.
    for at, counts in zip(strip.edges, strip.tokens.tolist(), strict=False):
        total = sum(counts)
        shares = [(k, n / total) for k, n in zip(strip.topics, counts, strict=True) if n]
        url = page_query.url(at=at, passage=None) + "#here"
        stretches.append(Stretch(at=at, tokens=total, topics=shares, url=url))
    return stretches


def _check_exists(corpus: Corpus, number: int) -> None:
    """Raises Http404 for a document that the corpus does not have."""
    if not 0 <= number < corpus.documents:
        raise _missing(corpus, number)


def _check_is_read(run: Run, number: int) -> None:
    """Raises Http404 for a document that the run knows nothing of."""
    _check_exists(run.corpus, number)
    if number >= run.version.documents:
        raise Http404(f"Document {number} was added after run {run.pk}, which has no topics of it.")


def _missing(corpus: Corpus, number: int) -> Http404:
    return Http404(f"“{corpus.name}” has no document {number}.")


def _document(
    page_query: PageQuery,
    document: ShownDocument,
    passage: Place | None,
    at: int | None,
    by: str,
) -> DocumentPage:
    """A document, the parts of its text, and its neighbours in the list that one came from."""
    about = document.about
    if passage and passage.end > about.length:
        raise Http404(
            f"Document {about.number} has {about.length:,} characters, and no passage up to"
            f" {passage.end:,}."
        )
    selection = document.selection
    listing = Listing(selection, by)
    around = listing.around(about.number)
    before = after = None
    if about.start:
        before = page_query.url(at=about.start - 1, passage=None) + "#text"
    if about.end < about.length:
        after = page_query.url(at=about.end, passage=None) + "#text"
    return DocumentPage(
        document=about,
        at=min(_first_character(at, passage), about.length),
        whole=_whole_link(document),
        previous=_neighbour(page_query, listing, around.previous),
        next=_neighbour(page_query, listing, around.next),
        before=before,
        after=after,
        list=PlaceInList(around.place, selection.count, selection.sentence, _list_url(listing)),
    )


def _whole_link(document: ShownDocument) -> WholeLink | None:
    first = document.first_section
    if first is None:
        return None
    selection = document.selection
    if selection.view:
        url = selection.view.go("run_whole", first)
    else:
        url = reverse("corpus_whole", args=[selection.corpus.pk, first])
    return WholeLink(first, document.about.whole, url)


def _neighbour(page_query: PageQuery, listing: Listing, number: int | None) -> Neighbour | None:
    if number is None:
        return None
    shown_topics = page_query.query.get("show", "")
    further = [("show", shown_topics)] if shown_topics else []
    owner = listing.selection.run or listing.selection.corpus
    url = links.selected_document_url(owner, number, listing.query_string(*further))
    return Neighbour(number, url)


def _list_url(listing: Listing) -> str:
    selection = listing.selection
    name, owner = (
        ("run_documents", selection.run)
        if selection.run
        else ("corpus_documents", selection.corpus)
    )
    return reverse(name, args=[owner.pk]) + listing.query_string()


@typed("passage.html")
def passage_in_corpus(
    request: HttpRequest, corpus: Corpus, number: int, start: int, end: int
) -> PageResponse[PassagePage]:
    """A passage of a document, characters start to end; not found where the document has no such
    passage."""
    page = _passage(corpus, corpus, number, Place(start, end))
    return PageResponse(page, partial(_passage_html, request, corpus, page))


@typed("run/passage.html")
def passage_in_run(
    request: HttpRequest, run: Run, view: RunView, number: int, start: int, end: int
) -> PageResponse[PassageOfRunPage]:
    """With the passage's topics. Under embargo not: which topic stands at which character would say
    more than counts."""
    passage = Place(start, end)
    _check_is_read(run, number)
    described = _passage(run.corpus, run, number, passage)
    tokens = passages.mixture(view, number, passage)
    if run.corpus.embargo:
        tokens[:] = 0
    similar = passages.similar(view, number, tokens)
    page = PassageOfRunPage(
        **vars(described) | {"url": view.go.with_set(described.url)},
        tokens=int(tokens.sum()),
        proportions=queries.topic_proportions(view, view.labels.merged(tokens)),
        similar=similar.similar,
        similar_unseen=similar.similar_unseen,
        similar_looked=similar.similar_looked,
    )
    return PageResponse(page, partial(_passage_html, request, run.corpus, page))


def _passage(corpus: Corpus, owner: Run | Corpus, number: int, span: Place) -> PassagePage:
    passage = passages.described(corpus, number, span) if number < corpus.documents else None
    if passage is None:
        raise Http404(
            f"Document {number} of “{corpus.name}” has no passage from character {span.start} to"
            f" {span.end}. A passage lies within its document and has at most {embargo.QUOTE:,}"
            " characters."
        )
    return PassagePage(**vars(passage), url=links.marked_url(owner, number, *span))


def _passage_html(request: HttpRequest, corpus: Corpus, page: PassagePage) -> PassageHtml:
    csl = json.dumps([page.citations.csl], ensure_ascii=False, indent=2)
    return PassageHtml(corpus, request.build_absolute_uri(page.url), csl)


@typed("corpus/whole.html")
def whole_in_corpus(
    corpus: Corpus, page_query: PageQuery, first: int, as_json: bool, *, after: int = 0
) -> PageResponse[WholePage] | HttpResponse:
    """A whole document of a corpus: a page of its sections, or a redirect where `first` is not its
    first section."""
    whole = _whole_or_404(corpus, first, corpus.documents)
    if whole.first != first:
        name = "corpus_whole_json" if as_json else "corpus_whole"
        address = reverse(name, args=[corpus.pk, whole.first])
        return redirect(address + page_query.url(after=after or None).rstrip("?"))
    after = min(after, whole.parts - 1)
    sections = whole_documents.sections(
        corpus, whole, after, lambda number: reverse("corpus_document", args=[corpus.pk, number])
    )
    return PageResponse(
        WholePage(
            whole_documents.about(corpus, whole),
            after,
            _earlier(page_query, after),
            _later(page_query, whole, after),
            sections,
        )
    )


@typed("run/whole.html")
def whole_in_run(
    run: Run, view: RunView, page_query: PageQuery, first: int, as_json: bool, *, after: int = 0
) -> PageResponse[WholeOfRunPage] | HttpResponse:
    """With the topics of all its sections together, and along its length."""
    whole = _whole_or_404(run.corpus, first, run.version.documents)
    if whole.first != first:
        name = "run_whole_json" if as_json else "run_whole"
        address = reverse(name, args=[run.pk, whole.first])
        return redirect(address + page_query.url(after=after or None).rstrip("?"))
    after = min(after, whole.parts - 1)
    rows = whole_documents.sections(
        run.corpus, whole, after, lambda number: view.go("run_document", number)
    )
    mixtures = whole_documents.mixtures(view, [row.number for row in rows])
    sections = []
    for row, counts in zip(rows, mixtures, strict=True):
        largest = whole_documents.shares(counts, whole_documents.MOST_NAMED_TOPICS)
        sections.append(SectionOfRun(**vars(row), tokens=int(counts.sum()), topics=largest))
    page = WholeOfRunPage(
        whole=whole_documents.about(run.corpus, whole),
        sections=sections,
        after=after,
        previous=_earlier(page_query, after),
        next=_later(page_query, whole, after),
        proportions=queries.topic_proportions(view, whole_documents.mixture(view, whole)),
        strip=_strip_of_whole(view, whole),
    )

    def html() -> WholeHtml:
        linked = []
        for row in page.sections:
            linked.append((row, [links.topic_share(view, k, share) for k, share in row.topics]))
        return WholeHtml(sections=linked, hues=links.hues(view), shown=set(range(view.run.topics)))

    return PageResponse(page, html)


def _whole_or_404(corpus: Corpus, number: int, documents: int) -> whole_documents.WholeDocument:
    document = whole_documents.whole_of(corpus, number) if number < documents else None
    if document is None:
        raise _missing(corpus, number)
    return document


def _earlier(page_query: PageQuery, after: int) -> Link | None:
    begin = max(0, after - whole_documents.PAGE) or None
    return Link("Earlier sections", page_query.url(after=begin) + "#sections") if after else None


def _later(page_query: PageQuery, whole: whole_documents.WholeDocument, after: int) -> Link | None:
    end = after + whole_documents.PAGE
    return (
        Link("Later sections", page_query.url(after=end) + "#sections")
        if end < whole.parts
        else None
    )


def _strip_of_whole(view: RunView, whole: whole_documents.WholeDocument) -> list[StretchOfWhole]:
    """The stretches of the whole document, each with the address of its first section."""
    edges, tokens = whole_documents.strip(view, whole)
    return [
        StretchOfWhole(
            part=begin + 1,
            parts=end - begin,
            tokens=int(counts.sum()),
            topics=whole_documents.shares(counts),
            url=view.go("run_document", whole.first + begin),
        )
        for (begin, end), counts in zip(pairwise(edges), tokens, strict=True)
    ]
