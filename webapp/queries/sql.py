"""Rows of a query as dictionaries."""

from django.db import connection


def rows(query: str, parameters: list | dict = ()) -> list[dict]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
