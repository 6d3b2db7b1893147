"""Collocations of a word in a set of documents of a run."""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.sparse.csgraph import connected_components

from inference.errors import Invalid
from inference.explore import seriation
from inference.explore.association import COLLOCATION, Association, association, together
from inference.index import Index, two_sets
from inference.index.collocations import Listed, Near, Pairs, Windows
from webapp.analysis.collocations.shapes import (
    Collocate,
    CollocationNetwork,
    Collocations,
    NearPage,
    NetworkPair,
    Order,
    Which,
    Within,
)
from webapp.analysis.words import concordance, senses
from webapp.analysis.words.senses_page import header
from webapp.core.documents import search
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.models import Word
from webapp.platform.accounts import embargo
from webapp.platform.storage import csv_cells
from webapp.platform.storage.cache import BoundedCache

LISTED = 50
NODES = 15  # words of a network
LONGEST_FILE = 50_000  # words of a file
FARTHEST = 20  # words of a window before or behind a word
LEAST = 2  # documents of what is kept
LEAST_UNDER_EMBARGO = 5  # else the neighbours of a word, one after the other, give a text away
TOKENS = 1 << 18  # of the word that are looked at at a time
Counts = TypeVar("Counts", bound=Windows)
_near = BoundedCache(16 << 20)
_everywhere = BoundedCache(16 << 20)  # 12 bytes for each form that LEAST documents have
_COLUMNS = (
    "corpus run selection word topic left right within near tokens documents expected"
    " tokens_everywhere log_dice g2 t".split()
)


class Asked(NamedTuple):
    """topic: one of the word's, as merged topics are counted; None for all. least: documents."""

    topic: int | None
    left: int
    right: int
    least: int
    order: Order
    which: Which
    within: Within = "words"


class Counted(NamedTuple):
    """everywhere: int64[n], tokens of each form in the set. total: all tokens of it. Both without
    the word's own."""

    near: Listed
    everywhere: np.ndarray
    total: int


def counted(selection: RunSelection, word: Word, asked: Asked, kept: int = LEAST) -> Counted:
    """A pass over the documents that have the word, and for a new set one over the index. kept:
    documents that a form has near the word at least. Raises Invalid where the corpus has no index,
    or the places of its words are not known."""
    view, index = selection.view, search.open_index(selection.run.corpus)
    if not concordance.has_places(view.run):
        raise Invalid(
            "run",
            "This corpus was read by a version that kept no places of words. Upload the files"
            " again.",
        )

    def make() -> Counted:
        near = count(Near, selection, word, asked).listed(kept)
        forms, tokens, total = _tokens(index, selection)
        at = np.searchsorted(forms, near.sums.forms)
        own = np.append(tokens, 0)[at] * (np.append(forms, -1)[at] == near.sums.forms) - near.own
        return Counted(
            near, np.maximum(own, near.sums.tokens), total - near.pieces
        )  # counts of the index have a limit

    parts = () if asked.topic is None else view.labels.parts(asked.topic)
    window = (asked.left, asked.right, asked.within)
    key = (
        index.made,
        view.run.snapshot_id,
        *selection.key,
        word.pk,
        asked.topic,
        *parts,
        *window,
        kept,
    )
    return _near.get_or_set(key, make)


def told(selection: RunSelection, made: Counted) -> Counted:
    """As far as who asks may know: a word's neighbours, one after the other, would be the text."""
    corpus, sums = selection.run.corpus, made.near.sums
    if not embargo.readers(corpus):
        return made
    documents = embargo.rounded(corpus, sums.documents)
    tokens = np.maximum(embargo.rounded(corpus, sums.tokens), documents)
    rounded = sums._replace(tokens=tokens, documents=documents)
    some = documents > 0
    sums = type(sums)(*(array[some] for array in rounded))
    return made._replace(near=made.near._replace(sums=sums), everywhere=made.everywhere[some])


