"""The senses of a word: every number can be opened, and what is opened is what was counted."""

import re
import unicodedata
from collections import Counter
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from django.db import connection
from django.urls import reverse
from pydantic import TypeAdapter

from tests.webapp.making import corpus_of, run_on
from webapp.analysis.words import concordance, senses
from webapp.analysis.words.sense_charts import SenseTick, bars, parts, ticks
from webapp.analysis.words.senses import Tally
from webapp.analysis.words.shapes import SensesPage, Shift
from webapp.core.curation import services as curation
from webapp.core.documents import document_days, document_groups, fields
from webapp.core.results import evidence
from webapp.intake.metadata.groups import Groups, span as span_of_period
from webapp.models import Corpus, Notebook, Word
from webapp.platform.accounts import embargo

pytestmark = pytest.mark.django_db

EVIL = "<img src=x onerror=alert(1)>\"'& </mark><script>alert(2)</script>"
BIDI = "\u202e\u2066 evil \u202b"
LONG = "a" * 63


def data(client, run, word, **query):
    response = client.get(reverse("run_word_json", args=[run.pk, word]), query)
    assert response.status_code == 200
    return response.json()


def opened(client, run, word, address):
    """All lines behind an address of a number, through all of their pages."""
    url = reverse("run_word_json", args=[run.pk, word])
    lines = []
    while address is not None:
        page = client.get(url + address).json()
        assert page["first"] == len(lines) + 1
        lines += page["lines"]
        assert page["last"] == len(lines)
        address = page["next"]
    assert len(lines) == page["total"]
    return lines


@pytest.fixture(scope="module")
def frequent(trained, django_db_blocker):
    """A word whose senses have several pages of lines."""
    with django_db_blocker.unblock():
        return Word.objects.get(version=trained.version_id, number=3).word


@pytest.mark.parametrize("order", list(concordance.ORDERS))
def test_as_many_lines_as_the_number_says(client, trained, frequent, order):
    for word in (frequent, "militia", "treasury"):
        page = data(client, trained, word)
        found = evidence.of(trained)
        number = Word.objects.get(version=trained.version_id, word=word).number
        documents, _, topics, certainty = found.word_topics.of_word(number)
        given = {
            int(d): (int(k), int(c)) for d, k, c in zip(documents, topics, certainty, strict=True)
        }
        total = 0
        for sense in (*page["senses"], *page["rare"]):
            lines = opened(client, trained, word, sense["lines"] + f"&sort={order}")
            assert len(lines) == sense["tokens"]
            assert len({line["document"] for line in lines}) == sense["documents"]
            assert len({(line["document"], line["at"]) for line in lines}) == len(lines)
            for line in lines:
                assert unicodedata.normalize("NFC", line["word"].lower()) == word
                assert given[line["document"]] == (sense["number"], round(line["certainty"] * 255))
            total += len(lines)
        assert total == page["tokens"] == len(opened(client, trained, word, page["all"]))


def test_lines_are_the_text(client, trained):
    for line in data(client, trained, "militia", topic="all")["lines"]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT text FROM document WHERE corpus_id = %s AND number = %s",
                [trained.corpus_id, line["document"]],
            )
            text = cursor.fetchone()[0]
        assert text[line["at"] :].startswith(line["word"])
        begin, end = map(int, line["passage_url"].rstrip("/").rsplit("/", 1)[1].split("-"))
        shown = line["before"] + line["word"] + line["after"]
        assert re.sub(r"\s+", " ", text[begin:end]) == shown
        assert 0 <= line["at"] - begin <= concordance.SIDE >= end - line["at"] - len(line["word"])
        assert begin == 0 or text[begin - 1].isspace(), "a line begins with a whole word"
        assert end == len(text) or text[end].isspace(), "and ends with one"
        query = parse_qs(urlsplit(line["url"]).query)
        assert (query["topic"], query["at"]) == ([str(line["topic"])], [str(line["at"])])


