"""How an address is declared: its route and view, who may ask for it, how heavy it is, its JSON,
its tab, an example for the tests.

webapp/urls.py declares every address with the functions below, and nothing else says any of it
again: the view that Django resolves carries its `Route`, which the authorization middleware, the
concurrency limiter, the navigation of a run and the tests read. An address without an access rule
can't be declared.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial, update_wrapper
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.urls import ResolverMatch, URLPattern, URLResolver, get_resolver, path
from django.urls.converters import IntConverter
from django.urls.resolvers import RoutePattern

from webapp.platform.accounts.access_rules import Rule

GIVEN = {"corpus_id", "run_id"}  # parameters that every test has a value of


class Kind(Enum):
    """What is at an address."""

    PAGE = auto()  # HTML; it may take forms, too
    FORM = auto()  # takes a form by POST, and nothing else
    FILE = auto()  # a download, or data that a script asks for
    STREAM = auto()  # events, until the reader goes
    UPLOAD = auto()  # the tus protocol
    PROBE = auto()  # for machines: health and metrics
    INCLUDED = auto()  # of a list that a library makes


class Load(Enum):
    """What a request costs, by which webapp.platform.server.concurrency limits how many are
    answered at once."""

    UNLIMITED = auto()  # next to nothing, and never refused
    PAGE = auto()  # well below a second
    HEAVY = auto()  # seconds of work on a large corpus
    FILE = auto()  # a thread as long as it is sent
    UPLOAD = auto()
    STREAM = auto()  # neither a thread nor a connection, for hours


@dataclass(frozen=True)
class Tab:
    """A link in the navigation of a run: one of its rooms, or an entry of one of its menus."""

    name: str
    key: str = ""  # keys that lead there, such as "g t"
    menu: str = ""  # "Actions" or "Export"; of a room it is empty


@dataclass(frozen=True, eq=False)
class Route:
    """All that is declared of one address; a page and its .json twin share one."""

    route: str  # without the slash or ".json" at its end
    name: str
    kind: Kind
    access: Rule
    load: Load | Callable[[HttpRequest], Load] = Load.PAGE
    json: Any = None  # the type of its .json address; None: it has none
    # Values of its parameters; None: only a test can make one
    example: dict | None = field(default_factory=dict)
    states: tuple[str, ...] = ("",)  # queries with which it is looked at
    tab: Tab | None = None
    # its form may be answered anew where that failed: it changes only what it finds as it was
    repeatable: bool = False
    # its form is checked by the schema of what comes in, which refuses a NUL; else it is taken out
    schema: bool = False
    under: str = ""  # the name of the page whose tab it is under, where its address does not say so

    def load_of(self, request: HttpRequest) -> Load:
        """What a request of this address costs, by which it is limited."""
        return self.load if isinstance(self.load, Load) else self.load(request)


def page(
    route: str, view: Callable, name: str, access: Rule, *, fixed: dict | None = None, **options
) -> list[URLPattern]:
    """`route/`, a page, and if its view returns a PageResponse (webapp.platform.pages.typed) also
    `route.json`, the same as data.

    fixed: arguments of the view that are not in the address. options: fields of Route.
    """
    json = getattr(view, "shape", None)
    declared = _check_route(Route(route, name, Kind.PAGE, access, json=json, **options))
    _check_view(view, declared, fixed)
    patterns = [_pattern(f"{route}/" if route else "", view, name, declared, fixed)]
    if json is not None:
        patterns.append(
            _pattern(
                f"{route}.json", view, f"{name}_json", declared, {**(fixed or {}), "as_json": True}
            )
        )
    return patterns


def form(
    route: str, view: Callable, name: str, access: Rule, *, fixed: dict | None = None, **options
) -> URLPattern:
    """`route/`, which takes a form by POST."""
    declared = _check_route(Route(route, name, Kind.FORM, access, **options))
    _check_view(view, declared, fixed)
    return _pattern(f"{route}/", view, name, declared, fixed)


def file(
    route: str, view: Callable, name: str, access: Rule, *, fixed: dict | None = None, **options
) -> URLPattern:
    """`route`, a download; load=Load.PAGE where it is as small as a page."""
    options = {"load": Load.FILE, **options}
    declared = _check_route(Route(route, name, Kind.FILE, access, **options))
    _check_view(view, declared, fixed)
    return _pattern(route, view, name, declared, fixed)


def stream(route: str, view: Callable, name: str, access: Rule) -> URLPattern:
    """`route`, server-sent events."""
    return _pattern(
        route, view, name, _check_route(Route(route, name, Kind.STREAM, access, Load.STREAM))
    )


def upload(route: str, view: Callable, name: str, access: Rule) -> URLPattern:
    """`route/`, an address of the tus protocol; tests make their own uploads."""
    return _pattern(
        f"{route}/", view, name, Route(route, name, Kind.UPLOAD, access, Load.UPLOAD, example=None)
    )


def probe(route: str, view: Callable, name: str, access: Rule) -> URLPattern:
    """`route`, which a machine asks every few seconds."""
    return _pattern(route, view, name, Route(route, name, Kind.PROBE, access, Load.UNLIMITED))


def included(
    root: str, of_library: tuple, access: Rule, but: dict[str, Rule] | None = None
) -> URLResolver:
    """Addresses that a library makes, as `include` gives them: all with one rule, `but` some, by
    their routes below `root`. Raises ImproperlyConfigured for one that the library does not have,
    as its rule would be lost."""
    patterns, app_name, namespace = of_library
    rules = _Rules(access, but or {})
    declared = rules.declare(getattr(patterns, "urlpatterns", patterns))
    if rules.unused:
        raise ImproperlyConfigured(f"No address below “{root}” is {', '.join(rules.unused)}.")
    return path(root, (declared, app_name, namespace))


class _Rules:
    """Those of the addresses of a library: `access`, `but` some by their routes."""

    def __init__(self, access: Rule, but: dict[str, Rule]):
        self.access = access
        self.but = but
        self.unused = set(but)

    def declare(self, patterns: list, root: str = "") -> list[URLPattern | URLResolver]:
        """The library's patterns, each with its Route."""
        return [self._declare_one(pattern, root) for pattern in patterns]

    def _declare_one(
        self, pattern: URLPattern | URLResolver, root: str
    ) -> URLPattern | URLResolver:
        route = root + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            below = self.declare(pattern.url_patterns, route)
            kwargs = pattern.default_kwargs
            return URLResolver(pattern.pattern, below, kwargs, pattern.app_name, pattern.namespace)
        self.unused.discard(route)
        access = self.but.get(route, self.access)
        declaration = Route(route, pattern.name or "", Kind.INCLUDED, access, example=None)
        view = _carrying(pattern.callback, declaration)
        return URLPattern(pattern.pattern, view, pattern.default_args, pattern.name)