def count(
    make: Callable[..., Counts],
    selection: RunSelection,
    word: Word,
    asked: Asked,
    *more: np.ndarray,
) -> Counts:
    """Near, or Pairs, of all tokens of the word."""
    index = search.open_index(selection.run.corpus)
    pieces = index.spans(word.word.replace("_", " "))  # of a phrase several
    counts = make(
        index, max(len(pieces), 1), asked.left, asked.right, asked.within == "sentence", *more
    )
    uses = senses.uses(selection.view, word, selection)
    pairs = uses.pairs(asked.topic)
    documents, ends = uses.documents[pairs], np.cumsum(uses.counts[pairs], dtype=np.int64)
    cuts = np.searchsorted(ends, np.arange(TOKENS, ends[-1] if len(ends) else 0, TOKENS))
    for part in np.split(pairs, np.searchsorted(documents, documents[cuts])):
        counts.add(*uses.places(part))
    return counts


def _tokens(index: Index, selection: RunSelection) -> tuple[np.ndarray, np.ndarray, int]:
    """(forms that LEAST documents of the set have, int32, ascending; tokens of each, int64; all
    tokens)."""

    def make() -> tuple[np.ndarray, np.ndarray, int]:
        chosen = np.zeros(index.D, bool)
        chosen[
            slice(selection.version.documents) if selection.numbers is None else selection.numbers
        ] = True
        some = None if chosen.all() else chosen
        forms, tokens = two_sets.tokens(
            index.fields["text"], len(index.stream.lexicon), some, LEAST
        )
        return forms, tokens, int(index.stream.lengths.sum(dtype=np.int64, where=chosen))

    return _everywhere.get_or_set((index.made, *selection.key), make)


def associated(made: Counted) -> Association:
    near = made.near
    return association(
        near.sums.tokens, made.everywhere, int(near.totals.tokens), made.total, near.found
    )


def least(selection: RunSelection, asked: int) -> int:
    """Documents that a listed word has near the other at least."""
    return max(asked, LEAST_UNDER_EMBARGO if selection.run.corpus.embargo else LEAST)


def _ranked(
    selection: RunSelection, word: Word, asked: Asked
) -> tuple[Counted, Association, np.ndarray]:
    """All forms, how they are associated with the word, and the places of those that are listed, in
    their order."""
    made = told(selection, counted(selection, word, asked))
    near, of_forms = made.near, associated(made)
    rows = np.flatnonzero(near.sums.documents >= least(selection, asked.least))
    if asked.which == "content":
        rows = rows[
            search.content_words(search.open_index(selection.run.corpus), near.sums.forms[rows])
        ]
    return made, of_forms, rows[np.argsort(-getattr(of_forms, asked.order)[rows], kind="stable")]


def _collocates(
    selection: RunSelection,
    word: Word,
    asked: Asked,
    made: Counted,
    of_forms: Association,
    rows: np.ndarray,
) -> list[Collocate]:
    texts = search.open_index(selection.run.corpus).stream.lexicon.words(made.near.sums.forms[rows])
    return [
        Collocate(
            text,
            int(made.near.sums.tokens[i]),
            int(made.near.sums.documents[i]),
            float(of_forms.expected[i]),
            int(made.everywhere[i]),
            float(of_forms.log_dice[i]),
            float(of_forms.g2[i]),
            float(of_forms.t[i]),
            *addresses(selection, word, asked, text),
        )
        for i, text in zip(rows.tolist(), texts, strict=True)
    ]


def lines(selection: RunSelection, word: Word, asked: Asked) -> str:
    """All lines of the word."""
    query = selection.address(topic="all" if asked.topic is None else asked.topic)[1:]
    return selection.view.go("run_word", word.word, asked=query)


def addresses(selection: RunSelection, word: Word, asked: Asked, *others: str) -> tuple[str, str]:
    """The documents, and the lines, in which other words are near: those of a pattern; within a
    sentence, and of several others, on either side. Where words are counted by stem or lemma, which
    no pattern finds, both are the documents that have all of them."""
    text, farther = word.word.replace("_", " "), max(asked.left, asked.right)
    if selection.version.settings.get("forms", "written") != "written":
        quoted = " ".join(f'"{other}"' for other in others)
        both = links.documents_url(
            selection.run, selection.changed(q=f"{selection.q} {text} {quoted}".strip()).address()
        )
        return both, both
    near, gap = "s" if asked.within == "sentence" else farther, f"*{{0,{farther - 1}}}"
    pattern = f" ~{near} ".join([text, *others])
    one_side = asked.within == "words" and not (
        asked.left and asked.right or selection.run.corpus.embargo
    )
    if one_side and len(others) == 1:
        pattern = f"{others[0]} {gap} {text}" if asked.left else f"{text} {gap} {others[0]}"
    lines = selection.view.go(
        "run_pattern", asked=selection.address(pattern=pattern, topic=asked.topic)[1:]
    )
    documents = selection if asked.topic is None else selection.with_topic(asked.topic)
    return links.documents_url(selection.run, documents.address(match=pattern)), lines


