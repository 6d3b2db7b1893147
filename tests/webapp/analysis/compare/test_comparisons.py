"""Runs side by side: what the page says is what the matching says, and it says so where there is
nothing to match."""

import csv
import io
import json
import re
from dataclasses import asdict
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from inference import checkpoint, engines
from inference.bow import Bow
from inference.errors import Invalid
from inference.explore import distances, matching
from tests.corpora import as_csv, example_rows
from tests.inference.test_evaluate import topics_of
from webapp.analysis.compare import (
    answer,
    fates,
    matchings,
    notices,
    picture,
    queries as comparisons,
    seed_band,
    views,
)
from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import weights
from webapp.core.results.view import RunView
from webapp.core.runs import services as runs
from webapp.models import Comparison, Replicate, Run, Snapshot, User, Version
from webapp.platform.jobs import claims, dispatch, kinds, sweep
from webapp.platform.storage import files
from webapp.platform.storage.cache import clear_all
from webapp.service.operations import upkeep

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def others(trained, draft, django_db_blocker):
    """A run with another seed, one with fewer topics, and one of another corpus, in another order,
    with more sections, and with stop words of another language: a limit keeps out those of its
    own."""
    from tasks.corpora import read_corpus
    from tasks.runs import train
    from webapp.intake.ingest import corpora, guesses

    with django_db_blocker.unblock():
        corpus = draft(as_csv(example_rows(450)[::-1]), "other.csv")
        corpora.read(
            corpus,
            corpora.ReadingSettings(
                options=asdict(guesses.sniff(corpus).options),
                language="fr",
                min_documents=4,
                max_share=0.5,
            ),
        )
        read_corpus(corpus.pk)
        corpus.refresh_from_db()
        made = [
            runs.create(trained.version, seed=4, topics=6, engine_settings={"passes": 3}),
            runs.create(trained.version, seed=3, topics=4, engine_settings={"passes": 3}),
            runs.create(corpus.version, seed=3, topics=6, engine_settings={"passes": 3}),
        ]
        for run in made:
            train(run.pk)
            run.refresh_from_db()
            assert run.status == "done", run.error
        yield made
        for run in made:
            run.delete()
        upkeep.tidy()


def address(*numbers: int, name: str = "compare", **more) -> str:
    return (
        reverse(name)
        + "?"
        + "&".join([f"run={n}" for n in numbers] + [f"{k}={v}" for k, v in more.items()])
    )


def data(client, *numbers: int, status: int = 200, **more) -> dict:
    response = client.get(address(*numbers, name="compare_json", **more))
    assert response.status_code == status
    return json.loads(response.content)


def of_checkpoint(run: Run):
    """A run's topics straight from its checkpoint."""
    config = engines.config(run.engine, **run.settings)
    bow = Bow.open(files.version_folder(run.version_id) / "bow")
    state = checkpoint.load(
        files.run_folder(run.pk) / "checkpoint",
        engine=engines.get(run.engine),
        config=config,
        bow=bow,
    )
    return engines.get(run.engine).topics(config, state)


def test_topics_come_back_as_they_were_stored(trained):
    """Some words have a row for their tokens' sake alone, at the floor's weight: they are not among
    the listed ones."""
    found = weights.topics(trained.snapshot)
    expected = of_checkpoint(trained)
    assert found.dense() == pytest.approx(expected.dense(), rel=1e-6)
    assert (found.indptr == expected.indptr).all() and (found.words == expected.words).all()
    assert (
        found.words.dtype == np.int32
        and found.weights.dtype == np.float32
        and found.indptr.dtype == np.int64
    )
    assert found.V == expected.V and found.proper() is found


def test_pairs_are_those_of_the_matching(client, trained, others):
    words = range(trained.corpus.vocabulary)
    expected = matching.match(of_checkpoint(trained), of_checkpoint(others[0]), words, words)
    topics = data(client, trained.pk, others[0].pk)["topics"]
    found = {row["first"]["number"]: row["second"]["number"] for row in topics["rows"]}
    assert found == {k: int(p) for k, p in enumerate(expected.partner) if p >= 0}
    for row in topics["rows"]:
        assert row["similarity"] == pytest.approx(
            expected.similarity[row["first"]["number"]], abs=1e-6
        )
        assert not set(row["only_first"]) & set(row["only_second"]) and not set(row["both"]) & set(
            row["only_first"]
        )
    similarities = [row["similarity"] for row in topics["rows"]]
    assert similarities == sorted(similarities, reverse=True)
    assert topics["lists"]["matched"]["count"] + topics["lists"]["first"]["count"] == 6


