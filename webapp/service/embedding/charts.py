"""Charts of a run as pictures with a sentence: what an address in a page of another site shows, and
what is downloaded as SVG or PNG."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.analysis.families import family_cuts
from webapp.analysis.findings.overview import overview
from webapp.analysis.time import trends
from webapp.analysis.time.pinned_shares import pin_lines
from webapp.analysis.two_sets import (
    answering,
    compared_sets,
    contrasts,
    views as two_sets_views,
)
from webapp.analysis.two_sets.shapes import TopicDifference
from webapp.analysis.words import queries as words
from webapp.analysis.words.senses_page import senses_page
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.notebooks.pictures import picture_of
from webapp.core.results.view import RunView
from webapp.platform.drawing.colours import GENERAL
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.pictures import Picture
from webapp.platform.drawing.tables import KeptTable
from webapp.platform.pages.not_yet import NotYet
from webapp.service.embedding import pictures

Name = Literal["time", "river", "compare", "word"]
NAMES: tuple[Name, ...] = ("time", "river", "compare", "word")
MOST_LAYERS = 7  # families; what is left is one layer
IN_SENTENCE = 3  # families or differences that the sentence has
OF_A_SIDE = 4  # topics that two sets are compared in
PAGES: dict[Name, str] = {  # the page on which each chart is
    "time": "run_time",
    "river": "run_overview",
    "compare": "run_time_compare",
    "word": "run_word",
}
ALL_OTHERS = "All others"
TIME_IS_CONSTANT = (
    " Time is held constant: shares of {second} are those expected at the times of {first}."
)
NO_DATES = "There is no chart: the documents have no dates, categories or numbers."


@dataclass(frozen=True)
class Chart:
    """sentence: what the picture shows, in words and numbers. page: the address of the whole page."""

    title: str
    sentence: str
    picture: Picture
    page: str


def chart(view: RunView, name: Name, query: QueryDict) -> Chart:
    """A chart of a finished run. query: as the page of the chart has it; of a word also `word`.

    Raises Invalid where there is nothing to draw.
    """
    if not view.run.final:
        raise Invalid("chart", "There is no chart: the run is not finished.")
    selection = Selection.read(query, view)
    if name == "time":
        return _course(selection, query)
    if name == "river":
        return _river(selection, query)
    if name == "compare":
        return _comparison(selection, query)
    return _word(selection, query)


def _by(selection: RunSelection, query: QueryDict) -> str:
    by = query.get("by", "") or document_groups.usual_grouping(selection.version)
    if not by:
        raise Invalid("by", NO_DATES)
    return by


def _course(selection: RunSelection, query: QueryDict) -> Chart:
    """Topics by period or category, as lines with their intervals."""
    view = selection.view
    numbers = trends.read_topics(view, query.getlist("topics"))
    page = trends.lines(selection, _by(selection, query), numbers)
    pinned = pin_lines(page)
    shares = "; ".join(f"{topic.with_label}, {percent(topic.overall)}" for topic in page.topics)
    sentence = f"Shares of the words of {page.selection}: {shares}."
    url = view.go(PAGES["time"], asked=query.urlencode())
    return Chart(pinned.title, sentence, _lines(pinned.table), url)


def _lines(table: KeptTable | None) -> Picture:
    picture = picture_of(table)
    if picture is None:
        raise Invalid("chart", "There is no chart: it needs two periods or values with words.")
    return picture


def _river(selection: RunSelection, query: QueryDict) -> Chart:
    """Families on one another over time, as many as the overview is cut into."""
    page = overview(selection, "", None, family_cuts.in_address(query))
    river = page.river
    families = [row.family for row in page.findings if row.family is not None]
    if not page.ready or river is None or len(river.totals) < 2 or not families:
        raise Invalid(
            "chart",
            "There is no chart: the documents need dates, and the overview must be ready.",
        )
    totals = np.maximum(np.array(river.totals, float), 1.0)
    tokens = {topic.number: np.array(topic.tokens, float) for topic in river.topics}
    families.sort(key=lambda family: -family.share)
    layers = []
    in_no_layer = np.ones(len(totals))
    for family in families[:MOST_LAYERS]:
        of_family = [tokens[k] for k in family.topics if k in tokens]
        shares = np.sum(of_family or [np.zeros(len(totals))], axis=0) / totals
        in_no_layer -= shares
        layers.append(pictures.Layer(family.name, family.hue, shares.tolist()))
    left_over = np.clip(in_no_layer, 0.0, 1.0)
    layers.append(pictures.Layer(ALL_OTHERS, GENERAL, left_over.tolist()))
    largest = "; ".join(
        f"{family.name}, {percent(family.share)}" for family in families[:IN_SENTENCE]
    )
    sentence = f"The largest families: {largest} of the words of {selection.sentence}."
    title = "Families of topics over time"
    picture = pictures.stacked(river.bins, layers, f"{title}. {sentence}")
    return Chart(title, sentence, picture, selection.view.go(PAGES["river"]))


def _comparison(selection: RunSelection, query: QueryDict) -> Chart:
    """Topics whose shares differ most between two sets of documents."""
    question = two_sets_views.compare.asked(query)
    sets = compared_sets.read_sides(query, selection, question["rest"])
    if sets is None:
        raise Invalid("chart", "There is no chart: choose the documents to compare.")
    constant = question["constant"]
    try:
        two_set_answers = answering.TwoSides(*sets, constant).answers_of_worker(None)
    except NotYet:
        raise Invalid(
            "chart",
            "A worker still compares these documents. The chart appears when it is done: ask again"
            " in a while.",
        ) from None
    page = contrasts.compare(*sets, question["order"], constant, two_set_answers, with_words=False)
    rows = [row for side in page.more for row in side[:OF_A_SIDE]]
    if not rows:
        raise Invalid("chart", "There is no chart: no topic differs by more than chance.")
    sides = [side.name for side in page.sides]
    title = " compared with ".join(sides)
    differences = "; ".join(_difference(row) for row in rows[:IN_SENTENCE])
    sentence = f"{differences}."
    if constant:
        sentence += TIME_IS_CONSTANT.format(first=sides[0], second=sides[1])
    pairs = [pictures.Pair(row.with_label, row.share, row.low, row.high) for row in rows]
    picture = pictures.compared(sides, pairs, f"{title}. {sentence}")
    url = selection.view.go(PAGES["compare"], asked=query.urlencode())
    return Chart(title, sentence, picture, url)


def _difference(row: TopicDifference) -> str:
    first, second = row.share
    return f"{row.with_label}: {percent(first)} and {percent(second)} of the words"


def _word(selection: RunSelection, query: QueryDict) -> Chart:
    """The senses of a word by period or category."""
    word = words.word(selection.version, query.get("word", ""))
    if word is None:
        raise Invalid("word", "There is no chart: the model does not know this word.")
    _, html = senses_page(selection, word, query.get("by", ""), False)
    pinned = html().pinned
    conditions = query.copy()
    del conditions["word"]
    url = selection.view.go(PAGES["word"], word.word, asked=conditions.urlencode())
    return Chart(pinned.title, pinned.sentence, _lines(pinned.table), url)
