"""About how many bytes a file will have, before it is made: decides whether it is sent while it is
made, made by a worker, or refused.

Bytes of a row are those of CSV, as measured on the shipped example and on abstracts; other formats
by their ratio to it.
"""

from collections.abc import Callable

from webapp.analysis.words import patterns, queries as words_of
from webapp.core.documents import fields
from webapp.core.results import evidence
from webapp.platform.storage.sql import tuples
from webapp.service.exports.tables import Wanted, kinds

RATIO = {"csv": 1.0, "excel.csv": 1.0, "json": 2.2, "parquet": 0.25}
DOCUMENT, PAIR, LISTED, LINE = (
    250,
    180,
    60,
    260,
)  # of a document, a topic of one, a word of a topic, a word in its line
# Of a topic in LDAvis's file, and of its page in a site: a million documents, 2,000 topics
VIEWED, PAGE = 65_000, 22_000
NUMBER, CELL = 14, 5  # of a weight as text, and of a share in a table most of whose cells are 0


def _pairs(wanted: Wanted) -> int:
    """Topics of documents, in all: of a set as many as its documents have on average."""
    return (
        len(evidence.of(wanted.run).doc_topics)
        * wanted.selection.count
        // max(1, wanted.run.version.documents)
    )


def _listed(wanted: Wanted) -> int:
    """Words of topics, in all: as Postgres counted them when they were stored."""
    name = f"topic_word_{wanted.run.snapshot_id:d}"
    stored = tuples("SELECT reltuples::bigint FROM pg_class WHERE relname = %s", [name])
    return max(0, stored[0][0]) if stored else 0


def _lines(wanted: Wanted) -> int:
    if wanted.pattern:
        hits = patterns.hits(wanted.selection, wanted.pattern, next(iter(wanted.topics), None))
        return LINE * patterns.told(wanted.selection, hits).hits
    entry = words_of.word(wanted.run.version, wanted.word) if wanted.word else None
    return LINE * entry.tokens if entry else 0


def _topic_time(wanted: Wanted) -> int:
    by = wanted.by or next(iter(kinds(wanted.run)), None)
    return (
        0
        if by is None
        else 70 * wanted.run.topics * len(fields.groups(wanted.run.version, by).labels)
    )


def _bundle(wanted: Wanted) -> int:
    assigned = evidence.of(wanted.run)
    bow = 11 * len(assigned.bow.words)  # words, counts, topics, certainty
    return (
        bow
        + 6 * len(assigned.doc_topics)
        + 100 * wanted.run.version.documents
        + 8 * _listed(wanted)
    )


def _deposit(wanted: Wanted) -> int:
    """Its tables and pages are compressed to about a fourth."""
    parts = ("topics-long", "words", "documents", "document-topics", "site")
    return _bundle(wanted) + sum(BYTES[name](wanted) for name in parts) // 4


# The bytes of a form of exports.FORMS, and of a deposit, of a table as CSV; a form that never has
# many is not among them.
BYTES: dict[str, Callable[[Wanted], int]] = {
    "topics-long": lambda wanted: LISTED * _listed(wanted),
    "words": lambda wanted: 25 * wanted.run.version.vocabulary,
    "lines": _lines,
    "documents": lambda wanted: DOCUMENT * wanted.selection.count,
    "document-topics": lambda wanted: PAIR * _pairs(wanted),
    "section-topics": lambda wanted: PAIR * _pairs(wanted),
    "document-topics-wide": lambda wanted: (
        wanted.selection.count * (DOCUMENT + CELL * wanted.run.topics)
    ),
    "topic-time": _topic_time,
    "mallet-doc-topics": lambda wanted: (
        wanted.run.version.documents * (30 + (NUMBER + 1) * wanted.run.topics)
    ),
    "mallet-topic-word-weights": lambda wanted: (
        wanted.run.topics * wanted.run.version.vocabulary * (NUMBER + 12)
    ),
    "mallet-state": lambda wanted: 8 * wanted.run.version.tokens,
    "dfr-browser": lambda wanted: 40 * wanted.selection.count + 5 * _pairs(wanted),
    "ldavis": lambda wanted: VIEWED * wanted.run.topics,
    "model": lambda wanted: (
        4 * wanted.run.topics * (wanted.run.version.documents + wanted.run.version.vocabulary)
    ),
    "model-sparse": lambda wanted: (
        6 * len(evidence.of(wanted.run).doc_topics)
        + 16 * wanted.run.version.documents
        + 8 * _listed(wanted)
    ),
    "site": lambda wanted: (
        PAGE * wanted.run.topics
    ),  # before it is compressed: that is what takes time
    "bundle": _bundle,
    "deposit": _deposit,
}
