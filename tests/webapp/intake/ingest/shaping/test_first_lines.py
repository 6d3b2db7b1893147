"""Dates in the first lines of files that have no other."""

import pytest
from django.urls import reverse

from inference.errors import Invalid
from tasks.corpora import read_corpus
from tests.webapp.intake.ingest.test_upload import fields, prepare
from tests.webapp.page_text import in_one_line
from webapp.intake.file_formats import looking
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.shaping import Shaping, date_order_of
from webapp.intake.ingest.shaping.first_lines import date_of
from webapp.intake.metadata.dates import parse_date
from webapp.models import Document


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("Speech held on 4 March 1987\n\nMr Speaker, …", "dmy", "1987-03-04"),
        ("An die Freunde\n\nBerlin, den 12. Mai 1999\nLiebe Freunde, …", "dmy", "1999-05-12"),
        ("London, May 3rd, 1851.\nDear Sir,", "dmy", "1851-05-03"),
        ("3 May 1851, London\nDear Sir,", "dmy", "1851-05-03"),
        ("(Paris, le 1er juin 1920)\nMonsieur", "dmy", "1920-06-01"),
        ("Madrid, 3 de mayo de 1920\nSeñor", "dmy", "1920-05-03"),
        ("Protokoll vom 3.5.1999\nAnwesend", "mdy", "1999-05-03"),
        ("Minutes\n\n\n1999-05-03\nPresent", "dmy", "1999-05-03"),
        ("Minutes of 05/04/1999\nPresent", "dmy", "1999-04-05"),
        ("Minutes of 05/04/1999\nPresent", "mdy", "1999-05-04"),
        ("Minutes of 25/04/1999\nPresent", "mdy", "1999-04-25"),
        ("会議録 2006年11月3日\n出席", "dmy", "2006-11-03"),
        ("A report\nMay 1968\nIn Paris", "dmy", "1968-05-01"),
        ("\u2003Washington, March 5, 1877\nFellow citizens", "dmy", "1877-03-05"),
        ("Speech held on 4 March 1987", "", None),  # not looked for
        ("1984\nIt was a bright cold day", "dmy", None),  # a title, or a number
        ("Chapter 1968\nIt was", "dmy", None),
        # What the text is about
        (
            "On 4 March 1987 the house was sold to a stranger.",
            "dmy",
            None,
        ),
        ("The treaty of 4 March 1987 holds.", "dmy", None),
        ("Version 1.2.1999.4", "dmy", None),
        ("Held on 31 February 1987", "dmy", None),
        ("x" * 95 + " on 4 March 1987", "dmy", None),  # prose
        ("\n".join("abcdef") + "\n4 March 1987", "dmy", None),  # no first line
        ("", "dmy", None),
    ],
)
def test_a_date_is_known_where_its_line_says_nothing_else_behind_it(text, order, day):
    found = date_of(text, order)
    assert (found and parse_date(found).isoformat()) == (day or "")


@pytest.mark.parametrize(
    ("lines", "order"),
    [
        (["On 3/4/1987", "On 5/6/1987", "On 13/6/1987"], "dmy"),
        (["On 3/4/1987", "On 5/6/1987", "On 5/16/1987"], "mdy"),
        (["On 3/4/1987", "On 5/6/1987", "On 7/8/1987"], ""),  # nothing tells
        (["On 13/4/1987", "On 4/13/1987", "On 7/8/1987"], ""),
        (["4 March 1987", "5 March 1987", "Another text"], "dmy"),
        (["4 March 1987", "Some text", "Another text"], ""),  # too few
        (["4 March 1987", "5 March 1987"], ""),
        ([], ""),
    ],
)
def test_the_order_is_decided_over_all_files_and_most_must_have_a_date(lines, order):
    assert date_order_of([f"{line}\n\nIt was a day." for line in lines]) == order


def test_another_order_is_refused():
    with pytest.raises(Invalid):
        Shaping(dated="ymd")


@pytest.mark.django_db
@pytest.mark.parametrize("declined", [False, True])
def test_files_are_dated_by_their_first_lines_unless_that_is_declined(
    client, monkeypatch, declined
):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    letters = [
        (
            f"{'abcdef'[i]}.txt",
            f"Letter\n\nBerlin, {i + 11}/5/1999\n\nShips and harbours of the sea.".encode(),
        )
        for i in range(6)
    ]
    corpus, url = prepare(
        client,
        *letters,
        ("minutes 2001-02-03.txt", b"Minutes\n4 March 1987\nShips and harbours of the sea."),
    )
    proposed = client.get(url).context["page"]
    assert proposed.sample.dates == ["1987-03-04", "1999-05-16"] and proposed.sample.whole
    assert proposed.shaping["name_dates"].value() == "none"  # one name of seven has a date
    sent = fields(client, url) | proposed.shaping.sent() | {"name_dates": ""}
    page = client.post(url, sent | {"preview": "1"})
    assert page.context["page"].sample.dates == ["1999-05-11", "2001-02-03"]
    assert "the first lines of files (6 of 7 documents)" in in_one_line(page)
    assert "Dates are those in the first lines" in in_one_line(page)
    if declined:
        sent["dated"] = ""
    if declined:
        kept = client.post(url, sent | {"preview": "1"})
        assert kept.context["page"].sample.dates == ["2001-02-03", "2001-02-03"]
        assert "Most files have a date in their first lines, and no other." in in_one_line(kept)
    client.post(url, sent)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    days = [
        None if day is None else day.isoformat()
        for day in Document.objects.filter(corpus=corpus)
        .order_by("number")
        .values_list("date", flat=True)
    ]
    assert days == [
        *([None] * 6 if declined else [f"1999-05-{i + 11}" for i in range(6)]),
        "2001-02-03",
    ]
    assert client.get(reverse("corpus_document", args=[corpus.pk, 0])).status_code == 200
