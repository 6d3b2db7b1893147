"""What many texts share word for word: menus, notices, headings of forms."""

import pytest

from webapp.intake.ingest.shaping import (
    blank_silent,
    certain_rules,
    is_rule,
    ordered_rules,
    rule_of,
    rule_shares,
)
from webapp.intake.ingest.shaping.shared import LONGEST_RULE_NAME, MOST_RULES, find_rules

WORDS = (
    "river harvest tariff wool hospital fever harbour union teacher lesson bridge channel".split()
)


def own(number: int, words: int = 40) -> str:
    """A text of which no other has six words in the same order."""
    return " ".join(
        f"{WORDS[(number * 7 + i * i) % 12]}{chr(97 + number % 26)}" for i in range(words)
    )


def page(number: int, notice: str) -> str:
    return f"Filter\nSearch this site\n{own(number)}\n{notice}\nShare"


NOTICE = (
    "We use cookies to improve your experience: accept all, or read more in our policy of 2024."
)


@pytest.fixture
def pages():
    return [page(i, NOTICE) if i % 3 == 0 else own(i, 80) for i in range(30)]


def test_what_a_group_of_texts_shares_is_found_and_proposed(pages):
    names = find_rules(pages)
    assert {"line:Filter", "line:Search this site"} < names.keys()
    (notice,) = (name for name in names if name.startswith("all:"))
    assert all(names[name] == pytest.approx(1 / 3) for name in names)
    assert set(certain_rules(pages)) >= names.keys() and set(rule_shares(pages)) >= names.keys()
    left = blank_silent(pages[0], names)
    assert left.split() == own(0).split() and len(left) == len(pages[0])
    assert blank_silent(pages[1], names) == pages[1]
    assert "in many texts" in rule_of(notice).label


def test_a_long_notice_is_known_by_its_first_and_last_words():
    notice = " ".join(f"word{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10]}" for i in range(60))
    texts = [f"{own(i, 80)}\n{notice}" for i in range(12)]
    (name,) = find_rules(texts)
    assert len(name) <= LONGEST_RULE_NAME and " … " in name and is_rule(name)
    assert blank_silent(texts[0], [name]).split() == own(0, 80).split()


def test_numbers_in_it_may_differ():
    texts = [f"{own(i)}\nPrinted on page {i} of {i + 90} by the editors" for i in range(12)]
    (name,) = find_rules(texts)
    assert blank_silent("Printed on page 77 of 1 by the editors", [name]).strip() == ""


def test_a_line_of_few_words_is_left_out_only_where_it_is_alone():
    text = "Share\nWe share the harvest.\n  share: \nSHARED"
    assert blank_silent(text, ["line:Share"]).split() == "We share the harvest. : SHARED".split()


@pytest.mark.parametrize(
    "texts",
    [
        [own(i) for i in range(20)],  # nothing is shared
        [own(1)] * 20,  # copies of one text
        ["\n".join(own(i).split()[:5] * 8) for i in range(20)],  # a word a line
        [f"{own(i)}\nShare" for i in range(4)],  # too few
        [f"{own(i)}\n{i}" for i in range(20)],  # numbers of pages
        [],
    ],
)
def test_what_is_no_furniture(texts):
    assert find_rules(texts) == {}


def test_no_more_rules_than_a_corpus_keeps():
    texts = [own(i) + "".join(f"\nButton {chr(97 + j)}{j}x" for j in range(30)) for i in range(10)]
    assert len(find_rules(texts)) <= MOST_RULES
    names = [f"line:Button {i}" for i in range(40)]
    assert len(ordered_rules(names)) == MOST_RULES
