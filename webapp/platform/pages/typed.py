"""A page is a type. The signature of a view declares what its address asks for, and the type that
it returns is what the page shows: one value, which a template renders or a .json address answers.
README.md beside this file says how to write such a page.

Pages are frozen dataclasses of the standard library: orjson writes them as they are (fields in
their order), and pydantic makes their schema.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods

from inference.errors import Invalid
from webapp.platform.pages import page as pages
from webapp.platform.pages.not_yet import NotYet, status_of
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.typed_text import as_in_texts

T = TypeVar("T")
# Makes a parameter of its name and all values that came
ParameterParser = Callable[[str, list[str]], Any]
MOST_CHARACTERS = 1_000  # of a text in an address
QUOTED = 50  # characters of a wrong one, in a sentence
OFFERED = ("request", "page_query", "as_json", "posted")  # to every view
OWNERS = {"run": "run_id", "corpus": "corpus_id"}  # by what a path names them
PART_HEADER = "X-Part"  # the header by which a script asks for a part of a page alone
# Defaults of a view's lists, which no view changes: an address that says none
NO_TEXTS: list[str] = []
NO_NUMBERS: list[int] = []


@dataclass(frozen=True)
class PageResponse(Generic[T]):
    """What a view returns. page: what HTML and JSON both show. html: makes what the template needs
    beside it, and is not called for JSON. status: None for 200, or 202 while a worker makes the
    page (not_yet). invalid: what was asked can't be done, as the page says; as JSON it is raised."""

    page: T
    html: Callable[[], object] | None = None
    status: int | None = None
    invalid: Invalid | None = None

    @property
    def status_code(self) -> int:
        return status_of(self.page) if self.status is None else self.status


@dataclass(frozen=True)
class HtmlPageResponse(PageResponse[T]):
    """The answer of a page without a .json address: it may hold forms and rows of the database."""


@dataclass(frozen=True)
class Parameter:
    """One of the query string. type: what the view gets, for the schema. read: makes it of all
    values that came."""

    name: str
    type: Any
    default: Any
    read: ParameterParser

    def value(self, query: QueryDict) -> Any:
        """Raises BadRequest for what can't be understood."""
        # A form sends fields that are empty, too
        values = [text for text in query.getlist(self.name) if text]
        return self.read(self.name, values) if values else self.default


def read_whole(name: str, values: list[str]) -> int:
    """The last value, as a whole number of 0 or more. Raises BadRequest."""
    return pages.number_in_address(name, values[-1])


def wholes(name: str, values: list[str]) -> list[int]:
    """Each once, as they come."""
    return list(dict.fromkeys(read_whole(name, [text]) for text in values))


def text(name: str, values: list[str]) -> str:
    """At most MOST_CHARACTERS, none of them a control character: Postgres takes no NUL."""
    return as_in_texts(values[-1][:MOST_CHARACTERS])


def texts(name: str, values: list[str]) -> list[str]:
    """All values, each as `text` reads it."""
    return [text(name, [value]) for value in values]


def flag(name: str, values: list[str]) -> bool:
    """Any value is a yes."""
    return True


def read_cursor(name: str, values: list[str]) -> tuple[float, int]:
    """Where a page of ranked results begins: "weight,number", as the page before gave it."""
    begin = pages.place_in_list(values[-1])
    if begin is None:
        raise BadRequest(
            f"“{name}” in the address must be two numbers, got “{values[-1][:QUOTED]}”."
        )
    return begin


Cursor = Annotated[tuple[float, int] | None, read_cursor]
PARSERS: dict[Any, ParameterParser] = {
    int: read_whole,
    str: text,
    bool: flag,
    list[int]: wholes,
    list[str]: texts,
}


def parameters(view: Callable) -> dict[str, Parameter]:
    """Those that a view declares: its keyword-only parameters, by their names in Python. Raises
    TypeError, when the program starts, for a type that nothing reads."""
    hints = get_type_hints(view, include_extras=True)
    plain = get_type_hints(view)
    declared = {}
    for name, parameter in inspect.signature(view).parameters.items():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        default = parameter.default
        parser = _parser(name, hints[name], default)
        declared[name] = Parameter(_in_address(name), plain[name], default, parser)
    return declared


