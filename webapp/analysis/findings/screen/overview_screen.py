"""What the page of the overview draws: sentences, the river, rows with small pictures, tables; all
from what its JSON has."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.safestring import SafeString

from webapp.analysis.families.shapes import Cuts
from webapp.analysis.findings.families_by_group import FEWEST_GROUPS, MOST_GROUPS, Mixes, mixes
from webapp.analysis.findings.river import say_few_words, say_undated, shares_of_topics
from webapp.analysis.findings.screen.axis import Tick, axis_of
from webapp.analysis.findings.screen.change_lines import ChangeLine, change_lines, level_of
from webapp.analysis.findings.screen.family_lines import (
    FamilyLine,
    draw_river,
    draw_tree,
    family_lines,
)
from webapp.analysis.findings.screen.first_sentences import (
    Short,
    first_sentences,
    topics_of_families,
)
from webapp.analysis.findings.screen.group_tables import GroupTable, group_tables
from webapp.analysis.findings.screen.who_speaks import say_who_speaks
from webapp.analysis.findings.screen.word_lines import WordLine, word_lines, words_under_river
from webapp.analysis.findings.sentences import briefly
from webapp.analysis.findings.shapes import DetailLink, FindingHtml, FindingsOfKind, OverviewPage
from webapp.core.documents import corpus_unit, document_days, document_groups, fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.unit_sentences import UnitSaid
from webapp.models import Version
from webapp.platform.drawing.numbers import USUAL_LEVEL

LEAST_GENERAL = 0.0005  # of the words: a smaller share of general talk is not told


@dataclass(frozen=True)
class Screen:
    """All that the page draws. undated: the share of the words that the river lacks, as their
    documents have no date, "" where it is too small to be told. few_words: what is pale in it, ""
    where nothing is. without_dates, why_tree: whether the texts have none, and why areas
    are drawn; rest: the share of general talk, of words in no family; "" where it is too small to
    be told. who_speaks: of webapp.analysis.findings.screen.who_speaks."""

    short: list[Short] = field(default_factory=list)
    who_speaks: str = ""
    families: list[FamilyLine] = field(default_factory=list)
    river: SafeString = SafeString()
    undated: str = ""
    few_words: str = ""
    mixes: Mixes | None = None
    tree: SafeString = SafeString()
    without_dates: bool = False
    why_tree: str = ""
    rest: str = ""
    axis: list[Tick] = field(default_factory=list)
    words_below: bool = False  # the river
    changes: list[ChangeLine] = field(default_factory=list)
    further_changes: int = 0  # that a narrow page shows only where it is asked to
    level: float = USUAL_LEVEL  # of the intervals of changes
    words: list[WordLine] = field(default_factory=list)
    further_words: int = 0  # see further_changes
    groups: list[GroupTable] = field(default_factory=list)


# Kinds that the page draws, or lists, at a place of their own; the others it lists one after the other
PLACED = frozenset(
    {"family", "change", "event", "speaker", "mark", "keyword", "none", "sense", "caution"}
)


@dataclass(frozen=True)
class OverviewHtml:
    """kinds: of the findings that there are. screen: what is drawn. failed: titles of kinds that
    could not be computed. query: of this page's address. simulated: whether the true topics are
    known. renamed: when the topics got the names of a newer program. named_by_words: whether names
    could not be made from the texts. unit: which texts count as one. without_words: documents of
    the set that have no words that count; wordless_url: the list of them. order_may_change: whether
    trainings with other seeds are to come, whose topics that are found again are listed first."""

    untrained: bool
    renamed: datetime | None
    named_by_words: bool
    simulated: bool
    kinds: dict[str, FindingsOfKind]
    screen: Screen
    failed: list[str]
    details: list[DetailLink]
    cuts: Cuts | None
    query: str
    unit: UnitSaid
    without_words: int
    wordless_url: str
    order_may_change: bool

    @property
    def others(self) -> list[FindingsOfKind]:
        """Kinds without a place of their own."""
        return [of_kind for kind, of_kind in self.kinds.items() if kind not in PLACED]


def screen(selection: RunSelection, page: OverviewPage, rows: Sequence[FindingHtml]) -> Screen:
    """rows: the findings of the page."""
    view = selection.view
    begins_with_time = page.river is not None
    river = page.river
    if river is not None and not river.is_drawn:
        river = None
    families = [row for row in rows if row.family is not None]
    families.sort(key=lambda row: -(row.family.share if row.family else 0.0))
    changes = [row for row in rows if row.kind == "change"]
    events = [row for row in rows if row.kind == "event"]
    marks = [row for row in rows if row.kind == "mark"]
    axis = axis_of(page)
    shares = shares_of_topics(river) if river is not None else {}
    sums_of_set = sums.of_selection(selection)
    tokens = sums_of_set.topic_tokens[0].astype(float)
    words = int(sums_of_set.all_tokens[0])
    family_mixes = None
    if river is None:
        family_mixes = mixes(selection, page.unit if begins_with_time else "", families)
    general = page.rest if page.rest and page.rest > LEAST_GENERAL else 0.0
    tree = SafeString()
    if river is None and family_mixes is None:
        tree = draw_tree(view, families, general, tokens)
    spans = words_under_river(rows, river)
    largest_topics = topics_of_families(view, families, tokens)
    lines_of_changes = change_lines(changes, axis)
    lines_of_words = word_lines(events, axis)
    return Screen(
        short=first_sentences(
            families,
            changes if begins_with_time else [],
            marks,
            river,
            family_mixes,
            general,
            shares,
            largest_topics,
        ),
        who_speaks=say_who_speaks(selection),
        families=family_lines(view, families, shares, river, tokens),
        river=draw_river(view, families, river, spans),
        undated=say_undated(words, river) if river is not None else "",
        few_words=say_few_words(river) if river is not None else "",
        mixes=family_mixes,
        tree=tree,
        without_dates=document_days.first_and_last(view.run.version) is None,
        why_tree=say_why_tree(view.run.version),
        rest=briefly(general) if general else "",
        axis=axis.ticks if axis else [],
        words_below=bool(spans),
        changes=lines_of_changes,
        further_changes=sum(not line.clear for line in lines_of_changes),
        level=level_of(changes),
        words=lines_of_words,
        further_words=sum(not line.clear for line in lines_of_words),
        groups=group_tables(marks, corpus_unit.unit_of(view.run.version)),
    )


def say_why_tree(version: Version) -> str:
    """Why neither a river nor groups are drawn."""
    if document_days.first_and_last(version) is not None:
        return "These documents have too few dates to be drawn over time."
    categories = fields.categories(version)
    if categories:
        fewest = min(categories, key=lambda category: len(category.values))
        if len(fewest.values) > MOST_GROUPS:
            return (
                f"These documents have no dates. “{fewest.name}” divides them into"
                f" {len(fewest.values):,} groups, too many to be drawn here."
            )
        return (
            "These documents have no dates, and no field that divides them into"
            f" {FEWEST_GROUPS} to {MOST_GROUPS} groups."
        )
    by_numbers = document_groups.usual_grouping(version)
    if by_numbers is not None:
        return f"These documents have no dates. Groups shows their topics by “{by_numbers}”."
    return "These texts have no dates and no groups to compare."
