"""The collections: made from what is beside the project, as the files that a reader would
upload."""

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from itertools import groupby
from typing import NamedTuple

from benchmarks.collection_files import american_day, csv_rows, json_rows, reuters_day
from benchmarks.engines.corpora import FILES, SHARED

QUICK = 3_000  # documents of a collection in the quick form, at most
NEWS = 9_000  # and otherwise: these collections would take hours as a whole
ABSTRACTS = 12_000
FIRST_YEAR_OF_MINUTES = 1947
CALLS_PER_SENTENCE = 0.2
SENTENCES_OF_A_PART = 12  # of a manifesto
SPEAKERS = (
    "Martin",
    "Rayburn",
    "Halleck",
    "Mansfield",
    "Dirksen",
    "Foley",
    "Gephardt",
    "Hastert",
)
CALLS = (
    "Hear, hear!",
    "That is not so!",
    "Applause on all sides.",
    "Order, order!",
    "Very good!",
)
FIELDS_OF_ARXIV = (
    "math.LO",
    "cs.RO",
    "nucl-th",
    "q-fin.RM",
    "q-bio.NC",
    "astro-ph.EP",
    "eess.AS",
    "cs.DB",
    "q-bio.BM",
    "math.GR",
)


class Text(NamedTuple):
    """A document as it is uploaded. day: as `date.isoformat`, "" for none; fields: its columns, by
    their names."""

    text: str
    day: str
    fields: dict[str, str]


class Collection(NamedTuple):
    """files: (name, content) of what is uploaded. texts: the documents in their order, for raw
    counts."""

    name: str
    files: list[tuple[str, bytes]]
    texts: list[Text]


def addresses(quick: bool) -> Collection:
    """Sections of an address joined, in all of its 8,000 words."""
    joined = enumerate(_joined(csv_rows(FILES["sotu"])))
    rows = [row | {"id": f"a{number}"} for number, row in joined]
    return collection_of_rows("addresses", rows, "date")


def sections(quick: bool) -> Collection:
    """The shipped example, in sections of 240 words."""
    return collection_of_rows("sections", csv_rows(FILES["sotu"]), "date")


def proposals(quick: bool) -> Collection:
    return collection_of_rows("proposals", csv_rows(SHARED / "peps.csv.gz"), "date")


def posts(quick: bool) -> Collection:
    """The posts as they came: broken characters, dates like 10/16/17 22:59."""
    rows = csv_rows(SHARED / "posts.csv.gz")
    if quick:
        rows = _evenly(rows, QUICK)
    texts = []
    for row in rows:
        fields = {"user": row["user"], "retweets": row["retweets"]}
        texts.append(Text(row["text"], _as_text(american_day(row["created_at"])), fields))
    return Collection("posts", [("posts.csv", _csv(rows))], texts)


def answers(quick: bool) -> Collection:
    return collection_of_rows("answers", csv_rows(SHARED / "answers.csv.gz"), "")


def reuters(quick: bool) -> Collection:
    rows = _evenly(json_rows(FILES["reuters"]), QUICK if quick else NEWS)
    texts = []
    for row in rows:
        fields = {name: "\n".join(row[name]) for name in ("topics", "places")}
        day = _as_text(reuters_day(row["date"]))
        texts.append(Text(row["title"] + "\n" + row["text"], day, fields))
    content = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    return Collection("reuters", [("news.jsonl", content)], texts)


def abstracts(quick: bool) -> Collection:
    rows = _evenly(json_rows(FILES["arxiv"]), QUICK if quick else ABSTRACTS)
    return collection_of_rows("abstracts", rows, "date")


def novels(quick: bool) -> Collection:
    rows = csv_rows(SHARED / "languages/fr_novels/fr_novel_chapters.utf8.csv.gz")
    return collection_of_rows("novels", rows, "date")


