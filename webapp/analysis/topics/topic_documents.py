"""The documents of one topic, by its share of them or by its words in them."""

import numpy as np

from webapp.analysis.topics.shapes import DocumentOfTopic
from webapp.core.documents import queries
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import DocumentLink
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run

DOCUMENTS = 10  # on a page
ALIKE = 0.8  # of two documents' words, from which they are shown as one


def ranked(
    view: RunView,
    k: int,
    selection: RunSelection,
    by: str = "share",
    after: tuple[float, int] | None = None,
    limit: int = DOCUMENTS,
) -> tuple[list[DocumentOfTopic], str | None]:
    """Documents by their share of a topic, or by its words in them (by: "share" or "tokens"), and
    where the next page begins. Those that are nearly the same as one before them are not shown
    again."""
    parts = view.labels.parts(k)
    best: list[dict] = (
        [
            {"number": d, "tokens": tokens, "share": share}
            for d, tokens, share in evidence.of(view.run).best(
                k, by, limit + 1, after, selection.mask
            )
        ]  # in the order that the evidence has of the topic's documents
        if len(parts) == 1
        else _by_evidence(view.run, parts, selection, by, after, limit + 1)
    )
    page = best[:limit]
    following = f"{page[-1][by]!r},{page[-1]['number']}" if len(best) > limit else None
    page = _once(view.run, page)
    lengths = evidence.of(view.run).lengths
    return [
        DocumentOfTopic(
            **vars(passage),
            tokens=row["tokens"],
            share=row["share"],
            of=int(lengths[row["number"]]),
            alike=[DocumentLink(n, view.go("run_document", n, topic=k)) for n in row["alike"]],
        )
        for row, passage in zip(
            page, queries.strongest(view, [row["number"] for row in page], k), strict=True
        )
    ], following


def _once(run: Run, page: list[dict]) -> list[dict]:
    """The first of documents that have nearly the same words, with the numbers of the others."""
    bow, kept = evidence.bow(run.version_id), list[tuple[dict, dict[int, int]]]()
    for row in page:
        span = slice(bow.indptr[row["number"]], bow.indptr[row["number"] + 1])
        words, place = np.unique(
            bow.words[span], return_inverse=True
        )  # a long document has one in several sections
        counts = dict(
            zip(
                words.tolist(),
                np.bincount(place, bow.counts[span]).astype(int).tolist(),
                strict=True,
            )
        )
        first = next(
            (earlier for earlier, theirs in kept if _overlap(theirs, counts) >= ALIKE), None
        )
        if first is None:
            kept.append((row | {"alike": []}, counts))
        else:
            first["alike"].append(row["number"])
    return [row for row, _ in kept]


def _overlap(a: dict[int, int], b: dict[int, int]) -> float:
    """Tokens that two documents have in common, of all of both: 1 for the same words as often."""
    common = sum(min(n, b[w]) for w, n in a.items() if w in b)
    return common / max(1, sum(a.values()) + sum(b.values()) - common)


def _by_evidence(
    run: Run,
    parts: list[int],
    selection: RunSelection,
    by: str,
    after: tuple[float, int] | None,
    limit: int,
) -> list[dict]:
    """The same of several topics together: one pass over the topics of the selected documents."""
    counted, numbers = evidence.of(run), selection.numbers
    tokens = counted.held(parts, numbers)
    having = np.flatnonzero(tokens)
    some, tokens = having if numbers is None else numbers[having], tokens[having]
    shares = tokens / counted.lengths[some]
    value = shares if by == "share" else tokens
    at = np.arange(len(some))
    if after:
        at = np.flatnonzero((value < after[0]) | ((value == after[0]) & (some > after[1])))
    if len(at) > limit:
        at = at[value[at] >= np.partition(value[at], len(at) - limit)[len(at) - limit]]
    best = at[np.lexsort((some[at], -value[at]))[:limit]]
    return [
        {"number": int(some[i]), "tokens": int(tokens[i]), "share": float(shares[i])} for i in best
    ]
