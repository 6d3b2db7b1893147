"""Cross-site scripting, stored and reflected: nothing that strangers wrote comes to life on any
page, or in any page that is taken away."""

import io
import re
import zipfile

import pytest
from django.http import HttpResponse
from django.urls import reverse
from markdown_it import MarkdownIt

from tests.attacks.conftest import Stranger
from tests.attacks.hostile import EVERYTHING, MARKUP, PWN, alive
from tests.conftest import ROOT
from tests.webapp.taking import taken
from webapp.models import Run
from webapp.service.exports import site

pytestmark = pytest.mark.django_db
REFLECTED = (
    "q",
    "word",
    "words",
    "topics",
    "group",
    "drop",
    "in",
    "between",
    "has",
    "from",
    "to",
    "by",
    "sort",
    "order",
    "after",
    "show",
    "text",
    "next",
    "x><b",
)


@pytest.mark.parametrize("payload", MARKUP)
def test_the_parser_finds_each_attack(payload):
    """So that the tests below can fail: as text, or in an attribute that is not escaped, each
    payload is found."""
    assert (
        alive(f"<p>{payload}</p>")
        or alive(f"<input value='{payload}'>")
        or alive(f'<input value="{payload}">')
        or alive(f"<a href='{payload}'>x</a>")
    )


@pytest.fixture(scope="module")
def answers(hostile, django_db_blocker) -> dict[str, HttpResponse]:
    """address -> answer, of everything that can be asked for with GET."""
    stranger = Stranger()
    with django_db_blocker.unblock():
        return {url: stranger.get(url) for url in hostile.pages()}


def test_stored(answers):
    wrong = []
    pages = 0
    for url, response in answers.items():
        if not response.get("Content-Type", "").startswith("text/html") or response.get(
            "Content-Disposition"
        ):
            assert (
                response["X-Content-Type-Options"] == "nosniff"
                and "sandbox" in response["Content-Security-Policy"]
            ), url
            continue
        assert response.status_code in (200, 404), (url, response.status_code)
        pages += 1
        wrong += [f"{url}: {found}" for found in alive(response.content)]
    assert not wrong and pages > 45


def test_stored_payloads_are_shown(answers):
    """Escaped, not lost: else the test above would prove nothing."""
    shown = [
        url
        for url, answer in answers.items()
        if PWN.replace("=", "&#x3D;") in (body := answer.content.decode(errors="replace"))
        or PWN in body
    ]
    assert len(shown) > 40


def test_reflected(stranger, hostile):
    wrong = []
    for url in hostile.pages():
        path = url.split("?")[0]
        if url != path or not path.endswith("/"):
            continue
        for query in (
            dict.fromkeys(REFLECTED, EVERYTHING),
            {"q": EVERYTHING},
            {"word": EVERYTHING, "text": EVERYTHING},
        ):
            answer = stranger.get(path, query)
            assert answer.status_code < 500, (path, answer.status_code)
            wrong += [f"{path}: {found}" for found in alive(answer.content or b"<p>")]
    assert not wrong


@pytest.mark.parametrize(
    "path",
    [
        "/" + MARKUP[0],
        "/runs/" + MARKUP[0] + "/",
        "/shared/" + MARKUP[0],
        "/runs/1/export/" + MARKUP[1],
    ],
)
def test_an_address_that_is_not_there(stranger, path):
    response = stranger.get(path)
    assert response.status_code == 404 and not alive(response.content)


def test_a_word_of_the_address(stranger, hostile):
    for name in ("run_word", "run_topic_word"):
        values = {"run_id": hostile.run, "word": MARKUP[0].replace("/", "")} | (
            {"number": 1} if name == "run_topic_word" else {}
        )
        assert not alive(stranger.get(reverse(name, kwargs=values)).content)


def test_a_notebook_that_is_taken_away(stranger, hostile):
    page = stranger.get(reverse("notebook_html", args=[hostile.notebook]))
    html = page.content.decode()
    found = [wrong for wrong in alive(html) if not wrong.startswith("<style")]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)[1]
    assert not found and "default-src 'none'" in policy and "unsafe" not in policy
    assert (
        page["Content-Disposition"].startswith("attachment")
        and "sandbox" in page["Content-Security-Policy"]
    )
    markdown = stranger.get(reverse("notebook_md", args=[hostile.notebook])).content.decode()
    # A renderer that lets markup through
    lively = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    assert PWN in lively and not alive(lively)


def test_pages_of_a_folder_that_are_taken_away(hostile):
    run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=hostile.run)
    archive = zipfile.ZipFile(io.BytesIO(b"".join([taken(run, "site.zip")])))
    pages = [name for name in archive.namelist() if name.endswith(".html")]
    assert len(pages) == 2 + run.topics and site
    for name in pages:
        html = archive.read(name).decode()
        assert not alive(html) and "default-src 'none'" in html, name


def test_pages_of_a_folder_with_a_search_run_the_folders_scripts_alone(hostile):
    run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=hostile.run)
    archive = zipfile.ZipFile(io.BytesIO(b"".join([taken(run, "site-texts.zip")])))
    for name in archive.namelist():
        if not name.endswith(".html"):
            continue
        html = archive.read(name).decode()
        if name == "search.html":
            for script in ('<script src="texts.js"></script>', '<script src="search.js"></script>'):
                assert html.count(script) == 1
                html = html.replace(script, "")
        assert not alive(html) and "default-src 'none'" in html, name
    assert PWN in archive.read("texts.js").decode(), "as data"


def test_scripts_make_no_markup_of_text():
    """Our modules have no way from a string to markup or code."""
    ways = re.compile(
        r"\.(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new"
        r" Function|createContextualFragment|setTimeout\(\s*[\"'`]|srcdoc|setAttribute\(\s*[\"'](on|style)"
    )
    modules = sorted((ROOT / "static" / "js").glob("*.js"))
    modules.append(ROOT / "templates" / "site" / "search.js")
    assert len(modules) > 20 and not [
        (path.name, found[0])
        for path in modules
        if (found := ways.search(path.read_text(encoding="utf-8")))
    ]


def test_templates_trust_no_text():
    """`safe` and `autoescape off` stand where what they let through is ours."""
    let = {"templates/notebook/export.html": ["style|safe"]}  # our own style sheet
    for path in sorted((ROOT / "templates").rglob("*.html")):
        found = re.findall(
            r"[\w.]+\|(?:safe|safeseq)\b|autoescape off", path.read_text(encoding="utf-8")
        )
        assert found == let.get(str(path.relative_to(ROOT)), []), path
