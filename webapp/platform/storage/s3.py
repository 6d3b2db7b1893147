"""The S3-compatible store of sealed files, by obstore (docs/storage.md). Every question has a time
limit, and is asked again for half a minute at most. The only module that knows obstore."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

# Bytes of a request: what a slow line brings within its time limit, and what is in memory at a time
CHUNK = 16 << 20
REQUEST = timedelta(seconds=30)  # of a request, from its connection to its last byte
CONNECT = timedelta(seconds=3)
RETRYING = timedelta(seconds=20)  # for which what failed is tried again
PROBE = timedelta(seconds=2)  # of the question whether it answers
MARK = "topograph"  # an object that is written to see whether that is allowed


class StoreAway(ConnectionError):
    """The store does not answer, or refuses to; its message says why, for the log."""


class Missing(Exception):
    """The store does not have an object."""


class StoreAddress(NamedTuple):
    """bucket, and the prefix of all keys in it, without slashes at its ends. endpoint: "" for
    Amazon's own."""

    bucket: str
    prefix: str
    endpoint: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/") + (
            f" at {self.endpoint}" if self.endpoint else ""
        )


def read_address(environment: os._Environ | dict[str, str]) -> StoreAddress | None:
    """What the environment says of a store; None where there is none. Raises ValueError with a
    sentence where it can't be."""
    url = environment.get("TOPOGRAPH_STORE", "")
    endpoint = environment.get("TOPOGRAPH_STORE_ENDPOINT", "")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or parts.query or parts.username:
        raise ValueError(
            "TOPOGRAPH_STORE must be s3://BUCKET or s3://BUCKET/PREFIX, got"
            f" “{parts.scheme}://{parts.netloc.rpartition('@')[2]}”. Keys come from"
            " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    if endpoint and (
        urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname
    ):
        raise ValueError(
            "TOPOGRAPH_STORE_ENDPOINT must be http://HOST:PORT or https://HOST, got"
            f" “{endpoint[:100]}”."
        )
    keys = [
        name for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if not environment.get(name)
    ]
    # A machine of Amazon's may have a role in place of both
    if keys and (endpoint or len(keys) == 1):
        raise ValueError(
            f"TOPOGRAPH_STORE needs {' and '.join(keys)}, which {'is' if len(keys) == 1 else 'are'}"
            " not set."
        )
    return StoreAddress(parts.netloc, parts.path.strip("/"), endpoint)


def installed() -> bool:
    """Whether the extra `s3` is."""
    return find_spec("obstore") is not None


def put(key: str, path: Path) -> None:
    """Store a file, whole or not at all. Raises StoreAway."""
    _ask("put", key, path if path.stat().st_size else b"", chunk_size=CHUNK, max_concurrency=4)


def blocks(key: str, size: int) -> Iterator[bytes]:
    """The first `size` bytes of an object, CHUNK at a time. Raises StoreAway, Missing."""
    return (
        bytes(_ask("get_range", key, start=start, end=min(size, start + CHUNK)))
        for start in range(0, size, CHUNK)
    )


def delete(keys: Iterable[str]) -> None:
    """Those that are not there are passed over. Raises StoreAway."""
    for key in keys:
        with suppress(Missing):
            _ask("delete", key)


def list_objects() -> Iterator[dict[str, Any]]:
    """All objects: path, size, last_modified. Raises StoreAway."""
    with _explained():
        for block in _ask("list", chunk_size=1000):
            yield from block


def answers() -> bool:
    """Whether the store answers within seconds."""
    try:
        with _explained():
            next(iter(_ask("list", probing=True, chunk_size=1)), None)
    except StoreAway:
        return False
    return True


def refusal() -> str:
    """Why the store of the settings can't be used, as a sentence; "" where it can."""
    if not installed():
        return (
            "TOPOGRAPH_STORE is set, and the package obstore is not installed. In a clone:"
            " .venv/bin/pip install --require-hashes -r requirements/s3.lock; of a wheel: pip"
            " install 'topograph[s3]'."
        )
    try:
        with _explained():
            next(iter(_ask("list", probing=True, chunk_size=1)), None)
        _ask("put", MARK, b"Topograph keeps sealed files here.\n", probing=True)
    except (StoreAway, Missing) as error:
        return (
            f"The store {settings.STORE} can't be used: {str(error).rstrip('.')}. Look at"
            " TOPOGRAPH_STORE, TOPOGRAPH_STORE_ENDPOINT and its keys."
        )
    return ""


def _ask(function: str, *arguments: Any, probing: bool = False, **options: Any) -> Any:
    """What a function of obstore answers of the store."""
    import obstore

    with _explained():
        return getattr(obstore, function)(client_of(os.getpid(), probing), *arguments, **options)


class _explained:
    """Turns obstore's errors into ours."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind, error, _) -> None:
        from obstore import exceptions

        if isinstance(error, FileNotFoundError):
            raise Missing(_short(error)) from error
        if isinstance(
            error, (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError)
        ) or "403 Forbidden" in str(error):  # a list that is refused has no type of its own
            raise StoreAway(f"It refuses our keys, or what they may do: {_short(error)}") from error
        if isinstance(error, (exceptions.BaseError, OSError)) and not isinstance(error, StoreAway):
            raise StoreAway(_short(error)) from error


def _short(error: BaseException) -> str:
    """The first line of an error; obstore's go on with a trace."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


@cache
def client_of(pid: int, probing: bool = False):
    """A connection to the store, with the address and keys that held when it was made. pid: a
    child of a fork needs one of its own, as threads do not come along."""
    from obstore.store import S3Store

    at: StoreAddress | None = settings.STORE
    assert at is not None
    limit = PROBE if probing else REQUEST
    options: dict[str, Any] = {
        # One object a call: not every store has S3's call for many, nor answers it in the same
        # words.
        "config": {"aws_disable_bulk_delete": True},
        "client_options": {
            "timeout": limit,
            "connect_timeout": min(CONNECT, limit),
            "allow_http": at.endpoint.startswith("http://"),
        },
        "retry_config": {
            "max_retries": 0 if probing else 4,
            "retry_timeout": PROBE if probing else RETRYING,
            "backoff": {
                "base": 2,
                "init_backoff": timedelta(seconds=0.2),
                "max_backoff": timedelta(seconds=4),
            },
        },
    }
    options |= {
        name: value for name, value in (("endpoint", at.endpoint), ("prefix", at.prefix)) if value
    }
    return S3Store(at.bucket, **options)
