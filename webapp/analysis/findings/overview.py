"""Which findings of a set are shown, and how: as the overview's page, its .json address and the API
have them."""

from dataclasses import replace
from functools import partial
from typing import cast

from webapp.analysis.families import family_cuts
from webapp.analysis.families.family_names import FamilyName
from webapp.analysis.families.shapes import FamilyTopics
from webapp.analysis.findings import quotations, river, sentences, stored
from webapp.analysis.findings.failing_kinds import Guard
from webapp.analysis.findings.finding import BaseFinding, Detail, PageFindings
from webapp.analysis.findings.kinds import KINDS, Family, Item
from webapp.analysis.findings.kinds.caution import unstable
from webapp.analysis.findings.periods import name_bins
from webapp.analysis.findings.quotations import Quote
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.analysis.findings.set_findings import SetFindings
from webapp.analysis.findings.shapes import FindingRow, OverviewPage, Quotation
from webapp.core.documents import corpus_unit, unit_sentences
from webapp.core.documents.authors import name_authors
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again, links
from webapp.core.results.links import TopicLink
from webapp.platform.accounts import embargo
from webapp.platform.drawing import tables
from webapp.platform.drawing.colours import GENERAL

Ranked = tuple[int, BaseFinding]  # the rank within its kind, 1 the first, and the finding


def overview(
    selection: RunSelection, detail: Detail, asker: int | None, families: int | None = None
) -> OverviewPage:
    """Read the overview of a set of documents. families: how many, None for the usual number. The
    page is not ready while a worker computes it, for the user `asker` (None: a guest). Its findings
    are in the order of KINDS, within a kind by rank, 1 the first, events by time; those of topics
    that runs with other seeds found again come before others. The page says how many more there
    are."""
    set_findings = stored.read_or_ask(selection, asker)
    if set_findings is None:
        return OverviewPage(
            selection.sentence,
            detail,
            ready=False,
            documents=selection.count,
            has_failed=stored.has_failed(selection),
        )
    cut = family_cuts.cut(selection.view, families)
    doubtful = found_again.doubtful(selection.view.run)
    page = _sayable(selection, set_findings, cut.number_of_families, doubtful)
    clearest = _clearest(page, detail, doubtful)
    titled = [document for _, finding in clearest for document in finding.titled]
    titles = _titles(selection, titled)
    searched = [word for _, finding in clearest for word in finding.searched]
    names = _names_of(cut.families)
    writer = SentenceWriter(selection, titles, doubtful, names, set_findings.span, searched)
    guard = Guard(selection.view.run.pk)
    guard.failed += set_findings.failed
    quotes = guard.listed("family", lambda: _quotes(selection, set_findings.quotes, writer))
    rows: list[FindingRow] = []
    for rank, finding in clearest:
        row = guard.one(finding.kind, partial(_row, writer, rank, finding, cut.families))
        if row is not None:
            rows.append(row)
    return OverviewPage(
        set=selection.sentence,
        detail=detail,
        ready=True,
        documents=set_findings.documents,
        tokens=set_findings.tokens,
        span=set_findings.span,
        unit=set_findings.unit,
        ends=set_findings.ends,
        bins=set_findings.bins,
        independent=unit_sentences.about(selection.version, corpus_unit.unit_of(selection.version)),
        too_few_in_order=set_findings.too_few_in_order,
        quotes=quotes,
        families=len(cut.families),
        usual_families=cut.usual,
        rest=1 - sum(family.estimate for family in page.of(Family)),
        river=river.river_of_overview(selection, set_findings.unit),
        findings=rows,
        outdated=set_findings.outdated,
        has_failed=set_findings.outdated and stored.has_failed(selection),
        hidden=len(page.findings) - len(clearest),
        failed=guard.failed,
    )


def _sayable(
    selection: RunSelection, set_findings: SetFindings, cut: int, doubtful: set[int]
) -> PageFindings:
    """What may be said: families of one cut, nothing of topics that a reader hid, no difference
    whose interval holds none."""
    labels = selection.view.labels
    findings: list[BaseFinding] = []
    for finding in [*unstable(selection.view, doubtful), *set_findings.findings]:
        if finding.holds_no_difference or any(map(labels.is_hidden, finding.subjects)):
            continue
        if isinstance(finding, Family) and not finding.first <= cut <= finding.last:
            continue
        findings.append(finding)
    return PageFindings(findings, ends=set_findings.ends)


