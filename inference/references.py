"""The works that this program follows, as BibTeX: references.bib has every entry, by the key that
engines and texts name."""

import re
from functools import cache
from pathlib import Path

_ENTRY = re.compile(r"@\w+\{([^,]+),.*?\n\}\n", re.DOTALL)


@cache
def all_entries() -> dict[str, str]:
    """All entries by their keys, in the order of the file; each ends in a line `}`."""
    text = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8")
    return {match[1]: match[0] for match in _ENTRY.finditer(text)}


def entries(*keys: str) -> dict[str, str]:
    """Some entries by their keys, in this order. Raises KeyError for a key that is not there."""
    return {key: all_entries()[key] for key in keys}
