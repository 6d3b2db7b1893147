"""The page of a topic's words through time: what webapp.analysis.topics.word_times found, in
sentences, with links."""

from typing import NamedTuple

from webapp.analysis.findings import sentences, time_sentences
from webapp.analysis.findings.ratios import TimesAsMuch, times_as_much
from webapp.analysis.findings.sentences import Plural
from webapp.analysis.findings.spans_and_groups import Span
from webapp.analysis.findings.stored_answers import finite
from webapp.analysis.time import shade_tables
from webapp.analysis.topics import word_times
from webapp.analysis.topics.shapes import (
    KindOfWords,
    WordInPeriod,
    WordKind,
    WordsPeriod,
    WordsThroughTime,
    WordsThroughTimeHtml,
    WordsWithoutTime,
    WordThroughTime,
)
from webapp.analysis.topics.topic import ShownTopic
from webapp.analysis.topics.word_times import Followed, WordChange
from webapp.core.documents import corpus_unit, unit_sentences
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.core.results.topics import TopicDetail
from webapp.core.runs.names import spelling
from webapp.platform.drawing.numbers import join_names
from webapp.platform.storage.csv_table import CsvTable

THIN_DOCUMENTS = 10  # documents with the topic: a period with fewer is marked
TITLES: dict[WordKind, str] = {
    "came": "Came, or became more",
    "went": "Went, or became less",
    "passed": "More for a time",
    "paused": "Less for a time",
    "stayed": "Stayed",
}
COUNTS: dict[WordKind, Plural] = {
    "came": Plural("{count} came or became more", "{count} came or became more"),
    "went": Plural("{count} went or became less", "{count} went or became less"),
    "passed": Plural(
        "{count} was more frequent for a time", "{count} were more frequent for a time"
    ),
    "paused": Plural(
        "{count} was less frequent for a time", "{count} were less frequent for a time"
    ),
    "stayed": Plural("{count} stayed", "{count} stayed"),
}
UNSURE = "of {count} nothing is sure"
NONE_SURE = "no change is sure"
RISING = "rising from {rest} of the topic’s words until {early} to {here} since {turn}"
FALLING = "falling from {rest} of the topic’s words until {early} to {here} since {turn}"
LAST_AND_FIRST_THIRD = "{here} of the topic’s words since {turn}, {rest} until {early}"
# What is said of a word, by the shape of its change and whether it has more
SENTENCES = {
    ("step", True): "{here} of the topic’s words since {first}, {rest} before",
    ("step", False): "{rest} of the topic’s words until {until}, {here} since",
    ("line", True): RISING,
    ("line", False): FALLING,
    ("window", True): "{here} of the topic’s words {span}, {rest} {outside}",
    ("window", False): "{here} of the topic’s words {span}, {rest} {outside}",
    ("", False): LAST_AND_FIRST_THIRD,
}
SINCE = "since {period}"
UNTIL = "until {period}"
MOSTLY_OF = "{sentence}, mostly from {value}"
COLUMNS = (  # of the file
    "corpus run selection unit unit_chosen_by level topic word kind first last until here rest times"
    " low high period_first period_last tokens tokens_of_topic documents_of_topic share share_low"
    " share_high times_here times_here_low times_here_high clear"
).split()


class _Words(NamedTuple):
    """What all words of a page share. spelled: their texts by their numbers."""

    selection: RunSelection
    topic: int
    followed: Followed
    spelled: dict[int, str]


def answer(topic: ShownTopic, asker: int | None) -> WordsThroughTime | WordsWithoutTime:
    """asker: the user who asks. Raises NotYet where a worker has to look first."""
    selection = topic.selection
    view = topic.view
    followed = word_times.followed(topic, asker)
    if followed is None:
        return WordsWithoutTime(topic.about, view.hidden_words.described(), topic.has_dates)
    csv = view.go("run_topic_times_csv", topic.number, asked=selection.address())
    return _page(selection, topic.about, followed, csv)


