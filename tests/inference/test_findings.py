"""Findings: against naive twins, and on made collections whose truth is known."""

import itertools
import math

import numpy as np
import pytest

from inference.answers.acceptance import are_accepted
from inference.explore import bands, cooccurrence
from inference.findings import families, senses, sums, unlike
from tests.inference import naive_findings as naive
from tests.inference.test_explore_bands import flat

K = 8


def made(seed, D=800, periods=40, *, topic=None, since=0, times=1.0, until=None):
    """Mixtures int64[D, K], and each document's period; topic `topic` is `times` as likely from
    `since` on."""
    rng = np.random.default_rng(seed)
    usual = rng.dirichlet(np.full(K, 2.0)) * 6
    period = np.sort(rng.integers(0, periods, D)).astype(np.int32)
    weights = np.tile(usual, (D, 1))
    if topic is not None:
        weights[(period >= since) & (period < (until or periods)), topic] *= times
    theta = np.array([rng.dirichlet(row + 1e-3) for row in weights])
    return np.array(
        [rng.multinomial(n, t) for n, t in zip(rng.integers(40, 160, D), theta, strict=True)]
    ), period


def arrays(tokens):
    ptr = np.concatenate([[0], np.cumsum((tokens > 0).sum(axis=1))])
    d, k = np.nonzero(tokens)
    return ptr, k.astype(np.uint16), tokens[d, k].astype(np.int32), tokens.sum(axis=1)