def test_orders(client, trained, frequent):
    def lines(order):
        return data(client, trained, frequent, topic="all", sort=order)["lines"]

    certainties = [line["certainty"] for line in lines("certainty")]
    assert certainties == sorted(certainties, reverse=True)
    for order, reverse_ in (("oldest", False), ("newest", True)):
        dates = [line["date"] for line in lines(order)]
        assert dates == sorted(dates, reverse=reverse_)
    after = [concordance.WORD.findall(line["after"].lower())[:2] for line in lines("right")]
    assert after == sorted(after)
    before = [
        concordance.WORD.findall(line["before"].lower())[-3:][::-1][:2] for line in lines("left")
    ]
    assert before == sorted(before)


def test_lines_beyond_those_that_are_sorted_follow(client, trained, frequent, monkeypatch):
    monkeypatch.setattr(concordance, "SORTED", 70)
    all_lines = {
        (line["document"], line["at"]) for line in opened(client, trained, frequent, "?topic=all")
    }
    page = data(client, trained, frequent, topic="all", sort="right")
    assert page["in_order"] == 70 < page["total"]
    assert {
        (line["document"], line["at"])
        for line in opened(client, trained, frequent, "?topic=all&sort=right")
    } == all_lines
    html = client.get(
        reverse("run_word", args=[trained.pk, frequent]), {"topic": "all", "sort": "right"}
    ).content.decode()
    assert "the 70 most certain are in this order" in html


def test_a_set_of_documents(client, trained, frequent):
    whole = data(client, trained, frequent)
    some = data(client, trained, frequent, **{"to": "1795"})
    assert 0 < some["tokens"] < whole["tokens"] and "to 1795" in some["documents_chosen"]
    sense = some["senses"][0]
    lines = opened(client, trained, frequent, sense["lines"])
    assert len(lines) == sense["tokens"] and all(line["date"] <= "1795" for line in lines)
    none = data(client, trained, frequent, **{"from": "2019"})
    assert none["senses"] == [] and none["tokens"] == 0
    html = client.get(
        reverse("run_word", args=[trained.pk, frequent]), {"from": "2019"}
    ).content.decode()
    assert "None of the chosen documents has this word" in html


@pytest.mark.parametrize(
    "query",
    [{}, {"by": "decade"}, {"by": "president"}, {"by": "president", "from": "1793", "to": "1801"}],
)
def test_every_bin_opens_its_lines(client, trained, query):
    page = data(client, trained, "militia", **query)
    shift = page["shift"]
    assert shift["by"] == query.get("by", shift["by"]) and len(shift["bins"]) > 1
    assert sum(bin["tokens"] for bin in shift["bins"]) + shift["outside"] == page["tokens"]
    for bin in shift["bins"]:
        counted = sum(cell["tokens"] for cell in bin["cells"])
        assert counted + bin["unsure"]["tokens"] == bin["tokens"]
        assert bin["thin"] == (bin["tokens"] < senses.THIN_TOKENS)
        for cell, sense in zip(bin["cells"], page["senses"], strict=False):
            if cell["tokens"]:
                lines = opened(client, trained, "militia", cell["lines"])
                assert len(lines) == cell["tokens"] and {line["topic"] for line in lines} == {
                    sense["number"]
                }
                assert min(line["certainty"] for line in lines) >= senses.LIKELY - 0.001
        if bin["unsure"]["tokens"]:
            lines = opened(client, trained, "militia", bin["unsure"]["lines"])
            assert len(lines) == bin["unsure"]["tokens"]
            assert max(line["certainty"] for line in lines) < senses.LIKELY
        if bin["tokens"]:
            assert len(opened(client, trained, "militia", bin["lines"])) == bin["tokens"]


def test_what_is_a_guess_in_a_period_is_no_sense_there(client, trained, monkeypatch):
    monkeypatch.setattr(senses, "LIKELY", 1.1)  # so that the model is sure of nothing
    address = reverse("run_word", args=[trained.pk, "militia"])
    page = data(client, trained, "militia", by="decade")
    assert page["senses"] and page["shift"]["unsure"] == page["tokens"] - page["shift"]["outside"]
    for bin in page["shift"]["bins"]:
        assert not any(cell["tokens"] for cell in bin["cells"])
        assert bin["unsure"]["share"] == (1.0 if bin["tokens"] else 0.0)
    html = client.get(address, {"by": "decade"}).content.decode()
    assert "<p>Not sure</p>" in html and "less than 60% certain" in html
    lines = client.get(address, {"topic": "all", "certainty": "unsure"}).content.decode()
    assert "the model is less than 60% certain of it" in " ".join(lines.split())


