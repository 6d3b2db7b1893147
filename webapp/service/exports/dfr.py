"""The data folder of dfr-browser (github.com/agoldst/dfr-browser, “Browser data file
specifications”).

It shows topic k under the number k + 1 unless it is told a label, so each topic is: “Farming (T00)”.
"""

import html
import json
from collections.abc import Iterator

import numpy as np

from inference.errors import Invalid
from webapp.core.documents import document_days, fields
from webapp.core.results import provenance
from webapp.intake.metadata import ValueField
from webapp.platform.drawing.numbers import document_name
from webapp.platform.storage import csv_cells
from webapp.service.exports.model import Model
from webapp.service.exports.tables import ExportSource, about, selected
from webapp.service.exports.zips import Member, zipped

WORDS_OF_TOPIC = 50  # of a topic: dfr-browser's own number
MOST_DOCUMENTS = 200_000  # dfr-browser holds all of them in a browser's memory


def archive(source: ExportSource) -> Iterator[bytes]:
    if source.selection.count > MOST_DOCUMENTS:
        raise Invalid(
            "run",
            f"dfr-browser keeps all documents in the browser: at most {MOST_DOCUMENTS:,}, got"
            f" {source.selection.count:,}. Narrow the set.",
        )
    model = Model(source.run)
    numbers = np.concatenate([*selected(source), np.zeros(0, np.int64)]).astype(np.int64)
    category = next(iter(fields.categories(source.run.version)), None)
    dated = bool(len(numbers)) and bool(
        (document_days.read_days(source.run.version)[numbers] > 0).all()
    )
    return zipped(
        [
            Member("README.txt", [provenance.readme(source.run, *_README)]),
            Member("data/info.json", [_json(_info(source, dated, category))]),
            Member("data/tw.json", [_json(_topic_words(model))]),
            Member(
                "data/dt.json.zip",
                zipped([Member("dt.json", _document_topics(model, numbers))]),
                stored=True,
            ),
            Member(
                "data/meta.csv.zip",
                zipped([Member("meta.csv", _metadata(source, numbers, category))]),
                stored=True,
            ),
            Member(
                "data/topic_scaled.csv",
                ["".join(f"{x!r},{y!r}\n" for x, y in model.map.tolist()).encode()],
            ),
        ]
    )


_README = (
    (
        "The data folder of dfr-browser: put it beside dfr-browser's index.html, then run its"
        " bin/server."
    ),
    (
        "Documents stand in the order of their numbers here. If only some were taken, the id column"
        " says which."
    ),
)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _info(source: ExportSource, dated: bool, category: ValueField | None) -> dict:
    """Where a document has no date dfr-browser can't draw time, and goes by the first category."""
    run = source.run
    curated = source.selection.view.labels
    line_text = "".join(
        f"<p>{html.escape(name)}: {html.escape(str(value))}</p>"
        for name, value in provenance.made_by(run).items()
    )
    by_category = {
        "type": "ordinal",
        "name": html.escape(category.name if category else "corpus"),
        "spec": {"field": "journal"},
    }
    return {
        "title": html.escape(run.corpus.name),
        "meta_info": (
            f"<h2>{html.escape(run.corpus.name)}</h2><p>{html.escape(source.selection.sentence)}</p>{line_text}"
        ),
        "topic_labels": {str(k + 1): html.escape(curated.title(k)) for k in range(run.topics)},
        "VIS": {
            "condition": (
                {"type": "time", "spec": {"field": "date", "unit": "year", "n": 1}}
                if dated
                else by_category
            ),
            "hidden_topics": [k + 1 for k in range(run.topics) if curated.is_hidden(k)],
            "overview_words": 15,
        },
    }


def _topic_words(model: Model) -> dict[str, list[float] | list[dict[str, list[str] | list[int]]]]:
    ranked = (
        (topic, np.argsort(-topic.tokens, kind="stable")[:WORDS_OF_TOPIC])
        for topic in map(model.topic, range(model.K))
    )
    by_topic = [
        {
            "words": [model.vocabulary[w] for w in entries.words[order]],
            "weights": entries.tokens[order].tolist(),
        }
        for entries, order in ranked
    ]
    return {"alpha": model.alpha.tolist(), "tw": by_topic}


def _document_topics(model: Model, numbers: np.ndarray) -> Iterator[bytes]:
    """Tokens of topics by document, in compressed columns: documents of each topic one after the
    other."""
    mixtures = [model.evidence.mixtures.of_document(d) for d in numbers.tolist()]
    row = np.repeat(np.arange(len(mixtures)), [len(topics) for topics, _ in mixtures])
    topic = np.concatenate([*(topics for topics, _ in mixtures), np.zeros(0, np.uint16)])
    tokens = np.concatenate([*(tokens for _, tokens in mixtures), np.zeros(0, np.int32)])
    order = np.argsort(topic, kind="stable")
    p = np.concatenate(([0], np.cumsum(np.bincount(topic, minlength=model.K))))
    yield _json({"i": row[order].tolist(), "p": p.tolist(), "x": tokens[order].tolist()})


def _metadata(
    source: ExportSource, numbers: np.ndarray, category: ValueField | None
) -> Iterator[bytes]:
    """id, title, author, journal (the first category), volume, issue, date, pages (the place in the
    file).

    dfr-browser writes these into its pages as they are, so what is markup is escaped.
    """
    dates = document_days.read_days(source.run.version)
    codes = fields.codes(source.run.version, category.name)[1] if category else None
    for first in range(0, len(numbers), 2000):
        part = numbers[first : first + 2000]
        rows = []
        columns = about(source.run, part)
        for d in part.tolist():
            row = columns[d]
            journal = source.run.corpus.name
            if category is not None and codes is not None:
                journal = category.values[codes[d]] if codes[d] >= 0 else ""
            day = np.datetime64("0001-01-01") + (int(dates[d]) - 1) if dates[d] else ""
            cells = [
                row["id"] or str(d),
                document_name(row["title"], d),
                "",
                journal,
                "",
                "",
                str(day),
                row["place"],
            ]
            rows.append([html.escape(" ".join(cell.split()), quote=False) for cell in cells])
        yield csv_cells.lines(rows)
