"""Notebooks: what is pinned is kept as it was, can be ordered, taken out, put back, shared and
taken along."""

import io
import re
import struct
import zipfile
from html import escape
from xml.etree import ElementTree

import orjson
import pytest
from django.test import Client
from django.urls import reverse
from markdown_it import MarkdownIt

from inference.errors import Invalid
from webapp.core.curation import services as curation
from webapp.core.documents import passages
from webapp.core.documents.passages import Place
from webapp.core.notebooks import markdown, queries, services as notebooks, word
from webapp.core.notebooks.shapes import PinContent
from webapp.intake import file_formats
from webapp.models import Corpus, Document, Notebook, Pin, User
from webapp.platform.drawing.colours import ON_PAPER
from webapp.platform.drawing.tables import MAP_COLUMNS

pytestmark = pytest.mark.django_db

MISSING = 10**12
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script> [x](javascript:alert(3)) \"'>"


@pytest.fixture
def notebook():
    return notebooks.create("Evidence", "Ada")


def pin(client, notebook, **sent):
    """What a Pin button sends; the last pin of the notebook."""
    response = client.post(reverse("pin"), {"notebook": notebook.pk, **sent}, follow=True)
    assert response.status_code == 200
    made = notebook.pins.order_by("position").last()
    assert made is not None, re.findall(r'<li class="error">.*?</li>', response.content.decode())
    return made


def passage(trained, number=5):
    return (
        Document.objects.filter(corpus_id=trained.corpus_id, number=number)
        .values_list("text", flat=True)
        .get()
    )


def chart(**changes) -> dict:
    return {
        "kind": "chart",
        "title": "Shares",
        "address": "/notebooks/",
        "sentence": "A rises.",
        **changes,
    }


def titles(notebook):
    return [pin.title for pin in queries.content(notebook, Corpus.objects.all()).pins]


def test_pin_a_topic(client, trained, notebook):
    curation.change(trained, 2, {"label": "Farming", "colour": "9"}, "owner")
    made = pin(
        client,
        notebook,
        kind="topic",
        run=trained.pk,
        topic=2,
        comment="See\nthis",
        address="//evil.example",
    )
    assert (made.kind, made.title, made.comment, made.by) == (
        "topic",
        "Farming (T02)",
        "See\nthis",
        "owner",
    )
    assert made.address == reverse("run_topic", args=[trained.pk, 2])
    assert len(made.quote.split(", ")) == 10 and made.source["colour"] < 29
    curation.change(trained, 2, {"label": "Renamed"}, "owner")
    html = client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    assert "Farming (T02)" in html and "Renamed" not in html
    assert f"run {trained.pk}, K = 6, seed 3" in html and "See<br>this" in html


def test_pin_a_passage_by_its_place(client, trained, notebook):
    text = passage(trained)
    space = text.index(" ", 40)
    end = text.index(" ", 200)
    made = pin(
        client,
        notebook,
        kind="passage",
        run=trained.pk,
        document=5,
        start=space,
        end=end + 1,
        quote=text[space : end + 1],
    )
    # Without the spaces around it
    assert (made.quote, made.start, made.end) == (
        text[space + 1 : end],
        space + 1,
        end,
    )
    assert (
        made.source["id"]
        and made.source["file"] == "speeches.csv"
        and made.source["run"] == trained.pk
    )
    assert (
        f"characters {space + 1}–{end}"
        in client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    )


def test_pin_a_passage_as_it_was_copied(client, trained, notebook):
    text = passage(trained)
    copied = "… " + "  \n".join(text[40:200].split(" ")[1:-1]) + " …"
    made = pin(
        client,
        notebook,
        kind="passage",
        corpus=trained.corpus_id,
        document=5,
        quote=copied,
        start=1,
        end=2,
    )
    assert (
        made.quote == text[made.start : made.end]
        and made.quote.split() == copied.strip("…").split()
    )
    place = f"?passage={made.start}-{made.end}#passage"
    assert (
        made.address == reverse("corpus_document", args=[trained.corpus_id, 5]) + place
        and "run" not in made.source
    )


