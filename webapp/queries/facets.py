"""The set that a page shows, in words, and the form that chooses another."""

from functools import lru_cache
from urllib.parse import urlencode

from django.http import QueryDict

from webapp.models import Run
from webapp.queries import fields, topics
from webapp.queries.names import names
from webapp.queries.selection import Selection, own

VALUES = 8  # of a category that are offered to tick, the most frequent; others are typed
OFFERED = 200  # values that are proposed while one types, and topics that a list holds: above, a number is typed
CATEGORIES = 12  # a table may have 64 columns


def form(selection: Selection, query: QueryDict) -> dict:
    """What templates/run/_selection.html shows. query: of the page, whose own parameters stay."""
    kept = own(query)
    corpus, run = selection.corpus, selection.run
    return {
        "conditions": [
            {"text": condition["text"], "url": _address(kept + [p for p in selection.parameters if p != condition["parameter"]])}
            for condition in selection.conditions
        ],
        "all": _address(kept),
        "count": selection.count,
        "of": corpus.documents,
        "own": kept,
        "q": selection.q,
        "first": selection.first,
        "last": selection.last,
        "has": [f"{topic}:{percent:g}" for topic, percent in selection.has],
        "dated": fields.dated(corpus),
        "categories": [_category(selection, category) for category in fields.categories(corpus)[:CATEGORIES]],
        "counted": bool(run and run.snapshot_id and run.snapshot.final),
        "topics": _titles(run) if run and run.snapshot_id and run.topics <= OFFERED else [],
    }


def _address(parameters: list[tuple[str, str]]) -> str:
    return "?" + urlencode(parameters)


def _category(selection: Selection, category: fields.Category) -> dict:
    """Its most frequent values, those that are chosen already, and what may be typed."""
    chosen = {value for name, value in selection.values if name == category.name}
    ticked = [
        {"value": value, "parameter": f"{category.name}:{value}", "documents": documents, "chosen": value in chosen}
        for i, (value, documents) in enumerate(zip(category.values, category.documents, strict=True))
        if i < VALUES or value in chosen
    ]
    more = len(category.values) - len(ticked)
    return {"name": category.name, "values": ticked, "more": more, "offered": category.values[VALUES:OFFERED] if more else []}


def _titles(run: Run) -> list[tuple[int, str]]:
    """Each topic with its name and first words, hidden ones left out."""
    said, words = names(run), _words(run.snapshot_id, run.pk)
    titles = ((k, f"{said.title(k)}: {' '.join(words[k])}") for k in range(run.topics))
    return [(k, title) for k, title in titles if not said.hidden(k) and said.into[k] == k]


@lru_cache(32)
def _words(snapshot_id: int, run_id: int) -> dict[int, list[str]]:
    """Of a snapshot, which never changes."""
    run = Run.objects.get(pk=run_id)
    return topics.top_words(run, list(range(run.topics)), 3)