def test_other_topics_are_told_apart_where_it_is_asked(client, trained, frequent, monkeypatch):
    # so that all topics but the largest are others
    monkeypatch.setattr(Tally, "clear", property(lambda tally: False))
    usual = data(client, trained, frequent, **{"from": "1790"})
    apart = data(client, trained, frequent, **{"from": "1790", "rest": "apart"})
    numbers = [row["number"] for row in usual["senses"]]
    others = [row["number"] for row in usual["rare"][: senses.TOPICS_APART]]
    assert usual["shift"]["topics"] == numbers and apart["shift"]["topics"] == numbers + others
    for one, other in zip(usual["shift"]["bins"], apart["shift"]["bins"], strict=True):
        rest = sum(cell["tokens"] for cell in other["cells"][len(numbers) :])
        assert (
            one["cells"][-1]["tokens"] == rest
            and len(other["cells"]) == len(numbers) + len(others) + 1
        )


def test_only_clear_topics_are_called_senses(client, trained, frequent, monkeypatch):
    url = reverse("run_word", args=[trained.pk, frequent])
    assert "surely enough" not in client.get(url).content.decode()
    monkeypatch.setattr(senses, "LIKELY", 1.1)
    unsure = client.get(url, {"by": "party"}).content.decode()
    monkeypatch.undo()
    monkeypatch.setattr(senses, "THIN_TOKENS", 10**9)
    assert (
        "are not assigned surely enough to tell" in client.get(url, {"by": "year"}).content.decode()
    )
    assert (
        "surely enough" in unsure and "The model is unsure of most of these occurrences" in unsure
    )


def test_only_the_largest_other_topics_are_listed(client, trained, frequent, monkeypatch):
    monkeypatch.setattr(senses, "LIKELY", 1.1)
    whole = data(client, trained, frequent)
    monkeypatch.setattr(senses, "TOPICS_LISTED", 1)
    page = data(client, trained, frequent, fresh="1")  # not the page that was kept
    assert page["rare"] == whole["rare"][:1] and len(whole["rare"]) > 2
    assert (
        page["rare_count"] == whole["rare_count"] == len(whole["rare"])
        and page["rest"] == whole["rest"]
    )
    text = client.get(reverse("run_word", args=[trained.pk, frequent])).content.decode()
    assert (
        f"And {len(whole['rare']) - 1} more topics" in text
        and f"{len(whole['rare'])} other topics together" in text
    )
    last = whole["rare"][-1]
    assert (
        data(client, trained, frequent, topic=str(last["number"]))["sense"]["words"]
        == last["words"]
    )


def test_the_pin_of_a_word_keeps_its_shares(client, trained, frequent):
    page = client.get(reverse("run_word", args=[trained.pk, frequent])).content.decode()
    form = re.search(r'<form method="post" action="[^"]*pin/"[^>]*>(.*?)</form>', page, re.S)[1]
    sent = {
        name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)
    }
    client.post(reverse("pin"), sent | {"notebook": "new"})
    pin = Notebook.objects.latest("pk").pins.get()
    bins = data(client, trained, frequent)["shift"]["bins"]
    assert [row[0] for row in pin.table["rows"]] == [bin["label"] for bin in bins]
    assert pin.table["rows"][0][1] == pytest.approx(bins[0]["cells"][0]["share"], abs=1e-4)


def test_merged_topics_are_one_sense(client, trained):
    before = data(client, trained, "militia")
    first, second = ([*before["senses"], *before["rare"]][i] for i in range(2))
    curation.change(trained, second["number"], {"into": str(first["number"])}, by="test")
    page = data(client, trained, "militia")
    merged = page["senses"][0]
    assert (
        merged["number"] == first["number"]
        and merged["tokens"] == first["tokens"] + second["tokens"]
    )
    assert second["number"] not in [sense["number"] for sense in (*page["senses"], *page["rare"])]
    for topic in (first["number"], second["number"]):  # the part's own address leads to the whole
        assert len(opened(client, trained, "militia", f"?topic={topic}")) == merged["tokens"]


