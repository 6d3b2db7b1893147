"""Errors that the person who chose the values can correct."""


class Invalid(ValueError):
    """A value that can't be: `field` names it, `message` says what was expected, what came, and
    what to do."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field
        self.message = message
