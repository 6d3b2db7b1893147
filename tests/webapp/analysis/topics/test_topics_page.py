"""The page of a run's topics: every number on it recomputed from the arrays, in a set of documents
and with merged topics, too."""

import itertools
import math
import re
from functools import cache as once
from urllib.parse import urlencode

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import escape

from inference.explore import bands
from inference.senses import SenseUses
from webapp.analysis.families import family_address, family_cuts
from webapp.analysis.findings import document_set, stored
from webapp.core.curation import services as curation
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence, family_tree, found_again, links, page_cache, topic_kinds
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Run, StoredResult, Topic, TopicWord, Word
from webapp.platform.drawing import chips
from webapp.platform.drawing.colours import GENERAL
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db

SETS = ["", "from=1795&to=1799", "q=militia", "has=1:20", "has=1:0&from=1796"]


def counts(run) -> np.ndarray:
    """int64[D, K], tokens of each topic in each document, added up pair by pair."""
    return _counts(run.pk).copy()


@once
def _counts(pk: int) -> np.ndarray:
    run = Run.objects.select_related("version", "snapshot").get(pk=pk)
    found = evidence.of(run)
    tally = np.zeros((found.document_bow.D, run.topics), np.int64)
    for d in range(found.document_bow.D):
        _, tokens, topics, _ = found.token_topics.of_document(d)
        np.add.at(tally[d], topics, tokens)
    return tally


def chosen(run, query: str) -> np.ndarray:
    """bool[D]: the documents that an address asks for."""
    run = type(run).objects.get(pk=run.pk)  # as another request reads it: with the names of now
    mask = Selection.read(QueryDict(query), RunView(run)).mask
    return np.ones(run.version.documents, bool) if mask is None else mask


def get(client, run, query: str = "") -> dict:
    response = client.get(reverse("run_topics_json", args=[run.pk]) + "?" + query)
    assert response.status_code == 200, response.content
    return response.json()


@pytest.fixture
def merged(trained):
    """T03 is read as a part of T01, T04 is hidden, T05 has a name and a group."""
    curation.change_many(
        trained,
        {3: {"into": "1"}, 4: {"hidden": "1"}, 5: {"label": "Aardvark", "group": "beasts"}},
        "a test",
    )
    return trained


@pytest.mark.parametrize("query", SETS)
@pytest.mark.parametrize("folded", [False, True])
def test_shares_are_sums_of_tokens(client, trained, request, query, folded):
    run = request.getfixturevalue("merged") if folded else trained
    tally = counts(run)[chosen(run, query)]
    assert len(tally), "a set without documents tests nothing"
    if folded:
        tally[:, 1] += tally[:, 3]
        tally[:, 3] = 0
    shown = get(client, run, f"hidden=1&{query}")["items"]
    assert {t["number"] for t in shown} == set(range(6)) - ({3} if folded else set())
    assert [t["share"] for t in shown] == sorted((t["share"] for t in shown), reverse=True)
    for topic in shown:
        of = tally[:, topic["number"]]
        assert (topic["tokens"], topic["documents"]) == (of.sum(), np.count_nonzero(of))
        assert topic["share"] == pytest.approx(of.sum() / tally.sum())


@pytest.mark.parametrize("query", ["", "q=militia"])
def test_lines_over_time_are_sums_of_tokens(client, trained, query):
    tally = counts(trained)
    mask = chosen(trained, query)
    groups = document_groups.read_groups(
        trained.version, document_groups.best_period(trained.version)
    )
    data = get(client, trained, query)
    assert data["times"]["by"] == groups.by
    for topic in data["items"]:
        enough = []  # shares of the periods with documents enough to name them
        for label, value in zip(data["times"]["labels"], topic["line"]["values"], strict=True):
            among = mask & (groups.group == groups.labels.index(label))
            of = tally[among]
            assert value == (
                pytest.approx(of[:, topic["number"]].sum() / of.sum()) if of.sum() else None
            )
            enough += [value] if among.sum() >= bands.THIN and of.sum() else []
        assert topic["line"]["peak"] == max(enough, default=None)


