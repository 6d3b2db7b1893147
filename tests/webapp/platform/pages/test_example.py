"""The page that CONTRIBUTING.md shows is one."""

import sys
from types import ModuleType

import pytest
from django.conf import settings
from django.test import override_settings
from django.urls import include, path, resolve

import webapp.urls
from tests.contributing import examples
from tests.template_types import wrong
from webapp.core.results import measures
from webapp.models import Run
from webapp.platform import routes

pytestmark = pytest.mark.django_db

SECTION = "Add a page of a run"


@pytest.fixture
def shares(tmp_path, monkeypatch):
    """Its module, with its template and its address among the others."""
    (tmp_path / "run").mkdir()
    (template,) = examples(SECTION, "html")
    code, declaration = examples(SECTION, "python")
    (tmp_path / "run" / "shares.html").write_text(template, encoding="utf-8")
    module = ModuleType("shares_example")
    urls = ModuleType("shares_urls")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, urls.__name__, urls)
    exec(code, module.__dict__)
    namespace = vars(webapp.urls) | {"shares": module}
    exec(declaration, namespace)
    _, *declared = namespace["urlpatterns"]  # the first is "..."
    urls.urlpatterns = [*declared, path("", include("webapp.urls"))]
    (engine,) = settings.TEMPLATES
    with override_settings(
        ROOT_URLCONF=urls.__name__, TEMPLATES=[engine | {"DIRS": [tmp_path, *engine["DIRS"]]}]
    ):
        yield module


def test_the_page_of_contributing(client, trained, shares):
    url = f"/runs/{trained.pk}/shares"
    answer = client.get(f"{url}.json").json()
    largest = measures.of(trained)["share"].max()
    assert (
        list(answer) == ["sort", "orders", "topics", "next"]
        and answer["next"] == f"?after={shares.PAGE}"
    )
    assert len(answer["topics"]) == shares.PAGE and answer["topics"][0]["share"] == pytest.approx(
        largest
    )
    assert client.get(f"{url}.json?sort=number&after=5").json()["topics"][0]["number"] == 5
    assert client.get(f"{url}.json?after=x").status_code == 400
    html = client.get(f"{url}/?from=1795").content.decode()
    assert (
        f'href="/runs/{trained.pk}/topics/?from=1795"' in html
        and "?from=1795&amp;sort=number" in html
    )
    assert all(topic["label"] in html for topic in answer["topics"])


def test_a_run_without_topics_has_no_such_page(client, trained, shares):
    queued = Run.objects.create(
        corpus=trained.corpus, version=trained.version, settings=trained.settings
    )
    assert client.get(f"/runs/{queued.pk}/shares/").status_code == 404


def test_it_is_an_entry_of_a_menu_and_no_room(shares):
    """A run has five rooms, and no more (test_chosen_set.py)."""
    route = resolve("/runs/1/shares/").func.route
    assert route.tab.name == "Shares"
    assert route.tab.menu in {other.tab.menu for other in routes.declared() if other.tab} - {""}


def test_its_template_reads_what_its_type_has(shares, tmp_path):
    assert wrong("run/shares.html", page=shares.SharesPage, html=None) == []
    (tmp_path / "run" / "lost.html").write_text(
        "{{ page.sort }}{% for name in orders %}{{ name }}{% endfor %}"
    )
    assert wrong("run/lost.html", page=shares.SharesPage, html=None) == [
        "run/lost.html: nothing gives it “orders”"
    ]
    broken = type("Broken", (), {"__annotations__": {"sort": str}})
    fields = wrong("run/shares.html", page=shares.dataclass(broken), html=None)
    assert [line.rpartition(" ")[2] for line in fields] == ["“next”", "“orders”", "“topics”"]
