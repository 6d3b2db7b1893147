"""What stands near a word against a count of every document by hand, and measures of association
against published and scipy's figures."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from inference.errors import Invalid
from inference.explore.association import association, expected_together as both_together
from inference.index import collocations
from inference.index.collocations import FormPairs, Near, near_amounts, near_by_units
from inference.index.segments import IndexField, Scratch
from inference.text.starts import Starts
from inference.text.table import (
    AFTER_APOSTROPHE,
    AFTER_BREAK,
    AFTER_HYPHEN,
    AFTER_PARAGRAPH,
    AFTER_SENTENCE,
)

FORMS = 6
FLAGS = [
    int(flag)
    for flag in (
        0,
        AFTER_HYPHEN,
        AFTER_BREAK,
        AFTER_SENTENCE,
        0,
        0,
        0,
        AFTER_APOSTROPHE,
        AFTER_PARAGRAPH,
        0,
        0,
    )
]


def indexed(documents: list[list[int]], cuts: list[int]) -> SimpleNamespace:
    """What Near reads of an index. A piece begins at every third character; some have flags."""
    lengths = [len(words) for words in documents]
    first = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    words = np.array(
        [w | FLAGS[i % len(FLAGS)] for i, w in enumerate(sum(documents, []))], np.int32
    )
    starts = np.array([3 * i for n in lengths for i in range(n)], np.int32)
    bounds = [0, *cuts, len(documents)]
    fields = [
        IndexField.from_stream(words, first[a : b + 1], a, Scratch(FORMS))
        for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    packed = Starts.packed(starts, np.array(lengths, np.int32))
    stream = SimpleNamespace(words=words, starts=packed, lexicon=range(FORMS))
    return SimpleNamespace(stream=stream, fields={"text": fields}, bounds=np.array(bounds))


def by_hand(documents, phrase: list[int], left: int, right: int, sentence: bool):
    """(count of each form near the phrase in each document, own pieces of each form, the phrase's
    places): sets of places, joined."""
    counts = []
    own = Counter()
    found = []
    before = 0
    for d, words in enumerate(documents):
        at = []
        i = 0
        while i + len(phrase) <= len(words):  # from the left, without overlap, as phrases are read
            if words[i : i + len(phrase)] == phrase:
                at.append(i)
                i += len(phrase)
            else:
                i += 1
        found += [(d, 3 * i) for i in at]
        pieces = {i + n for i in at for n in range(len(phrase))}
        flags = [FLAGS[(before + i) % len(FLAGS)] for i in range(len(words))]
        of_sentence = np.cumsum(
            [flag in (AFTER_SENTENCE, AFTER_PARAGRAPH) for flag in flags]
        ).tolist()
        before += len(words)
        windows = [{*range(i - left, i + len(phrase) + right)} & {*range(len(words))} for i in at]
        if sentence:
            windows = []
            for i in at:
                inside = {of_sentence[n] for n in range(i, i + len(phrase))}
                same = {j for j in range(len(words)) if {of_sentence[j]} == inside}
                windows.append({j for j in same if (left and j < i) or (right and j >= i)})
        near = {j for window in windows for j in window} - pieces
        own.update(words[i] for i in pieces)
        counts.append(Counter(words[j] for j in near))
    return counts, own, found


def sums_by_hand(counts: list[Counter]) -> tuple[dict, list[int]]:
    """form -> its tokens and documents, and the totals of documents that have anything near."""
    lengths = [count.total() for count in counts]
    made = {}
    for w in set().union(*counts):
        made[w] = [sum(count[w] for count in counts), sum(count[w] > 0 for count in counts)]
    return made, [sum(n > 0 for n in lengths), sum(lengths)]


def drawn(
    rng, forms: int, longest: int, farthest: int
) -> tuple[list[list[int]], list[int], int, int]:
    """(documents of at least so many forms to choose from, a phrase, left, right), at random."""
    documents = [
        rng.integers(0, rng.integers(forms, FORMS + 1), n).tolist()
        for n in rng.integers(0, longest, rng.integers(1, 9))
    ]
    return (
        documents,
        rng.integers(0, 3, rng.integers(1, 3)).tolist(),
        *rng.integers(0, farthest, 2).tolist(),
    )


@pytest.mark.parametrize("seed", range(300))
def test_windows_are_those_of_a_count_by_hand(seed):
    rng = np.random.default_rng(seed)
    documents, phrase, left, right = drawn(rng, 1, 15, 5)
    cuts = sorted(
        set(rng.integers(1, len(documents) + 1, rng.integers(0, 3)).tolist()) - {len(documents)}
    )
    sentence = seed % 2 == 1
    counts, own, found = by_hand(documents, phrase, left, right, sentence)
    sums, totals = sums_by_hand(counts)
    index = indexed(documents, cuts)
    near = Near(index, len(phrase), left, right, sentence)
    part = rng.integers(0, len(documents) + 1)
    halves = [[f for f in found if f[0] < part], [f for f in found if f[0] >= part]]
    sides = [Near(index, len(phrase), left, right, sentence, True) for _ in halves]
    for side, some in zip(sides, halves, strict=True):
        for each in (near, side):  # of both halves in two calls
            each.add(*np.array(some, np.int32).reshape(-1, 2).T)
    listed = near.listed(1)
    forms = listed.sums.forms.tolist()
    assert dict(zip(forms, np.stack(listed.sums[1:], axis=1).tolist(), strict=True)) == sums
    assert listed.own.tolist() == [own[w] for w in forms]
    assert list(listed.totals) == totals
    assert (listed.found, listed.pieces) == (len(found), own.total())
    assert near.listed(2).sums.forms.tolist() == sorted(w for w in sums if sums[w][1] >= 2)
    units = rng.integers(0, 3, len(documents))
    least = int(rng.integers(1, 4))
    recorded = [side.recorded for side in sides]
    in_units, made = near_by_units(recorded, units, least)
    assert made.forms.tolist() == [w for w in sorted(sums) if sums[w][1] >= least]
    by_side = [sums_by_hand(half)[0] for half in (counts[:part], counts[part:])]
    for i, w in enumerate(made.forms.tolist()):
        table = [[made.sums.tokens[i, s], made.documents[i, s]] for s in range(2)]
        assert table == [of_side.get(w, [0, 0]) for of_side in by_side]
    some = [d for d in range(len(documents)) if counts[d]]
    by_unit = {
        int(u): sum((counts[d] for d in some if units[d] == u), Counter()) for u in units[some]
    }
    amounts = near_amounts(recorded, units, made.forms)
    wanted = [[by_unit[u][w] for w in made.forms.tolist()] for u in sorted(by_unit)]
    assert amounts.tolist() == wanted
    assert in_units.sizes.sum() == totals[1]


def pairs_by_hand(
    documents, found, phrase: list[int], left: int, right: int, sentence: bool, forms: list[int]
):
    """{(a, b): windows with both}, {(a, b): documents with such a window}: each token's window as a
    set of forms."""
    windows = Counter()
    having = Counter()
    before = 0
    for d, words in enumerate(documents):
        flags = [FLAGS[(before + i) % len(FLAGS)] for i in range(len(words))]
        of_sentence = np.cumsum(
            [flag in (AFTER_SENTENCE, AFTER_PARAGRAPH) for flag in flags]
        ).tolist()
        before += len(words)
        at = [place // 3 for document, place in found if document == d]
        seen = set()
        for i in at:
            token = range(i, i + len(phrase))
            inside = [j for j in range(len(words)) if i - left <= j < i + len(phrase) + right]
            if sentence:
                same = [
                    j
                    for j in range(len(words))
                    if {of_sentence[j]} == {of_sentence[n] for n in token}
                ]
                inside = [j for j in same if (left and j < i) or (right and j >= i)]
            met = {words[j] for j in inside if j not in token}
            pairs = {(a, b) for a in met for b in met if a in forms and b in forms}
            windows.update(pairs)
            seen |= pairs
        having.update(seen)
    return windows, having


@pytest.mark.parametrize("seed", range(300))
def test_pairs_are_those_of_each_window_by_hand(seed):
    rng = np.random.default_rng(seed)
    documents, phrase, left, right = drawn(rng, 2, 25, 6)
    forms = rng.permutation(FORMS)[: rng.integers(0, FORMS + 1)].tolist()
    sentence = seed % 2 == 1
    *_, found = by_hand(documents, phrase, left, right, sentence)
    index = indexed(documents, [1] if len(documents) > 1 else [])
    pairs = FormPairs(index, len(phrase), left, right, sentence, np.array(forms, np.int32))
    half = rng.integers(0, len(documents) + 1)
    for some in ([f for f in found if f[0] < half], [f for f in found if f[0] >= half]):
        pairs.add(*np.array(some, np.int32).reshape(-1, 2).T)
    windows, having = pairs_by_hand(documents, found, phrase, left, right, sentence, forms)
    assert pairs.found == len(found)
    assert pairs.windows.tolist() == [[windows[a, b] for b in forms] for a in forms]
    assert pairs.documents.tolist() == [[having[a, b] for b in forms] for a in forms]


def test_g2_of_two_words_is_that_of_scipy_with_a_sign():
    rng = np.random.default_rng(4)
    had = rng.random((300, 5)) < [0.2, 0.3, 0.5, 0.1, 0.4]
    had[:, 1] |= had[:, 0] & (rng.random(300) < 0.7)
    had[:, 4] &= ~had[:, 2]
    expected, g2 = both_together(had.T.astype(int) @ had.astype(int), 300)
    for a in range(5):
        for b in set(range(5)) - {a}:
            cells = [
                [(had[:, a] == x) @ (had[:, b] == y).astype(int) for y in (True, False)]
                for x in (True, False)
            ]
            test = chi2_contingency(cells, correction=False, lambda_="log-likelihood")
            assert abs(g2[a, b]) == pytest.approx(test.statistic, abs=1e-8)
            assert expected[a, b] == pytest.approx(test.expected_freq[0, 0])
            assert (g2[a, b] < 0) == (cells[0][0] < expected[a, b])
    assert g2[0, 1] > 10.83 and g2[2, 4] < 0


def test_a_place_where_no_piece_begins_is_not_found():
    near = Near(indexed([[0, 1, 2]], []), 1, 1, 1)
    near.add(np.array([0, 0], np.int32), np.array([1, 3], np.int32))
    assert near.found == 1 and near.listed(1).sums.tokens.tolist() == [1, 1]


def test_what_is_recorded_has_a_bound(monkeypatch):
    monkeypatch.setattr(collocations, "MOST_RECORDED", 3)
    documents = np.arange(4, dtype=np.int32)
    for recorded, documents_of_side in ((False, documents), (True, documents[:3])):
        near = Near(indexed([[0, 1]] * 4, []), 1, 1, 1, record=recorded)
        near.add(documents_of_side, 0 * documents_of_side)
        assert near.found == len(documents_of_side)
    with pytest.raises(Invalid, match="Choose fewer documents"):
        Near(indexed([[0, 1]] * 4, []), 1, 1, 1, record=True).add(documents, 0 * documents)


def test_t_and_g2_are_the_published_ones():
    """Manning and Schütze 1999, tables 5.6 ("new companies", section 5.3.1) and 5.12
    ("powerful")."""
    total = 14_307_668
    new = association(np.array([8]), np.array([4_675]), 15_828, total, 15_828)
    assert new.t[0] == pytest.approx(0.999932, abs=2e-4)
    # Most, force
    powerful = association(np.array([150, 13]), np.array([12_593, 3_424]), 932, total, 932)
    assert powerful.g2.tolist() == pytest.approx([1291.42, 80.39], rel=1e-3)


def test_measures_are_those_of_association_measures():
    """The package association-measures 0.3.2, calculate_measures of f = 10, 83, 200, 7, f1 = 5,000,
    f2 = 110, 1,200, 900, 20, N = 1,000,000. Its log ratio has no half added to the counts."""
    near = np.array([10, 83, 200, 7])
    everywhere = np.array([110, 1_200, 900, 20])
    made = association(near, everywhere, 5_000, 1_000_000, 5_000)
    assert made.t.tolist() == pytest.approx([2.988352389, 8.451848019, 13.823937572, 2.607954864])
    assert made.g2.tolist() == pytest.approx(
        [39.966877770, 288.370795123, 1180.664534202, 48.418478081]
    )
    dice = [0.003913894, 0.026774194, 0.067796610, 0.002788845]
    assert made.log_dice.tolist() == pytest.approx((14 + np.log2(dice)).tolist(), abs=1e-5)


def test_g2_is_that_of_scipy_with_a_sign():
    rng = np.random.default_rng(2)
    everywhere = rng.integers(5, 500, 40)
    near = np.minimum(rng.integers(1, 60, 40), everywhere)
    made = association(near, everywhere, 2_000, 30_000, 250)
    for i in range(40):
        cells = [
            [near[i], everywhere[i] - near[i]],
            [2_000 - near[i], 28_000 - everywhere[i] + near[i]],
        ]
        test = chi2_contingency(cells, correction=False, lambda_="log-likelihood")
        assert abs(made.g2[i]) == pytest.approx(test.statistic, abs=1e-8)
        assert made.expected[i] == pytest.approx(test.expected_freq[0, 0])
        assert (made.g2[i] < 0) == (near[i] < made.expected[i])
    assert (made.g2 < 0).any() and (made.g2 > 0).any()


def test_log_dice_is_14_at_most_and_1_more_for_twice_as_often():
    both = association(np.array([100, 50, 25]), np.array([100, 100, 100]), 1_000, 10_000, 100)
    assert both.log_dice.tolist() == [14, 13, 12]
    larger = association(np.array([100]), np.array([100]), 1_000, 10_000_000, 100)
    assert larger.log_dice[0] == 14  # the size of the corpus does not matter
