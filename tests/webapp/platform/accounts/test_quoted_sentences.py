"""Whether a quotation is whole sentences."""

import pytest

from webapp.platform.accounts.embargo import sentences


@pytest.mark.parametrize(
    ("before", "quotation", "behind", "begins", "ends"),
    [
        ("He left. ", "She stayed.", " Then", True, True),
        ("in ", "The precompiled tars", " are", False, False),
        ("He said: “Go.” ", "“We go!”", " they", True, True),
        ("\n  * ", "Don't run it", "\n  * Run", True, True),
        ("", "Don't run it, we", " said", False, False),
        ("A heading\n\n", "The text", "\n\nMore", True, True),
        ("他走了。", "她留下。", "然后", True, True),
    ],
)
def test_where_a_sentence_begins_and_ends(before, quotation, behind, begins, ends):
    assert sentences.begins(before) == begins
    assert sentences.ends(quotation, behind) == ends