def test_a_passage_from_within_a_sentence_has_an_ellipsis(client, trained, notebook):
    """It began with “precompiled tars” as if a sentence did."""
    text = passage(trained)
    words = [match.start() for match in re.finditer(r"(?<=[a-z] )[a-z]", text)]
    start, end = words[2], words[6] - 1
    made = pin(client, notebook, kind="passage", run=trained.pk, document=5, quote=text[start:end])
    assert made.quote == " ".join(text[start:end].split(" "))
    shown = queries.content(notebook, Corpus.objects.all()).pins[-1]
    assert shown.quote == f"… {made.quote} …"
    page = client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    assert escape(shown.quote) in page
    pin(client, notebook, kind="passage", run=trained.pk, document=5, quote=text[:end])
    assert queries.content(notebook, Corpus.objects.all()).pins[-1].quote == f"{text[:end]} …"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (
            {"kind": "passage", "document": 5, "quote": "never said by anybody"},
            "does not contain this passage",
        ),
        ({"kind": "passage", "document": 5, "quote": ""}, "Mark or paste"),
        (
            {"kind": "passage", "document": 5, "quote": "", "start": 5, "end": 10**15},
            "Mark or paste",
        ),
        ({"kind": "passage", "document": 5, "quote": "a" * 20_000}, "at most 5,000"),
        ({"kind": "passage", "document": 5, "quote": "a\0b"}, "does not contain"),
        ({"kind": "passage", "document": MISSING, "quote": "x"}, "has no document"),
        ({"kind": "passage", "document": "5; DROP", "quote": "x"}, "must be a whole number"),
        ({"kind": "topic", "topic": 99}, "has no topic 99"),
        ({"kind": "topic", "topic": "²"}, "must be a whole number"),
        ({"kind": "dream"}, "must name what is pinned"),
        (chart(address="javascript:alert(1)"), "Only pages of this Topograph"),
        (chart(address="https://evil.example/"), "Only pages of this Topograph"),
        (chart(address="//evil.example/runs/1/"), "Only pages of this Topograph"),
        (chart(address="/\\evil.example"), "Only pages of this Topograph"),
        (chart(address="/no/such/page/"), "Only pages of this Topograph"),
        (chart(address="/notebooks/?" + "x" * 2000), "Only pages of this Topograph"),
        (chart(table="{"), "not JSON"),
        (chart(table="[]"), "columns and rows"),
        (chart(table='{"columns": ["a"], "rows": [[1, 2]]}'), "columns and rows"),
        (chart(table='{"columns": ["a"], "rows": [[{}]]}'), "a text or a number"),
        (
            chart(table=orjson.dumps({"columns": ["a"], "rows": [[1]] * 301}).decode()),
            "at most 300 rows",
        ),
        (chart(table='{"columns": ["a"], "rows": [[1]], "hues": [1, 2]}'), "one for each row"),
        (chart(table='{"columns": ["a"], "rows": [[1]], "hues": ["red"]}'), "from 0 to 28"),
        (chart(table='{"columns": ["a"], "rows": [[1]], "hues": [29]}'), "from 0 to 28"),
        (chart(passages="["), "must be a list"),
        (chart(passages='{"document": 5}'), "must be a list"),
        (chart(passages='[{"document": true, "quote": "a"}]'), "must be a list"),
        (chart(passages='[{"document": 5, "quote": "a"}]' * 2), "must be a list"),
        (chart(passages='[{"document": 5, "quote": "zyzzyva"}]'), "does not contain"),
        (
            chart(passages=orjson.dumps([{"document": 5, "quote": "a"}] * 6).decode()),
            "at most 5 passages",
        ),
        (chart(sentence="x" * 10_001), "at most 10,000"),
        (chart(comment="x" * 10_001), "at most 10,000"),
        (chart(notebook=MISSING), "no longer exists"),
        (chart(notebook="1 OR 1=1"), "no longer exists"),
    ],
)
def test_what_is_no_evidence_is_refused(client, trained, notebook, sent, said):
    response = client.post(
        reverse("pin"), {"notebook": notebook.pk, "run": trained.pk, **sent}, follow=True
    )
    assert said in response.content.decode()
    assert not Pin.objects.exists()


def test_pin_a_chart_with_its_table(client, trained, notebook):
    table = {"columns": ["year", EVIL], "rows": [[1912, 0.25], [1913, None], ["1914", "=1"]]}
    address = reverse("run_topics", args=[trained.pk]) + "?sort=coherence#top"
    made = pin(
        client,
        notebook,
        **chart(run=trained.pk, address=address, table=orjson.dumps(table).decode()),
    )
    assert (made.address, made.table["rows"]) == (address, table["rows"])
    html = client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    assert ">1912</td>" in html and "<img" not in html and "A rises." in html


