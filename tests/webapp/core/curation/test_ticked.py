"""Ticked topics of a list: what is done with all of them."""

import csv
import io

import pytest
from django.urls import reverse

from tests.webapp.taking import taken
from webapp.analysis.families import family_cuts
from webapp.core.curation import services as curation
from webapp.core.results import labels, measures
from webapp.core.results.view import RunView
from webapp.models import Edit, Run
from webapp.platform.drawing.numbers import topic_label

pytestmark = pytest.mark.django_db


def table(run, file: str, query: str = "") -> list[dict]:
    return list(csv.DictReader(io.StringIO(taken(run, file, query).decode())))


def post(client, run, name: str, query: str = "", **sent):
    return client.post(reverse(name, args=[run.pk]) + query, sent, follow=name == "topics_edit")


@pytest.mark.parametrize(
    ("do", "place", "more"),
    [
        ("only", "run_topics", ""),
        ("words", "run_topics", "view=grid&"),
        ("time", "run_topics", "view=time&"),
        ("steer", "run_steer", ""),
        ("effects", "run_effects", ""),
    ],
)
def test_looking_leads_to_a_page_with_a_stable_address(client, trained, do, place, more):
    answer = post(
        client,
        trained,
        "topics_ticked",
        "?from=1795&sort=share",
        do=do,
        topics=["5", "3", "3", "x"],
    )
    assert (
        answer["Location"]
        == f"{reverse(place, args=[trained.pk])}?from=1795&{more}{'topic' if do == 'effects' else 'topics'}=3,5"
    )
    assert client.get(answer["Location"]).status_code == 200


def test_export_has_the_shares_of_the_topics(client, trained):
    answer = post(client, trained, "topics_ticked", "?from=1797", do="export", topics=["3", "5"])
    path, _, query = answer["Location"].partition("?")
    assert path == reverse("export", args=[trained.pk, "documents.csv"])
    rows = table(trained, "documents.csv", query)
    listed = client.get(reverse("run_documents_json", args=[trained.pk]) + "?from=1797").json()
    third, fifth = (name for name in rows[0] if name.startswith("share of "))
    assert len(rows) == listed["count"]
    # A topic without a name is called by its number, with its words behind it
    assert "T03" in third and "T05" in fifth
    by_topic = table(trained, "document-topics.csv")
    shares = {(row["document"], int(row["topic"])): row["share"] for row in by_topic}
    for row in rows[:40]:
        assert float(row[third]) == pytest.approx(float(shares.get((row["document"], 3), 0)))
    chosen = table(trained, "documents.csv", "has=3:20")
    assert chosen and all(float(row[third]) >= 0.2 for row in chosen)  # the share that chose them
    for wrong in ("999", "x", "-1", ",".join(map(str, range(60)))):
        assert client.get(path + f"?topics={wrong}").status_code == 400


def test_merging_hiding_grouping_and_colouring_are_one_entry_each(client, trained):
    run = Run.objects.get(pk=trained.pk)
    share = measures.of(run)["share"]
    target = max((2, 4, 5), key=lambda k: share[k])
    page = post(client, run, "topics_edit", do="merge", topics=["2", "4", "5"]).content.decode()
    assert f"2 topics are now merged into T{target:02d}" in page
    assert {labels.read(run).into[k] for k in (2, 4, 5)} == {target}
    post(client, run, "topics_edit", do="group", topics=["0", "1"], group="War")
    post(client, run, "topics_edit", do="colour", topics=["0", "1"], colour="4")
    post(client, run, "topics_edit", do="hidden", topics=["1"])
    now = labels.read(run)
    assert [now.group(k) for k in (0, 1, 3)] == ["War", "War", ""] and {
        now.chosen_colour(k) for k in (0, 1)
    } == {4}
    assert now.is_hidden(1) and not now.is_hidden(0)
    assert Edit.objects.filter(run=run).values("batch").distinct().count() == 4


