"""Words of a run's corpus, the senses of one (the topics that its tokens are assigned to), its
lines, and two words side by side."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inference.errors import Invalid
from inference.senses import NearWord, SenseUses
from webapp.analysis.words import concordance, patterns, queries, senses
from webapp.analysis.words.concordance import Lines, Order
from webapp.analysis.words.pinned_words import pin_lines, pin_pattern, pin_words
from webapp.analysis.words.senses_page import (
    header,
    other_writing,
    senses_page,
    topic_rows,
    word_rows,
)
from webapp.analysis.words.shapes import (
    AskedCertainty,
    BeginningRow,
    ComparedSense,
    ComparedWords,
    LinesPage,
    ListedLines,
    NoPattern,
    OrderLink,
    OtherTopic,
    PartOfWord,
    PatternPage,
    PinnedHtml,
    Sense,
    SensesPage,
    TellingWord,
    UncountedWord,
    UnknownWord,
    UntrainedWord,
    WordComparison,
    WordLink,
    WordsPage,
    WordsToCompare,
)
from webapp.analysis.words.uncounted import find_uncounted
from webapp.core.documents import document_days, facets
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import Bar
from webapp.core.results import links, topics
from webapp.core.results.page_cache import cached_page
from webapp.core.results.topic_numbers import TopicParameter, read_in_address
from webapp.core.results.view import RunView
from webapp.models import Run, Word
from webapp.platform.accounts import embargo
from webapp.platform.pages.typed import NO_TEXTS, PageQuery, PageResponse, typed

COMPARE = "compare"  # the page of two words; without any it is the page of this word
ALL = "all"
LONGEST_WORD = 100  # characters of a word in an address
COMPARED = 2  # words side by side
NOT_FOUND = 404
BAD_REQUEST = 400
WordPages = SensesPage | LinesPage | UntrainedWord | UncountedWord | WordsPage


@typed("run/words.html")
def index(
    run: Run,
    view: RunView,
    page_query: PageQuery,
    as_json: bool,
    *,
    word: str = "",
    after: int | None = None,
) -> PageResponse[WordsPage] | HttpResponse:
    """Words that begin with ?word=, most frequent first; a whole word opens its page."""
    found_word = None if as_json or after is not None else queries.word(run.version, word)
    if found_word:
        # Its page says so where what was typed counts as another word
        return redirect(view.go("run_word", other_writing(found_word, word) or found_word.word))
    words, following = queries.matching(run.version, word, -1 if after is None else after)
    is_first_page_for_readers = not word and not as_json and after is None
    beginnings = queries.beginnings(view) if is_first_page_for_readers else []
    alike = queries.alike(run.version, word) if word and not words else []
    page = WordsPage(
        items=word_rows(view, words),
        q=word,
        alike=word_rows(view, alike),
        beginnings=[
            BeginningRow(**vars(row), url=view.go("run_word", row.word)) for row in beginnings
        ],
        next=page_query.following(following),
    )
    return PageResponse(page)


def topic_or_all(name: str, values: list[str]) -> int | str:
    """The number of a topic, or ALL. Raises BadRequest for what is neither."""
    return ALL if values[-1] == ALL else read_in_address(name, values)


@cached_page()
@typed(
    {
        SensesPage: "run/word.html",
        LinesPage: "run/lines.html",
        UntrainedWord: "run/word_untrained.html",
        UncountedWord: "run/word_uncounted.html",
        WordsPage: "run/words.html",
    }
)
def detail(
    run: Run,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    as_json: bool,
    word: str,
    *,
    topic: Annotated[int | str | None, topic_or_all] = None,
    sort: Order = "certainty",
    after: int = 0,
    by: str = "",
    rest: str = "",
    certainty: AskedCertainty = "",
) -> PageResponse[WordPages]:
    """The senses of a word, or with ?topic= the lines of one; with ?certainty=sure those of which
    the model is 60% certain or more, with ?certainty=unsure the others."""
    found_word = queries.word(run.version, word)
    if found_word is None:
        return _answer_unknown(view, word[:LONGEST_WORD], as_json)
    if not run.final:
        return PageResponse(UntrainedWord(header(found_word, word)))
    if topic is None:
        page, make_html = senses_page(selection, found_word, by, rest == "apart", typed=word)
        return PageResponse(page, make_html)
    asked_topic = senses.asked_topic(view, topic)
    return _lines(selection, page_query, found_word, asked_topic, sort, after, certainty)


def _answer_unknown(view: RunView, text: str, as_json: bool) -> PageResponse[WordPages]:
    """The page of a word that the vocabulary has not."""
    if not as_json:
        uncounted = find_uncounted(view, text)
        if uncounted is not None:
            return PageResponse(uncounted)
    alike = word_rows(view, queries.alike(view.run.version, text))
    page = WordsPage(items=[], q=text, alike=alike, beginnings=[], next=None)
    return PageResponse(page, status=NOT_FOUND)


def _lines(
    selection: RunSelection,
    page_query: PageQuery,
    word: Word,
    topic: int | None,
    order: Order,
    first: int,
    certainty: AskedCertainty,
) -> PageResponse[WordPages]:
    orders = dict(concordance.offered_orders(selection.run.corpus))
    if document_days.first_and_last(selection.run.version) is None:
        del orders["oldest"], orders["newest"]
    sort = order if order in orders else "certainty"
    uses = senses.uses(selection.view, word, selection)
    senses_named, other_topics = senses.tallied(uses)
    # The topic that is asked for is listed, however small it is
    asked_for = [tally for tally in other_topics[senses.TOPICS_LISTED :] if tally.topic == topic]
    clear, rare = topic_rows(
        selection, uses, senses_named, other_topics[: senses.TOPICS_LISTED] + asked_for
    )
    rows: list[Sense | OtherTopic] = [*clear, *rare]
    has_places = concordance.has_places(selection.run)
    lines = Lines([], 0, 0, 0)
    if has_places:
        lines = concordance.page(selection, _of_certainty(uses, certainty), topic, sort, first)
    page = LinesPage(
        **vars(_list_lines(selection, page_query, topic, lines, sort, orders, first)),
        word=header(word),
        certainty=certainty,
        sense=next((row for row in rows if row.number == topic), None),
        senses=clear,
        rare=rare,
        all=selection.address(topic=ALL),
        overview=selection.address() if selection.has_conditions else "",
        has_places=has_places,
    )
    return PageResponse(page, lambda: PinnedHtml(pin_lines(page)))


def _of_certainty(uses: SenseUses, certainty: AskedCertainty) -> SenseUses:
    """The uses that the page's lines are of."""
    if not certainty:
        return uses
    return uses.of_certainty(senses.LIKELY, surer=certainty == "sure")