def test_both_directions_are_one_matching(client, trained, others):
    matchings.match_quickly.cache_clear()
    there = data(client, trained.pk, others[1].pk)
    back = data(client, others[1].pk, trained.pk)
    assert matchings.match_quickly.cache_info().misses == 1
    pairs = {(row["first"]["number"], row["second"]["number"]) for row in there["topics"]["rows"]}
    assert pairs == {
        (row["second"]["number"], row["first"]["number"]) for row in back["topics"]["rows"]
    }
    assert there["topics"]["lists"]["split"]["count"] == back["topics"]["lists"]["merged"]["count"]


@pytest.mark.parametrize("show", ["matched", "first", "second", "split", "merged"])
def test_every_list_is_a_page(client, trained, others, show):
    for numbers in ((trained.pk, others[1].pk), (others[1].pk, trained.pk)):
        topics = data(client, *numbers, show=show)["topics"]
        assert topics["kind"] == show and len(topics["rows"]) == topics["lists"][show]["count"]
        response = client.get(address(*numbers, show=show))
        assert response.status_code == 200 and b'aria-current="page"' in response.content


def test_a_count_of_topics_leads_to_a_list_of_as_many(client, trained, others):
    """Those that resemble no topic are listed without those that the other run divides."""
    seen = set()
    for numbers in ((trained.pk, others[0].pk), (trained.pk, others[1].pk)):
        page = client.get(address(*numbers)).content.decode()
        table = re.search(r'class="list fates-table">(.*?)</table>', page, re.DOTALL)[1]
        links = re.findall(r'<a href="(\?[^"]*)#lists">(\d+)<', table)
        assert links
        for query, count in links:
            topics = json.loads(client.get(reverse("compare_json") + unescape(query)).content)
            rows = topics["topics"]["rows"]
            seen.add((topics["topics"]["kind"], topics["topics"]["fate"]))
            assert len(rows) == int(count), query
            html = client.get(reverse("compare") + unescape(query)).content.decode()
            assert ("All topics of this list" in html) == ("fate=" in query)
    assert len(seen) > 2


@pytest.mark.parametrize(("show", "fate"), [("matched", "same"), ("split", "alone")])
def test_a_kind_that_a_list_has_not_is_passed_over(client, trained, others, show, fate):
    """All topics of the list are shown, and it says nothing else."""
    numbers = (trained.pk, others[1].pk)
    listed = data(client, *numbers, show=show, fate=fate)["topics"]
    assert listed["fate"] is None
    assert listed["rows"] == data(client, *numbers, show=show)["topics"]["rows"]
    page = client.get(address(*numbers, show=show, fate=fate))
    assert page.status_code == 200 and b"All topics of this list" not in page.content


def test_lists_of_a_kind_have_the_topics_of_that_kind(trained, others, monkeypatch):
    between = a_matching()
    monkeypatch.setattr(comparisons.matchings, "matched", lambda first, second: between)
    views_of_runs = RunView(trained), RunView(others[1])

    def numbers(show: str, fate: str | None) -> list[int]:
        rows, _ = comparisons.pairs(*views_of_runs, show, "", 0, fate)
        return sorted(row.topic.number for row in rows)

    assert numbers("first", None) == [1, 2, 3, 4]
    assert numbers("first", "alone") == [4]
    assert numbers("first", "part") == [2, 3]
    assert numbers("split", "several") == [1]
    assert numbers("second", "alone") == []
    assert numbers("merged", "several") == [3]


def test_a_page_of_pairs_ends_where_the_next_begins(client, trained, others, monkeypatch):
    whole = data(client, trained.pk, others[0].pk, sort="number")["topics"]["rows"]
    monkeypatch.setattr(comparisons, "PAGE", 2)
    found = []
    topics = data(client, trained.pk, others[0].pk, sort="number")["topics"]
    while True:
        found += topics["rows"]
        if not topics["next"]:
            break
        topics = json.loads(client.get(reverse("compare_json") + topics["next"]).content)["topics"]
    assert found == whole


