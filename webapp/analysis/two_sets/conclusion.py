"""What is concluded of two sets of documents in a sentence, and what a notebook keeps of them."""

from collections.abc import Sequence
from typing import NamedTuple

from inference.answers import LEAST_UNITS
from webapp.analysis.answers.cautions import FEW_UNITS
from webapp.analysis.findings import sentence_thresholds
from webapp.analysis.two_sets.compared_sets import ALL_OTHERS
from webapp.analysis.two_sets.printed import print_topics
from webapp.analysis.two_sets.shapes import (
    BriefDifference,
    Compared,
    Comparison,
    TopicDifference,
)
from webapp.core.documents import unit_words
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import TENTH, percent
from webapp.platform.drawing.tables import (
    DIFFERENCE_COLUMNS,
    ROWS,
    Cell,
    KeptTable,
    cells_of_points,
    cells_of_shares,
)
from webapp.platform.drawing.trends import points

NOTHING_HELD = [None, None]  # of both sides no share is compared that is not the counted one
BRACKET = " ("  # before the share that is compared, in a cell
LONGEST_TITLE = 150  # characters
CLEARLY_ROUNDED = 0.45  # of the last digit: 5.25 may be rounded either way
NO_DIFFERENCE = "No topic’s share clearly differs between the two."
MAY_BE_CHANCE = " The differences in the table may be chance."
TOO_FEW = "Only {number} {units} {have} texts {where}, too few to say anything about others."
LARGEST_MAY_BE_CHANCE = "The largest difference in these texts may be chance: "
LITTLE = "No topic’s share differs much between the two: "
NONE_CLEARLY_LARGER = "No topic is clearly larger here."
NONE_MUCH_LARGER = "No topic is clearly larger here, and in these texts none is much larger."
INTERVAL_INCLUDES_NONE = (
    " The interval of the difference, {low} to {high} points, includes no difference."
)
FEW_HAVE_IT = " Too few documents have it to say more."
HELD_IN_BRACKETS = " In brackets: the share that is compared, {held}."
WHY_CHANCE = (
    " The {units} of each side ({first:,} and {second:,}) differ so much among themselves that"
    " chance alone could produce it."
)


def clearest_difference(page: Comparison) -> TopicDifference | None:
    """The topic whose interval is farthest from no difference, on whichever side it has more; None
    where no topic differs by more than chance."""
    differing = [row for rows_of_side in print_topics(page).more for row in rows_of_side]
    return max(differing, key=_distance_from_none, default=None)


def _distance_from_none(row: TopicDifference) -> float:
    return min(abs(row.difference_low), abs(row.difference_high))


def conclude(page: Comparison) -> list[str | TopicLink]:
    """The first sentences of the page, a topic in them as a link; [] where nothing is compared."""
    if not isinstance(page, Compared):
        return []
    row = None if page.caution else clearest_difference(page)
    if row is None:
        return _conclude_nothing(page)
    first, second = _say_sides(page, row)
    low = points(row.difference_low)
    high = points(row.difference_high)
    subject = "The difference" if row.held_share == NOTHING_HELD else "So compared, the difference"
    return [
        row,
        f" differs most clearly: {first.share} of the words ({first.side}),"
        f" {second.share} ({second.side}). {subject} is"
        f" {points(row.difference)} points (interval {low} to {high}).",
    ]


class SaidSide(NamedTuple):
    """share: as counted in these texts; side: its name, and the share that is compared where that
    is clearly another."""

    share: str
    side: str


def _say_sides(page: Compared, row: TopicDifference) -> list[SaidSide]:
    names = [side.name for side in page.sides]
    if row.held_share == NOTHING_HELD:
        counted_shares = [share for share in row.counted_share if share is not None]
        shares = write_shares(counted_shares, row.difference)
        return [SaidSide(*side) for side in zip(shares, names, strict=True)]
    said: list[SaidSide] = []
    for name, counted, held in zip(names, row.counted_share, row.held_share, strict=True):
        side = name
        if held is not None:
            side = f"{name}; {percent(held)} {say_what_is_held(page.same_speakers, names[0])}"
        said.append(SaidSide(percent(counted), side))
    return said


def say_what_is_held(same_speakers: str, first_name: str) -> str:
    """Of which texts a share is that was not counted: "in texts of the same presidents".
    same_speakers: as Compared has it; first_name: of the set at whose times the other's share is
    expected, where it is time that is held constant."""
    if same_speakers:
        return f"in texts of {unit_words.same_values(same_speakers)}"
    return f"expected at the times of {first_name}"


def write_shares(shares: Sequence[float], difference: float) -> list[str]:
    """Two shares in percent, with as many decimals as let a reader who subtracts them find the
    difference that is written beside them: 5.26% and 0.05% for 5.2 points."""
    usual = [percent(share) for share in shares]
    if _give_difference(usual, difference):
        return usual
    digits = 2 if abs(difference) < TENTH else 1
    return [f"{100 * share:.{digits}f}%" for share in shares]


def _give_difference(texts: list[str], difference: float) -> bool:
    """Whether shares as they are written, subtracted, give the difference as it is written."""
    first, second = map(_read_percent, texts)
    written = points(abs(difference))
    _, _, decimals = written.partition(".")
    distance = abs(abs(second - first) - float(written))
    return distance < CLEARLY_ROUNDED * 10.0 ** -len(decimals)


def _read_percent(text: str) -> float:
    """A share as it is written, in percent; 0 for less than what is written."""
    return 0.0 if text.startswith("<") else float(text.removesuffix("%"))


