"""The pin that CONTRIBUTING.md adds is one that a notebook keeps."""

import pytest

from tests.contributing import examples
from webapp.core.notebooks import pin_contents, services as notebooks
from webapp.core.results import links
from webapp.core.results.view import RunView

pytestmark = pytest.mark.django_db


def test_the_pin_of_contributing(trained):
    (code,) = examples("Add a pin of a page", "python")
    namespace: dict = {}
    exec(code, namespace)
    view = RunView(trained)
    topics = [links.topic_share(view, number, 0.25) for number in range(2)]
    chart = namespace["pin_shares"](topics)
    table = vars(chart.table)
    content = pin_contents.of_chart(trained, chart.title, "/", chart.sentence, table, chart.level)
    pin = notebooks.pin(notebooks.create("New", "owner"), content, "", "owner")
    assert pin.sentence == "Each topic’s share of the words."
    assert pin.table["rows"] == [[topic.with_label, 0.25] for topic in topics]