def a_matching() -> matching.Matching:
    """Of five topics with four: 0 is the same; 1 is two topics there; 2 and 3 are parts of one; 4 is
    in neither, nor is anything else."""
    return matching.Matching(
        partner=np.array([0, -1, -1, -1, -1], np.int32),
        similarity=np.array([0.9, 0.0, 0.0, 0.0, 0.0]),
        best_b=np.array([0, 1, 3, 3, 0], np.int32),
        best_b_similarity=np.array([0.9, 0.7, 0.7, 0.65, 0.2]),
        best_a=np.array([0, 1, 1, 2], np.int32),
        best_a_similarity=np.array([0.9, 0.7, 0.68, 0.7]),
        splits=[(1, [1, 2])],
        merges=[(3, [2, 3])],
        used_a=np.ones(5, bool),
        used_b=np.ones(4, bool),
    )


def test_each_topic_is_of_one_kind():
    between = a_matching()
    assert fates.of_topics(between) == {
        0: "same",
        1: "several",
        2: "part",
        3: "part",
        4: "alone",
    }
    assert fates.of_topics(between.turned()) == {0: "same", 1: "part", 2: "part", 3: "several"}
    assert fates.likeness(between) == 0.9


def test_a_topic_that_is_like_one_without_being_its_partner_is_not_said_to_be_unlike_all():
    first, second = np.kron(np.eye(2), np.full((1, 4), 0.25))
    a = topics_of(np.array([0.375 * first + 0.625 * second, second]), 8)
    b = topics_of(np.array([first, 0.625 * first + 0.375 * second]), 8)
    words = [f"w{i}" for i in range(8)]
    between = matching.match(a, b, words, words)
    assert between.best_b_similarity[0] > 0.9 and between.best_b[0] == 1
    assert fates.of_topics(between) == {0: "alone", 1: "alone"}
    alone = fates.Fate("alone", [2, 2], [1.0, 1.0])
    others = [fates.Fate(kind, [0, 0], [0.0, 0.0]) for kind in fates.KINDS[:3]]
    pairs = SimpleNamespace(runs=[1, 2], fates=[*others, alone])
    assert "2 resemble no topic there, or several equally." in answer.sentences(pairs)


def test_kinds_of_topics_are_all_topics_and_all_words(client, trained, others):
    topics = data(client, trained.pk, others[1].pk)["topics"]
    assert [fate["kind"] for fate in topics["fates"]] == list(fates.KINDS)
    for side, run in enumerate((trained, others[1])):
        assert sum(fate["topics"][side] for fate in topics["fates"]) == run.topics
        assert sum(fate["shares"][side] for fate in topics["fates"]) == pytest.approx(1, abs=1e-6)
    assert topics["fates"][0]["topics"] == [topics["lists"]["matched"]["count"]] * 2
    similarities = [row["similarity"] for row in topics["rows"]]
    assert topics["alike"] == pytest.approx(np.mean(similarities), abs=1e-6)


def test_a_page_begins_with_how_alike_two_runs_are(client, trained, others):
    """Then come the pairs; what was measured, and settings, stand below them."""
    html = client.get(address(trained.pk, others[1].pk)).content.decode()
    topics = data(client, trained.pk, others[1].pk)["topics"]
    same = topics["fates"][0]["topics"][0]
    lede = re.search(r'class="lede">(.*?)</p>', html, re.DOTALL)[1]
    assert f"{same} of the 6 topics of run {trained.pk}" in lede or not same
    marks = ("runs-picture", "fates-table", 'id="lists"', "Measures side by side")
    places = [html.index(mark) for mark in marks]
    assert places == sorted(places)
    for row in re.findall(r"<tr>\s*<th scope=\"row\"><svg class=\"swatch.*?</tr>", html, re.DOTALL):
        assert row.count("#lists") + row.count(">0</td>") == 2


def test_sentences_of_two_runs_can_be_read_aloud():
    lists = {name: SimpleNamespace(url=f"?show={name}") for name in views.Show.__args__}
    kinds = zip(fates.KINDS, ([62, 62], [3, 1], [6, 4], [29, 1]), strict=True)
    of_kinds = [fates.Fate(kind, topics, [0.74, 0.02]) for kind, topics in kinds]
    pairs = SimpleNamespace(runs=[1, 2], fates=of_kinds, lists=lists)
    assert answer.sentences(pairs) == [
        "62 of the 100 topics of run 1, with 74% of its words, have a counterpart in run 2.",
        "The other 38 have none: 9 are divided differently there and 29 resemble no topic there, or"
        " several equally.",
        "6 of the 68 topics of run 2, with 6.0% of its words, have no counterpart in run 1.",
    ]
    assert all(len(said.split()) <= 25 for said in answer.sentences(pairs))
    several = answer.rows(pairs)[1]
    assert [side.url for side in several.sides] == [
        "?show=split&fate=several",
        "?show=merged&fate=several",
    ]
    nothing = [fates.Fate(kind, [0, 0], [0.0, 0.0]) for kind in fates.KINDS[:3]]
    alone = fates.Fate("alone", [2, 0], [1.0, 0.0])
    pairs = SimpleNamespace(runs=[1, 2], fates=[*nothing, alone], lists=lists)
    assert answer.sentences(pairs) == [
        "No topic of run 1 has a counterpart in run 2.",
        "2 resemble no topic there, or several equally.",
    ]


