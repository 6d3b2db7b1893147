"""What a training by the default engine is said to take, against what was counted."""

import pytest

from benchmarks import estimates
from inference.engines import config as engine_config, ssi
from tests.inference.corpora import planted

NANO = 1e-9
# Nanoseconds of the processor a token, one thread: the two passes of the warm-up, the first pass of
# sampling, and a later one (docs/measurements/engines/ssi.md, "Seconds beforehand")
COUNTED = {
    100: (374, 487, 565, 158),
    1000: (825, 1090, 1063, 384),
    10_000: (1610, 2190, 2787, 743),
}
TOKENS = 10_000_000
WITHIN = 1.5


@pytest.mark.parametrize("topics", COUNTED)
@pytest.mark.parametrize("passes", [3, 6, 35])
def test_seconds_are_those_that_were_counted(topics, passes):
    """With few passes the warm-up is most of them: as 35 later ones it was half of what it takes."""
    config = engine_config("ssi", topics=topics, passes=passes, until="passes")
    resolved = config.resolve(100_000, TOKENS)
    *first, later = COUNTED[topics]
    counted = NANO * TOKENS * (sum(first) + (passes - 3) * later)
    assert counted / WITHIN < ssi.seconds(resolved, TOKENS) < counted * WITHIN


@pytest.mark.parametrize(("cores", "counted"), [(1, 1.0), (2, 1.85), (16, 12.0)])
def test_cores_make_it_as_fast_as_was_counted(cores, counted):
    assert counted / WITHIN < ssi.times_as_fast(cores) < counted * WITHIN


def test_documents_that_are_new_at_each_visit_take_longer():
    fading = engine_config("ssi", topics=100, statistics="decay", passes=10).resolve(1000, TOKENS)
    memo = engine_config("ssi", topics=100, passes=10).resolve(1000, TOKENS)
    assert ssi.seconds(fading, TOKENS) > 1.5 * ssi.seconds(memo, TOKENS)


def test_the_benchmark_says_both(capsys):
    bow = planted(4, 40, 60, 20, seed=3)[0]
    estimates.main(bow, [4], 1)
    line, worst = capsys.readouterr().out.splitlines()
    assert line.startswith(f"4 topics, {bow.tokens:,} tokens: estimated ") and "processor" in line
    assert worst.startswith("worst: ")
