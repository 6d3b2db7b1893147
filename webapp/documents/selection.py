"""A set of documents that an address describes, and that every page can be restricted to.

?q=       a search (inference.index.query): words, "a phrase", or, -without, AND OR NOT, parentheses, begin*
?has=     12:20, at least 20% of the document is topic 12 and what was merged into it; may be repeated
?from=    ?to=  days, months or years, both included: 1914, 1914-08, 1914-08-04, 1910s
?between= price:10:20, a field of numbers or dates and its ends (documents.ranges); may be repeated
?in=      party:Democratic, a category and a value; may be repeated: values of one category are alternatives
?only=    wordless, same or near: what the corpus's page counts (ONLY), or file:7, what came of an uploaded file; may be repeated

A form without JavaScript can't join two fields into one, so these are read, too, and written as the above:
?with=    T12, and ?least=20
?in:party=    a value of this category, small letters or capitals
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.index import LONGEST
from webapp.documents import days, fields, ranges, search
from webapp.ingest import repeats, sources
from webapp.metadata import ValueField
from webapp.models import Corpus, Run, Version
from webapp.results import evidence
from webapp.results.labels import names

NAMES = ("q", "has", "from", "to", "between", "in", "only", "with", "least")
ONLY = {
    "wordless": "without a word that counts",
    "same": "the same as an earlier one",
    "near": "nearly the same as an earlier one",
}
PLACES = ("after", "before", "at")  # where a page of a list begins
_PERCENT = regex.compile(r"\d{1,3}(?:\.\d{1,3})?", regex.ASCII)
_HAS = regex.compile(rf"(\d{{1,5}}):({_PERCENT.pattern})", regex.ASCII)
_TOPIC = regex.compile(r"[Tt]?(\d{1,5})", regex.ASCII)
_FILE = regex.compile(r"file:\d{1,9}", regex.ASCII)
_KEPT = 8  # masks that a web process remembers: a byte a document each


class Selection:
    """Made by `read`. Empty (nothing asked for): all documents."""

    def __init__(
        self,
        corpus: Corpus,
        run: Run | None,
        q: str,
        has: list[tuple[int, float]],
        span: tuple[str, str],
        values: list[tuple[str, str]],
        between: Sequence[ranges.Range] = (),
        only: Sequence[str] = (),
    ):
        self.corpus, self.run, self.only = corpus, run, list(only)
        self.version = run.version if run else corpus.version
        self.q, self.has, self.values, self.between = q, has, values, list(between)
        self.first, self.last = span  # as they were asked for
        self.days = (days.ordinal(self.first, "from", last=False), days.ordinal(self.last, "to", last=True))

    @classmethod
    def read(cls, query: QueryDict, corpus: Corpus, run: Run | None = None) -> "Selection":
        """Raises Invalid, with a sentence, for what can't be understood. Without a run `has` is left out."""
        version = run.version if run else corpus.version
        if version is None:
            raise Invalid("corpus", f"“{corpus.name}” has not been read yet: it has no documents.")
        q = "".join(c for c in query.get("q", "")[: LONGEST + 1] if c.isprintable()).strip()
        if q:
            search.of(corpus).parse(q)
        has = [_has(text, run) for text in [*query.getlist("has"), _joined(query)] if text] if run else []
        span = (query.get("from", "").strip(), query.get("to", "").strip())
        values = [_value(text, version) for text in query.getlist("in") if text]
        for category in fields.categories(version):
            values += [_typed(category, text.strip()) for text in query.getlist(f"in:{category.name}") if text.strip()]
        return cls(
            corpus,
            run,
            q,
            list(dict.fromkeys(has)),
            span,
            list(dict.fromkeys(values)),
            ranges.read(query, version),
            _only(query, version),
        )

    @classmethod
    def all(cls, run: Run) -> "Selection":
        """All documents of a run."""
        return cls(run.corpus, run, "", [], ("", ""), [])

    def __bool__(self) -> bool:
        return bool(self.parameters)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes it, in a fixed order."""
        found = [("q", self.q), ("from", self.first), ("to", self.last)]
        found += [("has", f"{topic}:{percent:g}") for topic, percent in self.has]
        found += [("between", asked.address) for asked in self.between]
        found += [("in", f"{name}:{value}") for name, value in self.values]
        found += [("only", name) for name in self.only]
        return [(name, value) for name, value in found if value]

    def address(self, *, without: tuple[str, str] | None = None, **more: object) -> str:
        """The query string of this set and of what else is given; `without` takes one of its conditions away."""
        parameters = [p for p in self.parameters if p != without]
        return "?" + urlencode(parameters + [(k, v) for k, v in more.items() if v not in (None, "")])

    def narrowed(self, groups: fields.Groups, i: int) -> list[tuple[str, str]]:
        """The parameters of this set's documents that are in a group of `groups`: what a point of a chart counts."""
        parameters = self.parameters
        if groups.bounds:
            return [*parameters, ("between", ranges.Range(groups.by, *groups.bounds[i]).address)]
        if not groups.in_time:
            parameters = [p for p in parameters if p[0] != "in" or not p[1].startswith(groups.by + ":")]
            return [*parameters, ("in", f"{groups.by}:{groups.labels[i]}")]
        first, last = fields.span(groups, i)
        first = self.first if self.days[0] > days.ordinal(first, "from", last=False) else first
        last = self.last if 0 < self.days[1] < days.ordinal(last, "to", last=True) else last
        return [*(p for p in parameters if p[0] not in ("from", "to")), ("from", first), ("to", last)]

    @property
    def conditions(self) -> list[dict]:
        """Each condition in words, what it is in the address, and the address without it."""
        return [{"text": self._said(*p), "parameter": p, "without": self.address(without=p)} for p in self.parameters]

    @property
    def sentence(self) -> str:
        """The set in words: "documents with “war”, from 1914, to 1918"."""
        said = [self._said(*p) for p in self.parameters]
        return "documents " + ", ".join(said) if said else "all documents"

    def _said(self, name: str, value: str) -> str:
        if name == "has":
            topic, _, percent = value.partition(":")
            title = names(self.run).title(int(topic))
            return f"with at least {percent}% {title}" if float(percent) else f"with {title}"
        if name == "between":
            return next(asked.said for asked in self.between if asked.address == value)
        if name == "in":
            field, _, of = value.partition(":")
            return f"{field} {of}"
        if name == "only":
            return ONLY.get(value) or f"of the file “{sources.documents(self.version, _file(value))[0]}”"
        return {"q": f"with “{value}”", "from": f"from {value}", "to": f"to {value}"}[name]

    @cached_property
    def mask(self) -> np.ndarray | None:
        """bool[D], read-only; None for all documents."""
        if not self:
            return None
        mask = _masks.get(self.key)
        if mask is None:
            mask = self._mask()
            mask.flags.writeable = False
            while len(_masks) >= _KEPT:
                _masks.pop(next(iter(_masks)), None)
            _masks[self.key] = mask
        return mask

    @property
    def key(self) -> tuple:
        """What the set depends on: merging topics makes another one of it."""
        return (
            self.version.pk,
            *((self.run.snapshot_id, *self._topics(topic)) for topic, _ in self.has),
            *self.parameters,
        )

    def elsewhere(self, name: str) -> "Selection":
        """The same without the conditions on a category: what its other values would give."""
        values = [value for value in self.values if value[0] != name]
        return Selection(
            self.corpus, self.run, self.q, self.has, (self.first, self.last), values, self.between, self.only
        )

    def _topics(self, topic: int) -> list[int]:
        """It, and those that are read as its parts."""
        return [topic, *names(self.run).members(topic)]

    def _mask(self) -> np.ndarray:
        mask = np.ones(self.version.documents, bool)
        alternatives: dict[str, list[str]] = defaultdict(list)
        for name, value in self.values:
            alternatives[name].append(value)
        for name, wanted in alternatives.items():
            category, codes = fields.codes(self.version, name)
            mask &= np.isin(codes, [category.values.index(value) for value in wanted])
        if any(self.days):
            dates = fields.dates(self.version)
            mask &= dates > 0
            if self.days[0]:
                mask &= dates >= self.days[0]
            if self.days[1]:
                mask &= dates <= self.days[1]
        for asked in self.between:
            mask &= ranges.mask(asked, self.version)
        for topic, percent in self.has:
            mask &= evidence.of(self.run).at_least(self._topics(topic), percent / 100)
        for name in self.only:
            if name not in ONLY:
                _, first, end = sources.documents(self.version, _file(name))
                mask[:first] = mask[end:] = False
                continue
            mask &= (
                np.diff(evidence.bow(self.version.pk).indptr) == 0
                if name == "wordless"
                else repeats.repeating(self.version, name)
            )
        if self.q:
            found = np.zeros(self.version.documents, bool)
            numbers = search.of(self.corpus).find(self.q)
            found[numbers[numbers < len(found)]] = True  # others were added later
            mask &= found
        return mask

    @cached_property
    def count(self) -> int:
        return self.version.documents if self.mask is None else int(np.count_nonzero(self.mask))

    def group(self, group: np.ndarray) -> np.ndarray:
        """The groups of `fields.Groups`, documents outside the set in none."""
        return group if self.mask is None else np.where(self.mask, group, np.int32(-1))


