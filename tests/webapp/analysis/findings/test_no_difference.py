"""What is said of a field without differences, where there may be nothing to say it of."""

from types import SimpleNamespace

from webapp.analysis.findings.finding import EarlierFindings
from webapp.analysis.findings.kinds.keywords import Keywords
from webapp.analysis.findings.kinds.mark import Mark
from webapp.analysis.findings.kinds.no_difference import NoDifference


def test_of_a_set_without_topics_nothing_is_said():
    """As of documents that have general talk alone: the largest difference of no topics broke it."""
    earlier = EarlierFindings()
    earlier.add(Mark, [])
    earlier.add(Keywords, [])
    field_answers = SimpleNamespace(
        field=SimpleNamespace(name="party"), answers={0: SimpleNamespace()}, topics=[]
    )
    document_set = SimpleNamespace(
        documents=3, group_fields=[SimpleNamespace(field_answers=field_answers)]
    )
    assert NoDifference.find(document_set, earlier) == []
