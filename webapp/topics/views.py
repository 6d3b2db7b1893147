"""One topic, all its words, and why a word is in it."""

from typing import Annotated, Any

from django.core.exceptions import BadRequest
from django.http import Http404

from inference.errors import Invalid, there
from inference.explore import relevance
from webapp.curation import queries as curation
from webapp.documents import sums
from webapp.documents.selection import RunSelection
from webapp.drawing.numbers import topic_label
from webapp.findings import topic_changes
from webapp.pages.typed import Answer, Here, Place, typed
from webapp.results import found_again, links, topics
from webapp.results.links import TopicLink
from webapp.results.topics import TopicDetail
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.topics import topic, topic_documents, topic_words, verdict, word_in_topic
from webapp.topics.shapes import Counted, FormingTopic, FormingWord, Rank, TopicHtml, TopicPage, TopicWordsPage, WhyPage
from webapp.words import queries as of_words

ALL_WORDS = 100  # on a page of them
RANKS: dict[Rank, str] = {"share": "share", "words": "tokens"}


def _lambda(name: str, values: list[str]) -> float:
    try:
        lam = float(values[-1])
    except ValueError:
        lam = -1.0
    if not 0 <= lam <= 1:
        raise BadRequest(f"“{name}” in the address must be from 0 to 1, got “{values[-1][:50]}”.")
    return lam


Lambda = Annotated[float, _lambda]


@cached_page(depends_on=lambda request, run: topic_changes.last_stored(run))
@typed({TopicPage: "run/topic.html", FormingTopic: "run/topic_forming.html"})
def detail(
    view: RunView,
    selection: RunSelection,
    here: Here,
    number: int,
    *,
    lambda_: Lambda = relevance.LAM,
    rank: Rank = "share",
    by: str = "",
    after: Place = None,
) -> Answer[TopicPage | FormingTopic]:
    """A topic: its words, documents, company and measures."""
    about = _detail(view, number)
    numbers = view.topics
    frame: dict[str, Any] = {
        "topic": about,
        "drop": view.hidden_words.described(),
        "previous": _link(view, max((k for k in numbers if k < number), default=None)),
        "next": _link(view, min((k for k in numbers if k > number), default=None)),
        "curation": curation.topic_form(view, number),
    }
    if not view.run.final:
        forming = topics.words(view.run, number)[0]
        words = [FormingWord(**row, url=view.go("run_word", row["word"])) for row in forming]
        return Answer(FormingTopic(**frame, words=words))
    listed, next_words = topic_words.relevant(view, number, selection, lambda_, 0, topic_words.WORDS)
    ranked, following = topic_documents.ranked(view, number, selection, RANKS[rank], after)
    similar, beside = topic.neighbours(view, number, selection)
    page = TopicPage(
        **frame,
        lambda_=lambda_,
        words=listed,
        next_words=next_words,
        counted=_counted(selection, number),
        first=topics.top_words(view, [number], 5)[number],
        phrases=topic.phrases(view, number),
        groups=topic.groups(view, number, selection, by),
        rank=rank,
        documents=ranked,
        next_documents=here.following(following),
        similar=similar,
        beside=beside,
        verdict=verdict.judge(view, number, similar),
        measures=topic.diagnostics(view.run, number),
        elsewhere=found_again.of_topic(view.run, number),
    )
    mostly = links.documents_url(view.run, selection.with_topic(number, 50).address(by=topic_label(number)))
    return Answer(page, lambda: TopicHtml(mostly, topics.OWN, topic_changes.of_topics(selection, [number])[0]))


def _link(view: RunView, number: int | None) -> TopicLink | None:
    return None if number is None else links.topic_link(view, number)


def _counted(selection: RunSelection, number: int) -> Counted:
    counted = sums.of_selection(selection)
    tokens, of_tokens = int(counted.tokens[0, number]), int(counted.of_tokens[0])
    documents, of_documents = int(counted.documents[0, number]), int(counted.of_documents[0])
    return Counted(tokens, documents, of_tokens, of_documents, tokens / max(1, of_tokens))


@cached_page()
@typed("run/topic_words.html")
def words(
    view: RunView, selection: RunSelection, number: int, *, lambda_: Lambda = relevance.LAM, after: int = 0
) -> Answer[TopicWordsPage]:
    """All words of a topic, by relevance."""
    about = _detail(view, number)
    listed, next_words = topic_words.relevant(view, number, selection, lambda_, after, ALL_WORDS)
    drop = view.hidden_words.described()
    return Answer(TopicWordsPage(topic=about, drop=drop, lambda_=lambda_, words=listed, next_words=next_words))


@cached_page()
@typed("run/topic_word.html")
def why(view: RunView, selection: RunSelection, number: int, word: str) -> Answer[WhyPage]:
    """Why a word is in a topic."""
    about = _detail(view, number)
    if not view.run.final:
        raise Invalid("run", f"Run {view.run.pk} has not counted its words yet: that is done when training ends.")
    known = there(
        of_words.word(view.run.version, word.lower()),
        Http404(f"“{word}” is not in the vocabulary of “{view.run.corpus.name}”."),
    )
    return Answer(WhyPage(about, word_in_topic.why(view, number, known, selection)))


def _detail(view: RunView, number: int) -> TopicDetail:
    return there(topics.described(view, number), Http404(f"Run {view.run.pk} has no topic {number}."))
