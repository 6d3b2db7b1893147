"""A run as plain pages in a zip: they open from a folder, without a server, a network or
JavaScript. Sizes are bounded.

They hold words, numbers and titles, and no texts, so they are the same under embargo, but for
passages where they are asked for (searched_site.py).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from django.template.loader import render_to_string

from webapp.core.documents import document_groups
from webapp.core.documents.texts import Excerpt
from webapp.core.results import topics
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.service.exports.model import Model
from webapp.service.exports.tables import ExportSource
from webapp.service.exports.zips import Member, zipped

WORDS_OF_TOPIC = 40  # of a topic's page
FIRST_WORDS = 10  # of a topic's line
DOCUMENTS_OF_TOPIC = 50  # of a topic's page, those with the largest share
VOCABULARY = 1_000  # words on the page of words, the most frequent
BINS = 240  # of a timeline; more periods are drawn by the decade


def archive(source: ExportSource) -> Iterator[bytes]:
    return zipped(members(source.run))


def topic_page(k: int) -> str:
    """Its path in the folder."""
    return f"topics/{k:04d}.html"


def members(
    run: Run,
    home: str = "",
    search: str = "",
    passages: Callable[[int, list[int]], list[tuple[int, Excerpt]]] | None = None,
) -> Iterator[Member]:
    """home, search: from the index, pages that all lead to. passages: of a topic, from the
    documents in which it is largest: pairs of a document's number and its passage."""
    model = Model(run)
    view = RunView(run)
    labels = view.labels
    first = topics.first_words(view, FIRST_WORDS)
    rows: list[dict[str, Any]] = [
        {
            "number": k,
            "title": labels.title(k),
            "hue": view.hue(k),
            "words": first[k],
            "share": int(model.tokens[k]) / max(1, int(model.tokens.sum())),
            "page": topic_page(k),
        }
        for k in view.topics
    ]
    lines = _lines(model)

    def page(name: str, template: str, **data) -> Member:
        places = {"above": "../" * name.count("/"), "home": home, "search": search}
        html = render_to_string(f"site/{template}", data | places | {"run": run})
        return Member(name, [html.encode()])

    yield Member("site.css", [render_to_string("site/site.css").encode()])
    yield page("index.html", "index.html", topics=sorted(rows, key=lambda topic: -topic["share"]))
    yield page("words.html", "words.html", words=_vocabulary(model, labels))
    for position, topic in enumerate(rows):
        k = topic["number"]
        documents = _documents(model, k)
        yield page(
            topic["page"],
            "topic.html",
            topic=topic,
            note=labels.note(k),
            words=_words(model, k),
            documents=documents,
            passages=passages
            and _add_titles(documents, passages(k, [d["number"] for d in documents])),
            line=lines and {"labels": lines[0], "bars": _bars(lines[1][:, k])},
            previous=rows[position - 1] if position else None,
            next=rows[position + 1] if position + 1 < len(rows) else None,
        )


def _words(model: Model, k: int) -> list[dict[str, str | float | int]]:
    """bar: the weight, against the topic's largest."""
    top = model.topic(k)
    largest = float(top.weights[0]) if len(top.weights) else 1.0
    rows = zip(
        top.words[:WORDS_OF_TOPIC].tolist(),
        top.weights[:WORDS_OF_TOPIC].tolist(),
        top.tokens[:WORDS_OF_TOPIC].tolist(),
        strict=True,
    )
    return [
        {"word": model.vocabulary[w], "weight": x, "tokens": n, "bar": x / largest}
        for w, x, n in rows
    ]


def _documents(model: Model, k: int) -> list[dict]:
    strongest = model.evidence.topic_documents.best(k, "share", DOCUMENTS_OF_TOPIC)
    about_documents = embargo.about(
        model.run.corpus, [d for d, _, _ in strongest], "title", "date_text"
    )
    return [
        {
            "number": d,
            "share": x,
            "title": about_documents[d]["title"],
            "date": about_documents[d]["date_text"],
        }
        for d, _, x in strongest
    ]


def _add_titles(documents: list[dict], passages: list[tuple[int, Excerpt]]) -> list[dict]:
    about = {document["number"]: document for document in documents}
    return [about[number] | {"parts": passage.parts} for number, passage in passages]


def _vocabulary(model: Model, labels: Labels) -> list[dict]:
    """The most frequent words, each with the topics that have most of it."""
    ptr, topics, tokens, _ = model.evidence.word_topics.held_by_word()

    def most(span: slice) -> list[dict[str, str | int]]:
        parts = sorted(
            zip(tokens[span].tolist(), topics[span].tolist(), strict=True), reverse=True
        )[:3]
        return [{"title": labels.title(k), "page": topic_page(k), "tokens": n} for n, k in parts]

    return [
        {
            "word": model.vocabulary[w],
            "tokens": int(model.word_tokens[w]),
            "topics": most(slice(ptr[w], ptr[w + 1])),
        }
        for w in (-model.word_tokens).argsort(kind="stable")[:VOCABULARY].tolist()
    ]


def _lines(model: Model):
    """(labels, shares float64[G, K]) over time, or None without dates."""
    by = document_groups.best_period(model.run.version)
    if by is None:
        return None
    groups = document_groups.read_groups(model.run.version, by)
    if len(groups.labels) > BINS:
        groups = document_groups.read_groups(
            model.run.version, "decade" if by == "year" else "year"
        )
    tokens, _ = model.evidence.mixtures.sums(groups.group, len(groups.labels))
    return groups.labels, tokens / tokens.sum(axis=1, keepdims=True).clip(1)


def _bars(shares: np.ndarray) -> list[dict[str, str]]:
    """Bars of an SVG of 100 by 30, the highest 30."""
    largest = float(shares.max()) or 1.0
    width = 100 / len(shares)
    return [
        {
            "x": f"{i * width:.3f}",
            "width": f"{width * 0.85:.3f}",
            "y": f"{30 - 30 * s / largest:.2f}",
            "height": f"{30 * s / largest:.2f}",
        }
        for i, s in enumerate(shares.tolist())
    ]
