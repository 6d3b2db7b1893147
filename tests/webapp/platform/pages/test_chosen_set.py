"""The chosen documents: on every page of a run, and in every link between its pages."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import strip_tags

from tests import addresses
from tests.webapp.page_text import in_one_line
from webapp.platform.pages.run_links import RunLinks, conditions

pytestmark = pytest.mark.django_db

SET = "from=1795&to=1799"
ROOMS = [
    "run_topics",
    "run_topic",
    "run_topic_words",
    "run_topic_times",
    "run_documents",
    "run_document",
    "run_time",
    "run_time_table",
    "run_words",
    "run_word",
]


def links(html: str, run: int) -> list[str]:
    return [
        unescape(url)
        for url in re.findall(r'href="([^"]*)"', html)
        if url.startswith(f"/runs/{run}/")
    ]


def test_links_to_pages_of_the_run_get_the_set_and_others_stay():
    go = RunLinks(7, conditions(QueryDict('q="a%26b"&sort=share&in=x:y')))
    for before, after in [
        ("/runs/7/topics/", "/runs/7/topics/?q=%22a%26b%22&in=x%3Ay"),
        ("/runs/7/topics/?view=map#at", "/runs/7/topics/?view=map&q=%22a%26b%22&in=x%3Ay#at"),
        ("/runs/7/documents/?from=1900", None),  # says which documents it means
        ("/runs/7/export/documents.csv", None),
    ]:
        assert go.with_set(before) == (after or before)
    assert RunLinks(7).with_set("/runs/7/topics/") == "/runs/7/topics/"
    for asked in ("?view=map", "view=map"):  # as `address` of a set makes it, or without "?"
        assert RunLinks(7)("run_topics", asked=asked) == "/runs/7/topics/?view=map"
    assert RunLinks(7)("run_topics", asked="?") == "/runs/7/topics/"
    assert conditions(QueryDict("sort=share&q=&in:party=Whig")) == (("in:party", "Whig"),)


@pytest.mark.parametrize(
    "name", ["run_topics_json", "run_topic_json", "run_documents_json", "run_words_json"]
)
def test_every_link_of_a_json_answer_carries_the_set(client, trained, name):
    body = client.get(
        f"{addresses.address(name, trained.corpus_id, trained.pk)}?{SET}"
    ).content.decode()
    urls = [
        url
        for url in re.findall(rf'"(/runs/{trained.pk}/[^"]*)"', body)
        if urlsplit(url).path.endswith("/")
    ]
    assert urls
    for url in urls:
        assert {"has", "from"} & {name for name, _ in parse_qsl(urlsplit(url).query)}, url


@pytest.mark.parametrize("name", ROOMS)
def test_every_link_between_the_rooms_carries_the_set(client, trained, name):
    path = addresses.address(name, trained.corpus_id, trained.pk)
    html = client.get(f"{path}?{SET}").content.decode()
    for url in links(html, trained.pk):
        parts = urlsplit(url)
        if parts.path.endswith("/"):
            asked = [name for name, _ in parse_qsl(parts.query)]
            assert {"has", "from"} & set(asked), url
    assert "from 1795" in html and 'class="set-chip"' in html and 'href="?' in html


@pytest.mark.parametrize(
    "name",
    [
        "run",
        "run_curation",
        "run_how_many",
        "run_methods",
        "run_take",
        "run_reading",
        "run_steer",
        "run_try",
        "run_without",
    ],
)
def test_the_set_stays_on_pages_about_the_whole_run(client, trained, name):
    path = reverse(name, args=[trained.pk])
    html = client.get(f"{path}?{SET}").content.decode()
    assert (
        'class="set-chip"' in html
        and reverse("run_topics", args=[trained.pk]) + "?from=1795&amp;to=1799" in html
    )
    assert 'class="set-chip"' not in client.get(path).content.decode()


@pytest.mark.parametrize(
    ("name", "is_restricted"),
    [
        ("run_topics", True),
        ("run_documents", True),
        ("run_word", True),
        ("run_document", False),  # it takes the set for the documents before and after alone
        ("run_words", False),
        ("run_methods", False),
    ],
)
def test_a_page_says_whether_it_shows_these_documents_alone(client, trained, name, is_restricted):
    path = addresses.address(name, trained.corpus_id, trained.pk)
    html = client.get(f"{path}?{SET}").content.decode()
    assert 'class="set-chip"' in html
    assert ("this page is about the whole run" in html) is not is_restricted


def test_a_set_is_named_and_can_be_used(client, trained):
    html = client.get(
        reverse("run_topics", args=[trained.pk]) + "?q=peace&from=1795&to=1799"
    ).content.decode()
    count = client.get(
        reverse("run_documents_json", args=[trained.pk]) + "?q=peace&from=1795&to=1799"
    ).json()["count"]
    said = strip_tags(html.split('class="set-said"')[1].split("</p>")[0])
    said = " ".join(said.split())
    assert f"{count} of {trained.version.documents} documents ×" in said
    rest = unescape(re.search(r'href="([^"]*rest=1[^"]*)"', html)[1])
    sides = client.get(rest.replace("/compare/", "/compare.json")).json()["sides"]
    assert [side["name"] for side in sides] == ["1795–1799, “peace”", "all others"] and sides[0][
        "documents"
    ] == count
    assert "<h1> <bdi>1795–1799, “peace”</bdi> compared with" in in_one_line(client.get(rest))


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("in=president%3AGeorge+Washington", ["George Washington"]),
        ("q=peace&from=1795&to=1799", ["“peace”", "1795", "1799"]),
        (
            "in=president%3AGeorge+Washington&in=president%3AJohn+Adams&q=peace",
            ["George Washington", "John Adams", "“peace”"],
        ),
    ],
)
@pytest.mark.parametrize("name", ["run_overview", "run_topics", "corpus_documents"])
def test_each_condition_of_a_set_is_named_once(client, trained, name, query, texts):
    """The chip repeated the conditions that are written beside it."""
    owner = trained.corpus_id if name == "corpus_documents" else trained.pk
    html = client.get(reverse(name, args=[owner]) + f"?{query}").content.decode()
    said = strip_tags(html.split('class="set-said"')[1].split("</p>")[0])
    assert [said.count(text) for text in texts] == [1] * len(texts)


def test_five_rooms_and_the_rest_in_menus(client, trained):
    html = client.get(reverse("run_topics", args=[trained.pk])).content.decode()
    rooms = re.findall(r'data-name="([^"]*)"', html)
    assert [room for room in rooms if room != "Overview"] == [
        "Topics",
        "Documents",
        "Time",
        "Words",
    ]
    for name in (
        "run_curation",
        "run_reading",
        "run_take",
        "run_methods",
        "run_steer",
        "run_try",
        "run",
    ):
        assert f'href="{reverse(name, args=[trained.pk])}"' in html, name
