"""Which findings of a set are shown, and how: as the overview's page, its .json address and the API
have them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from webapp.analysis.findings import families, quotations, sentences, stored
from webapp.analysis.findings.guarded import Guard
from webapp.analysis.findings.kinds import (
    KINDS,
    Change,
    Detail,
    Event,
    Family,
    Finding,
    Keywords,
    Mark,
    Quote,
    Unlike,
)
from webapp.analysis.findings.shapes import Claim, FamilyTopics, FindingRow, OverviewPage, Quotation
from webapp.analysis.findings.writer import Writer, claimed
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import found_again, links
from webapp.core.results.links import TopicLink
from webapp.platform.accounts import embargo
from webapp.platform.drawing import tables

LARGE = 1e4  # the ratio of something to nothing
TOPICS: dict[Detail, int] = {
    "less": 3,
    "": 5,
    "more": 10,
}  # of a group or a time, that its sentence names
NEAR = 0.05  # of the years of all documents, by which steps of one sentence are apart at most
OVERLAP = 0.5  # of the time of two windows together, that both cover, where one sentence names them


class Told(NamedTuple):
    """What one sentence says: a finding, and others of the same group or time. again: whether
    another one is of the same time."""

    finding: Finding
    others: tuple[Finding, ...] = ()
    again: bool = False


def overview(
    selection: RunSelection, detail: Detail, by: int | None, number: int | None = None
) -> OverviewPage:
    """Of a set of documents, with so many families; None: the usual number. It is not ready while a
    worker computes it, for the user `by` (None: a guest). The findings are in the order of KINDS,
    within a kind by rank, 1 the first, events by time; of topics that runs with other seeds found
    again before others; hidden: how many more there are."""
    found = stored.read_or_ask(selection, by)
    if found is None:
        return OverviewPage(selection.sentence, detail, ready=False, documents=selection.count)
    cut = families.cut(selection.view, number)
    cut = cut._replace(families=families.with_phrases(selection.view, cut.families))
    shown = [
        one
        for one in found.findings
        if not isinstance(one, Family) or one.first <= cut.number <= one.last
    ]
    told = _told(selection, shown, found.span, detail)
    doubtful = found_again.doubtful(selection.view.run)
    chosen: list[tuple[int, Told]] = []
    for name, kind in KINDS.items():
        of_kind = [each for each in told if each.finding.kind == name]
        of_kind.sort(key=lambda one: not _sure_of(one, doubtful))
        ranked = [
            (i, one) for i, one in enumerate(of_kind, 1) if detail == "more" or not one.again
        ][: kind.ON_PAGE.shown[detail]]
        chosen += sorted(
            ranked,
            key=lambda one: one[1].finding.first if isinstance(one[1].finding, Event) else "",
        )
    unlike = [each.finding.document for _, each in chosen if isinstance(each.finding, Unlike)]
    known = embargo.about(selection.corpus, unlike, "title") if unlike else {}
    writer = Writer(selection, {number: row["title"] for number, row in known.items()}, doubtful)
    guard = Guard(selection.view.run.pk)
    guard.failed += found.failed
    quotes = guard.listed("family", lambda: _quotes(selection, found.quotes, writer))
    rows = [
        row
        for rank, one in chosen
        for row in guard.listed(
            one.finding.kind,
            partial(_rows, writer, rank, one, TOPICS[detail], cut.families),
        )
    ]
    return OverviewPage(
        set=selection.sentence,
        detail=detail,
        ready=True,
        documents=found.documents,
        tokens=found.tokens,
        span=found.span,
        unit=found.unit,
        bins=found.bins,
        quotes=quotes,
        families=len(cut.families),
        usual_families=cut.usual,
        rest=1 - sum(one.estimate for one in shown if isinstance(one, Family)),
        findings=rows,
        hidden=len(told) - len(chosen),
        failed=guard.failed,
    )


def _told(
    selection: Selection, findings: Sequence[Finding], ends: list[str], detail: Detail
) -> list[Told]:
    """What may be said: nothing of topics that a reader hid; what is of one group, or of one time,
    in one sentence."""
    labels = selection.run_view.labels
    shown = [finding for finding in findings if not any(labels.hidden(k) for k in finding.subjects)]
    marks = [finding for finding in shown if isinstance(finding, Mark)]
    timed = [finding for finding in shown if isinstance(finding, (Change, Event))]
    rest = [Told(finding) for finding in shown if not isinstance(finding, (Mark, Change, Event))]
    years = [int(end.split()[-1].removesuffix("s")) for end in ends]
    near = NEAR * (years[1] - years[0] + 1) if years else 0.0
    known = {(mark.field, mark.value) for mark in marks}

    def late(one: Told) -> tuple[bool, bool]:
        """Words come first of groups of which no topic tells, and of values before numbers."""
        if not isinstance(one.finding, Keywords):
            return False, False
        return (one.finding.field, one.finding.value) in known, one.finding.bounds is not None

    rest.sort(key=late)
    return rest + _times(timed, near, TOPICS[detail]) + _groups(marks, TOPICS[detail])


def _times(timed: Sequence[Change | Event], near: float, most: int) -> list[Told]:
    """What is of one time together, the best first, at most so many; a further one begins the next
    sentence of this time."""
    told: list[tuple[list[Change | Event], bool]] = []
    for finding in sorted(timed, key=lambda finding: -finding.score):
        fitting = [one for one, _ in told if _at_one_time(one[0], finding, near)]
        place = next((one for one in fitting if len(one) < most), None)
        if place is None:
            told.append(([finding], bool(fitting)))
        else:
            place.append(finding)
    return [Told(first, tuple(others), again) for (first, *others), again in told]


def _at_one_time(a: Change | Event, b: Change | Event, near: float) -> bool:
    """Whether both are of one kind and shape, steps at most `near` years apart, windows with much
    time in common."""
    if a.kind != b.kind or sentences.manner(a) != sentences.manner(b):
        return False
    begins, ends = [
        [sentences.years(name)[i] for name in names]
        for i, names in enumerate(((a.first, b.first), (a.last, b.last)))
    ]
    together = min(ends) - max(begins) >= OVERLAP * (max(ends) - min(begins))
    return abs(begins[0] - begins[1]) <= near if a.shape == "step" else together


def _groups(marks: list[Mark], most: int) -> list[Told]:
    """What is particular to one group together, or, of a field with more groups than the page shows
    and fewer topics, the groups of one topic; at most so many; those with more before those with
    less, values before numbers."""
    groups = {
        name: {mark.value for mark in marks if mark.field == name}
        for name in {mark.field for mark in marks}
    }
    topics = {name: {mark.topic for mark in marks if mark.field == name} for name in groups}
    by_topic = {
        name
        for name in groups
        if len(groups[name]) > max(Mark.ON_PAGE.shown[""], len(topics[name]))
    }
    told: dict[tuple[bool, str, str | tuple[int, str]], list[Mark]] = {}
    for mark in sorted(
        marks, key=lambda mark: (not mark.more, mark.bounds is not None, -mark.score)
    ):
        what = (mark.topic, mark.called) if mark.field in by_topic else mark.value
        told.setdefault((mark.more, mark.field, what), []).append(mark)
    return [Told(first, tuple(others[: most - 1])) for first, *others in told.values()]


def _sure_of(told: Told, doubtful: set[int]) -> bool:
    """Whether other seeds found again most of the topics that it is about."""
    topics = [k for finding in (told.finding, *told.others) for k in claimed(finding)]
    return sum(k in doubtful for k in topics) <= len(topics) / 2


def _rows(
    writer: Writer, rank: int, told: Told, topics: int, cut: list[families.Family]
) -> list[FindingRow]:
    """The one row of a finding."""
    return [_row(writer, rank, told, topics, cut)]


def _row(
    writer: Writer, rank: int, told: Told, topics: int, cut: list[families.Family]
) -> FindingRow:
    finding, words = told.finding, topics + 2
    finding = (
        replace(finding, words=finding.words[:words]) if isinstance(finding, Keywords) else finding
    )
    sentence = writer.write(finding, told.others)
    family = None
    if isinstance(finding, Family):
        old = families.Family(finding.name, 0, finding.topics)  # of a program without cuts
        own = next((one for one in cut if one.topics == finding.topics), old)
        family = FamilyTopics(
            **own._asdict(),
            tokens=int(finding.score),
            documents=finding.documents,
            share=finding.estimate,
        )
        parts = [
            replace(part, hue=own.hue) if isinstance(part, TopicLink) else part
            for part in sentence.parts
        ]
        sentence = replace(sentence, parts=parts)
    return FindingRow(
        kind=finding.kind,
        rank=rank,
        sentence=sentences.plain(sentence.parts, sentence.sure),
        parts=sentence.parts,
        sure=sentence.sure,
        url=writer.view.go.with_set(sentence.url),
        estimate=finding.estimate,
        low=finding.low,
        high=finding.high,
        score=finding.score,
        topic=writer.topic(sentence.topic) if sentence.topic is not None else None,
        line=finding.line,
        claims=[claim for one in (finding, *told.others) for claim in _claims(one, writer)],
        family=family,
        not_found_again=sentence.not_found_again,
    )


def _claims(finding: Finding, writer: Writer) -> Iterator[Claim]:
    """What it claims that raw counts can contradict. ratio: of what there is nothing of elsewhere,
    the bound, or LARGE."""
    ratio = finding.estimate or finding.low or LARGE
    match finding:
        case Change() | Event():
            name = (
                ", ".join(finding.words)
                if isinstance(finding, Event)
                else writer.called(finding).name
            )
            first, last = (
                finding.turn or finding.first,
                finding.last if finding.shape == "window" else "",
            )
            yield Claim(name, finding.more, finding.shape == "line", ratio, first=first, last=last)
        case Mark():
            name = writer.called(finding).name
            yield Claim(
                name, finding.more, False, ratio, finding.field, finding.value, finding.bounds
            )
        case Keywords():
            for word, here, rest in zip(finding.words, finding.here, finding.rest, strict=False):
                times = here / max(rest, 1e-4) or LARGE
                yield Claim(word, True, False, times, finding.field, finding.value, finding.bounds)


def line_table(
    page: OverviewPage, row: FindingRow
) -> dict[str, list[str] | list[list[str | float | None]]] | None:
    """What a notebook keeps of the line of a finding; None where it has none."""
    if not row.line or row.topic is None:
        return None
    name = (
        "these topics together" if row.kind == "family" else f"{row.topic.label} {row.topic.name}"
    )
    return tables.kept_table(page.unit, page.bins, [name], [[share] for share in row.line])


def _quotes(selection: RunSelection, quotes: list[Quote], writer: Writer) -> list[Quotation]:
    run, go = selection.run, selection.view.go
    known = embargo.about(run.corpus, [q.document for q in quotes], "title", "date_text")
    return [
        Quotation(
            text=text,
            title=known[q.document]["title"],
            date_text=known[q.document]["date_text"],
            document=q.document,
            start=q.start,
            end=q.end,
            topic=writer.topic(q.topic),
            url=go.with_set(
                links.document_url(run, q.document, f"?topic={q.topic}&at={q.start}#here")
            ),
            passage_url=go.with_set(links.passage_url(run, q.document, q.start, q.end)),
        )
        for q, text in zip(quotes, quotations.shown(selection, quotes), strict=True)
    ]
