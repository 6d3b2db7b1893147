"""What a notebook keeps of findings: the sentence with its line, and passages that show it."""

from urllib.parse import urlsplit

import numpy as np
from django.http import QueryDict

from webapp.analysis.findings import questions, quotations
from webapp.analysis.findings.kinds import KINDS
from webapp.analysis.findings.overview import line_table
from webapp.analysis.findings.shapes import FindingRow, OverviewPage
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.notebooks import pin_contents
from webapp.core.notebooks.shapes import PinContent
from webapp.core.results.view import RunView

PASSAGES = 2  # under a finding
QUOTED_FINDINGS = 30  # of a page that have passages
QUOTED_KINDS = ("change", "mark")  # of one topic, in the documents that the finding is about


def contents_of_page(selection: RunSelection, page: OverviewPage) -> list[PinContent]:
    """All findings of a page; the first QUOTED_FINDINGS with passages, as each of these is looked
    for among the documents."""
    repeated = quotations.repeating(selection)
    contents: list[PinContent] = []
    for number, row in enumerate(page.findings):
        contents.append(_finding(selection.view, page, row))
        if number < QUOTED_FINDINGS:
            contents += _passages(selection.view, row, repeated)
    return contents


def contents_of_finding(
    view: RunView, page: OverviewPage, row: FindingRow, repeated: np.ndarray
) -> list[PinContent]:
    """A finding of a page, then its passages. repeated: bool[D], documents that repeat others."""
    return [_finding(view, page, row), *_passages(view, row, repeated)]


def _finding(view: RunView, page: OverviewPage, row: FindingRow) -> PinContent:
    title = KINDS[row.kind].ON_PAGE.title
    address = row.url
    if row.kind in QUOTED_KINDS:  # its passages are pinned, too
        address = questions.effects(view, row) or row.url
    line = line_table(page, row)
    table = None if line is None else vars(line)  # as a form sends it
    return pin_contents.of_chart(view.run, title, address, row.sentence, table, row.level)


def _passages(view: RunView, row: FindingRow, repeated: np.ndarray) -> list[PinContent]:
    if row.kind not in QUOTED_KINDS or row.topic is None:
        return []
    documents = Selection.read(QueryDict(urlsplit(row.url).query), view)
    topics = [row.topic.number] * PASSAGES  # each time of another document
    quotes = quotations.quote_topics(documents, topics, PASSAGES, repeated)
    return [
        pin_contents.of_passage(
            view.run.corpus, view.run, quote.document, "", quote.start, quote.end
        )
        for quote in quotes
    ]
