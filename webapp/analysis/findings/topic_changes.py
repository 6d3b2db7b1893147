"""How topics' shares changed over time, for their own pages and the pages of time: what the
overview stored, in its sentences, so that these pages cannot contradict it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from webapp.analysis.findings import sentences, stored
from webapp.analysis.findings.change_marks import ChangeMarks, marks_of
from webapp.analysis.findings.kinds import Change
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again
from webapp.models import Run, StoredResult


@dataclass(frozen=True)
class TopicChange:
    """What a page says of a topic. known: whether the set's findings are computed; else only the
    overview can tell. sentence: of its change, None where none was accepted. plain: the same as a
    text with its interval. brief: without the topic's name and the interval; of a topic without a
    change what a page of time says instead. quiet: how many times as much, and whether other seeds
    found the topic, "50 times, interval 35 to 73; not found again with other seeds". marks: for its
    chart."""

    known: bool
    sentence: Sentence | None
    plain: str
    brief: str = ""
    quiet: str = ""
    marks: ChangeMarks | None = None


def of_topics(selection: RunSelection, numbers: Sequence[int]) -> list[TopicChange]:
    """The change of each topic among the documents of a set. Computes nothing: that is done at the
    end of a run, or when the overview of the set is asked for."""
    stored_findings = stored.read(selection)
    if stored_findings is None:
        return [TopicChange(False, None, "")] * len(numbers)
    changes = {
        finding.topic: finding
        for finding in stored_findings.findings
        if isinstance(finding, Change) and not finding.holds_no_difference
    }
    doubtful = found_again.doubtful(selection.view.run)
    writer = SentenceWriter(selection, {}, doubtful, span=stored_findings.span)
    topic_changes = []
    for k in numbers:
        change = changes.get(k)
        if change is None:
            topic_changes.append(TopicChange(True, None, ""))
            continue
        sentence = writer.write(change)
        plain = sentences.plain(sentence.parts, sentence.certainty)
        marks = None
        if stored_findings.ends:
            all_time = sentences.years_of_span(*stored_findings.ends)
            shares = change.shares_said((change.here[0], change.rest[0]))
            marks = marks_of(change, shares, all_time)
        topic_changes.append(
            TopicChange(True, sentence, plain, _brief(sentence), sentence.certainty, marks)
        )
    return topic_changes


def _brief(sentence: Sentence) -> str:
    """What is said of a topic, below its name: "13% of the words from 1946 to 1985, …"."""
    text = "".join(part for part in sentence.parts if isinstance(part, str)).lstrip(",: ")
    return text[:1].upper() + text[1:]


def last_stored(run: Run) -> datetime | None:
    """When findings were last stored for a run: a cached page that shows some depends on it. Stored
    answers, which have arrays, are none: no page of a topic shows them."""
    of_findings = StoredResult.objects.filter(snapshot=run.snapshot_id, arrays=None)
    return of_findings.aggregate(last=Max("made_at"))["last"]
