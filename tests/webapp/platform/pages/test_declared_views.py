"""What a view takes is checked when the program starts, whatever the order of its parameters."""

from dataclasses import dataclass

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse

from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform import routes
from webapp.platform.accounts.access_rules import SEE
from webapp.platform.pages.typed import PageQuery, PageResponse, typed

RUN = "runs/<int:run_id>/seen"
CORPUS = "corpora/<int:corpus_id>/seen"


@dataclass(frozen=True)
class Seen:
    """A page that says nothing but this."""

    same: bool


@typed({})
def of_run(run: Run, page_query: PageQuery, kind: str) -> PageResponse[Seen]:
    return PageResponse(Seen(True))


@typed({})
def misspelt(run: Run, page_qery: PageQuery) -> PageResponse[Seen]:
    return PageResponse(Seen(True))


@typed({})
def set_first(
    selection: RunSelection, view: RunView, run: Run
) -> PageResponse[Seen] | HttpResponse:
    return HttpResponse(selection.view is view and view.run is run)


def test_what_an_address_gives_is_taken():
    assert routes.page(RUN, of_run, "seen", SEE, fixed={"kind": "words"})
    assert routes.page(f"{RUN}/<slug:kind>", of_run, "seen", SEE, example={"kind": "words"})
    assert routes.page(RUN, set_first, "seen", SEE)


@pytest.mark.parametrize(
    ("route", "view", "missing"),
    [
        (RUN, misspelt, "page_qery"),
        (RUN, of_run, "kind"),
        (CORPUS, misspelt, "run_id"),
        ("seen", set_first, "run_id or corpus_id"),
    ],
)
def test_what_nothing_gives_stops_the_program_at_its_start(route, view, missing):
    for declare in (routes.page, routes.form, routes.file):
        with pytest.raises(ImproperlyConfigured, match=f"takes {missing}, which"):
            declare(route, view, "seen", SEE)


@pytest.mark.django_db
def test_what_is_made_of_a_view_is_made_of_the_one_that_the_page_gets(rf, trained):
    assert set_first(rf.get("/"), run_id=trained.pk).content == b"True"
