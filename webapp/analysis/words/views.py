"""Words of a run's corpus, the senses of one (the topics that its tokens are assigned to), its
lines, and two words side by side."""

import unicodedata
from dataclasses import replace
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inference.errors import Invalid
from webapp.analysis.words import concordance, patterns, queries, senses
from webapp.analysis.words.concordance import Lines, Order
from webapp.analysis.words.senses_page import header, senses_page, topic_rows, word_rows
from webapp.analysis.words.shapes import (
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
from webapp.core.documents import facets, fields
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import Bar
from webapp.core.results import links, topics
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.intake.ingest.settings import VocabularySettings
from webapp.models import Run, Word
from webapp.platform.accounts import embargo
from webapp.platform.pages.typed import Answer, Here, typed, whole

COMPARE = "compare"  # the page of two words; without any it is the page of this word
ALL = "all"
WordPages = SensesPage | LinesPage | UntrainedWord | UncountedWord | WordsPage


@typed("run/words.html")
def index(
    run: Run, view: RunView, here: Here, as_json: bool, *, word: str = "", after: int | None = None
) -> Answer[WordsPage] | HttpResponse:
    """Words that begin with ?word=, most frequent first; a whole word opens its page."""
    known = None if as_json or after is not None else queries.word(run.version, word)
    if known:
        return redirect(view.go("run_word", known.word))
    words, following = queries.matching(run.version, word, -1 if after is None else after)
    beginnings = [] if word or as_json or after is not None else queries.beginnings(view)
    return Answer(
        WordsPage(
            items=word_rows(view, words),
            q=word,
            alike=word_rows(view, queries.alike(run.version, word)) if word and not words else [],
            beginnings=[
                BeginningRow(**vars(row), url=view.go("run_word", row.word)) for row in beginnings
            ],
            next=here.following(following),
        )
    )


def topic_or_all(name: str, values: list[str]) -> int | str:
    return ALL if values[-1] == ALL else whole(name, values)


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
    here: Here,
    as_json: bool,
    word: str,
    *,
    topic: Annotated[int | str | None, topic_or_all] = None,
    sort: Order = "certainty",
    after: int = 0,
    by: str = "",
    rest: str = "",
) -> Answer[WordPages]:
    """The senses of a word, or with ?topic= the lines of one."""
    known = queries.word(run.version, word)
    if known is None:
        text = word[:100]
        if not as_json and (uncounted := _uncounted(view, text)):
            return Answer(uncounted)
        return Answer(
            WordsPage([], text, word_rows(view, queries.alike(run.version, text)), [], None),
            status=404,
        )
    if not run.final:
        return Answer(UntrainedWord(header(known)))
    if topic is None:
        return Answer(*senses_page(selection, known, by, rest == "apart"))
    return _lines(selection, here, known, senses.asked_topic(view, topic), sort, after)


def _uncounted(view: RunView, word: str) -> UncountedWord | None:
    """Of a word that the texts have, but not the vocabulary; None for what is no word, or in no
    text."""
    run, chosen = view.run, VocabularySettings.from_dict(view.run.version.settings)
    text = unicodedata.normalize("NFC", word.lower())
    if not text.isalpha() or text in dict(chosen.choice().variants):  # which counts as another word
        return None
    having = RunSelection(run.corpus, view, q=f'"{text}"')
    try:
        documents = having.count
    except Invalid:  # a corpus without an index
        return None
    rare = documents < chosen.min_documents
    reason = (
        "is a stop word"
        if text in chosen.stop_words()
        else f"is in fewer than {chosen.min_documents:,} documents"
        if rare
        else "is spread evenly, or in too many documents"
    )
    bars = [
        replace(bar, url=view.go("run_documents", asked=bar.url[1:])) for bar in facets.bars(having)
    ]
    lines = view.go("run_documents", asked=having.address()[1:])
    return (
        UncountedWord(text, documents, run.version.documents, reason, lines, bars, not rare)
        if documents
        else None
    )


def _lines(
    selection: RunSelection, here: Here, word: Word, topic: int | None, asked: Order, first: int
) -> Answer[WordPages]:
    view, run = selection.view, selection.run
    dated = fields.dated(run.version) is not None  # without dates there is no oldest line
    orders = {
        name: says
        for name, says in concordance.ORDERS.items()
        if dated or name not in ("oldest", "newest")
    }
    sort = asked if asked in orders else "certainty"
    uses = senses.uses(view, word, selection)
    named, others = senses.tallied(uses)
    listed = [tally for i, tally in enumerate(others) if i < senses.LISTED or tally.topic == topic]
    clear, rare = topic_rows(selection, uses, named, listed)
    rows: list[Sense | OtherTopic] = [*clear, *rare]
    has_places = concordance.has_places(run)
    lines = (
        concordance.page(selection, uses, topic, sort, first) if has_places else Lines([], 0, 0, 0)
    )
    return Answer(
        LinesPage(
            **vars(_listed(selection, here, topic, lines, sort, orders, first)),
            word=header(word),
            sense=next((row for row in rows if row.number == topic), None),
            senses=clear,
            rare=rare,
            all=selection.address(topic=ALL),
            overview=selection.address() if selection else "",
            has_places=has_places,
        )
    )