def minutes(quick: bool) -> Collection:
    """Addresses since 1947, a fifth of their sentences followed by what others call: 6% of the
    words."""
    chance = random.Random(5)

    def call(match: re.Match) -> str:
        if chance.random() > CALLS_PER_SENTENCE:
            return match[0]
        return f"{match[1]}\n(Applause. — {chance.choice(SPEAKERS)}: {chance.choice(CALLS)})\n"

    rows = []
    for row in csv_rows(FILES["sotu"]):
        if int(row["date"]) >= FIRST_YEAR_OF_MINUTES:
            rows.append(row | {"text": re.sub(r"([.!?]) ", call, row["text"])})
    return collection_of_rows("minutes", rows, "date")


def manifestos(quick: bool) -> Collection:
    """Twelve sentences each."""
    rows = []
    by_manifesto = groupby(csv_rows(SHARED / "manifestos.csv.gz"), key=lambda row: row["manifesto"])
    for name, rows_of_sentences in by_manifesto:
        sentences = list(rows_of_sentences)
        for begin in range(0, len(sentences), SENTENCES_OF_A_PART):
            part = sentences[begin : begin + SENTENCES_OF_A_PART]
            row = {
                "id": f"{name} {begin // SENTENCES_OF_A_PART + 1}",
                "party": part[0]["party"],
                "year": part[0]["year"],
                "text": " ".join(sentence["text"] for sentence in part),
            }
            rows.append(row)
    return collection_of_rows("manifestos", rows, "year")


def folders(quick: bool) -> Collection:
    """Files with numbers for names, in folders that are fields of arXiv."""
    all_rows = csv_rows(SHARED / "arxiv_senses.csv.gz")
    rows = [row for row in all_rows if row["category"] in FIELDS_OF_ARXIV]
    buffer = io.BytesIO()
    texts = []
    numbers = dict.fromkeys(FIELDS_OF_ARXIV, 0)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in sorted(rows, key=lambda row: row["category"]):
            folder = row["category"]
            numbers[folder] += 1
            text = f"{row['title']}\n\n{row['text']}"
            archive.writestr(f"fields/{folder}/{numbers[folder]:03d}.txt", text)
            texts.append(Text(text, "", {"folder": folder}))
    return Collection("folders", [("fields.zip", buffer.getvalue())], texts)


COLLECTIONS: dict[str, Callable[[bool], Collection]] = {
    make.__name__: make
    for make in (
        addresses,
        sections,
        proposals,
        posts,
        answers,
        reuters,
        abstracts,
        novels,
        minutes,
        manifestos,
        folders,
    )
}
KEPT_APART = ("manifestos", "folders")  # never looked at while the code is tuned


def _evenly(rows: list[dict], most: int) -> list[dict]:
    """At most so many, evenly over all."""
    if len(rows) <= most:
        return rows
    return [rows[i * len(rows) // most] for i in range(most)]


def _joined(rows: list[dict]) -> Iterator[dict]:
    """Sections of an address as a row: those whose title is the same before the dash."""
    for title, group in groupby(rows, key=lambda row: row["title"].split(" — ")[0]):
        sections = list(group)
        text = "\n\n".join(section["text"] for section in sections)
        yield sections[0] | {"title": title, "text": text}


def _csv(rows: list[dict]) -> bytes:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def collection_of_rows(name: str, rows: list[dict], day: str) -> Collection:
    """A collection of one table, a text a row. day: the column of its dates; "" for none."""
    no_fields = ("text", "title", "id", day)
    texts = []
    for row in rows:
        columns = {name: value for name, value in row.items() if name not in no_fields}
        fields = {name: value for name, value in columns.items() if isinstance(value, str)}
        texts.append(Text(row["text"], _first_day(row.get(day) or ""), fields))
    return Collection(name, [(f"{name}.csv", _csv(rows))], texts)


def _first_day(day: str) -> str:
    """The first day of a year; other dates as they are."""
    return f"{day}-01-01" if len(day) == len("1945") else day


def _as_text(day: date | None) -> str:
    """As `date.isoformat`, "" for none."""
    return day.isoformat() if day else ""
