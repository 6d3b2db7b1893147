"""Topics by period or category: shares with their intervals, bin after bin."""

import csv
from collections.abc import Iterator

import numpy as np
from django.urls import reverse

from inference.errors import Invalid
from webapp.accounts import embargo
from webapp.documents import fields, texts
from webapp.documents.selection import Selection
from webapp.models import Run, Version
from webapp.results import topics
from webapp.results.labels import names
from webapp.storage.csv_cells import safe
from webapp.time import shares

SHOWN = 9  # topics of a page that names none: those that change most
MOST = 24  # side by side; more can't be compared
OFFERED = 200  # topics to choose from in a list; others by their number
PASSAGES = 3  # of a bin
VALUES = 40  # of a category, the most frequent: a longer list can't be compared


def choices(version: Version) -> list[dict]:
    """What `fields.choices` offers: name, and how a page says it."""
    return [{"name": by, "said": fields.PERIODS.get(by, by)} for by in fields.choices(version)]


def most_changing(cut: shares.Cut) -> list[int]:
    """Topics that nobody hid, by how much they depend on the group, most first."""
    said = names(cut.run)
    order = np.argsort(-shares.information(cut), kind="stable")
    return [int(k) for k in order if said.into[k] == k and not said.hidden(int(k))]


def asked(run: Run, texts: list[str]) -> list[int]:
    """Topics from an address, "3" or "3,7,T12", merged ones as their targets. Raises Invalid for what is no topic."""
    found = []
    for text in (part.strip().lstrip("Tt") for parts in texts for part in parts.replace(" ", ",").split(",")):
        if not text:
            continue
        if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < run.topics):
            raise Invalid("topics", f"Run {run.pk} has topics 0 to {run.topics - 1}, got “{text[:20]}”.")
        found.append(int(names(run).into[int(text)]))
    return list(dict.fromkeys(found))


def lines(run: Run, selection: Selection, by: str, wanted: list[int], most: int = MOST) -> dict:
    """Some topics, or those that change most, by a period or a category: what the page, its twin and its table hold."""
    if len(wanted) > most:
        raise Invalid(
            "topics", f"At most {most} topics can be shown beside each other, got {len(wanted)}. Choose fewer."
        )
    cut = shares.cut(run, by, selection)
    changing = most_changing(cut)
    chosen = wanted or changing[:SHOWN]
    bands = shares.intervals(cut, chosen)
    sums, told = shares.tokens(cut), shares.information(cut)
    places = list(range(cut.first, cut.end if cut.groups.in_time else min(cut.end, cut.first + VALUES)))
    places = fields.in_order(run.version, cut.groups, places)
    total = max(int(sums.sum()), 1)
    words = topics.top_words(run, chosen, 6)
    return {
        "by": by,
        "in_time": cut.groups.in_time,
        "bins": bins(cut, bands, places),
        "left_out": cut.end - cut.first - len(places),
        "without": selection.count - int(np.count_nonzero(cut.group >= 0)),
        "measured": not wanted,
        "topics": [
            topics.link(run, k)
            | {
                "words": words[k],
                "overall": int(sums[:, k].sum()) / total,
                "information": float(told[k]),
                "tokens": sums[places, k].tolist(),
                "share": _plain(bands.share[i, places]),
                "low": _plain(bands.low[i, places]),
                "high": _plain(bands.high[i, places]),
            }
            for i, k in enumerate(chosen)
        ],
        "changing": changing[:OFFERED],
    }


def bins(cut: shares.Cut, bands, places: list[int]) -> list[dict]:
    """Each group: its label, the documents and tokens that are in it, whether it is thin, where its documents are."""
    home = reverse("run_documents", args=[cut.run.pk])
    return [
        {
            "label": cut.groups.labels[g],
            "documents": int(bands.documents[g]),
            "tokens": int(bands.tokens[g]),
            "thin": bool(bands.thin[g]),
            "url": home + shares.address(cut.selection, (cut.groups, g)),
        }
        for g in places
    ]


def _plain(numbers: np.ndarray) -> list[float | None]:
    return [None if np.isnan(x) else float(x) for x in numbers]


HEAD = ["corpus", "run", "K", "seed", "documents_chosen", "by", "bin", "topic", "label", "share", "low", "high", "topic_tokens", "tokens",
        "documents", "thin"]  # fmt: skip


def every(run: Run) -> list[int]:
    """All topics that are not merged into others."""
    return np.flatnonzero(names(run).into == np.arange(run.topics)).tolist()


def table(run: Run, selection: Selection, by: str, wanted: list[int]) -> Iterator[str]:
    """The same as CSV, all bins of it: a row for each topic and bin, and in each what it was made from."""
    cut = shares.cut(run, by, selection)
    chosen = wanted or most_changing(cut)[:SHOWN]
    bands, sums, said = shares.intervals(cut, chosen), shares.tokens(cut), names(run)
    write = csv.writer(_Line()).writerow
    of = [run.corpus.name, run.pk, run.topics, run.seed, selection.sentence, by]

    def lines() -> Iterator[str]:
        yield write(HEAD)
        for i, k in enumerate(chosen):
            for g in range(cut.first, cut.end):
                share, low, high = (
                    "" if np.isnan(x[i, g]) else repr(float(x[i, g])) for x in (bands.share, bands.low, bands.high)
                )
                counts = [int(sums[g, k]), int(bands.tokens[g]), int(bands.documents[g]), int(bands.thin[g])]
                yield write(safe([*of, cut.groups.labels[g], k, said.label(k), share, low, high, *counts]))

    return lines()


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def strongest(run: Run, selection: Selection, by: str, topic: int, label: str) -> dict:
    """The documents of a bin in which a topic is largest, each with its strongest passage. Raises Invalid for no such bin."""
    cut = shares.cut(run, by, selection)
    if label not in cut.groups.labels:
        raise Invalid(
            "bin",
            f"There is no {by} “{label[:50]}” here; they run from {cut.groups.labels[0]} to {cut.groups.labels[-1]}.",
        )
    g = cut.groups.labels.index(label)
    found = shares.strongest(cut, topic, g, PASSAGES)
    numbers = [number for number, _ in found]
    known = embargo.about(run.corpus, numbers, "title", "date_text")
    snippets = texts.passages(run, numbers, topic)
    return {
        "label": label,
        "url": reverse("run_documents", args=[run.pk]) + shares.address(selection, (cut.groups, g), has=topic),
        "documents": [
            {
                "number": number,
                "title": known[number]["title"],
                "date_text": known[number]["date_text"],
                "share": share,
                "snippet": snippets.get(number, []),
                "url": reverse("run_document", args=[run.pk, number]) + f"?topic={topic}",
            }
            for number, share in found
        ],
    }