def _list_lines(
    selection: RunSelection,
    page_query: PageQuery,
    topic: int | None,
    lines: Lines,
    sort: Order,
    orders: dict[Order, str],
    first: int,
) -> ListedLines:
    """Lines `first` and following with the links of a page."""
    last = first + len(lines.lines)
    return ListedLines(
        documents_chosen=selection.sentence,
        topic=None if topic is None else links.topic_link(selection.view, topic),
        sort=sort,
        sorts=[OrderLink(name, says, page_query.url(sort=name)) for name, says in orders.items()],
        lines=lines.lines,
        total=lines.total,
        in_order=lines.in_order,
        kept_back=lines.kept_back,
        embargo=embargo.sentence(selection.run.corpus),
        first=first + 1,
        last=last,
        previous=page_query.url(after=max(0, first - concordance.PAGE) or None) if first else None,
        next=page_query.following(last if last < lines.total and lines.lines else None),
    )


@cached_page()
@typed({PatternPage: "run/pattern.html", NoPattern: "run/patterns.html"})
def pattern(
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    pattern: str = "",
    topic: TopicParameter = None,
    sort: Order = "document",
    by: str = "",
    after: int = 0,
) -> PageResponse[PatternPage | NoPattern]:
    """Where a pattern of words occurs, such as “right|rights of ~5 labor”: hits, documents and
    lines."""
    try:
        if pattern:
            page = pattern_page(selection, page_query, pattern, topic, sort, by, after)
            return PageResponse(page, lambda: PinnedHtml(pin_pattern(page)))
    except Invalid as error:
        stop = getattr(error, "at", len(pattern))  # what was understood ends here
        refused = NoPattern(pattern, error.message, pattern[:stop], pattern[stop:])
        return PageResponse(refused, status=BAD_REQUEST, invalid=error)
    return PageResponse(NoPattern("", "", "", ""))


