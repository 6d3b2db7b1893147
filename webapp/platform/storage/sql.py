"""Queries in SQL."""

from collections.abc import Sequence
from typing import TypeVar, get_type_hints

from django.db import connection
from psycopg.sql import Composed

Row = TypeVar("Row", bound=tuple)


def tuples(query: str | Composed, parameters: Sequence | dict = ()) -> list[tuple]:
    """The rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall()


def rows_as(
    row_class: type[Row], query: str | Composed, parameters: Sequence | dict = ()
) -> list[Row]:
    """The rows of a query as a NamedTuple, whose fields must be the query's columns in their order:
    TypeError where they are not."""
    fields = tuple(get_type_hints(row_class))
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        names = tuple(column.name for column in cursor.description)
        if names != fields:
            raise TypeError(
                f"The query has the columns {names}, and {row_class} the fields {fields}."
            )
        return [row_class(*record) for record in cursor.fetchall()]


def rows(query: str, parameters: Sequence | dict = ()) -> list[dict]:
    """The rows of a query as dictionaries by column name."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
