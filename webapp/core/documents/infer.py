"""Texts read with a run's published topics: how likely each topic is for a word, and what a text is
made of that no one trained on."""

from typing import Any

import numpy as np

from inference import Invalid, checkpoint, engines, infer
from inference.engines.contract import ResolvedConfig
from inference.kernels.beta_rows import BetaRows
from webapp.core.documents import queries as documents, texts, wording
from webapp.core.documents.shapes import LikelyTopic, LikelyTopics, ReadText, Similar
from webapp.core.results import evidence, links
from webapp.core.results.priors import priors
from webapp.core.results.view import RunView
from webapp.models import Run, Topic, Version
from webapp.platform.accounts import embargo
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached
from webapp.platform.storage.sql import tuples

TOPICS_SHOWN = 6  # topics of a word's distribution
LEAST_SHARE = 0.005  # of a topic that is shown: it rounds to 1%


def located(version: Version, text: str) -> tuple[np.ndarray, np.ndarray, int]:
    """(offsets int32, words int32) of a text's words that a version's vocabulary has, in order; and
    how many it has not.

    Words that are too short or too long are neither, stop words are among those it has not.
    """
    (spans,) = wording.terms(version, [text])
    query = "SELECT word, number FROM word WHERE version_id = %s AND word = ANY(%s)"
    number = dict(tuples(query, [version.pk, list({word for _, _, word in spans})]))
    occurrences = [(start, number[word]) for start, _, word in spans if word in number]
    offsets, words = np.array(occurrences, np.int32).reshape(-1, 2).T
    return offsets, words, len(spans) - len(occurrences)


def beta(run: Run, words: np.ndarray) -> BetaRows:
    """The weights of some words, ascending, in all topics: from the rows of the run's present
    snapshot."""
    if run.snapshot_id is None:
        raise AssertionError("A run whose words are asked has a snapshot.")
    floor = np.array(
        Topic.objects.filter(snapshot_id=run.snapshot_id)
        .order_by("number")
        .values_list("floor", flat=True)
    )
    entries = tuples(
        "SELECT word, topic, weight FROM topic_word WHERE snapshot_id = %s AND word = ANY(%s)",
        [run.snapshot_id, words.tolist()],
    )
    weights = np.array(entries, np.float64).reshape(-1, 3).T
    return BetaRows.from_entries(
        len(words),
        np.searchsorted(words, weights[0]),
        weights[1].astype(np.int32),
        weights[2],
        floor,
    )


def word(view: RunView, number: int, word: int) -> LikelyTopics | None:
    """p(k | w, d) of a word in a document, largest first; None where the document does not have it.

    The topic that the word was given to, and how certainly, are the evidence's; where several
    sections have the word, those of the section with most of its tokens. The rest is shared out
    among the other topics as theta and beta have it, theta from the published topics by EM: the
    engine's own is not kept. Where the engine gives a document one topic as a whole, the rest is
    shared out by its theta alone.
    """
    words, counts, assigned, certainty = evidence.of(view.run).token_topics.of_document(number)
    rows_of_word = np.flatnonzero(words == word)  # one for each section that has the word
    if not len(rows_of_word):
        return None
    row = int(rows_of_word[np.argmax(counts[rows_of_word])])
    run = view.run
    targets = view.labels.into
    p = np.zeros(run.topics)
    remainder = theta_of_document(run.snapshot_id, run.pk, number)
    if not engines.get(run.engine).ABOUT.by_document:
        remainder = remainder * beta(run, words[row : row + 1]).dense()[0]
    remainder[assigned[row]] = 0.0
    p[assigned[row]] = certainty[row] / 255
    p += (1.0 - p[assigned[row]]) * remainder / (remainder.sum() or 1.0)
    shares = np.bincount(targets, weights=p, minlength=view.run.topics)
    likely = np.argsort(-shares, kind="stable").tolist()
    order = [k for k in likely if shares[k] >= LEAST_SHARE][:TOPICS_SHOWN]
    return LikelyTopics(
        number=word,
        times=int(counts[rows_of_word].sum()),
        topic=int(targets[assigned[row]]),
        topics=[
            LikelyTopic(**vars(links.topic_link(view, k)), probability=float(shares[k]))
            for k in order
        ],
    )


@cached(64)
def theta_of_document(snapshot_id: int, run_id: int, number: int) -> np.ndarray:
    """float64[K]: the mixture of a document under a snapshot, which never changes. number: the
    document's."""
    run = Run.objects.get(pk=run_id)
    rows, counts, _, _ = evidence.of(run).token_topics.of_document(number)
    words, inverse = np.unique(rows, return_inverse=True)  # sections of a document share words
    return read_words(run, words, np.bincount(inverse, weights=counts).astype(counts.dtype)).theta


def read_words(run: Run, words: np.ndarray, counts: np.ndarray) -> infer.Reading:
    """Some words of the run's vocabulary, each once, by the rule of its engine for a document.
    words: int[n], their numbers; counts: int[n], how often each is there."""
    engine = engines.get(run.engine)
    if not engine.ABOUT.by_document:
        return infer.read(beta(run, words), counts, priors(run).alpha)
    config, state = _model(run.snapshot_id, run.pk)
    return infer.read_by_document(
        engine, config, state, evidence.of(run).document_bow.V, words, counts
    )


@cached(4)
def _model(snapshot_id: int, run_id: int) -> tuple[ResolvedConfig, Any]:
    """The settings and the finished state of a run's engine, from its checkpoint. Raises Invalid
    where that is gone.

    Only for engines that give a document one topic, whose states are small.
    """
    run = Run.objects.get(pk=run_id)
    path = files.run_folder(run.pk) / "checkpoint"
    bow = evidence.of(run).section_bow
    if not sealed.exists(path):
        raise Invalid(
            "run", f"Run {run.pk} no longer has its checkpoint, without which no text can be read."
        )
    config = engines.config(run.engine, **run.settings).resolve(bow.D, bow.tokens)
    with sealed.hold(path):
        return config, checkpoint.load(path, engine=engines.get(run.engine), config=config, bow=bow)


def text(view: RunView, text: str) -> tuple[ReadText, list[texts.Word]]:
    """A text that is not of the corpus: its tokens, mixture and similar documents; and its
    beginning, word by word.

    Nothing is written. Words are given to topics as those of the corpus are; theta comes from the
    published topics by EM, or from the engine where it gives a document one topic as a whole.
    """
    evidence.of(view.run)  # says what is missing
    offsets, words, unknown = located(view.run.version, text)
    distinct, inverse, counts = np.unique(words, return_inverse=True, return_counts=True)
    inferred = read_words(view.run, distinct, counts)
    mixture = np.bincount(inferred.topics, weights=counts, minlength=view.run.topics)
    labels = view.labels
    tokens = texts.Tokens(
        offsets, words, labels.into[inferred.topics[inverse]], inferred.certainty[inverse]
    )
    return ReadText(
        tokens=len(words),
        unknown=unknown,
        length=len(text),
        shown=min(len(text), embargo.PAGE_CHARACTERS),
        proportions=documents.topic_proportions(view, labels.merged(mixture)),
        **vars(documents.like(view, mixture / mixture.sum()) if len(words) else Similar([])),
    ), texts.words(view.run, tokens, text[: embargo.PAGE_CHARACTERS], 0)
