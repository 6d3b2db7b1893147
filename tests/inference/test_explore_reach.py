"""Where phrases reach, beside a twin that looks at every document; how evenly one is spread."""

import numpy as np
import pytest

from inference import Evidence, Postings, Theta, Topics, gather
from inference.explore import reach
from inference.explore.reach import Reached
from tests.inference.corpora import bow_of, postings

V = 12
K = 3
DOCUMENTS = 90
FIRST_DAY_OF_YEAR = 10_000


@pytest.fixture(scope="module")
def evidence(tmp_path_factory):
    """Documents of three topics, whose words are drawn from all of the vocabulary."""
    chance = np.random.default_rng(7)
    bow = bow_of([chance.integers(0, V, 15).tolist() for _ in range(DOCUMENTS)], V)
    weights = chance.dirichlet(np.ones(V), K).astype(np.float32)
    topics = Topics.of_listed(
        np.arange(K + 1) * V,
        np.tile(np.arange(V, dtype=np.int32), K),
        weights.ravel(),
        np.ones(K),
        V,
    )
    every = np.tile(np.arange(K, dtype=np.int32), DOCUMENTS)
    mixtures = chance.dirichlet(np.ones(K), DOCUMENTS).astype(np.float32)
    theta = Theta(0, np.arange(DOCUMENTS + 1) * K, every, mixtures.ravel())
    folder = tmp_path_factory.mktemp("reach")
    by_word: Postings = postings(bow)
    list(gather(folder / "evidence", bow, by_word, topics, [theta]))
    return Evidence.open(folder / "evidence", bow, by_word)


def reached_slowly(evidence, words: tuple[int, ...], spans: np.ndarray) -> list[Reached]:
    number_of_spans = int(spans.max()) + 1
    sizes = np.zeros((K, number_of_spans))
    held = np.zeros((K, number_of_spans))
    for d, span in enumerate(spans.tolist()):
        words_of_document = evidence.document(d)[0].tolist()
        for k, tokens in zip(*evidence.mixture(d), strict=True):
            sizes[k, span] += tokens
            held[k, span] += tokens * set(words).issubset(words_of_document)
    order = sorted(range(K), key=lambda k: -held[k].sum())
    return [
        Reached(k, tuple((held[k] / np.maximum(sizes[k], 1)).round(3)))
        for k in order
        if held[k].sum() >= max(reach.LEAST_REACHED_SHARE * sizes[k].sum(), 1)
    ]


@pytest.mark.parametrize("words", [(0,), (1, 2), (3, 4, 5)])
def test_a_phrase_reaches_the_topics_of_a_slow_twin(evidence, words):
    days = np.arange(DOCUMENTS, dtype=np.int32) + FIRST_DAY_OF_YEAR
    days[::10] = 0
    spans = reach.spans_of_time(days)
    assert np.bincount(spans).tolist() == [27, 27, 27, 9]
    (reached,) = reach.reach(evidence, [words], spans)
    assert reached == reached_slowly(evidence, words, spans)


def test_a_phrase_of_more_topics_than_are_kept_is_spread_over_all_of_them():
    """The others have their mean share, topics that it does not reach counted as none."""
    sizes = np.full((2, 60), 1000)
    tokens = np.full((2, 60), 300)
    reached = reach._reached(tokens, sizes)
    assert len(reached) == reach.TOPICS + 1
    assert reached[-1] == Reached(reach.OTHERS, (0.3, 0.3))
    tokens[:, 36:] = 0
    assert reach._reached(tokens, sizes)[-1] == Reached(reach.OTHERS, (0.15, 0.15))


def test_without_dates_there_is_one_span():
    assert reach.spans_of_time(np.zeros(5, np.int32)).tolist() == [0] * 5


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([[0.2, 0.2], [0.2, 0.2]], 1.0),  # everywhere alike
        (
            [[0.2, 0.2], [0.0, 0.0]],
            0.75,
        ),  # in the large topic alone, which has so much of the family
        ([[0.0, 0.0], [0.9, 0.9]], 0.25),
        ([[0.0, 0.2], [0.0, 0.2]], 0.5),  # in the later half alone
        ([[0.0, 0.0], [0.0, 0.0]], 0.0),
    ],
)
def test_what_is_spread_over_a_family(shares, expected):
    sizes = np.array([[300.0, 300.0], [100.0, 100.0]])
    assert reach.spread(sizes, np.array(shares)) == pytest.approx(expected)