def test_a_chart_is_pinned_with_the_passages_of_its_page(client, trained, notebook):
    """They are found in the documents: as an embargo and an erasure do with any passage, so with
    these."""
    text = passage(trained)
    quote = " ".join(text.split()[3:9])
    sent = orjson.dumps([{"document": 5, "quote": quote}]).decode()
    made = pin(client, notebook, **chart(run=trained.pk, passages=sent))
    assert made.kind == "passage" and made.quote == text[made.start : made.end]
    assert made.quote.split() == quote.split() and made.source["document"] == 5
    assert [row.kind for row in notebook.pins.order_by("position")] == ["chart", "passage"]
    markdown_file = client.get(reverse("notebook_md", args=[notebook.pk])).content.decode()
    assert markdown_file.index("A rises.") < markdown_file.index("> ")


def test_a_map_is_drawn_on_the_page_and_in_files(client, trained, notebook):
    table = {
        "columns": MAP_COLUMNS,
        "rows": [["War (T01)", 0.3, 0.1, 0.2], ["Tax (T02)", 0.1, 0.8, 0.5]],
        "hues": [3, 28],
    }
    pin(client, notebook, **chart(run=trained.pk, table=orjson.dumps(table).decode()))
    for route in ("notebook", "notebook_html"):
        page = client.get(reverse(route, args=[notebook.pk])).content.decode()
        circles = re.findall(
            r'<circle class="t(\d+)" cx="([\d.]+)" cy="[\d.]+" r="([\d.]+)"><title>(.*?)</title>',
            page,
        )
        assert [(hue, title) for hue, _, _, title in circles] == [
            ("3", "War (T01), 30%"),
            ("28", "Tax (T02), 10%"),
        ]
        assert float(circles[0][1]) < float(circles[1][1])
        assert float(circles[0][2]) > float(circles[1][2])
        assert ">War (T01)</text>" in page and ">Tax (T02)</text>" in page
    content = client.get(reverse("notebook_docx", args=[notebook.pk])).content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        picture = archive.read("word/media/chart1.svg").decode()
    assert "War (T01)" in picture and ON_PAPER[3] in picture and ON_PAPER[28] in picture
    markdown_file = client.get(reverse("notebook_md", args=[notebook.pk])).content.decode()
    assert "| War (T01) | 30% | 10% | 20% |" in markdown_file


def test_a_new_notebook_from_the_button(client, trained):
    where = reverse("run_topic", args=[trained.pk, 1])
    response = client.post(
        reverse("pin"),
        {"notebook": "new", "kind": "topic", "run": trained.pk, "topic": 1, "next": where},
    )
    assert response["Location"] == where
    assert Notebook.objects.get().pins.count() == 1
    html = client.get(where).content.decode()
    assert (
        f"{trained.corpus.name}, notes of"
        in html.split('<select name="notebook"')[1].split("</select>")[0]
    )


@pytest.mark.parametrize("headers", [{}, {"X-In-Place": "1"}])
def test_what_can_not_be_pinned_leaves_no_new_notebook(client, trained, headers):
    sent = chart(address="https://elsewhere.example/", notebook="new", run=trained.pk)
    answer = client.post(reverse("pin"), sent, headers=headers, follow=True)
    assert "Only pages of this Topograph can be pinned" in answer.content.decode()
    assert not Notebook.objects.exists()


def test_one_press_keeps_to_the_notebook_of_the_corpus(client, trained, notebook):
    sent = {"kind": "topic", "run": trained.pk, "topic": 1, "notebook": "own"}
    elsewhere = Corpus.objects.create(name="Changelogs")
    foreign = notebooks.create("Changelogs, notes", "Ada")
    Pin.objects.create(
        notebook=foreign,
        position=1,
        kind="chart",
        title="T03",
        address="/",
        source={"corpus_id": elsewhere.pk},
        by="Ada",
    )
    notebooks.pin(foreign, PinContent("chart", "Shares", "/notebooks/"), "", "Ada")  # used last
    client.post(reverse("pin"), sent)
    assert notebook.pins.count() == 1  # it was empty, and is the corpus's from now on
    client.post(reverse("pin"), sent | {"topic": 2})
    assert (notebook.pins.count(), foreign.pins.count()) == (2, 2)
    notebooks.remove(notebook)
    client.post(reverse("pin"), sent)
    made = Notebook.objects.latest("pk")
    assert made.title.startswith(f"{trained.corpus.name}, notes of ") and made.pins.count() == 1
    assert foreign.pins.count() == 2


