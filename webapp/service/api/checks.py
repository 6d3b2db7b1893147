"""What every operation of the API checks before it runs, so that nothing odd that a program sends
comes further: names that the address does not have, characters that no text has, numbers that no
row has."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, get_args

from django.http import HttpRequest, HttpResponse
from ninja.operation import Operation

from inference.errors import Invalid
from webapp.platform.pages.page import is_whole
from webapp.platform.received import LONGEST_NAME, NO_TEXT, is_text

NOTHING = (b"", b"{}")  # bodies of an operation that wants none
FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")


def with_checks(run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """An operation's `run` that answers 400, with the field, to what can't be asked. run: the bound
    method of the operation."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    declared = dict(_parameters(operation, "query"))
    wants_body = any(model.__ninja_param_source__ == "body" for model in operation.models)

    @wraps(run)
    def checked(request: HttpRequest, **path: Any) -> HttpResponse:
        try:
            _check_query(request, declared)
            if not wants_body:
                _check_no_body(request)
        except Invalid as error:
            return operation.api.on_exception(request, error)
        return run(request, **path)

    return checked


def _parameters(operation: Operation, source: str) -> Iterator[tuple[str, bool]]:
    """Name of each parameter from the query string, and whether it is a whole number."""
    for model in operation.models:
        if model.__ninja_param_source__ != source:
            continue
        for name in model.__ninja_flatten_map__:
            field = model.model_fields.get(name)
            yield name, field is not None and _is_whole_number(field.annotation)


def _is_whole_number(annotation: Any) -> bool:
    """Whether it is int, int or None, or a list of int."""
    return annotation is int or any(map(_is_whole_number, get_args(annotation)))


def _check_query(request: HttpRequest, declared: dict[str, bool]) -> None:
    for name, texts in request.GET.lists():
        if name not in declared:  # a misspelled one would have no effect otherwise
            there_are = f"there are {', '.join(sorted(declared))}" if declared else "it has none"
            raise Invalid(
                name[:LONGEST_NAME],
                f"This address has no parameter “{name[:LONGEST_NAME]}”; {there_are}.",
            )
        for text in texts:
            if not is_text(text):
                raise Invalid(name, f"“{name}” can't be read: {NO_TEXT}.")
            # -1 stands before the first of some lists
            if declared[name] and not is_whole(text.removeprefix("-")):
                raise Invalid(
                    name, f"“{name}” must be a whole number, got “{text[:LONGEST_NAME]}”."
                )


def _check_no_body(request: HttpRequest) -> None:
    if request.content_type in FORMS:
        is_empty = not (request.POST or request.FILES)
    else:
        is_empty = request.body.strip() in NOTHING
    if not is_empty:
        raise Invalid("body", "This address takes no body; leave it empty, or send {}.")
