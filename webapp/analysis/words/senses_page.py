"""The page of a word's senses, made from what webapp.analysis.words.senses counts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from inference.senses import Uses
from webapp.analysis.words import concordance, queries, senses
from webapp.analysis.words.senses import Mix, Tally
from webapp.analysis.words.shapes import (
    ChartedTopic,
    OtherTopic,
    PartOfTokens,
    SampledSense,
    Sense,
    SensesHtml,
    SensesPage,
    Shift,
    ShiftBin,
    TopicGroup,
    WordHeader,
    WordRow,
)
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.models import Word
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import json_text, kept_table

SAMPLES = 3  # lines of each sense beside all others
MUCH = 0.1  # of a word: if its folded senses hold more, they are open
UNSURE = 0.8  # certainty below which a sense says how certain it is


def header(word: Word) -> WordHeader:
    return WordHeader(word.word, word.tokens, word.documents, concordance.direction(word.word))


def word_rows(view: RunView, words: list[queries.WordCount]) -> list[WordRow]:
    return [WordRow(**vars(row), url=view.go("run_word", row.word)) for row in words]


def topic_rows(
    selection: RunSelection, uses: Uses, named: list[Tally], others: list[Tally]
) -> tuple[list[Sense], list[OtherTopic]]:
    """The senses of a word and other topics of it, with their names, colours and links."""
    view, words = selection.view, senses.names(selection.view, uses, named, others)
    linked = [links.topic_link(view, tally.topic) for tally in named]
    starts = accumulate((tally.share for tally in named), initial=0.0)
    shades = senses.shades([link.hue for link in linked])
    clear = [
        Sense(
            **vars(link) | _counts(selection, tally),
            start=start,
            shade=shade,
            words=words[tally.topic],
        )
        for link, tally, start, shade in zip(linked, named, starts, shades, strict=False)
    ]
    return clear, [
        OtherTopic(
            **vars(links.topic_link(view, tally.topic)) | _counts(selection, tally),
            words=words[tally.topic],
        )
        for tally in others
    ]


def _counts(selection: RunSelection, tally: Tally) -> dict:
    """The fields of a TopicOfWord beyond those of a link."""
    counts = {name: value for name, value in vars(tally).items() if name != "topic"}
    return counts | {"lines": selection.address(topic=tally.topic)}


def senses_page(
    selection: RunSelection, word: Word, by: str, apart: bool
) -> tuple[SensesPage, Callable[[], SensesHtml]]:
    """The page of a word in a set of documents. by: what its chart is by. apart: the chart shows
    other topics one by one."""
    view, run = selection.view, selection.run
    uses = senses.uses(view, word, selection)
    named, others = senses.tallied(uses)
    clear, rare = topic_rows(selection, uses, named, others[: senses.LISTED])
    charted = _charted(selection, clear, rare[: senses.APART] if apart else [])
    mix = senses.mix(run, uses, [topic.number for topic in charted], by)
    has_places = concordance.has_places(run)
    rows: list[Sense | SampledSense] = [*clear]
    if has_places:
        samples = concordance.samples(selection, uses, [row.number for row in clear], SAMPLES)
        rows = [SampledSense(**vars(row), samples=samples[row.number]) for row in clear]
    related, _ = queries.matching(run.version, word.word, limit=9)  # this word is among them
    page = SensesPage(
        word=header(word),
        documents_chosen=selection.sentence,
        senses=rows,
        rare=rare,
        rare_count=len(others),
        tokens=sum(tally.tokens for tally in (*named, *others)),
        documents=uses.in_documents,
        all=selection.address(topic="all"),
        rest=sum(tally.tokens for tally in others),
        related=word_rows(view, [row for row in related if row.word != word.word]),
        shift=_shift(mix, charted, selection) if mix else None,
        has_places=has_places,
    )
    # What the template needs beside the page
    return page, lambda: SensesHtml(
        pinned=_sentence(page),
        table=_table(page.shift, charted) if page.shift else "",
        doubtful=bool(named) and (page.tokens < senses.THIN or not named[0].clear),
        much_rare=page.rest > MUCH * page.tokens,
        unsure={
            row.number: concordance.sure(row.certainty)
            for row in page.senses
            if row.certainty < UNSURE
        },
        groups=_groups(page.rare, others),
        charted=charted,
        uncharted=len(others) - (len(charted) - len(named)),
        others_charted=min(len(others), senses.APART),
    )


def _column_name(topic: Sense | ChartedTopic) -> str:
    return f"{topic.label} {topic.called}"


def _sentence(page: SensesPage) -> str:
    """What a notebook keeps of the page: the senses in a sentence."""
    shares = "; ".join(f"{_column_name(row)} {percent(row.share)}" for row in page.senses)
    among = f" in {page.documents_chosen}" if page.documents_chosen else ""
    return f"{page.tokens:,} occurrences{among}: {shares}." if shares else ""


def _table(shift: Shift, charted: list[ChartedTopic]) -> str:
    """The shares of the senses by period or value, as a notebook keeps them; "" where there are
    none."""
    if not shift.bins:
        return ""
    shares = [[cell.share if bin.tokens else None for cell in bin.cells] for bin in shift.bins]
    columns = [*map(_column_name, charted), "others"]
    return json_text(kept_table(shift.by, [bin.label for bin in shift.bins], columns, shares))


def _groups(rare: list[OtherTopic], others: list[Tally]) -> list[TopicGroup]:
    """The topics that are no senses by why they are none: those of which the model is unsure, and
    the small ones."""
    listed = {row.number: row for row in rare}
    unsure = [tally for tally in others if tally.certainty < senses.LIKELY]
    small = [tally for tally in others if tally.certainty >= senses.LIKELY]
    return [
        TopicGroup(
            why=why,
            topics=[listed[tally.topic] for tally in tallies if tally.topic in listed],
            more=sum(tally.topic not in listed for tally in tallies),
            tokens=sum(tally.tokens for tally in tallies),
            share=sum(tally.share for tally in tallies),
        )
        for why, tallies in (("unsure", unsure), ("small", small))
        if tallies
    ]


def _charted(
    selection: RunSelection, clear: list[Sense], others: Sequence[OtherTopic]
) -> list[ChartedTopic]:
    """The topics that the chart of a word shows one by one: its senses, and some others; those of
    one family in shades of its colour."""
    listed: list[Sense | OtherTopic] = [*clear, *others]
    rows = [
        ChartedTopic(
            **vars(links.topic_link(selection.view, row.number)) | {"hue": row.hue},
            certainty=row.certainty,
            shade=row.shade if isinstance(row, Sense) else 0,
            words=row.words,
            other=not isinstance(row, Sense),
        )
        for row in listed
    ]
    if not others:
        return rows
    shades = senses.shades([row.hue for row in rows])
    return [replace(row, shade=shade) for row, shade in zip(rows, shades, strict=True)]


def _shift(mix: Mix, charted: list[ChartedTopic], selection: RunSelection) -> Shift:
    """Counts by bin, with the addresses of the lines that are counted."""
    numbers = [topic.number for topic in charted]
    return Shift(
        by=mix.groups.by,
        in_time=mix.groups.in_time,
        offered=mix.offered,
        topics=numbers,
        bins=[
            ShiftBin(
                label=bin.label,
                tokens=bin.tokens,
                thin=bin.thin,
                lines=chosen.address(topic="all"),
                cells=[
                    *map(
                        PartOfTokens,
                        bin.counts,
                        bin.shares,
                        [*(chosen.address(topic=k) for k in numbers), ""],
                    )
                ],
            )
            for bin, chosen in ((bin, selection.within(mix.groups, bin.group)) for bin in mix.bins)
        ],
        tallest=mix.tallest,
        left_out=mix.left_out,
        outside=mix.outside,
    )