def in_blocks(group, G):
    """Units: each group in blocks of neighbouring documents, about the square root of their
    number."""
    in_group = sums.by_group(group, G)
    edges = [0]
    groups = []
    for g, n in enumerate(np.diff(in_group.starts).tolist()):
        blocks = min(n, max(4, min(30, round(n**0.5))))
        edges += [int(in_group.starts[g]) + n * (block + 1) // blocks for block in range(blocks)]
        groups += [g] * blocks
    return sums.GroupedUnits(in_group.order, np.array(edges, np.int64), np.array(groups, np.int32))


def test_sums_are_those_of_a_loop():
    rng = np.random.default_rng(1)
    tokens = rng.poisson(0.7, (120, K)) * rng.integers(1, 6, (120, K))
    tokens[:3] = 0
    group = rng.integers(-1, 3, 120).astype(np.int32)
    into = np.array([0, 1, 1, 2, 3, 4, -1, 5])
    units = in_blocks(group, 3)
    of = sums.sums(units, 3, *arrays(tokens), into, 6)
    unit = [None] * 120
    for u in range(len(units.group)):
        for d in units.order[units.starts[u] : units.starts[u + 1]]:
            unit[d] = u
    mixtures = []
    for row in tokens:
        mixture = {}
        for k, n in enumerate(row.tolist()):
            if n and into[k] >= 0:
                mixture[int(into[k])] = mixture.get(int(into[k]), 0) + n
        mixtures.append(mixture)
    twin = naive.sums(mixtures, tokens.sum(axis=1).tolist(), unit, units.group.tolist(), 3, 6)
    for name, values in twin.items():
        assert getattr(of, name) == pytest.approx(np.array(values)), name
    assert sorted(units.order) == np.flatnonzero(group >= 0).tolist()
    for g in range(3):
        assert np.count_nonzero(units.group == g) == round(np.count_nonzero(group == g) ** 0.5)


def test_a_share_has_the_error_of_its_documents():
    tokens, _ = made(3, 60)
    of = sums.sums(sums.by_group(np.zeros(60, np.int32), 1), 1, *arrays(tokens), np.arange(K), K)
    shares = sums.shares(of, sums.typical(of))
    for k in range(K):
        error = naive.error(
            list(zip(tokens[:, k].tolist(), tokens.sum(axis=1).tolist(), strict=True))
        )
        share = shares.share[0, k]
        assert shares.error[0, k] * share * (1 - share) == pytest.approx(error)
    assert (shares.low < shares.share).all() and (shares.share < shares.high).all()


def test_neighbours_that_are_alike_widen_an_interval():
    tokens, _ = made(4, 400)
    alike = tokens[np.repeat(np.arange(20), 20)]  # twenty documents, each twenty times
    group = np.zeros(400, np.int32)
    widths = []
    for one in (tokens, alike):
        of = sums.sums(in_blocks(group, 1), 1, *arrays(one), np.arange(K), K)
        shares = sums.shares(of, sums.typical(of))
        widths.append((shares.high - shares.low).mean())
    assert widths[1] > 2.5 * widths[0]


def test_a_group_with_more_of_a_topic_is_told_from_the_rest():
    tokens, period = made(9, topic=5, since=30, times=4.0)
    group = (period // 10).astype(np.int32)
    of = sums.sums(in_blocks(group, 4), 4, *arrays(tokens), np.arange(K), K)
    usual = sums.typical(of)
    own = sums.shares(of.over(slice(3, 4)), usual)
    rest = sums.shares(of.over(slice(0, 3)), usual)
    ratio = sums.ratio(own, rest)
    sure = are_accepted(ratio.p, 0.05)
    assert sure[0, 5] and ratio.low[0, 5] > 1.3
    inside = tokens[group == 3]
    outside = tokens[group != 3]
    assert ratio.ratio[0, 5] == pytest.approx(
        (inside[:, 5].sum() / inside.sum()) / (outside[:, 5].sum() / outside.sum())
    )


@pytest.mark.parametrize("each", [5, 20, 200])
def test_an_interval_of_a_difference_holds_it(each):
    """Two groups of the same share, 600 times over: 0 is inside about 95 times of 100. 90% is what
    chance may make of it."""
    pairs = 600
    counts, _ = flat(2 * pairs, each, 0.1, 10.0, each)
    found = bands.shares(*counts, 2 * pairs, [0])
    ends = [np.ravel(array) for array in (found.share, found.low, found.high)]
    first = tuple(array[::2] for array in ends)
    second = tuple(array[1::2] for array in ends)
    apart, low, high = sums.difference(first, second)
    assert ((low <= 0) & (0 <= high)).mean() > 0.9
    assert ((low <= apart) & (apart <= high)).all() and (low >= -1).all() and (high <= 1).all()
    assert apart == pytest.approx(first[0] - second[0])


def test_a_difference_is_sure_where_shares_are_far_apart():
    first = np.array([0.3]), np.array([0.25]), np.array([0.35])
    second = np.array([0.1]), np.array([0.07]), np.array([0.13])
    _, low, _ = sums.difference(first, second)
    assert low[0] == pytest.approx(0.2 - math.hypot(0.05, 0.03))


def test_benjamini_and_hochberg():
    rng = np.random.default_rng(5)
    for _ in range(20):
        p = rng.random(15) ** 3
        assert are_accepted(p, 0.1).tolist() == naive.accepted(p.tolist(), 0.1)
    assert are_accepted(np.zeros(0), 0.05).shape == (0,)


def test_families_are_the_topics_that_stand_together():
    rng = np.random.default_rng(2)
    tokens = np.zeros((300, 12), np.int64)
    for d in range(300):
        f = d % 4
        tokens[d, 3 * f : 3 * f + 3] = rng.integers(10, 40, 3)
    tokens += rng.poisson(0.3, tokens.shape)
    both = cooccurrence.documents_together(*arrays(tokens), 12, families.PRESENT)
    apart = families.distances_of_topics(both, [[] for _ in range(12)])
    words = tokens.sum(axis=0).astype(float)
    tree = families.tree(apart, words)
    assert tree.proposed == 4
    assert sorted(sorted(topics) for topics in cut(tree, words, 4)) == [
        [3 * f, 3 * f + 1, 3 * f + 2] for f in range(4)
    ]
    assert families.tree(apart * 0, np.zeros(12)) == ([], [], 0)
    for n in range(1, families.FEW_TOPICS + 1):
        few = families.tree(np.ones((n + 1, n + 1)) - np.eye(n + 1), np.arange(n + 1.0))
        assert few.proposed == n and cut(few, np.arange(n + 1.0), n) == [
            [k] for k in range(n, 0, -1)
        ]


def cut(tree, size, number, beside=None) -> list[list[int]]:
    beside = np.arange(len(size)) if beside is None else beside
    every = families.families(tree, size, 20, np.full(len(size), -1), beside)
    return [node.topics for node in every if node.first <= number <= node.last]


def random_tree(rng, n=30):
    apart = rng.random((n, n))
    size = rng.random(n) * 100
    size[rng.integers(0, n, 3)] = 0
    return families.tree((apart + apart.T) / 2 * (1 - np.eye(n)), size), size


def test_families_are_cut_as_the_naive_twin_cuts_them():
    rng = np.random.default_rng(3)
    for _ in range(40):
        tree, size = random_tree(rng)
        assert 4 <= tree.proposed <= 7 and len(tree.joins) == len(tree.topics) - 1
        given = np.full(30, -1)
        beside = np.arange(30)
        given[rng.integers(0, 30, rng.integers(0, 6))] = 0
        given[rng.integers(0, 30, rng.integers(0, 6))] = 1
        moved = rng.integers(0, 30, 4)
        beside[moved] = rng.integers(0, 30, 4)
        beside = beside[beside]
        # Merged topics have no words, general ones are in no tree
        size = size * (rng.random(30) > 0.1) + (rng.random(30) < 0.1)
        groups = {*given[beside][(given < 0) & (size > 0)].tolist(), *given[size > 0].tolist()} - {
            -1
        }
        found = families.families(tree, size, 20, given, beside)
        for number in range(len(groups) + 1, 21):
            here = [node for node in found if node.first <= number <= node.last]
            expected = naive.families(
                tree.topics, tree.joins, size, number, given.tolist(), beside.tolist()
            )
            assert {frozenset(node.topics) for node in here} == set(map(frozenset, expected))
            assert all(
                size[a] >= size[b] for node in here for a, b in itertools.pairwise(node.topics)
            )
            for node in here:
                assert node.given < 0 or {k for k in node.topics if given[k] >= 0} == set(
                    np.flatnonzero((given == node.given) & (size > 0))
                )


def test_a_moved_topic_stays_with_the_other_at_every_cut():
    rng = np.random.default_rng(5)
    tree, size = random_tree(rng)
    a = tree.topics[3]
    b = tree.topics[17]
    beside = np.arange(30)
    beside[a] = b
    for number in range(2, 21):
        plain = cut(tree, size, number)
        moved = cut(tree, size, number, beside=beside)
        assert any({a, b} <= set(topics) for topics in moved)
        assert sorted(sum(plain, [])) == sorted(sum(moved, [])) == tree.topics


def test_a_family_keeps_its_largest_topic_where_it_is_taken_apart():
    tree, size = random_tree(np.random.default_rng(7))
    for number in range(2, 21):
        heads = [topics[0] for topics in cut(tree, size, number)]
        assert heads[0] == int(size.argmax()) or int(size.argmax()) in heads
        assert {topics[0] for topics in cut(tree, size, number - 1)} < set(heads)


def test_small_topics_join_the_nearest_of_the_large_ones(monkeypatch):
    rng = np.random.default_rng(3)
    apart = rng.random((30, 30))
    size = rng.random(30) * 100
    apart = (apart + apart.T) / 2 * (1 - np.eye(30))
    monkeypatch.setattr(families, "MOST_CLUSTERED", 12)
    tree = families.tree(apart, size)
    large = np.argsort(-size)[:12]
    for k in np.setdiff1d(np.arange(30), large):
        nearest = large[np.argmin(apart[k, large])]
        assert all(
            ({k, nearest} <= set(topics)) or k not in topics for topics in cut(tree, size, 12)
        )


def test_words_and_documents_of_families_add_up_at_every_cut():
    rng = np.random.default_rng(11)
    tree, _ = random_tree(rng)
    tokens = rng.poisson(0.4, (200, 30))
    size = tokens.sum(axis=0).astype(float)
    lengths = tokens.sum(axis=1)
    found = families.families(tree, size, 20, np.full(30, -1), np.arange(30))
    for number in range(2, 21):
        here = [node for node in found if node.first <= number <= node.last]
        into = np.full(30, -1, np.int32)
        for f, node in enumerate(here):
            into[node.topics] = f
        counted = sums.sums(
            sums.by_group(np.zeros(200, np.int32), 1), 1, *arrays(tokens), into, len(here)
        )
        mixtures = [
            {f: n for f, node in enumerate(here) if (n := sum(int(row[k]) for k in node.topics))}
            for row in tokens
        ]
        expected = naive.sums(mixtures, lengths.tolist(), [0] * 200, {0: 0}, 1, len(here))
        for name in (
            "topic_tokens",
            "holding",
            "topic_squares",
            "topic_products",
            "documents",
            "tokens",
        ):
            assert np.array_equal(getattr(counted, name), expected[name]), name
        assert counted.topic_tokens.sum() == tokens[:, tree.topics].sum()
        for f, node in enumerate(here):
            assert counted.topic_tokens[0, f] == size[node.topics].sum()
            assert counted.holding[0, f] == np.count_nonzero(tokens[:, node.topics].sum(axis=1))


def test_a_word_changes_its_topic():
    rng = np.random.default_rng(4)
    period = np.sort(rng.integers(0, 30, 600))
    late = period >= 20
    topics = np.where(rng.random(600) < np.where(late, 0.8, 0.1), 4, 7)
    shift = senses.shift(topics, period, 10, 20)
    assert (shift.gained, shift.lost) == (4, 7) and shift.p < 1e-4
    assert shift.low < 0.7 < shift.high and shift.gained_shares[1] == pytest.approx(
        (topics[late] == 4).mean()
    )
    assert senses.shift(topics[:50], period[:50], 10, 20) is None
    steady = [senses.shift(rng.integers(0, 3, 600), period, 10, 20) for _ in range(20)]
    assert np.count_nonzero(are_accepted(np.array([s.p for s in steady]), 0.05)) <= 1


def test_a_changed_use_ends_where_it_is_used_otherwise_again():
    """ "Since 1938" was said of a use that the last twenty years do not have."""
    rng = np.random.default_rng(4)
    period = np.sort(rng.integers(0, 30, 900))
    is_new = rng.random(900) < np.where((period >= 20) & (period < 27), 0.9, 0.1)
    is_old = rng.random(900) < np.where(period < 3, 0.1, 0.9)
    topics = np.where(is_new, 4, np.where(is_old, 7, 9))
    found = senses.shift(topics, period, 10, 20)
    held = senses.held(found, topics, period, 10, 20)
    assert (held.begin, held.end) == (3, 26)
    assert (held.shift.gained, held.shift.lost) == (4, 7)
    in_its_time = (period >= 20) & (period < 27)
    assert held.shift.gained_shares[1] == pytest.approx((topics[in_its_time] == 4).mean())
    assert found.gained_shares[1] < held.shift.gained_shares[1]
    assert held.shift.low == found.low, "its ends were looked for"


def test_a_use_that_holds_to_the_end_is_said_of_all_the_time():
    rng = np.random.default_rng(4)
    period = np.sort(rng.integers(0, 30, 600))
    topics = np.where(rng.random(600) < np.where(period >= 20, 0.8, 0.1), 4, 7)
    found = senses.shift(topics, period, 10, 20)
    assert senses.held(found, topics, period, 10, 20) == senses.Held(None, None, found)


def test_a_document_has_one_topic_for_a_word_however_many_sections_it_has():
    documents = np.array([0, 0, 0, 2, 2, 5, 5], np.int32)
    counts = np.array([2, 3, 2, 1, 1, 4, 1], np.int32)
    topics = np.array([4, 1, 4, 6, 3, 2, 7])
    found, main = senses.main_topics(documents, counts, topics)
    assert found.tolist() == [0, 2, 5]
    assert main.tolist() == [4, 3, 2]  # of two that have as much the one with the smaller number
    nothing = np.zeros(0, np.int32)
    assert [len(array) for array in senses.main_topics(nothing, nothing, nothing)] == [0, 0]


def test_a_word_of_one_who_speaks_has_not_changed():
    """Of forty who speak, each in early and late documents, one has 80% of the word's late ones."""
    rng = np.random.default_rng(5)
    period = np.sort(rng.integers(0, 30, 600))
    late = period >= 20
    own = late & (rng.random(600) < 0.8)
    unit = np.where(own, 0, rng.integers(1, 40, 600))
    topics = np.where(own, 4, 7)
    assert senses.shift(topics, period, 10, 20) is not None
    assert senses.shift(topics, period, 10, 20, unit) is None
    everybody = np.where(rng.random(600) < np.where(late, 0.8, 0.1), 4, 7)
    shift = senses.shift(everybody, period, 10, 20, rng.integers(-1, 40, 600))
    assert shift is not None and (shift.gained, shift.lost) == (4, 7) and shift.p < 1e-4


def test_words_do_not_change_where_those_who_speak_have_topics_of_their_own():
    """Each of 24 who speak in one third of the time alone has a topic for the word: some are early
    and some late, by chance."""
    rng = np.random.default_rng(6)
    p_of_periods = []
    p_of_units = []
    for _ in range(100):
        unit = rng.integers(0, 24, 480)
        topics = rng.integers(0, 2, 24)[unit]
        period = 20 * (unit % 2) + rng.integers(0, 10, 480)
        for p, of in ((p_of_periods, None), (p_of_units, unit)):
            shift = senses.shift(topics, period, 10, 20, of)
            p.append(1.0 if shift is None else shift.p)
    assert np.count_nonzero(np.array(p_of_periods) < 0.05) > 40
    assert np.count_nonzero(np.array(p_of_units) < 0.05) <= 10


def test_the_interval_of_a_change_is_as_wide_as_is_asked():
    rng = np.random.default_rng(4)
    period = np.sort(rng.integers(0, 30, 600))
    topics = np.where(rng.random(600) < np.where(period >= 20, 0.8, 0.1), 4, 7)
    usual = senses.shift(topics, period, 10, 20)
    sure = senses.shift(topics, period, 10, 20, level=0.999)
    assert sure.low < usual.low < usual.high < sure.high and sure.p == usual.p


def test_the_document_that_is_unlike_the_rest():
    tokens, _ = made(6, 200)
    tokens[:, [1, 6]] = 0
    tokens[77] = 0
    tokens[77, [1, 6]] = 50
    documents, overlap, nearest, compared = unlike.unlike(
        *arrays(tokens), K, tokens.sum(axis=1) > 0
    )
    assert documents[0] == 77 and overlap[0] == 0 and compared == 200
    mixtures = [{k: int(n) for k, n in enumerate(row) if n} for row in tokens]
    for d, part, other in zip(documents[:20], overlap[:20], nearest[:20], strict=True):
        best = max(naive.overlap(mixtures[d], m) for i, m in enumerate(mixtures) if i != d)
        assert part == pytest.approx(best)
        assert part == 0 or part == pytest.approx(naive.overlap(mixtures[d], mixtures[other]))
    assert unlike.unlike(*arrays(tokens), K, np.zeros(200, bool))[3] == 0
