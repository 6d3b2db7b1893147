"""The examples that CONTRIBUTING.md shows, so that tests can run what it prints."""

import re
from pathlib import Path
from textwrap import dedent

CONTRIBUTING = Path(__file__).parent.parent / "CONTRIBUTING.md"


def examples(section: str, language: str) -> list[str]:
    """The blocks of a language in a section, in their order."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    of_section = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(rf"^ *```{language}\n(.*?)^ *```", of_section, re.DOTALL | re.MULTILINE)
    return [dedent(block) for block in blocks]
