from tests.template_types import wrong
from webapp.compare.shapes import CompareHtml, ComparePage, MeasuresPage, PairPage
from webapp.words.views import WordsPage


def test_templates_read_what_their_page_has():
    assert wrong("compare/detail.html", page=ComparePage | PairPage, html=CompareHtml) == []
    assert wrong("compare/measures.html", page=MeasuresPage, html=None) == []
    assert wrong("run/words.html", page=WordsPage, html=None) == []
