"""Notebooks and their pins."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Count, Q, QuerySet
from django.urls import Resolver404, resolve

from webapp.core.documents import passages
from webapp.core.notebooks.shapes import (
    NotebookHeader,
    NotebookPage,
    PinRow,
    Source,
)
from webapp.models import Corpus, Notebook, Notebooks, Pin, Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import level, percent
from webapp.platform.drawing.tables import KeptTable

PAGE = 50


def list_notebooks(
    notebooks: QuerySet[Notebook], before: int | None = None, removed: bool = False
) -> tuple[list[tuple[Notebook, int]], int | None]:
    """Some notebooks, newest first, with how many pins each holds; and where the next page
    begins."""
    rows = notebooks.filter(removed_at__isnull=not removed, handed_in_by=None).order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    rows_with_counts = rows.annotate(count=Count("pins", filter=Q(pins__removed_at=None)))
    notebooks_counted: list[tuple[Notebook, int]] = [
        (row, row.count) for row in rows_with_counts[: PAGE + 1]
    ]
    page = notebooks_counted[:PAGE]
    following = page[-1][0].pk if len(notebooks_counted) > PAGE else None
    return page, following


def shared(token: str) -> Notebook | None:
    """The notebook of a link, while its owner's account is open."""
    return Notebook.objects.filter(token=token, removed_at=None, owner__is_active=True).first()


def last_used_for(offered: Notebooks, corpus: Corpus) -> Notebook | None:
    """The last used of the notebooks that a Pin button offers that has a pin of the corpus, or none
    of any yet; None where there is none such."""
    recent = offered.recent()
    pins = Pin.objects.filter(notebook__in=recent)
    runs = list(Run.everything.filter(corpus=corpus).values_list("pk", flat=True))
    has_corpus = Q(source__corpus_id=corpus.pk) | Q(source__run__in=runs)
    of_corpus = set(pins.filter(has_corpus).values_list("notebook", flat=True))
    used = set(pins.values_list("notebook", flat=True))
    fitting = [book for book in recent if book.pk in of_corpus or book.pk not in used]
    return fitting[0] if fitting else None


def content(notebook: Notebook, seen: QuerySet[Corpus]) -> NotebookPage:
    """The notebook and its pins in their order, those that were removed apart.

    seen: the corpora of which may be said that they are there
    (webapp.platform.accounts.authorization.corpora); a pin of any other reads like one whose origin
    is deleted.
    """
    pins = list(notebook.pins.all())
    origins = _origins(pins, seen)
    return NotebookPage(
        notebook=NotebookHeader(
            notebook.pk, notebook.title, notebook.by, notebook.created_at, notebook.intro
        ),
        pins=_with_headings(
            [_row(pin, *origins[pin.pk]) for pin in pins if pin.removed_at is None]
        ),
        removed=[_row(pin, *origins[pin.pk]) for pin in pins if pin.removed_at is not None],
    )


def _with_headings(rows: list[PinRow]) -> list[PinRow]:
    """The rows with `headed` set. Passages between findings that are called alike are quoted under
    the first one, and keep headings of their own."""
    last_finding = None
    headed = []
    for row in rows:
        if row.kind == Pin.Kind.PASSAGE:
            headed.append(row)
            continue
        begins = row.kind != Pin.Kind.CHART or row.title != last_finding
        last_finding = row.title if row.kind == Pin.Kind.CHART else None
        headed.append(replace(row, headed=begins))
    return headed


def bibliography(page: NotebookPage, seen: QuerySet[Corpus]) -> str:
    """BibTeX of its passages, each once, by corpus; of those whose documents are there and may be
    seen. seen: see `content`."""
    cited: dict[int, list[tuple[int, passages.Place]]] = {}
    for pin in page.pins:
        if pin.address and pin.start is not None and pin.end is not None:
            corpus_id = int(pin.source["corpus_id"] or 0)
            document = int(pin.source["document"] or 0)
            passage = (document, passages.Place(pin.start, pin.end))
            cited.setdefault(corpus_id, []).append(passage)
    entries: list[str] = []
    for pk, corpus in seen.in_bulk(cited).items():
        entries += passages.bibtex(corpus, cited[pk])
    return "\n".join(dict.fromkeys(entries))


