"""Differences of words from sums over units, against the answers that a table of all documents and
words gives, and on groups that persons make."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from inference.answers import AmountTable, Obstacle, answer, question, sides, words
from inference.answers.words import answer_words
from inference.explore.keyness import keyness, nearer_end
from inference.index import word_units
from tests.inference.test_keyness import bursty, indexed

FORMS = 40
SAME = ("a", "b", "difference", "ratio", "error", "holding")


def spoken(rng: np.random.Generator, units: int, each: int) -> tuple[list[list[int]], np.ndarray]:
    """Documents of speakers, who have words of their own; whose each is."""
    unit = np.repeat(np.arange(units), each)
    documents = bursty(rng, len(unit), FORMS)
    for speaker in range(units):
        own = int(rng.integers(FORMS))
        for d in np.flatnonzero(unit == speaker):
            documents[d] += [own] * int(rng.integers(0, 6))
    return documents, unit


def counted(documents, side, unit, least=1, cuts=()):
    fields, lengths = indexed(documents, FORMS, cuts)
    sides = word_units.sides_of(side, lengths, unit)
    found = word_units.count_words(fields, FORMS, sides, least)

    def amounts_of(words):
        return word_units.amounts(word_units.gather(fields, found.forms[words]), sides)

    return found, sides, answer_words(sides.sizes, found.sums, amounts_of)


def by_table(documents, side, unit, forms):
    """The same by inference.answers.answer, of a table of all documents and words."""
    counts = np.array([np.bincount(words, minlength=FORMS) for words in documents])
    lengths = np.array([len(words) for words in documents], float)
    outcome = AmountTable(csr_matrix(counts[:, forms].astype(float)), lengths)
    return answer(outcome, question.of_two_sets(side == 0, side == 1, unit))


@pytest.mark.parametrize("kind", ["nested", "crossing", "documents", "many"])
@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_a_table(kind, seed):
    rng = np.random.default_rng(seed)
    units = 300 if kind == "many" else 24
    documents, unit = spoken(rng, units, 3 if kind == "many" else 9)
    side = rng.integers(-1, 2, len(documents))
    if kind in ("nested", "many"):
        side = rng.integers(0, 2, units)[unit]
    for d in np.flatnonzero(side == 0):
        documents[d] += [FORMS - 1] * int(rng.integers(1, 6))
    if kind == "documents":
        unit = None
    found, _, made = counted(documents, side, unit, cuts=(40, 41))
    expected = by_table(documents, side, unit, found.forms)
    for name in SAME:
        assert np.allclose(getattr(made, name), getattr(expected, name), equal_nan=True), name
    few = kind in ("nested", "documents")
    assert made.calibrated == expected.calibrated == ("exchanged" if few else "t")
    assert (made.level, made.rows, made.units) == (
        pytest.approx(expected.level),
        expected.rows,
        expected.units,
    )
    assert made.df == pytest.approx(expected.df)
    assert made.accepted.tolist() == expected.accepted.tolist()
    assert made.accepted.any()
    told = made.accepted
    for name in ("p", "low", "high", "ratio_low", "ratio_high", "part", "without"):
        assert np.allclose(getattr(made, name)[told], getattr(expected, name)[told]), name


@pytest.mark.parametrize("largest", [sides.LARGEST_TABLE, 1])
def test_many_units_are_answered_by_their_sizes_as_one_by_one(largest, monkeypatch):
    rng = np.random.default_rng(2)
    documents, unit = spoken(rng, 300, 3)
    side = rng.integers(0, 2, 300)[unit]
    for d in np.flatnonzero(side == 0):
        documents[d] += [FORMS - 1] * int(rng.integers(1, 6))
    one_by_one = counted(documents, side, unit)[2]
    monkeypatch.setattr(words, "MOST_EXCHANGED", 100)
    monkeypatch.setattr(words, "frame_of_units", None)  # has a row for each unit
    monkeypatch.setattr(sides, "LARGEST_TABLE", largest)
    by_size = counted(documents, side, unit)[2]
    assert one_by_one.accepted.any()
    for name, expected in one_by_one._asdict().items():
        value = getattr(by_size, name)
        if expected is None or isinstance(expected, str):
            assert value == expected, name
        else:
            assert np.allclose(value, expected, rtol=1e-9, equal_nan=True), name


def test_documents_of_a_word_are_counted_by_hand():
    rng = np.random.default_rng(3)
    documents, unit = spoken(rng, 12, 6)
    side = rng.integers(-1, 2, len(documents))
    found, sides, _ = counted(documents, side, unit, least=4, cuts=(20,))
    for s in range(2):
        own = [words for words, where in zip(documents, side, strict=True) if where == s]
        assert sides.sizes[:, s].sum() == sum(map(len, own))
        for row, form in enumerate(found.forms.tolist()):
            assert found.documents[row, s] == sum(form in words for words in own)
            assert found.sums.tokens[row, s] == sum(words.count(form) for words in own)
    having = [
        sum(form in words for words, s in zip(documents, side, strict=True) if s >= 0)
        for form in range(FORMS)
    ]
    assert found.forms.tolist() == [form for form in range(FORMS) if having[form] >= 4]


def test_what_speakers_make_is_not_said_of_groups():
    """Groups are drawn anew over speakers who have words of their own: with documents as units
    most draws have words that differ, with speakers at most one of twenty should."""
    rng = np.random.default_rng(11)
    documents, unit = spoken(rng, 40, 12)
    for speaker in range(40):
        favourite = int(rng.integers(FORMS))
        for d in np.flatnonzero(unit == speaker):
            documents[d] += [favourite] * 15
    false = {"speakers": 0, "documents": 0}
    for _ in range(20):
        side = rng.permutation(np.arange(40) % 2)[unit]
        for name, own in (("speakers", unit), ("documents", None)):
            false[name] += bool(counted(documents, side, own, least=5)[2].accepted.any())
    assert false["speakers"] <= 2
    assert false["documents"] >= 15


def test_blocks_of_words_change_nothing(monkeypatch):
    rng = np.random.default_rng(5)
    documents, unit = spoken(rng, 20, 8)
    side = rng.integers(0, 2, 20)[unit]
    whole, _, answers = counted(documents, side, unit)
    monkeypatch.setattr(word_units, "POSTINGS", 7)
    parts, _, same = counted(documents, side, unit, cuts=(33, 50))
    assert whole.forms.tolist() == parts.forms.tolist()
    assert np.array_equal(answers.low, same.low, equal_nan=True)


def test_fewer_than_five_units_say_nothing():
    rng = np.random.default_rng(6)
    documents, unit = spoken(rng, 8, 10)
    _, _, answers = counted(documents, (unit >= 4).astype(int), unit)
    assert answers.obstacle is Obstacle.FEW_UNITS
    assert np.isnan(answers.p).all() and not answers.accepted.any()


def test_keyness_is_the_answer_on_the_logarithm():
    rng = np.random.default_rng(7)
    documents, unit = spoken(rng, 30, 8)
    side = rng.integers(0, 2, 30)[unit]
    for d in np.flatnonzero(side == 0):
        documents[d] += [FORMS - 1] * int(rng.integers(0, 4))
    found, sides, answers = counted(documents, side, unit)
    made = keyness(answers, found.sums, sides.sizes.sum(axis=0))
    assert np.allclose(2**made.ratio, answers.ratio)
    assert made.different.tolist() == ((made.low > 0) | (made.high < 0)).tolist()
    assert (nearer_end(made) != 0).tolist() == made.different.tolist()


def test_a_word_that_one_unit_carries_is_marked():
    """One speaker of side a has most of its words, and uses the word as often as the others do."""
    rng = np.random.default_rng(8)
    documents, unit = spoken(rng, 30, 8)
    side = (unit >= 15).astype(int)
    for d in np.flatnonzero(side == 0):
        documents[d] += [FORMS - 1] * max(len(documents[d]) // 4, 1)
        if unit[d] == 0:
            documents[d] *= 25
    found, sides, answers = counted(documents, side, unit)
    made = keyness(answers, found.sums, sides.sizes.sum(axis=0))
    place = found.forms.tolist().index(FORMS - 1)
    assert made.different[place] and answers.part[place] > 0.5 and made.burst[place]
    assert (made.burst <= made.different).all()
