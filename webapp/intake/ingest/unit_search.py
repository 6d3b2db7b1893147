"""The unit of a version is looked for when it is made, and once in the background in versions of an
older program: whose texts are alike (inference.answers.collection_unit). What was found is stored
with the version: fields as numbers on its row, the codes of each as a file."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import structlog
from django.db import connection, transaction

from inference.answers import collection_unit
from inference.answers.collection_unit import Column
from inference.bow import Bow
from inference.errors import Invalid
from webapp.intake.file_formats import Options
from webapp.intake.ingest import unit_columns
from webapp.intake.metadata import Category
from webapp.intake.metadata.columns import Columns
from webapp.models import Corpus, Version
from webapp.platform.jobs import dispatch, events, scheduler
from webapp.platform.mistakes import MISTAKES
from webapp.platform.storage import files, sealed

log = structlog.get_logger(__name__)

METHOD = 5  # of what is stored: fields of an earlier one are looked for anew
SECTIONS_OF = "the text that sections are of"  # a column of collections of sections
MOST_FIELDS = 60  # that are stored, those whose texts are most alike
HARDLY = 0.97  # part of a sample's derived values that are different: then documents share none
FIND = "tasks.corpora.find_unit"
FIND_AGAIN = 3_600  # seconds after which what did not come to its end is tried again


def find_guarded(version: Version, documents: int, bow: Bow) -> dict:
    """Find the unit; where a mistake of ours breaks the search, the corpus is read without one, its
    page says so, and the log has the error for the operator."""
    try:
        return find(version, documents, bow)
    except Invalid:
        raise
    except MISTAKES as error:
        log.error("unit could not be looked for", version=version.pk, exc_info=error)
        folder = files.version_folder(version.pk)
        shutil.rmtree(folder / "units.new", ignore_errors=True)
        (folder / "units").mkdir(exist_ok=True)
        return {"method": METHOD, "fields": [], "failed": True}


def find(version: Version, documents: int, bow: Bow) -> dict:
    """Look for the fields whose texts are alike; what Version.unit_fields holds. Writes the folder
    `units` of the version, beside its `columns`."""
    folder = files.version_folder(version.pk)
    finished = folder / "units"
    working = folder / "units.new"
    shutil.rmtree(working, ignore_errors=True)
    working.mkdir()
    columns = Columns(folder / "columns")
    by_document = bow.by_document()
    mixes = collection_unit.mixes_of(
        by_document.indptr, by_document.words, by_document.counts, by_document.V
    )
    candidates = _candidates(version, documents, columns, working)
    fields_found = collection_unit.find(candidates, np.asarray(columns.dates), mixes)
    stored = _store(fields_found, working)
    # What an older program found is read until now
    shutil.rmtree(finished, ignore_errors=True)
    working.rename(finished)
    return stored


def _candidates(version: Version, documents: int, columns: Columns, folder: Path) -> list[Column]:
    """Columns of tables that are stored already, all others, and what is derived from both."""
    categories = [field for field in columns.fields if isinstance(field, Category)]
    coded = [_of_category(field, columns) for field in categories]
    left_out = {field.name for field in categories}
    corpus = version.corpus
    table = files.corpus_folder(corpus.pk) / "fields.jsonl"

    def of_fields() -> Iterator[unit_columns.Block]:
        return unit_columns.blocks_of_fields(table, documents, left_out)

    def of_documents() -> Iterator[unit_columns.Block]:
        return _blocks_of_documents(corpus, documents)

    candidates = [*coded, *_derived_from_categories(coded)]
    for prefix, blocks in (("f", of_fields), ("d", of_documents)):
        written = unit_columns.write_columns(blocks(), folder, prefix, documents)
        candidates += written
        ways = {column.name: _ways(column, documents) for column in written}
        if any(ways.values()):
            candidates += unit_columns.write_derived(
                blocks(), ways, folder, f"{prefix}-derived-", documents
            )
    names: dict[str, Column] = {}
    for column in candidates:
        if not column.derived or collection_unit.is_useful(column):
            names.setdefault(column.name, column)
    return list(names.values())


def _blocks_of_documents(corpus: Corpus, documents: int) -> Iterator[unit_columns.Block]:
    """What stands in the rows of documents: the columns that were taken for ids and titles, under
    their names in the table, folders and names of files, and the texts that sections were cut
    from."""
    options = Options(**corpus.settings.get("options", {}))
    id_column = options.column("id") or "id"
    title_column = options.column("title") or "title"
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT source_id, file, title, whole, parts > 1"
            f" FROM document_{corpus.pk:d} WHERE number < %s ORDER BY number",
            [documents],
        )
        for first in range(0, documents, unit_columns.BLOCK):
            rows = cursor.fetchmany(unit_columns.BLOCK)
            ids, paths, titles, wholes, are_sections = zip(*rows, strict=True)
            block = unit_columns.parts_of_paths(list(paths))
            block[title_column] = _where(titles, are_sections, False)
            block[id_column] = list(ids)
            block[SECTIONS_OF] = _where(wholes, are_sections, True)
            yield first, block


def _where(
    texts: tuple[str, ...], are_sections: tuple[bool, ...], sections_wanted: bool
) -> list[str]:
    """The texts of sections, or of whole documents, "" of the other ones."""
    return [
        text if is_section is sections_wanted else ""
        for text, is_section in zip(texts, are_sections, strict=True)
    ]


def _of_category(field: Category, columns: Columns) -> Column:
    return Column(field.name, columns.values(field), field.values, len(field.values))


def _derived_from_categories(columns: list[Column]) -> list[Column]:
    derived = []
    for column in columns:
        different = column.values / max(len(column.codes), 1)
        for name, derive in collection_unit.derivations(
            column.name, column.texts, different
        ).items():
            of_value = collection_unit.numbered(name, map(derive, column.texts), column.name)
            codes = np.append(of_value.codes, np.int32(-1))[column.codes]
            derived.append(of_value._replace(codes=codes))
    return derived


def _ways(column: Column, documents: int) -> dict[str, Callable[[str], str]]:
    """How to derive other columns from one, where documents may share their values."""
    ways = collection_unit.derivations(column.name, column.texts, column.values / max(documents, 1))
    return {name: derive for name, derive in ways.items() if _may_be_shared(column.texts, derive)}


def _may_be_shared(texts: list[str], derive: Callable[[str], str]) -> bool:
    values = [value for value in map(derive, texts) if value]
    if len(values) < collection_unit.SHARED_PART * len(texts):
        return False
    return 2 <= len(set(values)) < HARDLY * len(values)


def _store(fields_found: collection_unit.FoundFields, folder: Path) -> dict:
    """Keep the codes of the fields that may be chosen, and remove all others."""
    may_be_chosen = [
        field for field in fields_found.fields if field.values >= collection_unit.FEWEST_VALUES
    ]
    may_be_chosen.sort(key=lambda field: (not field.able, -field.effect))
    rows = []
    stored_files = set()
    for number, field in enumerate(may_be_chosen[:MOST_FIELDS]):
        path = folder / f"codes-{number}"
        np.asarray(fields_found.codes[field.name]).astype(np.int32).tofile(path)
        stored_files.add(path)
        rows.append(asdict(field) | {"file": path.name})
    for path in folder.iterdir():
        if path not in stored_files:
            path.unlink()
    too_few = [
        field for field in fields_found.fields if field.values < collection_unit.FEWEST_VALUES
    ]
    rows += [asdict(field) | {"file": ""} for field in too_few[:MOST_FIELDS]]
    return {"method": METHOD, "fields": rows}


def ask_for_one() -> None:
    """Ask a worker to look for the unit of a version that an older program made, where there is
    nothing else to do."""
    if not scheduler.idle():
        return
    ready = Version.objects.filter(status=Version.Status.READY, documents__gt=0)
    old = ready.exclude(unit_fields__method=METHOD).order_by("-pk")
    for version_id in old.values_list("pk", flat=True):
        if events.client().set(f"unit:{version_id}", 1, nx=True, ex=FIND_AGAIN):
            dispatch.ask(FIND, [version_id], None)
            return


def find_for(version_id: int) -> None:
    """In a worker: look for the unit of a version, unless it is known."""
    with dispatch.at_work(FIND, [version_id]):
        version = Version.objects.select_related("corpus").filter(pk=version_id).first()
        if version is None or (version.unit_fields or {}).get("method") == METHOD:
            return
        folder = files.version_folder(version_id)
        corpus_files = files.corpus_folder(version.corpus_id) / "fields.jsonl"
        if not corpus_files.exists() or not sealed.exists(folder / "columns"):
            stored: dict = {"method": METHOD, "fields": []}  # read by a program without columns
        else:
            with sealed.hold(folder / "bow", folder / "columns"):
                stored = find(version, version.documents, Bow.open(folder / "bow"))
        sealed_files = sealed.put(folder / "units")
        with transaction.atomic():
            sealed.record(sealed_files)
            Version.objects.filter(pk=version_id).update(unit_fields=stored)
