"""The overview of a run: what it says of the shipped example's years, of sets, of corpora with
little, and to whom."""

import json
import re
from html import unescape
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, get_args, get_type_hints
from zipfile import ZipFile

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from tests.conftest import ROOT
from tests.webapp.failing import fail_task
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.answers import rows
from webapp.analysis.families import family_cuts
from webapp.analysis.findings import (
    claim,
    compute,
    kinds,
    overview,
    ratios,
    sentences,
    set_findings,
    shapes,
    stored,
    topic_changes,
)
from webapp.analysis.findings.finding import PageFindings
from webapp.analysis.findings.kinds import family, sense
from webapp.analysis.findings.kinds.event import are_at_one_time
from webapp.analysis.findings.spans_and_groups import Span
from webapp.core.curation import services as curation
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence, family_tree
from webapp.core.results.view import RunView
from webapp.intake.ingest.words_outside import words_outside
from webapp.models import Notebook, Replicate, StoredResult, User
from webapp.platform.accounts import embargo
from webapp.platform.jobs import dispatch

pytestmark = pytest.mark.django_db


def get(client, run, **query) -> dict:
    response = client.get(reverse("run_overview_json", args=[run.pk]), query)
    assert response.status_code == 200
    return response.json()


def kinds_of(data: dict) -> set[str]:
    return {row["kind"] for row in data["findings"]}


def test_a_run_ends_with_its_findings(trained, client):
    row = StoredResult.objects.get(snapshot=trained.snapshot_id, key="")
    assert row.method == compute.METHOD
    data = get(client, trained)
    assert data["ready"] and data["documents"] == (evidence.of(trained).lengths > 0).sum()
    assert {"family", "caution"} <= kinds_of(data)
    for finding in data["findings"]:
        assert (
            finding["sentence"].endswith(".")
            and "None" not in finding["sentence"]
            and "times 0." not in finding["sentence"]
        )
        low, estimate, high = (finding[name] for name in ("low", "estimate", "high"))
        most = np.inf if high is None else high
        assert (low or 0) <= (most if estimate is None else estimate) <= most
        assert client.get(finding["url"]).status_code == 200, finding["url"]
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert all(quote["title"] in page for quote in data["quotes"])


def test_families_hold_the_words_of_their_topics(trained, client):
    counted = evidence.of(trained)
    tokens = np.bincount(
        counted.mixtures.doc_topics, weights=counted.mixtures.doc_tokens, minlength=trained.topics
    )
    rows = StoredResult.objects.get(snapshot=trained.snapshot_id, key="").data["findings"]
    for row in (row for row in rows if row["kind"] == "family"):
        assert row["estimate"] == pytest.approx(tokens[row["topics"]].sum() / tokens.sum())
        assert row["low"] < row["estimate"] < row["high"]
        assert row["documents"] == np.count_nonzero(
            sum(counted.mixtures.tokens_held([k]) for k in row["topics"])
        )


CUTS = range(family_cuts.CUTS[0], family_cuts.CUTS[1] + 1)


class AtCut(NamedTuple):
    """What the overview says where topics are cut into `number` families."""

    number: int
    page: dict

    @property
    def families(self) -> list[dict]:
        return [row["family"] for row in self.page["findings"] if row["kind"] == "family"]


class AtEveryCut(NamedTuple):
    """What the overview of a set says at every cut. topics: as the list has them."""

    topics: list[dict]
    cuts: list[AtCut]

    @property
    def tokens(self) -> dict[int, int]:
        return {topic["number"]: topic["tokens"] for topic in self.topics}

    @property
    def background_tokens(self) -> int:
        return sum(topic["tokens"] for topic in self.topics if topic["background"])


@pytest.fixture(params=[{}, {"from": "1796"}], ids=["all documents", "a set"])
def at_every_cut(request, trained, client) -> AtEveryCut:
    address = reverse("run_topics_json", args=[trained.pk])
    topics = client.get(address, {"hidden": "1", **request.param}).json()["items"]
    pages = [AtCut(n, get(client, trained, families=n, **request.param)) for n in CUTS]
    return AtEveryCut(topics, pages)


def test_there_are_as_many_families_as_the_cut_says(trained, client):
    most = family_cuts.cut(RunView(trained), 20).most
    for number in CUTS:
        cut = AtCut(number, get(client, trained, families=number))
        assert len(cut.families) == cut.page["families"] == min(number, most)


def test_a_set_has_no_more_families_than_the_cut_of_the_run(at_every_cut, trained):
    most = family_cuts.cut(RunView(trained), 20).most
    for cut in at_every_cut.cuts:
        assert len(cut.families) <= cut.page["families"] == min(cut.number, most)


def test_a_family_has_the_tokens_of_its_topics(at_every_cut):
    for cut in at_every_cut.cuts:
        for family_row in cut.families:
            tokens_of_topics = [at_every_cut.tokens[k] for k in family_row["topics"]]
            assert family_row["tokens"] == sum(tokens_of_topics)


def test_families_and_the_rest_are_all_words(at_every_cut):
    background = at_every_cut.background_tokens
    for cut in at_every_cut.cuts:
        in_families = sum(family_row["tokens"] for family_row in cut.families)
        assert in_families == sum(at_every_cut.tokens.values()) - background
        assert cut.page["rest"] == pytest.approx(background / cut.page["tokens"], abs=1e-9)


def test_families_of_a_cut_differ_in_colour_and_name(at_every_cut):
    for cut in at_every_cut.cuts:
        for what in ("slot", "name"):
            assert len({family_row[what] for family_row in cut.families}) == len(cut.families)


def test_a_family_has_one_colour_at_every_cut_and_in_every_set(trained, client):
    slots: dict[tuple[int, ...], int] = {}
    for query in ({}, {"from": "1796"}):
        for number in CUTS:
            cut = AtCut(number, get(client, trained, families=number, **query))
            for family_row in cut.families:
                topics = tuple(family_row["topics"])
                assert slots.setdefault(topics, family_row["slot"]) == family_row["slot"]


