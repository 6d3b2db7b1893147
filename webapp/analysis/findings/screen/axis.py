"""The time along which lines of changes and words stand."""

from dataclasses import dataclass

from webapp.analysis.findings import sentences
from webapp.analysis.findings.shapes import OverviewPage
from webapp.platform.drawing.curves import ticks


@dataclass(frozen=True)
class Tick:
    """place: of 100."""

    place: float
    text: str


@dataclass(frozen=True)
class Axis:
    """Years with fractions."""

    first: float
    last: float

    def place(self, year: float) -> float:
        """0 to 1."""
        return min(1.0, max(0.0, (year - self.first) / max(self.last - self.first, 1e-9)))

    @property
    def ticks(self) -> list[Tick]:
        """Round years with their places, in percent of the axis."""
        years = ticks(self.first + 1e-6, self.last - 1e-6, 6)
        return [Tick(round(100 * self.place(year), 2), str(year)) for year in years]


def axis_of(page: OverviewPage) -> Axis | None:
    """The time that lines of findings stand for; the last point of one may stand for less time than
    the others."""
    if not page.ends:
        return None
    return Axis(*sentences.years_of_span(*page.ends))
