"""The overview as its page, its twin and the API show it."""

from typing import Any

from webapp.accounts import embargo
from webapp.documents.selection import Selection
from webapp.drawing import tables
from webapp.findings import quotations, sentences, stored
from webapp.results import links

DETAILS = {  # how many of each kind are shown; of "mark" groups
    "less": {"family": 3, "change": 5, "event": 5, "speaker": 1, "mark": 4, "keyword": 3, "none": 1, "sense": 1, "unlike": 1, "caution": 2},
    "": {"family": 5, "change": 14, "event": 12, "speaker": 2, "mark": 12, "keyword": 12, "none": 4, "sense": 3, "unlike": 3, "caution": 6},
    "more": {"family": 7, "change": 60, "event": 40, "speaker": 6, "mark": 80, "keyword": 80, "none": 12, "sense": 12, "unlike": 8, "caution": 8},
}  # fmt: skip
LARGE = 1e4  # the ratio of something to nothing
CLAIMED = ("change", "event", "mark", "keyword")  # kinds that claim what raw counts can contradict
TOPICS = {"less": 3, "": 4, "more": 10}  # of a group, that its sentence names
KINDS = {
    "family": "What it is about",
    "change": "What changed",
    "event": "Words of a time",
    "speaker": "Who speaks when",
    "mark": "Particular to a group",
    "keyword": "Words of a group",
    "none": "Fields without a difference",
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
    rows = [row for row in rows if row["kind"] != "mark"] + _by_group(rows, TOPICS[detail])
    rows = [row | {"words": row["words"][: TOPICS[detail] + 2]} if row["kind"] == "keyword" else row for row in rows]
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
    return [row[name] for name in ("topic", "gained", "lost", "largest") if name in row]


def _by_group(rows: list[dict], most: int) -> list[dict]:
    """What is particular to one group as one finding, those with more before those with less: `rows`, at most so many."""
    groups: dict[tuple, list[dict]] = {}
    for row in sorted((row for row in rows if row["kind"] == "mark"), key=lambda row: -row["score"]):
        groups.setdefault((not row["more"], row["field"], row["value"]), []).append(row)
    first = [some[0] | {"rows": some[:most]} for some in groups.values()]
    return sorted(first, key=lambda row: (not row["more"], -row["score"]))


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
        "line": row.get("line", []), "claims": _claims(row, writer),
    }  # fmt: skip


def _claims(row: dict, writer: sentences.Writer) -> list[dict]:
    if row["kind"] == "keyword":
        each = zip(row["words"], row["here"], row["rest"], strict=False)
        return [
            _claim(row | {"words": [word], "estimate": here / max(rest, 1e-4)}, writer) for word, here, rest in each
        ]
    return [_claim(one, writer) for one in row.get("rows", [row]) if one["kind"] in CLAIMED]


def _claim(row: dict, writer: sentences.Writer) -> dict:
    """What a finding about a time or a group claims, so that it can be checked: `name` has, in a span (ends as addresses say
    them, "" for open) or in a value of a field, `ratio` times the share elsewhere. steady: all along."""
    name = ", ".join(row["words"]) if "words" in row else writer.called(row)["name"]
    ratio = row["estimate"] or row["low"] or LARGE
    lasts = row.get("shape") in ("step", "line")
    span = {"first": row.get("turn") or row.get("first", ""), "last": "" if lasts else row.get("last", "")}
    return {
        "name": name, "more": row["more"], "steady": row.get("shape") == "line", "ratio": ratio,
        "field": row.get("field", ""), "value": row.get("value", ""), "bounds": row.get("bounds"), **span,
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
