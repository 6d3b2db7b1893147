"""Phrases that docs/writing.md does away with stand on no page and in no message."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = (
    "templates/**/*.html",
    "static/js/*.js",
    "webapp/**/*.py",
    "inference/**/*.py",
    "tasks/**/*.py",
)


def banned() -> list[str]:
    """The left column of the last table of docs/writing.md, in lower case."""
    table = (ROOT / "docs" / "writing.md").read_text().split("## Phrases that went")[1]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", table, re.MULTILINE)
    return [row.lower() for row in rows if row != "not"]


def test_no_page_says_what_was_done_away_with():
    phrases = banned()
    assert len(phrases) >= 5
    said = [
        f"{path.relative_to(ROOT)}: {phrase}"
        for place in PLACES
        for path in sorted(ROOT.glob(place))
        for text in [" ".join(path.read_text().lower().split())]
        for phrase in phrases
        if phrase in text
    ]
    assert not said
