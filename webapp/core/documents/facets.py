"""The set that a page shows, in words, the form that chooses another, and what the set is made up
of."""

from dataclasses import replace
from datetime import date
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.documents import count
from webapp.core.documents import document_days, fields, sums
from webapp.core.documents.conditions import TopicShare, Value, day_limits, ranges
from webapp.core.documents.selection import Selection
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
VALUES = 8  # of a category that are offered to tick, the most frequent; others are typed
# values that are proposed while one types, and topics that a list holds: above, a number is typed
VALUES_OFFERED = 200
TOPICS = 8  # that are named as larger in a set than elsewhere
LEAST_PERCENT = 10  # per cent of a document: what "with this topic" asks for
BARS = 60  # of the histogram of dates: each is wide enough to be hit
# Months of a bar: one, or whole years
STEPS = (1, 12, 24, 60, 120, 240, 600, 1200, 2400, 12_000)
PER = 10_000  # words to which what a text has is related
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
    offered = []
    values_counted = zip(category.values, category.documents, strict=True)
    for rank, (value, documents) in enumerate(values_counted):
        is_ticked = value in ticked_values
        if rank < VALUES or is_ticked:
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
    prominent = _prominent(selection) if selection.run and selection.run.final else []
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


def _prominent(selection: Selection) -> list[ProminentTopic]:
    """Topics by what their larger share adds to the divergence of the set from the corpus, share
    log(share / share of all)."""
    view = selection.run_view
    labels = selection.run_view.labels
    chosen_tokens = sums.of_selection(selection).tokens[0]
    all_tokens = sums.of_all(view).tokens[0]
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
            narrow=_address([*selection.parameters, TopicShare(k, LEAST_PERCENT).parameter]),
        )
        for k in order
    ]


def bars(
    selection: Selection,
    days: tuple[int, np.ndarray] | None = None,
    page_parameters: list[tuple[str, str]] | None = None,
) -> list[Bar]:
    """Documents of the set by time, in at most BARS equal periods. days: the first day, and how
    many each has from it on, of what else is counted. page_parameters: parameters of the page that
    stay in its links."""
    if not document_days.first_and_last(selection.version):
        return []
    least, tally = days or _of_days(selection)
    if not len(tally):
        return []
    first = date.fromordinal(least)
    last = date.fromordinal(least + len(tally) - 1)
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    step = next(step for step in STEPS if -(-months // step) < BARS)
    begin = 12 * first.year + (first.month - 1 if step == 1 else 0)
    begin -= begin % step
    edges = list(range(begin, 12 * last.year + last.month, step))
    ordinals = [first_day(month) for month in [*edges, edges[-1] + step]]
    tally = np.concatenate([[0], np.cumsum(tally)])
    tally = tally[np.clip(np.array(ordinals) - least, 0, len(tally) - 1)]
    parameters = [
        *(page_parameters or []),
        *(p for p in selection.parameters if p[0] not in ("from", "to")),
    ]
    tally = np.diff(tally)
    drawn = []
    for month, documents in zip(edges, tally.tolist(), strict=True):
        first_text, last_text = _span_text(month, step)
        drawn.append(
            Bar(
                label=first_text if first_text == last_text else f"{first_text}–{last_text}",
                documents=documents,
                part=documents / max(int(tally.max()), 1),
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
    """How often what some documents have occurs by time: its height by the words of all the set's
    documents of that time; and how often in PER words where it is most. lengths: int32[D], words.
    among: the set of whose time the bars are, which has all of these documents."""
    least, documents_of_days = _of_days(among)
    days = document_days.read_days(selection.version)

    def by_time(numbers: np.ndarray, weights: np.ndarray) -> list[Bar]:
        dated = days[numbers] > 0
        since = days[numbers][dated] - least
        tally = np.bincount(since, weights[dated], len(documents_of_days)).astype(np.int64)
        return bars(selection, (least, tally), page_parameters)

    numbers = np.arange(len(days)) if selection.numbers is None else selection.numbers
    bars_by_time = by_time(documents, counts)
    words = by_time(numbers, lengths[numbers])
    per = [
        PER * bar_of_time.documents / max(of_words.documents, 1)
        for bar_of_time, of_words in zip(bars_by_time, words, strict=True)
    ]
    highest = max(per, default=0.0)
    scaled = [
        replace(bar_of_time, part=rate / (highest or 1))
        for bar_of_time, rate in zip(bars_by_time, per, strict=True)
    ]
    return scaled, highest


def _of_days(selection: Selection) -> tuple[int, np.ndarray]:
    """(the first day with documents of the set, int64: documents of it and each later day)."""

    def make() -> tuple[int, np.ndarray]:
        if selection.is_only_days:
            return document_days.count_by_day(selection.version, *selection.day_range)
        days = document_days.read_days(selection.version)[selection.numbers]
        days = days[days > 0]
        if not len(days):
            return 0, np.zeros(0, np.int64)
        least = int(days.min())
        last_day = int(days.max())
        return least, count(days - least, last_day - least + 1)

    return _tallies.get_or_set((selection.key, "days"), make)
