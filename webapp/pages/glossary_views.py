"""The glossary: what pages mean by their words."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from webapp.pages.glossary import TERMS
from webapp.pages.page import page


@require_safe
def index(request: HttpRequest, as_json: bool = False) -> HttpResponse:
    data = {"terms": {slug: term._asdict() for slug, term in TERMS.items()}}
    return page(
        request,
        "glossary.html",
        data,
        as_json=as_json,
        ordered=sorted(TERMS.items(), key=lambda item: item[1].name.lower()),
    )
