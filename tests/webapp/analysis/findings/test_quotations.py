"""Where the sentences of a quotation begin and end, in texts that abbreviate."""

import pytest

from webapp.analysis.findings.quotations import (
    LONGEST_QUOTATION,
    SHORTEST_QUOTATION,
    find_sentences,
)

# Long enough that no two of them fit into one quotation
PLEA = "They asked " + "the leaders of the county " * 6 + "to oppose {} for the nomination{}"


def quotations(text: str) -> list[str]:
    return [text[start:end] for start, end in find_sentences(text, begins_document=True)]


@pytest.mark.parametrize(
    ("name", "behind"),
    [
        ("Mr. Wagner", "."),
        ("Gov. Daniel", "."),
        ("him in the Sept. 7 primary of New York", "."),
        ("him, as “Stop!” was all he heard,", "."),
        ("Allen H. Smith", "?"),
    ],
)
def test_a_quotation_neither_begins_nor_ends_behind_an_abbreviation(name, behind):
    sentence = PLEA.format(name, behind)
    assert SHORTEST_QUOTATION <= len(sentence) <= LONGEST_QUOTATION
    assert quotations(f"{sentence} {sentence}") == [sentence, sentence]


def test_a_quotation_begins_with_the_document_only_where_its_piece_does():
    sentence = PLEA.format("it", ".")
    assert find_sentences(sentence, begins_document=False) == []
    assert quotations(sentence) == [sentence]
