"""Topics of a run's present snapshot."""

import math
from collections import Counter

from django.urls import reverse

from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.results import hidden_words, measures
from webapp.results.labels import names
from webapp.storage.cache import cached
from webapp.storage.sql import rows

TOP_WORDS = 10


def link(run: Run, number: int) -> dict:
    """How a topic is named, coloured and reached from anywhere; {% chip %} shows it."""
    said = names(run)
    return {
        "number": number,
        "label": topic_label(number),
        "name": said.label(number),
        "hue": said.hue(number),
        "hidden": said.hidden(number),
        "into": topic_label(said.into[number]) if said.into[number] != number else "",
        "url": f"{_url(run)}{number}/{hidden_words.address(run)}",
    }


def _url(run: Run) -> str:
    """Of all topics: looked up once for this run object, as a page may link to hundreds."""
    if "topics_url" not in run.__dict__:
        run.__dict__["topics_url"] = reverse("run_topics", args=[run.pk])
    return run.__dict__["topics_url"]


def largest(run: Run, limit: int) -> list[dict]:
    """The topics with the largest shares, with their first words: what a page shows while they still change."""
    found = rows(
        "SELECT number, share, coherence FROM webapp_topic WHERE snapshot_id = %s ORDER BY share DESC, number LIMIT %s",
        [run.snapshot_id, limit],
    )
    words = top_words(run, [topic["number"] for topic in found])
    return [topic | link(run, topic["number"]) | {"words": words[topic["number"]]} for topic in found]


def top_words(run: Run, numbers: list[int], count: int = TOP_WORDS) -> dict[int, list[str]]:
    """The first words of several topics, by weight, without those dropped from view; of merged topics by what they weigh together."""
    said, dropped = names(run), hidden_words.words(run)
    members = {k: said.members(k) for k in numbers}
    final = run.snapshot_id is not None and run.snapshot.final  # others are soon replaced
    if final and count + len(dropped) <= TOP_WORDS and not any(members.values()):
        first = _first_words(
            run.snapshot_id, run.version_id, run.topics, TOP_WORDS
        )  # kept, as nearly every page names some topics
        return {k: [word for word in first[k] if word not in dropped][:count] for k in numbers}
    asked = sorted({*numbers, *(m for of in members.values() for m in of)})
    found = rows(
        """
        SELECT tw.topic, w.word, tw.weight FROM topic_word tw
        JOIN word w ON w.version_id = %(version)s AND w.number = tw.word
        WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = ANY(%(asked)s) AND tw.rank < %(count)s
        ORDER BY tw.topic, tw.rank
        """,
        {"snapshot": run.snapshot_id, "version": run.version_id, "asked": asked, "count": count + len(dropped)},
    )
    words: dict[int, dict[str, float]] = {k: {} for k in asked}
    for row in found:
        if row["word"] not in dropped:
            words[row["topic"]][row["word"]] = row["weight"]
    return {
        k: _together(run, [k, *members[k]], words, count) if members[k] else list(words[k])[:count] for k in numbers
    }


def first_words(run: Run, count: int) -> list[list[str]]:
    """The first words of every topic, by weight, as the model has them, without those dropped from view."""
    dropped = hidden_words.words(run)
    found = _first_words(run.snapshot_id, run.version_id, run.topics, max(TOP_WORDS, count + len(dropped)))
    return [[word for word in words if word not in dropped][:count] for words in found]


@cached(16)  # of 2,000 topics they have 2 MB
def _first_words(snapshot_id: int, version_id: int, K: int, count: int) -> list[list[str]]:
    found = rows(
        "SELECT tw.topic, w.word FROM topic_word tw JOIN word w ON w.version_id = %s AND w.number = tw.word"
        " WHERE tw.snapshot_id = %s AND tw.topic = ANY(%s) AND tw.rank < %s ORDER BY tw.topic, tw.rank",
        [version_id, snapshot_id, list(range(K)), count],
    )
    words: list[list[str]] = [[] for _ in range(K)]
    for row in found:
        words[row["topic"]].append(row["word"])
    return words


def _together(run: Run, merged: list[int], words: dict[int, dict[str, float]], count: int) -> list[str]:
    total: Counter[str] = Counter()
    for k in merged:
        share = measures.of(run)["share"][k]
        total.update({word: share * weight for word, weight in words[k].items()})
    return [word for word, _ in total.most_common(count)]


def topic(run: Run, number: int) -> dict | None:
    """One topic: share, coherence, the weight that is not listed."""
    columns = measures.of(run)
    if not columns or number >= len(columns["share"]):
        return None
    known = {name: float(columns[name][number]) for name in ("share", "coherence", "floor", "floor_mass")}
    return {name: None if math.isnan(value) else value for name, value in known.items()} | link(run, number)


def described(run: Run, number: int) -> dict | None:
    """`topic` with its first words, in the shape webapp.api.shapes.Topic."""
    row = topic(run, number)
    return row and row | {"words": top_words(run, [number])[number]}


def words(run: Run, number: int, after: int = 0, limit: int = 50) -> tuple[list[dict], int | None]:
    """A topic's words by weight, from rank `after` on: rank, word, weight, bar (of the largest); and the next rank."""
    found = rows(
        """
        SELECT tw.rank, w.word, tw.weight,
               tw.weight / (SELECT max(weight) FROM topic_word
                            WHERE snapshot_id = %(snapshot)s AND topic = %(number)s AND rank = 0) AS bar
        FROM topic_word tw JOIN word w ON w.version_id = %(version)s AND w.number = tw.word
        WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = %(number)s AND tw.rank >= %(after)s
        ORDER BY tw.rank LIMIT %(limit)s
        """,
        {"snapshot": run.snapshot_id, "version": run.version_id, "number": number, "after": after, "limit": limit + 1},
    )
    for row in found:
        row["url"] = reverse("run_word", args=[run.pk, row["word"]])
    return found[:limit], after + limit if len(found) > limit else None