def test_the_same_is_pinned_once_unless_the_reader_says_so(client, trained, notebook):
    """A second press added a second piece without a word."""
    topic = {"kind": "topic", "run": trained.pk, "topic": 1}
    quoted = {"kind": "passage", "run": trained.pk, "document": 5, "start": 0, "end": 40}
    table = {"columns": ["year", "share"], "rows": [["1790", 0.25]]}
    figure = chart(run=trained.pk, title="Share", table=orjson.dumps(table).decode())
    for number, content in enumerate((topic, quoted, figure), 1):
        sent = content | {"notebook": notebook.pk, "comment": "Mind this", "next": "/glossary/"}
        assert client.post(reverse("pin"), sent).status_code == 302
        first = notebook.pins.order_by("position").last()
        place = reverse("notebook", args=[notebook.pk]) + f"#pin-{first.pk}"
        page = client.post(reverse("pin"), sent)
        assert page.status_code == 409 and notebook.pins.count() == number
        html = page.content.decode()
        assert "This is pinned already" in html and f'href="{place}"' in html
        assert 'name="comment" value="Mind this"' in html and 'href="/glossary/"' in html
        answer = client.post(reverse("pin"), sent, headers={"X-In-Place": "1"})
        assert answer.status_code == 409
        assert answer.json() == {"notebook": "Evidence", "url": place}
        assert notebook.pins.count() == number
    notebook.pins.all().delete()
    for sent in (topic, quoted, figure):
        client.post(reverse("pin"), sent | {"notebook": notebook.pk})
        client.post(reverse("pin"), sent | {"notebook": notebook.pk, "again": "1"})
    assert notebook.pins.count() == 6


def test_another_number_another_place_and_what_was_removed_are_not_the_same(
    client, trained, notebook
):
    other = notebooks.create("Other", "Ada")
    sent = chart(run=trained.pk, title="Share", sentence="24% in 1860") | {"notebook": notebook.pk}
    changed = [
        {}, {"sentence": "25% in 1860"}, {"title": "Shares"}, {"address": "/glossary/"},
        {"table": orjson.dumps({"columns": ["year"], "rows": [["1860"]]}).decode()}, {"notebook": other.pk},
    ]  # fmt: skip
    for change in changed:
        assert client.post(reverse("pin"), sent | change).status_code == 302
    assert (notebook.pins.count(), other.pins.count()) == (5, 1)
    notebooks.remove_pin(notebook.pins.first())
    assert client.post(reverse("pin"), sent).status_code == 302


def test_a_script_gets_the_answer_alone(client, trained, notebook):
    sent = {"kind": "topic", "run": trained.pk, "topic": 1, "notebook": notebook.pk}
    answer = client.post(reverse("pin"), sent, headers={"X-In-Place": "1"})
    assert answer.json() == {
        "notebook": "Evidence",
        "url": reverse("notebook", args=[notebook.pk]),
    }
    answer = client.post(reverse("pin"), sent | {"topic": 99}, headers={"X-In-Place": "1"})
    assert answer.status_code == 400 and "has no topic 99" in answer.json()["error"]


def test_last_used_first(client, trained):
    first = notebooks.create("First", "a")
    second = notebooks.create("Second", "a")
    assert [n.title for n in Notebook.objects.recent()] == ["Second", "First"]
    pin(client, first, kind="topic", run=trained.pk, topic=1)
    assert [n.title for n in Notebook.objects.recent()] == ["First", "Second"]
    notebooks.remove(first)
    assert [n.title for n in Notebook.objects.recent()] == ["Second"]
    assert second.pk


def test_the_button_asks_once_a_page(client, trained, django_assert_max_num_queries):
    notebooks.create("One", "a")
    with django_assert_max_num_queries(25) as asked:
        client.get(reverse("run_topic", args=[trained.pk, 1]))
    assert sum("webapp_notebook" in q["sql"] for q in asked.captured_queries) == 1


