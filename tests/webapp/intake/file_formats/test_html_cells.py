"""HTML in the cells of tables: tags and entities become text, and what is no HTML stays."""

import csv
import io
import json
import time

import pytest

from tests.webapp.intake.file_formats.reading import load, spreadsheet
from webapp.intake import file_formats
from webapp.intake.file_formats import html_cells

TEXTS = {
    "<p>The <i>caf&eacute;</i> &amp; the bar</p><p>It&#8217;s<br>open</p>": (
        "The café & the bar\n\nIt’s\nopen"
    ),
    "<style>p {color: red}</style>Seen<script>alert('no')</script> by all": "Seen by all",
    "&lt;p&gt;All of it was &lt;b&gt;escaped&lt;/b&gt;&lt;/p&gt;": "All of it was escaped",
    "Twice &amp;amp; thrice &amp;eacute;\n\nand on": "Twice & thrice é\n\nand on",
    "AT&T, ?a=1&copy=2, a < b & c > d": "AT&T, ?a=1&copy=2, a < b & c > d",
    "Write to <ann@example.org>, <i>now</i> &bogus;": "Write to <ann@example.org>, now &bogus;",
    "First <i>line</i>\nsecond\n\nthird": "First line\nsecond\n\nthird",
    "no markup   at all\n\n  kept as it is": "no markup   at all\n\n  kept as it is",
}


@pytest.mark.parametrize("cell", TEXTS)
def test_cells(cell):
    assert html_cells.as_text(cell)[0] == TEXTS[cell]


def test_headings_and_what_is_too_deep():
    assert html_cells.as_text("<h2>One</h2>x<h2>Two</h2>y") == ("One\n\nx\n\nTwo\n\ny", (0, 8))
    deep = "<div>" * 400 + "caf&eacute; <script>no</script>" + "</div>" * 400 + "after"
    assert html_cells.as_text(deep)[0] == "café after"


def written(tmp_path, ending):
    path = tmp_path / "stored"
    rows = [[f"k{i}", "a &amp; b", text] for i, text in enumerate(TEXTS)]
    if ending in ("csv", "tsv"):
        out = io.StringIO()
        csv.writer(
            out, delimiter="," if ending == "csv" else "\t", quoting=csv.QUOTE_ALL
        ).writerows([["id", "title", "text"], *rows])
        path.write_text(out.getvalue())
    elif ending == "xlsx":
        path = spreadsheet(tmp_path, [["id", "title", "text"], *rows])
    else:
        objects = [dict(zip(("id", "title", "text"), row, strict=True)) for row in rows]
        path.write_text(
            json.dumps(objects) if ending == "json" else "\n".join(map(json.dumps, objects))
        )
    return path, f"a.{ending}"


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "json", "jsonl"])
def test_every_table_gives_text(tmp_path, ending):
    where = written(tmp_path, ending)
    documents, problems = load(*where)
    assert not problems and [d.text for d in documents] == list(TEXTS.values())
    assert {d.title for d in documents} == {"a & b"} and [d.source_id for d in documents][:2] == [
        "k0",
        "k1",
    ]
    as_they_are, _ = load(*where, html=False)
    assert [d.text for d in as_they_are] == list(TEXTS)


@pytest.mark.parametrize(
    "cells",
    [
        ["plain words", "and others", "a < b"],
        ["List<String> of x", "mail <a.b@c.org>", "if a<b then", "one <i>only</i>"],
        ["<speaker>Ann</speaker> said", "<line n='1'>so</line>"],
        ["Q&A, AT&T; R&D;", "x &bogus; y"],
    ],
)
def test_what_is_no_html_is_left_alone(file, cells):
    assert not html_cells.guess(cells)
    rows = [json.dumps({"id": str(i), "text": cell}) for i, cell in enumerate(cells)]
    where = file("\n".join(rows), "a.jsonl")
    assert (
        not file_formats.sniff(*where).options.html and [d.text for d in load(*where)[0]] == cells
    )


def test_an_entity_in_one_of_hundreds_of_texts_is_html(file):
    """Of 20,758 tweets 1,890 have “&amp;”, none of the first hundred."""
    texts = [f"tweet {i} of a morning" for i in range(400)]
    texts[300] = "NBC &amp; CBS"
    where = file("\n".join(["text,date", *(f"{text},2015-01-01" for text in texts)]), "a.csv")
    assert file_formats.sniff(*where).options.html
    assert load(*where)[0][300].text == "NBC & CBS"


@pytest.mark.parametrize("code", ["List<String> of x", "if a <b then", "vector<int> and <i>"])
def test_code_in_some_of_hundreds_of_texts_is_no_html(file, code):
    texts = [f"answer {i} of somebody" for i in range(400)]
    texts[200:203] = [code, code, "write &amp; in a page"]
    where = file("\n".join(["text,date", *(f"{text},2015-01-01" for text in texts)]), "a.csv")
    assert not file_formats.sniff(*where).options.html
    assert load(*where)[0][200].text == code


def test_a_text_of_nothing_but_a_script_is_left_out_and_said(file):
    documents, problems = load(
        *file("id,text\n1,<script>x</script>\n2,<p>some words</p>\n", "a.csv")
    )
    assert [d.text for d in documents] == ["some words"]
    assert (
        "row 1 (line 2): the text has nothing in it but HTML; it was left out."
        in problems[0].message
    )


def test_many_unclosed_tags_take_no_long_time(file):
    for start in ("<", "<!--", "<i ", "&amp;", "<script>", "&lt;p&gt;", "<p\n"):
        began = time.process_time()
        html_cells.as_text("<b>x</b>" + start * 100_000)
        assert time.process_time() - began < 5, start
