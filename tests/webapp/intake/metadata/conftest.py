"""The fixture of a file that tests of formats have, for the tests of what a table says."""

from tests.webapp.intake.file_formats.conftest import file

__all__ = ["file"]
