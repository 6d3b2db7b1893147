"""About how many bytes a file will have, before it is made: decides whether it is sent while it is
made, made by a worker, or refused.

Bytes of a row are those of CSV, as measured on the shipped example and on abstracts; other formats
by their ratio to it (table_formats).
"""

from collections.abc import Callable

import numpy as np

from webapp.analysis.words import patterns, queries as words_of
from webapp.core.documents import document_groups
from webapp.core.results import evidence
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.storage.sql import tuples
from webapp.service.exports.catalogue import EXPORT_KINDS, ExportKind
from webapp.service.exports.table_formats import FORMATS
from webapp.service.exports.tables import ExportSource, groupings

# Bytes, about, up to which a file is sent while it is made: some seconds of a web process
SENT = 32 << 20
# Bytes up to which a worker makes a file with a number for each topic of each document or word
DENSE = 8 << 30

# Bytes of a row of a table
DOCUMENT = 250
DOCUMENT_TOPIC = 180
DOCUMENT_DIGEST = 40  # of a document in dfr-browser's file, and in MALLET's, before its shares
DOCUMENT_NAME = 30
TOPIC_WORD = 60
VOCABULARY_WORD = 25
LINE = 260  # a word in its line
GROUP_TOPIC = 70
WEIGHT = 14  # a weight as text,
WEIGHT_AND_WORD = WEIGHT + 12
SHARE_CELL = 5  # and a share in a table most of whose cells are 0
STATE_TOKEN = 8  # of MALLET's state, compressed
# Of texts for each token that counts, about half of all words: plain and compressed, plain, as
# CoNLL-U, as TEI
TEXT_TOKEN = 5
PLAIN_TOKEN = 14
CONLLU_TOKEN = 75
TEI_TOKEN = 32
DFR_PAIR = 5
# Of a topic in LDAvis's file, and of its page in a site, before it is compressed, which is what
# takes time: a million documents, 2,000 topics
LDAVIS_TOPIC = 65_000
SITE_TOPIC = 22_000
# Bytes of arrays
PAIR_OF_BAG = 11  # words, counts, topics, certainty
SPARSE_PAIR = 6  # a topic of a document, or a word of a topic and its weight
SPARSE_WORD = 8
BUNDLE_DOCUMENT = 100
SPARSE_DOCUMENT = 16
FLOAT = 4
SECTIONS_LOOKED_AT = 100  # a millisecond
DEPOSIT_RATIO = 4  # its tables and pages are compressed to about a fourth


def _document_topics(source: ExportSource) -> int:
    """Topics of documents, in all: of a set as many as its documents have on average."""
    pairs = len(evidence.of(source.run).mixtures.doc_topics) * source.selection.count
    return pairs // max(1, source.run.version.documents)


