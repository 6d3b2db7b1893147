"""Files after public bug reports of readers of tables and JSON, made anew: each stands for its kind.

The reports are named by project and what was reported; nothing of them is copied."""

import json

import pytest

from tests.webapp.intake.ingest.test_as_written import (
    columns,
    days,
    fields,
    losses,
    patient,
    seen,
    text,
    workbook,
    zipped,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(patient.__name__)]
__all__ = ["patient"]


def test_lines_that_end_with_a_comma(client):
    """DataBasic 176, MLDB 365, Kibana 8074: Excel writes a comma behind the last column."""
    rows = "".join(f"{i},{1990 + i},{text(i)},\n" for i in range(9))
    page, _ = seen(client, "a.csv", "id,year,text,\n" + rows)
    assert columns(page) == {"text": "text", "title": None, "date": "year", "id": "id"}
    assert page.sample.documents == 9 and not page.sample.problems and not losses(page)
    assert fields(page.sample.first[0]) == {}


def test_lines_that_end_with_a_comma_below_a_header_that_does_not(client):
    """pandas index_col: rows of one cell more, the last of them empty, are no names of rows."""
    rows = "".join(f"{i},{1990 + i},{text(i)},\n" for i in range(9))
    page, _ = seen(client, "a.csv", "id,year,text\n" + rows)
    assert columns(page)["text"] == "text" and days(page)[0] == "1990-01-01"
    assert page.sample.documents == 9 and not page.sample.problems


def test_rows_of_commas_alone(client):
    """firefly-iii 691, ganttproject 857 and 1634: empty lines become rows of empty cells."""
    rows = "".join(f"{i},{1990 + i},{text(i)}\n,,\n" for i in range(9))
    page, _ = seen(client, "a.csv", ",,\nid,year,text\n,,\n" + rows + ",,\n" * 5)
    assert columns(page)["text"] == "text" and page.sample.documents == 9
    assert not losses(page) and not page.sample.problems


def test_text_with_line_ends_that_nothing_quotes(client):
    """twitterscraper 247, smappdragon 20: a post of several lines breaks its row."""
    rows = "".join(f"{i},{text(i)}\nand a second line\n\nand a third,P{i % 2}\n" for i in range(9))
    page, _ = seen(client, "a.csv", "id,text,party\n" + rows)
    assert page.sample.documents == 9
    assert page.sample.first[0]["text"] == f"{text(0)}\nand a second line\nand a third"
    assert fields(page.sample.first[1])["party"] == "P1"


def test_text_with_line_ends_in_the_last_column(client):
    """smappdragon 20: what follows stands in rows of one cell."""
    rows = "".join(f"{i},P{i % 2},{text(i)}\nand a second line\n" for i in range(9))
    page, _ = seen(client, "a.csv", "id,party,text\n" + rows)
    assert page.sample.documents == 9
    assert page.sample.first[0]["text"] == f"{text(0)}\nand a second line"


