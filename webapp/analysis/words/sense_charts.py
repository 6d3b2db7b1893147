"""Where the bars and parts of the senses of a word are drawn (templates/run/_shift.html,
_strip.html)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django import template

from webapp.analysis.words.shapes import ChartedTopic, PartOfTokens, Shift, ShiftBin
from webapp.platform.drawing.numbers import count, percent
from webapp.platform.drawing.pictures import Anchor

register = template.Library()

BAR_GAP = 0.18  # of a bin's width, between two bars
TICKS = 6
BINS_WITH_WIDE_BARS = 10  # at most: their bars are as wide as a year's label, on a phone too


@dataclass(frozen=True)
class Drawn:
    """x, width: lengths as SVG has them. lines: the address of the lines that are counted. says:
    the same in words."""

    x: str
    width: str
    lines: str
    says: str


@dataclass(frozen=True)
class SenseBar(Drawn):
    y: str
    height: str
    thin: bool


@dataclass(frozen=True)
class SensePart(Drawn):
    hue: int
    shade: int
    number: int


@register.filter
def along(share: float) -> str:
    """A share as a length of the whole."""
    return f"{100 * share:.3f}%"


@register.simple_tag
def bars(shift: Shift, index: int, height: int) -> list[SenseBar]:
    """The bars of one sense, a bin each, against the tallest of all senses."""
    return _bars(shift, [bin.cells[index] for bin in shift.bins], height)


@register.simple_tag
def unsure_bars(shift: Shift, height: int) -> list[SenseBar]:
    """The bars of the occurrences of which the model is not sure."""
    return _bars(shift, [bin.unsure for bin in shift.bins], height)


def _bars(shift: Shift, cells: Sequence[PartOfTokens], height: int) -> list[SenseBar]:
    """cells: one of each bin."""
    step = 1 / max(1, len(shift.bins))

    drawn = []
    for i, (bin, cell) in enumerate(zip(shift.bins, cells, strict=True)):
        if not cell.tokens:
            continue
        part = min(1.0, cell.share / shift.tallest)
        height_of_bar = max(1.0, part * (height - 1))
        sense_bar = SenseBar(
            x=along(i * step),
            width=along(step * (1 - BAR_GAP)),
            lines=cell.lines,
            says=says(bin, cell),
            y=f"{height - 1 - height_of_bar:.1f}",
            height=f"{height_of_bar:.1f}",
            thin=bin.thin,
        )
        drawn.append(sense_bar)
    return drawn


@register.simple_tag
def parts(bin: ShiftBin, senses: Sequence[ChartedTopic]) -> list[SensePart]:
    """A bin's strip: a part for each sense. The last cell is the rest, and stays empty."""
    starts = accumulate((cell.share for cell in bin.cells), initial=0.0)
    return [
        SensePart(
            x=along(start),
            width=along(cell.share),
            lines=cell.lines,
            says=f"{sense.with_label}, {says(bin, cell)}",
            hue=sense.hue,
            shade=sense.shade,
            number=sense.number,
        )
        for cell, sense, start in zip(bin.cells, senses, starts, strict=False)
        if cell.tokens
    ]


def says(bin: ShiftBin, cell: PartOfTokens) -> str:
    """What a reader is told of a part of a bar: "1990: 12 of 40, 30%"."""
    remark = " (few)" if bin.thin else ""
    return (
        f"{bin.label}: {count(cell.tokens)} of {count(bin.tokens)}, {percent(cell.share)}{remark}"
    )


@dataclass(frozen=True)
class SenseTick:
    """x: a length as SVG has it. anchor: which end of the label is there, or its middle."""

    x: str
    anchor: Anchor
    label: str


@register.simple_tag
def ticks(shift: Shift) -> list[SenseTick]:
    """Labels of some bins, the first and the last among them, each below the middle of its bar.
    Where bars are narrow, the first begins and the last ends with its own: the middle of a label
    would be too near to the edge."""
    bins = len(shift.bins)
    step = 1 / max(1, bins)
    bar_width = step * (1 - BAR_GAP)
    tick_count = min(TICKS, bins)
    drawn = []
    for i in range(tick_count):
        bin = round(i * (bins - 1) / max(1, tick_count - 1))
        left = bin * step
        x = left + bar_width / 2
        anchor: Anchor = "middle"
        if bins > BINS_WITH_WIDE_BARS and bin == 0:
            x = left
            anchor = "start"
        elif bins > BINS_WITH_WIDE_BARS and bin == bins - 1:
            x = left + bar_width
            anchor = "end"
        drawn.append(SenseTick(x=along(x), anchor=anchor, label=shift.bins[bin].label))
    return drawn