def test_what_readers_said_decides_what_is_shown(client, merged):
    data = get(client, merged)
    assert {t["number"] for t in data["items"]} == {0, 1, 2, 5} and data["left_out"] == 1
    assert next(t for t in data["items"] if t["number"] == 1)["members"] == 1
    assert [t["number"] for t in get(client, merged, "group=beasts")["items"]] == [5]
    assert get(client, merged, "sort=label")["items"][0]["number"] == 5
    # T03 is in T01
    assert [t["number"] for t in get(client, merged, "topics=3,0&sort=number")["items"]] == [
        0,
        1,
    ]


@pytest.mark.parametrize("order", ["number", "share", "coherence", "exclusivity"])
def test_orders_and_their_reverse(client, trained, order):
    values = [t[order] for t in get(client, trained, f"sort={order}")["items"]]
    assert values == sorted(values, reverse=order != "number")
    assert [t[order] for t in get(client, trained, f"sort=-{order}")["items"]] == values[::-1]
    rows = Topic.objects.filter(snapshot_id=trained.snapshot_id)
    assert sorted(values) == pytest.approx(sorted(getattr(row, order) for row in rows))


def all_of(run: Run) -> RunSelection:
    """All documents, as a new request reads them."""
    return RunSelection.all(RunView(Run.objects.get(pk=run.pk)))


def forget() -> None:
    """What is kept of rows that never change."""
    cache.clear_all()
    page_cache.clear()


def test_kinds_stand_in_the_list_clear_ones_first(client, trained):
    kinds = ["mixed", "clear", "general", "clear", "clear", "mixed"]
    rows = Topic.objects.filter(snapshot_id=trained.snapshot_id)
    before = {row.number: (row.mixed, row.background) for row in rows}
    try:
        for k, kind in enumerate(kinds):
            rows.filter(number=k).update(mixed=kind == "mixed", background=kind == "general")
        forget()
        listed = get(client, trained, "sort=kind")["items"]
        assert [(t["number"], t["kind"]) for t in listed] == [
            (1, "clear"),
            (3, "clear"),
            (4, "clear"),
            (0, "mixed"),
            (5, "mixed"),
            (2, "general"),
        ]
        assert [t["number"] for t in get(client, trained, "sort=-kind")["items"]][0] == 2
        page = client.get(reverse("corpus", args=[trained.corpus_id])).content.decode()
        assert "3 of 6" in page
    finally:
        for number, (mixed, background) in before.items():
            rows.filter(number=number).update(mixed=mixed, background=background)
        forget()


def test_page_list_order_and_count_agree_on_kinds(client, trained, monkeypatch):
    """Also of a topic with a near neighbour, and of those that other seeds lack."""
    kinds = ["clear", "unstable", "general", "unstable", "mixed", "clear"]
    lacking = {1, 2, 3}
    again = [[found_again.Elsewhere(8, k not in lacking, 0.5, [])] for k in range(trained.topics)]
    monkeypatch.setattr(found_again, "elsewhere", lambda run: again if run == trained else [])
    rows = Topic.objects.filter(snapshot_id=trained.snapshot_id)
    before = list(rows)
    try:
        rows.update(mixed=False, background=False)
        rows.filter(number__in=[2, 3, 4]).update(mixed=True)
        rows.filter(number=2).update(background=True)
        rows.filter(number=0).update(similar=[[5, 0.01]])
        forget()
        assert topic_kinds.of_run(trained, RunView(trained).labels) == kinds
        listed = get(client, trained, "sort=kind")["items"]
        assert {t["number"]: t["kind"] for t in listed} == dict(enumerate(kinds))
        assert [t["number"] for t in listed] == [0, 5, 4, 1, 3, 2]
        for k, kind in enumerate(kinds):
            page = client.get(reverse("run_topic_json", args=[trained.pk, k])).json()
            assert page["verdict"]["kind"] == kind
            near = [r for r in page["verdict"]["reasons"] if "nearly the same words" in r["text"]]
            assert bool(near) == (k == 0)
        assert topic_kinds.count_clear([trained]) == {trained.pk: (2, 6)}
        page = client.get(reverse("corpus", args=[trained.corpus_id])).content.decode()
        assert "2 of 6" in page
    finally:
        Topic.objects.bulk_update(before, ["mixed", "background", "similar"])
        forget()


