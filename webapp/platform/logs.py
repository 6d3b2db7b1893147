"""Logging without private content: no text of a document, title, file name, search, address or
secret is ever written.

A line is an event, which is a constant sentence, and keys of the list below with numbers or short
names; any other key is dropped. Of an exception it holds the class, the places in the source and
codes, never the message, as messages quote values (Postgres `DETAIL: Key (name)=(…)`, Python
`invalid literal for int(): '…'`). Of a library's line it holds the pattern, not what is put into
it. tests/webapp/service/operations/test_logs.py sends marked texts through everything and looks for
them.
"""

import logging
import os
import re
import sys
import threading
import traceback
from types import FrameType, TracebackType

import structlog
from structlog.typing import EventDict

KEYS = {  # what a line may say, besides its event
    "timestamp", "level", "logger", "request_id", "where",
    # a request
    "method", "route", "status", "ms", "user", "corpus", "run", "notebook", "reason", "code",
    # A task.
    "task", "task_id", "parent_task_id", "child_task_id", "child_task_name", "duration_ms", "kind", "upload", "version", "attempt", "attempts",
    "error", "sqlstate", "constraint", "errno", "traceback", "bytes", "count", "seconds", "worker", "alive", "part", "table", "key",
}  # fmt: skip
# Loggers whose messages without arguments are constant
CONSTANT = ("uvicorn.error", "celery.apps", "celery.worker.consumer")
LONGEST_VALUE = 200  # characters of a value
FRAMES = 40  # of a traceback: the last ones
CAUSES = 5  # exceptions behind an exception
# What a proxy before us sends as a request’s id is taken over where it looks so; else one is made
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}", re.ASCII)


def form() -> str:
    """The form of lines: plain, for people, or json, an object a line."""
    chosen_form = os.environ.get("TOPOGRAPH_LOG") or "plain"
    if chosen_form not in ("plain", "json"):
        sys.exit(f"TOPOGRAPH_LOG must be plain or json, got {chosen_form[:50]!r}.")
    return chosen_form


def request_id() -> str:
    """The id of the request that is being answered, or that queued the present task; "" where there
    is none."""
    return structlog.contextvars.get_contextvars().get("request_id", "")


# Processors of structlog: (logger, method, the line) -> the line
# --------------------------------------------


def _foreign(logger, method: str, line: EventDict) -> EventDict:
    """A line of a library. Its pattern is constant; a message without arguments may have been
    formatted before, and is left out."""
    record = line["_record"]
    if not line.pop("positional_args", None) and not record.name.startswith(CONSTANT):
        line["event"] = "a line of a library"
        line["where"] = f"{record.module}:{record.lineno}"
    return line


def _exception(logger, method: str, line: EventDict) -> EventDict:
    """Replace exc_info by what may be written of the exception."""
    exception = line.pop("exc_info", None)
    if exception is True:
        exception = sys.exc_info()
    error = (
        exception
        if isinstance(exception, BaseException)
        else exception[1]
        if isinstance(exception, tuple)
        else None
    )
    return {**line, **described(error)} if error is not None else line


def described(error: BaseException) -> dict[str, str | int]:
    """error, traceback and codes of an exception and those behind it, for a line."""
    line: dict[str, str | int] = {"error": error_name(error)}
    parts: list[str] = []
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen and len(seen) < CAUSES:
        seen.add(id(at))
        parts.append("\n".join([*_frames(at.__traceback__), error_name(at)]))
        for name, value in _codes(at):
            line.setdefault(name, value)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    line["traceback"] = "\n… because of\n".join(parts)
    return line


def error_name(error: BaseException) -> str:
    kind = type(error)
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


def _frames(trace: TracebackType | None) -> list[str]:
    """The places, the innermost last."""
    walked = [(frame.f_code, line) for frame, line in traceback.walk_tb(trace)]
    return [
        f"  {_short(code.co_filename)}:{line} {code.co_name}" for code, line in walked[-FRAMES:]
    ]


def stack_of(frame: FrameType | None) -> str:
    """Where a thread is, the innermost place last."""
    walked = (
        [(stack_frame.f_code, line) for stack_frame, line in traceback.walk_stack(frame)]
        if frame
        else []
    )
    return "\n".join(
        f"  {_short(code.co_filename)}:{line} {code.co_name}"
        for code, line in reversed(walked[:FRAMES])
    )


def _short(path: str) -> str:
    return "/".join(path.rsplit("/", 3)[-3:])


def _codes(error: BaseException) -> list[tuple[str, str | int]]:
    codes = []
    if state := getattr(error, "sqlstate", None):
        codes.append(("sqlstate", state))
        if constraint := getattr(getattr(error, "diag", None), "constraint_name", None):
            codes.append(("constraint", constraint))
    if isinstance(error, OSError) and error.errno is not None:
        codes.append(("errno", error.errno))
    return codes


def _keep_known(logger, method: str, line: EventDict) -> dict[str, str | int | float]:
    """Keep the event and the keys of the list, with numbers, and short texts without control
    characters."""
    fields_kept: dict[str, str | int | float] = {
        "event": _printable(line["event"]),
        "logger": line["_record"].name,
    }
    for name in line.keys() & KEYS:
        value = line[name]
        if isinstance(value, (bool, int, float)):
            fields_kept[name] = value
        elif isinstance(value, str):
            fields_kept[name] = value if name == "traceback" else _printable(value)
    return fields_kept


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in str(text)[:LONGEST_VALUE])


def plain_line(logger, method: str, line: dict) -> str:
    """One line for people; a traceback follows on lines of its own."""
    trace = line.pop("traceback", "")
    head = f"{line.pop('timestamp', '')} {line.pop('level', ''):7} {line.pop('event')}"
    logger_name = line.pop("logger")
    fields_text = " ".join(f"{name}={value}" for name, value in sorted(line.items()))
    return f"{head}  {fields_text}{' ' if fields_text else ''}({logger_name})" + (
        f"\n{trace}" if trace else ""
    )


def configure() -> dict:
    """Sets structlog up, and returns Django's LOGGING: one way for our lines and those of
    libraries."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    render = structlog.processors.JSONRenderer(sort_keys=True) if form() == "json" else plain_line
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "use_get_message": False,
        "pass_foreign_args": True,
        "foreign_pre_chain": [*shared, _foreign],
        "processors": [_exception, _keep_known, render],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "webapp": {"level": "INFO"},
            "tasks": {"level": "INFO"},
            "django_structlog": {"level": "INFO"},
            "celery": {"level": "INFO"},
            # The same of each task as ours, with what it returned or raised
            "celery.app.trace": {"level": "CRITICAL"},
            "celery.worker.strategy": {"level": "WARNING"},
            # The same of each request, with its whole address
            "django.request": {"level": "CRITICAL"},
            "django.server": {"level": "CRITICAL"},
            # uvicorn's own configuration gives its lines another handler, with messages as they
            # are.
            "uvicorn": {"handlers": [], "level": "INFO", "propagate": True},
            "uvicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
            "uvicorn.access": {"handlers": [], "level": "CRITICAL", "propagate": False},
        },
    }


def guard() -> None:
    """For a process that serves: log exceptions that nobody catches, instead of printing them with
    their messages."""
    log = structlog.get_logger("topograph")

    def uncaught(kind, error, trace) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            log.error("not caught", exc_info=error)

    sys.excepthook = uncaught
    threading.excepthook = lambda arguments: log.error(
        "not caught in a thread", exc_info=arguments.exc_value
    )
    logging.captureWarnings(True)
