"""The question that a finding answers, as addresses have it: on the page that answers it, and in the
other runs of the corpus."""

from urllib.parse import urlencode, urlsplit

from django.http import QueryDict

from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.shapes import FindingRow
from webapp.core.documents import document_days, fields
from webapp.core.documents.conditions import Range
from webapp.core.results.view import RunView


def effects(view: RunView, row: FindingRow) -> str:
    """The page that answers the finding's question; "" where there is none."""
    version = view.run.version
    if row.kind == "family" and (
        document_days.first_and_last(version) or fields.categories(version)
    ):
        topics = QueryDict(urlsplit(row.url).query)["topics"]
        return view.go("run_effects", asked=urlencode({"topic": topics}, safe=",")) + "#one"
    if row.kind == "keyword" and row.claims:
        question = question_of(row.kind, row.claims[0]) | {"counts": "documents"}
        return view.go("run_keyness", asked=urlencode(question))
    if row.topic is None or not _is_asked(row):
        return ""
    question = question_of(row.kind, row.claims[0])
    if question:
        topic = f"#topic-{row.topic.number}"
        return view.go("run_time_compare", asked=urlencode(question)) + topic
    parameters = {"effect": "spline(date)", "topic": row.topic.number}
    return view.go("run_effects", asked=urlencode(parameters)) + "#one"


def holds(view: RunView, row: FindingRow) -> str:
    """The address of the same question in the other runs of the corpus; "" where there is none, and
    of words, which are counted in the texts: no training changes them."""
    if row.topic is None or not _is_asked(row):
        return ""
    question = question_of(row.kind, row.claims[0])
    if not question:
        return ""
    return view.go("run_claim", asked=urlencode(question | {"topic": str(row.topic.number)}))


def _is_asked(row: FindingRow) -> bool:
    """Whether a finding is about two sets of documents and one topic."""
    return bool(row.claims) and row.kind in ("change", "mark")


def question_of(kind: str, claim: Claim) -> dict[str, str]:
    """The very question that a sentence answers, as the page that compares two sets has it: a group,
    a span or the chosen documents against all others; of what changed all along the last third
    against the first. Nothing of a line that an older program found."""
    if claim.steady:
        return {"from_a": claim.first, "to_b": claim.early} if claim.early else {}
    if kind == "mark" and not claim.field:
        return {"rest": "true"}
    if claim.bounds:
        return {"between_a": Range(claim.field, *claim.bounds).address}
    if claim.field:
        return {"in_a": f"{claim.field}:{claim.value}"}
    return {name: day for name, day in (("from_a", claim.first), ("to_a", claim.last)) if day}
