"""How topics form: at steps of a training its largest topics, small enough to keep, each with its
name, its first words, its place on a map and the passage that is most its own. The worker makes
them; the page of the training replays them."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter

from inference import Bow, Topics
from inference.explore import naming, relevance
from inference.explore.distances import divergences
from inference.explore.layout import classical, procrustes, refined
from webapp.core.runs.names import spelling
from webapp.models import FormingStep, Run

MOST_TOPICS = 40  # topics of a step: the largest
WORDS_OF_TOPIC = 8  # of a topic
SAMPLE = 300  # documents, evenly spread, among which a topic's passage is looked for
SAMPLED_PAIRS = 60_000  # of a document and a word, that all of them may have
LEAST_TOKENS = 20  # tokens that a document must have for that
PASSAGE = 300  # characters
ITERATIONS = 15  # of SMACOF from where the topics were at the step before


@dataclass(frozen=True)
class TopicAtStep:
    """A topic at a step of the training, as it is stored. share: of the corpus's tokens. x, y: the
    distance of two topics is near sqrt(JSD). document, at: where its passage begins; None where the
    texts are not at hand or nothing was found."""

    number: int
    name: str
    share: float
    x: float
    y: float
    words: list[str]
    document: int | None
    at: int | None


STORED = TypeAdapter(list[TopicAtStep])  # FormingStep.topics


class Sample(NamedTuple):
    """Documents of which passages are taken. words: int32[n], that they have; place: int64[pairs],
    of each pair's word among them; counts: int32[pairs]; ends: int64[documents + 1], where each
    document's pairs begin, and the end."""

    documents: np.ndarray
    words: np.ndarray
    place: np.ndarray
    counts: np.ndarray
    ends: np.ndarray


