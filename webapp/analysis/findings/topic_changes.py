"""How topics' shares changed over time, for their own pages and the pages of time: what the
overview stored, in its sentences, so that these pages cannot contradict it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from webapp.analysis.findings import sentences, stored
from webapp.analysis.findings.kinds import Change
from webapp.analysis.findings.writer import Sentence, Writer, unsure
from webapp.core.documents.selection import RunSelection
from webapp.models import Findings, Run


@dataclass(frozen=True)
class TopicChange:
    """What a page says of a topic. known: whether the set's findings are computed; else only the
    overview can tell. sentence: of its change, None where none was accepted. plain: the same as a
    text with its interval."""

    known: bool
    sentence: Sentence | None
    plain: str


def of_topics(selection: RunSelection, numbers: Sequence[int]) -> list[TopicChange]:
    """Of each topic its change among the documents of a set. Computes nothing: that is done at the
    end of a run, or when the overview of the set is asked for."""
    found = stored.read(selection)
    if found is None:
        return [TopicChange(False, None, "")] * len(numbers)
    changes = {
        finding.topic: finding
        for finding in found.findings
        if isinstance(finding, Change) and not unsure(finding)
    }
    writer = Writer(selection, {}, span=found.span)
    written = [writer.change(changes[k]) if k in changes else None for k in numbers]
    return [
        TopicChange(True, one, sentences.plain(one.parts, one.sure) if one else "")
        for one in written
    ]


def last_stored(run: Run) -> datetime | None:
    """When findings were last stored for a run: a cached page that shows some depends on it."""
    return Findings.objects.filter(snapshot=run.snapshot_id).aggregate(last=Max("made_at"))["last"]
