"""The overview as its page, its twin and the API show it."""

from typing import Any

from webapp.accounts import embargo
from webapp.documents.selection import Selection
from webapp.drawing import tables
from webapp.findings import quotations, sentences, stored
from webapp.results import links

DETAILS = {  # how many of each kind are shown
    "less": {"family": 3, "rise": 2, "fall": 2, "mark": 2, "sense": 1, "unlike": 1, "caution": 2},
    "": {"family": 5, "rise": 3, "fall": 3, "mark": 6, "sense": 3, "unlike": 3, "caution": 6},
    "more": {"family": 7, "rise": 12, "fall": 12, "mark": 20, "sense": 12, "unlike": 8, "caution": 8},
}
KINDS = {
    "family": "What it is about",
    "rise": "What rose",
    "fall": "What fell",
    "mark": "Particular to a group or a time",
    "sense": "Words whose use changed",
    "unlike": "Documents unlike the rest",
    "caution": "What not to rely on",
}


def of(selection: Selection, detail: str, by: int | None) -> dict[str, Any]:
    """ready: False while a worker computes, for the user `by` (None: a guest); then there are no findings yet. The findings in the order of KINDS, within a
    kind by rank, 1 the first; hidden: how many more there are. detail: one of DETAILS."""
    data = stored.of(selection, by)
    if data is None:
        return nothing(selection.sentence, detail, selection.count)
    labels = selection.run_view.labels
    rows = [row for row in data["findings"] if not any(labels.hidden(k) for k in _subjects(row))]
    chosen = []
    for kind in KINDS:
        chosen += [(i, row) for i, row in enumerate([r for r in rows if r["kind"] == kind], 1)][: DETAILS[detail][kind]]
    titles = _titles(selection, [row["document"] for _, row in chosen if row["kind"] == "unlike"])
    writer = sentences.Writer(selection, titles)
    return {
        "set": selection.sentence, "detail": detail, "ready": True, "documents": data["documents"], "tokens": data["tokens"], "span": data["span"], "unit": data["unit"], "bins": data["bins"],
        "quotes": _quotes(selection, data["quotes"], writer),
        "findings": [_finding(writer, rank, row) for rank, row in chosen],
        "hidden": len(rows) - len(chosen),
    }  # fmt: skip


def nothing(chosen: str, detail: str, documents: int) -> dict[str, Any]:
    """What there is of a set, `chosen` in words, before its findings are computed."""
    return {
        "set": chosen, "detail": detail, "ready": False, "documents": documents, "tokens": 0, "span": [], "unit": "", "bins": [],
        "quotes": [], "findings": [], "hidden": 0,
    }  # fmt: skip


def _subjects(row: dict) -> list[int]:
    """Topics that it is about, but for families: they have others."""
    return [row[name] for name in ("topic", "gained", "lost") if name in row]


def _titles(selection: Selection, numbers: list[int]) -> dict[int, str]:
    known = embargo.about(selection.corpus, numbers, "title") if numbers else {}
    return {number: row["title"] for number, row in known.items()}


def _finding(writer: sentences.Writer, rank: int, row: dict) -> dict:
    said = writer.say(row)
    return {
        "kind": row["kind"], "rank": rank, "sentence": sentences.plain(said), "parts": said.parts, "sure": said.sure,
        "url": said.url,
        "estimate": row["estimate"], "low": row["low"], "high": row["high"], "score": row["score"],
        "topic": writer.topic(said.topic) if said.topic is not None else None,
        "line": row.get("line", []),
    }  # fmt: skip


def line_table(data: dict[str, Any], row: dict) -> dict | None:
    """What a notebook keeps of the line of a finding, one of `of`; None where it has none."""
    if not row["line"]:
        return None
    name = "these topics together" if row["kind"] == "family" else tables.column_name(row["topic"])
    return tables.kept_table(data["unit"], data["bins"], [name], [[share] for share in row["line"]])


def _quotes(selection: Selection, quoted: list[dict], writer: sentences.Writer) -> list[dict]:
    run = selection.run_view.run
    return [
        {"text": q["text"], "title": q["title"], "date_text": q["date_text"], "document": q["document"], "start": q["start"],
         "end": q["end"], "topic": writer.topic(q["topic"]),
         "url": links.document_url(run, q["document"], f"?topic={q['topic']}&at={q['start']}#here"),
         "passage_url": links.passage_url(run, q["document"], q["start"], q["end"])}
        for q in quotations.shown(selection, quoted)
    ]  # fmt: skip
