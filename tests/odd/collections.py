"""Small odd collections: named ones that once broke a page, and as many drawn ones as are wanted.

A collection is what a stranger might upload: few texts, equal or empty or very long; dates that are
missing, equal, far apart or none at all; groups that hold everything or one document each; more
topics than documents; and what readers did to its topics and words.
"""

import csv
import io
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from inference.engines import ENGINES
from tests.corpora import example_rows

WORDS = (
    "war peace law tax land ship trade coast treaty farm harbour council winter bridge copper"
    " letter silver market colony river engine school doctor prison railway".split()
)
STOP_WORDS = "the of and to in a that it is was".split()
MOST_DOCUMENTS = 60
LONG_TEXT = 30_000  # words of a very long text
MANY_GROUPS = 1_000
CHANGING = 400  # documents of a collection in which something changes, more than periods looked at
WORDS_OF_CHANGING = 40
THEMES = 4
# Between two documents. What is looked at are the finest periods of which at most 300 have documents
DAYS_APART = {"day": 0.1, "week": 1, "month": 20, "quarter": 25, "decade": 530}
EDITS = ("none", "hidden", "merged", "families", "named")
CHOICES_OF_WORDS = ("as read", "one word", "few words")


@dataclass(frozen=True)
class Collection:
    """One collection, and what is done with it.

    rows: with their head. reading: fields of ReadingSettings. settings: of runs.services.create.
    edit: one of EDITS, what readers do to the topics. words: one of CHOICES_OF_WORDS, another
    version of the words that is trained instead of the first.
    """

    name: str
    rows: list[list[str]]
    engine: str = "clusters"
    topics: int = 3
    reading: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    edit: str = "none"
    words: str = "as read"

    def content(self) -> bytes:
        """The file that is uploaded."""
        buffer = io.StringIO()
        csv.writer(buffer).writerows(self.rows)
        return buffer.getvalue().encode()


def with_head(texts: list[str], **columns: list[str]) -> list[list[str]]:
    """Rows of texts and other columns by their names."""
    names = ["text", *columns]
    return [names, *map(list, zip(texts, *columns.values(), strict=True))]


def known() -> list[Collection]:
    """Those that once broke a page, and the ends of what can be drawn."""
    words_of_two = [" ".join(WORDS[:10]), " ".join(WORDS[5:15])]
    twenty = [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(1, 30)) for i in range(20)]
    usual_dates = [f"{1990 + i}-01-02" for i in range(20)]
    return [
        Collection("the example by clusters", example_rows(400), topics=50),
        *(
            collection
            for engine in ("ssi", "clusters")
            for collection in (
                Collection(
                    f"two documents, five topics, {engine}",
                    with_head(words_of_two),
                    engine=engine,
                    topics=5,
                ),
                Collection(
                    f"ten documents, twenty topics, {engine}",
                    with_head(twenty[:10]),
                    engine=engine,
                    topics=20,
                ),
            )
        ),
        Collection(
            "dates with words of stop words alone",
            with_head(
                ["the of and", "the and of the", " ".join(WORDS[:9]), " ".join(WORDS[3:12])],
                date=["1990-01-01", "1991-01-01", "", ""],
            ),
            topics=2,
        ),
        *(
            Collection(
                f"one date {odd}",
                with_head(twenty, date=[*usual_dates[:-1], odd]),
                engine="ssi",
            )
            for odd in ("9999-12-31", "9998-12-31", "0001-01-01")
        ),
        Collection(
            "months of early years",
            with_head(twenty, date=["0044-03-15", "-0044-03-15", *["0044-05-01"] * 18]),
            engine="ssi",
        ),
        Collection("one document", with_head([" ".join(WORDS)]), topics=1),
        Collection("one word", with_head(["war"] * 5), topics=1),
        Collection("equal texts", with_head([" ".join(WORDS)] * 12), engine="ssi", topics=4),
        *(changing(length) for length in DAYS_APART),
        Collection(
            "a thousand groups",
            with_head(
                [twenty[i % 20] for i in range(MANY_GROUPS)],
                party=[f"group {i}" for i in range(MANY_GROUPS)],
            ),
        ),
    ]


