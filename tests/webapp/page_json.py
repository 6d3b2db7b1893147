"""Whether the JSON of a page is what webapp.urls declares for its address: the conftest asks of
every answer."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from webapp.platform.routes import Route

adapter_of = cache(TypeAdapter)  # of a type: to make one takes milliseconds, some answers take less


def undeclared(route: Route, data: Any) -> list[str]:
    """What is wrong with an answer: fields that are missing, of another type, or not declared.
    Empty where it is right.

    data: as `json.loads` reads it.
    """
    return list(_problems(route.json, data))


def _problems(schema: Any, data: Any) -> Iterator[str]:
    adapter = adapter_of(schema)
    try:
        read = adapter.validate_python(data)
    except ValidationError as error:
        yield from (
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}, got {str(e['input'])[:80]}"
            for e in error.errors()
        )
        return
    yield from _unread(data, adapter.dump_python(read, by_alias=True, exclude_unset=True), "")


def _unread(data: Any, read: Any, path: str) -> Iterator[str]:
    if isinstance(data, dict) and isinstance(read, dict):
        yield from (f"{path}.{name}: not declared" for name in sorted(data.keys() - read.keys()))
        for name in data.keys() & read.keys():
            yield from _unread(data[name], read[name], f"{path}.{name}")
    elif isinstance(data, list) and isinstance(read, list | tuple):
        for i, (item, as_read) in enumerate(zip(data, read, strict=False)):
            yield from _unread(item, as_read, f"{path}.{i}")
