"""Errors that the person who chose the values can correct."""

from typing import TypeVar

T = TypeVar("T")


class Invalid(ValueError):
    """A value that can't be: `field` names it, `message` says what was expected, what came, and
    what to do."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field, self.message = field, message


def there(found: T | None, error: Exception) -> T:
    """What was looked for. Raises the error where it is None."""
    if found is None:
        raise error
    return found