def test_more_families_keep_the_largest_topics_of_fewer(trained, client):
    before: set[int] = set()
    for number in CUTS:
        cut = AtCut(number, get(client, trained, families=number))
        heads = {family_row["topics"][0] for family_row in cut.families}
        assert before <= heads
        before = heads


def test_the_usual_number_of_families_is_the_cut_that_nobody_asked_for(trained, client):
    page = get(client, trained)
    assert page["families"] == page["usual_families"]


@pytest.mark.parametrize("wrong", ["1", "21", "two"])
def test_what_is_no_number_of_families_is_refused(trained, client, wrong):
    address = reverse("run_overview", args=[trained.pk])
    assert client.get(address, {"families": wrong}).status_code == 400


def test_the_tree_is_made_once_and_anew_where_an_older_program_made_none(trained, monkeypatch):
    before = family_tree.tree(trained.snapshot_id)
    family_tree.tree.cache_clear()
    monkeypatch.setattr(family_tree, "make_tree", lambda run: pytest.fail("it is stored"))
    assert family_tree.tree(trained.snapshot_id) == before
    monkeypatch.undo()
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key=family_tree.TREE).delete()
    family_tree.tree.cache_clear()
    assert family_tree.tree(trained.snapshot_id).joins == before.joins
    assert (
        StoredResult.objects.get(snapshot=trained.snapshot_id, key=family_tree.TREE).method
        == family_tree.METHOD
    )


def test_a_number_of_families_is_kept_from_page_to_page(trained, client):
    page = client.get(
        reverse("run_overview", args=[trained.pk]), {"families": "3", "from": "1795"}
    ).content.decode()
    links = [unescape(url) for url in re.findall(rf'href="(/runs/{trained.pk}/[^"#]*)', page)]
    pages = [url for url in links if url.partition("?")[0].endswith("/")]
    assert pages and not [url for url in pages if "topics/?" in url and "families=3" not in url]
    assert sum("families=3" in url and "from=1795" in url for url in pages) > len(pages) / 2
    assert "3 families" in " ".join(page.split())
    assert "families=4" in page and "families=2" in page


def families_in(run, query="") -> dict[tuple[int, ...], kinds.Family]:
    """members -> the family, of a set, at the usual cut."""
    view = RunView(run)
    rows = compute.findings(Selection.read(QueryDict(query), view)).findings
    usual = family_cuts.cut(view, None).number_of_families
    return {
        tuple(sorted(row.topics)): row
        for row in rows
        if isinstance(row, kinds.Family) and row.first <= usual <= row.last
    }


def test_families_of_sets_add_up_to_those_of_all_documents(trained):
    whole = families_in(trained)
    parts = [families_in(trained, query) for query in ("to=1800", "from=1801")]
    assert len(whole) > 1 and all(set(part) <= set(whole) for part in parts)
    for members, of_whole in whole.items():
        assert of_whole.score == sum(part[members].score for part in parts if members in part)


def told(run, query: str = "") -> list[shapes.FindingRow]:
    """What the overview of a set says, past the cache of pages."""
    selection = Selection.read(QueryDict(query), RunView(run))
    return overview.overview(selection, "", None).findings


@pytest.mark.parametrize("query", ["", "from=1796", "to=1793"])
def test_what_a_set_is_about_begins_with_what_is_largest_in_the_set(trained, monkeypatch, query):
    """Also where other seeds did not find the largest family's topics again."""
    largest = next(row.family for row in told(trained, query) if row.family)
    monkeypatch.setattr(overview.found_again, "doubtful", lambda run: set(largest.topics))
    shares = [row.family.share for row in told(trained, query) if row.family]
    assert len(shares) > 1 and shares == sorted(shares, reverse=True)


def test_hidden_grouped_and_merged_topics_are_in_the_sums(trained, client):
    before = families_in(trained)
    (first, *_), (second, *_) = list(before)[:2]
    curation.change(trained, first, {"hidden": "1"}, "me")
    assert families_in(trained).keys() == before.keys()
    named = [
        part
        for row in get(client, trained)["findings"]
        if row["kind"] == "family"
        for part in row["parts"]
    ]
    assert first in {part["number"] for part in named if isinstance(part, dict)}
    curation.change(trained, second, {"into": str(first)}, "me")
    merged = families_in(trained)
    assert not any(second in members for members in merged)
    assert sum(row.score for row in merged.values()) == sum(row.score for row in before.values())
    others = [k for members in merged for k in members][-2:]
    for k in (first, *others):
        curation.change(trained, k, {"group": "Mine"}, "me")
    grouped = families_in(trained)
    assert {row.name for row in grouped.values()} == {"Mine", ""}
    assert next(set(members) for members, row in grouped.items() if row.name) == {first, *others}
    assert sum(row.score for row in grouped.values()) == sum(row.score for row in before.values())
    sentences = [
        row["sentence"]
        for row in get(client, trained, detail="more")["findings"]
        if row["kind"] == "family"
    ]
    assert any(sentence.startswith("Mine, ") for sentence in sentences)


def test_quotations_are_whole_sentences_of_different_documents(trained, client):
    quotes = get(client, trained)["quotes"]
    assert len(quotes) == 3 and len({quote["document"] for quote in quotes}) == 3
    for quote in quotes:
        text = "".join(part for part, _ in quote["text"])
        assert (
            50 < len(text) <= 260
            and re.search(r"[.!?][\"”’')]?$", text)
            and (text[0].isupper() or text[0] in "“\"'(")
        )
        assert any(marked for _, marked in quote["text"])


