"""The reading tests: what a reader is asked, blind and the same for everybody with one seed.
reading_results has what came of it.

Close reading: ten passages of a topic, sampled where it is high, middling and borderline. Word and
topic intrusion: Chang, Boyd-Graber, Gerrish, Wang and Blei 2009, "Reading tea leaves", section 3.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db.models import Count

from webapp.core.curation.shapes import Passage, SeededLabel, Stratum, Task, Test
from webapp.core.documents import wording
from webapp.core.results import evidence, topics
from webapp.core.results.view import RunView
from webapp.models import Answer, Run, Topic
from webapp.platform.accounts import embargo
from webapp.platform.storage.sql import tuples

# Passages of each: ten in all
STRATA: dict[Stratum, int] = {
    "high": 4,
    "middle": 3,
    "borderline": 3,
}
SHORTEST_DOCUMENT = (
    20  # words of the vocabulary that a document needs: the share of a topic in fewer says little
)
WINDOW = 100  # words of a passage: long enough to see what it is about
MOST_READ_CHARACTERS = 200_000  # characters of a document that are looked through
WORDS_SHOWN = 5  # words of a topic in the word test, besides the intruder (Chang et al.)
OPENING = 900  # characters of a document that the topic test shows
TOPICS_SEARCHED = 10  # other topics among whose words an intruder is looked for
TOPICS_SHOWN = 3  # of a document in the topic test, besides the intruder
WORDS_OF_TOPIC = 8  # that say there what a topic is
DOCUMENTS_LOOKED_AT = 50  # in which the topic may be the largest
ONE_IN = 3  # so many of their tokens, at least, are the topic's
# For a topic without any: the log odds of Chang et al. (eq. 2) need a weight above 0. N_d cancels.
HALF_A_TOKEN = 0.5
RANKS_APART = 100  # ranks of a topic's own words, among which no intruder may stand


def _random(seed: int, number: int, kind: int) -> np.random.Generator:
    """Not a stream of inference.kernels.rng: answers are stored by the places of what was drawn
    (models.Answer), also those of tests that are not at their end. With other draws the same place
    would be of another passage or word."""
    return np.random.default_rng([seed, number, kind])


def questions(run: Run, seed: int) -> np.ndarray:
    """int64[K]: the topic of each question. Addresses have the number of the question, so that
    nobody can tell the topic."""
    return _random(seed, run.topics, 4).permutation(run.topics)


def question_of(run: Run, seed: int, topic: int) -> int:
    """The number of the question about a topic, from 0."""
    return int(np.flatnonzero(questions(run, seed) == topic)[0])


# Close reading
# -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sampled:
    """share: of the topic, in the words of the document."""

    document: int
    share: float
    stratum: Stratum


def sample(run: Run, number: int, seed: int) -> list[Sampled]:
    """Up to ten documents, in an order that does not tell the stratum.

    Documents with the topic are sorted by its share. "high" are drawn from the first twentieth,
    "middle" from the second quarter, "borderline" from the last quarter; where there are few
    documents the strata move together.
    """
    assigned = evidence.of(run)
    documents, tokens = assigned.mixtures.holding(number)
    shares = tokens / np.maximum(assigned.lengths[documents], 1)
    long = assigned.lengths[documents] >= SHORTEST_DOCUMENT
    if long.sum() >= sum(STRATA.values()):
        documents = documents[long]
        shares = shares[long]
    order = np.lexsort((documents, -shares))
    documents = documents[order]
    shares = shares[order]
    random = _random(seed, number, 0)
    samples = []
    for stratum, (first, end) in ranks_of_strata(len(documents)).items():
        picked = random.choice(
            np.arange(first, end), min(STRATA[stratum], end - first), replace=False
        )
        samples += [Sampled(int(documents[i]), float(shares[i]), stratum) for i in np.sort(picked)]
    return [samples[i] for i in random.permutation(len(samples))]


def ranks_of_strata(n: int) -> dict[Stratum, tuple[int, int]]:
    """Ranks [first, end) that each stratum is drawn from, of n documents: disjoint, and large
    enough from n = 10 on."""
    high = min(n, max(STRATA["high"], n // 20))
    middle = min(n, max(high + STRATA["middle"], n // 2))
    last = max(middle, n - max(STRATA["borderline"], n // 4))
    return {
        "high": (0, high),
        "middle": (min(max(high, n // 4), middle), middle),
        "borderline": (last, n),
    }


def passages(run: Run, number: int, seed: int) -> list[Passage]:
    """The sample with the text to read: where most tokens of the topic are close together, or the
    beginning."""
    samples = sample(run, number, seed)
    words_of_document = {}
    for row in samples:
        words, _, assigned, _ = evidence.of(run).token_topics.of_document(row.document)
        words_of_document[row.document] = words[assigned == number].tolist()
    numbers_of_words = sorted(set().union(*words_of_document.values()))
    word = dict(
        tuples(
            "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)",
            [run.version_id, numbers_of_words],
        )
    )

    def densest(d: int, text: str) -> tuple[int, int]:
        (terms,) = wording.terms(run.version, [text])
        return _densest(text, terms, {word[w] for w in words_of_document[d]})

    about_documents = embargo.about(run.corpus, list(words_of_document), "title", "date_text")
    texts = embargo.read_chosen(run.corpus, list(words_of_document), MOST_READ_CHARACTERS, densest)
    to_read = []
    for row in samples:
        start, text = texts[row.document]
        about = about_documents[row.document]
        passage = Passage(
            **vars(row),
            start=start,
            text=text,
            end=start + len(text),
            title=about["title"],
            date_text=about["date_text"],
        )
        to_read.append(passage)
    return to_read


def _densest(text: str, spans: list, words: set[str]) -> tuple[int, int]:
    """The first window of WINDOW words that holds most of `words`, as characters start to end."""
    if not spans:
        return 0, min(len(text), OPENING)
    has = np.concatenate([[0], np.cumsum([word in words for _, _, word in spans])])
    width = min(WINDOW, len(spans))
    first = int(np.argmax(has[width:] - has[:-width]))
    return spans[first][0], spans[first + width - 1][1]


# Intrusion
# -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordTest:
    """shown: words of a topic, and one of another. intruder: its place."""

    shown: list[str]
    intruder: int


def word_test(run: Run, number: int, seed: int) -> WordTest | None:
    """The topic's first words, as the model has them, and one that intrudes: an answer judges the
    model, and the question stays the same whatever readers merge.

    The intruder is among another topic's first words and not among this one's first hundred, so
    that it is no rare word. None where there is no such word, or the topic has too few of its own.
    """
    view = RunView(run)
    own_words = topics.most_probable_words(run, [number], RANKS_APART)[number]
    if len(own_words) < WORDS_SHOWN:
        return None
    random = _random(seed, number, 1)
    other_topics = [int(k) for k in random.permutation(view.topics) if k != number][
        :TOPICS_SEARCHED
    ]
    candidates = topics.most_probable_words(run, other_topics, WORDS_SHOWN * 2)
    intruders: list[str] = []
    for other_topic in other_topics:
        intruders = [word for word in candidates[other_topic] if word not in own_words]
        if intruders:
            break
    if not intruders:
        return None
    intruder = intruders[int(random.integers(len(intruders)))]
    shown_words = [*own_words[:WORDS_SHOWN], intruder]
    order = random.permutation(len(shown_words))
    return WordTest([shown_words[i] for i in order], order.tolist().index(WORDS_SHOWN))


@dataclass(frozen=True)
class TopicTest:
    """shown: topics of a document, and one that it does not have, each with its first words.
    intruder: its place. weights: of those shown, in the document, whose text begins with `text`."""

    shown: list[tuple[int, list[str]]]
    intruder: int
    document: int
    text: str
    weights: list[float]


def topic_test(run: Run, number: int, seed: int) -> TopicTest | None:
    """A document of which this topic is the largest, its three largest topics and one that has no
    token there. None where no document has three topics, or none is left to intrude."""
    assigned = evidence.of(run)
    random = _random(seed, number, 2)
    documents, tokens_held = assigned.mixtures.holding(number)
    lengths = assigned.lengths[documents]
    topics_present = np.diff(assigned.mixtures.doc_ptr)[documents]
    fit = (topics_present >= TOPICS_SHOWN) & (lengths >= SHORTEST_DOCUMENT)
    fit &= tokens_held * ONE_IN >= lengths  # a cheap test; the exact one follows
    candidates = random.permutation(documents[fit])[:DOCUMENTS_LOOKED_AT]
    view = RunView(run)
    for document in candidates.tolist():
        present, tokens = assigned.mixtures.of_document(document)
        order = np.lexsort((present, -tokens))
        absent = np.setdiff1d(view.topics, present)
        if present[order[0]] == number and len(absent):
            break
    else:
        return None
    largest = order[:TOPICS_SHOWN]
    shown_topics = [*present[largest].tolist(), int(random.choice(absent))]
    weights = [*tokens[largest].astype(float).tolist(), HALF_A_TOKEN]
    words = topics.most_probable_words(run, shown_topics, WORDS_OF_TOPIC)
    opening = embargo.beginnings(run.corpus, [document], OPENING)[document]
    shuffled = random.permutation(len(shown_topics))
    return TopicTest(
        shown=[(shown_topics[i], words[shown_topics[i]]) for i in shuffled],
        intruder=shuffled.tolist().index(TOPICS_SHOWN),
        document=document,
        text=opening if len(opening) < OPENING else opening.rpartition(" ")[0],
        weights=[weights[i] for i in shuffled],
    )


# Progress
# ------------------------------------------------------------------------------------------------------------


def answers(
    run: Run, number: int, seed: int, reader: str, *kinds: str
) -> dict[tuple[str, int], dict]:
    """(kind, item) -> payload of a reader's answers about one topic (models.Answer)."""
    stored_answers = Answer.objects.filter(
        run=run, topic=number, seed=seed, reader=reader, kind__in=kinds
    )
    return {(answer.kind, answer.item): answer.payload for answer in stored_answers}


