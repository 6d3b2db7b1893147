"""Days as addresses and readers name them: 1914, 1914-08, 1914-08-04, 1910s."""

from inference.errors import Invalid
from webapp.intake.metadata.dates import day_of


def ordinal(text: str, name: str, last: bool) -> int:
    """The first or last day that a date names, as an ordinal; 0 for nothing. Raises Invalid(name,
    …)."""
    try:
        return day_of(text, last) if text else 0
    except ValueError as error:
        raise Invalid(name, f"“{name}” {error}") from None
