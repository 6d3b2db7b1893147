"""What documents can be grouped by."""

from datetime import date
from types import SimpleNamespace
from typing import cast

import pytest

from webapp.core.documents import document_days, document_groups, fields
from webapp.models import Version


@pytest.mark.parametrize(
    ("first", "last", "periods"),
    [
        (date(1899, 12, 1), date(1900, 1, 31), ["decade", "year", "month"]),  # two of each
        (date(1900, 1, 1), date(1909, 12, 31), ["year", "month"]),  # one decade
        (date(1900, 1, 1), date(1900, 1, 31), []),  # one month
        (date(1800, 6, 1), date(1900, 5, 31), ["decade", "year", "month"]),  # 1,200 months
        (date(1800, 6, 1), date(1900, 6, 1), ["decade", "year"]),  # 1,201 are too many
    ],
)
def test_periods_to_group_by_are_counted_from_the_first_month_to_the_last(
    first, last, periods, monkeypatch
):
    monkeypatch.setattr(document_days, "first_and_last", lambda version: (first, last))
    monkeypatch.setattr(document_groups, "has_months", lambda version_id: True)
    monkeypatch.setattr(fields, "categories", lambda version: [])
    monkeypatch.setattr(fields, "ranges", lambda version: [])
    version = cast("Version", SimpleNamespace(pk=1))
    assert document_groups.possible_groupings(version) == periods
    assert set(periods) <= set(document_groups.countable_periods(version))
