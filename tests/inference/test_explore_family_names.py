"""What families are called: precision and reach beside slow twins, and which terms are chosen."""

import numpy as np
import pytest

from inference import Theta, Topics, gather, open_evidence
from inference.explore import family_names, family_pieces
from inference.explore.family_names import Term
from inference.explore.family_pieces import FamilyPieces
from tests.inference.corpora import bow_of, postings

# Words of the vocabulary
TREATY, CHINA, FRANCE, HARVEST, WHEAT, CORN, YEAR, OFTEN = range(8)
V = 8
K = 4
# Topics: two of a family about foreign relations, two of another about farming
RELATIONS = [0, 1]
FARMING = [2, 3]
DOCUMENTS = 60
FIRST_DAY = 10_000
DAYS = np.arange(DOCUMENTS, dtype=np.int32) + FIRST_DAY
WORDS_OF_TOPICS = [
    (TREATY, CHINA, YEAR),
    (TREATY, FRANCE, YEAR),
    (HARVEST, WHEAT, YEAR),
    (HARVEST, CORN, YEAR),
]


@pytest.fixture(scope="module")
def evidence(tmp_path_factory):
    """Each document is of one topic, in turn, and has its words; "treaty" stands in a third of
    those on foreign relations, "harvest" in all on farming."""
    texts = []
    for d in range(DOCUMENTS):
        common, own, everywhere = WORDS_OF_TOPICS[d % K]
        has_common = common != TREATY or d % 12 < K
        texts.append([own, own, everywhere, *[common] * has_common])
    bow = bow_of(texts, V)
    weights = np.full((K, V), 1e-4, np.float32)
    for k, words in enumerate(WORDS_OF_TOPICS):
        weights[k, list(words)] = 1.0
    weights /= weights.sum(axis=1, keepdims=True)
    topics = Topics.of_listed(
        np.arange(K + 1) * V,
        np.tile(np.arange(V, dtype=np.int32), K),
        weights.ravel(),
        np.ones(K),
        V,
    )
    of_document = (np.arange(DOCUMENTS) % K).astype(np.int32)
    theta = Theta(0, np.arange(DOCUMENTS + 1), of_document, np.ones(DOCUMENTS, np.float32))
    folder = tmp_path_factory.mktemp("family_names")
    by_word = postings(bow)
    list(gather(folder / "evidence", bow, by_word, topics, [theta]))
    return open_evidence(folder / "evidence", bow, by_word)


def term(text: str, *words: int, worth: float = 1.0, tokens: int = 10) -> Term:
    return Term(text, words, tokens, worth)


EVERY = [
    term("treaty", TREATY),
    term("China", CHINA),
    term("France", FRANCE),
    term("harvest", HARVEST),
    term("wheat", WHEAT),
    term("corn", CORN),
    term("year", YEAR),
]


def pieces_of(evidence) -> FamilyPieces:
    """Without texts: each document is a piece."""
    return FamilyPieces(evidence, DAYS, dict.fromkeys(range(V), 1), characters=0)


def named(evidence, topics, terms):
    return family_names.name(pieces_of(evidence), topics, K, terms)


def test_forms_of_a_word_are_one_term_written_as_the_most_frequent(evidence):
    """ "corns" and "corn" are "corn", of which there is as much in each half of the family."""
    forms = [term("corn", CORN), term("corns", WHEAT)]
    name = named(evidence, FARMING, forms)
    assert name == ([("corn",)], ("corn",))
    not_a_noun = [term("corn", CORN, worth=0.0), term("corns", WHEAT)]
    assert named(evidence, FARMING, not_a_noun).names == [("corns",)]


def test_a_family_is_called_by_what_is_found_all_over_it(evidence):
    assert named(evidence, FARMING, EVERY).names[0] == ("harvest",)


def test_the_second_part_is_what_the_first_leaves_out(evidence):
    """Two thirds of the documents have no "treaty": "China" and "France" are in half of these."""
    first, *_ = named(evidence, RELATIONS, EVERY).names
    assert first[0] == "treaty" and len(first) == 2 and first[1] in ("China", "France")


def test_what_is_everywhere_and_what_is_no_noun_is_no_name(evidence):
    listed = [term("harvest", HARVEST, worth=0.0), term("year", YEAR)]
    name = named(evidence, FARMING, listed)
    assert name.names == [] and name.words == ("harvest", "year")


def test_what_covers_too_little_is_no_name(evidence, monkeypatch):
    terms = [term("wheat", WHEAT)]
    assert named(evidence, FARMING, terms).names == [("wheat",)]
    monkeypatch.setattr(family_names, "LEAST_COVERED", 0.6)
    assert named(evidence, FARMING, terms) == ([], ("wheat",))


def test_reach_is_that_of_a_slow_twin(evidence):
    looked = pieces_of(evidence)
    family = family_names.FamilyWords(looked, [0, 1, 2], K)
    has = np.random.default_rng(3).random(DOCUMENTS) < 0.4
    spans = family_pieces.spans_of_time(DAYS)
    mean = 0.0
    total = sum(evidence.mixtures.tokens(d, k) for d in range(DOCUMENTS) for k in range(3))
    for k in range(3):
        for span in range(3):
            tokens = [
                (evidence.mixtures.tokens(d, k), has[d]) for d in np.flatnonzero(spans == span)
            ]
            size = sum(n for n, _ in tokens)
            mean += size / total * np.sqrt(sum(n for n, is_in in tokens if is_in) / size)
    assert family.reach(has) == pytest.approx(mean**2)


def test_what_is_in_a_quarter_alone_reaches_a_sixteenth(evidence):
    looked = pieces_of(evidence)
    family = family_names.FamilyWords(looked, range(K), K)
    has = np.arange(DOCUMENTS) % K == 2
    share = family.covered(has)
    assert family.reach(has) == pytest.approx(share**2)
    assert family.reach(np.ones(DOCUMENTS, bool)) == pytest.approx(1.0)


@pytest.mark.parametrize(("days", "spans"), [(np.zeros(5, np.int32), [0] * 5)])
def test_without_dates_there_is_one_span(days, spans):
    assert family_pieces.spans_of_time(days).tolist() == spans


def test_those_without_a_date_are_a_span_of_their_own():
    days = DAYS.copy()
    days[::10] = 0
    assert np.bincount(family_pieces.spans_of_time(days)).tolist() == [18, 18, 18, 6]