def test_order_removal_and_what_comes_back(client, notebook):
    made = [notebooks.pin(notebook, PinContent(**chart(title=t)), "", "a") for t in "ABCD"]

    def act(which, name):
        response = client.post(
            reverse("notebook_pin", args=[notebook.pk, made[which].pk]), {"act": name}
        )
        assert response.status_code == 302
        return titles(notebook)

    assert act(2, "up") == ["A", "C", "B", "D"]
    assert act(0, "up") == ["A", "C", "B", "D"]
    assert act(3, "down") == ["A", "C", "B", "D"]
    assert act(2, "remove") == ["A", "B", "D"]
    assert act(2, "up") == ["A", "B", "D"]
    assert act(3, "up") == ["A", "D", "B"]
    assert b"Restore" in client.get(reverse("notebook", args=[notebook.pk])).content
    assert sorted(act(2, "restore")) == ["A", "B", "C", "D"]
    assert (
        client.post(
            reverse("notebook_pin", args=[notebook.pk, made[0].pk]), {"act": "explode"}
        ).status_code
        == 400
    )


def test_comments_and_titles(client, notebook):
    made = notebooks.pin(notebook, PinContent(**chart()), "", "a")
    url = reverse("notebook_pin", args=[notebook.pk, made.pk])
    client.post(url, {"act": "comment", "comment": EVIL})
    client.post(
        reverse("notebook_change", args=[notebook.pk]),
        {"act": "text", "title": EVIL, "intro": EVIL},
    )
    for name in ("notebook", "notebooks"):
        html = client.get(
            reverse(name, args=[notebook.pk] if name == "notebook" else [])
        ).content.decode()
        assert "<img" not in html and "<script>alert" not in html and "&lt;img src=x" in html
    assert (
        b"Give the notebook a title"
        in client.post(
            reverse("notebook_change", args=[notebook.pk]),
            {"act": "text", "title": " \u202e"},
            follow=True,
        ).content
    )
    assert (
        b"at most 200"
        in client.post(reverse("notebook_new"), {"title": "x" * 201}, follow=True).content
    )
    assert (
        b"at most 10,000"
        in client.post(url, {"act": "comment", "comment": "x" * 10_001}, follow=True).content
    )
    assert Notebook.objects.count() == 1


def test_a_full_notebook(notebook):
    made = Pin(notebook=notebook, position=1, kind="chart", title="x", address="/", by="a")
    Pin.objects.bulk_create(
        [made]
        + [
            Pin(notebook=notebook, position=n, kind="chart", title="x", address="/", by="a")
            for n in range(2, 501)
        ]
    )
    with pytest.raises(Invalid, match="full: a notebook holds 500"):
        notebooks.pin(notebook, PinContent(**chart()), "", "a")


def test_what_a_notebook_and_a_user_hold_is_bounded(client, notebook, monkeypatch):
    """Whoever has the link has all of it on one page."""
    table = {"columns": ["a", "b"], "rows": [["x" * 500, "y" * 490]] * 100}
    with pytest.raises(Invalid, match="A table has at most 100,000 characters; this one has"):
        notebooks.pin(notebook, PinContent(**chart(table=table)), "", "a")
    fits = PinContent(**chart(table=table | {"rows": table["rows"][:90]}))
    monkeypatch.setattr(notebooks, "TABLES", 190_000)
    for _ in range(2):
        notebooks.pin(notebook, fits, "", "a")
    with pytest.raises(Invalid, match="its charts hold 190,000 characters"):
        notebooks.pin(notebook, fits, "", "a")
    notebooks.pin(notebook, PinContent(**chart()), "", "a")
    monkeypatch.setattr(notebooks, "NOTEBOOKS", 2)
    notebooks.create("two", "a")
    with pytest.raises(Invalid, match="2 notebooks, which is the most"):
        notebooks.create("three", "a")
    html = client.post(reverse("notebook_new"), {"title": "three"}, follow=True).content.decode()
    assert "which is the most" in html and Notebook.objects.count() == 2


