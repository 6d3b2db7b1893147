"""Clear, mixed and general topics: of texts whose topics are known to be so."""

import numpy as np
import pytest

from inference import Postings, Theta, Topics, gather, open_evidence
from inference.explore import company
from inference.text import Stream, Tokeniser, VocabularyChoice, choose

SUBJECTS = {
    "farm": "wheat corn barley harvest tractor soil manure plough acre grain",
    "court": "judge jury verdict lawyer appeal sentence trial prison bail witness",
    "sea": "ship harbour sailor anchor captain voyage sail cargo pilot crew",
    "heat": "boiler steam furnace kettle coal stove chimney ember flame ash",
    "bird": "robin sparrow falcon heron nest feather beak wing flock egg",
}
TALK = "view matter regard reason purpose hope effort result time subject"
TOPICS = [("farm",), ("court", "sea"), ("heat",), ("bird",), ("talk",)]


def evidence_of(folder, texts, words_of_topics):
    """(evidence, number of each word) of texts, in which each topic has some words, all alike."""
    with Stream.write(folder / "tokens", Tokeniser("en")) as stream:
        stream.add(texts, [""] * len(texts))
        stream.commit()
    choice = VocabularyChoice((), min_documents=1, max_share=1.0, spread_evenly=True)
    bow, vocabulary = choose(Stream.open(folder / "tokens"), choice, folder / "bow")
    number = {word: w for w, word in enumerate(vocabulary.words)}
    rows = [[number[w] for w in words] for words in words_of_topics]
    K = len(rows)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    weights = np.concatenate([np.full(len(row), 1 / len(row)) for row in rows]).astype(np.float32)
    topics = Topics.of_listed(
        indptr, np.concatenate(rows).astype(np.int32), weights, np.ones(K), bow.V
    )
    every = np.tile(np.arange(K, dtype=np.int32), bow.D)
    theta = Theta(0, np.arange(bow.D + 1) * K, every, np.full(len(every), 1 / K, np.float32))
    postings = Postings.open(folder / "bow" / "by_word")
    list(gather(folder / "evidence", bow, postings, topics, [theta]))
    return open_evidence(folder / "evidence", bow, postings), number


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """(evidence, number of each word): 400 documents in pieces of one subject each, with general
    talk in all of them."""
    chance = np.random.default_rng(3)
    words = {name: said.split() for name, said in SUBJECTS.items()} | {"talk": TALK.split()}
    texts = []
    for d in range(400):
        subject = list(SUBJECTS)[d % 5]
        drawn = [*chance.choice(words[subject], 60), *chance.choice(words["talk"], 20)]
        texts.append(" ".join(chance.permutation(drawn)))
    words_of_topics = [[w for name in names for w in words[name]] for names in TOPICS]
    return evidence_of(tmp_path_factory.mktemp("company"), texts, words_of_topics)


def pieces_shared(pieces: list[list[int]], words: int) -> np.ndarray:
    """float64[n, n]: in how many pieces two words are, of pieces that are lists of words."""
    has = np.zeros((len(pieces), words))
    for piece, words_of_piece in enumerate(pieces):
        has[piece, words_of_piece] = 1
    return has.T @ has


def test_two_subjects_that_never_meet_are_a_mixed_topic(found):
    of = company.company(found[0])
    assert np.flatnonzero(of.mixed).tolist() == [1] and of.apart[1] > 0.9 > of.apart[0]


def test_the_words_of_two_subjects_are_on_two_sides():
    chance = np.random.default_rng(2)
    pieces = [chance.choice(10, 4) + 10 * (piece % 2) for piece in range(200)]
    pieces += [chance.choice(20, 2) for _ in range(10)]
    order = chance.permutation(20)
    sides = company.two_sides(pieces_shared([order[piece] for piece in pieces], 20))
    assert sides is not None
    found_sides = {frozenset(side.tolist()) for side in sides[1:]}
    assert found_sides == {frozenset(order[:10].tolist()), frozenset(order[10:].tolist())}


def test_fixed_phrases_are_no_side():
    """A word or two that always occur together part from the others; after three such cuts none is
    looked for."""
    chance = np.random.default_rng(2)
    pieces = [chance.choice(14, 5).tolist() for _ in range(100)]
    for together, phrase in enumerate(([14, 15], [16, 17], [18, 19]), 1):
        pieces += [phrase] * 50
        pieces += [[*phrase, int(word)] for word in chance.choice(14, together)]
    assert company.two_sides(pieces_shared(pieces, 20)) is None
    assert company.two_sides(pieces_shared(pieces, 20)[:14, :14]) is not None


def test_words_that_are_all_over_the_texts_are_general_talk(found):
    of = company.company(found[0])
    assert np.flatnonzero(of.general).tolist() == [4]
    assert np.nanmedian(of.tells) == pytest.approx(1)


def test_residual_idf_is_that_of_a_loop(found):
    evidence, number = found
    words = np.array([number["wheat"], number["view"]])
    lengths = evidence.lengths.astype(float)
    for w, idf in zip(words, company.residual_idf(evidence, words), strict=True):
        documents, counts, *_ = evidence.word_topics.of_word(w)
        expected = sum(1 - np.exp(-counts.sum() * n / lengths.sum()) for n in lengths)
        assert idf == pytest.approx(np.log(expected / len(documents)), abs=0.01)


def test_documents_of_a_few_words_are_not_judged(tmp_path, monkeypatch, found):
    rows = found[0].section_bow
    mean = rows.tokens / rows.D
    assert company.are_judged(rows) == (mean >= company.SHORT_ROW_WORDS, mean >= company.LONG)
    monkeypatch.setattr(company, "SHORT_ROW_WORDS", 1_000)
    monkeypatch.setattr(company, "LONG", 1_000)
    of = company.company(found[0])
    assert np.isnan(of.apart).all() and np.isnan(of.tells).all()
    assert not of.mixed.any() and not of.general.any()
    assert company.are_judged(rows) == (False, False)


def test_a_topic_with_three_fixed_phrases_has_no_second_subject_that_can_be_told(tmp_path):
    chance = np.random.default_rng(1)
    subject = [*SUBJECTS["farm"].split(), *SUBJECTS["court"].split()[:4]]
    phrases = ["united states", "soviet union", "middle east"]
    texts = [
        " ".join([*chance.choice(subject, 14), *chance.choice(TALK.split(), 16)]) for _ in range(30)
    ]
    for phrase in phrases:
        texts += [f"{phrase} " + " ".join(chance.choice(TALK.split(), 30)) for _ in range(200)]
    words = [*subject, *" ".join(phrases).split()]
    evidence, _ = evidence_of(tmp_path, texts, [words, TALK.split()])
    of = company.company(evidence)
    assert np.isnan(of.apart[0]) and np.isnan(of.across[0]) and not of.mixed.any()
