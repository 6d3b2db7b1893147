"""A page is a type. A view's signature declares what its address asks for, and the type that it returns is what the
page shows: one value, rendered by a template or answered as JSON. Checks, schema and documentation are read from there.

    @typed("compare/detail.html")
    def compare(request: HttpRequest, *, run: Runs = (), after: int = 0) -> Answer[ComparePage]: ...

Keyword-only parameters come from the query string, the others from the path. Pages are frozen dataclasses: of the
standard library, as orjson writes them as they are (fields in their order), and pydantic reads their schema.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import NoneType, UnionType
from typing import Any, Generic, Literal, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from webapp.models import Run
from webapp.pages import page as pages
from webapp.pages.here import Here
from webapp.pages.run_links import RunLinks

T = TypeVar("T")
BEGINNING = "after"  # the parameter that says where a list begins
PART = "X-Part"  # the header by which a script asks for a part of a page alone


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a view returns. page: what HTML and JSON both show. html: makes what the template needs beside it, and is
    not called for JSON."""

    page: T
    html: Callable[[], object] | None = None
    status: int = 200


@dataclass(frozen=True)
class Parameter:
    """One of the query string. type: what the view gets, for the schema. read: makes it of all values that came."""

    name: str
    type: Any
    default: Any
    read: Callable[[str, list[str]], Any]

    def of(self, query: QueryDict) -> Any:
        values = [text for text in query.getlist(self.name) if text]  # a form sends fields that are empty, too
        return self.read(self.name, values) if values else self.default


def whole(name: str, values: list[str]) -> int:
    if not pages.is_whole(values[-1]):
        raise BadRequest(f"“{name}” in the address must be a whole number, got “{values[-1][:50]}”.")
    return int(values[-1])


def wholes(name: str, values: list[str]) -> list[int]:
    """Each once, as they come."""
    return list(dict.fromkeys(whole(name, [text]) for text in values))


def text(name: str, values: list[str]) -> str:
    """At most 1,000 characters, none of them a control character: Postgres takes no NUL."""
    return "".join(c for c in values[-1][:1000] if c.isprintable()).strip()


READERS: dict[Any, Callable[[str, list[str]], Any]] = {int: whole, str: text, list[int]: wholes}


def parameters(view: Callable) -> tuple[Parameter, ...]:
    """Those that a view declares. Raises TypeError, when the program starts, for a type that nothing reads."""
    hints = get_type_hints(view, include_extras=True)
    return tuple(
        Parameter(name.rstrip("_"), _plain(hints[name]), declared.default, _reader(name, hints[name], declared.default))
        for name, declared in inspect.signature(view).parameters.items()
        if declared.kind is declared.KEYWORD_ONLY
    )


def _reader(name: str, hint: Any, default: Any) -> Callable[[str, list[str]], Any]:
    if extras := getattr(hint, "__metadata__", ()):  # Annotated[list[int], at_most(12)]
        return extras[0]
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (member for member in get_args(hint) if member is not NoneType)
    if get_origin(hint) is Literal:  # pages take an order that they do not know for the usual one
        return lambda name, values: values[-1] if values[-1] in get_args(hint) else default
    if hint not in READERS:
        raise TypeError(f"nothing reads the parameter “{name}”: {hint}")
    return READERS[hint]


def _plain(hint: Any) -> Any:
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _shape(returned: Any) -> Any:
    """T of Answer[T], or of Answer[T] | HttpResponse where a view may redirect."""
    answers = [returned] if get_origin(returned) is Answer else get_args(returned)
    return next(get_args(answer)[0] for answer in answers if get_origin(answer) is Answer)


class View(Protocol):
    """What `typed` makes: a view for webapp.urls, and what is declared of it."""

    shape: Any
    parameters: tuple[Parameter, ...]
    answered: Callable[..., HttpResponse]  # of another view that shows the same page

    def __call__(self, request: HttpRequest, as_json: bool = False, **path: Any) -> HttpResponse: ...


def typed(template: str, **parts: str) -> Callable[[Callable[..., Answer | HttpResponse]], View]:
    """Decorator of a view that returns an Answer. The template has `page`, and `html` where the view makes it.

    parts: name -> template of a part that a script may ask for again by the header X-Part (static/js/part.js).
    """

    def decorate(view: Callable[..., Answer | HttpResponse]) -> View:
        asked, hints = parameters(view), get_type_hints(view)
        kept = tuple((p.name, get_origin(p.type) is list) for p in asked if p.name != BEGINNING)

        @require_safe
        @wraps(view)
        def view_of(request: HttpRequest, as_json: bool = False, **path: Any) -> HttpResponse:
            if hints.get("run") is Run and "run_id" in path:
                path["run"] = pages.run_or_404(path.pop("run_id"))
            offered: dict[str, Any] = {"here": Here(request.GET, kept), "as_json": as_json}
            if "go" in hints:
                offered["go"] = RunLinks.of(path["run"], request)
            given = {name: value for name, value in offered.items() if name in hints}
            answer = view(request, **path, **given, **{p.name: p.of(request.GET) for p in asked})
            return answer if isinstance(answer, HttpResponse) else answered(request, answer, as_json, **path)

        def answered(request: HttpRequest, answer: Answer, as_json: bool, **shown: Any) -> HttpResponse:
            if as_json:
                return pages.json_answer(request, answer.page, answer.status)
            shown |= {"page": answer.page, "html": answer.html() if answer.html else None}
            part = parts.get(request.headers.get(PART, ""))
            response = pages.page(request, part or template, shown, status=answer.status, typed=True)
            if parts:
                patch_vary_headers(response, [PART])
            return response

        made = cast(View, view_of)
        made.shape, made.parameters, made.answered = _shape(hints["return"]), asked, answered
        return made

    return decorate