def _in_address(name: str) -> str:
    """`lambda_` is “lambda” in the address and in JSON, as Python has that word for itself."""
    return name.removesuffix("_")


def _parser_of_choices(choices: tuple, default: Any) -> ParameterParser:
    """Pages take an order that they do not know for the usual one."""

    def read(name: str, values: list[str]) -> Any:
        return values[-1] if values[-1] in choices else default

    return read


def _parser(name: str, hint: Any, default: Any) -> ParameterParser:
    if extras := getattr(hint, "__metadata__", ()):  # Annotated[list[int], at_most_12]
        return extras[0]
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (member for member in get_args(hint) if member is not NoneType)
    if get_origin(hint) is Literal:
        return _parser_of_choices(get_args(hint), default)
    if hint not in PARSERS:
        raise TypeError(f"nothing reads the parameter “{name}”: {hint}")
    return PARSERS[hint]


def _page_type(returned: Any) -> tuple[Any, bool]:
    """T of PageResponse[T], or of PageResponse[T] | HttpResponse where a view may redirect; and
    whether it has JSON."""
    kinds = (PageResponse, HtmlPageResponse)
    hints = [returned] if get_origin(returned) in kinds else get_args(returned)
    page_response = next(hint for hint in hints if get_origin(hint) in kinds)
    return get_args(page_response)[0], get_origin(page_response) is PageResponse


class View(Protocol):
    """What `typed` makes: a view for webapp.urls, and what is declared of it."""

    shape: Any
    """The type of the page's JSON; None without."""
    templates: dict[str, Any]
    """Each with the type that it shows."""
    required: list[Collection[str]]
    """What the path of its address must name: of each group one. webapp.platform.routes checks it
    when the program starts."""
    parameters: dict[str, Parameter]
    """Those of the query string, by their names in Python."""
    asked: Callable[[QueryDict], dict[str, Any]]
    """The parameters of an address, as the view gets them."""
    respond: Callable[..., HttpResponse]
    """Makes the response of another view that shows the same page."""

    def __call__(
        self, request: HttpRequest, as_json: bool = False, **path: Any
    ) -> HttpResponse: ...


def typed(
    template: str | Mapping[type, str], restricted: bool = True, **parts: str
) -> Callable[[Callable[..., PageResponse | HttpResponse]], View]:
    """Decorator of a view that returns a PageResponse. The template, or that of the page's type,
    has `page`, `html` where the view makes it, and the objects that the view declares.

    Positional parameters of the view come from the path. In the place of `run_id` or `corpus_id` it
    may take `run: Run` or `corpus: Corpus`, and what an address says of these: any type that has
    `for_page`, such as RunView and RunSelection; also `request`, `page_query: PageQuery` and
    `as_json: bool`. Keyword-only ones come from the query string. A view that takes `posted:
    QueryDict | None` has a form that is sent to the page itself: what came by POST, else None.

    restricted: whether a page that declares `selection` shows these documents alone, as readers
    are told; False where it needs the set for something else. parts: name -> template of a part that a script may ask for again by the header X-Part
    (static/js/part.js). A NotYet that the view raises shows its page, with status 202."""

    def decorate(view: Callable[..., PageResponse | HttpResponse]) -> View:
        return _make_view(view, template, restricted, parts)

    return decorate