def test_a_topic_of_general_talk_that_a_reader_labels_is_drawn_and_listed_as_a_subject(
    client, trained
):
    """A label is a name, and what has a name has a subject: it was grey, and in no family."""
    rows = Topic.objects.filter(snapshot_id=trained.snapshot_id)
    before = list(rows)
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.TREE).delete()
    try:
        rows.update(mixed=False, background=False)
        rows.filter(number=2).update(background=True, similar=[[2, 0.0], [4, 0.2], [1, 0.3]])
        forget()
        for label, kind in (("", "general"), ("Treaties", "clear")):
            curation.change(trained, 2, {"label": label}, "me")
            listed = {t["number"]: t for t in get(client, trained)["items"]}
            assert (listed[2]["background"], listed[2]["kind"]) == (not label, kind)
            page = client.get(reverse("run_topic_json", args=[trained.pk, 2])).json()
            assert page["verdict"]["kind"] == kind
            of_topic = client.get(reverse("run_topic", args=[trained.pk, 2])).content.decode()
            assert ("general talk: words that occur all over" in of_topic) == (not label)
            homes = RunView(Run.objects.get(pk=trained.pk)).homes
            assert (homes[2].slot == GENERAL, homes[2] == homes[4]) == (not label, bool(label))
            clear, _ = topic_kinds.count_clear([trained])[trained.pk]
            assert clear == 5 + bool(label)
        curation.change(trained, 2, {"beside": "1"}, "me")
        homes = RunView(Run.objects.get(pk=trained.pk)).homes
        assert homes[2] == homes[1]
    finally:
        Topic.objects.bulk_update(before, ["mixed", "background", "similar"])
        StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.TREE).delete()
        forget()


def test_findings_are_of_what_a_reader_labelled(trained):
    """They are told anew when general talk has a subject, and stay as they are for other labels."""
    rows = Topic.objects.filter(snapshot_id=trained.snapshot_id)
    before = list(rows)
    try:
        rows.filter(number=2).update(background=True)
        rows.exclude(number=2).update(background=False)
        forget()
        assert stored.read_or_ask(all_of(trained), None) is not None
        curation.change(trained, 1, {"label": "Taxes"}, "me")
        assert stored.read(all_of(trained)) is not None
        curation.change(trained, 2, {"label": "Treaties"}, "me")
        assert stored.read(all_of(trained)) is None
        subjects = document_set.collect(all_of(trained)).subjects
        assert subjects.all()
    finally:
        Topic.objects.bulk_update(before, ["background"])
        forget()


def test_the_database_counts_clear_topics_as_they_are_listed(trained):
    counted = topic_kinds.count_clear([trained])
    kinds = topic_kinds.of_run(trained, RunView(trained).labels)
    assert counted == {trained.pk: (kinds.count("clear"), len(kinds) - kinds.count(None))}


def test_the_page_opens_by_family_and_its_data_by_share(trained, client):
    page = reverse("run_topics", args=[trained.pk])
    by_family = client.get(page, {"view": "list"}).content.decode()
    families_of_run = family_cuts.cut(RunView(trained), None).families
    assert by_family.count('class="apart family') == len(families_of_run) > 1
    assert "sort=share" in re.search(r'href="([^"]*)" title="[^"]*">none</a>', by_family)[1]
    for asked in ({"sort": "share"}, {"word": "militia"}):
        assert 'class="apart family' not in client.get(page, asked).content.decode()
    assert get(client, trained)["asked"]["sort"] == "share"


def test_topics_with_a_word(client, trained):
    word = Word.objects.get(version=trained.version_id, word="militia")
    _, _, given, _ = evidence.of(trained).word_topics.of_word(word.number)
    found = {t["number"] for t in get(client, trained, "word=Militia")["items"]}
    assert found >= set(np.unique(given).tolist())
    assert get(client, trained, "word=zzzz")["items"] == []