def pattern_page(
    selection: RunSelection,
    page_query: PageQuery,
    text: str,
    asked_topic: int | None,
    order: Order,
    by: str,
    first: int,
) -> PatternPage:
    topic = senses.asked_topic(selection.view, asked_topic)
    hits = patterns.hits(selection, text, topic)
    orders = patterns.offered_orders(selection.run.corpus)
    sort = order if order in orders else "document"
    own_parameters = [("pattern", text)]
    if topic is not None:
        own_parameters.append(("topic", str(topic)))
    counted_lines = patterns.limit_to_embargo(selection, hits)
    under_embargo = bool(embargo.readers(selection.run.corpus))
    years: list[Bar] = []
    most_often = 0.0
    if not under_embargo:
        years, most_often = facets.rates(
            selection,
            hits.documents,
            hits.counts,
            hits.index.stream.lengths,
            own_parameters,
            selection,
        )
    lines = patterns.page(selection, hits, sort, first)
    return PatternPage(
        **vars(_list_lines(selection, page_query, topic, lines, sort, orders, first)),
        pattern=text,
        hits=counted_lines.hits,
        documents=counted_lines.documents,
        years=years,
        most_often=most_often,
        by=by,
        groups=patterns.by_group(selection, hits, by, own_parameters)
        if by and not under_embargo
        else [],
        direction=concordance.direction(text),
    )


@typed({ComparedWords: "run/compare.html", WordsToCompare: "run/words_to_compare.html"})
def compare(
    request: HttpRequest,
    run: Run,
    view: RunView,
    selection: RunSelection,
    as_json: bool,
    *,
    word: list[str] = NO_TEXTS,
) -> PageResponse[ComparedWords | WordsToCompare | SensesPage | UntrainedWord] | HttpResponse:
    """Two words side by side: ?word=cell&word=battery. Without any this is the page of the word
    “compare”."""
    if "word" not in request.GET and queries.word(run.version, COMPARE):
        return detail(request, run_id=run.pk, word=COMPARE, as_json=as_json)
    typed_words = _typed_words(word)
    words: list[Word] = []
    unknown: list[UnknownWord] = []
    for text in typed_words:
        found_word = queries.word(run.version, text)
        if found_word is None:
            alike = queries.alike(run.version, text)
            unknown.append(UnknownWord(text, word_rows(view, alike)))
        else:
            words.append(found_word)
    if len(words) < COMPARED or not run.final:
        return PageResponse(WordsToCompare(typed_words, [], None, unknown))
    first, second = words
    page = ComparedWords(
        typed=typed_words,
        words=[
            WordLink(found_word.word, view.go("run_word", found_word.word)) for found_word in words
        ],
        comparison=_comparison(selection, first, second),
        unknown=[],
        same=first.number == second.number,
    )
    return PageResponse(page, lambda: PinnedHtml(pin_words(page)))


def _typed_words(texts: list[str]) -> list[str]:
    """The first ones in which there is something."""
    words = [" ".join(text.split())[:LONGEST_WORD] for text in texts]
    return [word for word in words if word][:COMPARED]


def _comparison(selection: RunSelection, first: Word, second: Word) -> WordComparison:
    """Two words with the links of their topics."""
    view = selection.view
    pair = senses.compare_words(view, first, second, selection)
    shares = pair.shares
    common = pair.common
    words = topics.top_words(view, pair.topics, senses.WORDS_OF_SENSE)

    def side(i: int, word: Word, topic: int) -> PartOfWord:
        query = selection.address(topic=topic)
        return PartOfWord(
            int(pair.tokens[i, topic]),
            float(shares[i, topic]),
            view.go("run_word", word.word, asked=query),
            int(pair.documents[i, topic]),
        )

    def telling_word(near: NearWord) -> TellingWord:
        return TellingWord(pair.spelling[near.word], near.documents / near.of, near.elsewhere)

    compared_senses = [
        ComparedSense(
            **vars(links.topic_link(view, k)),
            words=words[k],
            sides=[side(0, first, k), side(1, second, k)],
            shared=bool(common[k] >= senses.RARE_SENSE_SHARE),
        )
        for k in pair.topics
    ]
    of_first, of_second = pair.apart
    return WordComparison(
        senses=compared_senses,
        tokens=pair.tokens.sum(1).tolist(),
        documents=pair.in_documents,
        together=pair.together,
        overlap=float(common.sum()),
        apart=[list(map(telling_word, of_first)), list(map(telling_word, of_second))],
    )
