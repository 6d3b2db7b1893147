"""What the form says of the disk before training."""

import pytest

from inference import engines
from webapp.intake.ingest import word_estimates
from webapp.platform.storage import disk

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("topics", "shape", "measured"),
    [
        (50, (8375, 845_639, 10_870), 21.6e6),
        (100, (8375, 845_639, 10_870), 26.9e6),
        (100, (90_202, 6_924_854, 33_727), 94.8e6),
    ],
)
def test_what_was_measured_is_about_what_is_said(topics, shape, measured):
    """docs/storage.md"""
    cost = word_estimates.cost(engines.DEFAULT, topics, *shape)
    assert 0.65 * measured < cost.disk < 1.35 * measured and cost.at_work > 2 * cost.disk


def test_more_topics_take_more_of_every_engine():
    for name in engines.ENGINES:
        costs = [
            word_estimates.cost(name, topics, 5000, 500_000, 8000) for topics in (10, 100, 1000)
        ]
        assert costs[0].disk < costs[1].disk < costs[2].disk, name
        assert all(cost.at_work > cost.disk for cost in costs)


def test_the_form_says_it_and_warns(client, ready, monkeypatch):
    page = client.get(f"/corpora/{ready.pk}/").content.decode()
    assert "of the server’s disk, and up to" in page and "are free." in page
    monkeypatch.setattr(disk, "free", lambda: 1000)
    assert (
        "Only 1.0 kB are free: the run would stop and wait for room."
        in client.get(f"/corpora/{ready.pk}/").content.decode()
    )


def test_a_training_is_said_to_take_what_this_machines_cores_need(monkeypatch):
    config = engines.config(engines.DEFAULT, topics=100).resolve(500_000, 50_000_000)
    seconds = {}
    for cores in (1, 2, 16):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        seconds[cores] = word_estimates.waited_seconds(engines.DEFAULT, config, 50_000_000)
    after = 50_000_000 * word_estimates.FOLD + 2
    assert seconds[1] == word_estimates.waited_seconds(engines.DEFAULT, config, 50_000_000, cores=1)
    assert 1.7 < (seconds[1] - after) / (seconds[2] - after) < 2
    assert 8 < (seconds[1] - after) / (seconds[16] - after) < 14