def test_a_grid_of_two_topics_begins_with_the_words_that_they_share(client, trained):
    grid = get(client, trained, "view=grid&topics=0,1&hidden=1")["grid"]
    cells = np.array([line["cells"] for line in grid["lines"]])
    second, largest = cells.min(axis=1), cells.max(axis=1)
    is_shared = (second > 0) & (4 * second >= largest)
    assert 0 < grid["shared"] == is_shared.sum() < len(cells)
    assert is_shared[: grid["shared"]].all()
    owners = cells[grid["shared"] :].argmax(axis=1)
    assert owners.tolist() == sorted(owners.tolist())
    whole = get(client, trained, "view=grid&topics=0,1&hidden=1&order=size")["grid"]
    assert whole["shared"] is None
    page = client.get(reverse("run_topics", args=[trained.pk]), {"view": "grid", "topics": "0"})
    families = {family.name for family in family_cuts.cut(RunView(trained), None).families}
    legend = page.content.decode().partition("has the colour of its family")[2].partition("</p>")[0]
    assert sum(escape(name) in legend for name in families) <= 1 < len(families)


@pytest.mark.parametrize("documents_chosen", ["", "from=1795&to=1799"])
def test_topics_with_a_word_have_occurrences_of_it_and_say_how_many(
    client, trained, documents_chosen
):
    word = Word.objects.get(version=trained.version_id, word="militia")
    mask = chosen(trained, documents_chosen)
    uses = SenseUses(
        evidence.of(trained), word.number, np.arange(trained.topics, dtype=np.int32), mask
    )
    occurrences = uses.tally()[0][0]
    items = get(client, trained, f"word=militia&{documents_chosen}")["items"]
    labels = RunView(trained).labels
    named = {k for k in range(trained.topics) if "militia" in labels.name(k).casefold()}
    assert {item["number"] for item in items} == named | set(np.flatnonzero(occurrences).tolist())
    assert [item["of_word"] for item in items] == sorted(
        occurrences[occurrences > 0].tolist()
        + [0] * len(named - set(np.flatnonzero(occurrences).tolist())),
        reverse=True,
    )
    page = client.get(
        reverse("run_topics", args=[trained.pk]) + f"?word=militia&{documents_chosen}"
    )
    assert f'data-label="“militia”">{occurrences.max()}</td>' in page.content.decode()


def test_a_topic_with_weight_on_a_word_but_no_occurrence_is_not_listed(client, trained):
    """Seven topics were listed for a word whose 224 occurrences were all in one."""
    word = next(
        word
        for word in Word.objects.filter(version=trained.version_id)
        if len(np.unique(evidence.of(trained).word_topics.of_word(word.number)[2])) == 1
        and TopicWord.objects.filter(snapshot=trained.snapshot_id, word=word.number).count() > 1
    )
    items = get(client, trained, urlencode({"word": word.word}))["items"]
    with_occurrences = [item for item in items if item["of_word"]]
    labels = RunView(trained).labels
    for item in items:
        assert item in with_occurrences or word.word in labels.name(item["number"]).casefold()
    assert len(with_occurrences) == 1 and items[0] == with_occurrences[0]


def test_the_address_alone_says_the_view(client, trained):
    """A link to the topics of a family opens the list, also after somebody looked at the map."""

    def view(query: str = "") -> str:
        response = client.get(reverse("run_topics", args=[trained.pk]) + "?" + query)
        names = {template.name for template in response.templates}
        return next(
            name for name in ("map", "grid", "time", "list") if f"run/topics/_{name}.html" in names
        )

    for asked, shown in (
        ("", "list"),
        ("view=map", "map"),
        ("topics=0,1", "list"),
        ("view=grid", "grid"),
        ("view=nonsense", "list"),
    ):
        page_cache.clear()
        assert view(asked) == shown
    assert get(client, trained)["view"] == "list"
    assert get(client, trained, "view=grid")["view"] == "grid"