def changing(length: str) -> Collection:
    """Texts of which the later half is about other things, with dates so far apart that changes are
    looked for by days, weeks, months, quarters or decades: names of periods are then no years."""
    days_apart = DAYS_APART[length]
    random = np.random.default_rng(64)
    themes = np.array_split(np.array(WORDS), THEMES)
    texts = []
    dates = []
    for number in range(CHANGING):
        is_late = number >= CHANGING // 2
        likely = np.ones(THEMES)
        likely[0] = THEMES if is_late else 0.2
        of_words = random.choice(
            THEMES, WORDS_OF_CHANGING, p=random.dirichlet(likely / likely.sum())
        )
        texts.append(" ".join(str(random.choice(themes[theme])) for theme in of_words))
        day = date(1400, 1, 1) + timedelta(days=int(number * days_apart))
        dates.append(f"{day:%Y-%m}" if length == "month" else day.isoformat())
    return Collection(
        f"a change by {length}s",
        with_head(texts, date=dates),
        engine="ssi",
        topics=THEMES,
        settings={"passes": 20},
    )


def drawn(seed: int) -> Collection:
    """The collection of a seed, the same each time."""
    random = np.random.default_rng([63, seed])
    count = int(random.choice([1, 2, 3, 5, 10, 20, 40, MOST_DOCUMENTS]))
    texts = _texts(random, count)
    columns = _dates(random, count) | _groups(random, count)
    engine = str(random.choice(sorted(ENGINES)))
    return Collection(
        name=f"drawn {seed}",
        rows=with_head(texts, title=[f"Title {i}" for i in range(count)], **columns),
        engine=engine,
        topics=int(random.choice([1, 2, 3, 5, 12, count, count + 5])),
        reading={"min_documents": 1} if random.random() < 0.6 else {},
        edit=str(random.choice(EDITS)),
        words=str(random.choice(CHOICES_OF_WORDS, p=[0.7, 0.15, 0.15])),
    )


def _texts(random: np.random.Generator, count: int) -> list[str]:
    kind = random.choice(["usual", "equal", "one word", "stop words", "mixed", "long"])
    usual = [
        " ".join(random.choice(WORDS, int(random.integers(5, 60))).tolist()) for _ in range(count)
    ]
    if kind == "equal":
        return [usual[0]] * count
    if kind == "one word":
        return [str(random.choice(WORDS)) for _ in range(count)]
    if kind == "stop words":
        return [" ".join(STOP_WORDS)] * (count - 1) + [usual[0]]
    if kind == "long":
        long_text = " ".join(random.choice(WORDS, LONG_TEXT).tolist())
        return [*usual[:-1], long_text]
    if kind == "mixed":
        odd = ["", "war", " ".join(STOP_WORDS), "!!! ???", usual[0], "1 2 3"]
        picked = random.integers(0, 2 * len(odd), count)
        return [
            odd[pick] if pick < len(odd) else text for pick, text in zip(picked, usual, strict=True)
        ]
    return usual


def _dates(random: np.random.Generator, count: int) -> dict[str, list[str]]:
    kind = random.choice(
        ["no column", "empty", "one", "equal", "two periods", "gaps", "far apart", "usual", "ends"]
    )
    if kind == "no column":
        return {}
    years = {
        "empty": [""],
        "one": ["1950-05-06"] + [""] * (count - 1),
        "equal": ["1950-05-06"],
        "two periods": ["1950-05-06", "1990-01-02"],
        "gaps": ["1801-01-01", "", "1950-05-06", "2020-12-31"],
        "far apart": ["0044-03-15", "-0044-03-15", "1066-10-14", "9000-01-01"],
        "usual": [f"{1990 + i}-{1 + i % 12:02d}-03" for i in range(20)],
        "ends": ["0001-01-01", "9999-12-31", "1950-05-06", "2000-01-01"],
    }[str(kind)]
    return {"date": [years[i % len(years)] for i in range(count)]}


def _groups(random: np.random.Generator, count: int) -> dict[str, list[str]]:
    kind = random.choice(["none", "one", "each its own", "nested", "missing", "numbers", "usual"])
    if kind == "none":
        return {}
    if kind == "nested":
        outer = ["north", "south"]
        inner = ["north/oslo", "south/rome", "north/bergen", "south/milan"]
        return {
            "region": [outer[i % 2] for i in range(count)],
            "place": [inner[i % 4] for i in range(count)],
        }
    values = {
        "one": ["all"],
        "each its own": [f"group {i}" for i in range(count)],
        "missing": ["left", "", "", "right"],
        "numbers": ["1", "2.5", "-1e300", "1e300", ""],
        "usual": ["left", "right", "middle"],
    }[str(kind)]
    return {"party": [values[i % len(values)] for i in range(count)]}
