"""What readers call topics: the present overlay of their edits, and how it is undone."""

import time

import numpy as np
import pytest

from inference.errors import Invalid
from webapp.core.curation import services as curation
from webapp.core.results import labels, links
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Edit, Topic
from webapp.platform.drawing.colours import CHOICES, CHOSEN

pytestmark = pytest.mark.django_db

BIDI = "\u202edetrevni\u202c \u2066isolated\u2069 \ufeff"


def said(run) -> Labels:
    """The labels as another request reads them."""
    return labels.read(type(run).objects.get(pk=run.pk))


def edits(run) -> list[Edit]:
    return list(Edit.objects.filter(run=run).order_by("pk"))


def test_a_topic_that_nobody_named_has_the_name_that_was_proposed(trained):
    link = links.topic_link(RunView(trained), 2)
    name = Topic.objects.get(snapshot=trained.snapshot_id, number=2).name
    assert name
    assert (link.label, link.name, link.hidden, link.into) == ("T02", name, False, "")
    assert link.has_name and link.hue == link.slot < 16
    assert (said(trained).title(2), said(trained).label(2)) == (f"{name} (T02)", "")
    assert said(trained).into.tolist() == list(range(6))
    assert said(trained).into.dtype == np.int32


def test_a_topic_without_a_name_has_its_words(trained):
    Topic.objects.filter(snapshot=trained.snapshot_id, number=2).update(
        name="man · wage · dealing", name_parts=[]
    )
    labels.proposals.cache_clear()
    link = links.topic_link(RunView(trained), 2)
    assert (link.name, link.has_name) == ("man · wage · dealing", False)
    curation.change(trained, 2, {"label": "Work"}, "owner")
    assert links.topic_link(RunView(trained), 2).has_name
    labels.proposals.cache_clear()


def test_names_of_older_programs_have_one_part(trained):
    Topic.objects.filter(snapshot=trained.snapshot_id, number=2).update(
        name="Navy, ships", name_parts=None
    )
    labels.proposals.cache_clear()
    own = said(trained)
    assert (own.parts_of_name(2), own.has_name(2)) == (("Navy, ships",), True)
    labels.proposals.cache_clear()


def test_a_page_asks_once(trained, django_assert_num_queries):
    view = RunView(type(trained).objects.get(pk=trained.pk))
    # which change only by a newer program: a web process reads them once
    labels.proposals(trained.snapshot_id, view.run.snapshot.naming)
    with django_assert_num_queries(1):
        for k in range(6):
            links.topic_link(view, k)


def test_what_is_said_holds_for_links(trained):
    values = {
        "label": " Farming  and\tland ",
        "note": "one\r\ntwo",
        "colour": "11",
        "hidden": "1",
        "group": "Economy",
        "into": "T03",
    }
    assert curation.change(trained, 2, values, "Ada") == 6
    link = links.topic_link(RunView(trained), 2)
    assert (link.name, link.hue, link.hidden, link.into) == (
        "Farming and land",
        CHOSEN + 11,
        True,
        "T03",
    )
    now = said(trained)
    assert (now.title(2), now.group(2), now.note(2), now.into[2]) == (
        "Farming and land (T02)",
        "Economy",
        "one\ntwo",
        3,
    )
    assert {(e.by, e.undone_at) for e in edits(trained)} == {("Ada", None)} and len(
        {e.batch for e in edits(trained)}
    ) == 1
    assert curation.change(trained, 2, values, "Ada") == 0  # what is so already is not said again


def test_the_models_results_stay(trained):
    before = list(Topic.objects.filter(snapshot_id=trained.snapshot_id).order_by("number").values())
    curation.change(trained, 1, {"into": "0", "hidden": "1", "label": "x"}, "owner")
    assert (
        list(Topic.objects.filter(snapshot_id=trained.snapshot_id).order_by("number").values())
        == before
    )


