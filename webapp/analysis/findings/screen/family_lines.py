"""Families of topics: the list of them, the river, and areas in place of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString

from webapp.analysis.families.shapes import FamilyTopics
from webapp.analysis.findings import river_picture
from webapp.analysis.findings.river import River
from webapp.analysis.findings.river_picture import LinkedFamily
from webapp.analysis.findings.sentences import briefly
from webapp.analysis.findings.shapes import FindingHtml
from webapp.core.results import links
from webapp.core.results.links import TopicLink
from webapp.core.results.view import RunView
from webapp.platform.drawing.river import WordSpan, mean_time
from webapp.platform.drawing.strips import ridge
from webapp.platform.drawing.treemap import Branch, Leaf, treemap

LEADING = 3  # topics that the list of families names
GAP = 0.15  # between two topics of a bar, of 100
NARROWEST = 0.1  # topic of a bar, of 100: a narrower one could not be seen


@dataclass(frozen=True)
class FamilyLine:
    """A family in the list beside the river. others: how many topics it has without those that it is
    called by; topics: the largest of these; pieces: of all topics."""

    row: FindingHtml
    name: str
    url: str
    hue: int
    share: str
    others: int
    topics: list[TopicLink]
    pieces: list["Piece"]
    ridge: SafeString


@dataclass(frozen=True)
class Piece:
    """A topic's part of its family's bar. place, width: of 100."""

    place: float
    width: float


def sum_shares(shares: dict[int, np.ndarray], topics: Sequence[int], n: int) -> np.ndarray:
    """The shares of some topics together."""
    return np.sum([shares[k] for k in topics if k in shares] or [np.zeros(n)], axis=0)


def draw_tree(
    view: RunView, families: list[FindingHtml], general: float, tokens: np.ndarray
) -> SafeString:
    """Families and topics as areas, which texts without dates and groups have in place of a
    river."""
    branches = []
    inside: set[int] = set()
    for row in families:
        family = row.family
        if family is not None and family.share > 0:
            leaves = _leaves(view, family.topics, tokens)
            branches.append(Branch(family.name, row.url, family.hue, family.share, leaves))
            inside.update(family.topics)
    if not branches:
        return SafeString()
    outside = [k for k in range(len(tokens)) if k not in inside]
    return treemap(branches, general, _leaves(view, outside, tokens))


def _leaves(view: RunView, topics: Sequence[int], tokens: np.ndarray) -> list[Leaf]:
    """Topics that have words in the set, the largest first."""
    total = max(float(tokens.sum()), 1.0)
    leaves = []
    for k in sorted(topics, key=lambda k: -tokens[k]):
        if tokens[k] > 0:
            link = links.topic_link(view, k)
            name = link.name if link.has_name else ""
            leaves.append(Leaf(name, link.label, link.url, float(tokens[k]) / total))
    return leaves


def family_lines(
    view: RunView,
    rows: list[FindingHtml],
    shares: dict[int, np.ndarray],
    river: River | None,
    tokens: np.ndarray,
) -> list[FamilyLine]:
    """In the order of the river where there is one. rows: of families; shares: of each topic, in
    each bin of the river; tokens: float64[K], of the set."""
    n = len(river.totals) if river else 0
    curves = [sum_shares(shares, row.family.topics if row.family else [], n) for row in rows]
    largest = max((float(curve.max()) for curve in curves if n), default=0.0)
    order = list(range(len(rows)))
    if n:
        order.sort(key=lambda i: mean_time(curves[i]))
    drawn = []
    for i in order:
        family = rows[i].family
        assert family is not None
        others = _other_topics(view, family)
        drawn.append(
            FamilyLine(
                row=rows[i],
                name=family.name,
                url=rows[i].url,
                hue=family.hue,
                share=briefly(family.share),
                others=len(others),
                topics=largest_named(view, others, tokens) if others else [],
                pieces=_pieces(family.topics, tokens),
                ridge=ridge(curves[i], largest, family.hue) if n else SafeString(),
            )
        )
    return drawn


def largest_named(view: RunView, topics: Sequence[int], tokens: np.ndarray) -> list[TopicLink]:
    """A family's topics with most words of the set, hidden ones left out. Those without a name only
    where none has one: their words, side by side with names, would be read as topics of their own.
    tokens: float64[K], of the set."""
    visible_topics = [k for k in topics if view.labels.is_visible(k)]
    by_size = [links.topic_link(view, k) for k in sorted(visible_topics, key=lambda k: -tokens[k])]
    named_topics = [topic for topic in by_size if topic.has_name]
    return named_topics[:LEADING] if named_topics else by_size[:1]


def _other_topics(view: RunView, family: FamilyTopics) -> list[int]:
    """The topics that the family's name does not say, hidden and merged ones left out."""
    return [k for k in family.topics if k not in family.named_by and view.labels.is_visible(k)]


def _pieces(topics: Sequence[int], tokens: np.ndarray) -> list[Piece]:
    """The topics of a family side by side, the largest first, as parts of all words of the set."""
    total = max(float(tokens.sum()), 1.0)
    stacked: list[Piece] = []
    height = 0.0
    for size in sorted((100 * float(tokens[k]) / total for k in topics), reverse=True):
        if size > 0:
            width = max(size - GAP, NARROWEST)
            stacked.append(Piece(round(height, 2), round(width, 2)))
        height += size
    return stacked


def draw_river(
    view: RunView, families: list[FindingHtml], river: River | None, spans: list[WordSpan]
) -> SafeString:
    """spans: of the words below it."""
    if river is None:
        return SafeString()
    linked = [LinkedFamily(row.family, row.url) for row in families if row.family is not None]
    picture = river_picture.picture(view, linked, river, spans)
    return picture.draw() if picture is not None else SafeString()
