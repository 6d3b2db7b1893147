"""Labels and notes of a run's topics: their history, what the form of a topic shows, and labels to
choose from."""

import math
from dataclasses import dataclass
from typing import Any

from webapp.core.curation.shapes import EditRow, TopicGroup
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.drawing.colours import CHOSEN, CHOSEN_NAMES
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.storage.sql import rows

PAGE = 50
WORDS_OF_LABELS = 100  # of a topic's words that a label may be made of
MOST_WORDS = 3  # of a label
SAME_BEGINNING = 4  # letters by which two words say the same: "court" says "courts", too
# Topics that the field for a merge offers by name, 12 kB; of any other a part of its name can be
# typed
TOPICS_OFFERED = 300


def history(
    view: RunView, before: int | None = None, topic: int | None = None
) -> tuple[list[EditRow], int | None]:
    """Edits, newest first, and where the next page begins."""
    edits = rows(
        """
        SELECT e.id, e.topic, e.field, e.value, e.by, e.at, e.undone_at, e.undone_by, e.batch,
               CASE WHEN e.undone_at IS NOT NULL THEN 'undone'
                    WHEN EXISTS (SELECT FROM webapp_edit n WHERE n.run_id = e.run_id AND n.topic = e.topic
                                 AND n.field = e.field AND n.undone_at IS NULL AND n.id > e.id) THEN 'replaced'
                    ELSE 'holds' END AS state,
               (SELECT count(*) FROM webapp_edit b WHERE b.batch = e.batch AND b.undone_at IS NULL) AS together
        FROM webapp_edit e
        WHERE e.run_id = %(run)s AND (%(before)s::bigint IS NULL OR e.id < %(before)s)
              AND (%(topic)s::int IS NULL OR e.topic = %(topic)s)
        ORDER BY e.id DESC LIMIT %(limit)s
        """,
        {"run": view.run.pk, "before": before, "topic": topic, "limit": PAGE + 1},
    )
    edited = []
    for edit in edits[:PAGE]:
        edit["said"] = sentence(edit["field"], edit["value"])
        edit["topic"] = links.topic_link(view, edit["topic"])
        edited.append(EditRow(**edit))
    return edited, edited[-1].id if len(edits) > PAGE else None


def sentence(field: str, value: str) -> str:
    """What an edit did, before its value: "label", "colour plum", "merged into T03"."""
    if field == "hidden":
        return "hidden" if value else "shown again"
    if field == "into":
        return f"merged into {topic_label(value)}" if value else "no longer merged"
    if field == "beside":
        return f"moved to the family of {topic_label(value)}" if value else "no longer moved"
    if field == "colour":
        return f"colour {CHOSEN_NAMES[int(value)]}" if value else "its own colour again"
    return field if value else f"{field} removed"


def groups(view: RunView) -> list[TopicGroup]:
    """The groups and their topics; at the end what is in none, but named or merged."""
    members: dict[str, list[links.TopicLink]] = {}
    for k in view.labels.edited():
        members.setdefault(view.labels.group(k), []).append(links.topic_link(view, k))
    return [
        TopicGroup(name, members[name])
        for name in sorted(members, key=lambda name: (not name, name.lower()))
    ]


@dataclass(frozen=True)
class Hue:
    """A colour that a reader can choose. value: as it is stored; hue: its number among all."""

    value: int
    hue: int
    name: str


@dataclass(frozen=True)
class TopicForm:
    """What the form of one topic shows (templates/run/_curate.html). present: field of Edit -> its
    value. proposals: labels made of its words. groups: of all topics. own_hue: unless a reader
    chose another. others: topics that it may be merged into. target: the one that it is merged
    into. members: those that are merged into it."""

    present: dict[str, str]
    proposals: list[str]
    groups: list[str]
    hues: list[Hue]
    own_hue: int
    others: list[str]
    target: links.TopicLink | None
    members: list[links.TopicLink]


def topic_form(view: RunView, number: int) -> TopicForm:
    """What readers say of a topic, as its form shows it."""
    labels = view.labels
    present = labels.present(number)
    target = int(labels.into[number])
    present |= {
        field: topic_label(present[field]) for field in ("into", "beside") if present[field]
    }
    return TopicForm(
        present=present,
        proposals=proposals(view.run, number),
        groups=labels.groups(),
        hues=[Hue(n, CHOSEN + n, name) for n, name in enumerate(CHOSEN_NAMES)],
        own_hue=view.homes[number].hue,
        others=[labels.title(k) for k in view.topics[:TOPICS_OFFERED] if k != number],
        target=links.topic_link(view, target) if target != number else None,
        members=[links.topic_link(view, m) for m in labels.members(number)],
    )


def proposals(run: Run, number: int) -> list[str]:
    """Labels made of the words that set the topic apart: those with the largest p(w|k) log(p(w|k) /
    p(w)).

    That is each word's part of the divergence of the topic from the corpus (Kullback-Leibler), so a
    word counts that is both frequent here and rarer elsewhere.
    """
    candidates = rows(
        "SELECT w.word, t.weight, w.tokens FROM topic_word t JOIN word w ON w.version_id = %s AND"
        " w.number = t.word WHERE t.snapshot_id = %s AND t.topic = %s AND t.rank < %s",
        [run.version_id, run.snapshot_id, number, WORDS_OF_LABELS],
    )
    total = run.version.tokens

    def divergence(row: dict[str, Any]) -> float:
        weight = row["weight"]
        if weight == 0:  # too small for float32; the divergence tends to 0, too
            return 0.0
        return weight * math.log(weight * total / row["tokens"])

    first: list[str] = []
    for row in sorted(candidates, key=divergence, reverse=True):
        beginnings = tuple(word[:SAME_BEGINNING] for word in first)
        if len(first) < MOST_WORDS and not row["word"].startswith(beginnings):
            first.append(row["word"])
    return [*first, *(", ".join(first[:n]) for n in range(2, len(first) + 1))]