def _page(
    selection: RunSelection, about: TopicDetail, followed: Followed, csv: str
) -> WordsThroughTime:
    """csv: the address of the file."""
    view = selection.view
    tried_words = followed.tried_words
    spelled = spelling(view.run.version_id, [change.word for change in followed.changes])
    shared = _Words(selection, about.number, followed, spelled)
    hidden = view.hidden_words.numbers
    words = [
        _word(shared, row, change)
        for row, change in enumerate(followed.changes)
        if change.word not in hidden
    ]
    return WordsThroughTime(
        topic=about,
        drop=view.hidden_words.described(),
        periods=[_period(shared, column) for column in range(len(followed.ends))],
        words=sorted(words, key=_order),
        looked_at=tried_words.looked_at,
        frequent=tried_words.of_words,
        level=tried_words.level,
        rows=tried_words.rows,
        unit=unit_sentences.about(selection.version, corpus_unit.unit_of(selection.version)),
        held=tried_words.held_constant,
        in_order=tried_words.in_order,
        caution=tried_words.caution,
        csv=csv,
    )


def _order(word: WordThroughTime) -> tuple[int, str, float]:
    """By kind, then by when, then those with most tokens first."""
    kinds = [*TITLES, "unsure"]
    when = word.until if word.kind == "went" else word.first
    return kinds.index(word.kind), when, -word.tokens


def _period(shared: _Words, column: int) -> WordsPeriod:
    selection = shared.selection
    first, last = shared.followed.ends[column]
    within = selection.of_period(first, last).with_topic(shared.topic)
    return WordsPeriod(
        label=shared.followed.labels[column],
        first=first,
        last=last,
        tokens=int(shared.followed.of_topic[column]),
        documents=int(shared.followed.documents[column]),
        thin=int(shared.followed.documents[column]) < THIN_DOCUMENTS,
        url=links.documents_url(selection.run, within.address()),
    )


def _word(shared: _Words, row: int, change: WordChange) -> WordThroughTime:
    view = shared.selection.view
    text = shared.spelled[change.word]
    # Where one share is 0 the sentence says so, and "at least 1.1 times" would tell no more
    is_said = bool(change.estimate) and change.kind not in ("unsure", "stayed")
    times = TimesAsMuch()
    if is_said:
        times = times_as_much(change.estimate, change.low, change.high)
    shares = [_share(shared.followed, row, column) for column in range(len(shared.followed.ends))]
    all_along = time_sentences.is_all_along(shares, change.more)
    return WordThroughTime(
        word=text,
        url=view.go("run_word", text),
        kind=change.kind,
        sentence=_sentence(change, all_along),
        when=_say_when(change, all_along),
        times=times.times,
        interval=times.ends,
        here=change.here,
        rest=change.rest,
        estimate=change.estimate,
        low=change.low,
        high=change.high,
        first=change.first,
        last=change.last,
        until=change.until,
        whose=change.whose,
        tokens=int(shared.followed.tokens[row].sum()),
        lines=_lines(shared, text, shared.selection),
        cells=[_cell(shared, row, column, text) for column in range(len(shared.followed.ends))],
    )


def _lines(shared: _Words, word: str, selection: RunSelection) -> str:
    query = selection.address(topic=shared.topic)
    return shared.selection.view.go("run_word", word, asked=query)


def _cell(shared: _Words, row: int, column: int, word: str) -> WordInPeriod:
    followed = shared.followed
    first, last = followed.ends[column]
    return WordInPeriod(
        tokens=int(followed.tokens[row, column]),
        share=_share(followed, row, column),
        low=finite(followed.low[row, column]),
        high=finite(followed.high[row, column]),
        times=finite(followed.times[row, column]),
        times_low=finite(followed.times_low[row, column]),
        times_high=finite(followed.times_high[row, column]),
        clear=bool(followed.clear[row, column]),
        lines=_lines(shared, word, shared.selection.of_period(first, last)),
    )


def _share(followed: Followed, row: int, column: int) -> float | None:
    """Of the topic's words in a period."""
    of_topic = int(followed.of_topic[column])
    return int(followed.tokens[row, column]) / of_topic if of_topic else None