def test_sentences_lists_and_the_table_count_topics_without_a_counterpart_alike(
    client, trained, others
):
    """2 and 20 had “no clear counterpart”, and 5 and 30 “no partner”."""
    page = client.get(address(trained.pk, others[1].pk)).content.decode()
    topics = data(client, trained.pk, others[1].pk)["topics"]
    for side, (name, band) in enumerate(zip(("first", "second"), topics["bands"], strict=True)):
        lone = sum(fate["topics"][side] for fate in topics["fates"] if fate["kind"] != "same")
        assert topics["lists"][name]["count"] == band["without_partner"] == lone
        if lone:
            assert f"{lone} of the {len(RunView((trained, others[1])[side]).topics)}" in page
    assert "partner" not in re.sub(r"<[^>]*>", "", page)
    one_apart = [
        fates.Fate(kind, [n, n], [n / 5, n / 5])
        for kind, n in zip(fates.KINDS, (4, 1, 0, 0), strict=True)
    ]
    pairs = SimpleNamespace(runs=[1, 2], fates=one_apart)
    assert answer.sentences(pairs)[1:] == [
        "The other one has none: it is divided differently there.",
        "1 of the 5 topics of run 2, with 20% of its words, has no counterpart in run 1.",
    ]


def test_the_name_of_a_thin_last_row_is_within_the_picture(trained, others):
    """Its lower half was cut off."""
    between = matchings.matched(trained, others[1])
    drawn = picture.drawn(RunView(trained), RunView(others[1]), between)
    assert all(float(middle) <= drawn.height - picture.EDGE for middle in drawn.lone if middle)


def test_a_picture_of_two_runs_has_every_topic_and_no_name_on_another(trained, others):
    first, second = RunView(trained), RunView(others[1])
    between = matchings.matched(trained, others[1])
    drawn = picture.drawn(first, second, between)
    assert [len(side) for side in drawn.sides] == [trained.topics, others[1].topics]
    for side in drawn.sides:
        bottoms = [float(topic.y) + float(topic.height) for topic in side]
        assert max(bottoms) <= drawn.height + 1
        tops = [float(topic.y) for topic in side]
        assert all(top >= bottom - 0.2 for top, bottom in zip(tops[1:], bottoms, strict=False))
        names = sorted(float(topic.middle) for topic in side if topic.name)
        assert names and min(np.diff(names), default=20) >= picture.NAME_LINE - 0.2
    partners = [ribbon for ribbon in drawn.ribbons if ribbon.are_partners]
    assert len(partners) == np.count_nonzero(between.partner >= 0)


def test_runs_of_too_many_topics_are_not_drawn(trained, others, monkeypatch):
    monkeypatch.setattr(picture, "MOST_DRAWN", 5)
    between = matchings.matched(trained, others[1])
    assert picture.drawn(RunView(trained), RunView(others[1]), between) is None


def test_stability_is_the_mean_over_the_other_runs(client, trained, others):
    others = others[:2]
    words = range(trained.corpus.vocabulary)
    expected = np.mean(
        [
            matching.match(of_checkpoint(trained), of_checkpoint(o), words, words).similarity
            for o in others
        ],
        axis=0,
    )
    found = data(client, trained.pk, *(o.pk for o in others))["topics"]
    assert [row["stability"] for row in found["rows"]] == pytest.approx(
        sorted(expected, reverse=True), abs=1e-6
    )
    assert sum(found["again"].values()) == 6
    for order in ("unsteady", "share", "number"):
        rows = data(client, trained.pk, *(o.pk for o in others), sort=order)["topics"]["rows"]
        key = {
            "unsteady": lambda r: r["stability"],
            "share": lambda r: -r["topic"]["share"],
            "number": lambda r: r["topic"]["number"],
        }
        assert [key[order](r) for r in rows] == sorted(key[order](r) for r in rows)
    html = client.get(address(trained.pk, *(o.pk for o in others))).content.decode()
    assert html.count("<circle") == 2 * 6


