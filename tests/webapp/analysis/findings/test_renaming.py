"""Topics that an older program named get new names, once, in the background; families are called by
what is found all over them."""

from itertools import combinations
from types import SimpleNamespace

import pytest

from inference.explore.family_names import FamilyName
from inference.text.numerals import written_number_words
from webapp.analysis.families import family_cuts, family_names
from webapp.analysis.findings import compute, renaming
from webapp.core.curation import services as curation
from webapp.core.documents import corpus_unit
from webapp.core.results import family_tree
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Corpus, Run, Snapshot, StoredResult, Topic
from webapp.platform.jobs import dispatch
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(trained):
    """A run as an older program left it."""
    Topic.objects.filter(snapshot=trained.snapshot_id).update(name="Navy, ships", name_parts=None)
    Snapshot.objects.filter(pk=trained.snapshot_id).update(naming=0)
    cache.clear_all()
    run = Run.objects.select_related("snapshot").get(pk=trained.pk)
    yield run
    cache.clear_all()
    dispatch.forget_tries(renaming.TASK, renaming.tried_arguments(run.snapshot_id))


def test_an_old_run_is_named_once_and_labels_stay(old):
    curation.change(old, 1, {"label": "Farming"}, "owner")
    renaming.rename(old.pk, None)
    snapshot = Snapshot.objects.get(pk=old.snapshot_id)
    assert (snapshot.naming, snapshot.renamed_at is not None) == (names.METHOD, True)
    called = list(Topic.objects.filter(snapshot=snapshot).order_by("number"))
    assert all(topic.name and topic.name_parts is not None for topic in called)
    assert len({topic.name for topic in called}) == len(called)
    assert all(topic.family_terms for topic in called)
    run = Run.objects.select_related("snapshot").get(pk=old.pk)
    own = RunView(run).labels
    assert own.name(1) == "Farming" and own.proposed(1) == called[1].name != "Navy, ships"
    renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).renamed_at == snapshot.renamed_at


def test_names_of_topics_and_of_families_are_stored_together(old, monkeypatch):
    """What is killed between leaves the names of before, and is asked for again."""

    def end(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(family_names, "store", end)
    with pytest.raises(SystemExit):
        renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).naming == 0
    topics = Topic.objects.filter(snapshot=old.snapshot_id)
    assert set(topics.values_list("name", flat=True)) == {"Navy, ships"}


def test_topics_that_could_not_be_named_are_not_tried_again_at_each_page(old, monkeypatch):
    asked = []
    monkeypatch.setattr(dispatch.app, "send_task", lambda task, sent, retry: asked.append(sent))

    def fail(*_: object) -> None:
        raise IndexError("a text that nobody thought of")

    with monkeypatch.context() as patch:
        patch.setattr(names, "of_texts", fail)
        with pytest.raises(IndexError):
            renaming.rename(old.pk, None)
    renaming.ask(old, None)
    assert asked == []
    with monkeypatch.context() as patch:
        patch.setattr(names, "METHOD", names.METHOD + 1)
        renaming.ask(old, None)
    assert asked == [[old.pk, None]], "another program may be able to"
    renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).naming == names.METHOD


@pytest.fixture
def asked(trained, monkeypatch):
    """A function that cuts the run's topics into two families of several topics, of which it is
    said what they may be called."""

    def cut(proposed: FamilyName) -> list[family_cuts.NamedFamily]:
        monkeypatch.setattr(family_names, "proposed", lambda view, sets: [proposed] * len(sets))
        cache.clear_all()
        return [
            family
            for family in family_cuts.cut(RunView(trained), 2).families
            if len(family.topics) > 1
        ]

    yield cut
    cache.clear_all()


def test_no_family_has_the_name_of_a_topic_or_of_another(trained, asked):
    Topic.objects.filter(snapshot=trained.snapshot_id, number=0).update(
        name="Ships & navy", name_parts=["ships", "navy"]
    )
    first, *others = asked(FamilyName([("navy", "ships"), ("fleet",)], ("man", "wage")))
    assert first.name == "Fleet"
    assert all(family.name == "man · wage" for family in others)


def test_a_phrase_with_a_small_word_comes_last(asked):
    first, *_ = asked(FamilyName([("Secretary of State", "treaty")], ()))
    assert first.name == "Treaty & Secretary of State"


def test_a_family_that_nothing_names_is_told_by_its_two_largest_topics_with_names(trained, asked):
    nothing = FamilyName([], ("man", "wage"))
    largest = max(asked(nothing), key=lambda family: len(family.topics))
    unnamed, first, second, *_ = largest.topics
    for topic in Topic.objects.filter(snapshot=trained.snapshot_id):
        topic.name = f"Subject {topic.number}"
        topic.name_parts = [topic.name] if topic.number != unnamed else []
        topic.save(update_fields=["name", "name_parts"])
    names_of_families = {family.name for family in asked(nothing)}
    assert f"Subject {first} · Subject {second}" in names_of_families


def test_a_family_of_topics_without_names_is_told_by_its_words(trained, asked):
    Topic.objects.filter(snapshot=trained.snapshot_id).update(name_parts=[])
    assert {family.name for family in asked(FamilyName([], ("man", "wage")))} == {"man · wage"}


