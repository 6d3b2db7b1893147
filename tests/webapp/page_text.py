"""The text of a page for tests that look for a sentence in it, wherever its template breaks
lines."""

from django.http import HttpResponse


def in_one_line(answer: HttpResponse) -> str:
    """The page's HTML with each run of whitespace as one space, as browsers show it."""
    return " ".join(answer.content.decode().split())