def test_runs_of_different_corpora_are_matched_by_words(client, trained, others):
    """The other corpus numbers its words differently; most topics are recognised all the same."""
    found = data(client, trained.pk, others[2].pk)
    assert any("different corpora" in notice for notice in found["notices"])
    assert any("English, French" in notice for notice in found["notices"])
    assert found["differences"]["rows"][0]["label"] == "Corpus"
    words_a = weights.vocabulary(trained.version)
    words_b = weights.vocabulary(others[2].version)
    assert words_a != words_b
    expected = matching.match(of_checkpoint(trained), of_checkpoint(others[2]), words_a, words_b)
    shown = {row["first"]["number"]: row["similarity"] for row in found["topics"]["rows"]}
    assert shown == pytest.approx(
        {k: s for k, s in enumerate(expected.similarity) if s > 0}, abs=1e-6
    )
    assert shown


def test_only_settings_that_differ_are_listed(client, trained, others):
    found = data(client, trained.pk, others[0].pk)
    assert [row["label"] for row in found["differences"]["rows"]] == ["Seed"]
    assert found["differences"]["rows"][0]["values"] == ["3", "4"]
    assert found["notices"] == []
    curves = found["metrics"][str(trained.pk)]
    assert len(curves["step"]) == len(curves["coherence"]) > 1


def test_all_topics_that_were_named_beforehand_are_a_setting(trained, others):
    """Not the last of them alone."""
    named = [NamedTopic("First", ("a", "b", "c")), NamedTopic("Second", ("d", "e", "f"))]
    Run.objects.filter(pk=trained.pk).update(steering=Steering(named=named).stored)
    some = list(Run.objects.filter(pk__in=[trained.pk, others[0].pk]).order_by("pk"))
    (row,) = [row for row in notices.settings_that_differ(some).rows if row.name == "seeds"]
    with_names, without = row.values
    assert "First (T00): a, b, c" in with_names and "Second (T01): d, e, f" in with_names
    assert without == ""


def test_which_words_a_run_has_is_a_setting_that_differs(trained, others):
    words = Version.objects.get(pk=trained.version_id)
    settings = words.settings | {"extra_stop_words": ["congress", "states"]}
    words.pk = None
    words.number = 2
    words.settings = settings
    words.save()
    other = others[0]
    other.version = words
    rows = {row.name: row.values for row in notices.settings_that_differ([trained, other]).rows}
    assert rows["words"] == ["version 1", "version 2: 2 more stop words (congress, states)"]


def test_a_run_without_topics(client, trained):
    waiting = Run.objects.create(
        corpus=trained.corpus, version=trained.version, settings=trained.settings, seed=9
    )
    found = data(client, trained.pk, waiting.pk)
    assert (
        found["topics"] is None
        and f"Run {waiting.pk} has no topics to compare: it waits for a worker." in found["notices"]
    )
    html = client.get(address(trained.pk, waiting.pk)).content.decode()
    assert "can be compared as soon as two" in html and "Settings that differ" in html
    more = Run.objects.create(
        corpus=trained.corpus, version=trained.version, settings=trained.settings, seed=10
    )
    notices = data(client, trained.pk, waiting.pk, more.pk)["notices"]
    assert (
        f"Runs {waiting.pk} and {more.pk} have no topics to compare: they wait for a worker."
        in notices
    )


def test_one_run_or_none(client, trained, others):
    html = client.get(address(trained.pk)).content.decode()
    assert (
        f"to compare with run {trained.pk}" in html
        and f'value="{others[0].pk}"' in html
        and "checked" in html
    )
    assert "Choose two or more runs" in client.get(address()).content.decode()


def test_missing_runs(client, trained, others):
    found = data(client, trained.pk, 10**12, others[0].pk)
    assert found["notices"] == [f"There is no run {10**12}: it may have been deleted."]
    assert [run["id"] for run in found["runs"]] == [trained.pk, others[0].pk]
    assert data(client, 10**12, status=404)["notices"]
    assert client.get(address(10**12)).status_code == 404


def test_a_run_twice_is_one(client, trained):
    assert len(data(client, trained.pk, trained.pk)["runs"]) == 1


