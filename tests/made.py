"""A made collection of any size, for tests of plans: planted topics (themes) over 50,000 made
words.

Some 60 words a document, with a date of a century and a category. `corpus` and `run` put it into
the database and the state folder by the very tasks that do it for users, without a web server, so
that rows, arrays and indexes are what they would be.
"""

import csv
import gzip
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

V = 50_000
LENGTH = 60
THEMES = 300
BLOCK = 10_000
SYLLABLES = [
    c + v for c in "b d f g k l m n p r s t v z ch st".split() for v in "a e i o u ai or en".split()
]


def words() -> np.ndarray:
    """V different made words, the shorter ones first."""
    n = len(SYLLABLES)
    made = [
        SYLLABLES[i // n % n] + SYLLABLES[i % n] + (SYLLABLES[i // n**2] if i >= n**2 else "")
        for i in range(V)
    ]
    return np.array(list(dict.fromkeys(made)))


def write(path: Path, documents: int, seed: int = 0, themes: int = THEMES) -> None:
    """A gzipped CSV of id, title, date, section, text. themes: planted topics, three in each
    document."""
    rng = np.random.default_rng(seed)
    vocabulary = words()
    zipf = 1.0 / (np.arange(len(vocabulary)) + 20.0)
    of_theme = np.cumsum(
        [
            np.where(
                rng.random(len(vocabulary)) < 0.03,
                zipf * rng.gamma(1.0, 1.0, len(vocabulary)),
                1e-9,
            )
            for _ in range(themes)
        ],
        axis=1,
    )
    of_theme /= of_theme[:, -1:]
    with gzip.open(path, "wt", encoding="utf-8", newline="", compresslevel=1) as file:
        out = csv.writer(file)
        out.writerow(["id", "title", "date", "section", "text"])
        for first in range(0, documents, BLOCK):
            n = min(BLOCK, documents - first)
            chosen = rng.integers(0, themes, (n, 3))
            theme = chosen[np.arange(n)[:, None], rng.integers(0, 3, (n, LENGTH))].ravel()
            drawn = rng.random((n, LENGTH)).ravel()
            tokens = np.empty(n * LENGTH, np.int64)
            by_theme = np.argsort(theme, kind="stable")
            ends = np.searchsorted(theme[by_theme], np.arange(themes + 1))
            for k in range(themes):
                own = by_theme[ends[k] : ends[k + 1]]
                tokens[own] = np.searchsorted(of_theme[k], drawn[own])
            years = 1900 + (chosen[:, 0] * 100 // themes + rng.integers(0, 30, n)) % 100
            sections = chosen[:, 1] % 12
            for i, text in enumerate(vocabulary[tokens.reshape(n, LENGTH)]):
                out.writerow(
                    [
                        f"m{first + i}",
                        f"Made document {first + i}",
                        f"{years[i]}-{1 + i % 12:02d}-{1 + i % 28:02d}",
                        f"section {sections[i]}",
                        " ".join(text),
                    ]
                )


def name(documents: int, themes: int = THEMES) -> str:
    """What `corpus` calls it."""
    return f"Made, {documents:,}" + (f", {themes:,} themes" if themes != THEMES else "")


def corpus(documents: int, themes: int = THEMES):
    """A corpus of so many documents that has been read. Django must be set up."""
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora, guesses

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.csv.gz"
        write(file, documents, themes=themes)
        made = corpora.create(name(documents, themes), [corpora.ReceivedFile("made.csv.gz", file)])
    corpora.read(
        made,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(made).options), language="en", min_documents=5
        ),
    )
    read_corpus(made.pk)
    return _done(made, "ready")


def run(corpus, topics: int):
    """A finished run on it, of one pass: how good its topics are is not asked here."""
    from tasks.runs import train
    from webapp.core.runs import services as runs

    made = runs.create(corpus.version, topics=topics, engine_settings={"passes": 1})
    train(made.pk)
    return _done(made, "done")


def _done(row, status: str):
    row.refresh_from_db()
    if row.status != status:
        raise SystemExit(f"The made data could not be made: {row.status} {row.error}")
    return row