def test_less_and_more_stand_in_the_address(trained, client):
    less, usual, more = (get(client, trained, detail=detail) for detail in ("less", "", "more"))
    assert len(less["findings"]) < len(usual["findings"]) <= len(more["findings"])
    assert usual["hidden"] == len(more["findings"]) + more["hidden"] - len(usual["findings"])
    assert (
        client.get(reverse("run_overview", args=[trained.pk]), {"detail": "much"}).status_code
        == 400
    )


def test_a_set_has_findings_of_its_own_which_are_kept(trained, client):
    data = get(client, trained, **{"from": "1795"})
    assert (
        data["set"] == "documents from 1795"
        and data["documents"] < get(client, trained)["documents"]
    )
    kept = StoredResult.objects.filter(snapshot=trained.snapshot_id).exclude(
        key__in=family_tree.KEYS_OF_ALL
    )
    assert kept.count() == 1
    get(client, trained, **{"from": "1795", "detail": "more"})
    assert kept.count() == 1
    assert get(client, trained, q="zyzzyva")["findings"] is not None
    assert (
        "No document is in this set"
        in client.get(reverse("run_overview", args=[trained.pk]), {"q": "zyzzyva"}).content.decode()
    )


def test_a_change_of_a_topic_that_was_not_found_again_says_so_everywhere(trained, monkeypatch):
    """Time said “surely 2.5 or more” of a topic that the overview called unstable."""
    selection = Selection.all(RunView(trained))
    found = set_findings.SetFindings(
        documents=1,
        tokens=1,
        unit="year",
        span=["1900", "1950"],
        bins=[],
        quotes=[],
        findings=[change()],
    )
    monkeypatch.setattr(topic_changes.stored, "read", lambda selection: found)
    monkeypatch.setattr(topic_changes.found_again, "doubtful", lambda run: {1})
    (of_topic,) = topic_changes.of_topics(selection, [1])
    doubt = "2 times, interval 1.5 to 2.7; not found again with other seeds"
    assert of_topic.quiet == doubt and doubt in of_topic.plain


def test_the_overview_says_that_its_order_may_change_while_other_seeds_are_trained(trained, client):
    """Topics that are found again come first: “Clearest changes” named others on the next visit."""
    url = reverse("run_overview", args=[trained.pk])
    may_change = "the clearest changes may still change"
    rows_of_changes = [row for row in told(trained) if row.kind == "change"]
    assert rows_of_changes and may_change not in client.get(url).content.decode()
    waiting = Replicate.objects.create(run=trained, seed=99)
    assert may_change in client.get(url).content.decode()
    waiting.delete()
    assert may_change not in client.get(url).content.decode()


def test_only_the_newest_sets_are_kept(trained, client, monkeypatch):
    monkeypatch.setattr(rows, "MOST_ROWS", 2)
    for year in (1791, 1792, 1793, 1794):
        get(client, trained, **{"from": str(year)})
    assert (
        StoredResult.objects.filter(snapshot=trained.snapshot_id)
        .exclude(key__in=family_tree.KEYS_OF_ALL)
        .count()
        == 2
    )


def test_a_stored_answer_makes_no_cached_page_of_a_topic_old(trained, client):
    get(client, trained)
    of_findings = topic_changes.last_stored(trained)
    rows.keep_answer(trained, "words of two sets", method=1, data={}, arrays={"n": np.zeros(1)})
    assert topic_changes.last_stored(trained) == of_findings
    get(client, trained, **{"from": "1795"})
    assert topic_changes.last_stored(trained) > of_findings


def test_a_worker_computes_what_would_take_long(trained, client, monkeypatch):
    asked = []
    monkeypatch.setattr(stored, "QUICK_DOCUMENT_TOPICS", 0)
    monkeypatch.setattr(
        stored.dispatch, "ask", lambda task, arguments, by: asked.append((task, [*arguments, by]))
    )
    StoredResult.objects.all().delete()
    url = reverse("run_overview", args=[trained.pk])
    response = client.get(url, {"from": "1795"})
    assert response.status_code == 202 and "computing the findings" in response.content.decode()
    assert asked == [("tasks.runs.find", [trained.pk, "from=1795", User.objects.local().pk])]
    # Its script asks the JSON, not the whole page, until it says "ready"
    (address,) = re.findall(r'data-ready="([^"]+)"', response.content.decode())
    assert client.get(unescape(address)).json()["ready"] is False
    by_program = f"/api/v1/runs/{trained.pk}/findings"
    answer = client.get(by_program, {"from": "1795"})
    assert (answer.status_code, answer.json()["ready"]) == (202, False)
    from tasks.runs import find

    find(*asked[0][1])
    assert client.get(by_program, {"from": "1795"}).status_code == 200
    assert client.get(url, {"from": "1795"}).status_code == 200


def test_only_of_the_smallest_corpora_a_request_computes_a_set(trained, client, monkeypatch):
    """Of 400 sections a set takes 10 seconds, however few topics their documents have."""
    monkeypatch.setattr(stored, "QUICK_TOKENS", 5_000)
    asked = []
    monkeypatch.setattr(stored.dispatch, "ask", lambda task, *given: asked.append(task))
    monkeypatch.setattr(
        stored.computing, "findings", lambda selection: pytest.fail("computed in the request")
    )
    response = client.get(reverse("run_overview", args=[trained.pk]), {"q": "w*"})
    assert response.status_code == 202
    assert asked == [stored.TASK]
    of_api = client.get(f"/api/v1/runs/{trained.pk}/findings", {"q": "w*"})
    assert of_api.status_code == 202 and of_api.json()["ready"] is False


def test_a_page_waits_for_the_worker_that_has_just_trained(trained, client):
    """Else both compute the same at once, and a class that opens its overviews does so in the web
    process."""
    StoredResult.objects.all().delete()
    url = reverse("run_overview", args=[trained.pk])
    stored.promise(trained)
    assert client.get(url).status_code == 202 and not StoredResult.objects.exists()
    assert client.get(url, {"from": "1795"}).status_code == 200, (
        "of another set nobody promised anything"
    )
    stored.compute(trained.pk)
    assert StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").exists()
    assert client.get(url).status_code == 200