def _sentence(change: WordChange, all_along: bool) -> str:
    """What is said of a word; "" where nothing is sure. all_along: whether it rises or falls so."""
    if change.kind == "unsure" or change.here is None or change.rest is None:
        return ""
    pattern = SENTENCES[change.shape, change.more]
    if change.shape == "line" and not all_along:
        pattern = LAST_AND_FIRST_THIRD
    sentence = pattern.format(
        here=sentences.briefly(change.here),
        rest=sentences.briefly(change.rest),
        first=sentences.period_or_none(change.first),
        until=sentences.period_or_none(change.until),
        early=sentences.period_or_none(change.early),
        turn=sentences.period_or_none(change.turn),
        span=_say_span(change),
        outside=time_sentences.BEFORE_AND_AFTER,
    )
    if change.whose:
        sentence = MOSTLY_OF.format(sentence=sentence, value=change.whose)
    return sentence


def _say_span(change: WordChange, brief: bool = False) -> str:
    if change.shape != "window":
        return ""
    return sentences.spanned(Span(first=change.first, last=change.last), brief)


def _say_when(change: WordChange, all_along: bool) -> str:
    """When there is more of it, or less, in brief; "" where nothing changed."""
    if change.shape == "step":
        period = sentences.period(change.first if change.more else change.until, brief=True)
        return (SINCE if change.more else UNTIL).format(period=period)
    if change.shape == "line":
        return time_sentences.say_line(change.more, all_along)
    return _say_span(change, brief=True)


def html(page: WordsThroughTime, open_word: str) -> WordsThroughTimeHtml:
    """open_word: whose intervals are shown, or ""."""
    of_kind: dict[WordKind, list[WordThroughTime]] = {kind: [] for kind in (*TITLES, "unsure")}
    for word in page.words:
        of_kind[word.kind].append(word)
    unsure = of_kind.pop("unsure")
    counts = [
        COUNTS[kind].pattern(len(words)).format(count=len(words))
        for kind, words in of_kind.items()
        if words
    ]
    if unsure:
        counts.append(UNSURE.format(count=len(unsure)) if counts else NONE_SURE)
    return WordsThroughTimeHtml(
        kinds=[
            KindOfWords(kind, TITLES[kind], [_shade_cells(word, page.periods) for word in words])
            for kind, words in of_kind.items()
            if words
        ],
        unsure=[_shade_cells(word, page.periods) for word in unsure],
        open=open_word,
        counts=join_names(counts) if counts else "",
    )


def _shade_cells(
    word: WordThroughTime, periods: list[WordsPeriod]
) -> tuple[WordThroughTime, list[tuple[WordInPeriod, str, bool]]]:
    """The cells with their shades: the word's largest share in a period that is not thin has the
    darkest."""
    shares = [cell.share or 0.0 for cell in word.cells]
    solid = [share for share, period in zip(shares, periods, strict=True) if not period.thin]
    largest = max(solid or shares, default=0.0) or 1.0
    shades = [shade_tables.shade_of(share / largest) for share in shares]
    thin = [period.thin for period in periods]
    return word, list(zip(word.cells, shades, thin, strict=True))


def table(selection: RunSelection, page: WordsThroughTime) -> CsvTable:
    """The page as a file: a row for each word and period."""
    run = selection.run
    about = [
        run.corpus.name,
        run.pk,
        selection.sentence,
        page.unit.column,
        page.unit.chosen_by,
        page.level,
        page.topic.label,
    ]
    rows = []
    for word in page.words:
        change = [word.first, word.last, word.until, word.here, word.rest]
        change += [word.estimate, word.low, word.high]
        for period, cell in zip(page.periods, word.cells, strict=True):
            counts = [cell.tokens, period.tokens, period.documents]
            numbers = [cell.share, cell.low, cell.high]
            numbers += [cell.times, cell.times_low, cell.times_high]
            cells = [*change, period.first, period.last, *counts, *numbers]
            rows.append([*about, word.word, word.kind, *cells, int(cell.clear)])
    return CsvTable(COLUMNS, rows)
