"""The documents of one topic, by its share of them or by its words in them."""

import numpy as np

from webapp.accounts import embargo
from webapp.documents import texts
from webapp.documents.selection import Selection
from webapp.models import Run
from webapp.results import evidence
from webapp.results.view import RunView
from webapp.storage.sql import rows

DOCUMENTS = 10  # on a page


def ranked(
    view: RunView,
    k: int,
    selection: Selection,
    by: str = "share",
    after: tuple[float, int] | None = None,
    limit: int = DOCUMENTS,
) -> tuple[list[dict], str | None]:
    """Documents by their share of a topic, or by its words in them (by: "share" or "tokens"), and where the next page
    begins.

    Each has number, title, date_text, tokens, share, of (its tokens) and snippet, the passage where the topic is
    strongest.
    """
    parts = view.labels.parts(k)
    best = (
        _by_index(view.run, k, by, after, limit + 1)
        if selection.mask is None and len(parts) == 1
        else _by_evidence(view.run, parts, selection, by, after, limit + 1)
    )
    page = best[:limit]
    following = f"{page[-1][by]!r},{page[-1]['number']}" if len(best) > limit else None
    numbers = [row["number"] for row in page]
    shown = embargo.about(view.run.corpus, numbers, "title", "date_text")
    snippets = texts.passages(view, numbers, k)
    lengths = evidence.of(view.run).lengths
    for row in page:
        row |= shown[row["number"]] | {"of": int(lengths[row["number"]]), "snippet": snippets.get(row["number"], [])}
    return page, following


def _by_index(run: Run, k: int, by: str, after: tuple[float, int] | None, limit: int) -> list[dict]:
    """From the index of document_topic, which stands in the order that is asked for."""
    value, number = after or (2e9, -1)
    kind = "real" if by == "share" else "integer"
    return rows(
        f"""
        SELECT document AS number, tokens, share FROM document_topic
        WHERE snapshot_id = %(snapshot)s AND topic = %(topic)s
          AND {by} <= %(value)s::{kind} AND ({by}, -document) < (%(value)s::{kind}, -%(number)s)
        ORDER BY {by} DESC, document LIMIT %(limit)s
        """,
        {"snapshot": run.snapshot_id, "topic": k, "value": value, "number": number, "limit": limit},
    )


def _by_evidence(
    run: Run, parts: list[int], selection: Selection, by: str, after: tuple[float, int] | None, limit: int
) -> list[dict]:
    """The same of several topics together, or in some documents: one pass over the evidence."""
    counted = evidence.of(run)
    tokens = counted.held(parts)
    some = np.flatnonzero(tokens if selection.mask is None else tokens * selection.mask)
    tokens, shares = tokens[some], tokens[some] / counted.lengths[some]
    value = shares if by == "share" else tokens
    if after:
        kept = (value < after[0]) | ((value == after[0]) & (some > after[1]))
        some, tokens, shares, value = some[kept], tokens[kept], shares[kept], value[kept]
    if len(some) > limit:
        least = np.partition(value, len(value) - limit)[len(value) - limit]
        kept = value >= least
        some, tokens, shares, value = some[kept], tokens[kept], shares[kept], value[kept]
    best = np.lexsort((some, -value))[:limit]
    return [{"number": int(some[i]), "tokens": int(tokens[i]), "share": float(shares[i])} for i in best]
