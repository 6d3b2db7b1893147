"""Tables that pages give as files: all have one writer, and say what made them."""

import csv
import io
import re

import pytest

from tests.addresses import FILES, ROUTES, address, states
from tests.answer_bodies import body_of

TABLES = [name for name in FILES if ROUTES[name].route.endswith(".csv")]
NAME = re.compile(r'attachment; filename="[a-zA-Z0-9._-]*_topograph[0-9][a-zA-Z0-9._-]*\.csv"')
NEEDS_TWO_RUNS = "compare_topics_csv"
NEEDS_TRAININGS = "run_how_many_csv"


@pytest.mark.django_db
@pytest.mark.parametrize("name", [n for n in TABLES if n not in (NEEDS_TWO_RUNS, NEEDS_TRAININGS)])
def test_a_table_has_one_kind_of_answer(client, trained, name):
    url = address(name, trained.corpus_id, trained.pk)
    answer = client.get(f"{url}?{states(name)[0]}&run={trained.pk}")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert NAME.fullmatch(answer["Content-Disposition"]), "the version that made it"
    columns, *rows = csv.reader(io.StringIO(body_of(answer).decode()))
    assert all(columns) and len(set(columns)) == len(columns)
    assert {len(row) for row in rows} <= {len(columns)}


@pytest.mark.django_db
def test_a_table_to_come_is_a_sentence(client, trained):
    answer = client.get(address(NEEDS_TRAININGS, trained.corpus_id, trained.pk))
    assert answer.status_code == 202
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert "ask again" in answer.content.decode()
