"""The senses of a word: the topics that its tokens were given to, in a set of documents, over time, and beside another
word's."""

from collections import Counter

import numpy as np

from inference.senses import Near, Uses, distinguishing
from webapp.documents import fields
from webapp.documents.selection import RunSelection
from webapp.models import Run, Word
from webapp.results import evidence, links, topics
from webapp.results.view import RunView
from webapp.storage.sql import rows

FEW = 5  # tokens: a sense with fewer, or with less than RARE of the word, is folded under "other senses";
RARE = 0.02
LIKELY = 0.6  # and one whose tokens are less certain on average, as its lines would be guesses
SHADES = 3  # paler ones of a colour: static/css/words.css
MOST = 16  # senses that are unfolded
APART = 12  # of the other topics, those that a chart shows one by one where it is asked to
LISTED = 50  # of the other topics, the largest, that are listed; a frequent word is in nearly all of 2,000 topics
NAMED = 6  # words that name a sense
CANDIDATES = 40  # words from which those are chosen
THIN = 10  # tokens: a period or value with fewer is marked
MOST_BINS = 80  # of a chart; more are too thin to point at
MOST_VALUES = 30  # of a category, those that use the word most


def uses(view: RunView, word: Word, selection: RunSelection) -> Uses:
    return Uses(evidence.of(view.run), word.number, view.labels.into, selection.mask)


def tallied(view: RunView, of: Uses, selection: RunSelection) -> tuple[list[dict], list[dict]]:
    """The senses of a word, most frequent first: (those worth naming, the rare ones).

    Rows of topics.link, tokens, documents, share (of the word's tokens here; sums to 1), certainty (mean of its
    tokens), start (the shares before it) and `lines`, the address of its lines.
    """
    tokens, documents = (array[0] for array in of.tally())
    certainty = of.certainties()
    total = int(tokens.sum())
    order = [int(k) for k in np.lexsort((np.arange(len(tokens)), -tokens)) if tokens[k]]
    senses = [
        links.topic(view, k)
        | {
            "tokens": int(tokens[k]),
            "documents": int(documents[k]),
            "share": int(tokens[k]) / total,
            "certainty": float(certainty[k]),
            "lines": selection.address(topic=str(k)),
        }
        for k in order
    ]
    named = [i for i, row in enumerate(senses) if i == 0 or is_sense(row)][:MOST]
    clear, before = links.apart(view, [senses[i] for i in named]), 0.0
    for row in clear:
        row["start"], before = before, before + row["share"]
    _tell_apart(clear)
    return clear, [row for i, row in enumerate(senses) if i not in set(named)]


def _tell_apart(senses: list[dict]) -> None:
    """Where there are more senses than colours, `shade` (1, 2 …) makes paler what a larger one of the same strip has
    the colour of."""
    seen: Counter = Counter()
    for row in senses:
        row["shade"] = min(seen[row["hue"]], SHADES)
        seen[row["hue"]] += 1


def is_sense(row: dict) -> bool:
    """Whether a topic of a word is clear enough to be called a sense of it; the largest is shown though it isn't."""
    return row["tokens"] >= FEW and row["share"] >= RARE and row["certainty"] >= LIKELY


def charted(view: RunView, named: list[dict], rare: list[dict], apart: bool) -> list[dict]:
    """The topics that a chart of the word shows one by one: its senses; with `apart` the largest others, too."""
    if not apart:
        return named
    listed = links.apart(view, [*named, *(row | {"other": True} for row in rare[:APART])])
    _tell_apart(listed)
    return listed


def grouped(rare: list[dict], listed: list[dict]) -> list[dict]:
    """The topics that are no senses by why they are none: those of which the model is unsure, and the small ones.
    topics: of those the listed ones; more: how many others there are."""
    kinds: dict[str, list[dict]] = {"unsure": [], "small": []}
    for row in rare:
        kinds["unsure" if row["certainty"] < LIKELY else "small"].append(row)
    shown = {row["number"] for row in listed}
    groups = []
    for why, of in kinds.items():
        topics = [row for row in of if row["number"] in shown]
        sums = {"tokens": sum(row["tokens"] for row in of), "share": sum(row["share"] for row in of)}
        groups.append({"why": why, "topics": topics, "more": len(of) - len(topics)} | sums)
    return [group for group in groups if group["tokens"]]


def name(view: RunView, of: Uses, senses: list[dict], rare: list[dict]) -> None:
    """Give each sense its `words`: those that tell it from the others; rare ones get the first words of their
    topics."""
    near = of.near([row["number"] for row in senses], CANDIDATES)
    owned = _owned(view, near, [row["number"] for row in senses])
    for row, candidates in zip(senses, near, strict=True):
        row["words"] = _chosen(
            candidates, {w: (text, parts.get(row["number"], 0.0)) for w, (text, parts) in owned.items()}
        )
    first = topics.top_words(view, [row["number"] for row in (*senses, *rare)], NAMED)
    for row in rare:
        row["words"] = first[row["number"]]
    for row in senses:
        row["words"] = row["words"] or first[row["number"]]  # of too few documents to tell


