"""Columns of blocks with bands between them: what a training with few topics shares out among one
with more. Drawn on the server as SVG; it needs no script."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import text_width
from webapp.platform.drawing.directions import isolated

# All lengths are pixels
WIDTH = 960
HEAD = 26  # above the blocks: the heading of each column
BLOCK = 10  # width of a block
TEXT = 196  # beside the outer columns, for names
LEAST_BLOCK_HEIGHT = 15  # height of a block: a line of text
BLOCK_GAP = 3  # between two blocks
FAMILY_GAP = 10  # between two of which the first ends a group
SCALE = 900  # height of a block that has all words
SIZE = 12.0  # of a name
ELLIPSIS = "…"
LEFTS = (TEXT, (WIDTH - BLOCK) / 2, WIDTH - TEXT - BLOCK)  # of the columns
# Of their headings: each stands over the blocks and their names
HEADINGS = ((TEXT + BLOCK, "end"), (WIDTH / 2, "middle"), (WIDTH - TEXT - BLOCK, "start"))
HEADING_LINE = 14  # from the top
TEXT_GAP = 5  # between a block and its name
NO_SHARE = 1e-12  # what is divided by instead of 0


@dataclass(frozen=True)
class Block:
    """A topic. share: of all words. url: of its page, or where the text below says more of it. hue:
    its colour's number. muted: drawn in a paler tone. ends_group: a wider gap follows. tooltip: for
    who points at it."""

    name: str
    tooltip: str
    url: str
    hue: int
    share: float
    muted: bool = False
    ends_group: bool = False


@dataclass(frozen=True)
class BlockBand:
    """What two blocks of neighbouring columns have in common. left, right: their places in their
    columns; share: of all words. hue: its colour's number."""

    left: int
    right: int
    share: float
    hue: int
    tooltip: str


@dataclass(frozen=True)
class Column:
    """heading: above its blocks, which stand in their order."""

    heading: str
    blocks: Sequence[Block]


@dataclass
class _Placed:
    """A block that is drawn. left: of it; used_left, used_right: height that bands took on either
    side."""

    block: Block
    left: float
    y: float
    height: float
    used_left: float = 0.0
    used_right: float = 0.0

    @property
    def middle(self) -> float:
        """Its height in the picture."""
        return self.y + self.height / 2


def draw(columns: Sequence[Column], bands: Sequence[Sequence[BlockBand]], label: str) -> SafeString:
    """Three columns, and the bands between the first two and between the last two, in the order of
    their blocks. label: of the picture, for who does not see it."""
    stacks = [_stack(column, left) for column, left in zip(columns, LEFTS, strict=True)]
    for number in reversed(range(len(bands))):
        _move_to(stacks[number], stacks[number + 1], bands[number])
    lowest = max(item.y + item.height for stack in stacks for item in stack)
    parts = []
    for number, between in enumerate(bands):
        for band in between:
            parts.append(_band(stacks[number][band.left], stacks[number + 1][band.right], band))
    for number, column in enumerate(columns):
        parts.append(_heading(number, column.heading))
        parts += [_block(item, is_first=number == 0) for item in stacks[number]]
    return mark_safe(
        f'<svg class="few-to-many" viewBox="0 0 {WIDTH} {lowest + BLOCK_GAP:.0f}" role="group"'
        f' aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _stack(column: Column, left: float) -> list[_Placed]:
    """Blocks one below the other."""
    y = float(HEAD)
    stack = []
    for block in column.blocks:
        height = max(LEAST_BLOCK_HEIGHT, SCALE * block.share)
        stack.append(_Placed(block, left, y, height))
        y += height + (FAMILY_GAP if block.ends_group else BLOCK_GAP)
    return stack


def _move_to(
    stack: list[_Placed], next_stack: Sequence[_Placed], bands: Sequence[BlockBand]
) -> None:
    """Move blocks down to the middle of those that their bands lead to, in their order."""
    middles: dict[int, list[float]] = {}
    for band in bands:
        middles.setdefault(band.left, []).append(next_stack[band.right].middle)
    lowest = float(HEAD)
    for row, item in enumerate(stack):
        ends = middles.get(row)
        if ends:
            centre = (min(ends) + max(ends)) / 2
            lowest = max(lowest, centre - item.height / 2)
        item.y = lowest
        lowest += item.height + BLOCK_GAP


def _band(start: _Placed, end: _Placed, band: BlockBand) -> str:
    """Its height at either end is its part of the block there."""
    height = start.height * _part_of(band, start.block)
    height_at_end = end.height * _part_of(band, end.block)
    top = start.y + start.used_right
    top_at_end = end.y + end.used_left
    start.used_right += height
    end.used_left += height_at_end
    x = start.left + BLOCK
    upper = f"M{x:.0f} {top:.1f}{_bend(x, top, end.left, top_at_end)}"
    bottom = top + height
    bottom_at_end = top_at_end + height_at_end
    lower = f"V{bottom_at_end:.1f}{_bend(end.left, bottom_at_end, x, bottom)}Z"
    title = f"<title>{escape(band.tooltip)}</title>"
    return f'<path class="band t{band.hue}" d="{upper}{lower}">{title}</path>'


def _bend(x: float, y: float, end_x: float, end_y: float) -> str:
    """A curve that begins and ends level."""
    middle = f"{(x + end_x) / 2:.0f}"
    controls = f"{middle} {y:.1f} {middle} {end_y:.1f}"
    return f"C{controls} {end_x:.0f} {end_y:.1f}"


def _part_of(band: BlockBand, block: Block) -> float:
    return min(1.0, band.share / max(block.share, NO_SHARE))


def _heading(number: int, text: str) -> str:
    x, anchor = HEADINGS[number]
    return (
        f'<text class="column-head" x="{x:.0f}" y="{HEADING_LINE}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def _block(item: _Placed, is_first: bool) -> str:
    """A block with its name: to the left in the first column, else to the right."""
    block = item.block
    x = item.left - TEXT_GAP if is_first else item.left + BLOCK + TEXT_GAP
    anchor = "end" if is_first else "start"
    tone = " muted" if block.muted else ""
    corner = f'x="{item.left:.0f}" y="{item.y:.1f}"'
    rectangle = f'<rect {corner} width="{BLOCK}" height="{item.height:.1f}"/>'
    name = escape(isolated(_fitting(block.name)))
    text = f'<text x="{x:.0f}" y="{item.middle:.1f}" text-anchor="{anchor}">{name}</text>'
    title = f"<title>{escape(block.tooltip)}</title>"
    opening = f'<a href="{escape(block.url)}" class="block t{block.hue}{tone}">'
    return f"{opening}{rectangle}{text}{title}</a>"


def _fitting(name: str) -> str:
    """As much of a name as has room, by whole words where that is possible."""
    room = TEXT - 2 * TEXT_GAP
    if text_width(name, SIZE) <= room:
        return name
    words = name.split(" ")
    while len(words) > 1 and text_width(" ".join(words) + ELLIPSIS, SIZE) > room:
        words.pop()
    shorter = " ".join(words).rstrip(" ·&")
    while len(shorter) > 1 and text_width(shorter + ELLIPSIS, SIZE) > room:
        shorter = shorter[:-1]
    return shorter + ELLIPSIS
