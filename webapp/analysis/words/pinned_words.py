"""What a notebook keeps of a word's lines, of a pattern and of two words side by side: what was counted
in sentences, the numbers as a table, and the first lines as passages."""

from inference.errors import number_of
from webapp.analysis.words import senses
from webapp.analysis.words.concordance import Line
from webapp.analysis.words.shapes import (
    ComparedWords,
    LinesPage,
    ListedLines,
    PatternGroup,
    PatternPage,
    TellingWord,
)
from webapp.core.documents.facets import RATE_WORDS
from webapp.core.notebooks.sent_passages import SentPassage, write_passages
from webapp.core.notebooks.shapes import PinnedChart
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import (
    ROWS,
    TOO_MANY_PERIODS,
    Cell,
    KeptTable,
    cells_of_shares,
    has_too_many_rows,
)

GROUPS = 12  # of a pattern, as many as its page has
TELLING_WORDS = 10  # of each of two words
CERTAINTIES = {
    "sure": f"at least {senses.LIKELY:.0%} certain",
    "unsure": f"less than {senses.LIKELY:.0%} certain",
}
DIGITS = 7  # behind the point of a share: a pattern may be one word of a million


def pin_lines(page: LinesPage) -> PinnedChart:
    """The lines of a word: how many there are, and the first ones."""
    word = page.word.word
    title = f"Lines with “{word}”"
    if page.shown is not None:
        title = f"{title}, {page.shown.with_label}"
    times = number_of(page.total + page.kept_back, "line")
    # Where the corpus has no places of words there are no lines to count
    sentence = f"{times} with “{word}”{_in_documents(page)}." if page.has_places else ""
    if page.shown is not None:
        sentence = (
            f"“{word}” is assigned to {page.shown.with_label} in {times}{_in_documents(page)}."
        )
    if page.certainty:
        title = f"{title}, {CERTAINTIES[page.certainty]}"
        sentence = (
            f"{sentence} Counted are those that are {CERTAINTIES[page.certainty]} of their topic."
        )
    return PinnedChart(title, sentence, None, passages=_passages(page))


def pin_pattern(page: PatternPage) -> PinnedChart:
    """How often a pattern occurs, by time and by group, and its first lines."""
    assigned = f", assigned to {page.topic.with_label}" if page.topic is not None else ""
    counts = f"{number_of(page.hits, 'time')} in {number_of(page.documents, 'document')}"
    sentences = [f"“{page.pattern}” occurs {counts}{assigned}{_in_documents(page)}."]
    if page.groups:
        by = "topic" if page.by == "run-topic" else page.by
        groups = "; ".join(_group(group) for group in page.groups[:GROUPS])
        sentences.append(f"By {by}: {groups}.")
    if has_too_many_rows(page.years or ()):
        sentences.append(TOO_MANY_PERIODS.format(periods=len(page.years)))
    return PinnedChart(
        f"Lines with “{page.pattern}”",
        "\n".join(sentences),
        _hits_by_time(page),
        passages=_passages(page),
    )


def _group(group: PatternGroup) -> str:
    return (
        f"{group.label}, {number_of(group.hits, 'time')} ({group.rate:.2f} in {RATE_WORDS:,} words)"
    )


def _hits_by_time(page: PatternPage) -> KeptTable | None:
    """How often the pattern occurs, for each word of the documents; None where that is not known,
    or of too many periods to be kept."""
    if not page.years or has_too_many_rows(page.years):
        return None
    highest = page.most_often / RATE_WORDS
    rows: list[list[Cell]] = []
    for period in page.years:
        rows.append([period.label, round(period.part * highest, DIGITS)])
    return KeptTable(columns=["time", f"“{page.pattern}”, uses per word"], rows=rows)


def _in_documents(page: ListedLines) -> str:
    return f" in {page.documents_chosen}" if page.documents_chosen else ""


def _passages(page: ListedLines) -> str:
    """Of a corpus under embargo none: each would be counted as read again."""
    return "" if page.embargo else write_passages(map(_passage, page.lines))


def _passage(line: Line) -> SentPassage:
    return SentPassage(line.document, f"{line.before}{line.word}{line.after}")


def pin_words(page: ComparedWords) -> PinnedChart:
    """Two words: how much their senses overlap, the share of each sense, and the words that tell
    them apart."""
    first, second = (link.word for link in page.words)
    comparison = page.comparison
    documents_with_both = number_of(comparison.together, "document")
    have = "has" if comparison.together == 1 else "have"
    overlap = f"The senses of “{first}” and “{second}” overlap by {percent(comparison.overlap)}"
    sentences = [f"{overlap}, and {documents_with_both} {have} both."]
    for word, telling_words in zip((first, second), comparison.apart, strict=True):
        if telling_words:
            written = "; ".join(map(_telling_word, telling_words[:TELLING_WORDS]))
            sentences.append(f"More often with “{word}” than with the other word: {written}.")
    rows: list[list[Cell]] = []
    for sense in comparison.senses[:ROWS]:
        cells: list[Cell] = [sense.with_label]
        for side in sense.sides:
            cells += [*cells_of_shares([side.share], percent), side.tokens]
        rows.append(cells)
    return PinnedChart(
        f"“{first}” and “{second}”",
        "\n".join(sentences),
        KeptTable(
            columns=["topic", first, f"{first}, times", second, f"{second}, times"], rows=rows
        ),
    )


def _telling_word(word: TellingWord) -> str:
    return f"{word.word} ({percent(word.share)} of the documents, {percent(word.elsewhere)})"
