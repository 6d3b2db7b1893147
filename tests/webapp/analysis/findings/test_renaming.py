"""Topics that an older program named get new names, once, in the background; families are called by
phrases."""

import pytest

from webapp.analysis.findings import families, renaming
from webapp.core.curation import services as curation
from webapp.core.results import labels
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Run, Snapshot, Topic
from webapp.platform.jobs import dispatch

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(trained):
    """A run as an older program left it."""
    Topic.objects.filter(snapshot=trained.snapshot_id).update(name="Navy, ships", name_parts=None)
    Snapshot.objects.filter(pk=trained.snapshot_id).update(naming=0)
    labels.proposals.cache_clear()
    yield Run.objects.select_related("snapshot").get(pk=trained.pk)
    labels.proposals.cache_clear()


def test_a_family_has_no_name_of_a_topic_where_it_has_another_phrase():
    of_topics = {"fiscal year & public debt", "memory leak"}
    phrases = [["fiscal year", "public debt", "gold coin"], ["memory leak"]]
    assert families.names(phrases, of_topics) == ["Fiscal year & gold coin", "Memory leak"]
    assert families.names(phrases) == ["Fiscal year & public debt", "Memory leak"]


def test_an_old_run_is_named_once_and_labels_stay(old):
    curation.change(old, 1, {"label": "Farming"}, "owner")
    renaming.rename(old.pk, None)
    snapshot = Snapshot.objects.get(pk=old.snapshot_id)
    assert (snapshot.naming, snapshot.renamed_at is not None) == (names.METHOD, True)
    called = list(Topic.objects.filter(snapshot=snapshot).order_by("number"))
    assert all(topic.name and topic.name_parts is not None for topic in called)
    assert len({topic.name for topic in called}) == len(called)
    assert all(topic.noun_phrases is not None for topic in called)
    run = Run.objects.select_related("snapshot").get(pk=old.pk)
    own = RunView(run).labels
    assert own.name(1) == "Farming" and own.proposed(1) == called[1].name != "Navy, ships"
    renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).renamed_at == snapshot.renamed_at


def test_a_family_is_called_by_noun_phrases_else_by_a_topic_with_a_name(trained):
    topics = Topic.objects.filter(snapshot=trained.snapshot_id)
    topics.update(phrases=[["fix memory leak", 90, 9], ["fix crash", 80, 9]], noun_phrases=None)
    first, *others = families.cut(RunView(trained), None).families
    assert not any("fix" in family.name.casefold() for family in [first, *others])  # all have it
    topics.filter(number__in=first.topics).update(noun_phrases=[["memory leak", 90]])
    topics.exclude(number__in=first.topics).update(noun_phrases=[])
    numbers = others[0].topics
    topics.filter(number=numbers[0]).update(name="man · wage", name_parts=[])
    labels.proposals.cache_clear()
    view = RunView(trained)
    called = {family.topics[0]: family.name for family in families.cut(view, None).families}
    assert called[first.topics[0]] == "Memory leak"
    named = [view.labels.name(k) for k in numbers if view.labels.has_name(k)]
    others = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    assert called[numbers[0]] == (named[0] + others if named else "man · wage")
    labels.proposals.cache_clear()


def test_a_family_of_several_topics_that_one_names_says_how_many_more_there_are(trained):
    topics = Topic.objects.filter(snapshot=trained.snapshot_id)
    topics.update(noun_phrases=[], name="Navy & ships", name_parts=["navy", "ships"])
    labels.proposals.cache_clear()
    for family in families.cut(RunView(trained), 2).families:
        others = len(family.topics) - 1
        assert family.name == ("Navy & ships" if not others else f"Navy & ships and {others} more")
    labels.proposals.cache_clear()


def test_a_family_is_not_called_by_what_one_small_topic_has(trained):
    topics = Topic.objects.filter(snapshot=trained.snapshot_id)
    family = max(families.cut(RunView(trained), 2).families, key=lambda each: len(each.topics))
    assert len(family.topics) > 1
    smallest = family.topics[-1]
    spans = len(
        topics.get(number=smallest).noun_phrases and families._sizes(trained.snapshot_id)[0]
    )
    of_one = [[smallest, [0.9] * spans]]
    of_all = [[k, [0.1] * spans] for k in family.topics]
    topics.update(noun_phrases=[])
    topics.filter(number=smallest).update(
        noun_phrases=[["Philippine Islands", 900, of_one], ["foreign trade", 90, of_all]]
    )
    called = {each.topics[0]: each.name for each in families.cut(RunView(trained), 2).families}
    assert called[family.topics[0]] == "Foreign trade"


def test_where_a_phrase_reaches_is_stored_with_it(old):
    renaming.rename(old.pk, None)
    spans = families._sizes(old.snapshot_id).shape[1]
    for topic in Topic.objects.filter(snapshot=old.snapshot_id):
        for text, tokens, reached in topic.noun_phrases:
            assert text and tokens > 0 and reached, f"{text} stands in no topic"
            for number, shares in reached:
                assert 0 <= number < old.topics and len(shares) == spans
                assert all(0 <= share <= 1 for share in shares)


def test_a_page_asks_for_the_names_of_old_runs_alone(old, trained, client, monkeypatch):
    asked = []
    monkeypatch.setattr(
        dispatch, "ask", lambda task, arguments, by: asked.append((task, arguments))
    )
    client.get(f"/runs/{old.pk}/overview/")
    assert (renaming.TASK, [old.pk]) in asked
    asked.clear()
    renaming.rename(old.pk, None)
    page = client.get(f"/runs/{old.pk}/overview/").content.decode()
    assert (renaming.TASK, [old.pk]) not in asked
    assert "named the topics again on" in page


@pytest.mark.parametrize(
    ("phrases", "called"),
    [
        (
            [["public debt", "fiscal year"], ["health care", "social security"]],
            ["Public debt & fiscal year", "Health care & social security"],
        ),
        # a phrase of two families tells nothing; one stem says the same twice
        (
            [
                ["United States", "British Government", "French Government", "Central America"],
                ["United States", "gold and silver", "national banks", "public money"],
            ],
            ["British Government & Central America", "National banks & public money"],
        ),
        ([["public lands", "public land"], []], ["Public lands", ""]),
        (
            [["Reported by Google", "policy enforcement", "heap buffer overflow"], []],
            ["Policy enforcement & heap buffer overflow", ""],
        ),
    ],
)
def test_families_are_called_by_two_phrases_that_no_other_has(phrases, called):
    assert families.names(phrases) == called


@pytest.mark.parametrize(
    ("text", "words", "heading", "remaining"),
    [
        ("Fix mem leak", (7, 8, 9), "mem leak", (8, 9)),
        ("Fix pls mem leak", (7, 9), "mem leak", (7, 9)),  # two are in no vocabulary
        ("Fix mem leak", (78, 9), "leak", (78, 9)),  # 78 stands for two joined words
    ],
)
def test_the_words_of_a_heading_are_those_that_its_phrase_still_has(
    text, words, heading, remaining
):
    phrase = names._WrittenPhrase(text, words, 5)
    assert names._remaining_words(phrase, heading) == remaining
