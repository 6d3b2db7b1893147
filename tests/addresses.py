"""The addresses that webapp.urls declares, as lists for the tests that walk all pages."""

from django.urls import reverse
from django.urls.resolvers import RoutePattern

from webapp.platform import routes
from webapp.platform.routes import Kind

# Where the test that asks has made none
NOBODYS = {
    "notebook_id": 10**12,
    "token": "x",
    "export_id": 10**12,
    "name": "x",
    "concept_id": 10**12,
    "course_id": 10**12,
    "form": "csv",
}
# Of corpora that are not read yet
OF_DRAFTS = ("corpus_prepare", "corpus_pseudonyms")
ROUTES = {route.name: route for route in routes.declared()}


def _of(*kinds: Kind) -> list[str]:
    return [route.name for route in ROUTES.values() if route.kind in kinds]


def _exemplified(kind: Kind) -> list[str]:
    return [name for name in _of(kind) if ROUTES[name].example is not None]


def _with_twins(names: list[str]) -> list[str]:
    return [
        twin
        for name in names
        for twin in (name, f"{name}_json")
        if twin == name or ROUTES[name].json
    ]


PAGES = [name for name in _exemplified(Kind.PAGE) if ROUTES[name].json]  # with a .json twin
OTHER = [name for name in _exemplified(Kind.PAGE) if not ROUTES[name].json]  # pages without
PROBES = _of(Kind.PROBE)  # tests/webapp/service/operations/test_health.py asks them
STREAMS = _of(Kind.STREAM)
FILES = _exemplified(Kind.FILE)
POSTS = _of(Kind.FORM)
TUS = _of(Kind.UPLOAD)  # tests/webapp/intake/ingest/test_uploads.py
# Made by the tests that ask for them.
ELSEWHERE = [
    *PROBES,
    *_with_twins([name for name, route in ROUTES.items() if route.example is None]),
]
# Without a parameter: never missing.
OF_ALL = _with_twins(
    [name for name in _of(Kind.PAGE, Kind.PROBE, Kind.FILE) if "<" not in ROUTES[name].route]
)


def names() -> set[str]:
    return set(_with_twins(list(ROUTES)))


def route_of(name: str) -> routes.Route:
    """Of a page or its twin."""
    return ROUTES[name.removesuffix("_json")]


def states(name: str) -> tuple[str, ...]:
    """Queries with which a page is looked at; the first is one with which it has something to
    show."""
    return route_of(name).states


def address(name: str, corpus: int, run: int, **more) -> str:
    """Its example: of a corpus and a run, and with other values of its parameters where `more` has
    them."""
    route = route_of(name)
    values = NOBODYS | (route.example or {}) | {"corpus_id": corpus, "run_id": run} | more
    return reverse(
        name,
        "webapp.urls",
        kwargs={key: values[key] for key in RoutePattern(route.route).converters},
    )
