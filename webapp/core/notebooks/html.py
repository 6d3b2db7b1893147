"""A notebook as one HTML file that needs nothing else to be read."""

import base64
import hashlib
import re
from functools import cache

from django.template.loader import render_to_string

from webapp.core.notebooks.shapes import NotebookPage
from webapp.platform.drawing.colours import COLOURS
from webapp.platform.local import package


def notebook(page: NotebookPage, root: str) -> str:
    """root: the address of this Topograph, before the paths of its pages."""
    style = render_to_string("notebook/export.css") + _topic_colours()
    style_hash = "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return render_to_string(
        "notebook/export.html",
        {"page": page, "root": root, "style": style, "style_hash": style_hash},
    )


@cache
def _topic_colours() -> str:
    """The colours of topics on paper, as the pages have them."""
    pages = (package.resource("static") / "css" / "base.css").read_text()
    lines = re.findall(r"^\s*--t\d+:.*$|^\.t\d+ \{.*$", pages, re.M)
    return (
        ":root { color-scheme: light;\n"
        + "\n".join(lines[:COLOURS])
        + " }\n"
        + "\n".join(lines[COLOURS:])
        + "\n"
    )