def _make_view(
    view: Callable[..., PageResponse | HttpResponse],
    template: str | Mapping[type, str],
    restricted: bool,
    parts: Mapping[str, str],
) -> View:
    declared = parameters(view)
    hints = get_type_hints(view)
    made_for_page = _made_for_page(hints)
    is_restricted = restricted and "selection" in made_for_page
    parameter_names = inspect.signature(view).parameters.keys()
    methods = ["GET", "HEAD"]
    if "posted" in parameter_names:
        methods.append("POST")

    def asked(query: QueryDict) -> dict[str, Any]:
        return {name: parameter.value(query) for name, parameter in declared.items()}

    def respond(
        request: HttpRequest, page_response: PageResponse, as_json: bool = False, **objects: Any
    ) -> HttpResponse:
        if as_json:
            return _json_response(request, page_response)
        template_name = (
            template if isinstance(template, str) else template[type(page_response.page)]
        )
        part_name = parts.get(request.headers.get(PART_HEADER, ""), template_name)
        context = objects | {"restricted": is_restricted}
        response = _html_response(request, page_response, part_name, context)
        if parts:
            patch_vary_headers(response, [PART_HEADER])
        return response

    @require_http_methods(methods)
    @wraps(view)
    def answer_request(request: HttpRequest, as_json: bool = False, **path: Any) -> HttpResponse:
        objects = _objects(request, path, made_for_page)
        offered = path | objects | _of_request(request, as_json)
        taken = {name: value for name, value in offered.items() if name in parameter_names}
        page_response: PageResponse | HttpResponse
        try:
            page_response = view(**taken, **asked(request.GET))
        except NotYet as waiting:
            page_response = PageResponse(waiting.page, status=HTTPStatus.ACCEPTED)
        if isinstance(page_response, HttpResponse):
            return page_response
        return respond(request, page_response, as_json, **objects)

    shape, has_json = _page_type(hints["return"])
    typed_view = cast(View, answer_request)
    typed_view.shape = shape if has_json else None
    typed_view.required = _required(view, made_for_page)
    typed_view.parameters = declared
    typed_view.respond = respond
    typed_view.asked = asked
    typed_view.templates = _templates(template, shape)
    return typed_view


def _templates(template: str | Mapping[type, str], shape: Any) -> dict[str, Any]:
    """`View.templates`."""
    if isinstance(template, str):
        return {template: shape}
    return {name: page_type for page_type, name in template.items()}


def _of_request(request: HttpRequest, as_json: bool) -> dict[str, Any]:
    """What every view may take: OFFERED."""
    posted = request.POST if request.method == "POST" else None
    values = (request, PageQuery(request.GET), as_json, posted)
    return dict(zip(OFFERED, values, strict=True))


def _json_response(request: HttpRequest, page_response: PageResponse) -> HttpResponse:
    if page_response.invalid:
        raise page_response.invalid
    return pages.json_answer(request, _as_json(page_response.page), page_response.status_code)


def _html_response(
    request: HttpRequest, page_response: PageResponse, template_name: str, objects: dict[str, Any]
) -> HttpResponse:
    context = objects | {
        "page": page_response.page,
        "html": page_response.html() if page_response.html else None,
    }
    return pages.rendered(request, template_name, context, page_response.status_code)


def _as_json(page: Any) -> Any:
    """The page; with the names that JSON has where Python keeps one for itself (`lambda_`)."""
    fields = vars(page)
    if not any(name.endswith("_") for name in fields):
        return page
    return {_in_address(name): value for name, value in fields.items()}


def _made_for_page(hints: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a view that are made of what its path names, with their types: the view of
    a run before what is made of it, in whatever order they are declared."""
    names = [name for name, hint in hints.items() if hasattr(hint, "for_page")]
    return {name: hints[name] for name in sorted(names, key=lambda name: name != "view")}


def _required(view: Callable, made_for_page: Collection[str]) -> list[Collection[str]]:
    """`View.required`."""
    required: list[Collection[str]] = []
    if made_for_page:
        required.append(OWNERS.values())
    for name, parameter in inspect.signature(view).parameters.items():
        is_of_path = parameter.kind is not parameter.KEYWORD_ONLY
        if is_of_path and name not in OFFERED and name not in made_for_page:
            required.append([OWNERS.get(name, name)])
    return required


def _objects(
    request: HttpRequest, path: dict[str, Any], made_for_page: dict[str, Any]
) -> dict[str, Any]:
    """The run or the corpus that a path names by its number, unless it was looked up
    (core.results.page_cache), and what the view declares of it."""
    objects = {
        name: value for name, value in path.items() if name in OWNERS
    } | pages.unchecked_owners(path)
    for name, hint in made_for_page.items():
        objects[name] = hint.for_page(request.GET, objects)
    return objects
