"""The comparison with other engines, without the other engines: what it counts, times, judges and
draws."""

import re
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.engines import chart, corpora, peers
from benchmarks.engines.clock import Clock
from benchmarks.engines.judge import Curve, Judge, Point, one_pass_ratio, ratio, sparse

LOCK = Path(__file__).resolve().parent.parent.parent / "requirements" / "benchmarks.lock"


def curve(engine: str, *points: tuple[float, float], note: str = "") -> Curve:
    return Curve(
        peers.Variant(engine, {}, note),
        [Point(seconds, seconds, held_out, 0.1) for seconds, held_out in points],
    )


OURS = curve("topograph", (1, -8.0), (2, -7.5), (4, -7.2))
PEER = curve("tomotopy", (2, -8.1), (8, -7.5), (30, -7.3), (70, -7.0))


def test_the_ratio_is_the_worst_of_the_times_to_each_peer_s_best():
    slow = curve("gensim", (10, -7.9))
    early = curve("vw", (1.5, -7.6))
    assert ratio([OURS, PEER], 6, late={PEER.variant.engine: 10.0}) == 4 / 30
    assert ratio([OURS, PEER], 60) == 4 / 30  # what is reached after 60 s does not count
    assert ratio([OURS, slow, PEER], 60) == 2 / 10
    assert ratio([OURS, slow, PEER, early], 60) == 2 / 1.5
    assert ratio([OURS, slow], 60) == 2 / 10
    assert ratio([OURS, PEER], 100) == float("inf")
    assert np.isnan(ratio([OURS, PEER], 1)) and np.isnan(ratio([OURS], 60))


def test_judging_counts_where_a_user_waits_for_it():
    judged = Curve(
        OURS.variant,
        [Point(p.seconds, p.passes, p.held_out, 0.1, judged=p.seconds / 2) for p in OURS.points],
    )
    assert ratio([judged, PEER], 60) == 4 / 30 and ratio([judged, PEER], 60, True) == 6 / 30
    clock = Clock(1.0, False, lambda *said: None)
    with clock.judging():
        time.sleep(0.01)
    assert clock.judged >= 0.01 and clock.seconds == 0.0


def test_after_one_pass_the_best_must_be_the_fastest_too():
    ours = curve("topograph", (2, -7.7))
    fast = curve("vw", (4, -7.9))
    good = curve("sklearn", (1, -7.6))
    assert one_pass_ratio([ours, fast]) == 0.5
    assert one_pass_ratio([ours, fast, good]) == float("inf")


def test_the_clock_stands_while_topics_are_shown_and_all_looks_are_in_time(monkeypatch):
    now = 0.0  # a busy machine wakes late: here each sleep takes as long as it should

    def sleep(seconds):
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    seen = []

    def show(seconds, passes, topics):
        seen.append((seconds, passes))
        time.sleep(0.05)

    clock = Clock(0.2, False, show)
    passes = 0
    began = time.perf_counter()
    while True:
        with clock:
            time.sleep(0.01)
        passes += 0.5
        if not clock.continues(passes, lambda: np.ones((1, 1))):
            break
    seconds = [s for s, _ in seen]
    assert seconds == sorted(seconds) and seconds[-1] <= 0.2 + 0.02
    assert 1.0 in [p for _, p in seen]  # the end of the first pass
    assert time.perf_counter() - began > clock.seconds + 0.04 * len(seen)


def test_one_pass_is_one_look():
    seen = []
    clock = Clock(0.001, True, lambda *said: seen.append(said[1]))
    for step in range(1, 5):
        with clock:
            time.sleep(0.002)
        if not clock.continues(step / 4, lambda: np.ones((1, 1))):
            break
    assert seen == [1.0]


