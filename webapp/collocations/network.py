"""Which collocations of a word are near the same tokens of it: a network."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from inference.explore import seriation
from inference.explore.association import together
from inference.index.collocations import Pairs
from webapp.collocations import queries
from webapp.collocations.shapes import CollocationNetwork, NetworkPair, NetworkWord
from webapp.collocations.two_sides import COLLOCATION
from webapp.documents import search
from webapp.documents.selection import RunSelection
from webapp.models import Word
from webapp.results import links

NODES = 15  # words of a network, the first that are listed


def page(selection: RunSelection, word: Word, asked: queries.Asked) -> CollocationNetwork:
    made, of_forms, rows = queries.ranked(selection, word, asked)
    listed = queries.collocates(selection, word, asked, made, of_forms, rows[:NODES])
    window = queries.window(word, asked, search.open_index(selection.run.corpus))
    counts = Pairs(*window, made.near.sums.forms[rows[:NODES]])
    queries.add(counts, selection, word, asked)
    expected, g2 = together(counts.windows, counts.found)
    linked = (g2 >= COLLOCATION) & (counts.documents >= queries.least(selection, asked.least))
    np.fill_diagonal(linked, False)
    order, groups = _order(np.where(linked, g2, 0.0))
    a, b = np.nonzero(np.triu(linked))
    by_g2 = np.argsort(-g2[a, b], kind="stable")
    return CollocationNetwork(
        **vars(queries.near_page(selection, word, asked)),
        topic=None if asked.topic is None else links.topic_link(selection.view, asked.topic),
        found=counts.found,
        order=asked.order,
        words=[NetworkWord(listed[i].word, int(counts.windows[i, i]), listed[i].lines, groups.get(i)) for i in order],
        pairs=[
            NetworkPair(
                [listed[i].word, listed[j].word],
                int(counts.windows[i, j]),
                float(expected[i, j]),
                int(counts.documents[i, j]),
                float(g2[i, j]),
                *queries.addresses(selection, word, asked, listed[i].word, listed[j].word),
            )
            for i, j in zip(a[by_g2].tolist(), b[by_g2].tolist(), strict=True)
        ],
    )


def _order(strength: np.ndarray) -> tuple[list[int], dict[int, int]]:
    """Places of words, linked ones near each other and those of a group together, then those without a link; and the group of each
    linked one. strength: float64[n, n] of each two, 0 where they are not linked."""
    order = seriation.order(strength + np.diag(strength.max(axis=1, initial=0.0))).tolist()
    part = connected_components(strength, directed=False)[1]
    linked = [i for i in order if strength[i].any()]
    number = {p: n for n, p in enumerate(dict.fromkeys(part[linked].tolist()))}
    return order, {i: number[part[i]] for i in linked}
