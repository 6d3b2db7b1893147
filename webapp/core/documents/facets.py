"""The set that a page shows, in words, the form that chooses another, and what the set is made up
of."""

from datetime import date
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.documents import count
from webapp.core.documents import document_days, fields, sums
from webapp.core.documents.conditions import HasTopic, Value, day_limits, ranges
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.documents.shapes import (
    Bar,
    ChosenCondition,
    ChosenSet,
    Facet,
    Facets,
    FacetValue,
    OfferedCategory,
    OfferedValue,
    ProminentTopic,
    SetForm,
)
from webapp.core.results import links, topics
from webapp.core.results.view import RunView
from webapp.intake.metadata import ValueField
from webapp.intake.metadata.groups import first_day
from webapp.platform.pages.run_links import is_condition
from webapp.platform.storage.cache import BoundedCache

PLACES = ("after", "before", "at")  # where a page of a list begins
VALUES = 8  # of a category of many values that are offered to tick, the most frequent
FEW_VALUES = 24  # up to which a category's values are all offered to tick: the list is read at once
# values that are proposed while one types, and topics that a list holds: above, a number is typed
VALUES_OFFERED = 200
TOPICS = 8  # that are named as larger in a set than elsewhere
LEAST_PERCENT = 10  # per cent of a document: what "with this topic" asks for
BARS = 60  # of the histogram of dates: each is wide enough to be hit
# Months of a bar: one, or whole years
STEPS = (1, 12, 24, 60, 120, 240, 600, 1200, 2400, 12_000)
RATE_WORDS = 10_000  # words in which it is told how often something occurs
CATEGORIES = 12  # a table may have 64 columns
_tallies = BoundedCache(8 << 20)  # what was counted of sets


def own_parameters(query: QueryDict) -> list[tuple[str, str]]:
    """The parameters of an address that are the page's own: neither a condition, nor a place in a
    list, which differs from selection to selection."""
    return [
        (name, value)
        for name, values in query.lists()
        if name not in PLACES and not is_condition(name)
        for value in values
        if value
    ]


def chosen_set(selection: Selection, query: QueryDict) -> ChosenSet:
    """query: of the page, whose own parameters stay."""
    parameters = own_parameters(query)
    conditions = []
    for condition in selection.conditions:
        without = [pair for pair in selection.parameters if pair != condition.parameter]
        sentence = condition.sentence(selection.all_documents)
        conditions.append(ChosenCondition(sentence, _address(parameters + without)))
    return ChosenSet(
        name=selection.name,
        conditions=conditions,
        all=_address(parameters),
        count=selection.count,
        of=selection.version.documents,
    )


def form(selection: Selection, query: QueryDict) -> SetForm:
    """The form of a set of documents, with what it offers."""
    parameters = own_parameters(query)
    version = selection.version
    run = selection.run
    view = selection.view
    return SetForm(
        **vars(chosen_set(selection, query)),
        own=parameters,
        others=[p for p in parameters + selection.parameters if p[0] != "q"],
        q=selection.q,
        first=selection.first,
        last=selection.last,
        has_topics=bool(selection.topics),
        dated=document_days.first_and_last(version),
        categories=[_category(selection, category) for category in _offered_categories(selection)],
        ranges=ranges.offered_ranges(version, selection.between),
        unseen=_unseen(selection),
        counted=bool(run and run.final),
        topics=titles(view)
        if view and view.run.snapshot_id and len(view.topics) <= VALUES_OFFERED
        else [],
    )


def _unseen(selection: Selection) -> list[tuple[str, str]]:
    """The conditions that the form has in no field, and passes on: of two ranges of a field, it
    shows the first."""
    unseen = []
    shown_ranges = set[str]()
    for condition in selection.conditions:
        if isinstance(condition, ranges.Range) and condition.name not in shown_ranges:
            shown_ranges.add(condition.name)
        elif isinstance(condition, ranges.Range) or not condition.IN_FORM:
            unseen.append(condition.parameter)
    return unseen


def _address(parameters: list[tuple[str, str]]) -> str:
    return "?" + urlencode(parameters)


def _offered_categories(selection: Selection) -> list[ValueField]:
    """The first ones, and others of which a value is chosen: the form would take that off."""
    categories = fields.categories(selection.version)
    chosen_names = {name for name, _ in selection.values}
    behind = [field for field in categories[CATEGORIES:] if field.name in chosen_names]
    return [*categories[:CATEGORIES], *behind]


