"""A claim about time in other runs: its periods, what each adds to the estimate, and the page."""

import numpy as np
import pytest
from django.urls import reverse

from inference.effects import over_time
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.effects import estimates, formula, variants
from webapp.analysis.effects.model import EffectQuestion
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView

pytestmark = pytest.mark.django_db


@pytest.fixture
def dated(draft, monkeypatch):
    """Talk of war that gives way to talk of tax, in forty years."""
    monkeypatch.setattr(over_time, "DRAWS", (199, 199))
    chance = np.random.default_rng(4)
    words = [[f"{kind}{i}" for i in range(12)] for kind in ("war", "tax")]
    rows = [
        [" ".join(chance.choice(words[int(chance.random() < (y - 1900) / 40)], 12)), f"{y}-03-01"]
        for y in range(1900, 1940)
        for _ in range(8)
    ]
    return run_on(corpus_of(draft, [["text", "date"], *rows], "dated.csv"), topics=2, passes=15)


@pytest.mark.parametrize("written", ["decade", "date", "spline(date)"])
def test_periods_add_up_to_the_estimate(dated, written):
    own = estimates.regression_of(
        Selection.all(RunView(dated)), EffectQuestion(formula.read(written))
    )
    periods, untested = variants.units_to_exchange(own)
    assert (untested, len(periods.side)) == ("", 40)
    sums = variants.sums_of_units(own, own, np.arange(2), periods)
    added = variants.lever_of_periods(own, periods) @ (sums.residual / sums.words[:, None])
    assert added == pytest.approx(own.table().answers.difference, abs=1e-6)


def test_a_change_over_time_is_tested_in_all_runs(client, dated):
    run_on(dated.corpus, topics=2, passes=15, seed=9)
    page = client.get(reverse("run_claim_json", args=[dated.pk]) + "?formula=date&topic=0").json()
    assert (page["holds"], len(page["runs"])) == (2, 2)
    assert page["untested"] == ""
    assert page["p_fixed"] <= page["p"] <= 0.05


def test_few_periods_are_not_tested(client, dated):
    page = client.get(
        reverse("run_claim_json", args=[dated.pk]) + "?formula=date&topic=0&to=1904"
    ).json()
    assert page["p"] is None
    assert "5 periods with words are too few" in page["untested"]
