"""What the form proposes for files as people have them: texts, dates and fields are those that were
written, and what is left out is counted at the top of the preview."""

import io
import json
import zipfile

import pytest

from benchmarks.faithful.workbook import workbook
from tests.webapp.intake.ingest.test_upload import prepare
from tests.webapp.page_text import in_one_line
from webapp.intake.ingest.sample import limits
from webapp.models import Corpus
from webapp.service.corpora.shapes import PreparePage

pytestmark = pytest.mark.django_db

TEXTS = [
    "The river rose in the spring and the farmers of the valley lost a harvest of wheat and barley.",
    "Parliament debated the tariff on wool and the minister promised a committee on trade.",
    "The hospital opened a ward for fever patients and the doctors asked the town for clean water.",
    "A strike of the dock workers stopped the harbour and the union asked for shorter hours.",
]


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a busy machine, too, all of a small file is read."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)


def text(i: int) -> str:
    return f"{TEXTS[i % len(TEXTS)]} Number {i}."


def seen(client, name: str, content: str | bytes) -> tuple[PreparePage, str]:
    """What the page says of one file, as it is proposed: its values, and its words."""
    content = content if isinstance(content, bytes) else content.encode()
    _, url = prepare(client, (name, content))
    answer = client.get(url)
    return answer.context["page"], in_one_line(answer)


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def losses(page: PreparePage) -> dict[str, int]:
    return dict(page.sample.left_out)


def columns(page: PreparePage) -> dict[str, str | None]:
    options = page.sniff.options
    return {role: options.column(role) for role in ("text", "title", "date", "id")}


def fields(document: dict) -> dict[str, str]:
    return {name: value for name, value, _ in document["fields"]}


def days(page: PreparePage) -> list[str]:
    return [document["day"] for document in page.sample.first]


def test_the_page_says_what_dates_are_from(client):
    files = {f"speeches/{i + 1}Apr200{i}Smith.txt": text(i) for i in range(5)}
    page, words = seen(client, "a.zip", zipped(files))
    assert days(page) == [f"200{i}-04-0{i + 1}" for i in range(5)]
    assert "from names of files" in words
    files = {f"speeches/190{i}/boston.txt": text(i) for i in range(5)}
    page, words = seen(client, "b.zip", zipped(files))
    assert days(page) == [f"190{i}-01-01" for i in range(5)] and "from names of folders" in words
    files |= {"speeches/rome 1910-05-03.txt": text(6)}
    _, words = seen(client, "c.zip", zipped(files))
    assert "from names of files (1 of 6 documents), names of folders (5 of 6 documents)" in words


def test_rows_with_a_mark_for_their_text_are_left_out_and_counted_at_the_top(client):
    marks = ["NA", "nan", "NULL", "None", "[deleted]", "[removed]"]
    rows = [f"{i},{marks[i] if i < 6 else text(i)},{'NA' if i % 3 else i * 37}" for i in range(20)]
    page, words = seen(client, "a.csv", "id,text,score\n" + "\n".join([*rows, "20,,5"]))
    assert losses(page) == {"mark": 6, "empty": 1} and page.sample.documents == 14
    assert page.sniff.options.kinds["score"] == "number"
    assert not any("NA" in fields(document).values() for document in page.sample.first)
    assert "6 rows have only a mark such as NA, NULL or [deleted] for their text" in words.replace(
        "</strong>", ""
    ).replace("<strong>", "")
    assert words.index("rows have only a mark") < words.index("different counted words")


def test_na_is_namibia_among_codes_of_countries(client):
    codes = ["DE", "FR", "NA", "US", "ZA"]
    rows = "".join(f"{codes[i % 5]},{text(i)}\n" for i in range(20))
    page, _ = seen(client, "a.csv", "country,text\n" + rows)
    assert [fields(document)["country"] for document in page.sample.first] == codes