@pytest.mark.parametrize("query", ["topics=9", "topics=x", "topics=1;2", "topics=-1", "has=9:1"])
def test_an_address_that_asks_for_nothing_there_says_so(client, trained, query):
    response = client.get(reverse("run_topics", args=[trained.pk]) + "?" + query)
    assert response.status_code == 400 and "topics" in response.content.decode()


def test_queries_do_not_grow_with_topics(client, trained, django_assert_max_num_queries):
    get(client, trained)
    for view in ("list", "map", "grid", "time"):
        with django_assert_max_num_queries(12):
            client.get(reverse("run_topics", args=[trained.pk]), {"view": view})


@pytest.mark.parametrize("query", ["", "q=militia"])
@pytest.mark.parametrize("folded", [False, True])
def test_the_grid_counts_tokens(client, trained, request, query, folded):
    run = request.getfixturevalue("merged") if folded else trained
    found = evidence.of(run)
    mask = chosen(run, query)
    data = get(client, run, f"view=grid&hidden=1&{query}")["grid"]
    assert len(data["lines"]) == 40 and len(data["topics"]) == 6 - folded
    numbers = dict(Word.objects.filter(version=run.version_id).values_list("word", "number"))
    for line in data["lines"]:
        documents, tokens, topics, _ = found.word_topics.of_word(numbers[line["word"]])
        topics = np.where(topics == 3, 1, topics) if folded else topics
        for topic, cell in zip(data["topics"], line["cells"], strict=True):
            assert cell == tokens[(topics == topic["number"]) & mask[documents]].sum()
    asked = get(client, run, "view=grid&words=Militia, indians zzz")["grid"]
    assert {line["word"] for line in asked["lines"]} == {"militia", "indians"} and asked[
        "unknown"
    ] == ["zzz"]


@pytest.mark.parametrize("query", ["", "from=1795&to=1797"])
@pytest.mark.parametrize("by", ["year", "party"])
def test_times_and_categories_are_sums_of_tokens(client, merged, query, by):
    tally = counts(merged)
    mask = chosen(merged, query)
    groups = document_groups.read_groups(merged.version, by)
    tally[:, 1] += tally[:, 3]
    tally[:, 3] = 0
    time = get(client, merged, f"view=time&by={by}&{query}")["time"]
    assert {t["number"] for t in time["stacked"]} == {0, 1, 2, 5}
    for i, group in enumerate(time["bins"]):
        of = tally[mask & (groups.group == groups.labels.index(group["label"]))]
        assert (group["tokens"], group["documents"]) == (of.sum(), len(of))
        for topic in (*time["stacked"], *time["multiples"]):
            assert topic["values"]["tokens"][i] == of[:, topic["number"]].sum()
        assert time["other"]["tokens"][i] == of[:, 4].sum()  # hidden, and counted all the same


def test_the_map_keeps_its_places(client, trained):
    whole = get(client, trained, "view=map&topics=2")["map"]
    part = get(client, trained, "view=map&q=militia")["map"]
    places = lambda found: {c["number"]: (c["x"], c["y"]) for c in found["circles"]}  # noqa: E731
    assert places(whole) == places(part) and len(whole["circles"]) == 6
    assert [c["number"] for c in whole["circles"] if c["chosen"]] == [2] and 0 <= whole[
        "stress"
    ] < 1
    for a in whole["circles"]:
        assert all(
            math.hypot(a["x"] - b["x"], a["y"] - b["y"]) >= a["r"] + b["r"] - 0.5
            for b in whole["circles"]
            if b is not a
        )


def test_a_list_says_its_place(client, trained):
    whole = client.get(reverse("run_topics_json", args=[trained.pk])).json()
    later = client.get(
        reverse("run_topics_json", args=[trained.pk]), {"after": 5, "hidden": "1"}
    ).json()
    assert (whole["first"], whole["last"], whole["previous"]) == (1, whole["count"], None)
    assert (later["first"], later["last"], later["previous"]) == (6, later["count"], "?hidden=1")
    assert later["items"] == whole["items"][5:]
    page = client.get(reverse("run_topics", args=[trained.pk]), {"after": 5}).content.decode()
    assert f"6 to {later['count']} of {later['count']}" in page and 'rel="prev"' in page