def test_a_worker_is_asked_for_one_set_of_a_reader_at_a_time(trained, client, monkeypatch):
    """Else whoever reads a run could have every worker at work on its sets, and a page that waits
    asks again and again."""
    sent = []
    monkeypatch.setattr(stored, "QUICK_DOCUMENT_TOPICS", 0)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, **_: sent.append(arguments)
    )
    url = reverse("run_overview", args=[trained.pk])
    for year in ("1795", "1796", "1795"):
        assert client.get(url, {"from": year}).status_code == 202
    me = User.objects.local().pk
    assert sent == [[trained.pk, "from=1795", me]]
    dispatch.ask(stored.TASK, [trained.pk, "from=1795"], None)  # a guest, for the same set
    assert len(sent) == 1
    dispatch.ask(stored.TASK, [trained.pk, "from=1797"], None)
    dispatch.ask(stored.TASK, [trained.pk, "from=1798"], None)
    assert sent[1:] == [[trained.pk, "from=1797", None]]
    stored.compute(*sent[0])
    made = (
        StoredResult.objects.exclude(key__in=family_tree.KEYS_OF_ALL)
        .get(snapshot=trained.snapshot_id, key__gt="")
        .made_at
    )
    stored.compute(*sent[0])  # a message that came twice
    assert (
        StoredResult.objects.exclude(key__in=family_tree.KEYS_OF_ALL)
        .get(snapshot=trained.snapshot_id, key__gt="")
        .made_at
        == made
    )
    assert client.get(url, {"from": "1796"}).status_code == 202 and sent[2:] == [
        [trained.pk, "from=1796", me]
    ]
    with pytest.raises(Invalid):
        stored.compute(trained.pk, "has=x", None)
    dispatch.answered(stored.TASK, [trained.pk, "from=1796"], me)


def test_findings_of_an_older_method_are_computed_again(trained, client):
    StoredResult.objects.filter(snapshot=trained.snapshot_id).update(method=0, data={"old": True})
    assert get(client, trained)["ready"]


def test_findings_of_an_older_program_are_shown_and_marked_until_there_are_new_ones(
    trained, client, monkeypatch
):
    """What this program can't read is left out; the page is not cached; a worker is asked."""
    selection = Selection.all(RunView(trained))
    old = json.loads((Path(__file__).parent / "stored_by_an_older_program.json").read_text())
    listed = [*old["findings"], {"kind": "mark", "score": 1.0, "estimate": 2.0}]
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").update(
        method=compute.METHOD - 1, data=old | {"findings": listed}
    )
    monkeypatch.setattr(stored, "QUICK_DOCUMENT_TOPICS", 0)
    found = stored.read_or_ask(selection, None)
    assert found.outdated and len(found.findings) == len(old["findings"])
    page = client.get(reverse("run_overview", args=[trained.pk]))
    assert page.status_code == 202
    assert "An older version of this program made these findings" in page.content.decode()
    assert client.get(reverse("run_overview_json", args=[trained.pk])).json()["outdated"]
    fail_task(stored.TASK, [trained.pk, ""])
    page = client.get(reverse("run_overview", args=[trained.pk]))
    assert "tried to compute them anew, and failed" in page.content.decode()
    stored.compute(trained.pk)
    assert not stored.read_or_ask(selection, None).outdated
    page = client.get(reverse("run_overview", args=[trained.pk]))
    assert page.status_code == 200 and "An older version" not in page.content.decode()


def test_a_page_whose_findings_could_not_be_computed_says_so(client, trained, monkeypatch):
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").delete()
    monkeypatch.setattr(stored, "QUICK_DOCUMENT_TOPICS", 0)
    url = reverse("run_overview", args=[trained.pk])
    assert "We are computing the findings" in client.get(url).content.decode()
    assert client.get(reverse("run_overview_json", args=[trained.pk])).json()["has_failed"] is False
    fail_task(stored.TASK, [trained.pk, ""])
    assert "A worker tried this, and failed" in client.get(url).content.decode()
    stored.compute(trained.pk)
    assert client.get(url).status_code == 200


def test_names_and_hidden_topics_show_at_once(trained, client):
    rows = get(client, trained)["findings"]
    k = next(row["topic"]["number"] for row in rows if row["kind"] == "family")
    curation.change(trained, k, {"label": "A name of ours"}, "reader")
    after = get(client, trained)["findings"]
    assert any(f"A name of ours (T{k:02d})" in row["sentence"] for row in after)


def test_texts_under_embargo_are_short(trained, client):
    embargo.set_embargo(trained.corpus, True)
    for quote in get(client, trained)["quotes"]:
        assert len("".join(part for part, _ in quote["text"])) <= embargo.PASSAGE + 2


def test_a_notebook_begins_with_the_findings(trained, client):
    data = get(client, trained, detail="less")
    response = client.post(
        reverse("notebook_findings"), {"run": trained.pk, "query": "detail=less"}
    )
    notebook = Notebook.objects.latest("pk")
    assert response.url == reverse("notebook", args=[notebook.pk])
    pins = list(notebook.pins.all())
    findings = [pin for pin in pins if pin.kind == "chart"]
    assert [pin.sentence for pin in findings] == [row["sentence"] for row in data["findings"]]
    assert [pin.table is not None for pin in findings] == [
        bool(row["line"]) for row in data["findings"]
    ]
    assert [pin.kind for pin in pins[-3:]] == ["passage"] * 3, "the quotations of the page"
    for pin, row in zip(findings, data["findings"], strict=True):
        assert pin.source.get("level") == row["level"]
        assert "level" in pin.source or "interval" not in pin.sentence, pin.sentence
    written = client.get(reverse("notebook_md", args=[notebook.pk])).content.decode()
    intervals = sum("level" in pin.source for pin in findings)
    said = r"the interval in the sentence is a [\d.]+% confidence interval"
    assert len(re.findall(said, written)) == intervals > 0
    page = client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    drawn = [pin for pin in findings if pin.table is not None]
    for pin in drawn:
        assert f"In the chart: one value per {pin.table['columns'][0]}." in page
    word = client.get(reverse("notebook_docx", args=[notebook.pk])).content
    document = ZipFile(BytesIO(word)).read("word/document.xml").decode()
    assert document.count("In the chart: one value per") == len(drawn) > 0
    assert len(pins) > len(findings) + 3, "changes have passages under them"
    first = data["bins"][0]
    last = data["bins"][-1]
    assert first.startswith(data["span"][0]) and last.endswith(data["span"][1])
    assert client.post(reverse("notebook_findings"), {"run": "x"}).status_code == 302
    assert client.post(reverse("notebook_findings"), {"run": 10**12}).status_code == 404


