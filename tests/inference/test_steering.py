"""Topics merged, split and joined by words: what a training goes on from."""

import numpy as np
import pytest

import inference
from inference import engines
from inference.bow import Bow
from inference.errors import Invalid
from inference.steering import Changes, merge, put_together, split, steer


def bow_of(rows: list[dict[int, int]], V: int) -> Bow:
    words = [w for row in rows for w in sorted(row)]
    counts = [row[w] for row in rows for w in sorted(row)]
    return Bow(np.cumsum([0, *map(len, rows)]), np.array(words), np.array(counts), V)


@pytest.fixture
def two_kinds() -> Bow:
    """40 documents of words 0 to 4 or of 5 to 9, with word 10 in all."""
    draw = np.random.default_rng(1)
    rows = []
    for d in range(40):
        first = 0 if d % 2 else 5
        rows.append(
            {
                **{
                    first + int(w): 1 + int(draw.integers(3))
                    for w in draw.choice(5, 4, replace=False)
                },
                10: 1,
            }
        )
    return bow_of(rows, 11)


def test_merged_topics_have_the_lowest_number_and_no_gap_stays():
    topics = np.array([0, 1, 2, 3, 4, 5, 5, 1], np.uint16)
    after = merge(topics, 6, [(1, 4), (2, 5)])
    assert after.dtype == np.uint16 and after.tolist() == [0, 1, 2, 3, 1, 2, 2, 1]
    assert merge(topics, 6, [(0, 3)]).tolist() == [0, 1, 2, 0, 3, 4, 4, 1]
    assert merge(topics, 6, []).tolist() == topics.tolist()


def test_words_come_together_where_most_of_them_are(two_kinds):
    topics = np.where(two_kinds.words < 3, 2, 1).astype(np.uint16)
    topics[two_kinds.words == 3] = 0
    after = put_together(topics, two_kinds, [0, 1, 3])
    moved = np.isin(two_kinds.words, [0, 1, 3])
    assert set(after[moved].tolist()) == {2} and (after[~moved] == topics[~moved]).all()
    assert put_together(topics, two_kinds, []).tolist() == topics.tolist()


def test_a_split_parts_what_is_said_in_different_documents(two_kinds):
    topics = np.full(len(two_kinds.words), 3, np.uint16)
    topics[0] = 1  # of another topic: it stays
    after = split(topics, two_kinds, 3, 7)
    assert after[0] == 1 and set(after[1:].tolist()) == {3, 7} and topics[5] == 3
    first, second = ({*two_kinds.words[after == k].tolist()} - {10} for k in (3, 7))
    assert {frozenset(first), frozenset(second)} == {frozenset(range(5)), frozenset(range(5, 10))}
    tokens = [two_kinds.counts[(after == k)].sum() for k in (3, 7)]
    assert tokens[0] >= tokens[1]
    assert (split(topics, two_kinds, 3, 7) == after).all()


@pytest.mark.parametrize("rows", [[{0: 3, 1: 1}], [{0: 2}, {0: 1}], []])
def test_what_cannot_be_split_is_said(rows):
    bow = bow_of(rows, 2)
    with pytest.raises(Invalid, match="can't be split"):
        split(np.zeros(len(bow.words), np.uint16), bow, 0, 1)


def test_changes_count_the_topics_that_training_goes_on_with(two_kinds):
    topics = (two_kinds.words % 4).astype(np.uint16)
    changes = Changes(merge=[(0, 2)], split=[1], together=[(3, 10)])
    after = steer(topics, 4, two_kinds, changes)
    assert changes.number_of_topics(4) == 4 and set(after.tolist()) == {0, 1, 2, 3}
    assert len(set(after[np.isin(two_kinds.words, [3, 10])].tolist())) == 1


@pytest.mark.parametrize("name", ["ssi", "cvb0"])
def test_a_training_goes_on_from_them(two_kinds, name):
    engine = engines.get(name)
    topics = np.full(len(two_kinds.words), 0, np.uint16)
    after = steer(topics, 1, two_kinds, Changes(split=[0]))
    settings = engine.continued(vars(engines.config(name, topics=2, passes=4, minibatch=40)))
    config = engines.config(name, **settings).resolve(two_kinds.D, two_kinds.tokens)
    state = inference.begin(engine, config, two_kinds, after, seed=1)
    *_, last = inference.train(engine, config, two_kinds, seed=1, resume=state)
    first = [set(np.argsort(-row)[:5].tolist()) - {10} for row in last.topics.dense()]
    assert all(row <= set(range(5)) or row <= set(range(5, 10)) for row in first) and first[
        0
    ].isdisjoint(first[1])
