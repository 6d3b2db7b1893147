"""How alike two runs are: in sentences, and as a table that says beside the picture the same."""

from webapp.analysis.compare.fates import Fate, FateKind
from webapp.analysis.compare.shapes import FateRow, FateSide, Pairs, Show
from webapp.analysis.findings.sentences import Plural
from webapp.platform.drawing.numbers import count, join_names, percent

NO_PARTNERS = "No topic of run {run} has a counterpart in run {other}."
ALL_ARE_PARTNERS = "All {topics} topics of run {run} have a counterpart in run {other}."
PARTNERS = Plural(
    "{count} of the {topics} topics of run {run}, with {share} of its words, has a counterpart in"
    " run {other}.",
    "{count} of the {topics} topics of run {run}, with {share} of its words, have a counterpart in"
    " run {other}.",
)
DIVIDED = Plural("{count} is divided differently there", "{count} are divided differently there")
RESEMBLES_NONE = Plural(
    "{count} resembles no topic there, or several equally",
    "{count} resemble no topic there, or several equally",
)
WITHOUT_COUNTERPART = "The other {count} have none: {parts}."
ONE_IS_DIVIDED = "The other one has none: it is divided differently there."
ONE_RESEMBLES_NONE = "The other one has none: it resembles no topic there, or several equally."
LONE_IN_SECOND = Plural(
    "{count} of the {topics} topics of run {other}, with {share} of its words, has no counterpart"
    " in run {run}.",
    "{count} of the {topics} topics of run {other}, with {share} of its words, have no counterpart"
    " in run {run}.",
)
ROWS: dict[FateKind, str] = {
    "same": "Counterpart in the other run",
    "several": "None: several topics there",
    "part": "None: part of a topic there",
    "alone": "None: resembles no topic there, or several equally",
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
        "The topic of run {run} that resembles no topic of run {other}, or several equally.",
        "The {count} topics of run {run} that resemble no topic of run {other}, or several"
        " equally.",
    ),
}


def sentences(pairs: Pairs) -> list[str]:
    """Of the first run's topics, and of what the second has besides."""
    fates = {fate.kind: fate for fate in pairs.fates}
    answer_sentences = [
        _sentence_of_partners(pairs, fates["same"]),
        _sentence_of_others(fates),
        _sentence_of_second(pairs),
    ]
    return [sentence for sentence in answer_sentences if sentence]


def _sentence_of_second(pairs: Pairs) -> str:
    """How many topics of the second run have no counterpart in the first; "" where all have one."""
    without_counterpart = [fate for fate in pairs.fates if fate.kind != "same"]
    lone_topics = sum(fate.topics[1] for fate in without_counterpart)
    if not lone_topics:
        return ""
    first, second = pairs.runs
    return LONE_IN_SECOND.pattern(lone_topics).format(
        count=count(lone_topics),
        topics=count(sum(fate.topics[1] for fate in pairs.fates)),
        share=percent(sum(fate.shares[1] for fate in without_counterpart)),
        run=first,
        other=second,
    )


def _sentence_of_partners(pairs: Pairs, fate: Fate) -> str:
    """fate: of those that have a counterpart."""
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
    """What became of the first run's topics without a counterpart; "" where there are none."""
    divided_topics = fates["several"].topics[0] + fates["part"].topics[0]
    lone_topics = fates["alone"].topics[0]
    parts = []
    for pattern, topics in ((DIVIDED, divided_topics), (RESEMBLES_NONE, lone_topics)):
        if topics:
            parts.append(pattern.pattern(topics).format(count=count(topics)))
    if not parts:
        return ""
    if not fates["same"].topics[0]:  # a sentence before it said that none has a counterpart
        return f"{join_names(parts)}."
    other_topics = divided_topics + lone_topics
    if other_topics == 1:
        return ONE_IS_DIVIDED if divided_topics else ONE_RESEMBLES_NONE
    return WITHOUT_COUNTERPART.format(count=count(other_topics), parts=join_names(parts))


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
