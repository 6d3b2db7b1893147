"""Tasks of workers that come to nothing."""

import pytest

from webapp.platform.jobs import dispatch


def fail_task(task: str, arguments: list, by: int | None = None) -> None:
    """A worker's try that ends with an error. by: the user who asked."""
    with pytest.raises(ZeroDivisionError), dispatch.at_work(task, arguments, by):
        raise ZeroDivisionError
