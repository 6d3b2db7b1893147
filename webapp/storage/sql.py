"""Queries in SQL."""

from django.db import connection


def rows(query: str, parameters: list | dict = (), *, as_tuples: bool = False) -> list[dict] | list[tuple]:
    """The rows of a query: dictionaries by column name, or tuples."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        if as_tuples:
            return cursor.fetchall()
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
