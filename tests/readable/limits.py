"""What is measured, and up to where a package reads well."""

from collections import Counter
from typing import NamedTuple


class Measure(NamedTuple):
    """So many of something in a hundred or a thousand of something else.

    key, of: their keys in the counts of a package (source.py). least, largest: among eight
    programs that read well: paperless-ngx, datasette, optuna, lineax, healthchecks, BERTopic,
    wagtail and Django, in 2026. limit: up to where ours is well.
    """

    name: str
    key: str
    of: str
    per: int
    limit: float
    least: float
    largest: float
    about: str

    @property
    def range(self) -> str:
        return f"{self.least:g}–{self.largest:g}"

    def rate(self, counts: Counter) -> float:
        return round(self.per * counts[self.key] / max(counts[self.of], 1), 1)

    def is_beyond(self, counts: Counter) -> bool:
        return self.rate(counts) > self.limit

    def excess(self, counts: Counter) -> int:
        """How many more there are than the limit allows for so much code; 0 within it."""
        if not self.is_beyond(counts):
            return 0
        return round(counts[self.key] - self.limit * counts[self.of] / self.per)


MEASURES = (
    Measure(
        "heavy", "heavy", "nodes", 100, 4.0, 0.1, 3.5,
        "expression nodes that stand in thoughts of more than 25: splitting helps, adding trivial"
        " statements does not",
    ),
    Measure(
        "golf", "golf", "statements", 1000, 15.0, 3.6, 22.5,
        "forms that save a statement, or hide one (forms.py)",
    ),
    Measure(
        "echo", "echo", "statements", 1000, 14.0, 4.3, 13.7,
        "statements that only give a name to a name: what splitting at any price leaves behind",
    ),
    Measure(
        "names", "vague", "names", 100, 5.0, 0.9, 7.3,
        "names that don't say what they hold (names.py)",
    ),
    Measure(
        "wide", "wide", "code", 100, 2.0, 0.0, 3.7,
        "lines of code with more than 100 characters",
    ),
    Measure(
        "numbers", "numbers", "statements", 1000, 30.0, 6.1, 54.4,
        "numbers within functions that have no name",
    ),
    Measure(
        "big", "big", "functions", 100, 5.0, 1.7, 21.4,
        "functions with more than 8 parameters, 60 lines or 25 locals",
    ),
)  # fmt: skip
