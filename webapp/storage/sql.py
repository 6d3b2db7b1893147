"""Rows of a query as dictionaries, or as tuples."""

from django.db import connection


def rows(query: str, parameters: list | dict = (), *, as_tuples: bool = False) -> list[dict] | list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        if as_tuples:
            return cursor.fetchall()
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