def test_undo_and_redo_of_any_entry(trained):
    for label in ("First", "Second", "Third"):
        curation.change(trained, 0, {"label": label}, "Ada")
    first, second, third = edits(trained)
    curation.undo(trained, second, "Bo")
    assert said(trained).label(0) == "Third"
    curation.undo(trained, third, "Bo")
    assert said(trained).label(0) == "First"
    curation.redo(trained, second)
    assert said(trained).label(0) == "Second"
    curation.undo(trained, first, "Cy")
    first.refresh_from_db()
    assert (first.undone_by, said(trained).label(0)) == ("Cy", "Second")
    when = first.undone_at
    curation.undo(trained, first, "Di")
    first.refresh_from_db()
    assert (first.undone_by, first.undone_at) == ("Cy", when)
    curation.undo(trained, second, "Bo")
    assert said(trained).label(0) == ""


def test_to_empty_a_field_can_be_undone_too(trained):
    curation.change(trained, 0, {"label": "Named"}, "owner")
    curation.change(trained, 0, {"label": ""}, "owner")
    assert said(trained).label(0) == "" and said(trained).edited() == []
    curation.undo(trained, edits(trained)[1], "owner")
    assert said(trained).label(0) == "Named"


def test_merges_end_where_their_chain_ends(trained):
    curation.change(trained, 4, {"into": "3"}, "owner")
    curation.change(trained, 5, {"into": "4"}, "owner")
    assert said(trained).into.tolist() == [0, 1, 2, 3, 3, 3]
    assert said(trained).members(3) == [4, 5] and said(trained).members(4) == []
    curation.change(trained, 3, {"into": "0"}, "owner")
    assert said(trained).into.tolist() == [0, 1, 2, 0, 0, 0]
    curation.undo(trained, edits(trained)[0], "owner")  # 5 is merged into 4, which is itself again
    assert said(trained).into.tolist() == [0, 1, 2, 0, 4, 4]


@pytest.mark.parametrize("length", [1, 2, 3, 64, 65, 1999])
def test_long_chains_are_followed_to_their_end(length):
    values = {field: {} for field in Edit.Field.values} | {
        "into": {k: str(k + 1) for k in range(length)}
    }
    assert set(Labels(length + 1, values).into.tolist()) == {length}


@pytest.mark.parametrize("shape", [(6,), (3, 6), (2, 3, 6)])
def test_merged_columns_are_added(trained, shape):
    curation.change_many(trained, {4: {"into": "3"}, 5: {"into": "4"}, 0: {"into": "1"}}, "owner")
    array = np.random.default_rng(1).integers(0, 100, shape)
    before = array.copy()
    result = said(trained).merged(array)
    assert np.array_equal(array, before)
    assert np.array_equal(result[..., 3], array[..., 3] + array[..., 4] + array[..., 5])
    assert np.array_equal(result[..., 1], array[..., 0] + array[..., 1]) and np.array_equal(
        result[..., 2], array[..., 2]
    )
    assert not result[..., [0, 4, 5]].any() and result.sum() == array.sum()


def test_no_circle_by_change(trained):
    curation.change_many(trained, {0: {"into": "1"}, 1: {"into": "2"}}, "owner")
    with pytest.raises(Invalid, match="circle.*T0"):
        curation.change(trained, 2, {"into": "0", "label": "not kept either"}, "owner")
    with pytest.raises(Invalid, match="itself"):
        curation.change(trained, 2, {"into": "2"}, "owner")
    with pytest.raises(Invalid, match="circle"):
        curation.change_many(trained, {3: {"into": "4"}, 4: {"into": "3"}}, "owner")
    assert said(trained).into.tolist() == [2, 2, 2, 3, 4, 5] and said(trained).label(2) == ""


