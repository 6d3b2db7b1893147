"""A run that a reader steers: topics of another one merged, split or joined by words, and training
goes on from there."""

from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from tasks.runs import train
from webapp.core.results import provenance, topics
from webapp.core.results.view import RunView
from webapp.core.runs import navigation, services as runs, steering, views
from webapp.models import Run

pytestmark = pytest.mark.django_db


def wish(run, query: str) -> steering.Wish:
    return steering.Wish.read(QueryDict(query), run)


@pytest.fixture(scope="module")
def child(trained, django_db_blocker):
    with django_db_blocker.unblock():
        parent = Run.objects.select_related("version", "snapshot").get(pk=trained.pk)
        words = topics.top_words(RunView(parent), [0, 1], 2)
        sent = f"merge=1&merge=4&split=2&together={words[0][0]},+{words[1][0]}&never=congress"
        run = steering.start(parent, wish(parent, sent))
        train(run.pk)
        run = Run.objects.select_related("corpus__version", "version", "snapshot", "parent").get(
            pk=run.pk
        )
        assert run.status == "done", run.error
        yield run
        run.delete()


def test_a_steered_run_begins_with_the_changed_topics(client, trained, child):
    assert (child.parent_id, child.begins, child.dropped) == (trained.pk, True, ["congress"])
    assert child.topics == trained.topics  # one less, one more
    assert child.steering["merge"] == [[1, 4]] and child.steering["split"] == [2]
    first, second = child.steering["together"][0]
    said = steering.sentences(child)
    assert said == ["T01 and T04 merged", "T02 split in two", f"“{first}” and “{second}” together"]
    page = client.get(reverse("run", args=[child.pk])).content.decode()
    assert said[0] in page and f"?run={trained.pk}&amp;run={child.pk}" in page
    assert said[1] in client.get(reverse("run_steer", args=[trained.pk])).content.decode()
    assert provenance.made_by(child)["changes of those topics"] == child.steering
    assert runs.train_again(child).steering == child.steering
    # "congress" has no topics in it
    assert client.get(reverse("run_overview", args=[child.pk])).status_code == 200


def test_the_form_makes_a_run(client, trained):
    sent = {"merge": ["0", "3"], "shown": ["0", "3"], "together": "", "never": ""}
    answer = client.post(reverse("run_steer_train", args=[trained.pk]), sent)
    made = Run.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[1]))
    assert made.topics == trained.topics - 1 and made.steering == {
        "merge": [[0, 3]],
        "split": [],
        "together": [],
    }


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Choose what to change"),
        ("merge=1", "only one is ticked"),
        ("merge=1&merge=2&split=2", "T02 can be merged or split"),
        ("split=400", "has topics 0 to"),
        ("merge=-1&merge=x", "has topics 0 to"),
        ("together=war", "only one is given"),
        ("together=war+peace&never=war", "left out at once"),
        ("never=zyzzyva", "Not among the words"),
        ("never=" + "+".join(f"w{i}" for i in range(60)), "At most 50"),
    ],
)
def test_what_cannot_be_done_is_said(client, trained, query, sentence):
    with pytest.raises(Invalid, match=sentence):
        wish(trained, query)
    answer = client.post(
        reverse("run_steer_train", args=[trained.pk]),
        query,
        "application/x-www-form-urlencoded",
        follow=True,
    )
    html = answer.content.decode()
    # Nothing is lost
    assert sentence in html and ("zyzzyva" not in query or 'name="never" value="zyzzyva"' in html)
    assert not Run.objects.filter(status="queued").exists()


def test_too_many_words_are_refused_before_the_vocabulary_is_asked(
    trained, django_assert_num_queries
):
    run = Run.objects.select_related("version", "snapshot").get(pk=trained.pk)
    many = " ".join(f"w{number}" for number in range(1_000))
    with django_assert_num_queries(0), pytest.raises(Invalid, match="At most 50"):
        wish(run, urlencode({"never": many}))
    with django_assert_num_queries(0), pytest.raises(Invalid, match="At most 2,000"):
        runs.without(run, [f"w{number}" for number in range(2_001)])


def test_one_word_must_be_left(trained):
    run = Run.objects.select_related("version").get(pk=trained.pk)
    assert wish(run, "never=congress").never == ["congress"]
    run.version.vocabulary = 1
    with pytest.raises(Invalid, match="at least one must be left"):
        wish(run, "never=congress")


def test_the_form_shows_the_ticked_topics_and_engines_that_cannot_say_so(
    client, trained, monkeypatch
):
    url = reverse("run_steer", args=[trained.pk])
    page = client.get(url + "?topics=1,3&topics=x,999").content.decode()
    assert page.count('name="merge"') == 2 and 'name="split" value="3"' in page
    monkeypatch.setattr(views.runs, "can_be_continued", lambda run: False)
    monkeypatch.setattr(navigation.services, "can_be_continued", lambda run: False)
    page = client.get(url).content.decode()
    assert "No other run can begin with these topics" in page and 'name="split"' not in page