def _origins(pins: list[Pin], seen: QuerySet[Corpus]) -> dict[int, tuple[Corpus | None, bool]]:
    """pin -> what its address leads to: (its corpus, where that is under embargo; whether there is
    nothing any more, or nothing that may be seen: an address is whatever was sent, and must not
    tell whether a run exists)."""
    arguments = {pin.pk: _arguments(pin.address) for pin in pins}
    runs = Run.everything.only("corpus", "deleted_at").in_bulk(
        {p["run_id"] for p in arguments.values() if p and "run_id" in p}
    )
    runs_of_pins = {
        pin: runs.get(argument["run_id"])
        for pin, argument in arguments.items()
        if argument and "run_id" in argument
    }
    numbers = {pin: run.corpus_id for pin, run in runs_of_pins.items() if run}
    numbers |= {
        pin: argument["corpus_id"]
        for pin, argument in arguments.items()
        if argument and "corpus_id" in argument
    }
    corpus_numbers = set(numbers.values()) | {
        pin.source["corpus_id"] for pin in pins if "corpus_id" in pin.source
    }
    corpora = Corpus.everything.only("embargo").in_bulk(corpus_numbers)
    visible = set(seen.filter(pk__in=corpus_numbers).values_list("pk", flat=True))
    origins = {}
    for pin in pins:
        run = runs_of_pins.get(pin.pk)
        has_origin = pin.pk in runs_of_pins or pin.pk in numbers
        is_visible = numbers.get(pin.pk) in visible and not (run and run.deleted_at)
        # Of a run that is gone for good the pin itself says which corpus it was.
        corpus = corpora.get(numbers.get(pin.pk, pin.source.get("corpus_id")))
        # A pin from before its corpus came under embargo is shortened, as long as anything of the
        # corpus is there.
        shut = corpus if corpus and corpus.embargo and pin.kind == Pin.Kind.PASSAGE else None
        leads_nowhere = arguments[pin.pk] is None or (has_origin and not is_visible)
        origins[pin.pk] = shut, leads_nowhere
    return origins


def _arguments(address: str) -> dict[str, Any] | None:
    """What an address names, such as {"run_id": 3}; None where no page is at it: that of an erased
    passage is empty, and a page may be gone from a newer version of the program."""
    try:
        return resolve(urlsplit(address).path).kwargs
    except Resolver404:
        return None


def _row(pin: Pin, shut: Corpus | None, deleted: bool) -> PinRow:
    quote = pin.quote
    if shut:
        quote = "".join(text for text, _ in embargo.passage(shut, [(quote, False)]))
    table = None
    if pin.table is not None:
        table = KeptTable(**pin.table)
    return PinRow(
        id=pin.pk,
        kind=pin.kind,
        title=pin.title,
        address="" if deleted else pin.address,
        quote=_with_ellipses(quote, pin.source),
        start=pin.start,
        end=pin.end,
        sentence=pin.sentence,
        table=table,
        source=pin.source,
        comment=pin.comment,
        by=pin.by,
        at=pin.at,
        origin=origin(pin.source, pin.start, pin.end),
        deleted=deleted,
    )


def _with_ellipses(quote: str, source: Source) -> str:
    """A passage with … where it begins or ends within a sentence."""
    if quote and source.get("cut_before"):
        quote = f"… {quote}"
    if quote and source.get("cut_behind"):
        quote = f"{quote} …"
    return quote


INTERVAL = "the interval in the sentence is a {level} confidence interval"


def origin(source: Source, start: int | None = None, end: int | None = None) -> str:
    """Where a pin comes from, in words: "id 55, speeches.csv, row 12, characters 120–480; Speeches,
    run 3, K = 30, seed 0"."""
    of_document = [
        f"id {source['id']}" if source.get("id") else "",
        source.get("file"),
        source.get("place"),
    ]
    if start is not None and end is not None:
        of_document.append(f"characters {start:,}–{end:,}")
    of_run = [source.get("corpus")]
    if "run" in source:
        of_run += [f"run {source['run']}", f"K = {source['K']}", f"seed {source['seed']}"]
    if "share" in source:
        of_run.append(f"{percent(source['share'])} of all words")
    of_interval = ""
    if "level" in source:
        of_interval = INTERVAL.format(level=level(float(source["level"] or 0)))
    sentences = [_join_fields(of_document), _join_fields(of_run), of_interval]
    return "; ".join(filter(None, sentences))


def _join_fields(fields: Sequence[object]) -> str:
    """Those that are not empty, with commas between."""
    return ", ".join(str(field) for field in fields if field)
