"""The readers’ fixture of a file, for the tests of what a table says."""

from tests.webapp.intake.readers.conftest import file

__all__ = ["file"]
