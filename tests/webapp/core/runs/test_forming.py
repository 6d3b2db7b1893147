"""How topics form: what the worker keeps of a training, what its page shows of it, and what it says
in words."""

import json
from html import unescape

import pytest
from django.urls import reverse

from inference.bow import Bow
from webapp.core.results.view import RunView
from webapp.core.runs import forming, queries, series, snapshots
from webapp.models import Document, FormingStep, Run
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.storage import files


def test_time_left_is_said_when_it_is_known_within_a_factor_of_two():
    even = [(step, float(step)) for step in range(10, 100, 10)]
    assert series.left(even, 100, 100.0, 300) == 200.0
    assert series.left([], 100, 100.0, 300) is None
    assert series.left([(60, 60.0)], 100, 100.0, 300) is None, "nothing is known of the first half"
    slow_start = [(10, 90.0), (50, 95.0)]
    assert series.left(slow_start, 100, 100.0, 300) is None, (
        "the second half was ten times as fast as all of it"
    )


def test_what_is_said_of_held_out_words():
    steps = list(range(1, 11))
    rising = [-8.0 + step / 10 for step in steps]
    flat = [-8.0, -7.5, -7.4, -7.4, -7.399, -7.399, -7.399, -7.398, -7.398, -7.398]
    assert (
        series.progress(steps, rising, False)
        == "The prediction of held-out words still improves. A held-out word is on average 2.5"
        " times as probable as at the first measurement."
    )
    assert "improved to the end. " in series.progress(steps, rising, True)
    assert "nearly settled" in series.progress(
        steps, [-8.0, -7.4, -7.4, -7.4, -7.38, -7.37, -7.37, -7.36, -7.36, -7.36], False
    )
    assert "it has settled" in series.progress(steps, flat, False)
    assert series.progress(steps, flat, False) == series.progress(
        [*steps, 11], [*flat, -9.0], True
    ), "the last is of all"
    assert "no better" in series.progress(steps, rising[::-1], False)
    assert "too early" in series.progress([1], [-8.0], False)
    assert series.progress(steps, [None] * 10, False) == ""


@pytest.mark.django_db
def test_a_training_keeps_how_its_topics_formed(client, trained):
    steps = list(FormingStep.objects.filter(run=trained))
    assert steps and steps[-1].step == trained.steps
    for step in steps:
        assert [topic["number"] for topic in step.topics] == list(range(6))
        assert sum(topic["share"] for topic in step.topics) == pytest.approx(1, abs=1e-3)
        assert len({topic["document"] for topic in step.topics}) == 6
        assert all(
            topic["name"] and len(topic["words"]) == forming.WORDS_OF_TOPIC for topic in step.topics
        )
    answer = client.get(
        reverse("run_forming_json", args=[trained.pk]), {"step": steps[0].step}
    ).json()
    assert answer["step"] == steps[0].step and answer["steps"] == [step.step for step in steps]
    for topic in answer["topics"]:
        assert topic["told"] and len(topic["passage"]) > 100
        assert 0 <= topic["cx"] <= queries.WIDTH and 0 <= topic["cy"] <= queries.HEIGHT
        assert client.get(topic["passage_url"]).status_code == 200
    page = unescape(
        client.get(reverse("run", args=[trained.pk]), {"step": steps[0].step}).content.decode()
    )
    assert f"Step {steps[0].step} of" in page and answer["topics"][0]["passage"][2:60] in page


@pytest.mark.django_db
def test_a_step_that_is_not_kept_is_the_one_before_it(trained):
    view = RunView(trained)
    last = queries.forming(view).step
    assert queries.forming(view, 10**9).step == last
    assert queries.forming(view, 0).step == queries.forming(view).steps[0]


@pytest.mark.django_db
def test_a_passage_is_short_under_embargo(trained):
    set_embargo(trained.corpus, True)
    run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=trained.pk)
    passages = [topic.passage for topic in queries.forming(RunView(run)).topics]
    assert max(map(len, passages)) <= 204  # with its dots


@pytest.mark.django_db
def test_topics_stay_where_they_are_while_they_do_not_change(trained):
    """The places are moved on from those before; a new writer takes them from the rows."""
    bow = Bow.open(files.bow_folder(trained.version_id, trained.pk, trained.dropped))
    writer = forming.FormingWriter(trained, bow)
    kept = FormingStep.objects.filter(run=trained).last().topics
    assert writer.places == {topic["number"]: (topic["x"], topic["y"]) for topic in kept}


@pytest.mark.django_db
def test_a_cancelled_run_keeps_none(client, trained):
    snapshots.discard(trained.pk)
    assert not FormingStep.objects.filter(run=trained).exists()
    shown = client.get(reverse("run_json", args=[trained.pk])).json()["forming"]
    assert json.dumps(shown) == '{"step": null, "steps": [], "topics": []}'


@pytest.mark.django_db
def test_topics_with_passages_in_one_document_show_each_its_own(trained):
    """As where a document is cut into sections, of which each may stand for a topic."""
    step = FormingStep.objects.filter(run=trained).last()
    longest = Document.objects.filter(corpus=trained.corpus_id).order_by("-words").first()
    places = [len(longest.text) // 8, len(longest.text) // 2]
    for topic, place in zip(step.topics, places, strict=False):
        topic["document"] = longest.number
        topic["at"] = place
    step.save(update_fields=["topics"])
    shown = {topic.number: topic.passage for topic in queries.forming(RunView(trained)).topics}
    for topic, place in zip(step.topics, places, strict=False):
        assert longest.text[place + 50 : place + 150] in shown[topic["number"]]