_masks: dict[tuple, np.ndarray] = {}


def _has(text: str, run: Run) -> tuple[int, float]:
    match = _HAS.fullmatch(text)
    if not match or float(match[2]) > 100:
        raise Invalid("has", f"“has” in the address must be a topic and a percentage such as 12:20, got “{text[:50]}”.")
    if int(match[1]) >= run.topics:
        raise Invalid("has", f"Run {run.pk} has topics 0 to {run.topics - 1}, got {match[1]}.")
    return int(match[1]), float(match[2])


def _only(query: QueryDict, version: Version) -> list[str]:
    asked = [name for name in dict.fromkeys(query.getlist("only")) if name]
    for name in asked:
        if name not in ONLY:
            sources.documents(version, _file(name))
    return asked


def _file(text: str) -> int:
    """The position of a file: "file:7" -> 7."""
    if not _FILE.fullmatch(text):
        raise Invalid(
            "only", f"“only” in the address must be {', '.join(ONLY)}, or a file such as file:7; got “{text[:50]}”."
        )
    return int(text[5:])


def _joined(query: QueryDict) -> str:
    """Two fields of a form as `has`."""
    topic, least = query.get("with", "").strip(), query.get("least", "").strip().removesuffix("%").strip()
    if not topic:
        return ""
    match = _TOPIC.fullmatch(topic)
    if not match:
        raise Invalid("with", f"A topic is given by its number, such as T07; got “{topic[:50]}”.")
    if least and not _PERCENT.fullmatch(least):
        raise Invalid("least", f"How much of a topic must be a percentage from 0 to 100, got “{least[:50]}”.")
    return f"{match[1]}:{least or 0}"


def _typed(category: ValueField, text: str) -> tuple[str, str]:
    """A value of a category as one types it."""
    if text in category.values:
        return category.name, text
    for value in category.values:
        if value.casefold() == text.casefold():
            return category.name, value
    raise Invalid(
        "in",
        f"“{text[:80]}” is no value of “{category.name}”. Its most frequent ones: {', '.join(category.values[:8])}.",
    )


def _value(text: str, version: Version) -> tuple[str, str]:
    for category in fields.categories(version):  # a name may have a colon in it
        if text.startswith(category.name + ":") and text[len(category.name) + 1 :] in category.values:
            return category.name, text[len(category.name) + 1 :]
    names = ", ".join(f"“{c.name}”" for c in fields.categories(version)) or "none"
    raise Invalid(
        "in",
        f"“in” in the address must be a category and one of its values, such as party:Democratic, got “{text[:80]}”. Categories here: {names}.",
    )


def own(query: QueryDict) -> list[tuple[str, str]]:
    """Of an address's parameters those of the page itself: neither a set, nor a place in a list, which is another in another set."""
    return [
        (name, value)
        for name, values in query.lists()
        if name not in (*NAMES, *PLACES) and not name.startswith(("in:", "low:", "high:"))
        for value in values
        if value
    ]