@pytest.mark.parametrize(
    "query",
    ["run=x", "run=-1", "run=1&run=1e3", "&".join(f"run={n}" for n in range(13)), "run=1&after=x"],
)
def test_addresses_that_mean_nothing(client, trained, others, query):
    query = query.replace("run=1&after", f"run={trained.pk}&run={others[0].pk}&after")
    assert client.get(reverse("compare") + "?" + query).status_code == 400


def test_the_corpus_and_the_run_lead_here(client, trained, others):
    html = client.get(reverse("corpus", args=[trained.corpus_id])).content.decode()
    assert f'name="run" value="{trained.pk}"' in html and f'action="{reverse("compare")}"' in html
    assert (
        f'{reverse("compare")}?run={trained.pk}"'
        in client.get(reverse("run", args=[trained.pk])).content.decode()
    )


def test_a_snapshot_that_was_replaced_meanwhile(trained, others):
    stale = Run.objects.get(pk=others[0].pk)
    stale.snapshot_id = 10**12
    with pytest.raises(Invalid, match="newer topics"):
        matchings.matched(trained, stale)


@pytest.fixture
def large(monkeypatch):
    """Every pair is too large for a request. The messages to workers."""
    sent = []
    monkeypatch.setattr(matchings, "QUICK_TOPIC_PAIRS", 0)
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: sent.append((kind, pk)))
    clear_all()
    return sent


def test_a_worker_compares_large_runs_once(client, trained, others, large):
    quick = matchings.match_quickly(*sorted((trained.snapshot_id, others[0].snapshot_id)))
    first = data(client, trained.pk, others[0].pk)
    assert first["topics"] is None and "comparison" not in first and len(large) == 1
    assert [(pair["run"], pair["other"], pair["status"]) for pair in first["comparing"]] == [
        (trained.pk, others[0].pk, "queued")
    ]
    assert first["measures"]["rows"][1]["matched"] is None
    assert data(client, others[0].pk, trained.pk)["topics"] is None and len(large) == 1
    html = client.get(address(trained.pk, others[0].pk)).content.decode()
    assert (
        "waiting for a worker" in html and "js/part.js" in html and 'http-equiv="refresh"' in html
    )
    answer = client.get(f"/api/v1/runs/{trained.pk}/compare/{others[0].pk}")
    assert answer.status_code == 202 and answer.json() == first["comparing"][0]
    matchings.compare(large[0][1])
    row = Comparison.objects.get()
    assert (row.status, row.done, row.tries) == ("ready", 1.0, 1)
    kept = matchings.matched(*sorted((trained, others[0]), key=lambda run: run.snapshot_id))
    assert [np.asarray(a, object).tolist() for a in kept] == [
        np.asarray(a, object).tolist() for a in quick
    ]
    assert kept.partner.dtype == np.int32
    done = data(client, trained.pk, others[0].pk)
    assert (
        done["comparing"] == []
        and done["topics"]["rows"]
        and done["measures"]["rows"][1]["matched"] is not None
    )
    assert client.get(f"/api/v1/runs/{trained.pk}/compare/{others[0].pk}").status_code == 200


def test_who_only_reads_a_comparison_asks_no_worker(trained, others, large):
    with pytest.raises(matchings.Unmatched) as unmatched:
        matchings.matched(trained, others[0])
    assert (unmatched.value.status, unmatched.value.key) == ("queued", None)
    assert not Comparison.objects.exists() and large == []


def test_the_file_of_two_runs_topics_asks_a_worker_for_whoever_asked(
    client, trained, others, large
):
    table = f"{reverse('compare_topics_csv')}?run={trained.pk}&run={others[0].pk}"
    assert client.get(table).status_code == 202 and len(large) == 1
    assert Comparison.objects.get().by == User.objects.local()


@pytest.mark.parametrize("name", ["compare_measures_json", "compare_measures_csv"])
def test_the_table_of_measures_asks_a_worker_for_whoever_asked(
    client, trained, others, large, name
):
    """A run may have ended since its page was opened."""
    client.get(f"{reverse(name)}?run={trained.pk}&run={others[0].pk}")
    assert len(large) == 1 and Comparison.objects.get().by == User.objects.local()