def test_share_by_link_and_revoke(client, notebook):
    notebooks.pin(notebook, PinContent(**chart(title="Shown")), "", "a")
    notebooks.remove_pin(notebooks.pin(notebook, PinContent(**chart(title="Taken out")), "", "a"))
    change = reverse("notebook_change", args=[notebook.pk])
    client.post(change, {"act": "share"})
    notebook.refresh_from_db()
    token = notebook.token
    assert len(token) == 43
    client.post(change, {"act": "share"})
    assert Notebook.objects.get().token == token  # the link that was given on stays
    stranger = Client()
    url = reverse("shared", args=[token])
    assert url in client.get(reverse("notebook", args=[notebook.pk])).content.decode()
    html = stranger.get(url).content.decode()
    assert (
        "Shown" in html
        and "Taken out" not in html
        and 'method="post"' not in html
        and "noindex" in html
    )
    twin = stranger.get(reverse("shared_json", args=[token])).json()
    assert len(twin["pins"]) == 1 and twin["removed"] == [] and token not in str(twin)
    assert stranger.post(url).status_code == 405
    client.post(change, {"act": "revoke"})
    assert stranger.get(url).status_code == 404
    client.post(change, {"act": "share"})
    notebook.refresh_from_db()
    assert notebook.token != token and stranger.get(url).status_code == 404
    shown = reverse("shared", args=[notebook.token])
    statuses = []
    for is_open in (True, False, True):  # the account of its owner
        User.objects.filter(pk=notebook.owner_id).update(is_active=is_open)
        statuses.append(stranger.get(shown).status_code)
    assert statuses == [200, 404, 200]
    client.post(change, {"act": "remove"})
    assert stranger.get(shown).status_code == 404
    client.post(change, {"act": "restore"})
    assert Notebook.objects.get().token is None


def test_removed_notebooks_are_listed_apart(client, notebook):
    client.post(reverse("notebook_change", args=[notebook.pk]), {"act": "remove"})
    url = reverse("notebooks_json")
    assert client.get(url).json()["notebooks"] == []
    assert [n["title"] for n in client.get(url + "?removed=1").json()["notebooks"]] == ["Evidence"]
    assert b"Restore" in client.get(reverse("notebook", args=[notebook.pk])).content


def test_list_in_pages(client):
    Notebook.objects.bulk_create([Notebook(title=f"N{n}", by="a") for n in range(queries.PAGE + 3)])
    url = reverse("notebooks_json")
    found = []
    query = ""
    while query is not None:
        answer = client.get(url + query).json()
        found += [n["title"] for n in answer["notebooks"]]
        query = answer["next"]
    assert found == [f"N{n}" for n in reversed(range(queries.PAGE + 3))]


def test_take_it_along(client, trained, notebook):
    curation.change(trained, 1, {"label": EVIL[:80]}, "owner")
    pin(
        client,
        notebook,
        kind="topic",
        run=trained.pk,
        topic=1,
        comment="# no heading\n- no list\n1. none\n" + EVIL,
    )
    pin(client, notebook, kind="passage", run=trained.pk, document=5, start=40, end=200)
    table = orjson.dumps({"columns": ["a|b"], "rows": [[1], ["---"]]}).decode()
    pin(
        client,
        notebook,
        **chart(
            run=trained.pk, address=reverse("run_words", args=[trained.pk]) + "?q=<b>)", table=table
        ),
    )
    response = client.get(reverse("notebook_md", args=[notebook.pk]))
    assert response["Content-Disposition"].startswith("attachment")
    text = response.content.decode()
    assert (
        "<img" not in text
        and "<script" not in text
        and not re.search(r"(?<!\\)\]\(javascript", text)
    )
    assert "\\# no heading" in text and "\\- no list" in text and "1\\. none" in text
    assert f"](<http://testserver{reverse('run_document', args=[trained.pk, 5])}?passage=" in text
    assert "?q=%3Cb%3E)>)" in text and "| a\\|b |\n| --- |\n| 1 |\n| \\--- |" in text
    assert "\n> " in text and f"run {trained.pk}, K = 6, seed 3" in text
    html = client.get(reverse("notebook_html", args=[notebook.pk])).content.decode()
    assert "<img" not in html and "<script" not in html and 'href="http://testserver/runs/' in html
    assert "src=" not in html.replace("src=x onerror", "")  # nothing is fetched from anywhere


@pytest.mark.parametrize("address", ["", "/pages/that/are/no/more/"])
def test_a_pin_that_leads_nowhere_leaves_its_notebook_open(client, notebook, address):
    """The passage of an erased document has no address any more."""
    pin(client, notebook, **chart())
    notebook.pins.update(address=address)
    for name in ("notebook", "notebook_json", "notebook_md", "notebook_html", "notebook_docx"):
        assert client.get(reverse(name, args=[notebook.pk])).status_code == 200, name
    (row,) = queries.content(notebook, Corpus.objects.all()).pins
    assert row.deleted and row.address == ""
    text = client.get(reverse("notebook_md", args=[notebook.pk])).content.decode()
    assert "A rises." in text and "](" not in text