def test_a_post_has_its_whole_text(client):
    """hydrator 60, twarc 178: “text” is cut at 140 characters, “full_text” is not."""
    lines = [
        {
            "id_str": str(10**18 + i),
            "created_at": f"Mon Oct {i + 1:02} 22:59:00 +0000 2017",
            "text": text(i)[:40] + "…",
            "full_text": text(i),
            "user": {"screen_name": f"u{i % 3}", "followers_count": i * 31},
        }
        for i in range(9)
    ]
    page, _ = seen(client, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert columns(page)["text"] == "full_text" and days(page)[0] == "2017-10-01"
    assert fields(page.sample.first[0])["user.screen_name"] == "u0"


def test_a_post_has_its_whole_text_in_the_older_form(client):
    """twarc 178: in the “compat” form it is a field of a field, and only of long posts."""
    lines = [
        {"created_at": "2017-10-01", "text": text(i)[:40] + "…", "truncated": i % 2 == 0}
        | ({"extended_tweet": {"full_text": text(i)}} if i % 2 == 0 else {"text": text(i)})
        for i in range(10)
    ]
    page, _ = seen(client, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert [document["text"] for document in page.sample.first] == [text(i) for i in range(5)]


def test_an_archive_of_ones_own_posts(client):
    """The network's own archive: a script that sets a variable to a list."""
    posts = [
        {
            "tweet": {
                "id_str": str(i),
                "created_at": "Mon Oct 16 22:59:00 +0000 2017",
                "full_text": text(i),
            }
        }
        for i in range(9)
    ]
    script = "window.YTD.tweets.part0 = " + json.dumps(posts)
    account = 'window.YTD.account.part0 = [{"account": {"email": "a@example.org"}}]'
    page, _ = seen(client, "x.zip", zipped({"data/account.js": account, "data/tweets.js": script}))
    assert columns(page)["text"] == "tweet.full_text" and page.sample.documents == 9
    assert days(page)[0] == "2017-10-16"


def test_an_export_of_a_channel_of_discord(client):
    """DiscordChatExporter's form."""
    messages = [
        {
            "id": str(i),
            "type": "Default",
            "timestamp": f"2021-03-0{i + 1}T10:00:00.123+00:00",
            "content": text(i),
            "author": {"id": "9", "name": f"u{i % 3}", "isBot": False},
            "reactions": [],
        }
        for i in range(8)
    ]
    export = {
        "guild": {"id": "1", "name": "Club"},
        "channel": {"name": "general"},
        "messages": messages,
    }
    page, _ = seen(client, "general.json", json.dumps(export | {"messageCount": 8}))
    assert columns(page)["text"] == "content" and columns(page)["date"] == "timestamp"
    assert fields(page.sample.first[0])["author.name"] == "u0"


def test_what_an_api_of_reddit_answers(client):
    """A listing: data.children, each with kind and data."""
    children = [
        {
            "kind": "t3",
            "data": {
                "title": f"Title {i}",
                "selftext": text(i) if i % 4 else "[removed]",
                "created_utc": 1500000000.0 + i,
            },
        }
        for i in range(12)
    ]
    listing = {"kind": "Listing", "data": {"after": None, "children": children}}
    page, _ = seen(client, "new.json", json.dumps(listing))
    assert columns(page)["text"] == "data.selftext" and columns(page)["date"] == "data.created_utc"
    assert page.sample.documents == 9 and losses(page) == {"mark": 3}
    assert days(page)[0] == "2017-07-14"


def test_a_column_doc_id_beside_one_of_texts(client):
    """readtext 155: the column “texts”, and ids such as 1789-Washington."""
    rows = "".join(f"{1789 + 4 * i}-Name{i},{text(i)},{1789 + 4 * i}\n" for i in range(9))
    page, _ = seen(client, "a.csv", "doc_id,texts,Year\n" + rows)
    assert columns(page) == {"text": "texts", "title": None, "date": "Year", "id": "doc_id"}


def test_authors_and_years_in_names_of_papers(client):
    """quanteda 762: “Harris_2017_Environ._Res._Lett._12_024012.pdf”."""
    names = [
        "Borer et al 2009 Bull ESA",
        "Fegraus_eml_ms_07_2005",
        "Harris_2017_Environ._Res._Lett._12_024012",
    ]
    page, _ = seen(
        client, "a.zip", zipped({f"{name}.txt": text(i) for i, name in enumerate(names)})
    )
    assert days(page) == ["2009-01-01", "2005-07-01", "2017-01-01"]


def test_years_of_two_digits_in_names_are_not_guessed(client):
    """quanteda 1111: “CONS 92.txt” could be any number."""
    files = {
        f"manifestos/{name}.txt": text(i) for i, name in enumerate(["CONS 92", "CONS 97", "LAB 92"])
    }
    page, _ = seen(client, "a.zip", zipped(files))
    assert days(page) == ["", "", ""]


def test_a_table_of_one_row_has_its_columns(client):
    """readtext 160."""
    page, _ = seen(client, "a.csv", f"doc_id,text,docvar1\ndoc1,{text(1)},A\n")
    assert columns(page)["text"] == "text" and columns(page)["id"] == "doc_id"
    assert page.sample.documents == 1


def test_ids_that_lost_their_zeros_in_excel(client):
    """Many: a list of files that Excel saved, “7.0” for 007."""
    files = {f"interviews/{i:03}.txt": text(i) for i in range(1, 10)}
    rows = "".join(f"{i}.0,Person {i},{1950 + i}\n" for i in range(1, 10))
    page, _ = seen(client, "a.zip", zipped(files | {"people.csv": "Nr,Name,Born\n" + rows}))
    assert page.sample.documents == 9 and page.shaping.guess.named == 9
    assert page.sample.first[2]["title"] == "Person 3"
    assert fields(page.sample.first[2])["Born"] == "1953"


def test_a_date_as_a_number_of_days(client):
    """openpyxl, SheetJS: a cell that lost its format holds days since 1900."""
    rows = [["Date", "Text"], *([str(43466 + 31 * i), text(i)] for i in range(9))]
    page, words = seen(client, "a.xlsx", workbook({"S": rows}))
    assert days(page)[0] == "2019-01-01" or "could not be read" in words


def test_a_sheet_whose_first_column_is_empty(client):
    """SheetJS: a table that begins in column B, row 3."""
    rows = [[], [], ["", "Year", "Text"], *(["", f"{1990 + i}", text(i)] for i in range(9))]
    page, _ = seen(client, "a.xlsx", workbook({"S": rows}, {"S": ["B4:B5"]}))
    assert columns(page)["text"] == "Text" and page.sample.documents == 9
    assert days(page)[:2] == ["1990-01-01", "1991-01-01"]


def test_a_column_that_is_empty_and_one_without_a_name(client):
    """the-events-calendar 2187."""
    rows = "".join(f"{i},,x{i % 2},{text(i)}\n" for i in range(9))
    page, _ = seen(client, "a.csv", "id,empty,,text\n" + rows)
    assert fields(page.sample.first[0]) == {"column 3": "x0"} and page.sample.documents == 9
