"""Marks that programs write where a value is missing: R's NA, pandas' nan, SQL's NULL, Python's
None, a network's “[deleted]”."""

from collections.abc import Sequence

MARKS = frozenset(
    "NA N/A #N/A <NA> NaN nan NAN NaT NULL Null null None \\N [deleted] [removed]".split()
) | {"[deleted by user]", "[ Removed by Reddit ]", "[removed by moderator]"}
LONGEST_MISSING_MARK = max(map(len, MARKS))
# letters of a code of a country, and different ones that a column of them has
CODE = 2
CODES = 4


def is_missing(text: str) -> bool:
    """Whether a value is nothing, or a mark that stands for nothing."""
    if len(text) > LONGEST_MISSING_MARK + 2:
        return not text.strip()
    plain = text.strip()
    return not plain or plain in MARKS


def are_codes(values: Sequence[str]) -> bool:
    """Whether the values of a column, marks among them, are codes of two letters, of which NA
    (Namibia, North America) is one."""
    different = {value for value in values if value and value not in MARKS}
    return len(different) >= CODES and all(
        len(value) == CODE and value.isascii() and value.isalpha() and value.isupper()
        for value in different
    )
