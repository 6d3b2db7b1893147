"""Rows of a table that are parts of whole texts: they are recognised, offered, and joined in the
order of their numbers."""

import random

import pytest

from tasks.corpora import read_corpus
from tests.corpora import as_csv
from tests.webapp.intake.ingest.test_upload import prepare
from tests.webapp.page_text import in_one_line
from webapp.intake.file_formats import Document, Problem, looking
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.shaping import PlaceInWhole, Shaping, are_parts, place_in_whole, shape
from webapp.models import Document as Row


@pytest.mark.parametrize(
    ("title", "fields", "part"),
    [
        ("George Washington, 1790 (a) — part 1 of 6", {}, ("George Washington, 1790 (a)", 1)),
        ("Rede (Teil 12)", {}, ("Rede", 12)),
        ("Discours, partie 3/4", {}, ("Discours", 3)),
        ("A speech (2/7)", {}, ("A speech", 2)),
        ("A speech [2 of 7]", {}, ("A speech", 2)),
        ("A speech", {"part": "2"}, ("A speech", 2)),
        ("A speech", {"Part": "2 of 7", "n": "1"}, ("A speech", 2)),
        ("", {"part": "Part 3"}, ("k1", 3)),  # the id, where there is no title
        ("A speech", {"part": "the first"}, None),
        ("A speech", {"n": "2"}, None),
        ("Henry IV, part 1", {}, ("Henry IV", 1)),
        ("part 1", {}, None),  # of nothing
        ("The counterpart 2", {}, None),
        ("Law 1990 (12)", {}, None),
        ("", {}, None),
    ],
)
def test_the_part_of_a_row(title, fields, part):
    assert place_in_whole(Document("text", title, source_id="k1", metadata=fields)) == (
        part and PlaceInWhole(*part)
    )


@pytest.mark.parametrize(
    ("parts", "known"),
    [
        ("a1 a2 a3 b1 b2", True),
        ("b2 a1 b1 a3 a2", True),  # in any order
        ("a1 a2 a3 b1", False),  # one whole alone has parts
        ("a1 a2 b1 b2 c1 d1 e1", False),  # most have one
        ("a1 a3 b1 b2", False),  # one is missing
        ("a1 a2 a1 a2 b1 b2", False),  # two texts of one title
        ("a0 a1 b0 b1", False),
        ("a1 a2 b1 b2 - -", False),
        ("a1 a2 a3 a4 a5 b1 b2 b3 b4 -", True),
        ("", False),
    ],
)
def test_parts_are_known_where_those_of_each_whole_are_numbered_from_one_on(parts, known):
    assert (
        are_parts(
            [
                None if part == "-" else PlaceInWhole(part[0], int(part[1:]))
                for part in parts.split()
            ]
        )
        == known
    )


@pytest.mark.parametrize("seed", range(4))
def test_parts_are_joined_in_the_order_of_their_numbers(tmp_path, seed):
    draw = random.Random(seed)
    rows = [(whole, n) for whole in "bac" for n in range(1, draw.randint(2, 12))]
    draw.shuffle(rows)
    items = [
        Document(
            f"text {w}{n}", f"{w} — part {n}", metadata={"by": w, "n": str(n)}, place=f"row {i}"
        )
        for i, (w, n) in enumerate(rows)
    ]
    items.insert(2, Document("text alone", "No number"))
    found = list(shape(items, Shaping(parts=True), tmp_path))
    expected = {
        w: [f"text {w}{n}" for _, n in sorted(row for row in rows if row[0] == w)] for w in "abc"
    }
    assert [(one.title, one.text) for one in found if isinstance(one, Document)] == [
        ("No number", "text alone"),
        *((w, "\n\n".join(expected[w])) for w in "abc"),
    ]
    assert [one.metadata for one in found if isinstance(one, Document)][1:] == [
        {"by": w} | ({"n": "1"} if len(expected[w]) == 1 else {}) for w in "abc"
    ]
    assert [
        "has no number of a part" in one.message for one in found if isinstance(one, Problem)
    ] == [True]


@pytest.mark.django_db
def test_joining_is_offered_and_done_where_one_presses_it(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    rows = [
        ["id", "title", "part", "text"],
        *(
            [f"k{w}{n}", f"Speech {w}", str(n), f"ships of the sea {w} {n}"]
            for w in "ab"
            for n in (1, 2, 3)
        ),
    ]
    corpus, url = prepare(client, ("speeches.csv", as_csv(rows)))
    page = client.get(url)
    shown = in_one_line(page)
    assert page.context["page"].sample.documents == 6  # never by default
    assert (
        'name="parts"' in shown
        and "checked" not in shown.split('name="parts"')[1][:80]
        and "such as “<bdi>Speech a</bdi>”" in shown
    )
    sent = page.context["page"].form.sent() | page.context["page"].shaping.sent() | {"parts": "on"}
    joined = client.post(url, sent | {"preview": "1"})
    assert [one["title"] for one in joined.context["page"].sample.first] == ["Speech a", "Speech b"]
    assert "checked" in in_one_line(joined).split('name="parts"')[1][:80]
    client.post(url, sent)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    texts = ["\n\n".join(f"ships of the sea {w} {n}" for n in (1, 2, 3)) for w in "ab"]
    assert [row.text for row in Row.objects.filter(corpus=corpus).order_by("number")] == texts


@pytest.mark.django_db
def test_wholes_are_counted_though_later_ones_have_more_parts(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(limits, "COUNTING_SECONDS", 60.0)
    monkeypatch.setattr(limits, "CHARACTERS", 20_000)
    rows = [
        [f"Speech {w} — part {n}", "ships of the sea " * 20]
        for w in range(40)
        for n in range(1, 3 + w)
    ]
    url = prepare(client, ("speeches.csv", as_csv([["title", "text"], *rows])))[1]
    page = client.get(url).context["page"]
    joined = client.post(
        url, page.form.sent() | page.shaping.sent() | {"parts": "on", "preview": "1"}
    ).context["page"]
    assert not joined.sample.whole and joined.sample.of == pytest.approx(40, rel=0.15)


@pytest.mark.django_db
def test_joining_is_not_offered_where_rows_are_no_parts(client):
    rows = [
        ["id", "title", "text"],
        *([f"k{i}", f"Speech {i}", f"ships of the sea {i}"] for i in range(6)),
    ]
    assert (
        'name="parts"'
        not in client.get(prepare(client, ("speeches.csv", as_csv(rows)))[1]).content.decode()
    )