def test_the_largest_of_ticked_topics_counts_with_those_merged_into_it(client, trained):
    """As the list shows it: alone it would be smaller than the other that is ticked."""
    run = Run.objects.get(pk=trained.pk)
    share = measures.of(run)["share"]
    larger, smaller, *others = sorted(range(run.topics), key=lambda k: -share[k])
    merged = next(k for k in others if share[smaller] + share[k] > share[larger])
    curation.change(run, merged, {"into": str(smaller)}, "owner")
    ticked = [str(larger), str(smaller)]
    page = post(client, run, "topics_edit", do="merge", topics=ticked).content.decode()
    assert f"1 topic is now merged into {topic_label(smaller)}" in page
    assert {labels.read(run).into[k] for k in (larger, smaller, merged)} == {smaller}


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"do": "merge", "topics": ["2"]}, "two topics or more"),
        ({"do": "merge"}, "No topic is ticked"),
        ({"do": "fly", "topics": ["2"]}, "Choose an action"),
        ({"do": "colour", "colour": "99", "topics": ["2"]}, "colour must be"),
    ],
)
def test_what_cannot_be_done_is_said(client, trained, sent, sentence):
    assert sentence in post(client, trained, "topics_edit", **sent).content.decode()
    assert not Edit.objects.filter(run=trained).exists()


def test_moved_topics_stay_with_the_other_at_every_cut_until_it_is_undone(client, trained):
    def at(number):
        return [
            set(one.topics)
            for one in family_cuts.cut(RunView(Run.objects.get(pk=trained.pk)), number).families
        ]

    before = {number: at(number) for number in range(2, 21)}
    target = family_cuts.cut(RunView(trained), 2).families[0].topics[0]
    moved = min(before[2][1])
    assert not any({target, moved} <= topics for topics in before[2])
    page = client.get(
        reverse("run_topics", args=[trained.pk]), {"families": 2, "view": "list"}
    ).content.decode()
    assert (
        '<select name="beside" aria-label="Family">' in page
        and f'<option value="{target}">' in page
    )
    ticked = [str(moved), str(target)]
    answer = post(client, trained, "topics_edit", do="beside", beside=str(target), topics=ticked)
    assert "2 topics: family changed" in answer.content.decode()
    kept = list(client.get(reverse("run_overview_json", args=[trained.pk])).json()["findings"])
    assert any({target, moved} <= set(row["family"]["topics"]) for row in kept if row["family"])
    for number, families_before in before.items():
        now = at(number)
        assert any({target, moved} <= topics for topics in now)
        assert set().union(*now) == set().union(*families_before) and sum(map(len, now)) == len(
            set().union(*now)
        )
    post(client, trained, "topics_edit", do="group", topics=[str(moved)], group="War")
    assert {moved} in at(2), "a group comes first"
    post(client, trained, "topics_edit", do="beside", beside=str(target), topics=[str(moved)])
    assert any({target, moved} <= topics for topics in at(2)), "what is moved leaves its group"
    post(client, trained, "topics_edit", do="beside", beside="", topics=[str(moved)])
    assert {number: at(number) for number in before} == before
    for edit in Edit.objects.filter(run=trained, field="beside", value=""):
        client.post(reverse("edit_undo", args=[trained.pk, edit.pk]))
    assert any({target, moved} <= topics for topics in at(2))
    history = client.get(reverse("run_curation", args=[trained.pk])).content.decode()
    assert f"moved to the family of T{target:02d}" in history
    circle = client.post(
        reverse("topic_edit", args=[trained.pk, target]), {"beside": f"T{moved:02d}"}, follow=True
    )
    assert b"in a circle (T0" in circle.content
    itself = client.post(
        reverse("topic_edit", args=[trained.pk, target]), {"beside": str(target)}, follow=True
    )
    assert "family of itself" in itself.content.decode()
    merged = next(k for k in before[2][0] - {target})
    curation.change(trained, target, {"into": str(merged)}, "me")
    assert any({merged, moved} <= topics for topics in at(2)), (
        "with the topic that the other was merged into"
    )
