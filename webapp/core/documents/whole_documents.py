"""Whole documents: those that were cut into sections when they were read, each section a document
of its own here.

The sections of a whole have consecutive numbers, so its counts are sums of rows that lie together.
A document that was not cut is a whole of one section.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from webapp.core.documents.shapes import DescribedWhole, Section
from webapp.core.documents.texts import STRETCHES
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Corpus
from webapp.platform.accounts import embargo

PAGE = 100  # sections that a page lists
MOST_NAMED_TOPICS = 3  # topics that are named of each


class WholeDocument(NamedTuple):
    """Its sections are the documents first … first + parts - 1."""

    first: int
    parts: int
    title: str


def whole_of(corpus: Corpus, number: int) -> WholeDocument | None:
    """The whole that a document is a section of; None where there is no such document."""
    row = embargo.about(corpus, [number], "part", "parts", "whole", "title").get(number)
    if row is None:
        return None
    title = row["whole"] if row["parts"] > 1 else row["title"]
    return WholeDocument(number - row["part"] + 1, row["parts"], title)


def about(corpus: Corpus, whole: WholeDocument) -> DescribedWhole:
    """What is known of a whole document: date_text, metadata and file as its first section has
    them, words of all."""
    row = embargo.about(corpus, [whole.first], "date_text", "source_id", "file", "metadata")[
        whole.first
    ]
    return DescribedWhole(
        first=whole.first,
        parts=whole.parts,
        title=whole.title,
        date_text=row["date_text"],
        source_id=row["source_id"],
        file=row["file"],
        metadata=json.loads(row["metadata"]),
        words=embargo.count_words(corpus, whole.first, whole.first + whole.parts),
    )


def sections(
    corpus: Corpus, whole: WholeDocument, after: int, url: Callable[[int], str]
) -> list[Section]:
    """A page of its sections. after: how many come before. url: of a document's page."""
    first = whole.first + after
    numbers = range(first, min(first + PAGE, whole.first + whole.parts))
    rows = [
        row for _, row in sorted(embargo.about(corpus, numbers, "part", "title", "words").items())
    ]
    labels = [_label_of_section(row["title"], whole.title, row["part"]) for row in rows]
    return [
        Section(
            number=row["number"],
            part=row["part"],
            words=row["words"],
            label=label,
            url=url(row["number"]),
        )
        for row, label in zip(rows, labels, strict=True)
    ]


def _label_of_section(title: str, whole_title: str, part: int) -> str:
    """What its title says beyond the whole's; "" where that is the number of the part."""
    # Sections of texts without a title had this one up to version 0.3
    before = whole_title or "Untitled"
    label = title.removeprefix(f"{before} · ")
    return "" if label == str(part) else label


def mixture(view: RunView, whole: WholeDocument) -> np.ndarray:
    """int64[K]: tokens of each topic in the whole document, merged topics added to their
    targets."""
    return _tokens(view, whole.first, np.zeros(whole.parts, np.int64), 1)[0]


def strip(view: RunView, whole: WholeDocument) -> tuple[list[int], np.ndarray]:
    """The whole document along its length, in at most STRETCHES stretches of as many sections:
    (how many sections come before each stretch, and at the end all of them; int64[S, K] tokens)."""
    stretches = min(STRETCHES, whole.parts)
    edges = [-(-whole.parts * i // stretches) for i in range(stretches + 1)]
    return edges, _tokens(
        view, whole.first, np.arange(whole.parts) * stretches // whole.parts, stretches
    )


def mixtures(view: RunView, numbers: list[int]) -> np.ndarray:
    """int64[n, K]: tokens of each topic in consecutive documents."""
    return _tokens(view, numbers[0] if numbers else 0, np.arange(len(numbers)), len(numbers))


def shares(counts: np.ndarray, limit: int | None = None) -> list[tuple[int, float]]:
    """(topic, share) of the topics of some documents, the largest first. counts: int64[K],
    tokens."""
    order = np.argsort(-counts, kind="stable")[:limit].tolist()
    total = int(counts.sum())
    return [(k, float(counts[k] / total)) for k in order if counts[k]]


def _tokens(view: RunView, first: int, group: np.ndarray, G: int) -> np.ndarray:
    """int64[G, K]: tokens of each topic in each group of consecutive documents. group: each
    document's, from `first` on."""
    run_evidence = evidence.of(view.run)
    group = group[: max(0, len(run_evidence.lengths) - first)]  # an older version may end before
    mixtures = run_evidence.mixtures
    pointers = mixtures.doc_ptr[first : first + len(group) + 1]
    pairs = slice(pointers[0], pointers[-1])
    group_of_pair = np.repeat(group, np.diff(pointers))
    tokens = np.zeros((G, view.run.topics), np.int64)
    np.add.at(tokens, (group_of_pair, mixtures.doc_topics[pairs]), mixtures.doc_tokens[pairs])
    return view.labels.merged(tokens)
