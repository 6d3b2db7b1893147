"""Queries in SQL."""

from collections.abc import Sequence
from typing import Literal, overload

from django.db import connection


@overload
def rows(query: str, parameters: Sequence | dict = ..., *, as_tuples: Literal[False] = ...) -> list[dict]: ...
@overload
def rows(query: str, parameters: Sequence | dict = ..., *, as_tuples: Literal[True]) -> list[tuple]: ...
def rows(query: str, parameters: Sequence | dict = (), *, as_tuples: bool = False) -> list[dict] | list[tuple]:
    """The rows of a query: dictionaries by column name, or tuples."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        if as_tuples:
            return cursor.fetchall()
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
