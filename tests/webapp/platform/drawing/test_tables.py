"""The table of a chart that a notebook keeps, and the text in which a form sends it."""

import json
import math

from webapp.platform.drawing.tables import COLUMNS, ROWS, KeptTable, json_text, kept_table


def test_a_share_that_is_not_known_is_none():
    """A picture is drawn of the table as it is, without a way through JSON, which has no NaN."""
    table = kept_table("year", ["1990", "1991"], ["War"], [[math.nan], [0.123456]])
    assert table == KeptTable(columns=["year", "War"], rows=[["1990", None], ["1991", 0.1235]])


def test_what_is_too_large_is_no_table():
    assert kept_table("year", [""] * (ROWS + 1), ["War"], [[0.1]] * (ROWS + 1)) is None
    assert kept_table("year", [""], ["War"] * COLUMNS, [[0.1] * COLUMNS]) is None


def test_a_form_sends_colours_where_there_are_some():
    table = KeptTable(columns=["topic", "share"], rows=[["War", 0.5]])
    sent = {"columns": ["topic", "share"], "rows": [["War", 0.5]]}
    assert json.loads(json_text(table)) == sent
    coloured = KeptTable(columns=table.columns, rows=table.rows, hues=[3])
    assert json.loads(json_text(coloured)) == sent | {"hues": [3]}
