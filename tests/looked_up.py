"""What a view asks of its address."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.http import QueryDict


@contextmanager
def looked_up() -> Iterator[set[str]]:
    """The names of all parameters that a view asks of its address meanwhile, also of those that the
    address has not."""
    names: set[str] = set()

    def recording(plain):
        def look(query, name, *more, **options):
            if not query._mutable:  # else it is being made
                names.add(name)
            return plain(query, name, *more, **options)

        return look

    with pytest.MonkeyPatch.context() as patch:
        for method in ("__getitem__", "__contains__", "_getlist"):
            patch.setattr(QueryDict, method, recording(getattr(QueryDict, method)))
        yield names
