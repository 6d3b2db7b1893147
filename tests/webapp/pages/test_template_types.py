import pytest

from tests.template_types import wrong
from webapp import routes
from webapp.compare.shapes import CompareHtml
from webapp.topics.shapes import OverviewHtml, TopicHtml

HTML = {  # the type of what a template has beside its page
    "compare/detail.html": CompareHtml,
    "run/topic.html": TopicHtml,
    "run/topics.html": OverviewHtml,
}


def templates() -> list[tuple[str, object]]:
    made = [view for _, view in routes.views() if hasattr(view, "templates")]
    return [(template, shape) for view in made for template, shape in view.templates.items()]


@pytest.mark.parametrize(("template", "shape"), templates(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_template_reads_what_its_page_has(template, shape):
    assert wrong(template, page=shape, html=HTML.get(template)) == []