def _owned(view: RunView, near: list[list[Near]], numbers: list[int]) -> dict[int, tuple[str, dict[int, float]]]:
    """word -> (as text, topic -> the part of all its tokens that the topic holds, merged ones included)."""
    into = view.labels.into
    owned: dict[int, tuple[str, dict[int, float]]] = {}
    members = np.flatnonzero(np.isin(into, numbers)).tolist()
    listed = rows(
        "SELECT w.number, w.word, r.topic, r.tokens::float8 / w.tokens AS part FROM word w"
        " LEFT JOIN topic_word r ON r.snapshot_id = %s AND r.word = w.number AND r.topic = ANY(%s)"
        " WHERE w.version_id = %s AND w.number = ANY(%s)",
        [
            view.run.snapshot_id,
            members,
            view.run.version_id,
            sorted({n.word for candidates in near for n in candidates}),
        ],
    )
    for row in listed:
        parts = owned.setdefault(row["number"], (row["word"], {}))[1]
        if row["topic"] is not None:
            parts[int(into[row["topic"]])] = parts.get(int(into[row["topic"]]), 0.0) + row["part"]
    return owned


def _chosen(candidates: list[Near], owned: dict[int, tuple[str, float]]) -> list[str]:
    """The words whose likelihood ratio is high and that belong to this topic wherever they stand: the product of the
    two."""
    best = sorted(candidates, key=lambda n: -n.score * owned[n.word][1])[:NAMED]
    return [owned[n.word][0] for n in best]


def groupings(run: Run) -> list[str]:
    """What the chart of a word's senses can be by: periods that are neither one nor too many, the best first; then
    categories."""
    periods, span = [], fields.dated(run.version)
    if span:
        years = span[1].year - span[0].year + 1
        if fields.period(run.version) == "month":
            periods = ["month"]
        periods += ["year"] * (1 < years <= MOST_BINS) + ["decade"] * (years > 10)
    return periods + [category.name for category in fields.categories(run.version) if len(category.values) > 1]


def shift(run: Run, of: Uses, senses: list[dict], wanted: str, selection: RunSelection) -> dict | None:
    """How the shares of the senses change over time or from value to value of a category. None where nothing is known
    to go by.

    Returns by, offered (other names), topics: those of the cells, bins: label, tokens, thin, lines, and cells, one for
    each topic and last the others: tokens, share (of the bin's), lines; tallest: the largest share in a bin that is not
    thin; left_out: values not shown.
    """
    offered = groupings(run)
    if not offered:
        return None
    chosen = wanted if wanted in offered else offered[0]
    groups = fields.groups(run.version, chosen)
    tokens, _ = of.tally(groups.group, len(groups.labels))
    numbers = [row["number"] for row in senses]
    counted = np.column_stack([tokens[:, numbers], tokens.sum(1) - tokens[:, numbers].sum(1)])
    totals = tokens.sum(1)
    known = np.flatnonzero(totals)
    if groups.in_time:
        shown = list(range(known[0], known[-1] + 1)) if len(known) else []
    else:
        shown = fields.in_order(
            run.version, groups, known[np.argsort(-totals[known], kind="stable")][:MOST_VALUES].tolist()
        )
    bins = []
    for g in shown:
        here = selection.within(groups, g)
        total = int(totals[g])
        cells = [
            {
                "tokens": int(n),
                "share": int(n) / total if total else 0.0,
                "lines": here.address(topic=str(k)) if k is not None else "",
            }
            for n, k in zip(counted[g], [*numbers, None], strict=True)
        ]
        bins.append(
            {
                "label": groups.labels[g],
                "tokens": total,
                "thin": total < THIN,
                "lines": here.address(topic="all"),
                "cells": cells,
            }
        )
    thick = [cell["share"] for bin in bins if not bin["thin"] for cell in bin["cells"]] or [
        cell["share"] for bin in bins for cell in bin["cells"]
    ]
    return {
        "by": chosen, "in_time": groups.in_time, "offered": offered, "topics": numbers, "bins": bins,
        "tallest": max(thick, default=1.0), "left_out": 0 if groups.in_time else len(known) - len(shown), "outside": int(of.counts.sum()) - int(totals.sum()),
    }  # fmt: skip


def beside(view: RunView, a: Word, b: Word, selection: RunSelection) -> dict:
    """Two words: their senses side by side, those that both have first, and the words that tell their documents
    apart."""
    both = [uses(view, word, selection) for word in (a, b)]
    tokens, documents = zip(*(of.tally() for of in both), strict=True)
    shares = [array[0] / max(1, array.sum()) for array in tokens]
    listed = np.flatnonzero((shares[0] >= RARE) | (shares[1] >= RARE))
    common = np.minimum(*shares)
    order = listed[np.lexsort((listed, -(shares[0] + shares[1])[listed], -common[listed]))]
    first = topics.top_words(view, order.tolist(), NAMED)
    compared = []
    for k in map(int, order):
        lines = selection.address(topic=str(k))
        sides = [
            {
                "tokens": int(tokens[i][0, k]),
                "documents": int(documents[i][0, k]),
                "share": float(shares[i][k]),
                "lines": links.word_url(view.run, word.word, lines),
            }
            for i, word in enumerate((a, b))
        ]
        compared.append(links.topic(view, k) | {"words": first[k], "sides": sides, "shared": bool(common[k] >= RARE)})
    apart = distinguishing(evidence.of(view.run), *both, 12)
    of = {row["number"]: row["word"] for row in rows(
        "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)",
        [view.run.version_id, [n.word for side in apart for n in side]],
    )}  # fmt: skip
    together = len(np.intersect1d(both[0].documents, both[1].documents))
    return {
        "senses": compared,
        "tokens": [int(array.sum()) for array in tokens],
        "documents": [of.in_documents for of in both],
        "together": together,
        "overlap": float(common.sum()),
        "apart": [
            [{"word": of[n.word], "share": n.documents / n.of, "elsewhere": n.elsewhere} for n in side]
            for side in apart
        ],
    }