def test_before_an_old_run_is_named_anew_topics_stand_for_a_family(old):
    old_view = RunView(old)
    for family in family_cuts.cut(old_view, 2).families:
        with_names = list(filter(old_view.labels.has_name, family.topics))
        some = with_names[: family_cuts.TOPICS_FOR_NAME] or family.topics[:1]
        assert family.name == " · ".join(map(old_view.labels.name, some))


def test_names_of_families_are_made_once_and_those_of_readers_groups_when_asked(
    trained, monkeypatch
):
    cache.clear_all()
    view = RunView(trained)
    number = family_cuts.cut(view, None).most
    named = [family_cuts.cut(view, count) for count in range(2, number + 1)]
    cache.clear_all()
    monkeypatch.setattr(family_names, "make_names", lambda *_: pytest.fail("they are stored"))
    assert [family_cuts.cut(RunView(trained), count) for count in range(2, number + 1)] == named
    monkeypatch.undo()
    cache.clear_all()
    first, second, *_ = family_cuts.cut(RunView(trained), 2).families
    curation.change(trained, first.topics[0], {"beside": str(second.topics[0])}, "owner")
    moved = family_cuts.cut(RunView(trained), 2).families
    assert all(family.name for family in moved)
    cache.clear_all()


def test_a_page_makes_only_names_that_it_shows(trained, monkeypatch):
    """None of a group, which has the name that its reader gave it."""
    cache.clear_all()
    view = RunView(trained)
    family_cuts.cut(view, 2)  # the names of the tree's families are stored then
    of_tree = [set(node.topics) for node in family_tree.nodes(trained, view.labels)]
    topics = sorted(set.union(*of_tree))
    grouped = next(pair for pair in combinations(topics, 2) if {*topics} - {*pair} not in of_tree)
    curation.change_many(trained, {k: {"group": "Others"} for k in grouped}, "owner")
    made = []

    def make(run, sets):
        made.append([sorted(topics_of_family) for topics_of_family in sets])
        return {
            family_names.key_of_topics(of_family): FamilyName([("man",)], ()) for of_family in sets
        }

    monkeypatch.setattr(family_names, "make_names", make)
    for _ in range(2):
        assert {family.name for family in family_cuts.cut(RunView(trained), 2).families} == {
            "Others",
            "Man",
        }
    assert made == [[[k for k in topics if k not in grouped]]]
    cache.clear_all()


def test_names_of_several_families_are_made_together(trained, monkeypatch):
    """The documents are looked at once for all of them."""
    made = []

    def make(run, sets):
        made.append(len(sets))
        return {family_names.key_of_topics(topics): FamilyName([], ("man",)) for topics in sets}

    monkeypatch.setattr(family_names, "stored_names", lambda *_: {})
    monkeypatch.setattr(family_names, "make_names", make)
    cache.clear_all()
    view = RunView(trained)
    names_of_sets = family_names.proposed(view, [[0, 1], [2, 3]])
    assert family_names.proposed(view, [[2, 3], [0, 1]]) == names_of_sets
    assert made == [2]
    cache.clear_all()


def test_a_readers_label_makes_a_name_that_a_family_may_not_have(trained, asked):
    proposed = FamilyName([("navy", "ships"), ("fleet",)], ())
    assert asked(proposed)[0].name == "Navy & ships"
    curation.change(trained, 2, {"label": "Navy & Ships"}, "owner")
    assert family_cuts.cut(RunView(trained), 2).families[0].name == "Fleet"


def test_no_family_has_the_name_of_a_readers_group(trained, asked):
    proposed = FamilyName([("navy", "ships"), ("fleet",)], ())
    assert asked(proposed)[0].name == "Navy & ships"
    curation.change_many(trained, {k: {"group": "Navy & Ships"} for k in (1, 2)}, "owner")
    named = [family.name for family in family_cuts.cut(RunView(trained), 2).families]
    assert sorted(named) == ["Fleet", "Navy & Ships"]


@pytest.fixture
def every_term_is_a_name(trained, monkeypatch):
    """Families have a name of each term that may be said; nothing is stored yet. The terms of every
    topic are three."""
    terms = [
        ["Secretary of the State", [1], 5, 1.0],
        ["Millard Fillmore", [2], 5, 1.0],
        ["treaty", [3], 5, 1.0],
    ]

    def name_by_all(looked, topics, K, of_topics):
        return FamilyName([(term.text,) for term in of_topics], ())

    monkeypatch.setattr(family_names, "name", name_by_all)
    Topic.objects.filter(snapshot=trained.snapshot_id).update(family_terms=terms)
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.NAMES).delete()
    cache.clear_all()
    yield
    cache.clear_all()


def names_of_families(run) -> list[set[str]]:
    """The names that may stand for the largest family of the tree, which is stored, and for one of
    other topics, which is made when it is asked for; as a request reads the run now."""
    view = RunView(Run.objects.select_related("corpus", "version", "snapshot").get(pk=run.pk))
    trees = [sorted(node.topics) for node in family_tree.nodes(view.run, view.labels)]
    of_readers = next(
        [*pair] for pair in combinations(range(run.topics), 2) if [*pair] not in trees
    )
    sets = [max(trees, key=len), of_readers]
    return [
        {text for parts in proposed.names for text in parts}
        for proposed in family_names.proposed(view, sets)
    ]