def near_page(selection: RunSelection, word: Word, asked: Asked) -> NearPage:
    window = asked.left, asked.right
    return NearPage(
        header(word),
        selection.sentence,
        *window,
        least(selection, asked.least),
        asked.which,
        asked.within,
    )


def listed(selection: RunSelection, word: Word, asked: Asked) -> Collocations:
    return _listed(selection, word, asked, *_ranked(selection, word, asked), LISTED)


def _listed(
    selection: RunSelection,
    word: Word,
    asked: Asked,
    made: Counted,
    of_forms: Association,
    rows: np.ndarray,
    most: int,
) -> Collocations:
    return Collocations(
        **vars(near_page(selection, word, asked)),
        topic=None if asked.topic is None else links.topic_link(selection.view, asked.topic),
        found=made.near.found,
        window=int(made.near.totals.tokens),
        total=made.total,
        order=asked.order,
        words=_collocates(selection, word, asked, made, of_forms, rows[:most]),
        more=max(len(rows) - most, 0),
    )


def network(selection: RunSelection, word: Word, asked: Asked) -> CollocationNetwork:
    """The first NODES that are listed, and which of them are in the same windows."""
    made, of_forms, rows = _ranked(selection, word, asked)
    page = _listed(selection, word, asked, made, of_forms, rows, NODES)
    counts = count(Pairs, selection, word, asked, made.near.sums.forms[rows[:NODES]])
    windows = embargo.rounded(selection.run.corpus, counts.windows).copy()
    np.fill_diagonal(windows, np.diagonal(counts.windows))
    documents = embargo.rounded(selection.run.corpus, counts.documents)
    expected, g2 = together(windows, counts.found)
    linked = np.triu((g2 >= COLLOCATION) & (documents >= page.least), 1)
    strength = np.where(linked | linked.T, g2, 0.0)
    group = connected_components(strength, directed=False)[1].tolist()
    order = seriation.order(strength + np.diag(strength.max(axis=1, initial=0.0))).tolist()
    a, b = np.nonzero(linked)
    by_g2 = np.argsort(-g2[a, b], kind="stable")
    texts = [other.word for other in page.words]
    return CollocationNetwork(
        **vars(page),
        groups=[[page.words[i] for i in some] for _, some in groupby(order, group.__getitem__)],
        pairs=[
            NetworkPair(
                [texts[i], texts[j]],
                int(windows[i, j]),
                float(expected[i, j]),
                int(documents[i, j]),
                float(g2[i, j]),
                *addresses(selection, word, asked, texts[i], texts[j]),
            )
            for i, j in zip(a[by_g2].tolist(), b[by_g2].tolist(), strict=True)
        ],
    )


def table(selection: RunSelection, word: Word, asked: Asked) -> bytes:
    """What `listed` has as CSV, at most LONGEST_FILE words."""
    made, of_forms, rows = _ranked(selection, word, asked)
    topic = "" if asked.topic is None else links.topic_link(selection.view, asked.topic).label
    about = [
        selection.run.corpus.name,
        selection.run.pk,
        selection.sentence,
        word.word,
        topic,
        asked.left,
        asked.right,
        asked.within,
    ]
    lines = [
        [
            *(*about, c.word, c.tokens, c.documents, round(c.expected, 2), c.everywhere),
            *(round(c.log_dice, 3), round(c.g2, 2), round(c.t, 3)),
        ]
        for c in _collocates(selection, word, asked, made, of_forms, rows[:LONGEST_FILE])
    ]
    return csv_cells.lines([_COLUMNS, *lines])
