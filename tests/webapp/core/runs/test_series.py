"""A series of the live chart is declared once: every entry has its column, and stands on the pages
and in their twins."""

from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from webapp.core.runs import series
from webapp.core.runs.series import CHARTS, COLUMNS, SERIES, Chart, Series
from webapp.models import Metric, Run


class Trained:
    """What a snapshot of the training says."""

    held_out = float("nan")
    objective = -7.5
    nonzero = np.float32(0.25)
    coherence = np.array([-1.00004, np.nan, -3.0])


def test_every_series_is_a_column_of_metric():
    fields = {field.name for field in Metric._meta.get_fields()}
    assert {column.name for column in COLUMNS} <= fields
    assert {"run", "pk", "topic_coherence"} == fields - {column.name for column in COLUMNS}


def test_what_is_measured_of_a_snapshot():
    assert series.measured(Trained) == {
        "held_out": None,
        "objective": -7.5,
        "coherence": -2.0,
        "nonzero": 0.25,
        "topic_coherence": [-1.0, None, -3.0],
    }


@pytest.mark.django_db
def test_pages_and_twins_have_every_series(client, trained):
    html = unescape(client.get(reverse("run", args=[trained.pk])).content.decode())
    metrics = client.get(reverse("run_json", args=[trained.pk])).json()["metrics"]
    columns = series.offered(COLUMNS, [trained.engine])
    rows = series.table(metrics, columns)
    assert len(rows) == Metric.objects.filter(run=trained).count() > 1
    for column in columns:
        assert (
            f'data-column="{column.name}" data-format="{column.format}"' in html
            and f">{column.label}</th>" in html
        )
        assert len(metrics[column.name]) == len(rows)
    assert "".join(f'<td class="n">{cell}</td>' for cell in rows[-1]) in html
    Run.objects.create(
        pk=10**9, corpus=trained.corpus, version=trained.version, settings=trained.settings, seed=9
    )
    several = unescape(
        client.get(reverse("compare"), {"run": [trained.pk, 10**9]}).content.decode()
    )
    for one in series.offered(CHARTS, [trained.engine]):
        assert (
            f'data-chart="{one.name}" data-places="{one.chart.places}"' in html
            and one.chart.title in html
        )
        assert f'data-chart="{one.name}"' in several and one.chart.titles in several
    assert "[" not in html[html.index('<div class="charts">') : html.index("</figure>")]


@pytest.mark.django_db
def test_what_an_engine_has_not_is_not_shown(client, trained):
    """ssi has no objective that it could measure on its way; svi has."""
    other = Run.objects.create(
        corpus=trained.corpus, version=trained.version, settings=trained.settings, seed=9
    )
    for engine, shown in (("ssi", False), ("svi", True)):
        Run.objects.filter(pk=trained.pk).update(engine=engine)
        for address in (
            reverse("run", args=[trained.pk]),
            f"{reverse('compare')}?run={trained.pk}&run={other.pk}",
        ):
            html = client.get(address).content.decode()
            assert (
                ('data-chart="objective"' in html)
                == shown
                == ("Objective, nats/token</th>" in html)
            )


@pytest.mark.django_db
def test_a_new_series_is_one_entry(client, trained, monkeypatch):
    """Seconds stand for the column that a migration would add."""
    chart = Chart("A new chart", "Its [nat|nats].", "New charts", "Their [nat|nats].", places=1)
    new = replace(SERIES[0], name="seconds", label="New", chart=chart)
    assert isinstance(new, Series)
    monkeypatch.setattr(series, "CHARTS", (*CHARTS, new))
    html = client.get(reverse("run", args=[trained.pk])).content.decode()
    assert (
        'data-chart="seconds" data-places="1"' in html
        and "A new chart" in html
        and 'popovertarget="term-nat"' in html
    )