@pytest.mark.usefixtures("every_term_is_a_name")
@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("is_first_under_embargo", [True, False])
def test_names_of_families_have_a_long_phrase_while_there_is_no_embargo(
    trained, is_kept, is_first_under_embargo
):
    """Whether they were first made under one, or before it; by the process that keeps them, or by
    another one, which reads what is stored."""
    for is_under_embargo in (is_first_under_embargo, not is_first_under_embargo):
        Corpus.objects.filter(pk=trained.corpus_id).update(embargo=is_under_embargo)
        if not is_kept:
            cache.clear_all()
        for names_of_family in names_of_families(trained):
            assert ("Secretary of the State" in names_of_family) is not is_under_embargo
            assert "treaty" in names_of_family


@pytest.mark.usefixtures("every_term_is_a_name")
@pytest.mark.parametrize("is_kept", [True, False])
def test_names_of_families_follow_what_is_said_of_who_speaks(trained, monkeypatch, is_kept):
    column = SimpleNamespace(name="who", values=["Millard Fillmore"])
    monkeypatch.setattr(corpus_unit.fields, "categories", lambda version: [column])
    for speaker_fields in (("who",), (), ("who",)):
        monkeypatch.setattr(corpus_unit, "speaker_fields", lambda version, of=speaker_fields: of)
        if not is_kept:
            cache.clear_all()
        for names_of_family in names_of_families(trained):
            assert ("Millard Fillmore" in names_of_family) is not bool(speaker_fields)


def test_under_embargo_no_long_phrase_names_a_family(trained, monkeypatch):
    view = RunView(trained)
    assert family_names.sayable_rule(view.run)("Secretary of the State")
    monkeypatch.setattr(view.run.corpus, "embargo", True)
    is_sayable = family_names.sayable_rule(view.run)
    assert is_sayable("Secretary of State") and not is_sayable("Secretary of the State")


def test_what_families_may_be_called_by_is_stored_with_topics(old):
    renaming.rename(old.pk, None)
    for topic in Topic.objects.filter(snapshot=old.snapshot_id):
        for text, words, tokens, worth in topic.family_terms:
            assert text and words and tokens > 0 and 0 <= worth <= names.NAMES_TOPIC
    assert StoredResult.objects.filter(
        snapshot=old.snapshot_id, key=family_tree.NAMES, method=names.METHOD
    ).exists()


def test_where_families_can_not_be_named_topics_stand_for_them(trained, monkeypatch, caplog):
    def broken(*_: object) -> FamilyName:
        raise ZeroDivisionError

    StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.NAMES).delete()
    cache.clear_all()
    monkeypatch.setattr(family_names, "name", broken)
    view = RunView(trained)
    for family in family_cuts.cut(view, 2).families:
        if len(family.topics) > 1:
            with_names = list(filter(view.labels.has_name, family.topics))
            some = with_names[: family_cuts.TOPICS_FOR_NAME] or family.topics[:1]
            assert family.name == " · ".join(map(view.labels.name, some))
    assert "families could not be named" in caplog.text
    cache.clear_all()


def test_names_of_families_are_stored_with_findings_where_there_are_no_texts(trained):
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.NAMES).delete()
    cache.clear_all()
    of_bags = SimpleNamespace(document_bow=SimpleNamespace(offsets=None))
    document_set = SimpleNamespace(view=RunView(trained), evidence=of_bags)
    assert compute.quote_families(document_set, []) == []
    assert StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.NAMES).exists()


def test_a_page_asks_for_the_names_of_old_runs_alone(old, trained, client, monkeypatch):
    asked = []
    monkeypatch.setattr(
        dispatch, "ask", lambda task, arguments, by, tried=None: asked.append((task, arguments))
    )
    client.get(f"/runs/{old.pk}/overview/")
    assert (renaming.TASK, [old.pk]) in asked
    asked.clear()
    renaming.rename(old.pk, None)
    page = client.get(f"/runs/{old.pk}/overview/").content.decode()
    assert (renaming.TASK, [old.pk]) not in asked
    assert "named the topics again on" in page


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
    phrase = names.WrittenPhrase(text, words, 5)
    assert names.remaining_words(phrase, heading) == remaining


def test_no_family_is_called_by_an_amount():
    """German writes “Millionen” with a capital, and “zweiten” with one in names alone."""
    takes_all = SimpleNamespace(
        noun_phrase=lambda text, avoided: text,
        is_code=lambda word: False,
        names_person=lambda text: False,
    )
    phrases = [
        names.WrittenPhrase(text, (1, 2), 5)
        for text in ("Millionen Euro", "dreißig Jahre", "zweiten Quartal", "Zweiten Weltkrieg")
    ]
    numerals = written_number_words("de")
    terms = names.phrases_of_families(takes_all, phrases, set(), numerals)
    assert [term.text for term in terms] == ["Zweiten Weltkrieg"]