@pytest.mark.parametrize("name", ["created_utc", "ts", "timestamp", "createdAt", "posted_at"])
def test_seconds_are_dates_by_any_usual_name(client, name):
    lines = [{name: 1500000000 + 86400 * i, "body": text(i)} for i in range(6)]
    page, _ = seen(client, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert columns(page)["date"] == name and days(page)[0] == "2017-07-14"


SLACK = {
    "channels.json": [
        {"id": f"C{i}", "name": f"c{i}", "purpose": {"value": "Talk"}} for i in range(3)
    ],
    "users.json": [{"id": f"U{i}", "name": f"u{i}", "profile": {"title": "x"}} for i in range(40)],
    "integration_logs.json": [],
    **{
        f"general/2020-09-{day}.json": [
            {"type": "message", "user": f"U{i}", "text": text(i), "ts": f"16000000{day}.00020{i}"}
            for i in range(6)
        ]
        for day in (13, 14)
    },
}


def test_of_an_export_the_files_that_have_texts_are_read(client):
    packed = zipped({name: json.dumps(value) for name, value in SLACK.items()})
    page, words = seen(client, "slack.zip", packed)
    assert columns(page)["text"] == "text" and columns(page)["date"] == "ts"
    assert page.sample.documents == 12 and days(page)[0] == "2020-09-13"
    assert losses(page) == {"no text field": 2, "file": 1}
    assert "files have no texts where the others have them" in words


def test_a_table_about_files_whose_numbers_are_written_otherwise(client):
    files = {f"minutes/ata{i:03}.txt": text(i) for i in range(1, 21)}
    about = "minute,begin_date,pages\n" + "".join(
        f"{i},19{70 + i}-02-15,{i % 3}\n" for i in range(1, 21)
    )
    page, words = seen(client, "a.zip", zipped(files | {"dates.csv": about}))
    assert page.sample.documents == 20 and days(page)[:2] == ["1971-02-15", "1972-02-15"]
    assert "20 of its 20 rows name 20 of the 20 other files in the column" in words
    unlike = about.replace("minute,", "serial,").replace("\n", "\n9")
    page, words = seen(client, "b.zip", zipped(files | {"dates.csv": unlike}))
    assert page.sample.documents == 20 and losses(page) == {"about": 1}
    assert "table beside the texts names none of them and is left out" in words


def test_a_number_that_two_files_have_names_neither(client):
    files = {f"{year}/{i:03}.txt": text(i) for year in ("a", "b") for i in range(1, 9)}
    about = "id,author\n" + "".join(f"{i},Writer {i}\n" for i in range(1, 9))
    page, _ = seen(client, "a.zip", zipped(files | {"about.csv": about}))
    assert page.sample.documents == 16 and losses(page) == {"about": 1}


def test_a_date_without_end_is_none_and_that_is_said(client):
    rows = "".join(
        f"{'9999-12-31' if i % 4 == 0 else f'200{i % 9}-01-02'},{text(i)}\n" for i in range(20)
    )
    page, words = seen(client, "a.csv", "end date,text\n" + rows)
    assert page.sample.undated == 5 and page.sample.dates[1] < "2010"
    assert "as databases write dates without end" in words


def test_what_of_a_column_of_dates_was_not_read_is_said_by_its_forms(client):
    dates = ["1640-03-01"] * 8 + ["Michaelmas 1640"] * 3 + ["n.d."] * 2 + [""]
    rows = "".join(f"{date},{text(i)}\n" for i, date in enumerate(dates))
    page, words = seen(client, "a.csv", "date,text\n" + rows)
    assert page.sample.undated_forms == [["Michaelmas 1640", 3], ["n.d.", 2]]
    assert page.sample.without_date == 1
    assert "3 like “<bdi>Michaelmas 1640</bdi>”, 2 like “<bdi>n.d.</bdi>”" in words


def test_under_embargo_no_date_that_was_not_read_is_shown(client):
    rows = "".join(
        f"{'1640-03-01' if i % 3 else f'Michaelmas {1600 + i}'},{text(i)}\n" for i in range(12)
    )
    corpus, url = prepare(client, ("a.csv", ("date,text\n" + rows).encode()))
    assert client.get(url).context["page"].sample.undated_forms == [["Michaelmas 1600", 4]]
    Corpus.objects.filter(pk=corpus.pk).update(embargo=True)
    shown = client.get(url).context["page"].sample
    assert shown.undated == 4 and not shown.undated_forms and not shown.why_undated


def test_the_pieces_of_a_text_are_joined(client):
    messages = [
        {"id": 0, "type": "service", "date": "2021-01-01T00:00:00", "action": "pin", "text": ""},
        *(
            {
                "id": i,
                "date": f"2021-01-0{i}T10:00:00",
                "from": f"Person {i % 3}",
                "text": ["Look ", {"type": "bold", "text": "here"}, f": {text(i)}"],
            }
            for i in range(1, 7)
        ),
    ]
    export = {"name": "Group", "type": "private_group", "messages": messages}
    page, _ = seen(client, "result.json", json.dumps(export))
    assert page.sample.documents == 6 and days(page)[0] == "2021-01-01"
    assert page.sample.first[0]["text"] == f"Look here: {text(1)}"
    assert losses(page) == {"empty": 1}


def test_r_leaves_the_first_column_without_a_name(client):
    rows = "".join(f'"{i}"\t"Green"\t"{text(i)}"\n' for i in range(1, 9))
    page, _ = seen(client, "a.tsv", '"party"\t"text"\n' + rows)
    assert columns(page)["text"] == "text" and page.sample.documents == 8
    assert page.sample.first[0]["fields"][0][:2] == ["party", "Green"] and not page.sample.problems


def test_who_speaks_stays_a_field_though_it_gives_titles(client):
    rows = "".join(f"The Honourable Member {i % 7},{text(i)}\n" for i in range(60))
    page, _ = seen(client, "a.csv", "speaker,text\n" + rows)
    assert page.sniff.options.kinds["speaker"] == "category"
    assert ["speaker", "The Honourable Member 0", "category"] in page.sample.first[0]["fields"]


def test_more_columns_than_are_kept_are_named_and_empty_ones_take_no_room(client):
    names = [f"f{i}" for i in range(100)]
    rows = "".join(
        f"{text(i)}," + ",".join("" if j < 40 else f"v{(i + j) % 3}" for j in range(100)) + "\n"
        for i in range(9)
    )
    page, _ = seen(client, "a.csv", f"text,{','.join(names)}\n" + rows)
    assert losses(page) == {} and ["f40", "v1", "category"] in page.sample.first[0]["fields"]
    rows = "".join(
        f"{text(i)}," + ",".join(f"v{(i + j) % 3}" for j in range(100)) + "\n" for i in range(9)
    )
    page, words = seen(client, "b.csv", f"text,{','.join(names)}\n" + rows)
    assert losses(page) == {"columns": 36} and "columns are not kept" in words
    assert "“f64”" in words and "“f99”" not in words


def test_merged_cells_hold_for_all_their_rows_but_texts_are_read_once(client):
    rows = [["", "", ""], ["Year", "Party", "Text"]]
    rows += [["1990" if i == 0 else "", "Green" if i % 2 == 0 else "", text(i)] for i in range(6)]
    rows[6][2] = ""  # merged with the text above, which is read once
    merged = ["A3:A8", "B3:B4", "B5:B6", "B7:B8", "C6:C7"]
    page, _ = seen(client, "a.xlsx", workbook({"S": rows}, {"S": merged}))
    assert page.sample.documents == 5 and losses(page) == {"empty": 1}
    assert days(page) == ["1990-01-01"] * 5
    assert all(fields(document)["Party"] == "Green" for document in page.sample.first)


def test_all_sheets_with_texts_are_read_and_the_others_named(client):
    sheets = {"Notes": [["Made by us"], ["In 2020"]]}
    sheets |= {
        f"{1999 + j}": [["Speaker", "Text"], *([f"Member {i % 3}", text(i)] for i in range(5))]
        for j in range(3)
    }
    page, words = seen(client, "a.xlsx", workbook(sheets))
    assert page.sample.documents == 15 and losses(page) == {"sheet": 1}
    assert fields(page.sample.first[0])["sheet"] == "1999" and days(page)[0] == "1999-01-01"
    assert page.sample.dates == ["1999-01-01", "2001-01-01"] and "from names of sheets" in words
    assert "All sheets that have texts are read" in words and "“Notes”" in words


def test_quotation_marks_behind_a_backslash_and_paths_that_end_with_one(client):
    rows = "".join(f'{i},"She said \\"no\\"\nand {text(i)}",P{i % 2}\n' for i in range(9))
    page, _ = seen(client, "a.csv", "id,text,party\n" + rows)
    assert page.sample.documents == 9 and not page.sample.problems
    assert page.sample.first[0]["text"] == f'She said "no"\nand {text(0)}'
    rows = "".join(f'{i},"{text(i)}","C:\\new\\"\n' for i in range(9))
    page, _ = seen(client, "b.csv", "id,text,folder\n" + rows)
    assert page.sample.documents == 9 and fields(page.sample.first[0])["folder"] == "C:\\new\\"


def test_of_several_lists_the_one_with_texts_is_read_and_others_are_one_press_away(client):
    export = {
        "users": [
            {"name": f"u{i}", "about": "Likes ships and harbours, and all that floats."}
            for i in range(4)
        ],
        "data": {"posts": [{"author": {"name": f"u{i % 3}"}, "body": text(i)} for i in range(12)]},
        "tags": [{"tag": f"t{i}"} for i in range(90)],
    }
    corpus, url = prepare(client, ("a.json", json.dumps(export).encode()))
    page = client.get(url).context["page"]
    assert columns(page)["text"] == "body" and page.sample.documents == 12
    assert ["author.name", "u0", "category"] in page.sample.first[0]["fields"]
    assert page.form.other_lists == ["users", "tags"]
    assert "read “users” instead" in in_one_line(client.get(url))
    sent = {
        **page.form.sent(),
        **page.shaping.sent(),
        "columns": page.columns,
        "other_list": "users",
    }
    page = client.post(url, sent).context["page"]
    assert columns(page)["text"] == "about" and page.sample.documents == 4


def test_lists_within_the_objects_of_a_list_are_joined(client):
    """As all chats of a messenger are exported at once."""
    chats = [
        {
            "name": f"Chat {j}",
            "messages": [{"date": "2021-01-01", "text": text(i)} for i in range(4)],
        }
        for j in range(3)
    ]
    page, _ = seen(client, "result.json", json.dumps({"chats": {"list": chats}}))
    assert page.sample.documents == 12
    assert ["in.name", "Chat 0", "category"] in page.sample.first[0]["fields"]


@pytest.mark.parametrize(
    ("dates", "calendar", "day"),
    [
        (["12/3/2566", "13/4/2566"], "buddhist", "2023-03-12"),
        (["1402/05/13", "1402/06/20"], "jalali", "2023-08-04"),
        (["1444/09/02", "1444/10/20"], "hijri", "2023-03-24"),
    ],
)
def test_years_of_other_calendars_are_asked_about(client, dates, calendar, day):
    rows = "".join(f"{dates[i % 2]},{text(i)}\n" for i in range(20))
    corpus, url = prepare(client, ("a.csv", ("date,text\n" + rows).encode()))
    page = client.get(url).context["page"]
    assert "The years look like those of another calendar." in in_one_line(client.get(url))
    sent = {**page.form.sent(), **page.shaping.sent(), "columns": page.columns}
    answer = client.post(url, sent | {"date_order": calendar, "preview": "1"})
    assert days(answer.context["page"])[0] == day
    assert "The years look like those" not in in_one_line(answer)


def test_marks_can_be_read_as_words(client):
    rows = "".join(f"{i},{'None' if i % 4 == 0 else text(i)}\n" for i in range(20))
    corpus, url = prepare(client, ("a.csv", ("id,text\n" + rows).encode()))
    page = client.get(url).context["page"]
    sent = {**page.form.sent(), **page.shaping.sent(), "columns": page.columns}
    del sent["missing"]
    page = client.post(url, sent | {"preview": "1"}).context["page"]
    assert page.sample.documents == 20 and losses(page) == {}


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a.md"])
def test_lines_of_old_macintosh_computers_end(client, name):
    if name == "a.csv":
        content = "id,text\r" + "".join(f'{i},"{text(i)}\rSecond line"\r' for i in range(9))
    elif name == "a.jsonl":
        content = "".join(json.dumps({"text": f"{text(i)}\rSecond line"}) + "\r" for i in range(9))
    else:
        content = "".join(f"{text(i)}\rSecond line\r\r" for i in range(9))
    page, _ = seen(client, name, content)
    document = page.sample.first[0]
    assert "\r" not in document["text"] and not page.sample.problems
    assert "\nSecond line" in document["text"] or name == "a.md"
