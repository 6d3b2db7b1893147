from webapp.platform.storage.csv_cells import safe, unsafe

CASES = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "＋1",
    "－1",
    "＠A1",
    "plain",
    "a=b",
    "",
    "'quoted",
    "'=1",  # as it was typed
    "''-1",
    "–dash",
]


def test_numbers_stay_numbers():
    assert safe(["=HYPERLINK()", -3, 0.5, "word"]) == ["'=HYPERLINK()", -3, 0.5, "word"]


def test_no_cell_begins_a_formula():
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
        for cell in safe(CASES)
    )
    assert [unsafe(cell) for cell in safe(CASES)] == CASES