def test_other_topics_are_drawn_only_beside_enough(client, trained):
    """A few topics of little weight would be a thin line below the others."""
    tokens = counts(trained).sum(axis=0)
    order = np.argsort(-tokens)
    parts = []
    for numbers in (order[-1:], order[:5]):
        query = {"view": "time", "topics": ",".join(map(str, sorted(numbers.tolist())))}
        time = client.get(reverse("run_topics_json", args=[trained.pk]), query).json()["time"]
        parts.append(time["part"])
        assert time["part"] == pytest.approx(tokens[numbers].sum() / tokens.sum())
        assert time["other_drawn"] == (time["part"] >= 0.2)
    assert parts[0] < 0.2 <= parts[1]
    by = {"view": "time", "by": "president", "topics": str(order[-1])}
    page = client.get(reverse("run_topics", args=[trained.pk]), by).content.decode()
    assert "are not drawn" in page and 'class="rest"' not in page


def test_topics_are_known_by_number_and_by_label(client, trained):
    curation.change(trained, 5, {"label": "Militia and arms"}, "a test")
    by_word = [t["number"] for t in get(client, trained, "word=militia")["items"]]
    assert by_word[0] == 5 and len(by_word) > 1  # what is called so, then what has the word
    assert [t["number"] for t in get(client, trained, "word=and+arms")["items"]] == [5]
    assert [t["number"] for t in get(client, trained, "word=T03")["items"]] == [3]
    assert get(client, trained, "word=t99999")["items"] == []


def test_topics_are_known_by_the_name_that_was_proposed(client, trained):
    labels = RunView(trained).labels
    names = [labels.name(k) for k in range(trained.topics)]
    assert all(names)
    for number, name in enumerate(names):
        items = get(client, trained, urlencode({"word": name.upper()}))["items"]
        assert number in {item["number"] for item in items}


def test_a_part_of_a_word_of_a_proposed_name_finds_no_topic(client, trained):
    labels = RunView(trained).labels
    word = next(word for word in re.findall(r"\w+", labels.name(0)) if len(word) > 4)
    found = {item["number"] for item in get(client, trained, f"word={word}")["items"]}
    assert 0 in found
    assert get(client, trained, f"word={word[:-2]}")["items"] == []


def test_a_single_period_is_a_bar(client, trained):
    """One point has no line to its next."""
    for years, drawn, absent in (
        ("from=1793&to=1793", "stacked-bars", "data-stack"),
        ("from=1793&topics=0,1,2", "data-stack", "stacked-bars"),
    ):
        page = client.get(
            reverse("run_topics", args=[trained.pk]) + f"?view=time&by=year&{years}"
        ).content.decode()
        assert drawn in page and absent not in page
        assert ("drag across the chart" in page) == (drawn == "data-stack")


def test_over_time_begins_with_the_river_of_all_families(client, trained):
    page = client.get(reverse("run_topics", args=[trained.pk]) + "?view=time&by=year")
    shown = page.content.decode()
    names = [family.name for family in family_cuts.cut(RunView(trained), None).families]
    assert 'class="river"' in shown and "data-stack" not in shown
    assert all(escape(name) in shown for name in names)
    assert "topics=" in re.search(r"\?([^\"]*topics=[^\"]*)\">Show the", shown)[1]