def _conclude_nothing(page: Compared) -> list[str | TopicLink]:
    """Why nothing can be concluded of the two, and what their texts say most differently."""
    fewest = min(page.units)
    can_say_nothing = bool(page.caution) and fewest >= LEAST_UNITS
    if can_say_nothing or not fewest:
        return [page.caution or NO_DIFFERENCE, *_in_these_texts(page, " In these texts ")]
    if fewest < FEW_UNITS:
        return [_too_few(page), *_in_these_texts(page, " In these texts ")]
    if page.largest is None:
        return [NO_DIFFERENCE]
    if not _is_much(page.largest.share):
        return _in_these_texts(page, LITTLE)
    first, second = page.units
    why = WHY_CHANCE.format(units=_units_of(page), first=first, second=second)
    return [*_in_these_texts(page, LARGEST_MAY_BE_CHANCE), why]


def _is_much(shares: Sequence[float]) -> bool:
    """Whether two counted shares differ so much that it has to be said, be it chance or not."""
    is_large = sentence_thresholds.is_large(*shares)
    return is_large and max(shares) >= sentence_thresholds.LEAST_SHARE


def conclude_without_larger(page: Comparison, side: int) -> list[str | TopicLink]:
    """What is said of a side, 0 or 1, on which no topic is clearly larger: that one is much larger
    in these texts, and why that may be chance; or that none is."""
    if not isinstance(page, Compared):
        return []
    row = _largest_unsure(page, side)
    if row is None:
        return [NONE_MUCH_LARGER]
    here, other = page.sides[side], page.sides[1 - side]
    counted = row.counted_share
    return [
        f"{NONE_CLEARLY_LARGER} {LARGEST_MAY_BE_CHANCE}",
        row,
        f" has {percent(counted[side])} of the words of {here.name},"
        f" {percent(counted[1 - side])} of those of {other.name}.",
        _why_unsure(page, row),
    ]


def _largest_unsure(page: Compared, side: int) -> BriefDifference | None:
    """Of the topics whose difference may be chance the one of which the texts of a side have most
    more; None where none has much more there."""
    by_excess: list[tuple[float, BriefDifference]] = []
    for row in print_topics(page).unsure:
        here, other = row.counted_share[side], row.counted_share[1 - side]
        if here is not None and other is not None and here > other and _is_much((here, other)):
            by_excess.append((here - other, row))
    if not by_excess:
        return None
    _, row = max(by_excess, key=lambda item: item[0])
    return row


def _why_unsure(page: Compared, row: BriefDifference) -> str:
    """Why the difference of a topic can't be said of other texts."""
    if min(page.units) < FEW_UNITS:
        return f" {_too_few(page)}"
    if row.difference_low is None or row.difference_high is None:
        return FEW_HAVE_IT
    low = points(row.difference_low)
    high = points(row.difference_high)
    return INTERVAL_INCLUDES_NONE.format(low=low, high=high)


def _too_few(page: Compared) -> str:
    """Who wrote too few of the texts of a side: of the first where both have as few."""
    fewest = min(page.units)
    name = page.sides[page.units.index(fewest)].name
    where = f"among {name}" if name == ALL_OTHERS else f"in {name}"
    number = f"{fewest:,}"
    have = "have"
    if fewest == 1:
        number = "one of the"
        have = "has"
    return TOO_FEW.format(number=number, units=_units_of(page), have=have, where=where)


def _units_of(page: Compared) -> str:
    """What is independent, in words: more than one."""
    return unit_words.values_of(page.unit.column) if page.unit.column else "documents"


def _in_these_texts(page: Compared, beginning: str) -> list[str | TopicLink]:
    """The topic whose counted shares differ most, with both shares; [] where there is none."""
    if page.largest is None:
        return []
    first, second = page.sides
    of_first, of_second = map(percent, page.largest.share)
    return [
        beginning,
        page.largest,
        f" has {of_first} of the words of {first.name}, {of_second} of those of {second.name}.",
    ]


def pin_comparison(page: Comparison) -> PinnedChart:
    """The sentence, and each topic that differs with its shares and its difference; where none
    does, the topics whose difference may be chance, as that none is larger is a finding, too."""
    title = " compared with ".join(side.name for side in page.sides)[:LONGEST_TITLE]
    sentence = "".join(
        part if isinstance(part, str) else part.with_label for part in conclude(page)
    )
    printed = print_topics(page)
    rows = [_cells(row) for rows_of_side in printed.more for row in rows_of_side]
    if not rows and isinstance(page, Compared) and not page.caution:
        rows = [_cells(row) for row in printed.unsure[:ROWS] if row.difference is not None]
        sentence += MAY_BE_CHANCE if rows else ""
    if not rows:
        return PinnedChart(title, sentence, None)
    if isinstance(page, Compared) and any(
        BRACKET in str(cell) for row in rows for cell in row[1:3]
    ):
        sentence += HELD_IN_BRACKETS.format(
            held=say_what_is_held(page.same_speakers, page.sides[0].name)
        )
    columns: list[Cell] = ["topic", *(side.name for side in page.sides), *DIFFERENCE_COLUMNS]
    level = page.level if isinstance(page, Compared) and not page.caution else None
    return PinnedChart(title, sentence, KeptTable(columns=columns, rows=rows), level)


def _cells_of_sides(row: TopicDifference | BriefDifference) -> list[Cell]:
    """The counted shares, each with the one that is compared where that is clearly another."""
    cells: list[Cell] = []
    counted = cells_of_shares(row.counted_share, percent)
    for text, held in zip(counted, row.held_share, strict=True):
        cells.append(text if held is None else f"{text}{BRACKET}{percent(held)})")
    return cells


def _cells(row: TopicDifference | BriefDifference) -> list[Cell]:
    """Of a topic: its name, its shares, and their difference with its interval."""
    return [
        row.with_label,
        *_cells_of_sides(row),
        *cells_of_points(row.difference, row.difference_low, row.difference_high),
    ]
