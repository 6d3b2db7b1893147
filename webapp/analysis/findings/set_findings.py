"""All findings of a set of documents, as they are stored: numbers, which
webapp.analysis.findings.sentence_writer says.

The order of a type's fields is that of its JSON. Fields that older rows lack have defaults; what a
type does not name is not read.
"""

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from webapp.analysis.findings.kinds import Finding
from webapp.analysis.findings.quotations import Quote


@dataclass(frozen=True)
class SetFindings:
    """All that is stored of a set of documents. span: the first and the last period, as readers say
    them; ends: the same as addresses have them; unit: the length of a period, as rows and JSON call
    it; bins: what the points of each line are. findings: of a kind the best first. failed: kinds
    that could not be computed. independent: the name of the field that was the unit, "" for
    documents (documents.corpus_unit). too_few_in_order: of its values, that follow one another in
    time (presidents), how many there are, where these are too few to tell a change of time from one
    of who speaks; else 0. outdated: whether an older program computed them; never stored."""

    documents: int
    tokens: int
    unit: str
    span: list[str]
    bins: list[str]
    quotes: list[Quote]
    findings: list[Finding]
    failed: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    independent: str = ""
    too_few_in_order: int = 0
    outdated: bool = False


STORED = TypeAdapter(SetFindings)
FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)