def test_a_comparison_that_lost_its_process_is_made_again(trained, others, large):
    with pytest.raises(matchings.Unmatched):
        matchings.matched_or_asked(trained, others[0], None)
    pk = large[0][1]
    assert claims.claim(kinds.COMPARE, pk) == 1
    beat = Comparison.objects.values_list("attempt", "heartbeat_at", "tries").get(pk=pk)
    sweep.requeue(kinds.COMPARE, pk, *beat)
    assert large[-1] == (kinds.COMPARE, pk) and Comparison.objects.get(pk=pk).status == "queued"
    matchings.compare(pk)
    row = Comparison.objects.get(pk=pk)
    assert (row.status, row.attempt) == ("ready", 2) and matchings.matched(trained, others[0])


def test_a_comparison_that_fails_says_so_and_can_be_tried_again(
    client, trained, others, large, monkeypatch
):
    data(client, trained.pk, others[0].pk)
    table = f"{reverse('compare_topics_csv')}?run={trained.pk}&run={others[0].pk}"
    assert client.get(table).status_code == 202
    (_, pk), match = large[0], matching.match

    def broken(*topics, **settings):
        raise RuntimeError("a sentence for the log alone")

    monkeypatch.setattr(matching, "match", broken)
    matchings.compare(pk)
    (pair,) = data(client, trained.pk, others[0].pk)["comparing"]
    assert pair["status"] == "failed" and "Something went wrong" in pair["error"]
    html = client.get(address(trained.pk, others[0].pk)).content.decode()
    assert "Try again" in html and "js/part.js" not in html
    no_table = client.get(table)
    sentence = no_table.content.decode()
    assert no_table.status_code == 409 and pair["error"] in sentence
    assert "Try again" in sentence and f"?run={trained.pk}&run={others[0].pk}" in sentence
    monkeypatch.setattr(matching, "match", match)
    assert (
        client.post(pair["again"]).status_code == 302
        and Comparison.objects.get(pk=pk).status == "queued"
    )
    assert client.get(table).status_code == 202
    matchings.compare(pk)
    assert data(client, trained.pk, others[0].pk)["topics"]["rows"]
    assert client.get(table).status_code == 200
    assert client.post(reverse("compare_again", args=[trained.pk, 10**12])).status_code == 404


def test_comparisons_are_bounded_and_go_with_either_run(
    client, trained, others, large, monkeypatch
):
    monkeypatch.setattr(matchings, "MOST_WAITING", 1)
    found = data(client, trained.pk, others[0].pk, others[1].pk)
    assert [pair["status"] for pair in found["comparing"]] == [
        "queued",
        "queued",
    ] and Comparison.objects.count() == 1
    assert Comparison.objects.get().by == User.objects.local()
    snapshot = Comparison.objects.get().second
    snapshot.delete()
    assert not Comparison.objects.exists()


def test_nobody_takes_all_places_of_comparisons_and_old_ones_go(
    trained, others, large, monkeypatch
):
    monkeypatch.setattr(matchings, "MOST_WAITING_OF_USER", 1)
    local = User.objects.local().pk
    first = others[0]
    second = others[1]
    guests = matchings.not_yet([(trained, first), (trained, second)], None)
    assert [state.key is not None for state in guests] == [True, False]
    (of_user,) = matchings.not_yet([(trained, second)], local)
    assert of_user.key is not None and Comparison.objects.count() == 2
    monkeypatch.setattr(matchings, "STORED", 1)
    for pk in Comparison.objects.order_by("pk").values_list("pk", flat=True):
        matchings.compare(pk)
    assert list(Comparison.objects.values_list("pk", flat=True)) == [of_user.key]


def test_the_progress_of_a_matching_is_told(monkeypatch):
    rng = np.random.default_rng(1)
    told = []
    one, other = (topics_of(rng.dirichlet(np.full(30, 0.2), K), 12) for K in (7, 5))
    words = [f"w{i}" for i in range(30)]
    whole = matching.similarities(one, other, words, words)
    monkeypatch.setattr(distances, "LEAST_PART_TOPICS", 2)
    parts = matching.similarities(one, other, words, words, told.append)
    assert (parts == whole).all() and told == pytest.approx([2 / 7, 4 / 7, 6 / 7, 1])


@pytest.fixture
def seeded(trained):
    """The run with two trainings of other seeds: the first has its topics 0, 1 and 2, the second 1
    and 2 alone."""
    for seed, again in ((8, {0, 1, 2}), (9, {1, 2})):
        rows = [[k in again, 0.9 if k in again else 0.2, []] for k in range(6)]
        Replicate.objects.create(run=trained, seed=seed, status="ready", elsewhere=rows)
    Snapshot.objects.filter(pk=trained.snapshot_id).update(replicates=2)
    clear_all()
    yield trained
    Replicate.objects.filter(run=trained).delete()
    Snapshot.objects.filter(pk=trained.snapshot_id).update(replicates=None)
    clear_all()