def _clearest(page: PageFindings, detail: Detail, doubtful: set[int]) -> list[Ranked]:
    """The findings of each kind that the page has room for."""
    clearest: list[Ranked] = []
    for kind in KINDS.values():
        arranged = list(kind.arrange(page.of(kind), page))
        if kind.SURE_FIRST:
            arranged.sort(key=lambda finding: not _is_sure(finding, doubtful))
        ranked = list(enumerate(arranged, 1))[: kind.ON_PAGE.shown[detail]]
        clearest += sorted(ranked, key=_in_time)
    return clearest


def _is_sure(finding: BaseFinding, doubtful: set[int]) -> bool:
    """Whether other seeds found again most of the topics that it is about."""
    topics = finding.claimed
    return sum(k in doubtful for k in topics) <= len(topics) / 2


def _in_time(ranked: Ranked) -> tuple[float, float]:
    """Changes and words are listed in the order of time, other kinds by rank."""
    rank, finding = ranked
    return finding.years or (float(rank), 0.0)


def _titles(selection: RunSelection, documents: list[int]) -> dict[int, str]:
    if not documents:
        return {}
    rows = embargo.about(selection.corpus, documents, "title")
    return {document: row["title"] for document, row in rows.items()}


def _names_of(cut: list[family_cuts.NamedFamily]) -> dict[tuple[int, ...], FamilyName]:
    return {tuple(family.topics): FamilyName(family.name, family.named_by) for family in cut}


def _row(
    writer: SentenceWriter, rank: int, finding: BaseFinding, cut: list[family_cuts.NamedFamily]
) -> FindingRow:
    """A finding, as the page has it."""
    sentence = writer.write(finding)
    family = None
    if isinstance(finding, Family):
        family = _family_of(finding, cut)
        sentence = _colour_topics(sentence, family.hue)
    times = finding.times
    return FindingRow(
        kind=finding.kind,
        rank=rank,
        sentence=sentences.plain(sentence.parts, sentence.certainty),
        parts=sentence.parts,
        sure=sentence.certainty,
        times=times.times,
        ends=times.ends,
        items=cast(list[Item], list(finding.items(writer))),
        url=writer.view.go.with_set(sentence.url),
        opens=sentence.opens,
        estimate=finding.estimate,
        low=finding.low,
        high=finding.high,
        level=finding.interval_level,
        score=finding.score,
        topic=writer.topic(sentence.topic) if sentence.topic is not None else None,
        line=finding.line,
        claims=list(finding.claims(writer)),
        family=family,
        not_found_again=sentence.not_found_again,
    )


def _family_of(finding: Family, cut: list[family_cuts.NamedFamily]) -> FamilyTopics:
    """A family as the page draws it, with its name and colour at the cut."""
    at_no_cut = family_cuts.NamedFamily(
        name=finding.name, slot=GENERAL, hue=GENERAL, topics=finding.topics, named_by=[]
    )
    drawn = next((family for family in cut if family.topics == finding.topics), at_no_cut)
    return FamilyTopics(
        **drawn._asdict(),
        tokens=int(finding.score),
        documents=finding.documents,
        share=finding.estimate,
    )


def _colour_topics(sentence: Sentence, hue: int) -> Sentence:
    """Its topics in the colour of their family."""
    parts = [
        replace(part, hue=hue) if isinstance(part, TopicLink) else part for part in sentence.parts
    ]
    return replace(sentence, parts=parts)


def line_table(page: OverviewPage, row: FindingRow) -> tables.KeptTable | None:
    """What a notebook keeps of the line of a finding; None where it has none."""
    if not row.line or row.topic is None:
        return None
    name = "these topics together" if row.kind == "family" else row.topic.with_label
    return tables.kept_table(
        name_bins(page.unit, page.bins), page.bins, [name], [[share] for share in row.line]
    )


def _quotes(
    selection: RunSelection, quotes: list[Quote], writer: SentenceWriter
) -> list[Quotation]:
    run = selection.run
    go = selection.view.go
    quoted = [quote.document for quote in quotes]
    fields_of_documents = embargo.about(run.corpus, quoted, "title", "date_text", "metadata")
    author_of = name_authors(run.corpus, fields_of_documents.values())
    return [
        Quotation(
            text=text,
            title=fields_of_documents[quote.document]["title"],
            date_text=fields_of_documents[quote.document]["date_text"],
            author=author_of[quote.document],
            document=quote.document,
            start=quote.start,
            end=quote.end,
            topic=writer.topic(quote.topic),
            url=go.with_set(
                links.document_url(
                    run, quote.document, f"?topic={quote.topic}&at={quote.start}#here"
                )
            ),
            passage_url=go.with_set(links.passage_url(run, quote.document, quote.start, quote.end)),
        )
        for quote, text in zip(quotes, quotations.shorten(selection, quotes), strict=True)
    ]
