"""A run as plain pages in a zip (site.py), with passages of each topic, and a page that searches the texts:
both work from a folder, without a server or a network.

What is searched is a script beside the page, as a browser lets no page of a folder fetch a file. It is
bounded: of longer collections it holds the first words of each text. The page of the search is the only
one with a script; its policy lets it run those of the folder alone, which make no markup of texts.

Every page of this kind gives texts away: there is none under an embargo.
"""

from collections.abc import Iterator

import numpy as np
import orjson
from django.template.loader import render_to_string

from webapp.core.documents import texts as marked_texts
from webapp.core.documents.texts import Excerpt
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import document_name
from webapp.service.exports import site
from webapp.service.exports.tables import ExportSource
from webapp.service.exports.texts import TEXTS_IN_BLOCK, texts_of
from webapp.service.exports.zips import Member, zipped

PASSAGES = 5  # of a topic's page
# Words that are searched at most: a script of some 6 MB, which a browser reads in a second
MOST_WORDS = 1_000_000
MOST_DOCUMENTS = 20_000  # of which some are searched
PAGE = "search.html"
BEGIN = b"collection = ["  # of the script with the texts


def archive(source: ExportSource) -> Iterator[bytes]:
    """Raises Invalid under an embargo."""
    embargo.refuse(source.run.corpus, "Pages with passages and a search")
    return zipped(_members(source.run))


def _members(run: Run) -> Iterator[Member]:
    view = RunView(run)
    yield from site.members(
        run, search=PAGE, passages=lambda k, numbers: _passages(view, k, numbers)
    )
    numbers = chosen_documents(run.version.documents)
    words = _words(run, numbers)
    longest = longest_piece(words, MOST_WORDS)
    context = {
        "run": run,
        "above": "",
        "search": PAGE,
        "documents": len(numbers),
        "of": run.version.documents,
        "longest": longest if len(words) and longest < words.max() else 0,
    }
    yield Member(PAGE, [render_to_string("site/search.html", context).encode()])
    yield Member("search.js", [render_to_string("site/search.js").encode()])
    yield Member("texts.js", _texts(run, numbers, words, longest))


def _passages(view: RunView, topic: int, numbers: list[int]) -> list[tuple[int, Excerpt]]:
    """The passages of the first documents, each with its number."""
    found = marked_texts.passages(view, numbers[:PASSAGES], topic)
    return [(number, found[number]) for number in numbers[:PASSAGES] if number in found]


def chosen_documents(count: int) -> np.ndarray:
    """int64, ascending: all documents, or MOST_DOCUMENTS of them, spread evenly."""
    if count <= MOST_DOCUMENTS:
        return np.arange(count, dtype=np.int64)
    return np.arange(MOST_DOCUMENTS, dtype=np.int64) * count // MOST_DOCUMENTS


def longest_piece(words: np.ndarray, most: int) -> int:
    """How many words of each text may be held, so that all pieces together have at most so many.

    words: int64[n], of the texts.
    """
    if int(words.sum()) <= most:
        return int(words.max(initial=0))
    ascending = np.sort(words)
    before = np.concatenate([[0], np.cumsum(ascending)[:-1]])
    # Where the longest texts, from each place on, are cut at its length
    held = before + ascending * np.arange(len(words), 0, -1)
    place = int(np.searchsorted(held, most, side="right"))
    return int((most - before[place]) // (len(words) - place))


def _words(run: Run, numbers: np.ndarray) -> np.ndarray:
    """int64[n]: how many words the texts have."""
    about = embargo.about(run.corpus, numbers.tolist(), "words")
    return np.array([about[number]["words"] for number in numbers.tolist()], np.int64)


def _texts(run: Run, numbers: np.ndarray, words: np.ndarray, longest: int) -> Iterator[bytes]:
    """The script: a list of [title, date, page of the largest topic or "", text, whether it is cut]."""
    assigned = evidence.of(run)
    view = RunView(run)
    pages = frozenset(view.topics)
    yield BEGIN
    for first in range(0, len(numbers), TEXTS_IN_BLOCK):
        block = numbers[first : first + TEXTS_IN_BLOCK].tolist()
        about = embargo.about(run.corpus, block, "title", "date_text")
        whole_texts = texts_of(run.corpus, block)
        for place, number in enumerate(block, first):
            text = whole_texts[number]
            piece = _beginning(text, int(words[place]), longest)
            topics, tokens = assigned.mixtures.of_document(number)
            page = topic = ""
            if len(topics) and (k := int(topics[np.argmax(tokens)])) in pages:
                page = site.topic_page(k)
                topic = view.labels.title(k)
            row = [
                document_name(about[number]["title"], number),
                about[number]["date_text"] or "",
                topic,
                page,
                piece,
                len(piece) < len(text),
            ]
            yield orjson.dumps(row) + b",\n"
    yield b"];\n"


def _beginning(text: str, words: int, longest: int) -> str:
    """About the first words of a text, cut behind one."""
    if words <= longest:
        return text
    cut = text[: len(text) * longest // words]
    return cut[: cut.rfind(" ")] if " " in cut else cut
