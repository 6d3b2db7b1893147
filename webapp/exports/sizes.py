"""About how many bytes a file will have, before it is made: decides whether it is sent while it is made, made by a worker,
or refused.

Bytes of a row are those of CSV, as measured on the shipped example and on abstracts; other formats by their ratio to it.
"""

from webapp.documents import fields
from webapp.exports.tables import Wanted, kinds
from webapp.results import evidence
from webapp.storage.sql import rows
from webapp.words import queries as words_of

RATIO = {"csv": 1.0, "excel.csv": 1.0, "json": 2.2, "parquet": 0.25}
DOCUMENT, PAIR, LISTED, LINE = 250, 180, 60, 260  # of a document, a topic of one, a word of a topic, a word in its line
# Of a topic in LDAvis's file, and of its page in a site: a million documents, 2,000 topics
VIEWED, PAGE = 65_000, 22_000
NUMBER, CELL = 14, 5  # of a weight as text, and of a share in a table most of whose cells are 0


def _pairs(wanted: Wanted) -> int:
    """Topics of documents, in all: of a set as many as its documents have on average."""
    return len(evidence.of(wanted.run).doc_topics) * wanted.selection.count // max(1, wanted.run.version.documents)


def _listed(wanted: Wanted) -> int:
    """Words of topics, in all: as Postgres counted them when they were stored."""
    name = f"topic_word_{wanted.run.snapshot_id:d}"
    stored = rows("SELECT reltuples::bigint FROM pg_class WHERE relname = %s", [name], as_tuples=True)
    return max(0, stored[0][0]) if stored else 0


def topics_long(wanted: Wanted) -> int:
    return LISTED * _listed(wanted)


def documents(wanted: Wanted) -> int:
    return DOCUMENT * wanted.selection.count


def document_topics(wanted: Wanted) -> int:
    return PAIR * _pairs(wanted)


def document_topics_wide(wanted: Wanted) -> int:
    return wanted.selection.count * (DOCUMENT + CELL * wanted.run.topics)


def words(wanted: Wanted) -> int:
    return 25 * wanted.run.version.vocabulary


def lines(wanted: Wanted) -> int:
    entry = words_of.word(wanted.run.version, wanted.word) if wanted.word else None
    return LINE * entry.tokens if entry else 0


def topic_time(wanted: Wanted) -> int:
    by = wanted.by or next(iter(kinds(wanted.run)), None)
    return 0 if by is None else 70 * wanted.run.topics * len(fields.groups(wanted.run.version, by).labels)


def mallet_doc_topics(wanted: Wanted) -> int:
    return wanted.run.version.documents * (30 + (NUMBER + 1) * wanted.run.topics)


def mallet_topic_word_weights(wanted: Wanted) -> int:
    return wanted.run.topics * wanted.run.version.vocabulary * (NUMBER + 12)


def mallet_state(wanted: Wanted) -> int:
    return 8 * wanted.run.version.tokens


def dfr(wanted: Wanted) -> int:
    return 40 * wanted.selection.count + 5 * _pairs(wanted)


def ldavis(wanted: Wanted) -> int:
    return VIEWED * wanted.run.topics


def site(wanted: Wanted) -> int:
    """Before it is compressed: that is what takes time."""
    return PAGE * wanted.run.topics


def model(wanted: Wanted) -> int:
    return 4 * wanted.run.topics * (wanted.run.version.documents + wanted.run.version.vocabulary)


def model_sparse(wanted: Wanted) -> int:
    return 6 * len(evidence.of(wanted.run).doc_topics) + 16 * wanted.run.version.documents + 8 * _listed(wanted)


def bundle(wanted: Wanted) -> int:
    assigned = evidence.of(wanted.run)
    bow = 11 * len(assigned.bow.words)  # words, counts, topics, certainty
    return bow + 6 * len(assigned.doc_topics) + 100 * wanted.run.version.documents + 8 * _listed(wanted)