def _section_topics(source: ExportSource) -> int:
    """Topics of the sections of documents, in all, by an even sample of sections: a book of a
    hundred has far more of them than topics."""
    assigned = evidence.of(source.run)
    indptr = assigned.section_bow.indptr
    sections = len(indptr) - 1
    if assigned.section_bow.first_row is None or not sections:
        return _document_topics(source)
    sample = np.arange(0, sections, -(-sections // SECTIONS_LOOKED_AT))
    pairs = 0
    for section in sample.tolist():
        pairs += len(np.unique(assigned.token_topics.topics[indptr[section] : indptr[section + 1]]))
    of_all = pairs * sections // len(sample)
    return of_all * source.selection.count // max(1, source.run.version.documents)


def _topic_words(source: ExportSource) -> int:
    """Words of topics, in all: as Postgres counted them when they were stored."""
    name = f"topic_word_{source.run.snapshot_id:d}"
    stored = tuples("SELECT reltuples::bigint FROM pg_class WHERE relname = %s", [name])
    if not stored:
        return 0
    return max(0, stored[0][0])


def _lines(source: ExportSource) -> int:
    if source.pattern:
        topic = next(iter(source.topics), None)
        hits = patterns.hits(source.selection, source.pattern, topic)
        return LINE * patterns.limit_to_embargo(source.selection, hits).hits
    entry = words_of.word(source.run.version, source.word) if source.word else None
    return LINE * entry.tokens if entry else 0


def _topic_time(source: ExportSource) -> int:
    by = source.by or next(iter(groupings(source.run)), None)
    if by is None:
        return 0
    groups = document_groups.read_groups(source.run.version, by)
    return GROUP_TOPIC * source.run.topics * len(groups.labels)


def _document_topics_wide(source: ExportSource) -> int:
    return source.selection.count * (DOCUMENT + SHARE_CELL * source.run.topics)


def _tokens(source: ExportSource) -> int:
    """Tokens of the documents: a set has as many as its documents have on average."""
    version = source.run.version
    return version.tokens * source.selection.count // max(1, version.documents)


def _documents_with_texts(source: ExportSource) -> int:
    return DOCUMENT * source.selection.count + PLAIN_TOKEN * _tokens(source)


def _mallet_doc_topics(source: ExportSource) -> int:
    return source.run.version.documents * (DOCUMENT_NAME + (WEIGHT + 1) * source.run.topics)


def _mallet_topic_word_weights(source: ExportSource) -> int:
    return WEIGHT_AND_WORD * source.run.topics * source.run.version.vocabulary


# At most, of texts that a folder of pages searches (searched_site.MOST_WORDS)
SEARCHED = 8 << 20


def _dfr_browser(source: ExportSource) -> int:
    return DOCUMENT_DIGEST * source.selection.count + DFR_PAIR * _document_topics(source)


def _model(source: ExportSource) -> int:
    version = source.run.version
    return FLOAT * source.run.topics * (version.documents + version.vocabulary)


def _sparse_arrays(source: ExportSource, document: int) -> int:
    """document: bytes of one, beside its topics."""
    pairs = SPARSE_PAIR * len(evidence.of(source.run).mixtures.doc_topics)
    words = SPARSE_WORD * _topic_words(source)
    return pairs + document * source.run.version.documents + words


def _bundle(source: ExportSource) -> int:
    bag = PAIR_OF_BAG * len(evidence.of(source.run).document_bow.words)
    return bag + _sparse_arrays(source, BUNDLE_DOCUMENT)


def _deposit(source: ExportSource) -> int:
    parts = ("topics-long", "words", "documents", "document-topics", "site")
    tables = sum(BYTES[name](source) for name in parts) // DEPOSIT_RATIO
    texts = 0
    if source.deposit and "texts" in source.deposit.cleaned_data["share"]:
        texts = BYTES["texts"](source)  # of compressed ones already
    return _bundle(source) + tables + texts


# The bytes of each of EXPORT_KINDS, and of a deposit; of a table as CSV. A kind that never has many is
# not among them.
BYTES: dict[str, Callable[[ExportSource], int]] = {
    "topics-long": lambda source: TOPIC_WORD * _topic_words(source),
    "words": lambda source: VOCABULARY_WORD * source.run.version.vocabulary,
    "lines": _lines,
    "documents": lambda source: DOCUMENT * source.selection.count,
    "documents-with-texts": _documents_with_texts,
    "document-topics": lambda source: DOCUMENT_TOPIC * _document_topics(source),
    "section-topics": lambda source: DOCUMENT_TOPIC * _section_topics(source),
    "document-topics-wide": _document_topics_wide,
    "topic-time": _topic_time,
    "texts": lambda source: TEXT_TOKEN * _tokens(source),
    "texts-conllu": lambda source: CONLLU_TOKEN * _tokens(source),
    "texts-tei": lambda source: TEI_TOKEN * _tokens(source),
    "mallet-doc-topics": _mallet_doc_topics,
    "mallet-topic-word-weights": _mallet_topic_word_weights,
    "mallet-state": lambda source: STATE_TOKEN * source.run.version.tokens,
    "dfr-browser": _dfr_browser,
    "ldavis": lambda source: LDAVIS_TOPIC * source.run.topics,
    "model": _model,
    "model-sparse": lambda source: _sparse_arrays(source, SPARSE_DOCUMENT),
    "site": lambda source: SITE_TOPIC * source.run.topics,
    "site-texts": lambda source: (
        SITE_TOPIC * source.run.topics + min(TEXT_TOKEN * _tokens(source), SEARCHED)
    ),
    "bundle": _bundle,
    "deposit": _deposit,
}


def expected_bytes(kind: ExportKind, ending: str, source: ExportSource) -> int:
    """About how many bytes a file has; 0 where it never has many."""
    if kind.name not in BYTES:
        return 0
    ratio = FORMATS[ending].size if kind.table else 1
    return int(BYTES[kind.name](kind.restricted(source)) * ratio)


def needs_worker(expected: int) -> bool:
    """Whether a worker makes a file before it is sent. expected: its bytes."""
    return expected > SENT


def refusal(kind: ExportKind, expected: int) -> str:
    """Why a file of so many bytes is not made, and what to take instead; "" where it is made."""
    if not kind.instead or expected <= DENSE:
        return ""
    return (
        f"It would have about {byte_size(expected)}, nearly all of it zeros. Take"
        f" “{EXPORT_KINDS[kind.instead].title}” instead: it has the same numbers."
    )