def declared_for(match: ResolverMatch) -> Route | None:
    """What is declared of an address that was resolved."""
    return getattr(match.func, "route", None)


def declared() -> Iterator[Route]:
    """All of ours in the order of webapp/urls.py, each once; not those of libraries."""
    return (route for route, _ in views())


def views() -> Iterator[tuple[Route, Callable]]:
    """Every declared route with its view."""
    for pattern in get_resolver("webapp.urls").url_patterns:
        if not isinstance(pattern, URLPattern):
            continue
        route: Route = pattern.callback.route  # type: ignore[attr-defined]  # of _carrying
        if pattern.name == route.name:
            yield route, pattern.callback


def arguments(route: Route) -> dict[str, str]:
    """What its path names, and whether that is an "integer" or a "string"."""
    converters = RoutePattern(route.route).converters
    return {
        name: "integer" if isinstance(kind, IntConverter) else "string"
        for name, kind in converters.items()
    }


def readable(route: Route) -> str:
    """The address as OpenAPI writes it: runs/{run_id}/words."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.route)


def _check_route(route: Route) -> Route:
    """Raises ImproperlyConfigured where there is no access rule, or a parameter has no example."""
    if not isinstance(route.access, Rule):
        raise ImproperlyConfigured(
            f"“{route.name}” needs an access rule of webapp.platform.accounts.access_rules."
        )
    missing = RoutePattern(route.route).converters.keys() - GIVEN - (route.example or {}).keys()
    if route.example is not None and missing:
        raise ImproperlyConfigured(
            f"“{route.name}” needs an example of {', '.join(sorted(missing))}."
        )
    return route


def _check_view(view: Callable, route: Route, fixed: dict | None) -> None:
    """Raises ImproperlyConfigured where a view (webapp.platform.pages.typed) takes what neither its
    address nor anything else gives it."""
    of_address = RoutePattern(route.route).converters.keys() | (fixed or {}).keys()
    for names in getattr(view, "required", ()):
        if not of_address.intersection(names):
            raise ImproperlyConfigured(
                f"The view of “{route.name}” takes {' or '.join(names)}, which its address does"
                " not name."
            )


def _pattern(
    route: str, view: Callable, name: str, declared: Route, fixed: dict | None = None
) -> URLPattern:
    return path(route, _carrying(view, declared), fixed, name=name)


def _carrying(view: Callable, route: Route) -> Callable:
    """The view for one address, with `route` as an attribute: views that several addresses have are
    one function."""
    carrying = update_wrapper(partial(view), view)
    carrying.route = route  # type: ignore[attr-defined]  # functions take attributes
    return carrying