def test_topics_are_listed_by_family(trained, client):
    url = reverse("run_topics_json", args=[trained.pk])
    plain = {row["number"]: row for row in client.get(url).json()["items"]}
    assert all(row["family"] is None for row in plain.values())
    for number in (2, 4):
        data = client.get(url, {"families": number}).json()
        assert data["asked"]["sort"] == "family" and data["asked"]["families"] == number
        subjects = [row for row in data["items"] if not row["background"]]
        assert {row["number"] for row in data["items"]} == set(plain)
        groups = [
            (name, list(rows))
            for name, rows in itertools.groupby(subjects, key=lambda row: row["family"]["name"])
        ]
        assert len(groups) == len(dict(groups)) == number
        for _, rows in groups:
            family = rows[0]["family"]
            shares = [row["share"] for row in rows]
            assert (family["topics"], family["tokens"]) == (
                len(rows),
                sum(row["tokens"] for row in rows),
            )
            assert family["share"] == pytest.approx(sum(shares)) and shares == sorted(
                shares, reverse=True
            )
            assert {row["hue"] for row in rows} == {family["hue"]}
        sizes = [rows[0]["family"]["tokens"] for _, rows in groups]
        assert sizes == sorted(sizes, reverse=True)
        circles = client.get(url, {"families": number, "view": "map"}).json()["map"]["circles"]
        hues = {row["number"]: row["hue"] for row in data["items"]}
        assert {circle["number"]: circle["hue"] for circle in circles} == hues
        by_number = client.get(url, {"families": number, "sort": "number"}).json()["items"]
        assert [row["number"] for row in by_number] == sorted(plain)
    page = client.get(
        reverse("run_topics", args=[trained.pk]), {"families": 2, "view": "list"}
    ).content.decode()
    assert page.count('class="apart family') == 2
    assert client.get(url, {"families": 99}).status_code == 400


def test_a_family_of_many_topics_has_a_short_address(client, trained, monkeypatch):
    """It leads to all of them, in each view; its largest topic says which family it is."""
    monkeypatch.setattr(family_address, "MEMBERS", 1)
    view = RunView(trained)
    cut = family_cuts.cut(view, None)
    family = max(cut.families, key=lambda family: len(family.topics))
    selection = Selection.read(QueryDict(""), view)
    address = family_address.topics_address(selection, family.topics, cut.number_of_families)
    assert len(family.topics) > 1 and f"family={family.topics[0]}" in address
    assert "topics=" not in address
    _, _, query = address.partition("?")
    for shown_as in ("list", "map", "grid", "time"):
        data = get(client, trained, f"{query}&view={shown_as}")
        assert data["asked"]["topics"] == sorted(family.topics)
        assert data["count"] == len(family.topics)
    page = client.get(address).content.decode()
    assert f"topics in the family of T{family.topics[0]:02d}" in " ".join(page.split())
    short = family_address.topics_address(selection, family.topics[:1], cut.number_of_families)
    assert f"topics={family.topics[0]}" in short and "family=" not in short


@pytest.mark.parametrize("wrong", ["x", "-1", "99", "1,2", "٣"])
def test_a_family_is_asked_for_by_a_topic(client, trained, wrong):
    url = reverse("run_topics", args=[trained.pk])
    assert client.get(url, {"family": wrong}).status_code == 400


def test_links_to_other_numbers_of_families_say_what_they_do(client, trained):
    page = client.get(reverse("run_topics", args=[trained.pk]) + "?families=3&view=list")
    nav = page.content.decode().partition('aria-label="How many families"')[2].partition("</nav>")
    assert "3 families" in nav[0]
    assert 'title="Show the topics in 2 families">fewer families</a>' in nav[0]
    assert 'title="Show the topics in 4 families">more families</a>' in nav[0]
    assert 'title="List the topics without their families">none</a>' in nav[0]


@pytest.mark.parametrize("view", ["map", "grid"])
def test_colours_are_told_by_the_names_of_families(client, trained, view):
    page = client.get(reverse("run_topics", args=[trained.pk]), {"view": view}).content.decode()
    families = family_cuts.cut(RunView(trained), None).families
    told = re.findall(r'<span class="t(\d+)"><bdi>(.*?)</bdi></span>', page.partition("colours")[2])
    assert told == [(str(family.hue), escape(family.name)) for family in families]
    is_general = [RunView(trained).labels.is_background(k) for k in range(trained.topics)]
    assert ("general talk, in no family" in page) == any(is_general)


def test_words_behind_a_topic_without_a_name_are_not_said_twice(client, trained, monkeypatch):
    monkeypatch.setattr(Labels, "has_name", lambda labels, k: False)
    topic = links.topic_link(RunView(trained), 1)
    name = escape(topic.name)
    assert name and not topic.has_name and name in chips.chip(topic)
    chip_before_words = chips.chip(topic, words_follow=True)
    assert topic.label in chip_before_words and name not in chip_before_words