def test_an_engine_that_cannot_go_on_is_run_anew_until_the_time_is_filled():
    def runs(seconds, limit=20.0):
        seen = []

        def run(passes, clock):
            seen.append(passes)
            clock.seconds = seconds(passes)
            return np.ones((1, 1))

        Clock(limit, False, lambda *said: None).repeat(run)
        return seen

    assert runs(lambda passes: passes + 1.0, 24.0) == [1, 2, 4, 8, 16, 21]
    # Slower than it seemed: once more
    assert runs(lambda passes: passes + 10.0 * (passes > 8)) == [
        1,
        2,
        4,
        8,
        16,
        11,
    ]
    assert runs(lambda passes: 11.0 * passes) == [1, 2]
    assert runs(lambda passes: 30.0) == [1]


def test_dense_topics_are_judged_as_they_are():
    bow, truth = corpora.synthetic(200, 300, 5)
    truth[:, 250:] = 1e-6
    truth /= truth.sum(axis=1, keepdims=True)
    topics = sparse(7.0 * truth)
    assert np.allclose(topics.dense(), truth, rtol=1e-5) and np.diff(topics.indptr).max() <= 250
    held_out, train = corpora.split(bow, 1)
    assert (
        train.D
        + len(held_out)
        + int((np.diff(bow.indptr)[np.setdiff1d(np.arange(200), held_out)] == 0).sum())
        == 200
    )
    judge = Judge(bow, held_out, train, 5)
    shuffled = truth[:, np.random.default_rng(1).permutation(300)]
    assert judge(0, 0, truth).held_out > judge(0, 0, shuffled).held_out + 0.5
    with pytest.raises(ValueError, match="not numbers"):
        sparse(np.full((2, 3), np.nan))


@pytest.mark.parametrize(
    ("engine", "package"), [("sklearn-batch", "sklearn"), ("gensim-hdp", "gensim")]
)
def test_peers_that_are_stepped_from_outside_learn(engine, package, tmp_path):
    """They are not called as their manuals say, but pass by pass or chunk by chunk."""
    pytest.importorskip(package)
    bow, truth = corpora.synthetic(300, 200, 4)
    held_out, train = corpora.split(bow, 1)
    train.save(tmp_path)
    seen = []
    clock = Clock(
        60.0, True, lambda seconds, passes, topics: seen.append((seconds, passes, topics))
    )
    peers.ADAPTERS[engine][0](
        peers.Task(engine, {}, "", str(tmp_path), 4, 60.0, 1, 1, True, False), clock
    )
    ((seconds, passes, topics),) = seen
    judge = Judge(bow, held_out, train, 4)
    assert passes == 1.0 and seconds > 0 and topics.shape == (4, bow.V)
    assert -np.log(bow.V) + 0.5 < judge(0, 0, topics).held_out < judge(0, 0, truth).held_out


def test_words_that_a_peer_never_saw_get_its_least_weight():
    assert peers.with_all_words(np.array([[0.5, 0.2]]), np.array([2, 0]), 4).tolist() == [
        [0.2, 0.2, 0.5, 0.2]
    ]


def test_the_drawing_names_every_line_once_apart_from_the_others():
    curves = [
        OURS,
        PEER,
        curve("gensim", (10, -7.301)),
        curve("tomotopy", (9, -9.0), note="alpha=0.01"),
    ]
    drawing = ElementTree.fromstring(chart.svg(curves, 60, "Reuters <100>"))
    texts = {
        "".join(t.itertext()): float(t.get("y"))
        for t in drawing.iter("{http://www.w3.org/2000/svg}text")
    }
    names = [text for text in texts if re.search(r"−7\.\d{3}$", text)]
    assert sorted(name.split()[0] for name in names) == ["gensim", "tomotopy", "topograph"]
    places = sorted(texts[name] for name in names)
    assert min(b - a for a, b in zip(places, places[1:], strict=False)) >= chart.LINE_HEIGHT - 0.2
    assert "seconds of training, logarithmic" in texts and any(
        "nats per token" in text for text in texts
    )


def test_the_lock_has_hashes_and_no_addresses():
    text = LOCK.read_text()
    assert "://" not in text
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.M))
    assert {package for _, package in peers.ADAPTERS.values()} - {"inference"} <= pinned.keys()
    runtime = dict(
        re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK.with_name("runtime.lock").read_text(), re.M)
    )
    assert {name: pinned.get(name) for name in runtime} == runtime