def test_names_of_senses(client, trained):
    curation.change(
        trained,
        data(client, trained, "militia")["senses"][0]["number"],
        {"label": EVIL[:40]},
        by="test",
    )
    page = data(client, trained, "militia")
    assert page["senses"][0]["name"] == EVIL[:40]
    for sense in page["senses"]:
        assert sense["words"] and "militia" not in sense["words"]
    html = client.get(reverse("run_word", args=[trained.pk, "militia"])).content.decode()
    assert "<img src=x" not in html and "&lt;img src=x" in html


@pytest.mark.parametrize(
    "query",
    [
        "topic=x",
        "topic=-1",
        "topic=999999",
        "topic=",
        "after=x&topic=all",
        "topic=all&sort=;--",
        "by=%00",
        "from=x",
    ],
)
def test_nonsense_in_the_address(client, trained, query):
    response = client.get(reverse("run_word", args=[trained.pk, "militia"]) + "?" + query)
    assert response.status_code in (200, 400)
    if response.status_code == 400:
        page = response.content.decode()
        assert "must be" in page or "has topics 0 to" in page


def test_no_lines_behind_the_last(client, trained):
    page = data(client, trained, "militia", topic="all", after="1000000")
    assert page["lines"] == [] and page["next"] is None


def test_a_corpus_without_places_says_so(client, trained, monkeypatch):
    found = evidence.of(trained)
    monkeypatch.setattr(found.document_bow, "offsets", None)
    for query in ({}, {"topic": "all"}, {"topic": "0"}):
        html = client.get(reverse("run_word", args=[trained.pk, "militia"]), query).content.decode()
        assert "did not keep the positions of words" in html


def test_embargo(client, trained, frequent):
    whole = data(client, trained, frequent)["tokens"]
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    lines = opened(client, trained, frequent, "?topic=all")
    assert max(Counter(line["document"] for line in lines).values()) == embargo.LINES
    assert all(
        len(line["before"] + line["word"] + line["after"]) <= embargo.PASSAGE for line in lines
    )
    page = data(client, trained, frequent, topic="all")
    assert page["total"] == len(lines) < whole == page["total"] + page["kept_back"]
    assert (
        f"{page['kept_back']:,} of these"
        in client.get(
            reverse("run_word", args=[trained.pk, frequent]), {"topic": "all"}
        ).content.decode()
    )


def test_before_the_training_has_ended(client, ready):
    from webapp.core.runs import services as runs

    run = runs.create(ready.version, topics=4)
    for name in ("run_word", "run_words", "run_compare_words"):
        values = {"run_id": run.pk} | ({"word": "militia"} if name == "run_word" else {})
        response = client.get(
            reverse(name, kwargs=values),
            {"word": ["militia", "treasury"]} if "compare" in name else {},
        )
        assert response.status_code == 200
    listed = client.get(reverse("run_documents", args=[run.pk])).content.decode()
    assert (
        "each opens as plain text" in listed and reverse("run_document", args=[run.pk, 0]) in listed
    )
    document = client.get(reverse("run_document", args=[run.pk, 0]) + "?passage=0-9")
    assert (
        document.status_code == 302
        and document.url == reverse("corpus_document", args=[ready.pk, 0]) + "?passage=0-9"
    )
    assert client.get(document.url).status_code == 200
    assert (
        "counted when training ends"
        in client.get(reverse("run_word", args=[run.pk, "militia"])).content.decode()
    )


def test_two_words(client, trained):
    url = reverse("run_compare_words_json", args=[trained.pk])
    page = client.get(url, {"word": ["militia", "Treasury"]}).json()
    found = evidence.of(trained)
    numbers = [
        Word.objects.get(version=trained.version_id, word=word).number
        for word in ("militia", "treasury")
    ]
    has = [set(found.word_topics.of_word(number)[0].tolist()) for number in numbers]
    comparison = page["comparison"]
    assert comparison["together"] == len(has[0] & has[1]) and comparison["documents"] == [
        len(of) for of in has
    ]
    for sense in comparison["senses"]:
        for word, side in zip(("militia", "treasury"), sense["sides"], strict=True):
            if side["tokens"]:
                path, _, query = side["lines"].partition("?")
                assert path == reverse("run_word", args=[trained.pk, word])
                assert len(opened(client, trained, word, "?" + query)) == side["tokens"]
    shared = [sense["shared"] for sense in comparison["senses"]]
    assert shared == sorted(shared, reverse=True)
    html = client.get(
        reverse("run_compare_words", args=[trained.pk]), {"word": ["militia", "treasury"]}
    ).content.decode()
    assert "<title>“militia” beside “treasury”" in html