def revealed(answered: dict[tuple[str, int], dict], passages: list[Passage]) -> bool:
    """Whether everything has been answered: only then a reader sees the shares, words and other
    readers' labels."""
    return ("label", 0) in answered and all(("fit", i) in answered for i in range(len(passages)))


def labels(run: Run, number: int) -> list[SeededLabel]:
    """What readers called a topic."""
    stored_answers = Answer.objects.filter(run=run, topic=number, kind=Answer.Kind.LABEL).order_by(
        "pk"
    )
    return [
        SeededLabel(reader=answer.reader, seed=answer.seed, **answer.payload)
        for answer in stored_answers
    ]


class TaskProgress(NamedTuple):
    """done: how many topics the reader has done, of as many as `topics`. next: the topic that
    follows, None where all are done."""

    done: int
    topics: int
    next: int | None


def progress(view: RunView, reader: str, seed: int) -> dict[Task, TaskProgress]:
    """How far a reader is in each task, and which topic comes next: the largest to read, by lot in
    the tests. A topic without documents has no passages, so there is nothing to read of it."""
    run = view.run
    done = defaultdict(set)
    answers_given = Answer.objects.filter(run=run, reader=reader, seed=seed)
    answer_counts = answers_given.values_list("kind", "topic").annotate(answered=Count("item"))
    for kind, topic, answered in answer_counts:
        if kind != Answer.Kind.FIT or answered >= _passages_to_read(run, topic):
            done[kind].add(topic)
    done["label"] &= done["fit"]
    largest = Topic.objects.filter(snapshot=run.snapshot, used=True).order_by("-share", "number")
    to_read = list(largest.values_list("number", flat=True))
    if run.final:
        to_read = [k for k in to_read if _passages_to_read(run, k)]
    orders: dict[Task, list[int]] = {
        "label": to_read,
        "words": _order(view, seed, "words"),
        "topics": _order(view, seed, "topics"),
    }
    progress_of_tasks: dict[Task, TaskProgress] = {}
    for task, order in orders.items():
        undone = [k for k in order if k not in done[task]]
        following = undone[0] if undone else None
        progress_of_tasks[task] = TaskProgress(len(done[task]), len(order), following)
    return progress_of_tasks


def _passages_to_read(run: Run, topic: int) -> int:
    """How many passages `sample` has of a topic."""
    documents = int(evidence.of(run).topic_documents.counts[topic])
    strata = ranks_of_strata(documents)
    return sum(min(STRATA[name], end - first) for name, (first, end) in strata.items())


def after(view: RunView, reader: str, seed: int, test: Test, number: int) -> int | None:
    """The topic of the next question of a test, after this one in its order; None at the end."""
    order = _order(view, seed, test)
    stored_answers = Answer.objects.filter(run=view.run, reader=reader, seed=seed, kind=test)
    done = {number, *stored_answers.values_list("topic", flat=True)}
    rank = order.index(number) + 1 if number in order else 0
    return next((k for k in order[rank:] + order[:rank] if k not in done), None)


def _order(view: RunView, seed: int, test: Test) -> list[int]:
    """The topics in the order in which a test asks for them."""
    return _random(seed, ("words", "topics").index(test), 3).permutation(view.topics).tolist()
