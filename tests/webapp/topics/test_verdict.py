"""The sentence that says whether a topic is any good, from stored measures."""

from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from webapp.models import Run
from webapp.topics import verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def view(monkeypatch):
    """Makes a view of a run with one topic with given measures."""

    def of(**measured):
        column = {"apart": 0.2, "mixed": 0.0, "exclusivity": 0.4, "documents": 20.0, "background": 0.0} | measured
        monkeypatch.setattr(verdict.measures, "of", lambda run: {name: np.array([x]) for name, x in column.items()})
        return SimpleNamespace(run=SimpleNamespace(version=SimpleNamespace(documents=100), pk=1))

    return of


def test_kinds_follow_from_the_measures(view):
    near = [SimpleNamespace(label="T07", divergence=0.1)]
    for measured, similar, kind, reason in [
        ({}, [], "clear", "share their passages (second eigenvalue 0.20)"),
        ({"apart": 0.8, "mixed": 1.0}, [], "mixed", "seldom in the same passage (second eigenvalue 0.80)"),
        ({"apart": np.nan}, [], "clear", "not measured"),
        ({"exclusivity": 0.1}, [], "clear", "shared with some topics"),
        ({}, near, "mixed", "T07 has nearly the same words"),
        ({"background": 1.0, "mixed": 1.0}, near, "general", "spread evenly over the texts"),
    ]:
        judged = verdict.judge(view(**measured), 0, similar, [])
        assert judged.kind == kind and judged.sentence == verdict.SENTENCES[kind]
        assert any(reason in each.text for each in judged.reasons), judged
    assert verdict.judge(view(exclusivity=np.nan), 0, [], []) is None


def test_a_topic_that_other_runs_do_not_find_is_unstable(view, monkeypatch):
    likeness = {5: 0.9, 6: 0.2, 7: 0.3}
    monkeypatch.setattr(verdict.comparisons, "ordered", lambda runs, pks: [SimpleNamespace(pk=pk) for pk in pks])
    monkeypatch.setattr(
        verdict.matchings,
        "matched",
        lambda run, other: SimpleNamespace(best_b_similarity=np.array([likeness[other.pk]])),
    )
    for others, kind, reason in [
        ([5], "clear", "run 5 found it, too (similarity 0.90)"),
        ([6], "unstable", "run 6 has no topic like it"),
        ([5, 6], "clear", "1 of 2 other runs"),
        ([5, 6, 7], "unstable", "1 of 3 other runs"),
    ]:
        judged = verdict.judge(view(), 0, [], others)
        assert judged.kind == kind and reason in judged.reasons[-1].text
        assert judged.reasons[-1].url.startswith(reverse("compare") + "?run=1&run=")


def test_the_page_says_it_with_links(client, trained):
    run = Run.objects.get(pk=trained.pk)
    data = client.get(reverse("run_topic_json", args=[run.pk, 1])).json()["verdict"]
    assert data["kind"] in verdict.SENTENCES and len(data["reasons"]) >= 3
    html = client.get(reverse("run_topic", args=[run.pk, 1])).content.decode()
    assert data["sentence"] in html and 'href="#measures"' in html
    assert verdict.independent(run) == []
