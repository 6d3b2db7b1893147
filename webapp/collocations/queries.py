"""Collocations of a word in a set of documents of a run."""

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

from inference.explore.association import Association, association
from inference.index import Index, two_sets
from inference.index.collocations import Listed, Near
from inference.index.two_sets import FIRST
from webapp.collocations.shapes import Collocate, Collocations, Order, Which
from webapp.documents import search
from webapp.documents.selection import RunSelection
from webapp.models import Word
from webapp.results import links
from webapp.storage import csv_cells
from webapp.storage.cache import BoundedCache
from webapp.words import senses
from webapp.words.senses_page import header

LISTED = 50
LONGEST_FILE = 50_000  # words of a file
FARTHEST = 20  # words of a window before or behind a word
LEAST = 2  # documents of what is kept
LEAST_UNDER_EMBARGO = 5  # else the neighbours of a word, one after the other, give a text away
TOKENS = 1 << 18  # of the word that are looked at at a time
_near = BoundedCache(16 << 20)
_everywhere = BoundedCache(16 << 20)  # 12 bytes for each form that LEAST documents have
_COLUMNS = (
    "corpus run selection word topic left right near tokens documents expected tokens_everywhere log_dice g2 t".split()
)


class Asked(NamedTuple):
    """topic: one of the word's, as merged topics are counted; None for all. least: documents."""

    topic: int | None
    left: int
    right: int
    least: int
    order: Order
    which: Which


class Counted(NamedTuple):
    """everywhere: int64[n], tokens of each form in the set. total: all tokens of it. Both without the word's own."""

    near: Listed
    everywhere: np.ndarray
    total: int


def counted(selection: RunSelection, word: Word, asked: Asked) -> Counted:
    """A pass over the documents that have the word, and for a new set one over the index. Raises Invalid where the corpus
    has no index."""
    view, index = selection.view, search.open_index(selection.run.corpus)

    def make() -> Counted:
        near = _count(index, selection, word, asked)
        forms, tokens, total = _tokens(index, selection)
        own = tokens[np.searchsorted(forms, near.forms)] - near.own
        return Counted(near, np.maximum(own, near.tokens), total - near.pieces)  # counts of the index have a limit

    parts = () if asked.topic is None else view.labels.parts(asked.topic)
    key = (index.made, view.run.snapshot_id, *selection.key, word.pk, asked.topic, *parts, asked.left, asked.right)
    return _near.get_or_set(key, make)


def _count(index: Index, selection: RunSelection, word: Word, asked: Asked) -> Listed:
    pieces = index.spans(word.word.replace("_", " "))  # of a phrase several
    near = Near(index, max(len(pieces), 1), asked.left, asked.right)
    uses = senses.uses(selection.view, word, selection)
    pairs = uses.pairs(asked.topic)
    documents, ends = uses.documents[pairs], np.cumsum(uses.counts[pairs], dtype=np.int64)
    cuts = np.searchsorted(ends, np.arange(TOKENS, ends[-1] if len(ends) else 0, TOKENS))
    for part in np.split(pairs, np.searchsorted(documents, documents[cuts])):
        near.add(*uses.places(part))
    return near.listed(LEAST)


def _tokens(index: Index, selection: RunSelection) -> tuple[np.ndarray, np.ndarray, int]:
    """(forms that LEAST documents of the set have, int32, ascending; tokens of each, int64; all tokens)."""

    def make() -> tuple[np.ndarray, np.ndarray, int]:
        sets, lengths = np.zeros(index.D, np.uint8), index.stream.lengths
        sets[: selection.version.documents] = FIRST if selection.numbers is None else 0
        sets[[] if selection.numbers is None else selection.numbers] = FIRST
        sums = two_sets.sums(index.fields["text"], len(index.stream.lexicon), lengths, sets, LEAST)
        return sums.forms, sums.tokens[:, 0].copy(), int(two_sets.totals(lengths, sets).tokens[0])

    return _everywhere.get_or_set((index.made, *selection.key), make)


def least(selection: RunSelection, asked: int) -> int:
    """Documents that a listed word has near the other at least."""
    return max(asked, LEAST_UNDER_EMBARGO if selection.run.corpus.embargo else LEAST)


def _ranked(selection: RunSelection, word: Word, asked: Asked) -> tuple[Counted, Association, np.ndarray]:
    """All forms, how they are associated with the word, and the places of those that are listed, in their order."""
    made = counted(selection, word, asked)
    near = made.near
    of_forms = association(near.tokens, made.everywhere, near.window, made.total, near.found)
    rows = np.flatnonzero(near.documents >= least(selection, asked.least))
    if asked.which == "content":
        rows = rows[search.content_words(search.open_index(selection.run.corpus), near.forms[rows])]
    by: np.ndarray = getattr(of_forms, asked.order)
    return made, of_forms, rows[np.argsort(-by[rows], kind="stable")]


def _collocates(
    selection: RunSelection, word: Word, made: Counted, of_forms: Association, rows: np.ndarray
) -> list[Collocate]:
    texts = search.open_index(selection.run.corpus).stream.lexicon.words(made.near.forms[rows])
    return [
        Collocate(
            word=text,
            tokens=int(made.near.tokens[i]),
            documents=int(made.near.documents[i]),
            expected=float(of_forms.expected[i]),
            everywhere=int(made.everywhere[i]),
            log_dice=float(of_forms.log_dice[i]),
            g2=float(of_forms.g2[i]),
            t=float(of_forms.t[i]),
            url=_documents(selection, word, text),
        )
        for i, text in zip(rows.tolist(), texts, strict=True)
    ]


def _documents(selection: RunSelection, word: Word, other: str) -> str:
    """The documents of the set that have both words; where words are counted by stem or lemma in any of their forms."""
    text = word.word.replace("_", " ")
    plain = selection.version.settings.get("forms", "written") == "written"
    asked = [value for name, value in selection.parameters if name == "q"]
    q = " ".join([*asked, f'"{text}"' if plain else text, f'"{other}"'])
    parameters = [("q", q)] + [p for p in selection.parameters if p[0] != "q"]
    return links.documents_url(selection.run, "?" + urlencode(parameters))


def listed(selection: RunSelection, word: Word, asked: Asked) -> Collocations:
    made, of_forms, rows = _ranked(selection, word, asked)
    return Collocations(
        word=header(word),
        documents_chosen=selection.sentence,
        topic=None if asked.topic is None else links.topic_link(selection.view, asked.topic),
        found=made.near.found,
        window=made.near.window,
        total=made.total,
        left=asked.left,
        right=asked.right,
        least=least(selection, asked.least),
        order=asked.order,
        which=asked.which,
        words=_collocates(selection, word, made, of_forms, rows[:LISTED]),
        more=max(len(rows) - LISTED, 0),
    )


def table(selection: RunSelection, word: Word, asked: Asked) -> bytes:
    """What `listed` has as CSV, at most LONGEST_FILE words."""
    made, of_forms, rows = _ranked(selection, word, asked)
    topic = "" if asked.topic is None else links.topic_link(selection.view, asked.topic).label
    about = [selection.run.corpus.name, selection.run.pk, selection.sentence, word.word, topic, asked.left, asked.right]
    lines: list[list] = [_COLUMNS]
    for c in _collocates(selection, word, made, of_forms, rows[:LONGEST_FILE]):
        counts = [c.tokens, c.documents, round(c.expected, 2), c.everywhere]
        lines.append([*about, c.word, *counts, round(c.log_dice, 3), round(c.g2, 2), round(c.t, 3)])
    return csv_cells.lines(lines)
