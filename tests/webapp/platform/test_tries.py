"""Several things are tried, whatever becomes of the others."""

from functools import partial

import pytest

from webapp.platform.tries import do_all, try_each


def divide(name: str, done: list[str], divisor: int) -> None:
    done.append(f"{name}: {1 // divisor}")


def test_one_that_fails_keeps_no_other_from_being_done():
    done: list[str] = []
    with pytest.raises(ExceptionGroup) as failed:
        try_each(partial(divide, "Ada", done, divisor) for divisor in (0, 1, 0, 1))
    assert done == ["Ada: 1", "Ada: 1"]
    assert [type(error) for error in failed.value.exceptions] == [ZeroDivisionError] * 2


def test_the_log_has_the_function_and_nobody_s_name(caplog):
    assert len(do_all([partial(divide, "Ada", [], 0)])) == 1
    assert "test_tries.divide" in caplog.text
    assert "Ada" not in caplog.text