def test_a_notebook_has_the_set_of_a_page_with_a_long_address(trained, client):
    address = reverse("run_overview", args=[trained.pk])
    long_query = f"other={'x' * 2_000}&from=1796"
    assert client.get(f"{address}?{long_query}").status_code == 200
    client.post(reverse("notebook_findings"), {"run": trained.pk, "query": long_query})
    assert "1796" in Notebook.objects.latest("pk").title
    notebooks = Notebook.objects.count()
    endless = {"run": trained.pk, "query": f"other={'x' * 10_000}&from=1796"}
    assert client.post(reverse("notebook_findings"), endless).status_code == 302
    assert Notebook.objects.count() == notebooks


def test_one_press_pins_a_finding(trained, client):
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    form = re.search(r'id="pin-finding" hidden>(.*?)</form>', page, re.S)[1]
    sent = {
        name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)
    }
    assert 'form="pin-finding" name="finding" value="family-1"' in page
    client.post(reverse("pin_finding"), sent | {"finding": "family-1"})
    pin = Notebook.objects.latest("pk").pins.get()
    data = get(client, trained)
    assert pin.sentence == data["findings"][0]["sentence"]
    assert [row[0] for row in pin.table["rows"]] == data["bins"], "its line over time is kept"
    assert [row[1] for row in pin.table["rows"]] == pytest.approx(
        data["findings"][0]["line"], abs=1e-4
    )


def test_a_change_is_pinned_with_passages_of_its_topic(trained, client):
    row = next(row for row in get(client, trained)["findings"] if row["kind"] in ("change", "mark"))
    sent = {"run": trained.pk, "finding": f"{row['kind']}-{row['rank']}", "notebook": "new"}
    answer = client.post(reverse("pin_finding"), sent, headers={"X-In-Place": "1"})
    assert answer.status_code == 200, answer.json()
    finding, *quoted = Notebook.objects.latest("pk").pins.order_by("position")
    assert finding.sentence == row["sentence"]
    assert "/time/compare/?" in finding.address, "it opens the question that the sentence answers"
    assert 1 <= len(quoted) <= 2 and {pin.kind for pin in quoted} == {"passage"}
    assert len({pin.source["document"] for pin in quoted}) == len(quoted)
    gone = sent | {"finding": "change-999"}
    missing = client.post(reverse("pin_finding"), gone, headers={"X-In-Place": "1"})
    assert missing.status_code == 400 and "no such finding" in missing.json()["error"]


def test_one_press_pins_a_quotation(trained, client):
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    form = re.search(r'id="pin-quote-1" hidden>(.*?)</form>', page, re.S)[1]
    client.post(
        reverse("pin"),
        {
            name: unescape(value)
            for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)
        },
    )
    pin = Notebook.objects.latest("pk").pins.get()
    quote = get(client, trained)["quotes"][0]
    assert pin.kind == "passage" and (pin.start, pin.end) == (quote["start"], quote["end"])


def test_the_api_says_the_same(trained, client):
    api = client.get(f"/api/v1/runs/{trained.pk}/findings", {"from": "1795"}).json()
    page = get(client, trained, **{"from": "1795"})
    assert [row["sentence"] for row in api["findings"]] == [
        row["sentence"] for row in page["findings"]
    ]


def made(draft, name, rows, K):
    corpus = corpus_of(draft, rows, f"{name}.csv", language="en", min_documents=1, max_share=1.0)
    return run_on(corpus, topics=K, passes=20)


def test_little_is_said_of_little(draft, client):
    """Ten documents without a date, one topic; and documents of one day."""
    texts = [
        ["text"],
        *([f"river water flows boat number{i % 3} bridge river stone"] for i in range(10)),
    ]
    run = made(draft, "small", texts, 1)
    data = get(client, run)
    assert kinds_of(data) <= {"family", "caution", "unlike"} and data["span"] == []
    page = client.get(reverse("run_overview", args=[run.pk])).content.decode()
    assert "What changed" not in page and (not data["findings"] or "About" in page)


def test_a_small_corpus_says_that_few_topics_can_be_learned_of_it(draft, client):
    def cautions(count: int) -> str:
        texts = [["text"], *([f"river water boat{i % 7} bridge stone"] for i in range(count))]
        run = made(draft, f"of {count}", texts, 1)
        return client.get(reverse("run_overview", args=[run.pk])).content.decode()

    said = "Small corpus: only a few broad topics can be learned from {} documents"
    assert said.format(299) in cautions(299)
    assert "Small corpus" not in cautions(300)


def test_the_page_of_the_corpus_has_the_number_of_words_in_no_topic(trained, client):
    """The overview left out words that are frequent and spread evenly, and led to a page without the
    number."""
    (row,) = [row for row in told(trained, "detail=more") if "In no topic" in row.sentence]
    share = re.search(r": ([\d.]+%) of the words", row.sentence)[1]
    corpus = reverse("corpus", args=[trained.corpus_id])
    assert row.url == f"{corpus}#report"
    assert f"({share}) are too rare or too frequent" in client.get(corpus).content.decode()


