"""What readers said of a run's topics: the history of it, what one topic's form shows, and labels to choose from."""

import math
from dataclasses import dataclass
from uuid import UUID

from webapp.drawing.numbers import HUE_NAMES, topic_label
from webapp.models import Edit, Run
from webapp.results import links
from webapp.results.links import TopicLink
from webapp.results.view import RunView
from webapp.storage.sql import rows

PAGE = 50
WORDS = 100  # of a topic's words that a label may be made of
OFFERED = 300  # topics that the field for a merge offers by name; any other can be typed


def history(view: RunView, before: int | None = None, topic: int | None = None) -> tuple[list[dict], int | None]:
    """Edits, newest first, and where the next page begins.

    Each has id, topic (a link), field, value, by, at, undone_at, undone_by, batch, together (how many edits of its
    batch are not undone) and state: "holds", "replaced" by a newer one, or "undone".
    """
    edits = rows(
        """
        SELECT e.id, e.topic, e.field, e.value, e.by, e.at, e.undone_at, e.undone_by, e.batch,
               EXISTS (SELECT FROM webapp_edit n WHERE n.run_id = e.run_id AND n.topic = e.topic AND n.field = e.field
                       AND n.undone_at IS NULL AND n.id > e.id) AS replaced,
               (SELECT count(*) FROM webapp_edit b WHERE b.batch = e.batch AND b.undone_at IS NULL) AS together
        FROM webapp_edit e
        WHERE e.run_id = %(run)s AND (%(before)s::bigint IS NULL OR e.id < %(before)s)
              AND (%(topic)s::int IS NULL OR e.topic = %(topic)s)
        ORDER BY e.id DESC LIMIT %(limit)s
        """,
        {"run": view.run.pk, "before": before, "topic": topic, "limit": PAGE + 1},
    )
    for row in edits:
        replaced = row.pop("replaced")
        row["state"] = "undone" if row["undone_at"] else "replaced" if replaced else "holds"
        row["said"] = sentence(row["field"], row["value"])
        row["topic"] = links.topic(view, row["topic"])
    return edits[:PAGE], edits[PAGE - 1]["id"] if len(edits) > PAGE else None


def sentence(field: str, value: str) -> str:
    """What an edit did, before its value: "label", "colour plum", "merged into T03"."""
    if field == "hidden":
        return "hidden" if value else "shown again"
    if field == "into":
        return f"merged into {topic_label(value)}" if value else "no longer merged"
    if field == "colour":
        return f"colour {HUE_NAMES[int(value)]}" if value else "its own colour again"
    return field if value else f"{field} removed"


def edit_or_none(run: Run, edit_id: int) -> Edit | None:
    return Edit.objects.filter(run=run, pk=edit_id).first()


def in_batch(run: Run, batch: UUID) -> bool:
    return Edit.objects.filter(run=run, batch=batch).exists()


def groups(view: RunView) -> list[dict]:
    """The groups and their topics: [{"name", "topics": [link]}]; at the end what is in none, but named or merged."""
    said = view.labels
    members: dict[str, list[int]] = {}
    for k in said.edited():
        members.setdefault(said.group(k), []).append(k)
    order = sorted(members, key=lambda name: (not name, name.lower()))
    return [{"name": name, "topics": [links.topic(view, k) for k in members[name]]} for name in order]


@dataclass(frozen=True)
class Hue:
    hue: int
    name: str


@dataclass(frozen=True)
class TopicForm:
    """What the form of one topic shows (templates/run/_curate.html). present: field of Edit -> its value. proposals:
    labels made of its words. groups: of all topics. own_hue: unless a reader chose another. others: topics that it may
    be merged into. target: the one that it is merged into. members: those that are merged into it."""

    present: dict[str, str]
    note: str
    group: str
    proposals: list[str]
    groups: list[str]
    hues: list[Hue]
    own_hue: int
    others: list[str]
    target: TopicLink | None
    members: list[TopicLink]


def topic_form(view: RunView, number: int) -> TopicForm:
    labels = view.labels
    present, into = labels.present(number), int(labels.into[number])
    if present["into"]:
        present["into"] = topic_label(present["into"])
    return TopicForm(
        present=present,
        note=present["note"],
        group=present["group"],
        proposals=proposals(view.run, number),
        groups=labels.groups(),
        hues=[Hue(h, name) for h, name in enumerate(HUE_NAMES)],
        own_hue=number % len(HUE_NAMES),
        others=[labels.title(k) for k in view.topics[:OFFERED] if k != number],
        target=links.topic_link(view, into) if into != number else None,
        members=[links.topic_link(view, m) for m in labels.members(number)],
    )


def proposals(run: Run, number: int) -> list[str]:
    """Labels made of the words that set the topic apart: those with the largest p(w|k) log(p(w|k) / p(w)).

    That is each word's part of the divergence of the topic from the corpus (Kullback-Leibler), so a word counts that
    is both frequent here and rarer elsewhere.
    """
    candidates = rows(
        "SELECT w.word, t.weight, w.tokens FROM topic_word t JOIN word w ON w.version_id = %s AND w.number = t.word"
        " WHERE t.snapshot_id = %s AND t.topic = %s AND t.rank < %s",
        [run.version_id, run.snapshot_id, number, WORDS],
    )
    total = run.version.tokens
    best = sorted(candidates, key=lambda row: -row["weight"] * math.log(row["weight"] * total / row["tokens"]))
    first: list[str] = []
    for row in best:
        if len(first) < 3 and not any(row["word"].startswith(word[:4]) for word in first):  # "court" says "courts", too
            first.append(row["word"])
    return [*first, *(", ".join(first[:n]) for n in range(2, len(first) + 1))]