def _category(selection: Selection, category: ValueField) -> OfferedCategory:
    """Its most frequent values, those that are chosen already, and what may be typed."""
    ticked_values = {value for name, value in selection.values if name == category.name}
    is_short = len(category.values) <= FEW_VALUES
    offered = []
    values_counted = zip(category.values, category.documents, strict=True)
    for rank, (value, documents) in enumerate(values_counted):
        is_ticked = value in ticked_values
        if is_short or rank < VALUES or is_ticked:
            _, address = Value(category.name, value).parameter
            offered.append(OfferedValue(value, address, documents, is_ticked))
    unlisted = len(category.values) - len(offered)
    proposed = list(category.values[VALUES:VALUES_OFFERED]) if unlisted else []
    return OfferedCategory(category.name, offered, unlisted, proposed)


def titles(view: RunView) -> list[tuple[int, str]]:
    """Each topic with its name and first words, hidden ones left out."""
    labels = view.labels
    words = topics.first_words(view, 3)
    return [
        (k, f"{labels.title(k)}: {' '.join(words[k])}") for k in view.topics if labels.is_visible(k)
    ]


def counts(selection: Selection) -> Facets:
    """How the set is made up, each part with the address that narrows the set to it, or takes that
    back."""
    categories = [
        _count_values(selection, category)
        for category in fields.categories(selection.version)[:CATEGORIES]
    ]
    prominent: list[ProminentTopic] = []
    if isinstance(selection, RunSelection) and selection.run.final:
        prominent = _prominent(selection)
    with_values = [category for category in categories if category.values]
    return Facets(with_values, bars(selection), prominent)


def _count_values(selection: Selection, category: ValueField) -> Facet:
    """A category's values as they would be counted without a choice among them, most frequent
    first."""
    documents = _of_values(selection.elsewhere(category.name), category)
    chosen_values = {value for name, value in selection.values if name == category.name}
    values = []
    unlisted = 0
    for rank, code in enumerate(np.argsort(-documents, kind="stable").tolist()):
        value = category.values[code]
        is_chosen = value in chosen_values
        if is_chosen or (rank < VALUES and documents[code]):
            values.append(_value(selection, category.name, value, int(documents[code]), is_chosen))
        elif documents[code]:
            unlisted += 1
    return Facet(category.name, values, unlisted)


def _of_values(selection: Selection, category: ValueField) -> np.ndarray:
    """int64: documents of the set with each value."""

    def make() -> np.ndarray:
        _, codes = fields.codes(selection.version, category.name)
        if not selection.has_conditions:
            return np.array(category.documents, np.int64)
        numbers = None
        if selection.is_only_days:
            numbers = day_limits.of_few_days(selection.version, *selection.day_range)
        if numbers is None:
            numbers = selection.numbers
        return count(codes[numbers], len(category.values))

    return _tallies.get_or_set((selection.key, category.name), make)


def _value(
    selection: Selection, name: str, value: str, documents: int, is_chosen: bool
) -> FacetValue:
    condition = Value(name, value).parameter
    address = (
        selection.address(without=condition)
        if is_chosen
        else _address([*selection.parameters, condition])
    )
    return FacetValue(value, documents, is_chosen, address)