@pytest.mark.parametrize(
    ("dropped", "share"),
    [
        ({"too rare": [9, 30], "spread evenly": [1, 50], "stop word": [3, 500]}, 0.08),
        ({"too rare": [9, 30], "too common": [1, 50], "too short": [3, 500]}, 0.08),
        ({"number": [9, 30], "too long": [9, 30]}, 0.0),
        ({}, 0.0),
    ],
)
def test_words_in_no_topic_are_too_rare_or_too_frequent(dropped, share):
    outside = words_outside(SimpleNamespace(report={"dropped": dropped}, tokens=920))
    assert outside.share == pytest.approx(share)


def test_the_river_says_how_many_words_have_no_date(draft, client):
    """Two hundred documents of ten years, and as many alike without a date."""
    text = "harbour ship cargo sailor {} wheat mill flour baker bread"
    dates = [str(1900 + i % 10) for i in range(200)]
    rows = [[text.format(f"dock{i % 7}"), date] for i, date in enumerate([*dates, *[""] * 200])]
    run = made(draft, "half dated", [["text", "date"], *rows], 2)
    said = "Documents without a date, with 50% of the words, are not in this picture."
    overview_url = reverse("run_overview", args=[run.pk])
    topics_url = reverse("run_topics", args=[run.pk])
    assert said in client.get(overview_url).content.decode()
    assert said in client.get(topics_url, {"view": "time", "by": "year"}).content.decode()
    of_dated = client.get(overview_url, {"from": "1900", "to": "1909"}).content.decode()
    assert "without a date" not in of_dated


def test_an_overview_does_not_begin_with_time_where_few_words_have_a_date(draft, client):
    """Thirty documents of ten years among 470 without a date; Time has them all the same."""
    text = "harbour ship cargo sailor {} wheat mill flour baker bread"
    dates = [str(1900 + i % 10) for i in range(30)]
    rows = [[text.format(f"dock{i % 7}"), date] for i, date in enumerate([*dates, *[""] * 470])]
    run = made(draft, "few dated", [["text", "date"], *rows], 2)
    overview_url = reverse("run_overview", args=[run.pk])
    page = client.get(overview_url).content.decode()
    assert get(client, run)["river"] is None and 'class="river"' not in page
    assert "<b>When, " not in page and "<b>Periods</b>" not in page and "<b>About</b>" in page
    assert "These documents have too few dates to be drawn over time." in page
    assert "<b>When, " in client.get(overview_url, {"from": "1900", "to": "1909"}).content.decode()
    assert client.get(reverse("run_time", args=[run.pk])).status_code == 200
    flow = client.get(reverse("run_topics", args=[run.pk]), {"view": "time", "by": "year"})
    assert "with 94% of the words, are not in this picture" in flow.content.decode()


def change(**values) -> kinds.Change:
    whole = {
        "score": 1.0,
        "estimate": 2.0,
        "low": 1.5,
        "high": 2.7,
        "topic": 1,
        "shape": "step",
        "more": True,
        "first": "1912",
        "last": "1919",
        "here": (0.2, 0.1, 0.3),
        "rest": (0.1, 0.05, 0.2),
    }
    return kinds.Change(**whole | values)


def test_how_many_times_as_much_reads_both_ways():
    def read(estimate, low, high):
        return change(estimate=estimate, low=low, high=high).times[:2]

    assert read(50.0, 35.0, 73.0) == ("50 times", "35 to 73")
    assert read(1 / 13, 1 / 18, 1 / 8.7) == ("13 times less", "8.7 to 18")
    assert read(1.5, 0.5, None) == ("1.5 times", "surely 0.5 or more")
    assert read(4.8, 2.2, 1_666) == ("4.8 times", "surely 2.2 or more"), "its end says no more"
    assert read(1 / 4.6, 1 / 137, 1 / 2.2) == ("4.6 times less", "surely 2.2 or more")
    assert read(150, 80, 400) == ("150 times", "80 to 400")
    assert read(None, 31.0, None) == ("at least 31 times", "")
    assert read(0.0, 0.0, 0.05) == ("at least 20 times less", "")
    assert ratios.with_interval(change().times) == "2 times, interval 1.5 to 2.7"


def test_a_ratio_that_its_interval_leaves_open_is_the_one_that_its_shares_give():
    """Beside 3.7% and 0.1% “at least 2.1 times less” was taken for an error of counting."""

    def read(estimate, low, high):
        return ratios.with_interval(change(estimate=estimate, low=low, high=high).times)

    assert read(1 / 37, 0.0, 1 / 2.1) == "37 times less, surely 2.1 or more"
    assert read(158.0, 1.4, None) == "158 times, surely 1.4 or more"
    assert read(13.0, 1.4, None) == "13 times, surely 1.4 or more"


@pytest.mark.parametrize(
    ("estimate", "low", "high", "said"),
    [
        (9.8, 1.005, None, "9.8 times, perhaps only a little more"),
        (40.0, 1.02, 90.0, "40 times, perhaps only a little more"),
        (5.5, 1.04, 8.0, "5.5 times, interval 1.04 to 8, perhaps only a little more"),
        (1 / 9.8, 0.0, 1 / 1.005, "9.8 times less, perhaps only a little less"),
        (1 / 2, 1 / 3, 1 / 1.04, "2 times less, interval 1.04 to 3, perhaps only a little less"),
        (None, 1.01, None, "perhaps only a little more"),
        (0.0, 0.0, 1 / 1.01, "perhaps only a little less"),
        (2_634.0, 6.5, None, "at least 6.5 times"),
        (1 / 2_634, 0.0, 1 / 6.5, "at least 6.5 times less"),
        (2_634.0, 800.0, 9_000.0, "2,634 times, interval 800 to 9,000"),
        (9.8, 1.06, None, "9.8 times, surely 1.1 or more"),
        (5.5, 1.06, 8.0, "5.5 times, interval 1.1 to 8"),
    ],
)
def test_an_interval_that_begins_with_nearly_as_much_says_so_in_words(estimate, low, high, said):
    assert ratios.with_interval(change(estimate=estimate, low=low, high=high).times) == said


