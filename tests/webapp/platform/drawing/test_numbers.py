"""How numbers are written."""

import pytest
from django.template import Context, Template

from webapp.platform.drawing.numbers import document_name, percent, strict


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "–"),
        (0, "0.0%"),
        (0.00001, "<0.01%"),
        (0.00005, "0.01%"),
        (0.0005, "0.05%"),
        (0.0015, "0.15%"),
        (0.002, "0.2%"),
        (0.042, "4.2%"),
        (0.42, "42%"),
    ],
)
def test_shares(share, said):
    assert percent(share) == said


def test_a_level_beyond_the_usual_one_is_told_from_it():
    assert not strict(0.95) and strict(0.9602) and strict(1 - 0.05 / 60)


def test_a_number_that_names_something_has_no_separator_and_a_count_has():
    page = Template(
        "{% load numbers %}Run {{ n }}, {{ n|count }} words, {{ rate|floatformat:'1g' }}"
        ' <a id="many-{{ n }}">'
    )
    rendered = page.render(Context({"n": 1234, "rate": 2345.67}))
    assert rendered == 'Run 1234, 1,234 words, 2,345.7 <a id="many-1234">'


def test_a_document_is_called_by_its_title_else_by_its_number():
    assert document_name("First Inaugural", 312) == "First Inaugural"
    assert document_name("", 312) == "Document 312"
    page = Template("{% load numbers %}{{ title|document_name:number|truncatechars:9 }}")
    assert page.render(Context({"title": "", "number": 4_312})) == "Document…"
    assert document_name("", 4_312) == "Document 4,312"
