"""What is said of a field without differences, where there may be nothing to say it of."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from webapp.analysis.findings.finding import EarlierFindings
from webapp.analysis.findings.kinds.keywords import Keywords
from webapp.analysis.findings.kinds.mark import Mark
from webapp.analysis.findings.kinds.no_difference import NoDifference
from webapp.analysis.findings.sentence_writer import SentenceWriter


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


def document_set_of(
    units: tuple[int, int], difference: float, unit: str = "maintainer"
) -> SimpleNamespace:
    """Packages of which no topic clearly differs. units: of one of them and of all others."""
    answers = SimpleNamespace(
        accepted=np.zeros(2, bool),
        difference=np.array([0.01, difference]),
        units=units,
        obstacle=None,
    )
    field_answers = SimpleNamespace(
        field=SimpleNamespace(name="package", labels=["dpkg", "chromium"]),
        answers={1: answers},
        topics=[0, 1],
        unit=SimpleNamespace(name=unit),
    )
    return SimpleNamespace(
        documents=300,
        group_fields=[SimpleNamespace(field_answers=field_answers)],
        subjects=np.ones(2, bool),
    )


@pytest.mark.parametrize(
    ("units", "difference", "unit", "sentence"),
    [
        (
            (6, 90),
            -0.61,
            "maintainer",
            "Package: its groups differ, but each has texts of too few different maintainers to tell"
            " whether by chance",
        ),
        (
            (6, 90),
            -0.61,
            "",
            "Package: its groups differ, but each has too few documents to tell whether by chance",
        ),
        ((6, 90), 0.02, "maintainer", "Package: no topic differs by more than chance"),
        ((60, 90), 0.61, "maintainer", "Package: no topic differs by more than chance"),
    ],
)
def test_too_few_to_tell_is_no_absence_of_a_difference(units, difference, unit, sentence):
    """“No topic differs by more than chance” was said of 0.06% and 61% of the words, as six
    maintainers wrote one of the packages."""
    earlier = EarlierFindings()
    earlier.add(Mark, [])
    earlier.add(Keywords, [])
    (row,) = NoDifference.find(document_set_of(units, difference, unit), earlier)
    writer = SimpleNamespace(run=SimpleNamespace(pk=1), selection=SimpleNamespace(address=str))
    assert "".join(row.say(cast(SentenceWriter, writer)).parts) == sentence
