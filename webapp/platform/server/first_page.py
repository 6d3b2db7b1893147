"""What the first page of a process would have to make: tables of the tokeniser, and templates. A
thread makes it when the process begins, so that nobody waits for it.

Then Python's search for unreachable objects passes over what there is by now, 250,000 objects, and
goes through all others less often. Each time nobody is answered: every ten seconds for 0.25 s, it
was, while 50 people browsed.
"""

from threading import Thread

from django.template.loader import get_template

from inference.text.characters import characters
from webapp.platform import garbage

# With what they extend, include and load
TEMPLATES = (
    "run/overview.html",
    "run/topics.html",
    "home.html",
)


def prepare() -> Thread:
    thread = Thread(target=_prepare, name="first-page", daemon=True)
    thread.start()
    return thread


def _prepare() -> None:
    try:
        characters()
        for name in TEMPLATES:
            get_template(name)
    finally:
        garbage.resume()
        garbage.search_all_rarely()
