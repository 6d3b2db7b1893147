"""Dates and categories as columns, and the groups that are made of them, against the rows they came
from."""

from collections import Counter
from datetime import date

import numpy as np
import pytest

from inference.errors import Invalid
from tests.corpora import as_csv
from webapp.core.documents import document_days, document_groups, fields
from webapp.intake.metadata import Date, Number, category, columns, field as of_fields, number
from webapp.models import Document


def written(folder, rows: list[tuple[date | None, dict]]) -> columns.Columns:
    with columns.Writer(folder) as writer:
        for number, (day, metadata) in enumerate(rows):
            writer.add(number, day, metadata)
        writer.finish(len(rows))
    return columns.Columns(folder)


def values(found: columns.Columns, name: str) -> list[str | None]:
    field = found.field(name)
    return [None if code < 0 else field.values[code] for code in found.values(field)]


def test_every_document_keeps_its_date_and_its_values(tmp_path, monkeypatch):
    for module in (of_fields, category):
        monkeypatch.setattr(module, "FLUSHED", 7)  # so that gaps and blocks cross
    parties = ["Whig", "Democratic", None, "Republican", "Democratic"]
    rows = [
        (
            date(1800 + i, 1, 1) if i % 3 else None,
            {"party": parties[i % 5]} if parties[i % 5] else {},
        )
        for i in range(100)
    ]
    rows += [(None, {"late": "x"}), (None, {"late": "x"}), (None, {})]
    found = written(tmp_path, rows)
    assert found.dates.tolist() == [day.toordinal() if day else 0 for day, _ in rows]
    assert values(found, "party") == [metadata.get("party") for _, metadata in rows]
    assert values(found, "late") == [metadata.get("late") for _, metadata in rows]
    assert found.field("party").values == ["Democratic", "Republican", "Whig"]
    assert found.field("party").documents == [40, 20, 20]


def test_a_field_of_names_is_no_category(tmp_path, monkeypatch):
    monkeypatch.setattr(category, "MOST_VALUES", 10)
    rows = [
        (
            None,
            {"id": str(i), "folder": "x", "party": "ab"[i % 2]}
            | ({"few": str(i), "empty": ""} if i < 9 else {}),
        )
        for i in range(30)
    ]
    found = written(tmp_path, rows)
    # Id has too many values, no two documents share one of `few`, and all have the same folder
    assert [c.name for c in found.fields] == ["party"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0", "dates", "meta.json"]


def test_names_that_are_too_many_for_a_category_still_say_whose_documents_belong_together(
    tmp_path, monkeypatch
):
    for module in (of_fields, category):
        monkeypatch.setattr(module, "FLUSHED", 7)
    monkeypatch.setattr(category, "MOST_VALUES", 10)
    names = [f"speaker {i % 13}" if i % 7 else None for i in range(120)]
    found = written(tmp_path, [(None, {"who": name} if name else {}) for name in names])
    (field,) = found.fields
    assert (field.name, field.kind, field.different) == ("who", "names", 13)
    assert field.documents == sum(name is not None for name in names)
    codes = found.values(field)
    assert len(codes) == 120
    assert [code < 0 for code in codes] == [name is None for name in names]
    of_name = {}
    for name, code in zip(names, codes.tolist(), strict=True):
        assert of_name.setdefault(name, code) == code
    assert len(set(of_name.values())) == 14
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dates", "meta.json", "names0"]


def test_numbers_and_other_dates(tmp_path, monkeypatch):
    for module in (of_fields, number):
        monkeypatch.setattr(module, "FLUSHED", 7)
    rows = [
        {
            "price": f"{i / 4}" if i % 3 else "unknown",
            "sold": f"{i % 28 + 1}/2/1900" if i % 5 else "",
            "remark": "same",
            "one": "7",
            "late": "",
        }
        for i in range(60)
    ]
    rows[50]["late"] = "1,000"
    rows[52]["late"] = "-2.5"
    kinds = {
        "price": "number",
        "sold": "date",
        "remark": "text",
        "one": "number",
        "late": "number",
        "none": "date",
    }
    with columns.Writer(tmp_path, kinds) as writer:
        for i, metadata in enumerate(rows):
            writer.add(i, None, metadata, "dmy")
        writer.finish(len(rows))
    found = columns.Columns(tmp_path)
    prices = found.values(found.field("price"))
    assert prices.dtype == np.float64 and len(prices) == 60
    assert all(np.isnan(prices[i]) if i % 3 == 0 else prices[i] == i / 4 for i in range(60))
    assert list(found.values(found.field("sold"))) == [
        date(1900, 2, i % 28 + 1).toordinal() if i % 5 else 0 for i in range(60)
    ]
    assert found.fields == [
        Number("price", 0.25, 14.75, False, 40),
        Number("late", -2.5, 1000.0, False, 2),
        Date("sold", date(1900, 2, 1).toordinal(), date(1900, 2, 28).toordinal(), 48),
    ]
    assert np.flatnonzero(~np.isnan(found.values(found.field("late")))).tolist() == [50, 52]
    # One number for all is none
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "date-0",
        "dates",
        "meta.json",
        "number-0",
        "number-1",
    ]
    assert found.field("remark") is None


def test_no_document_at_all(tmp_path):
    found = written(tmp_path, [])
    assert len(found.dates) == 0 and found.fields == []


pytest_db = pytest.mark.django_db


@pytest_db
def test_groups_are_those_of_the_rows(ready):
    stored = list(
        Document.objects.filter(corpus_id=ready.pk)
        .order_by("number")
        .values_list("date", "metadata")
    )
    by_year = document_groups.read_groups(ready.version, "year")
    assert [by_year.labels[g] for g in by_year.group] == [str(day.year) for day, _ in stored]
    # Empty years too
    assert by_year.labels == [
        str(y) for y in range(int(by_year.labels[0]), int(by_year.labels[-1]) + 1)
    ]
    by_decade = document_groups.read_groups(ready.version, "decade")
    assert [by_decade.labels[g] for g in by_decade.group] == [
        f"{day.year // 10 * 10}s" for day, _ in stored
    ]
    by_month = document_groups.read_groups(ready.version, "month")
    assert [by_month.labels[g] for g in by_month.group] == [f"{day:%Y-%m}" for day, _ in stored]
    president = document_groups.read_groups(ready.version, "president")
    assert [president.labels[g] for g in president.group] == [
        metadata["president"] for _, metadata in stored
    ]
    counts = Counter(metadata["president"] for _, metadata in stored)
    assert [counts[value] for value in president.labels] == sorted(counts.values(), reverse=True)
    assert document_groups.best_period(ready.version) == "year"
    assert document_days.first_and_last(ready.version) == (
        min(day for day, _ in stored),
        max(day for day, _ in stored),
    )


@pytest_db
def test_what_a_corpus_lacks_is_said(ready, draft, django_db_blocker):
    with pytest.raises(Invalid, match="“colour” is not a category"):
        document_groups.read_groups(ready.version, "colour")
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora, guesses

    corpus = draft(
        as_csv([["text"], *[[f"word other thing {i % 3}"] for i in range(12)]]), "plain.csv"
    )
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=vars(guesses.sniff(corpus).options),
            language="en",
            min_documents=1,
            max_share=1.0,
        ),
    )
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    assert (
        fields.categories(corpus.version) == []
        and document_groups.best_period(corpus.version) is None
        and document_days.first_and_last(corpus.version) is None
    )
    assert np.array_equal(document_days.read_days(corpus.version), np.zeros(12, np.int32))
    with pytest.raises(Invalid, match="has a date"):
        document_groups.read_groups(corpus.version, "year")
