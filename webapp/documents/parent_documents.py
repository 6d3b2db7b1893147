"""Whole documents that were cut into sections: their numbers follow each other, so that what a whole has is a sum of rows that
lie together. A document that was not cut is a whole of one section."""

import json
from typing import NamedTuple

import numpy as np

from webapp.documents.texts import SECTIONS
from webapp.models import Corpus
from webapp.results import evidence
from webapp.results.view import RunView
from webapp.storage.sql import rows

PAGE = 100  # sections that a page lists
LARGEST = 3  # topics that are named of each


class Whole(NamedTuple):
    """Documents first … first + parts - 1."""

    first: int
    parts: int
    title: str


def of(corpus: Corpus, number: int) -> Whole | None:
    """The whole that a document is a section of."""
    found = rows("SELECT number - part + 1 AS first, parts, CASE WHEN parts > 1 THEN whole ELSE title END AS title"
                 " FROM document WHERE corpus_id = %s AND number = %s", [corpus.pk, number])  # fmt: skip
    return Whole(**found[0]) if found else None


def about(corpus: Corpus, whole: Whole) -> dict:
    """What is known of a whole: date_text, metadata and file as its first section has them, words of all."""
    found = rows(
        "SELECT date_text, source_id, file, metadata::text AS metadata, (SELECT sum(words) FROM document WHERE corpus_id = %(corpus)s"
        " AND number >= %(first)s AND number < %(end)s)::bigint AS words FROM document WHERE corpus_id = %(corpus)s AND number = %(first)s",
        {"corpus": corpus.pk, "first": whole.first, "end": whole.first + whole.parts},
    )
    return found[0] | {"metadata": json.loads(found[0]["metadata"])}


def sections(corpus: Corpus, whole: Whole, after: int) -> list[dict]:
    """A page of its sections: number, part, label, words. after: how many come before. label: what the title says beyond the
    whole's, "" where that is the part's number alone."""
    first = whole.first + after
    found = rows(
        "SELECT number, part, title, words FROM document WHERE corpus_id = %s AND number >= %s AND number < %s ORDER BY number",
        [corpus.pk, first, min(first + PAGE, whole.first + whole.parts)],
    )
    for row in found:
        label = row.pop("title").removeprefix(f"{whole.title or 'Untitled'} · ")
        row["label"] = "" if label == str(row["part"]) else label
    return found


def mixture(view: RunView, whole: Whole) -> np.ndarray:
    """int64[K]: tokens of each topic in the whole, as readers fold them."""
    return _tokens(view, whole.first, np.zeros(whole.parts, np.int64), 1)[0]


def strip(view: RunView, whole: Whole) -> tuple[list[int], np.ndarray]:
    """The whole along its length, in at most SECTIONS steps of as many sections: (how many sections come before each step, and at
    the end all of them; int64[S, K] tokens)."""
    steps = min(SECTIONS, whole.parts)
    edges = [-(-whole.parts * i // steps) for i in range(steps + 1)]
    return edges, _tokens(view, whole.first, np.arange(whole.parts) * steps // whole.parts, steps)


def largest(view: RunView, numbers: list[int]) -> list[dict]:
    """Of consecutive documents: tokens, and (topic, share) of their largest topics."""
    if not numbers:
        return []
    found = []
    for counts in _tokens(view, numbers[0], np.arange(len(numbers)), len(numbers)):
        order, total = np.argsort(-counts, kind="stable")[:LARGEST].tolist(), int(counts.sum())
        found.append({"tokens": total, "topics": [(k, float(counts[k] / total)) for k in order if counts[k]]})
    return found


def _tokens(view: RunView, first: int, group: np.ndarray, G: int) -> np.ndarray:
    """int64[G, K]: tokens of each topic in each group of consecutive documents. group: each document's, from `first` on."""
    of = evidence.of(view.run)
    group = group[: max(0, len(of.lengths) - first)]  # an older version may end before
    span = slice(of.doc_ptr[first], of.doc_ptr[first + len(group)])
    tokens = np.zeros((G, view.run.topics), np.int64)
    np.add.at(
        tokens,
        (np.repeat(group, np.diff(of.doc_ptr[first : first + len(group) + 1])), of.doc_topics[span]),
        of.doc_tokens[span],
    )
    return view.labels.merged(tokens)
