"""A run's topics as arrays, and a corpus's words, straight from Postgres."""

import numpy as np

from inference import Topics
from webapp.models import Run, Snapshot, Version
from webapp.platform.storage.sql import rows

_LISTED = np.dtype([("word", ">i4"), ("weight", ">f4")])


def topics(snapshot: Snapshot) -> Topics:
    """What the engine found; words that have a row for their tokens' sake alone, at the floor's
    weight, are left to the floor.

    A topic's words come as one string of bytes: a row for each word takes six times as long.
    """
    stored = rows(
        """
        SELECT t.floor, t.floor_mass, t.share, t.used, w.listed FROM webapp_topic t
        LEFT JOIN (SELECT topic, string_agg(int4send(word) || float4send(weight), ''::bytea ORDER BY rank) AS listed
                   FROM topic_word WHERE snapshot_id = %(snapshot)s GROUP BY topic) w ON w.topic = t.number
        WHERE t.snapshot_id = %(snapshot)s ORDER BY t.number
        """,
        {"snapshot": snapshot.pk},
    )
    words_of_topics = [np.zeros(0, _LISTED)]
    for row in stored:
        words = np.frombuffer(row["listed"] or b"", _LISTED)
        words_of_topics.append(words[words["weight"] > np.float32(row["floor"])])
    all_words = np.concatenate(words_of_topics)
    return Topics(
        indptr=np.cumsum([len(words) for words in words_of_topics]),
        words=all_words["word"].astype(np.int32),
        weights=all_words["weight"].astype(np.float32),
        floor=np.array([row["floor"] for row in stored], np.float64),
        floor_mass=np.array([row["floor_mass"] for row in stored], np.float64),
        share=np.array([row["share"] for row in stored], np.float64),
        V=snapshot.run.version.vocabulary,
        used=np.array([row["used"] for row in stored], bool),
    )


def words(a: Run, b: Run) -> tuple:
    """What the columns of two runs' topics are, for matching them: of one version the numbers
    themselves are the words."""
    return (
        (range(a.version.vocabulary),) * 2
        if a.version_id == b.version_id
        else (vocabulary(a.version), vocabulary(b.version))
    )


def vocabulary(version: Version) -> list[str]:
    """The word of each number."""
    return [
        row["word"]
        for row in rows("SELECT word FROM word WHERE version_id = %s ORDER BY number", [version.pk])
    ]
