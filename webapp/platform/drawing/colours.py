"""Colours of one chart: topics that stand in it together never share one, while there are
enough."""

from collections.abc import Sequence

from webapp.platform.drawing.numbers import HUES


def distinct(hues: Sequence[int], chosen: Sequence[bool] = ()) -> list[int]:
    """A colour for each topic of a chart, which depends on these topics alone: its own where no
    earlier one has that, else the next that is free. With more topics than colours each colour is
    given again as rarely as can be.

    hues: the topics' own colours, in the chart's order. chosen: which of them readers chose; these
    come first.
    """
    first = [i for i, mine in enumerate(chosen) if mine]
    given: dict[int, int] = {}
    times = [0] * HUES
    for i in [*first, *(i for i in range(len(hues)) if i not in set(first))]:
        least = min(times)
        given[i] = next(h for step in range(HUES) if times[h := (hues[i] + step) % HUES] == least)
        times[given[i]] += 1
    return [given[i] for i in range(len(hues))]