class FormingWriter:
    """Writes the steps of one run.

    A training has at most about 120 of them (inference.training yields so many snapshots), each of
    about 10 KB. places: where each topic was at the step before.
    """

    def __init__(self, run: Run, bow: Bow):
        self.run = run
        self.bow = bow
        self.places: dict[int, tuple[float, float]] = {}
        if before := run.forming.order_by("-step").first():
            self.places = {topic["number"]: (topic["x"], topic["y"]) for topic in before.topics}

    def write(self, step: int, topics: Topics) -> None:
        """A step that a resumed run repeats replaces its like."""
        FormingStep.objects.bulk_create(
            [
                FormingStep(
                    run_id=self.run.pk,
                    step=step,
                    topics=[vars(topic) for topic in self._described(topics)],
                )
            ],
            update_conflicts=True,
            unique_fields=["run_id", "step"],
            update_fields=["topics"],
        )

    def _described(self, topics: Topics) -> list[TopicAtStep]:
        numbers = largest(topics)
        rows = _rows(topics, numbers)
        spelled = spelling(self.run.version_id, naming.candidates(rows))
        names = naming.names(rows, spelled)
        words = relevance.first(rows, self.bow.word_tokens, WORDS_OF_TOPIC, naming.CANDIDATES)
        xy = self._placed(numbers.tolist(), divergences(rows))
        passages = self._passages(rows)
        return [
            TopicAtStep(
                number=int(k),
                name=names[i].text,
                share=round(float(topics.share[k]), 5),
                x=round(float(xy[i, 0]), 4),
                y=round(float(xy[i, 1]), 4),
                words=[spelled[w] for w in words[i]],
                document=passages[i][0],
                at=passages[i][1],
            )
            for i, k in enumerate(numbers)
        ]

    def _placed(self, numbers: list[int], distances: np.ndarray) -> np.ndarray:
        """float64[n, 2]: the topics' places, moved from where they were at the step before, so that
        eyes can follow. Where some are new, or all were at one place, a new map is turned onto the
        old one."""
        known = [k for k in numbers if k in self.places]
        before = np.array([self.places[k] for k in known]).reshape(-1, 2)
        if len(known) == len(numbers) and np.ptp(before, axis=0).any():
            xy = refined(before, distances, ITERATIONS)
        else:
            new_map = refined(classical(distances), distances)
            pairs = [[numbers.index(k), i] for i, k in enumerate(known)]
            xy = procrustes(new_map, before, np.array(pairs, np.int64))
        self.places = dict(zip(numbers, map(tuple, xy.tolist()), strict=True))
        return xy

    def _passages(self, topics: Topics) -> list[tuple[int | None, int | None]]:
        """(document, character) of the passage of each topic: of a sample of documents the one with
        the largest share of the topic, and in it the PASSAGE characters with most of its words.

        A word is the topic's by share_k beta_kw / sum_j share_j beta_jw over the topics that are
        shown.
        """
        sample = self._sample
        if self.bow.offsets is None or not len(sample.documents):
            return [(None, None)] * topics.K
        of_word = topics.share[:, None] * topics.columns(sample.words)
        of_word /= np.maximum(of_word.sum(axis=0), 1e-300)
        weights = np.add.reduceat(
            of_word[:, sample.place] * sample.counts, sample.ends[:-1], axis=1
        )
        share = weights / np.add.reduceat(sample.counts, sample.ends[:-1])
        passages: list[tuple[int | None, int | None]] = [(None, None)] * topics.K
        for k in np.argsort(-topics.share, kind="stable")[: len(sample.documents)].tolist():
            d = int(np.argmax(share[k]))
            share[:, d] = -1.0  # each document stands for one topic
            positions = sample.place[sample.ends[d] : sample.ends[d + 1]]
            (document,) = self.bow.documents_of(sample.documents[d : d + 1])
            character = self._densest(int(sample.documents[d]), of_word[k, positions])
            passages[k] = (int(document), character)
        return passages

    @cached_property
    def _sample(self) -> "Sample":
        """Documents, or sections of them, evenly spread, that are long enough and together short
        enough."""
        bow = self.bow
        documents = np.unique(np.linspace(0, bow.D - 1, SAMPLE).astype(np.int64))
        documents = documents[
            bow.first_token[documents + 1] - bow.first_token[documents] >= LEAST_TOKENS
        ]
        pairs = int((bow.indptr[documents + 1] - bow.indptr[documents]).sum())
        documents = documents[:: max(1, -(-pairs // SAMPLED_PAIRS))]
        rows = [np.arange(bow.indptr[d], bow.indptr[d + 1]) for d in documents]
        at = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        words, inverse = np.unique(bow.words[at], return_inverse=True)
        return Sample(documents, words, inverse, bow.counts[at], np.cumsum([0, *map(len, rows)]))

    def _densest(self, number: int, of_word: np.ndarray) -> int:
        """The character at which the passage of a row begins that has most of a topic. of_word: of
        each of its words."""
        row = slice(self.bow.indptr[number], self.bow.indptr[number + 1])
        offsets = self.bow.offsets_of(number)
        order = np.argsort(offsets, kind="stable")
        offsets = offsets[order].astype(np.int64)
        of_token = np.repeat(of_word, self.bow.counts[row])[order]
        before = np.concatenate(([0.0], np.cumsum(of_token)))
        ends = np.searchsorted(offsets, offsets + PASSAGE)
        of_passage = before[ends] - before[:-1]
        return int(offsets[np.argmax(of_passage)])


def largest(topics: Topics) -> np.ndarray:
    """Numbers of the MOST_TOPICS largest topics that are in use, ascending."""
    used = np.arange(topics.K) if topics.used is None else np.flatnonzero(topics.used)
    return np.sort(used[np.argsort(-topics.share[used], kind="stable")[:MOST_TOPICS]])


def _rows(topics: Topics, numbers: np.ndarray) -> Topics:
    """Some topics, in their order, numbered anew."""
    is_chosen = np.zeros(topics.K, bool)
    is_chosen[numbers] = True
    return topics._replace(used=is_chosen).in_use()
