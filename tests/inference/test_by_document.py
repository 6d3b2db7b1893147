"""What counts documents says the same of long documents, whether or not their texts are cut into
sections: a bag of words and its evidence of whole documents, and the same in sections."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from inference import Bow, Evidence, Postings, Theta, Topics, gather, open_evidence
from inference.answers import collection_unit, topic_words
from inference.codes.predict import predict
from inference.explore import flows
from inference.findings import senses, uses
from inference.senses import SenseUses, distinguishing
from tests.inference.corpora import bow_of

DOCUMENTS = 60
SECTIONS = 12  # of each document
V = 40
K = 4
EVERY_TOPIC = np.arange(K, dtype=np.int32)
MERGED = np.array([0, 0, 2, 2], np.int32)


class Pair(NamedTuple):
    """The same documents, whole and in sections."""

    whole: Evidence
    cut: Evidence


def evidence_of(folder: Path, bow: Bow, theta: np.ndarray) -> Evidence:
    """theta: float32[D, K], of the rows."""
    beta = np.random.default_rng(5).dirichlet(np.full(V, 0.3), K).astype(np.float32)
    words = np.tile(np.arange(V, dtype=np.int32), K)
    topics = Topics.of_listed(np.arange(K + 1) * V, words, beta.ravel(), np.ones(K), V)
    columns = np.tile(EVERY_TOPIC, bow.D)
    mixes = Theta(0, np.arange(bow.D + 1) * K, columns, theta.ravel())
    Postings.write(folder / "by_word", bow)
    postings = Postings.open(folder / "by_word")
    list(gather(folder / "evidence", bow, postings, topics, [mixes]))
    return open_evidence(folder / "evidence", bow, postings)


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Pair:
    """Documents of one to SECTIONS sections, whose words repeat from one section to the next. Each
    section has the mix of its document, so that a word has one topic in all of them."""
    chance = np.random.default_rng(3)
    pieces = chance.integers(1, SECTIONS + 1, DOCUMENTS)
    pieces[:10] = SECTIONS
    theta = chance.dirichlet(np.full(K, 0.4), DOCUMENTS).astype(np.float32)
    sections = []
    documents = []
    for n in pieces.tolist():
        usual = chance.dirichlet(np.full(V, 0.2))
        texts = [chance.choice(V, 30, p=usual).tolist() for _ in range(n)]
        sections += texts
        documents.append(sum(texts, []))
    rows = bow_of(sections, V)
    first_row = np.append(0, np.cumsum(pieces))
    cut = Bow(rows.indptr, rows.words, rows.counts, V, first_row=first_row)
    folder = tmp_path_factory.mktemp("sections")
    return Pair(
        evidence_of(folder / "whole", bow_of(documents, V), theta),
        evidence_of(folder / "cut", cut, np.repeat(theta, pieces, axis=0)),
    )


def predicted(evidence: Evidence, with_topics: bool) -> tuple[np.ndarray, ...]:
    """By codes of every document, which its first word decides."""
    y = (np.arange(DOCUMENTS) % 3 == 0).astype(float)
    prediction = predict(
        evidence.section_bow, evidence if with_topics else None, np.arange(40), y[:40], 1
    )
    return prediction.g, prediction.coded


def likeness(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """The directions in which documents differ, and how alike are those of one of twelve."""
    bow = evidence.document_bow
    mixes = collection_unit.mixes_of(bow.indptr, bow.words, bow.counts, V)
    return mixes.directions, np.array(
        collection_unit.design_effect(np.arange(DOCUMENTS) % 12, mixes)
    )


def words_of_topic(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """What a topic has of each word in each document."""
    table = topic_words.count(evidence, [0, 1], list(range(V)))
    return table.amounts.toarray(), table.sizes


def senses_of_word(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """Tokens and documents of a word's senses, by group."""
    group = (np.arange(DOCUMENTS) % 3).astype(np.int32)
    return SenseUses(evidence, 7, MERGED).tally(group, 3)


def words_of_two_words(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """The words that tell the documents of two words apart."""
    sides = distinguishing(
        evidence, SenseUses(evidence, 7, EVERY_TOPIC), SenseUses(evidence, 12, EVERY_TOPIC), V
    )
    return tuple(map(np.array, sides))


def main_topics(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """The topic that each document gives a word to."""
    documents, counts, topics, _ = evidence.word_topics.of_word(7)
    return senses.main_topics(documents, counts, MERGED[topics])


def uses_of_word(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """Documents with a word, and its uses in each."""
    return uses.counts(evidence, [7], np.full(V, 4))


def sums_of_groups(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """Tokens and documents of topics and of words, by group."""
    group = (np.arange(DOCUMENTS) % 3).astype(np.int32)
    row = np.arange(3 * K).reshape(3, K)
    words = evidence.token_topics.word_sums(group, row, 3 * K)
    return *evidence.mixtures.sums(group, 3, MERGED), *words, *evidence.word_topics.held_by_word()


def sums_of_words(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """What topics hold of words, in all documents and in some."""
    some = np.arange(DOCUMENTS) % 2 == 0
    words = list(range(V))
    return evidence.word_topics.tokens_by_topic(words), evidence.word_topics.tokens_by_topic(
        words, some
    )


def orders_of_documents(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """The documents of each topic, and those with a word."""
    return (
        evidence.topic_documents.topic_ptr,
        evidence.topic_documents.by_share,
        evidence.topic_documents.by_tokens,
        evidence.word_topics.documents_with(7),
    )


def topics_of_documents(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """The arrays that all analyses of topics read."""
    return (
        evidence.mixtures.doc_ptr,
        evidence.mixtures.doc_topics,
        evidence.mixtures.doc_tokens,
        evidence.lengths,
    )


def flow_between_trainings(evidence: Evidence) -> tuple[np.ndarray, ...]:
    """Tokens of two trainings' topics."""
    counted = flows.count(
        evidence.token_topics.topics,
        MERGED[evidence.token_topics.topics].astype(np.uint16),
        evidence.document_bow.counts,
        K,
        K,
    )
    return counted.fine, counted.coarse, counted.tokens


ANALYSES = {
    "codes predicted by words": lambda evidence: predicted(evidence, False),
    "codes predicted by words and topics": lambda evidence: predicted(evidence, True),
    "likeness of documents": likeness,
    "words of a topic": words_of_topic,
    "senses of a word": senses_of_word,
    "words that tell two words apart": words_of_two_words,
    "the topic that a document gives a word": main_topics,
    "uses of a word": uses_of_word,
    "sums of groups": sums_of_groups,
    "sums of words": sums_of_words,
    "orders of documents": orders_of_documents,
    "topics of documents": topics_of_documents,
    "flow between trainings": flow_between_trainings,
}


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)
def test_sections_change_nothing_that_counts_documents(pair, analysis):
    for whole, cut in zip(analysis(pair.whole), analysis(pair.cut), strict=True):
        assert np.array_equal(whole, cut)


def test_the_pair_has_words_that_tell_two_words_apart(pair):
    for side in words_of_two_words(pair.whole):
        assert len(side) > 3
    first = pair.cut.word_topics.documents_with(7)
    assert len(np.intersect1d(first, pair.cut.word_topics.documents_with(12))) > 3


def test_the_pair_has_words_in_several_sections(pair):
    assert len(pair.cut.word_topics.of_word(7)[0]) > len(pair.whole.word_topics.of_word(7)[0])
    assert len(pair.cut.document_bow.words) > 1.5 * len(pair.whole.document_bow.words)
