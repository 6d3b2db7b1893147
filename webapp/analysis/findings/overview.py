"""Which findings of a set are shown, and how: as the overview's page, its .json address and the API
have them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from inference.explore.naming import LIST
from webapp.analysis.findings import (
    cautions,
    families,
    numbers,
    quotations,
    river as over_time,
    sentences,
    stored,
)
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
from webapp.analysis.findings.writer import Writer, claimed, times_as_much, unsure
from webapp.core.documents import unit_sentences, units
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import found_again, links
from webapp.core.results.links import TopicLink
from webapp.platform.accounts import embargo
from webapp.platform.drawing import tables
from webapp.platform.drawing.colours import GENERAL

LARGE = 1e4  # the ratio of something to nothing
NEAR = 0.05  # of the years of all documents: steps of one time are apart by so much at most
OVERLAP = 0.5  # of the time of two windows together, that both cover: then they are of one time


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
    shown = [
        one
        for one in found.findings
        if not isinstance(one, Family) or one.first <= cut.number <= one.last
    ]
    doubtful = found_again.doubtful(selection.view.run)
    shown = [*cautions.unstable(selection.view, doubtful), *shown]
    told = _told(selection, shown, found.span)
    clearest: list[tuple[int, Finding]] = []
    for name, kind in KINDS.items():
        of_kind = [finding for finding in told if finding.kind == name]
        if name == "family":  # parts of one whole: the largest in the set is read first
            of_kind.sort(key=lambda finding: -(finding.estimate or 0.0))
        elif name != "caution":  # which may be about the very topics that are doubtful
            of_kind.sort(key=lambda finding: not _sure_of(finding, doubtful))
        ranked = list(enumerate(of_kind, 1))[: kind.ON_PAGE.shown[detail]]
        clearest += sorted(ranked, key=_in_time)
    unlike = [finding.document for _, finding in clearest if isinstance(finding, Unlike)]
    known = embargo.about(selection.corpus, unlike, "title") if unlike else {}
    titles = {number: row["title"] for number, row in known.items()}
    writer = Writer(selection, titles, doubtful, _names_of(cut.families), found.span)
    guard = Guard(selection.view.run.pk)
    guard.failed += found.failed
    quotes = guard.listed("family", lambda: _quotes(selection, found.quotes, writer))
    rows = [
        row
        for rank, finding in clearest
        for row in guard.listed(finding.kind, partial(_rows, writer, rank, finding, cut.families))
    ]
    return OverviewPage(
        set=selection.sentence,
        detail=detail,
        ready=True,
        documents=found.documents,
        tokens=found.tokens,
        span=found.span,
        unit=found.unit,
        ends=found.ends,
        bins=found.bins,
        independent=unit_sentences.about(selection.version, units.unit_of(selection.version)),
        too_few_in_order=found.too_few_in_order,
        quotes=quotes,
        families=len(cut.families),
        usual_families=cut.usual,
        rest=1 - sum(one.estimate for one in shown if isinstance(one, Family)),
        river=over_time.river(selection, found.unit),
        findings=rows,
        outdated=found.outdated,
        hidden=len(told) - len(clearest),
        failed=guard.failed,
    )


def _names_of(cut: list[families.Family]) -> dict[tuple[int, ...], str]:
    return {tuple(family.topics): family.name for family in cut}


def _in_time(ranked: tuple[int, Finding]) -> tuple[float, float]:
    """Changes and words are listed in the order of time, other kinds by rank."""
    rank, finding = ranked
    if isinstance(finding, (Change, Event)):
        begins = sentences.years(finding.first)[0]
        return begins, sentences.years(finding.last)[1]
    return float(rank), 0.0


def _told(selection: Selection, findings: Sequence[Finding], ends: list[str]) -> list[Finding]:
    """What may be said, the best of a kind first: nothing of topics that a reader hid, no
    difference whose interval holds none."""
    labels = selection.run_view.labels
    shown = [finding for finding in findings if not any(labels.hidden(k) for k in finding.subjects)]
    shown = [
        finding
        for finding in shown
        if not (isinstance(finding, (Change, Event, Mark)) and unsure(finding))
    ]
    marks = [finding for finding in shown if isinstance(finding, Mark)]
    events = [finding for finding in shown if isinstance(finding, Event)]
    rest = [finding for finding in shown if not isinstance(finding, (Mark, Event))]
    years = [int(end.split()[-1].removesuffix("s")) for end in ends]
    near = NEAR * (years[1] - years[0] + 1) if years else 0.0
    known = {(mark.field, mark.value) for mark in marks}

    def late(finding: Finding) -> tuple[bool, bool]:
        """Words come first of groups of which no topic tells, and of values before numbers."""
        if not isinstance(finding, Keywords):
            return False, False
        return (finding.field, finding.value) in known, finding.bounds is not None

    rest.sort(key=late)
    return rest + _first_of_each_time(events, near) + _first_of_each_group(marks)


def _first_of_each_time(events: list[Event], near: float) -> list[Finding]:
    """The best word of each time, then all others."""
    first: list[Event] = []
    further: list[Event] = []
    for event in sorted(events, key=lambda event: -event.score):
        known = any(_at_one_time(other, event, near) for other in first)
        (further if known else first).append(event)
    return [*first, *further]


def _at_one_time(a: Event, b: Event, near: float) -> bool:
    """Whether both have one shape, steps at most `near` years apart, windows with much time in
    common."""
    if (a.shape, a.more) != (b.shape, b.more):
        return False
    begins, ends = [
        [sentences.years(name)[i] for name in names]
        for i, names in enumerate(((a.first, b.first), (a.last, b.last)))
    ]
    overlaps = min(ends) - max(begins) >= OVERLAP * (max(ends) - min(begins))
    return abs(begins[0] - begins[1]) <= near if a.shape == "step" else overlaps


def _first_of_each_group(marks: list[Mark]) -> list[Finding]:
    """The clearest topic of each group, then all others; more before less, values before
    numbers."""
    marks = sorted(marks, key=lambda mark: (not mark.more, mark.bounds is not None, -mark.score))
    first: dict[tuple[str, str], Mark] = {}
    for mark in marks:
        first.setdefault((mark.field, mark.value), mark)
    clearest = list(first.values())
    return [*clearest, *(mark for mark in marks if mark not in clearest)]


def _sure_of(finding: Finding, doubtful: set[int]) -> bool:
    """Whether other seeds found again most of the topics that it is about."""
    topics = claimed(finding)
    return sum(k in doubtful for k in topics) <= len(topics) / 2


def _rows(
    writer: Writer, rank: int, finding: Finding, cut: list[families.Family]
) -> list[FindingRow]:
    """The one row of a finding."""
    return [_row(writer, rank, finding, cut)]


def _row(writer: Writer, rank: int, finding: Finding, cut: list[families.Family]) -> FindingRow:
    sentence = writer.write(finding)
    times, ends = times_as_much(finding) if isinstance(finding, (Change, Mark)) else ("", "")
    family = None
    if isinstance(finding, Family):
        none = families.Family(finding.name, GENERAL, GENERAL, finding.topics)  # at no cut
        own_family = next((family for family in cut if family.topics == finding.topics), none)
        family = FamilyTopics(
            **own_family._asdict(),
            tokens=int(finding.score),
            documents=finding.documents,
            share=finding.estimate,
        )
        parts = [
            replace(part, hue=own_family.hue) if isinstance(part, TopicLink) else part
            for part in sentence.parts
        ]
        sentence = replace(sentence, parts=parts)
    return FindingRow(
        kind=finding.kind,
        rank=rank,
        sentence=sentences.plain(sentence.parts, sentence.sure),
        parts=sentence.parts,
        sure=sentence.sure,
        times=times,
        ends=ends,
        items=numbers.of_finding(finding, writer),
        url=writer.view.go.with_set(sentence.url),
        estimate=finding.estimate,
        low=finding.low,
        high=finding.high,
        score=finding.score,
        topic=writer.topic(sentence.topic) if sentence.topic is not None else None,
        line=finding.line,
        claims=list(_claims(finding, writer)),
        family=family,
        not_found_again=sentence.not_found_again,
    )


def _claims(finding: Finding, writer: Writer) -> Iterator[Claim]:
    """What it claims that raw counts can contradict. ratio: of what there is nothing of elsewhere,
    the bound, or LARGE."""
    ratio = finding.estimate or finding.low or LARGE
    match finding:
        case Change() | Event():
            name = _claimed_name(finding, writer)
            first = finding.turn or finding.first
            last = finding.last if finding.shape == "window" else ""
            yield Claim(
                *name,
                finding.more,
                finding.shape == "line",
                ratio,
                first=first,
                last=last,
                early=finding.early,
                topic=finding.topic if isinstance(finding, Change) else None,
                answer=finding.answer,
            )
        case Mark():
            name = _claimed_name(finding, writer)
            group = finding.field, finding.value, finding.bounds
            yield Claim(
                *name,
                finding.more,
                False,
                ratio,
                *group,
                topic=finding.topic,
                answer=finding.answer,
            )
        case Keywords():
            group = finding.field, finding.value, finding.bounds
            rows = zip(finding.words, finding.here, finding.rest, finding.answers, strict=True)
            for word, here, rest, answer in rows:
                times = here / max(rest, 1e-4) or LARGE
                yield Claim(word, [word], [], True, False, times, *group, answer=answer)


def _claimed_name(
    finding: Change | Event | Mark, writer: Writer
) -> tuple[str, list[str], list[str]]:
    """What a claim is about; the words and phrases that texts can be searched for; and those that
    the sentence names beside it."""
    if isinstance(finding, Event):
        return ", ".join(finding.words), finding.words, []
    labels = writer.view.labels
    name = writer.topic(finding.topic).name
    if labels.label(finding.topic):
        return name, [name], finding.above_all
    parts = list(labels.parts_of_name(finding.topic)) or name.split(LIST)
    return name, parts, finding.above_all


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
    run = selection.run
    go = selection.view.go
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
        for q, text in zip(quotes, quotations.shorten(selection, quotes), strict=True)
    ]