def test_two_words_of_which_one_is_none(client, trained):
    url = reverse("run_compare_words", args=[trained.pk])
    for words in (
        ["militia", "milittia"],
        ["militia"],
        ["", ""],
        [EVIL, BIDI],
        ["militia", "militia"],
        ["a" * 5000, "x"],
    ):
        html = client.get(url, {"word": words}).content.decode()
        assert "<script>alert" not in html
    assert (
        reverse("run_word", args=[trained.pk, "militia"])
        in client.get(url, {"word": ["treasury", "milittia"]}).content.decode()
    )


def test_the_word_compare_has_a_page_like_any_other(client, trained):
    url = reverse("run_word", args=[trained.pk, "compare"])
    assert url == reverse("run_compare_words", args=[trained.pk])
    assert "Two words" in client.get(url).content.decode()  # it is not in this vocabulary
    Word.objects.filter(version=trained.version_id, word="militia").update(word="compare")
    assert data(client, trained, "compare")["word"]["word"] == "compare"


def all_labels_are_below_their_bars(shift: Shift, marks: list[SenseTick]) -> bool:
    """“2015” was below the bar of 2016. Bars: i / n of the width and a little less wide than 1 / n."""
    labels = [bin.label for bin in shift.bins]
    step = 100 / len(labels)
    lefts = [labels.index(mark.label) * step for mark in marks]
    return all(
        left <= float(mark.x[:-1]) < left + step for left, mark in zip(lefts, marks, strict=True)
    )


def test_bars_stay_within_their_ground(client, trained):
    shift = TypeAdapter(Shift).validate_python(
        data(client, trained, "militia", by="decade")["shift"]
    )
    for i in range(len(shift.bins[0].cells)):
        for bar in bars(shift, i, 46):
            assert 0 <= float(bar.y) and float(bar.y) + float(bar.height) <= 46
            assert float(bar.x[:-1]) + float(bar.width[:-1]) <= 100.001
    marks = ticks(shift)
    assert [mark.label for mark in (marks[0], marks[-1])] == [
        bin.label for bin in (shift.bins[0], shift.bins[-1])
    ]
    assert all_labels_are_below_their_bars(shift, marks)
    page = TypeAdapter(SensesPage).validate_python(data(client, trained, "militia", by="president"))
    for bin in page.shift.bins:
        assert sum(float(part.width[:-1]) for part in parts(bin, page.senses)) <= 100.01


@pytest.mark.parametrize(
    ("certainty", "says"),
    [
        (1.0, "almost certain"),
        (0.8, "very likely"),
        (0.79, "likely"),
        (0.5, "as likely as not"),
        (0.0, "a guess"),
    ],
)
def test_certainty_in_words(certainty, says):
    assert concordance.certainty_word(certainty) == says


def test_direction_of_scripts():
    assert [concordance.direction(word) for word in ("war", "سلام", "שלום", "和")] == [
        "ltr",
        "rtl",
        "rtl",
        "ltr",
    ]


@pytest.mark.parametrize(
    ("by", "label", "days"),
    [
        ("decade", "1990s", ("1990", "1999")),
        ("year", "980", ("0980", "0980")),
        ("month", "1914-08", ("1914-08", "1914-08")),
    ],
)
def test_bins_as_dates(by, label, days):
    assert span_of_period(Groups(by, [label], np.zeros(0, np.int32)), 0) == days


