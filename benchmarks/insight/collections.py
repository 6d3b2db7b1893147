"""The collections: made from what is beside the project, as the files that a reader would
upload."""

import csv
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from benchmarks.engines.corpora import FILES, SHARED

csv.field_size_limit(1 << 30)
QUICK = 1_500  # documents of a collection in the quick form, at most


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
    return _table(
        "addresses",
        [r | {"id": f"a{i}"} for i, r in enumerate(_joined(_rows(FILES["sotu"])))],
        "date",
    )


def sections(quick: bool) -> Collection:
    """The shipped example, in sections of 240 words."""
    return _table("sections", _rows(FILES["sotu"]), "date")


def proposals(quick: bool) -> Collection:
    return _table("proposals", _rows(SHARED / "peps.csv.gz"), "date")


def posts(quick: bool) -> Collection:
    """As they came: broken characters, dates like 10/16/17 22:59."""
    rows = _some(_rows(SHARED / "posts.csv.gz"), QUICK * 2 if quick else None)
    texts = [
        Text(r["text"], _american(r["created_at"]), {"user": r["user"], "retweets": r["retweets"]})
        for r in rows
    ]
    return Collection("posts", [("posts.csv", _csv(rows))], texts)


def answers(quick: bool) -> Collection:
    return _table("answers", _rows(SHARED / "answers.csv.gz"), "")


def reuters(quick: bool) -> Collection:
    rows = _some(_lines(FILES["reuters"]), QUICK * 2 if quick else 9_000)
    fields = [{name: "\n".join(r[name]) for name in ("topics", "places")} for r in rows]
    texts = [
        Text(r["title"] + "\n" + r["text"], _reuters_day(r["date"]), own)
        for r, own in zip(rows, fields, strict=True)
    ]
    content = "\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode()
    return Collection("reuters", [("news.jsonl", content)], texts)


def abstracts(quick: bool) -> Collection:
    return _table(
        "abstracts", _some(_lines(FILES["arxiv"]), QUICK * 2 if quick else 12_000), "date"
    )


def novels(quick: bool) -> Collection:
    return _table(
        "novels", _rows(SHARED / "languages/fr_novels/fr_novel_chapters.utf8.csv.gz"), "date"
    )


def minutes(quick: bool) -> Collection:
    """Addresses since 1947, a fifth of their sentences followed by what others call: 6% of the
    words."""
    chance = random.Random(5)
    speakers = [
        "Martin",
        "Rayburn",
        "Halleck",
        "Mansfield",
        "Dirksen",
        "Foley",
        "Gephardt",
        "Hastert",
    ]
    calls = [
        "Hear, hear!",
        "That is not so!",
        "Applause on all sides.",
        "Order, order!",
        "Very good!",
    ]
    rows = [r for r in _rows(FILES["sotu"]) if int(r["date"]) >= 1947]

    def call(match: re.Match) -> str:
        if chance.random() > 0.2:
            return match[0]
        return f"{match[1]}\n(Applause. — {chance.choice(speakers)}: {chance.choice(calls)})\n"

    return _table(
        "minutes", [r | {"text": re.sub(r"([.!?]) ", call, r["text"])} for r in rows], "date"
    )


def manifestos(quick: bool) -> Collection:
    """Twelve sentences each."""
    by_manifesto = groupby(_rows(SHARED / "manifestos.csv.gz"), key=lambda r: r["manifesto"])
    rows = [
        {
            "id": f"{name} {i // 12 + 1}",
            "party": sentences[i]["party"],
            "year": sentences[i]["year"],
            "text": " ".join(s["text"] for s in sentences[i : i + 12]),
        }
        for name, sentences in [(name, list(of_it)) for name, of_it in by_manifesto]
        for i in range(0, len(sentences), 12)
    ]
    return _table("manifestos", rows, "year")


def folders(quick: bool) -> Collection:
    """Files with numbers for names, in folders that are fields of arXiv."""
    wanted = [
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
    ]
    rows = [r for r in _rows(SHARED / "arxiv_senses.csv.gz") if r["category"] in wanted]
    buffer = io.BytesIO()
    texts = []
    numbers = dict.fromkeys(wanted, 0)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for r in sorted(rows, key=lambda r: r["category"]):
            numbers[r["category"]] += 1
            text = f"{r['title']}\n\n{r['text']}"
            archive.writestr(f"fields/{r['category']}/{numbers[r['category']]:03d}.txt", text)
            texts.append(Text(text, "", {"folder": r["category"]}))
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


def _rows(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="") as file:
        return list(csv.DictReader(file))


def _lines(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _some(rows: list[dict], most: int | None) -> list[dict]:
    """At most so many, evenly over all."""
    return (
        rows
        if most is None or len(rows) <= most
        else [rows[i * len(rows) // most] for i in range(most)]
    )


def _joined(rows: list[dict]) -> Iterator[dict]:
    for title, (first, *others) in groupby(rows, key=lambda r: r["title"].split(" — ")[0]):
        yield first | {"title": title, "text": "\n\n".join(r["text"] for r in (first, *others))}


def _csv(rows: list[dict]) -> bytes:
    buffer = io.StringIO()
    out = csv.DictWriter(buffer, list(rows[0]), extrasaction="ignore")
    out.writeheader()
    out.writerows(rows)
    return buffer.getvalue().encode()


def _table(name: str, rows: list[dict], day: str) -> Collection:
    no_fields = ("text", "title", "id", day)
    texts = [
        Text(
            r["text"],
            _first_day(r.get(day) or ""),
            {k: v for k, v in r.items() if k not in no_fields and isinstance(v, str)},
        )
        for r in rows
    ]
    return Collection(name, [(f"{name}.csv", _csv(rows))], texts)


def _first_day(date: str) -> str:
    """Of a year; other dates as they are."""
    return f"{date}-01-01" if len(date) == 4 else date


def _american(text: str) -> str:
    """10/16/17 22:59."""
    m = re.match(r"(\d+)/(\d+)/(\d+)", text)
    return date(2000 + int(m[3]) % 100, int(m[1]), int(m[2])).isoformat() if m else ""


def _reuters_day(text: str) -> str:
    """26-FEB-1987."""
    day, month, year = text.strip()[:11].split("-")
    return date(
        int(year),
        "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split().index(month) + 1,
        int(day),
    ).isoformat()