def test_as_a_word_document(client, trained, notebook, tmp_path):
    """Each part is XML, whatever was written; and the document reads as the notebook does."""
    pin(
        client,
        notebook,
        kind="passage",
        run=trained.pk,
        document=5,
        start=40,
        end=200,
        comment="one & <two>\x0b\nthree" + EVIL,
    )
    table = orjson.dumps({"columns": ["a<b", "n"], "rows": [["x", 1.5], [None, 2]]}).decode()
    pin(
        client,
        notebook,
        **chart(
            run=trained.pk, address=reverse("run_words", args=[trained.pk]) + '?q="<b>', table=table
        ),
    )
    response = client.get(reverse("notebook_docx", args=[notebook.pk]))
    assert response["Content-Disposition"] == f'attachment; filename="notebook-{notebook.pk}.docx"'
    path = tmp_path / "notebook.docx"
    path.write_bytes(response.content)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and archive.namelist() == list(word.PARTS)
        parts = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    cells = [
        cell.text or "" for cell in parts["word/document.xml"].findall(f".//{space}tc//{space}t")
    ]
    assert cells == ["a<b", "n", "x", "1.5", "", "2"]
    links = [
        field.get(f"{space}instr") for field in parts["word/document.xml"].iter(f"{space}fldSimple")
    ]
    assert (
        links[1].strip()
        == f'HYPERLINK "http://testserver{reverse("run_words", args=[trained.pk])}?q=%22%3Cb%3E"'
    )
    *_, document = file_formats.read(path, "notebook.docx", file_formats.Options())
    quoted = notebook.pins.order_by("pk").first().quote
    assert (
        notebook.title in document.text
        and "one & <two>" in document.text
        and "three" in document.text
    )
    assert quoted.split("\n")[0].strip() in document.text


def test_word_and_markdown_have_the_chart_percent_and_one_heading_a_section(
    client, trained, notebook
):
    table = {
        "columns": ["year", "Navy & ships", "Navy & ships: 95% low", "Navy & ships: 95% high"],
        "rows": [["1790", 0.0134, 0.01, 0.02], ["1791", None, None, None], ["1792", 0.4, 0.3, 0.5]],
    }
    sent = chart(run=trained.pk, title="What changed", table=orjson.dumps(table).decode())
    pin(client, notebook, **sent)
    pin(client, notebook, kind="passage", run=trained.pk, document=5, start=40, end=200)
    pin(client, notebook, **chart(run=trained.pk, title="What changed", sentence="B falls."))
    content = client.get(reverse("notebook_docx", args=[notebook.pk])).content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        picture = archive.read("word/media/chart1.png")
        drawn = ElementTree.fromstring(archive.read("word/media/chart1.svg"))
        document = archive.read("word/document.xml").decode()
        relations = archive.read("word/_rels/document.xml.rels").decode()
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    per_metre = struct.unpack(">II", picture[picture.index(b"pHYs") + 4 :][:8])
    assert per_metre == (11811, 11811) and (width, height) == (1888, 792)  # 300 dpi
    assert "Navy & ships" in "".join(drawn.itertext())
    assert "media/chart1.png" in relations and "media/chart1.svg" in relations
    assert "1.3%" in document and "0.0134" not in document and "svgBlip" in document
    assert document.count('<w:t xml:space="preserve">What changed</w:t>') == 1
    text = client.get(reverse("notebook_md", args=[notebook.pk])).content.decode()
    assert text.count("## What changed") == 1 and "| 1790 | 1.3% | 1.0% | 2.0% |" in text
    assert "0\\." not in text and "\n### " in text
    html = client.get(reverse("notebook_html", args=[notebook.pk])).content.decode()
    assert 'band" d="M' in html and "1.3%" in html and html.count(">What changed<") == 1


def test_its_passages_as_bibtex(client, trained, notebook):
    """Each once, with the place that was pinned; nothing of what is deleted."""
    for start, end in ((40, 200), (40, 200), (10, 90)):
        pin(
            client,
            notebook,
            kind="passage",
            run=trained.pk,
            document=5,
            start=start,
            end=end,
            again=1,
        )
    pin(client, notebook, kind="topic", run=trained.pk, topic=1)
    response = client.get(reverse("notebook_bib", args=[notebook.pk]))
    assert response["Content-Disposition"] == f'attachment; filename="notebook-{notebook.pk}.bib"'
    entries = response.content.decode().strip().split("\n\n")
    pins = [one for one in notebook.pins.all() if one.kind == "passage"]
    known = [
        passages.described(trained.corpus, 5, Place(one.start, one.end))
        for one in (pins[0], pins[2])
    ]
    assert entries == [each.citations.bibtex.strip() for each in known]
    other = notebooks.create("Empty", "owner")
    assert client.get(reverse("notebook_bib", args=[other.pk])).content == b""