def _prominent(selection: RunSelection) -> list[ProminentTopic]:
    """Topics by what their larger share adds to the divergence of the set from the corpus, share
    log(share / share of all)."""
    view = selection.view
    labels = view.labels
    chosen_tokens = sums.of_selection(selection).topic_tokens[0]
    all_tokens = sums.of_all(view).topic_tokens[0]
    share = chosen_tokens / max(chosen_tokens.sum(), 1)
    usual = all_tokens / max(all_tokens.sum(), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = share * np.log(share / usual) if selection.has_conditions else share
    by_gain = np.argsort(-np.nan_to_num(gain), kind="stable").tolist()
    gaining = [k for k in by_gain if gain[k] > 0 and not labels.is_hidden(k)]
    order = gaining[:TOPICS]
    words = topics.top_words(view, order, 4)
    return [
        ProminentTopic(
            **vars(links.topic_link(view, k)),
            share=float(share[k]),
            usual=float(usual[k]),
            words=words[k],
            narrow=_address([*selection.parameters, HasTopic(k, LEAST_PERCENT).parameter]),
        )
        for k in order
    ]


def bars(selection: Selection) -> list[Bar]:
    """Documents of the set by time, in at most BARS equal periods."""
    days = _of_days(selection)
    periods = _bar_periods(selection, days)
    if periods is None:
        return []
    documents = periods.add_up(days.counts)
    parts = documents / max(int(documents.max()), 1)
    return _draw_bars(selection, periods, documents, parts, [])


class _CountsOfDays(NamedTuple):
    """first: a day, as an ordinal. counts: int64[n], of it and each later day up to the last that
    has any; empty where no document has a date."""

    first: int
    counts: np.ndarray


class _BarPeriods(NamedTuple):
    """The periods that bars stand for. months: the first of each, from the year 0 on; step: how
    many months each has. edges: int64[n + 1], where each begins and the last one ends, in days from
    the first counted day on."""

    months: list[int]
    step: int
    edges: np.ndarray

    def add_up(self, counts_of_days: np.ndarray) -> np.ndarray:
        """int64[n]: of each period."""
        before_day = np.concatenate([[0], np.cumsum(counts_of_days)])
        return np.diff(before_day[np.clip(self.edges, 0, len(counts_of_days))])


def _bar_periods(selection: Selection, days: _CountsOfDays) -> _BarPeriods | None:
    """At most BARS, of equally many months, that have all of some days; None where documents have
    no dates."""
    if not document_days.first_and_last(selection.version) or not len(days.counts):
        return None
    first = date.fromordinal(days.first)
    last = date.fromordinal(days.first + len(days.counts) - 1)
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    step = next(step for step in STEPS if -(-months // step) < BARS)
    begin = 12 * first.year + (first.month - 1 if step == 1 else 0)
    begin -= begin % step
    first_months = list(range(begin, 12 * last.year + last.month, step))
    ordinals = [first_day(month) for month in [*first_months, first_months[-1] + step]]
    return _BarPeriods(first_months, step, np.array(ordinals) - days.first)


def _draw_bars(
    selection: Selection,
    periods: _BarPeriods,
    counts: np.ndarray,
    parts: np.ndarray,
    page_parameters: list[tuple[str, str]],
) -> list[Bar]:
    """counts, parts: what each bar says, and its height as a part of the highest. page_parameters:
    parameters of the page that stay in the links of bars."""
    parameters = [
        *page_parameters,
        *(p for p in selection.parameters if p[0] not in ("from", "to")),
    ]
    drawn = []
    for month, count_of_bar, part in zip(
        periods.months, counts.tolist(), parts.tolist(), strict=True
    ):
        first_text, last_text = _span_text(month, periods.step)
        drawn.append(
            Bar(
                label=first_text if first_text == last_text else f"{first_text}–{last_text}",
                documents=count_of_bar,
                part=part,
                url=_address([*parameters, ("from", first_text), ("to", last_text)]),
            )
        )
    return drawn


def _span_text(month: int, step: int) -> tuple[str, str]:
    """The first and the last month or year of a bar, as addresses have them. month: its first,
    from the year 0 on; step: its months."""
    year = month // 12
    if step == 1:
        text = f"{year:04d}-{month % 12 + 1:02d}"
        return text, text
    return f"{max(1, year):04d}", f"{(month + step) // 12 - 1:04d}"


def rates(
    selection: Selection,
    documents: np.ndarray,
    counts: np.ndarray,
    lengths: np.ndarray,
    page_parameters: list[tuple[str, str]],
    among: Selection,
) -> tuple[list[Bar], float]:
    """How often what some documents have occurs by time: the height of a bar by the words of all
    the set's documents of that time, its count as `Bar.documents`; and how often in RATE_WORDS
    words where it is most. counts: of each of the documents. lengths: int32[D], words. among: the
    set of whose time the bars are, which has all of these documents."""
    days = _of_days(among)
    periods = _bar_periods(selection, days)
    if periods is None:
        return [], 0.0
    day_of_document = document_days.read_days(selection.version)

    def by_time(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        dated = day_of_document[numbers] > 0
        since = day_of_document[numbers][dated] - days.first
        of_days = np.bincount(since, weights[dated], len(days.counts)).astype(np.int64)
        return periods.add_up(of_days)

    numbers = selection.numbers
    if numbers is None:
        numbers = np.arange(len(day_of_document))
    uses = by_time(documents, counts)
    words = by_time(numbers, lengths[numbers])
    rates_of_bars = RATE_WORDS * uses / np.maximum(words, 1)
    highest = float(rates_of_bars.max())
    parts = rates_of_bars / (highest or 1)
    return _draw_bars(selection, periods, uses, parts, page_parameters), highest


def _of_days(selection: Selection) -> _CountsOfDays:
    """The days with documents of the set, and how many each has."""

    def make() -> _CountsOfDays:
        if selection.is_only_days:
            return _CountsOfDays(
                *document_days.count_by_day(selection.version, *selection.day_range)
            )
        days = document_days.read_days(selection.version)[selection.numbers]
        days = days[days > 0]
        if not len(days):
            return _CountsOfDays(0, np.zeros(0, np.int64))
        least = int(days.min())
        last_day = int(days.max())
        return _CountsOfDays(least, count(days - least, last_day - least + 1))

    return _tallies.get_or_set((selection.key, "days"), make)
