import pytest

from tests.template_types import wrong
from webapp.analysis.collocations.shapes import CollocationsHtml
from webapp.analysis.compare.shapes import CompareHtml
from webapp.analysis.effects.shapes import ClaimHtml, EffectsHtml
from webapp.analysis.findings.screen.overview_screen import OverviewHtml
from webapp.analysis.how_many.shapes import HowManyHtml
from webapp.analysis.keyness.shapes import KeynessHtml
from webapp.analysis.time.shapes import LinesHtml, TableHtml
from webapp.analysis.topics.shapes import TopicHtml, TopicsHtml, WordsThroughTimeHtml
from webapp.analysis.two_sets.shapes import ComparisonHtml
from webapp.analysis.words.shapes import SensesHtml
from webapp.core.documents.shapes import ColouredHtml, PassageHtml, TextHtml, WholeHtml
from webapp.core.notebooks.shapes import NotebookHtml
from webapp.core.runs.shapes import RunHtml
from webapp.platform import routes
from webapp.service.codebook.shapes import CodebookHtml, EstimatesHtml
from webapp.service.corpora.shapes import CorpusHtml, FilesHtml, ProblemsHtml, VocabularyHtml
from webapp.service.operations.shapes import OperatorHtml

HTML = {  # the type of what a template has beside its page
    "codebook/estimates.html": EstimatesHtml,
    "codebook/list.html": CodebookHtml,
    "compare/detail.html": CompareHtml,
    "collocations/network.html": CollocationsHtml,
    "collocations/two_sides.html": CollocationsHtml,
    "collocations/words.html": CollocationsHtml,
    "corpus/detail.html": CorpusHtml,
    "corpus/document.html": TextHtml,
    "corpus/files.html": FilesHtml,
    "corpus/problems.html": ProblemsHtml,
    "corpus/vocabulary.html": VocabularyHtml,
    "operator/index.html": OperatorHtml,
    "effects/claim.html": ClaimHtml,
    "effects/_variants.html": ClaimHtml,
    "effects/detail.html": EffectsHtml,
    "keyness/words.html": KeynessHtml,
    "notebook/detail.html": NotebookHtml,
    "passage.html": PassageHtml,
    "run/detail.html": RunHtml,
    "run/document.html": ColouredHtml,
    "run/whole.html": WholeHtml,
    "run/how_many.html": HowManyHtml,
    "run/overview.html": OverviewHtml,
    "run/passage.html": PassageHtml,
    "run/topic.html": TopicHtml,
    "run/topic_times.html": WordsThroughTimeHtml,
    "run/topics.html": TopicsHtml,
    "run/word.html": SensesHtml,
    "two_sets/compare.html": ComparisonHtml,
    "time/lines.html": LinesHtml,
    "time/table.html": TableHtml,
}


def templates() -> list[tuple[str, object]]:
    made = [view for _, view in routes.views() if hasattr(view, "templates")]
    return [(template, shape) for view in made for template, shape in view.templates.items()]


@pytest.mark.parametrize(
    ("template", "shape"), templates(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_template_reads_what_its_page_has(template, shape):
    assert wrong(template, page=shape, html=HTML.get(template)) == []
