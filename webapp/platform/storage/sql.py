"""Queries in SQL."""

from collections.abc import Sequence

from django.db import connection
from psycopg.sql import Composed


def tuples(query: str | Composed, parameters: Sequence | dict = ()) -> list[tuple]:
    """The rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall()


def rows(query: str, parameters: Sequence | dict = ()) -> list[dict]:
    """The rows of a query as dictionaries by column name."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