def _listed(
    selection: RunSelection,
    here: Here,
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
        sorts=[OrderLink(name, says, here.url(sort=name)) for name, says in orders.items()],
        lines=lines.lines,
        total=lines.total,
        in_order=lines.in_order,
        kept_back=lines.kept_back,
        embargo=embargo.sentence(selection.run.corpus),
        first=first + 1,
        last=last,
        previous=here.url(after=max(0, first - concordance.PAGE) or None) if first else None,
        next=here.following(last if last < lines.total and lines.lines else None),
    )


@cached_page()
@typed({PatternPage: "run/pattern.html", NoPattern: "run/patterns.html"})
def pattern(
    view: RunView,
    selection: RunSelection,
    here: Here,
    *,
    pattern: str = "",
    topic: int | None = None,
    sort: Order = "document",
    by: str = "",
    after: int = 0,
) -> Answer[PatternPage | NoPattern]:
    """Where a pattern of words occurs, such as “right|rights of ~5 labor”: hits, documents and
    lines."""
    try:
        if pattern:
            return Answer(pattern_page(selection, here, pattern, topic, sort, by, after))
    except Invalid as error:
        at = getattr(error, "at", len(pattern))
        return Answer(
            NoPattern(pattern, error.message, pattern[:at], pattern[at:]), status=400, invalid=error
        )
    return Answer(NoPattern("", "", "", ""))


def pattern_page(
    selection: RunSelection,
    here: Here,
    text: str,
    asked_topic: int | None,
    asked: Order,
    by: str,
    first: int,
) -> PatternPage:
    topic = senses.asked_topic(selection.view, asked_topic)
    hits = patterns.hits(selection, text, topic)
    sort = asked if asked in patterns.ORDERS else "document"
    own = [("pattern", text)] + ([] if topic is None else [("topic", str(topic))])
    counted = patterns.told(selection, hits)
    under_embargo = bool(embargo.readers(selection.run.corpus))
    years: list[Bar] = []
    most_often = 0.0
    if not under_embargo:
        years, most_often = facets.rates(
            selection, hits.documents, hits.counts, hits.index.stream.lengths, own, selection
        )
    return PatternPage(
        **vars(
            _listed(
                selection,
                here,
                topic,
                patterns.page(selection, hits, sort, first),
                sort,
                patterns.ORDERS,
                first,
            )
        ),
        pattern=text,
        hits=counted.hits,
        documents=counted.documents,
        years=years,
        most_often=most_often,
        by=by,
        groups=patterns.by_group(selection, hits, by, own) if by and not under_embargo else [],
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
    word: list[str] = [],  # noqa: B006
) -> Answer[ComparedWords | WordsToCompare | SensesPage | UntrainedWord] | HttpResponse:
    """Two words side by side: ?word=cell&word=battery. Without any this is the page of the word
    “compare”."""
    if "word" not in request.GET and queries.word(run.version, COMPARE):
        return detail(request, run_id=run.pk, word=COMPARE, as_json=as_json)
    typed_words = [text for text in (" ".join(text.split())[:100] for text in word) if text][:2]
    known = [queries.word(run.version, text) for text in typed_words]
    unknown = [
        UnknownWord(text, word_rows(view, queries.alike(run.version, text)))
        for text, found in zip(typed_words, known, strict=True)
        if found is None
    ]
    words = [found for found in known if found]
    if len(words) < 2 or not run.final:
        return Answer(WordsToCompare(typed_words, [], None, unknown))
    first, second = words
    return Answer(
        ComparedWords(
            typed=typed_words,
            words=[WordLink(found.word, view.go("run_word", found.word)) for found in words],
            comparison=_comparison(selection, first, second),
            unknown=[],
            same=first.number == second.number,
        )
    )


def _comparison(selection: RunSelection, first: Word, second: Word) -> WordComparison:
    """Two words with the links of their topics."""
    view, pair = selection.view, senses.beside(selection.view, first, second, selection)
    shares, common, words = (
        pair.shares,
        pair.common,
        topics.top_words(view, pair.topics, senses.NAMED),
    )

    def side(i: int, word: Word, topic: int) -> PartOfWord:
        lines = view.go("run_word", word.word, asked=selection.address(topic=topic)[1:])
        return PartOfWord(
            int(pair.tokens[i, topic]),
            float(shares[i, topic]),
            lines,
            int(pair.documents[i, topic]),
        )

    return WordComparison(
        senses=[
            ComparedSense(
                **vars(links.topic_link(view, k)),
                words=words[k],
                sides=[side(0, first, k), side(1, second, k)],
                shared=bool(common[k] >= senses.RARE),
            )
            for k in pair.topics
        ],
        tokens=pair.tokens.sum(1).tolist(),
        documents=pair.in_documents,
        together=pair.together,
        overlap=float(common.sum()),
        apart=[
            [
                TellingWord(pair.spelling[near.word], near.documents / near.of, near.elsewhere)
                for near in telling
            ]
            for telling in pair.apart
        ],
    )