def test_no_circle_by_undo_or_redo(trained):
    curation.change(trained, 0, {"into": "1"}, "owner")
    curation.change(trained, 0, {"into": ""}, "owner")
    curation.change(trained, 1, {"into": "0"}, "owner")
    merged, taken_back, _ = edits(trained)
    with pytest.raises(Invalid, match="circle"):
        curation.undo(trained, taken_back, "owner")
    curation.undo(trained, merged, "owner")
    curation.undo(trained, taken_back, "owner")
    with pytest.raises(Invalid, match="circle"):
        curation.redo(trained, merged)
    assert said(trained).into.tolist() == [0, 0, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),  # templates escape it
        ("{{ 7|add:7 }} %s \\ ' \"", "{{ 7|add:7 }} %s \\ ' \""),
        ("a\0b\x07c\x1b[31m", "abc[31m"),
        (BIDI, "detrevni isolated"),
        ("مي\u200cخواهم", "مي\u200cخواهم"),  # a joiner that spelling needs
        ("  \n ", ""),
        ("é" * curation.LABEL, "é" * curation.LABEL),
    ],
)
def test_hostile_labels(trained, text, kept):
    curation.change(trained, 0, {"label": text, "group": text, "note": text}, "owner")
    now = said(trained)
    assert (now.label(0), now.group(0), now.note(0)) == (kept, kept, kept)


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("label", "x" * 10_000, "at most 80 characters; this one has 10,000"),
        ("group", "x" * 81, "at most 80"),
        ("note", "x" * 10_000, "at most 4,000"),
        ("colour", str(CHOICES), "from 0 to 11"),
        ("colour", "red", "from 0 to 11"),
        ("colour", "²", "from 0 to 11"),
        ("hidden", "yes", "must be 1 or empty"),
        ("into", "T6", "T00 to T05"),
        ("into", "99999999999999999999", "T00 to T05"),
        ("into", "-1", "T00 to T05"),
        ("into", "٣", "T00 to T05"),
        ("weight", "1", "There is no field"),
    ],
)
def test_what_a_field_cannot_hold_is_refused(trained, field, text, sentence):
    with pytest.raises(Invalid, match=sentence):
        curation.change(trained, 0, {"label": "kept?", field: text}, "owner")
    assert edits(trained) == []


def test_only_topics_of_a_finished_run(trained):
    with pytest.raises(Invalid, match="got 6"):
        curation.change(trained, 6, {"label": "x"}, "owner")
    type(trained).objects.filter(pk=trained.pk).update(status="running")
    with pytest.raises(Invalid, match="when it is done"):
        curation.change(trained, 0, {"label": "x"}, "owner")


def test_a_table_of_labels(trained):
    table = "﻿Topic;Label;Note;into;else\r\nT01;Farming;'=1+1;;x\r\n2;War;;1;\r\n;;;;\r\n3;;;;\r\n"
    assert curation.read_table(trained, table.encode(), "Ada") == 4
    now = said(trained)
    assert (now.title(1), now.note(1), now.title(2), now.into[2]) == (
        "Farming (T01)",
        "=1+1",
        "War (T02)",
        1,
    )
    assert curation.read_table(trained, table.encode(), "Ada") == 0
    assert curation.undo_batch(trained, edits(trained)[0].batch, "Ada") == 4
    assert said(trained).edited() == []


def test_a_table_of_very_many_columns_takes_no_time(trained):
    """Each of its short rows was filled up to the width of the first."""
    table = "topic,label" + ",x" * 20_000 + "\n1,Farming\n" + ",\n" * 20_000
    began = time.process_time()
    assert curation.read_table(trained, table.encode(), "Ada") == 1
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (b"", "first line must name"),
        (b"label,note\nx,y\n", "first line must name"),
        (b"topic\n1\n", "first line must name"),
        (b"topic,label,Label\n1,a,b\n", "twice"),
        (b"topic,label\n1,a\n99,b\n", "got “99”"),
        (b"topic,label\n1,a\nT01,b\n", "Line 3: T01 has two lines"),
        (b"topic,label\n1,a\n2," + b"x" * 81, "Line 3: A label has at most 80"),
        (b"topic,label\n1,\xff\n", "must be UTF-8"),
        (b"topic,label\n1,a\0b\n", "Line 2 can't be read"),
        (b'topic,label\n1,"x\n', "not CSV"),
        (b"topic,into\n1,2\n2,1\n", "circle"),
        (b"topic,label\n" + b" " * 5_000_001, "at most 5 MB"),
    ],
)
def test_a_wrong_table_changes_nothing(trained, table, sentence):
    with pytest.raises(Invalid, match=sentence):
        curation.read_table(trained, table, "Ada")
    assert edits(trained) == []