@pytest.mark.parametrize(
    ("estimate", "low", "high", "ratio"),
    [
        (2.0, 1.5, 2.7, 2.0),
        (None, 31.0, None, 31.0),
        (None, None, None, 1e4),
        (0.0, 0.0, 0.05, 0.05),
        (0.0, 0.0, None, 1e-4),
    ],
)
def test_what_is_claimed_of_nothing_is_a_bound(estimate, low, high, ratio):
    """What vanished was claimed to be ten thousand times as much."""
    assert claim.claimed_ratio(estimate, low, high) == ratio


def test_a_change_whose_interval_holds_none_is_not_told():
    assert [
        change(low=low, high=high).holds_no_difference for low, high in ((1.1, 8.1), (1 / 1.4, 3.5))
    ] == [
        False,
        True,
    ]
    assert not change(estimate=None, low=2.0, high=None).holds_no_difference


@pytest.mark.parametrize(
    ("estimate", "low", "high"),
    [(9.8, 1.005, None), (1.5, 0.5, None), (1 / 9.8, 0.0, 1 / 1.005), (5.5, 1.04, 8.0)],
)
def test_a_change_that_may_be_hardly_any_is_not_told(estimate, low, high):
    """It stood among the changes with the words “perhaps hardly any difference”."""
    assert change(estimate=estimate, low=low, high=high).holds_no_difference


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0%"),
        (0.0002, "<0.1%"),
        (0.003, "0.3%"),
        (0.0584, "5.8%"),
        (0.0997, "10%"),
        (0.4, "40%"),
    ],
)
def test_shares_are_brief(share, said):
    assert sentences.briefly(share) == said


def test_an_interval_is_not_written_as_its_estimate():
    assert family.told_apart(0.24, 0.21, 0.27) == ["24%", "21%", "27%"]
    assert family.told_apart(0.241, 0.237, 0.246) == ["24.1%", "23.7%", "24.6%"]
    assert family.told_apart(0.0996, 0.095, 0.104) == ["10.0%", "9.5%", "10.4%"]


def test_periods_and_spans_are_said_in_words():
    names = ["1945", "1940s", "1945-03", "1945-03-09"]
    assert [sentences.period(name) for name in names] == [
        "1945",
        "the 1940s",
        "March 1945",
        "9 March 1945",
    ]

    def spanned(first, last):
        return sentences.spanned(Span(first=first, last=last))

    assert spanned("1973", "1973") == "in 1973" and spanned("1973", "1985") == "from 1973 to 1985"
    assert spanned("2011-03", "2011-06") == "from March to June 2011"
    assert spanned("2010-12", "2011-02") == "from December 2010 to February 2011"
    assert spanned("2016-03-14", "2016-07-03") == "from 14 March to 3 July 2016"
    assert spanned("2016-03-14", "2016-03-30") == "from 14 to 30 March 2016"
    assert spanned("2016-03-14", "2016-03-14") == "on 14 March 2016"
    assert (
        sentences.spanned(Span(first="2016-03-14", last="2016-07-03"), brief=True)
        == "14 Mar–3 Jul 2016"
    )
    assert spanned("1930s", "1940s") == "from the 1930s to the 1940s"


def event(**values) -> kinds.Event:
    whole = {
        "score": 1.0,
        "estimate": 20.0,
        "topic": 1,
        "shape": "window",
        "first": "1912",
        "last": "1919",
        "words": ["war"],
        "here": 0.2,
        "rest": 0.01,
    }
    return kinds.Event(**whole | values)


def test_the_best_word_of_each_time_comes_first():
    steps = [event(score=9 - i, shape="step", first=str(1912 + i)) for i in range(4)]
    later = event(score=3, shape="step", first="1918")
    down = event(score=2, shape="step", more=False)
    told = kinds.Event.arrange([*steps, later, down], PageFindings([], ends=["1900", "1939"]))
    assert [(each.first, each.more) for each in told] == [
        ("1912", True),
        ("1915", True),
        ("1918", True),
        ("1912", False),
        ("1913", True),
        ("1914", True),
    ]
    assert are_at_one_time(
        event(first="2016-03", last="2016-06"), event(first="2016-04", last="2016-07"), 0
    )
    assert not are_at_one_time(
        event(first="2016-03", last="2016-06"), event(first="2016-05", last="2016-08"), 0
    )
    assert not are_at_one_time(event(), steps[0], 99)
    assert sentences.years("1940s") == (1940, 1950) and sentences.years("2016-07") == (
        2016.5,
        2016.5 + 1 / 12,
    )


def test_a_pattern_can_be_moved_by_a_translator():
    """Its parts have names, topics among them; texts that meet are one part."""
    assert sentences.fill("{b} vor {a}", a="1", b="2") == ["2 vor 1"]
    assert sentences.fill("{all}!", all=["x", "y"]) == ["xy!"]
    with pytest.raises(KeyError):
        sentences.fill("{a}")
    assert sentences.join_parts([["a"], ["b"], ["c"]]) == ["a, b and c"]
    assert sentences.join_parts([["a"], ["b"]], "3 more") == [
        "a, b and 3 more"
    ] and sentences.join_parts([["a"]]) == ["a"]


def test_readers_are_told_what_each_kind_claims():
    """docs/findings.md has a row for each kind in its first table."""
    described = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    undescribed = [kind for kind in kinds.KINDS if f"\n| `{kind}` |" not in described]
    assert not undescribed, "docs/findings.md says what each kind claims: add a row for these"


