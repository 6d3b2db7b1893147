import pytest

from tests.template_types import wrong
from webapp import routes
from webapp.compare.shapes import CompareHtml

HTML = {"compare/detail.html": CompareHtml}  # the type of what a template has beside its page


def views():
    return [view for _, view in routes.views() if hasattr(view, "shape")]


@pytest.mark.parametrize("view", views(), ids=lambda view: view.template)
def test_a_template_reads_what_its_page_has(view):
    assert wrong(view.template, page=view.shape, html=HTML.get(view.template)) == []
