"""Shares of topics in groups of documents, by period or category, with their intervals: what is kept of it, and for how long.

Merged topics are counted as one, and a Selection restricts all of it. Sums and intervals are kept in the web process until others
take their place: a page that is opened again, or shows one topic more, does not go through all documents anew.
"""

from collections.abc import Hashable
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

from inference.explore import bands, change
from webapp.documents import fields, ranges, sums
from webapp.documents.fields import Groups
from webapp.documents.selection import Selection
from webapp.models import Run
from webapp.results import evidence
from webapp.results.labels import names
from webapp.storage.cache import BoundedCache

_kept = BoundedCache(200)
_large = BoundedCache(4)  # of which each holds a number for each document


class Cut(NamedTuple):
    """A selection of a run's documents, in groups. `key` names it: the same key, the same numbers; `name` names its groups.

    first, end: the groups from the first to the last with a document, so that a chart does not begin with empty years.
    """

    run: Run
    groups: Groups
    selection: Selection
    group: np.ndarray
    first: int
    end: int
    name: Hashable
    key: tuple

    @property
    def labels(self) -> list[str]:
        return self.groups.labels[self.first : self.end]


def cut(run: Run, by: str, selection: Selection) -> Cut:
    return of_groups(run, fields.groups(run.version, by), selection, by)


def of_groups(run: Run, groups: Groups, selection: Selection, name: Hashable) -> Cut:
    """name: of the groups, which tells them from others of the same corpus."""
    key = (run.snapshot_id, name, tuple(selection.parameters), names(run).into.tobytes())

    def make():
        group = np.array(
            selection.group(groups.group)
        )  # a copy that can be written to: a kernel is compiled for one type
        some = np.bincount(group[group >= 0], minlength=len(groups.labels)).nonzero()[0]
        return group, (int(some[0]), int(some[-1]) + 1) if len(some) else (0, 0)

    group, (first, end) = _large.get_or_set(("cut", *key), make)
    return Cut(run, groups, selection, group, first, end, name, key)


def tokens(of: Cut) -> np.ndarray:
    """Of each topic in each group: int64[G, K], those of merged topics with their targets'."""
    return sums.grouped(of.run, of.selection, of.groups, of.name).tokens


def information(of: Cut) -> np.ndarray:
    """How much each topic depends on the group, in nats per token: float64[K], explore.change."""
    return _kept.get_or_set(("information", *of.key), lambda: change.information(tokens(of)))


def intervals(of: Cut, topics: list[int]) -> bands.Bands:
    """The shares of some topics, in their order, over all of the groups; only topics that are not remembered are computed."""
    known = _kept.get_or_set(("bands", *of.key), dict)
    if missing := [k for k in dict.fromkeys(topics) if k not in known]:
        found = evidence.of(of.run)
        new = bands.shares(*_folded(of.run), found.lengths, of.group, len(of.groups.labels), missing)
        for i, k in enumerate(missing):
            known[k] = new._replace(share=new.share[i], low=new.low[i], high=new.high[i])
    parts = [known[k] for k in topics]
    if not parts:
        return bands.shares(*_folded(of.run), evidence.of(of.run).lengths, of.group, len(of.groups.labels), [])
    return parts[0]._replace(**{name: np.array([getattr(p, name) for p in parts]) for name in ("share", "low", "high")})


def _folded(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    into = names(run).into
    return _large.get_or_set(("folded", run.snapshot_id, into.tobytes()), lambda: evidence.of(run).folded(into))


def strongest(of: Cut, topic: int, g: int, count: int) -> list[tuple[int, float]]:
    """Documents of a group in which a topic has the largest share: (number, share), largest first."""
    found = evidence.of(of.run)
    held = found.held([topic, *names(of.run).members(topic)])
    inside = np.flatnonzero((of.group == g) & (held > 0))
    share = held[inside] / found.lengths[inside]
    return [(int(inside[i]), float(share[i])) for i in np.lexsort((inside, -share))[:count]]


def conditions(groups: Groups, g: int) -> list[tuple[str, str]]:
    """A group as parameters of a Selection."""
    label = groups.labels[g]
    if groups.bounds:
        return [("between", ranges.Range(groups.by, *groups.bounds[g]).address)]
    if not groups.in_time:
        return [("in", f"{groups.by}:{label}")]
    if groups.by == "decade":
        return [("from", label[:-1]), ("to", f"{int(label[:-1]) + 9:04d}")]
    return [("from", label), ("to", label)]


def address(selection: Selection, *groups: tuple[Groups, int], has: int | None = None) -> str:
    """The query string of what of a set lies in a group of each kind, and has a topic: for the page of documents."""
    parameters = selection.parameters
    for of, g in groups:
        own = conditions(of, g)
        if of.in_time:
            parameters = [p for p in parameters if not _replaced(p, own, selection)]
            kept = {name for name, _ in parameters}
            own = [p for p in own if p[0] not in kept]
        else:  # values of one category are alternatives: only the group's own is left
            parameters = [p for p in parameters if not (p[0] == "in" and p[1].startswith(of.by + ":"))]
        parameters = parameters + own
    if has is not None:
        parameters = [*parameters, ("has", f"{has}:1")]
    return "?" + urlencode(parameters)


def _replaced(parameter: tuple[str, str], own: list[tuple[str, str]], selection: Selection) -> bool:
    """Whether a period's own end is nearer than the selection's, so that a decade that a selection cuts stays cut."""
    name, _ = parameter
    if name not in ("from", "to"):
        return False
    theirs = Selection(selection.corpus, None, "", [], (own[0][1], own[1][1]), []).days
    return theirs[0] >= selection.days[0] if name == "from" else theirs[1] <= selection.days[1]