def test_without_other_seeds_nothing_is_called_a_difference(client, trained, others):
    topics = data(client, trained.pk, others[1].pk, show="first")["topics"]
    assert [row["difference"] for row in topics["rows"]] == [None] * len(topics["rows"])
    assert [band["differences"] for band in topics["bands"]] == [None, None]
    html = client.get(address(trained.pk, others[1].pk, show="first")).content.decode()
    assert "is not known, so none of these is called a difference" in html
    assert f"Train run {trained.pk} with other seeds" in html


def test_only_what_every_other_seed_has_is_a_difference(client, seeded, others):
    topics = data(client, seeded.pk, others[1].pk, show="first")["topics"]
    assert topics["rows"]
    for row in topics["rows"]:
        assert row["difference"] == (row["topic"]["number"] in {1, 2})
    band, unknown = topics["bands"]
    assert band["with_other_seeds"] == [3, 4] and unknown["differences"] is None
    assert band["differences"] == sum(row["difference"] for row in topics["rows"])
    assert "differ by chance alone leave 3 to 4 of 6 topics" in band["sentence"]
    for show in ("split", "merged"):
        assert all(
            row["difference"] is not None
            for row in data(client, seeded.pk, others[1].pk, show=show)["topics"]["rows"]
        )


def test_programs_and_a_file_have_what_other_seeds_change(client, seeded, others):
    other = others[1].pk
    answer = client.get(f"/api/v1/runs/{seeded.pk}/compare/{other}").json()
    assert answer["bands"] == data(client, seeded.pk, other, show="first")["topics"]["bands"]
    url = reverse("compare_topics_csv") + f"?run={seeded.pk}&run={other}"
    assert url.replace("&", "&amp;") in client.get(address(seeded.pk, other)).content.decode()
    rows = list(csv.DictReader(io.StringIO(client.get(url).content.decode("utf-8-sig"))))
    of_run = [row for row in rows if row["run"] == str(seeded.pk)]
    assert len(rows) > len(of_run) == len(RunView(seeded).topics)
    lone = [row for row in of_run if row["kind"] == "only"]
    assert len(lone) >= 1 and {row["lacking_with_other_seeds"] for row in of_run} == {"3 4"}
    for row in lone:
        assert row["partner"] == "" and row["difference"] == str(int(row["topic"] in "12"))
    assert all(row["difference"] == "" for row in of_run if row["kind"] == "matched")
    of_other = [row for row in rows if row["run"] == str(other)]
    assert all(row["difference"] == "" for row in of_other if row["kind"] == "only")
    assert client.get(reverse("compare_topics_csv") + f"?run={seeded.pk}").status_code == 404


def test_a_split_is_a_difference_where_seeds_keep_the_whole_and_its_parts():
    steady = np.array([True, False])
    assert seed_band.is_difference(0, None, [0], None) is None
    assert seed_band.is_difference(0, steady, [0, 1], None) is True
    assert seed_band.is_difference(1, steady, [0, 1], None) is False
    assert seed_band.is_difference(0, steady, [0, 1], steady) is False


def test_where_no_topic_lacks_a_partner_nothing_is_said_of_seeds():
    view = SimpleNamespace(run=SimpleNamespace(pk=2), topics=range(40))
    said = seed_band.say_partners(view, SimpleNamespace(pk=3), 0, [14, 18], 0)
    assert said == "Every topic of run 2 has a counterpart in run 3."


@pytest.mark.parametrize(
    "differences, said",
    [
        (None, "so it is not called a difference."),
        (0, "Not every training with another seed finds it again, so it may be chance."),
        (1, "Every training with another seed finds it again: it is a difference."),
    ],
)
def test_one_topic_without_a_partner_is_spoken_of_in_the_singular(differences, said):
    view = SimpleNamespace(run=SimpleNamespace(pk=2), topics=range(40))
    sentence = seed_band.say_partners(view, SimpleNamespace(pk=3), 1, [14, 18], differences)
    assert sentence.startswith("1 of the 40 topics of run 2 has no counterpart in run 3. ")
    assert sentence.endswith(f" {said}") and "these" not in sentence and "None" not in sentence
