"""The page of a word's senses, made from what webapp.analysis.words.senses counts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from inference.errors import number_of
from inference.senses import SenseUses
from inference.text.spelling import fold_apostrophes
from webapp.analysis.words import concordance, frequency, queries, senses
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
    TopicOfWord,
    WordHeader,
    WordRow,
)
from webapp.core.documents.selection import RunSelection
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results import links
from webapp.core.results.links import TopicLink
from webapp.core.results.view import RunView
from webapp.models import Word
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import KeptTable, kept_table
from webapp.platform.typed_text import as_counted, as_in_texts

SAMPLES = 3  # lines of each sense beside all others
MUCH_FOLDED = 0.1  # of a word: if its folded senses hold more, they are open
UNSURE = 0.8  # certainty below which a sense says how certain it is
RELATED = 8  # words that begin as this one


def header(word: Word, typed: str = "") -> WordHeader:
    """What pages of a word say first: how often it occurs in all documents, and its direction.
    typed: what somebody asked for."""
    return WordHeader(
        word.word,
        word.tokens,
        word.documents,
        concordance.direction(word.word),
        typed=other_writing(word, typed),
    )


def other_writing(word: Word, typed: str) -> str:
    """What somebody asked for, where it is another form or writing of the word; "" otherwise."""
    asked_for = as_counted(as_in_texts(typed))
    return "" if asked_for == fold_apostrophes(word.word) else asked_for


def word_rows(view: RunView, words: list[queries.WordCount]) -> list[WordRow]:
    """Words with links to their pages."""
    return [WordRow(**vars(row), url=view.go("run_word", row.word)) for row in words]


def topic_rows(
    selection: RunSelection, uses: SenseUses, named_tallies: list[Tally], rare_tallies: list[Tally]
) -> tuple[list[Sense], list[OtherTopic]]:
    """The senses of a word and other topics of it, with their names, colours and links."""
    view = selection.view
    words = senses.names(view, uses, named_tallies, rare_tallies)
    linked = [links.topic_link(view, tally.topic) for tally in named_tallies]
    starts = accumulate((tally.share for tally in named_tallies), initial=0.0)
    shades = senses.shades([link.hue for link in linked])
    clear = [
        Sense(
            **vars(_topic_of_word(selection, tally, link)),
            start=start,
            shade=shade,
            words=words[tally.topic],
        )
        for link, tally, start, shade in zip(linked, named_tallies, starts, shades, strict=False)
    ]
    rare = [
        OtherTopic(
            **vars(_topic_of_word(selection, tally, links.topic_link(view, tally.topic))),
            words=words[tally.topic],
        )
        for tally in rare_tallies
    ]
    return clear, rare


def _topic_of_word(selection: RunSelection, tally: Tally, link: TopicLink) -> TopicOfWord:
    return TopicOfWord(
        **vars(link),
        tokens=tally.tokens,
        share=tally.share,
        lines=selection.address(topic=tally.topic),
        documents=tally.documents,
        certainty=tally.certainty,
    )


def senses_page(
    selection: RunSelection, word: Word, by: str, topics_apart: bool, typed: str = ""
) -> tuple[SensesPage, Callable[[], SensesHtml]]:
    """The page of a word in a set of documents. by: what its chart is by. topics_apart: the chart
    shows other topics one by one. typed: what somebody asked for."""
    view = selection.view
    run = selection.run
    uses = senses.uses(view, word, selection)
    senses_named, other_topics = senses.tallied(uses)
    clear, rare = topic_rows(selection, uses, senses_named, other_topics[: senses.TOPICS_LISTED])
    charted = _charted_topics(selection, clear, rare[: senses.TOPICS_APART] if topics_apart else [])
    mix = senses.mix(run, uses, [topic.number for topic in charted], by)
    has_places = concordance.has_places(run)
    rows: list[Sense | SampledSense] = list(clear)
    if has_places:
        samples = concordance.samples(selection, uses, [row.number for row in clear], SAMPLES)
        rows = [SampledSense(**vars(row), samples=samples[row.number]) for row in clear]
    beginning_alike, _ = queries.matching(run.version, word.word, limit=RELATED + 1)
    related = [row for row in beginning_alike if row.word != word.word]
    page = SensesPage(
        word=header(word, typed),
        documents_chosen=selection.sentence,
        senses=rows,
        rare=rare,
        rare_count=len(other_topics),
        tokens=sum(tally.tokens for tally in (*senses_named, *other_topics)),
        documents=uses.in_documents,
        all=selection.address(topic="all"),
        rest=sum(tally.tokens for tally in other_topics),
        related=word_rows(view, related),
        shift=_chart_shift(mix, charted, selection) if mix else None,
        has_places=has_places,
    )
    course = partial(frequency.say_frequency, word.word, mix, selection)
    return page, partial(_html, page, charted, senses_named, other_topics, course)


def _html(
    page: SensesPage,
    charted: list[ChartedTopic],
    named_tallies: list[Tally],
    rare_tallies: list[Tally],
    say_course: Callable[[], str],
) -> SensesHtml:
    """What the template needs beside the page. say_course: says how frequent the word became."""
    is_doubtful = bool(named_tallies) and (
        page.tokens < senses.THIN_TOKENS or not named_tallies[0].clear
    )
    others_in_chart = len(charted) - len(named_tallies)
    return SensesHtml(
        pinned=_pin_senses(page, charted),
        doubtful=is_doubtful,
        much_rare=page.rest > MUCH_FOLDED * page.tokens,
        unsure={
            row.number: concordance.certainty_word(row.certainty)
            for row in page.senses
            if row.certainty < UNSURE
        },
        groups=_groups(page.rare, rare_tallies),
        charted=charted,
        course=say_course(),
        uncharted=len(rare_tallies) - others_in_chart,
        others_charted=min(len(rare_tallies), senses.TOPICS_APART),
    )


def _pin_senses(page: SensesPage, charted: list[ChartedTopic]) -> PinnedChart:
    table = _table(page.shift, charted) if page.shift else None
    return PinnedChart(f"“{page.word.word}”: its senses", _sentence(page), table)


def _sentence(page: SensesPage) -> str:
    """The senses in a sentence."""
    shares = "; ".join(f"{row.with_label} {percent(row.share)}" for row in page.senses)
    among = f" in {page.documents_chosen}" if page.documents_chosen else ""
    return f"{number_of(page.tokens, 'occurrence')}{among}: {shares}." if shares else ""


def _table(shift: Shift, charted: list[ChartedTopic]) -> KeptTable | None:
    """The shares of the senses by period or value, as a notebook keeps them; None where there are
    none."""
    if not shift.bins:
        return None
    columns = [*(topic.with_label for topic in charted), "others"]
    if shift.unsure:
        columns.append("not sure")
    labels = [bin.label for bin in shift.bins]
    rows = [_shares(bin, with_unsure=bool(shift.unsure)) for bin in shift.bins]
    return kept_table(shift.by, labels, columns, rows)


def _shares(bin: ShiftBin, with_unsure: bool) -> list[float | None]:
    """None where the word does not occur."""
    cells = [*bin.cells, bin.unsure] if with_unsure else bin.cells
    return [cell.share if bin.tokens else None for cell in cells]


def _groups(rare: list[OtherTopic], rare_tallies: list[Tally]) -> list[TopicGroup]:
    """The topics that are no senses by why they are none: those of which the model is unsure, and
    the small ones."""
    unsure = [tally for tally in rare_tallies if tally.certainty < senses.LIKELY]
    small = [tally for tally in rare_tallies if tally.certainty >= senses.LIKELY]
    groups = []
    if unsure:
        groups.append(_group("unsure", unsure, rare))
    if small:
        groups.append(_group("small", small, rare))
    return groups


def _group(why: str, tallies: list[Tally], rare: list[OtherTopic]) -> TopicGroup:
    row_of_topic = {row.number: row for row in rare}
    rows = [row_of_topic[tally.topic] for tally in tallies if tally.topic in row_of_topic]
    return TopicGroup(
        why=why,
        topics=rows,
        more=len(tallies) - len(rows),
        tokens=sum(tally.tokens for tally in tallies),
        share=sum(tally.share for tally in tallies),
    )


def _charted_topics(
    selection: RunSelection, clear: list[Sense], rare_topics: Sequence[OtherTopic]
) -> list[ChartedTopic]:
    """The topics that the chart of a word shows one by one: its senses, and some others; those of
    one family in shades of its colour."""
    senses_listed: list[Sense | OtherTopic] = [*clear, *rare_topics]
    rows = [
        ChartedTopic(
            **vars(replace(links.topic_link(selection.view, row.number), hue=row.hue)),
            certainty=row.certainty,
            shade=row.shade if isinstance(row, Sense) else 0,
            words=row.words,
            other=not isinstance(row, Sense),
        )
        for row in senses_listed
    ]
    if not rare_topics:
        return rows
    shades = senses.shades([row.hue for row in rows])
    return [replace(row, shade=shade) for row, shade in zip(rows, shades, strict=True)]


def _chart_shift(mix: Mix, charted: list[ChartedTopic], selection: RunSelection) -> Shift:
    """Counts by bin, with the addresses of the lines that are counted."""
    numbers = [topic.number for topic in charted]
    return Shift(
        by=mix.groups.by,
        in_time=mix.groups.in_time,
        offered=mix.offered,
        topics=numbers,
        bins=[
            _shift_bin(bin, selection.within(mix.groups, bin.group), numbers) for bin in mix.bins
        ],
        tallest=mix.tallest,
        left_out=mix.left_out,
        outside=mix.outside,
        unsure=sum(bin.unsure for bin in mix.bins),
    )


def _shift_bin(bin: senses.Bin, documents: RunSelection, numbers: list[int]) -> ShiftBin:
    """documents: of the bin. numbers: topics of its cells; the last cell is of all others, and has
    no lines of its own."""
    lines = [*(documents.address(topic=k, certainty="sure") for k in numbers), ""]
    unsure_lines = documents.address(topic="all", certainty="unsure")
    return ShiftBin(
        label=bin.label,
        tokens=bin.tokens,
        thin=bin.thin,
        lines=documents.address(topic="all"),
        cells=list(map(PartOfTokens, bin.counts, bin.shares, lines)),
        unsure=PartOfTokens(bin.unsure, bin.unsure_share, unsure_lines),
    )
