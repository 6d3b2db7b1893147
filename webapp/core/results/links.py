"""Addresses of a run's topics, words and documents: each kind is made here and nowhere else."""

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse

from webapp.core.results.view import RunView
from webapp.models import Corpus, Run
from webapp.platform.drawing.numbers import topic_label, topic_title

NO_WORDS = "no words of its own"


def topics_url(run: Run) -> str:
    """All topics."""
    return _page("run_topics", run.pk)


def topic_url(view: RunView, number: int) -> str:
    """A topic, with the words hidden that are hidden on this page, and the set that is chosen."""
    return view.go.with_set(f"{topics_url(view.run)}{number}/{view.hidden_words.query}")


@dataclass(frozen=True)
class TopicLink:
    """How a topic is named, coloured and reached from anywhere; {% chip %} shows it.

    label: such as T07. name: what readers call it; else the name proposed from its words; else, where
    not `has_name`, its first words, "man · industrial · wage"; a sentence has its label, with the words in brackets.
    background: whether it is general talk, which lists set apart. head: the number of the largest
    topic of its family, null where it is in none. slot: the family's colour; hue: the number of its
    own, which is that one unless a reader chose another.
    into: the topic that it is merged into, or "".
    """

    number: int
    label: str
    name: str
    has_name: bool
    background: bool
    head: int | None
    slot: int
    hue: int
    hidden: bool
    into: str
    url: str

    @property
    def with_label(self) -> str:
        """Its name and number in text without links."""
        return topic_title(self.label, self.name, self.has_name)


@dataclass(frozen=True)
class TopicShare(TopicLink):
    """share: of the words of a run."""

    share: float


@dataclass(frozen=True)
class TopicWithWords(TopicLink):
    """words: some of its first ones; none of a topic that has none of its own."""

    words: list[str]

    @property
    def called(self) -> str:
        """Its name, or else its first word, on charts and in tables."""
        if self.name:
            return self.name
        return self.words[0] if self.words else NO_WORDS


def topic_link(view: RunView, number: int) -> TopicLink:
    """A topic as pages link to it: its name and colour, and into which other topic it was
    merged."""
    labels = view.labels
    target = int(labels.into[number])
    return TopicLink(
        number=number,
        label=topic_label(number),
        name=labels.name(number),
        has_name=labels.has_name(number),
        background=labels.is_background(number),
        head=view.homes[number].head,
        slot=view.homes[number].slot,
        hue=view.hue(number),
        hidden=labels.is_hidden(number),
        into=topic_label(target) if target != number else "",
        url=topic_url(view, number),
    )


def topic_share(view: RunView, number: int, share: float) -> TopicShare:
    """A topic with a share, from 0 to 1, of whatever the page is about."""
    return TopicShare(**vars(topic_link(view, number)), share=share)


def hues(view: RunView) -> list[int]:
    """The colour of every topic of a run, [K]."""
    return [view.hue(k) for k in range(view.run.topics)]


def word_url(run: Run, word: str, query: str = "") -> str:
    """The senses of a word; `query` narrows the documents, or asks for the lines of one sense."""
    return reverse("run_word", args=[run.pk, word]) + query


def documents_url(run: Run, query: str = "") -> str:
    """The documents of a run; `query` narrows them."""
    return _page("run_documents", run.pk) + query


def document_url(run: Run, number: int, query: str = "") -> str:
    """A document in a run. number: 0-based. query: its "?" included."""
    return f"{_page('run_documents', run.pk)}{number}/{query}"


def selected_document_url(owner: Run | Corpus, number: int, query: str = "") -> str:
    """A document in a run; in its corpus where no run is read."""
    if isinstance(owner, Run):
        return document_url(owner, number, query)
    return reverse("corpus_document", args=[owner.pk, number]) + query


def passage_url(owner: Run | Corpus, number: int, start: int, end: int) -> str:
    """The page of the characters start … end - 1 of a document: its address, citations, and what is
    like it."""
    return selected_document_url(owner, number) + f"passages/{start}-{end}/"


def marked_url(owner: Run | Corpus, number: int, start: int, end: int, query: str = "") -> str:
    """The document, opened where these characters are, which are marked. query: of the address
    otherwise, with its question mark."""
    joint = "&" if query else "?"
    return selected_document_url(owner, number, f"{query}{joint}passage={start}-{end}#passage")


@lru_cache(256)  # a page may link to thousands of topics or lines of one run
def _page(name: str, run_id: int) -> str:
    return reverse(name, args=[run_id])


def compare_again_url(first: int, second: int) -> str:
    """Where a form asks again for a comparison of two runs that failed."""
    return reverse("compare_again", args=[first, second])


def seeds_url(run: Run) -> str:
    """Where the run's page says how it compares with other seeds."""
    return _page("run", run.pk) + "#seeds"


def compare_url(runs: list[Run]) -> str:
    """The page that compares runs, the first with the others."""
    return reverse("compare") + "?" + urlencode([("run", run.pk) for run in runs])