def test_kept_shares_are_drawn_on_the_page_and_in_the_file(client, trained, notebook):
    table = {
        "columns": ["year", "T01 War", "T02 Tax"],
        "rows": [["1790", 0.1, 0.3], ["1791", None, 0.25], ["1792", 0.4, 0.25]],
    }
    pin(client, notebook, **chart(run=trained.pk, table=orjson.dumps(table).decode()))
    html = client.get(reverse("notebook_html", args=[notebook.pk])).content.decode()
    for page in (html, client.get(reverse("notebook", args=[notebook.pk])).content.decode()):
        assert (
            page.count('<svg class="kept-chart"') == 1
            and "<title>1792, T01 War: 40%</title>" in page
        )
        assert page.count("<title>179") == 5 and '<details class="kept">' in page, (
            "the table is folded below"
        )
        heights = [
            float(y) for y in re.findall(r'<text class="t\d+" x="[\d.]+" y="([\d.]+)">', page)
        ]
        assert len(heights) == 2 and abs(heights[0] - heights[1]) >= 15
    assert (
        ".t0 { --topic: var(--t0);" in html
        and "--t11: light-dark(" in html
        and "<script" not in html
    )
    counts = {"columns": ["word", "times"], "rows": [["war", 12], ["tax", 5]]}
    pin(client, notebook, **chart(run=trained.pk, table=orjson.dumps(counts).decode()))
    assert (
        client.get(reverse("notebook", args=[notebook.pk])).content.decode().count("kept-chart")
        == 1
    )


@pytest.mark.parametrize(
    "line",
    [
        "* a",
        "+ a",
        "> a",
        "| a |",
        "~~~",
        "```",
        "    code",
        "===",
        "<!-- a -->",
        "&copy;",
        "&#169; &#xA9; a & b; AT&T; &lt;",
        "![a](b)",
        "a\\",
        "http://x.y",
        "# a",
        "1. a",
        "_a_ ~~b~~ $c$ `d`",
    ],
)
def test_nothing_becomes_markdown(line):
    """A reader of Markdown shows the line as it was written."""
    renderer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    shown = renderer.render(markdown.escaped(line)).replace("\u200b", "")
    assert shown == f"<p>{escape(line.strip(), quote=False)}</p>\n"


@pytest.mark.parametrize(
    "line", ["0.0134", "−5.0 to +99", "[sic] a_b, 3.5 (#1)", "$5", "T07 Navy & ships: 2 - 3"]
)
def test_no_backslash_stands_where_nothing_is_markup(line):
    assert "\\" not in markdown.escaped(line) and "&amp;" not in markdown.escaped(line)


@pytest.mark.parametrize(
    "name",
    ["notebook", "notebook_json", "notebook_md", "notebook_docx", "notebook_bib", "notebook_html"],
)
def test_missing(client, name):
    assert client.get(reverse(name, args=[MISSING])).status_code == 404
    assert client.get(reverse("shared", args=["x" * 43])).status_code == 404
    assert client.get("/shared/%00/").status_code == 404


def test_wrong_methods(client, notebook):
    for name in ("notebook", "notebook_md"):
        assert client.post(reverse(name, args=[notebook.pk])).status_code == 405
    for name, arguments in (
        ("pin", []),
        ("notebook_change", [notebook.pk]),
        ("notebook_pin", [notebook.pk, 1]),
    ):
        assert client.get(reverse(name, args=arguments)).status_code == 405
        assert (
            Client(enforce_csrf_checks=True).post(reverse(name, args=arguments)).status_code == 403
        )
    other = notebooks.pin(notebooks.create("Other", "a"), PinContent(**chart()), "", "a")
    assert (
        client.post(
            reverse("notebook_pin", args=[notebook.pk, other.pk]), {"act": "remove"}
        ).status_code
        == 404
    )
    assert (
        client.post(reverse("notebook_change", args=[MISSING]), {"act": "share"}).status_code == 404
    )
