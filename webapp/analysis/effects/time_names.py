"""Names of two sets that a time alone divides, as the findings of the overview say them: "until
September 2011" and "since October 2011"."""

from datetime import date

import numpy as np
from django.http import QueryDict

from webapp.analysis.findings.sentences import FROM_TO, SINCE, UNTIL, period
from webapp.analysis.two_sets.compared_sets import CONDITIONS_OF_A_SIDE, Side
from webapp.core.documents import days, document_days
from webapp.core.documents.conditions import DayLimit
from webapp.core.documents.selection import RunSelection

NOT_OF_TIME = tuple(f"{name}_a" for name in CONDITIONS_OF_A_SIDE if name not in DayLimit.PARAMETERS)


def name_by_time(
    query: QueryDict, base: RunSelection, first: Side, second: Side
) -> tuple[Side, Side]:
    """Give both sides the names of their times where the second is all others and the first is
    chosen by its dates alone. Where documents have no date, the others keep their name: some of
    them are of no time."""
    is_by_time = second.complement and any(query.get(f"{end}_a") for end in ("from", "to"))
    if not is_by_time or any(query.get(name) for name in NOT_OF_TIME):
        return first, second
    begin = first.documents.first if first.documents.first != base.first else ""
    end = first.documents.last if first.documents.last != base.last else ""
    if begin and end:
        own_name = FROM_TO.format(first=period(begin), last=period(end))
        other_name = "before and after"
    elif begin:
        own_name = SINCE.format(first=period(begin))
        other_name = UNTIL.format(last=period(_day_beside(begin, -1)))
    elif end:
        own_name = UNTIL.format(last=period(end))
        other_name = SINCE.format(first=period(_day_beside(end, 1)))
    else:
        return first, second
    if _has_undated(base):
        other_name = second.name
    return first._replace(name=own_name), second._replace(name=other_name)


def _has_undated(base: RunSelection) -> bool:
    dates = document_days.read_days(base.version)
    if base.numbers is not None:
        dates = dates[base.numbers]
    return bool(np.any(dates <= 0))


def _day_beside(time: str, step: int) -> str:
    """The year, month or day before (step -1) or after (step 1) a time, as precise as it is."""
    day = date.fromordinal(days.ordinal(time, "from_a", last=step > 0) + step)
    parts = 1 if time.endswith("s") else time.count("-") + 1
    return "-".join(day.isoformat().split("-")[:parts])
