"""What the first page of a process would have to make: tables of the tokeniser, and templates. A thread makes it when the
process begins, so that nobody waits for it."""

from threading import Thread

from django.template.loader import get_template

from inference.text.characters import characters

TEMPLATES = ("run/overview.html", "run/topics.html", "home.html")  # with what they extend, include and load


def prepare() -> Thread:
    thread = Thread(target=_prepare, name="first-page", daemon=True)
    thread.start()
    return thread


def _prepare() -> None:
    characters()
    for name in TEMPLATES:
        get_template(name)