def test_every_kind_is_stored_and_read():
    """A new kind is in the union that is read, in the order of the page, and says how many are kept
    and shown."""
    names = {get_args(get_type_hints(kind)["kind"])[0]: kind for kind in kinds.KINDS.values()}
    assert names == kinds.KINDS
    read = set(
        set_findings.STORED.json_schema()["properties"]["findings"]["items"]["discriminator"][
            "mapping"
        ]
    )
    assert read == set(kinds.KINDS)
    for kind in kinds.KINDS.values():
        assert (
            kind.ON_PAGE.title
            and kind.ON_PAGE.shown["less"]
            <= kind.ON_PAGE.shown[""]
            <= kind.ON_PAGE.shown["more"]
            <= kind.ON_PAGE.kept
        )


def test_what_is_stored_is_what_was_computed(trained):
    found = compute.findings(Selection.all(RunView(trained)))
    text = json.dumps(set_findings.STORED.dump_python(found, mode="json"))
    assert set_findings.STORED.validate_json(text) == found


def test_findings_that_an_older_program_stored_are_read_and_said(trained, client):
    """A row of each kind that there was on 23 November 2026, as the program of that day kept it:
    with names of periods in words, which are made anew today, and without the fields that came
    later."""
    old = json.loads((Path(__file__).parent / "stored_by_an_older_program.json").read_text())
    kinds_then = {finding["kind"] for finding in old["findings"]}
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").update(
        method=compute.METHOD, data=old
    )
    found = stored.read_or_ask(Selection.all(RunView(trained)), None)
    assert {finding.kind for finding in found.findings} == kinds_then
    data = get(client, trained, detail="more")
    # but for a change whose interval holds none, 0.05 to 36
    assert len(data["findings"]) == len(old["findings"]) - 1 and data["span"] == old["span"]
    assert kinds_of(data) == kinds_then
    text = " ".join(row["sentence"] for row in data["findings"])
    assert " until 1868, " in text and "“war”" in text and " from 1939 to 1949, " in text


def test_topics_that_other_seeds_did_not_find_are_named_among_the_cautions(trained, monkeypatch):
    def cautions() -> list[str]:
        return [row.sentence for row in told(trained) if row.kind == "caution"]

    monkeypatch.setattr(overview.found_again, "doubtful", lambda run: {1, 2})
    assert (
        "2 topics were found again in fewer than half of the full trainings from other seeds"
        in cautions()[0]
    )
    monkeypatch.setattr(overview.found_again, "doubtful", lambda run: set())
    assert not any("other seeds" in sentence for sentence in cautions())


def test_a_book_of_many_sections_counts_once_for_a_word_whose_use_changed():
    of_pairs = (np.array([0] * 60 + [3]), np.ones(61, np.int32), np.full(61, 2), np.zeros(61))
    times = SimpleNamespace(group=np.array([5, -1, -1, 7]))
    rows = SimpleNamespace(first_row=np.arange(5))  # documents are cut into sections
    evidence_of_word = SimpleNamespace(
        word_topics=SimpleNamespace(of_word=lambda number: of_pairs), section_bow=rows
    )
    unit = np.array([8, -1, -1, 9])
    documents = SimpleNamespace(
        evidence=evidence_of_word, into=np.arange(4), times=times, unit=unit
    )
    uses = sense.uses_of_word(documents, 1)
    assert uses.topics.tolist() == [2, 2] and uses.period.tolist() == [5, 7]
    assert uses.unit.tolist() == [8, 9]


def test_of_a_word_in_many_documents_an_even_sample_is_read(monkeypatch):
    documents = np.repeat(np.arange(7), [1, 3, 2, 1, 1, 2, 1])
    of_pairs = (documents, np.ones(11, np.int32), np.arange(11) % 4, np.zeros(11))
    rows = SimpleNamespace(first_row=np.arange(5))  # documents are cut into sections
    evidence_of_word = SimpleNamespace(
        word_topics=SimpleNamespace(of_word=lambda number: of_pairs), section_bow=rows
    )
    set_of_seven = SimpleNamespace(
        evidence=evidence_of_word,
        into=np.arange(4),
        times=SimpleNamespace(group=np.arange(7) + 10),
        unit=None,
    )
    uses = sense.uses_of_word(set_of_seven, 1)
    assert uses.period.tolist() == [10, 11, 12, 13, 14, 15, 16]
    monkeypatch.setattr(sense, "MOST_SAMPLED_DOCUMENTS", 3)
    sampled = sense.uses_of_word(set_of_seven, 1)
    assert sampled.period.tolist() == [10, 13, 16]
    assert np.array_equal(sampled.topics, uses.topics[::3])


def test_the_even_sample_is_the_same_where_no_document_has_sections(monkeypatch):
    documents = np.arange(0, 70, 2)
    monkeypatch.setattr(sense, "MOST_SAMPLED_DOCUMENTS", 10)
    of_sections = documents[sense.sample_evenly(documents, True)]
    assert documents[sense.sample_evenly(documents, False)].tolist() == of_sections.tolist()
    assert len(of_sections) == 9


def test_the_overview_says_how_many_documents_have_no_counted_words(draft, client):
    texts = [f"harbour tides sailors anchor number{i % 7}" for i in range(40)]
    rows = [["text"], *([text] for text in [*texts, "the of and", "but"])]
    corpus = corpus_of(draft, rows, "harbours.csv", language="en", min_documents=1, max_share=1.0)
    trained = run_on(corpus, topics=2)
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    link = re.search(r'40 documents\s+\(and <a href="([^"]+)">2 without counted words</a>\)', page)
    assert link
    address, _, query = unescape(link[1]).partition("?")
    listed = client.get(reverse("run_documents_json", args=[trained.pk]) + f"?{query}").json()
    assert address == reverse("run_documents", args=[trained.pk])
    assert listed["count"] == 2
