"""The picture of the page "How many topics?": three columns of topics, from few to many, with bands
for the words that they have in common."""

from webapp.analysis.how_many.shapes import (
    BetweenTopic,
    HowMany,
    HowManyHtml,
    Relative,
    ShortTopic,
)
from webapp.platform.drawing import few_to_many
from webapp.platform.drawing.colours import GENERAL
from webapp.platform.drawing.few_to_many import Block, BlockBand, Column
from webapp.platform.drawing.numbers import count, percent

PICTURE = (
    "Topics of three numbers of topics, and the words that they have in common; the table below"
    " says the same"
)
HEADING = "{topics} topics"
HEADING_OF_RUN = "This run, {topics} topics"
OF_WORDS = "{name}: {share} of the words"
NOT_FOUND_AGAIN = ", not found again with another seed"
IN_COMMON = "{part} of {topic} is in {relative}"


def draw(page: HowMany) -> HowManyHtml:
    """Topics that the page lists, with fewer, of the run, and with more."""
    parents = _parents(page.topics)
    parts = [(part, topic) for topic in page.topics for part in topic.listed_parts]
    smaller, equal, larger = (count(row.topics) for row in page.trained)
    drawn_columns = [
        Column(HEADING.format(topics=smaller), _parent_blocks(page.topics, parents)),
        Column(HEADING_OF_RUN.format(topics=equal), _own_blocks(page.topics)),
        Column(HEADING.format(topics=larger), _part_blocks(parts)),
    ]
    bands = [_bands_to_parents(page.topics, parents), _bands_to_parts(page.topics, parts)]
    return HowManyHtml(few_to_many.draw(drawn_columns, bands, PICTURE))


def _parents(topics: list[BetweenTopic]) -> list[ShortTopic]:
    """Topics with fewer, each once, in the order of the run's."""
    by_number: dict[int, ShortTopic] = {}
    for topic in topics:
        if topic.parent is not None:
            by_number.setdefault(topic.parent.topic.number, topic.parent.topic)
    return list(by_number.values())


def _parent_blocks(topics: list[BetweenTopic], parents: list[ShortTopic]) -> list[Block]:
    """Each in the colour of the first topic that is a part of it."""
    hues: dict[int, int] = {}
    for topic in topics:
        if topic.parent is not None:
            hues.setdefault(topic.parent.topic.number, topic.hue)
    return [_short_block(parent, hues[parent.number], "few") for parent in parents]


def _own_blocks(topics: list[BetweenTopic]) -> list[Block]:
    blocks = []
    for topic, following in zip(topics, [*topics[1:], None], strict=True):
        blocks.append(
            Block(
                name=topic.name,
                tooltip=OF_WORDS.format(name=topic.with_label, share=percent(topic.share)),
                url=topic.url,
                hue=topic.hue,
                share=topic.share,
                ends_group=following is None or _parent_number(following) != _parent_number(topic),
            )
        )
    return blocks


def _parent_number(topic: BetweenTopic) -> int | None:
    return None if topic.parent is None else topic.parent.topic.number


def _part_blocks(parts: list[tuple[Relative, BetweenTopic]]) -> list[Block]:
    owners = [topic.number for _, topic in parts]
    blocks = []
    for (part, topic), next_owner in zip(parts, [*owners[1:], None], strict=True):
        blocks.append(_short_block(part.topic, topic.hue, "many", next_owner != topic.number))
    return blocks


def _short_block(topic: ShortTopic, hue: int, column: str, ends_group: bool = False) -> Block:
    """Leads to where the table names it; grey where the other seed has it not."""
    tooltip = OF_WORDS.format(name=" · ".join(topic.words), share=percent(topic.share))
    if not topic.found_again:
        tooltip += NOT_FOUND_AGAIN
    return Block(
        name=topic.name,
        tooltip=tooltip,
        url=f"#{column}-{topic.number}",
        hue=hue if topic.found_again else GENERAL,
        share=topic.share,
        muted=not topic.found_again,
        ends_group=ends_group,
    )


def _bands_to_parents(topics: list[BetweenTopic], parents: list[ShortTopic]) -> list[BlockBand]:
    rows = {parent.number: row for row, parent in enumerate(parents)}
    bands = []
    for row, topic in enumerate(topics):
        if topic.parent is not None:
            parent_row = rows[topic.parent.topic.number]
            bands.append(_band(parent_row, row, topic, topic.parent))
    return bands


def _bands_to_parts(
    topics: list[BetweenTopic], parts: list[tuple[Relative, BetweenTopic]]
) -> list[BlockBand]:
    rows = {topic.number: row for row, topic in enumerate(topics)}
    return [_band(rows[topic.number], row, topic, part) for row, (part, topic) in enumerate(parts)]


def _band(left: int, right: int, topic: BetweenTopic, relative: Relative) -> BlockBand:
    part = percent(relative.part)
    tooltip = IN_COMMON.format(part=part, topic=topic.with_label, relative=relative.topic.name)
    return BlockBand(left, right, relative.part * topic.share, topic.hue, tooltip)
