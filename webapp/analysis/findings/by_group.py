"""What is particular to a group of documents: values of a category, the lower and the upper third
of a number. Each is a question that webapp.analysis.answers answers for every page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from inference.answers import Answers
from inference.findings import sums
from webapp.analysis.answers import asked, groups
from webapp.analysis.answers.asked import AnsweredField
from webapp.analysis.answers.groups import FieldGroups
from webapp.analysis.findings import keywords, over_time
from webapp.analysis.findings.finding import ShareInterval
from webapp.analysis.findings.keywords import finite, stored
from webapp.analysis.findings.kinds import Keywords, Mark, NoDifference
from webapp.core.documents import fields
from webapp.intake.metadata import Number

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

# categories, and fields of numbers, that are looked at
FIELDS = 6
NUMBERS = 4
LEAST_RATIO = 1.5
LEAST_SHARE = 0.005
LEAST_WORDS = 20  # of a topic on the side that has more
LEAST_HOLDING = 8  # documents that have it there
# of a topic's words, that one group may have where it is said that another has less
ONE_GROUP = 0.5


def particular(context: Context) -> list[Mark | Keywords | NoDifference]:
    """Topics that a group has more of than all others, and for each field without any how large the
    differences are."""
    rows: list[Mark | Keywords | NoDifference] = []
    answered = [asked.of_field(context.selection, field) for field in _fields(context)]
    same = _told_elsewhere([answered_field.field for answered_field in answered])
    for answered_field in answered:
        told_elsewhere = same[answered_field.field.name]
        marks = _marked(context, answered_field, told_elsewhere)
        words = keywords.findings(context, answered_field.field, told_elsewhere)
        rows += marks
        rows += words
        if not marks and not words:
            rows += _none(context, answered_field)
    return rows


def _fields(context: Context) -> list[FieldGroups]:
    """Those with two groups of enough documents; the first of them are named."""
    selection = context.selection
    version = context.run.version
    fields_answered = [
        groups.of_category(selection, category) for category in fields.categories(version)[:FIELDS]
    ]
    numbers = [field for field in fields.ranges(version) if isinstance(field, Number)]
    for number in numbers[:NUMBERS]:
        thirds = groups.of_number(selection, number)
        if thirds is not None:
            fields_answered.append(thirds)
    return [field for field in fields_answered if len(field.named) and _groups_present(field) > 1]


def _groups_present(field: FieldGroups) -> int:
    return len(np.unique(field.group[field.group >= 0]))


def _told_elsewhere(listed: list[FieldGroups]) -> dict[str, set[int]]:
    """Of each field the groups that have the documents of another field's: those of an author of
    one novel are told as the novel's, of the field with more values."""
    seen = set[bytes]()
    same = dict[str, set[int]]()
    for field in sorted(listed, key=lambda field: -len(field.labels)):
        same[field.name] = set()
        for value_code in field.named.tolist():
            documents = np.packbits(field.group == value_code).tobytes()
            if documents in seen:
                same[field.name].add(value_code)
            seen.add(documents)
    return same


def _marked(context: Context, one: AnsweredField, told_elsewhere: set[int]) -> list[Mark]:
    counted = context.sums(sums.by_group(one.field.group, one.field.groups), one.field.groups)
    rows = list[Mark]()
    for place, found in one.found.items():
        if place in told_elsewhere:
            continue
        for column in np.flatnonzero(found.accepted).tolist():
            row = _mark(context, one, place, found, column, counted)
            if row is not None:
                rows.append(row)
    return rows


def _mark(
    context: Context,
    one: AnsweredField,
    place: int,
    found: Answers,
    column: int,
    counted: sums.Sums,
) -> Mark | None:
    """An accepted difference as it is stored; None where it is too small to be told, where a unit
    alone makes it, or no word of the topic moves so."""
    topic = one.topics[column]
    here = float(found.a[column])
    rest = float(found.b[column])
    more = here > rest
    field = one.field
    if not context.subjects[topic] or not worth_telling(found, column):
        return None
    inside = np.arange(field.groups) == place
    with_more = inside if more else ~inside
    if counted.x[with_more, topic].sum() < LEAST_WORDS:
        return None
    if counted.holding[with_more, topic].sum() < LEAST_HOLDING:
        return None
    in_groups = counted.x[:, topic] / max(counted.x[:, topic].sum(), 1)
    of_one_group = np.delete(in_groups, place).max() > ONE_GROUP
    if not more and field.groups > 3 and of_one_group:
        return None
    log_ratio = math.log(max(here, 1e-6) / max(rest, 1e-6))
    called = context.names.checked(topic, field.group, inside, ~inside, log_ratio)
    if called is None:
        return None
    size = abs(float(found.difference[column] / found.error[column]))
    part = float(counted.tokens[place] / counted.tokens.sum())
    information = over_time.information(here, rest, part)
    return Mark(
        field=field.name,
        value=field.labels[place],
        bounds=field.bounds[place] if field.bounds else None,
        score=math.sqrt(information) * size / (size + 3),
        estimate=finite(found.ratio[column]),
        low=finite(found.ratio_low[column]),
        high=finite(found.ratio_high[column]),
        topic=topic,
        above_all=called,
        more=more,
        here=share_between(found, column),
        rest=rest,
        answer=stored(found, column, one.unit),
    )


def share_between(found: Answers, column: int) -> ShareInterval:
    """The share of side A, and the ends of its interval."""
    low, high = found.ends(0)
    return float(found.a[column]), float(low[column]), float(high[column])


def worth_telling(found: Answers, column: int) -> bool:
    """Whether an accepted difference is large enough for a sentence, with and without the unit that
    has most of it."""
    here = float(found.a[column])
    rest = float(found.b[column])
    if found.verdict_of(column) or max(here, rest) < LEAST_SHARE:
        return False
    if max(here, rest) < LEAST_RATIO * min(here, rest):
        return False
    without = float(found.ratio_without[column])
    return (without if here > rest else 1 / max(without, 1e-300)) >= LEAST_RATIO


def _none(context: Context, one: AnsweredField) -> list[NoDifference]:
    """That no difference of a field's groups is told, and the largest that may be chance."""
    best: tuple[float, int, int] | None = None
    accepted = 0
    for place, found in one.found.items():
        accepted += int(found.accepted.sum())
        apart = np.abs(np.nan_to_num(found.difference))
        apart = np.where(found.accepted | ~context.subjects[one.topics], 0.0, apart)
        column = int(apart.argmax())
        if best is None or apart[column] > best[0]:
            best = float(apart[column]), place, column
    if best is None:
        return []
    largest, place, column = best
    few = all(found.verdict == "few units" for found in one.found.values())
    finding = NoDifference(
        field=one.field.name,
        value=one.field.labels[place],
        score=0.0,
        estimate=largest,
        low=0.0,
        high=largest,
        largest=one.topics[column],
        unit=one.unit.field.name if one.unit.field else "",
        accepted=accepted,
        few=few,
    )
    return [finding]
