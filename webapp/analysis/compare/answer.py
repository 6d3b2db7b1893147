"""How alike two runs are: in sentences, and as a table that says beside the picture the same."""

from webapp.analysis.compare.fates import Fate, FateKind
from webapp.analysis.compare.shapes import FateRow, FateSide, Pairs, Show
from webapp.analysis.findings.sentences import Plural
from webapp.platform.drawing.numbers import count, join_names, percent

NO_PARTNERS = "No topic of run {run} is the same in run {other}."
ALL_ARE_PARTNERS = "All {topics} topics of run {run} are the same in run {other}."
PARTNERS = Plural(
    "{count} of the {topics} topics of run {run} is the same in run {other}, with {share} of its"
    " words.",
    "{count} of the {topics} topics of run {run} are the same in run {other}, with {share} of its"
    " words.",
)
DIVIDED = Plural("{count} is divided differently there", "{count} are divided differently there")
ALONE = Plural("{count} has no clear counterpart there", "{count} have no clear counterpart there")
ALONE_IN_SECOND = Plural(
    "{count} topic of run {other}, with {share} of its words, has no clear counterpart in run"
    " {run}.",
    "{count} topics of run {other}, with {share} of its words, have no clear counterpart in run"
    " {run}.",
)
ROWS: dict[FateKind, str] = {
    "same": "The same in both",
    "several": "Several topics in the other run",
    "part": "Part of a topic in the other run",
    "alone": "No clear counterpart",
}
LISTS: dict[FateKind, tuple[Show, Show]] = {  # where they are listed, of either run
    "same": ("matched", "matched"),
    "several": ("split", "merged"),
    "part": ("first", "second"),
    "alone": ("first", "second"),
}
# A list that has only topics of one kind says so
ONLY_THESE: dict[FateKind, Plural] = {
    "several": Plural(
        "The topic of run {run} that is several topics in run {other}.",
        "The {count} topics of run {run} that are several topics in run {other}.",
    ),
    "part": Plural(
        "The topic of run {run} that is part of a topic in run {other}.",
        "The {count} topics of run {run} that are part of a topic in run {other}.",
    ),
    "alone": Plural(
        "The topic of run {run} that has no clear counterpart in run {other}.",
        "The {count} topics of run {run} that have no clear counterpart in run {other}.",
    ),
}


def sentences(pairs: Pairs) -> list[str]:
    """Of the first run's topics, and of what the second has besides."""
    fates = {fate.kind: fate for fate in pairs.fates}
    answer_sentences = [_sentence_of_partners(pairs, fates["same"]), _sentence_of_others(fates)]
    fate = fates["alone"]
    topics = fate.topics[1]
    if topics:
        pattern = ALONE_IN_SECOND.pattern(topics)
        first, second = pairs.runs
        share = percent(fate.shares[1])
        answer_sentences.append(
            pattern.format(count=count(topics), share=share, run=first, other=second)
        )
    return [sentence for sentence in answer_sentences if sentence]


def _sentence_of_partners(pairs: Pairs, fate: Fate) -> str:
    """fate: of those that are the same in both runs."""
    first, second = pairs.runs
    partners = fate.topics[0]
    topics = sum(fate_of_pair.topics[0] for fate_of_pair in pairs.fates)
    if not partners:
        pattern = NO_PARTNERS
    elif partners == topics:
        pattern = ALL_ARE_PARTNERS
    else:
        pattern = PARTNERS.pattern(partners)
    return pattern.format(
        count=count(partners),
        topics=count(topics),
        share=percent(fate.shares[0]),
        run=first,
        other=second,
    )


def _sentence_of_others(fates: dict[FateKind, Fate]) -> str:
    """What became of the first run's other topics; "" where there are none."""
    divided_topics = fates["several"].topics[0] + fates["part"].topics[0]
    lone_topics = fates["alone"].topics[0]
    parts = []
    for pattern, topics in ((DIVIDED, divided_topics), (ALONE, lone_topics)):
        if topics:
            parts.append(pattern.pattern(topics).format(count=count(topics)))
    return f"{join_names(parts)}." if parts else ""


def rows(pairs: Pairs) -> list[FateRow]:
    """What became of topics, a row for each fate."""
    return [_row(fate, pairs) for fate in pairs.fates]


def _row(fate: Fate, pairs: Pairs) -> FateRow:
    sides = []
    for side, show in enumerate(LISTS[fate.kind]):
        url = pairs.lists[show].url
        if fate.kind != "same":
            url = f"{url}&fate={fate.kind}"  # an address of two runs has a query
        sides.append(FateSide(pairs.runs[side], fate.topics[side], fate.shares[side], url))
    return FateRow(fate.kind, ROWS[fate.kind], sides)


def kind_listed(show: Show, fate: FateKind | None) -> FateKind | None:
    """Of what kind the topics of a list are; None where it has all. A kind that is asked for is
    passed over where the list does not have it, and where all of the list are of that kind."""
    if fate is None or fate not in ONLY_THESE or show not in LISTS[fate]:
        return None
    return fate


def sentence_of_list(pairs: Pairs) -> str:
    """Which topics of a list are shown; "" where all of them are."""
    if pairs.fate is None:
        return ""
    side = LISTS[pairs.fate].index(pairs.kind)
    topics = next(fate.topics[side] for fate in pairs.fates if fate.kind == pairs.fate)
    return (
        ONLY_THESE[pairs.fate]
        .pattern(topics)
        .format(count=count(topics), run=pairs.runs[side], other=pairs.runs[1 - side])
    )