@pytest.mark.parametrize(
    ("first", "last", "period", "offered"),
    [
        ("1790", "2020", "year", ["decade"]),
        ("1992", "2019", "year", ["year", "decade"]),
        ("2018", "2019", "month", ["month", "year"]),
        ("1914", "1914", "year", []),
    ],
)
def test_groupings_of_the_senses(monkeypatch, first, last, period, offered):
    from datetime import date

    monkeypatch.setattr(
        document_days,
        "first_and_last",
        lambda corpus: (date(int(first), 1, 1), date(int(last), 12, 31)),
    )
    monkeypatch.setattr(document_groups, "best_period", lambda corpus: period)
    monkeypatch.setattr(
        fields,
        "categories",
        lambda corpus: [
            SimpleNamespace(name="party", values=["A", "B"]),
            SimpleNamespace(name="one", values=["A"]),
        ],
    )
    assert senses.groupings(SimpleNamespace(version=None)) == [*offered, "party"]


@pytest.fixture(scope="module")
def hostile(draft, django_db_blocker):
    """A run on texts that mean harm: markup, marks that turn the direction of a line, very long
    words, decomposed accents."""
    rng = np.random.default_rng(1)
    rows = [["title", "date", "party", "text"]]
    for i in range(60):
        fill = " ".join(
            rng.permutation(
                ["river", "boat", "fish", "water"] if i % 2 else ["court", "judge", "law", "trial"]
            )
        )
        text = (
            f"{EVIL} bank {fill}\n\n{BIDI} Bank {LONG} e\u0301te\u0301 {fill} \u0130bank سلام"
            f" {fill} 😀bank"
        )
        rows.append([EVIL + BIDI, str(1990 + i % 7), EVIL[:30] if i % 3 else BIDI, text])
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            rows,
            "hostile.csv",
            known={"encoding": "utf-8", "html": False},
            language="",
            min_documents=2,
            max_share=1.0,
        )
        yield run_on(corpus, seed=1, topics=3, passes=3)


def test_hostile_texts(client, hostile):
    for word in ("bank", LONG, "été", "سلام", "script", "alert"):
        for query in ({}, {"topic": "all"}, {"topic": "all", "sort": "left"}, {"by": "party"}):
            html = client.get(reverse("run_word", args=[hostile.pk, word]), query).content.decode()
            assert "<img src=x" not in html and "<script>alert" not in html, (word, query)
        page = data(client, hostile, word)
        assert (
            len(opened(client, hostile, word, page["all"]))
            == page["tokens"]
            == Word.objects.get(version=hostile.version_id, word=word).tokens
        )
    # As it was written
    assert {line["word"] for line in opened(client, hostile, "été", "?topic=all")} == {
        "e\u0301te\u0301"
    }
    assert {line["word"] for line in opened(client, hostile, "bank", "?topic=all")} == {
        "bank",
        "Bank",
    }
    for bin in data(client, hostile, "bank", by="party")["shift"]["bins"]:
        assert len(opened(client, hostile, "bank", bin["lines"])) == bin["tokens"]


def test_every_line_is_isolated_from_the_direction_of_its_neighbours(client, hostile):
    html = client.get(
        reverse("run_word", args=[hostile.pk, "bank"]), {"topic": "all"}
    ).content.decode()
    for line in html.split('<p class="line">')[1:]:
        assert (
            line.index("<bdi>") < line.index(BIDI[0]) if BIDI[0] in line.split("</p>")[0] else True
        )
    assert (
        'dir="rtl"'
        in client.get(
            reverse("run_word", args=[hostile.pk, "سلام"]), {"topic": "all"}
        ).content.decode()
    )


def test_topics_of_one_colour_in_one_strip_are_told_apart():
    assert senses.shades([3, 3, 0, 3]) == [0, 1, 0, 2]
    assert senses.shades([*range(12), 4, 4, 4, 4]) == [0] * 12 + [1, 2, 3, 3]
    assert senses.shades([]) == []


def test_the_names_of_topics_have_the_shades_of_their_parts_of_the_strip(client, trained, frequent):
    """In its lines, which one strip and one list of names introduce."""
    page = client.get(reverse("run_word", args=[trained.pk, frequent]), {"topic": "all"})
    html = page.content.decode()
    strip, names = html.split('<nav class="others"')
    shades = {
        part: sorted(re.findall(r'<a class="(t\d+(?: shade\d)?)[ "]', text))
        for part, text in (
            ("strip", strip.split('<svg class="strip"')[1]),
            ("names", names.split("</nav>")[0]),
        )
    }
    assert shades["strip"] == shades["names"] and "shade1" in " ".join(shades["names"])
