"""Whether a template reads only what the type of its page has. Django reads a name that is missing
as "", in silence: this walks the compiled template with the types of `page` and `html`, into loops,
{% with %} and included templates."""

import dataclasses
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from django.db.models import Model
from django.template import loader
from django.template.base import FilterExpression, Node, VariableNode
from django.template.defaulttags import ForNode, IfNode, WithNode
from django.template.library import SimpleNode
from django.template.loader_tags import IncludeNode

# Filters whose result is of the type of what they are given
SAME = {
    "slice",
    "default",
    "safe",
    "dictsort",
}
# Names that every page has, by webapp.platform.pages.typed and by the context processors of the
# settings
ALWAYS = {"request", "may", "accounts", "user", "signup", "messages", "topograph_version", "run", "corpus", "view", "selection",
          "True", "False", "None"}  # fmt: skip
# What {% include … with … %} may give to a template that several pages share, or not
OPTIONAL = {"address", "bars", "class", "columns", "document", "end", "level", "missing", "own", "passages", "quote", "restricts", "pin_says", "run_id", "searched", "sentence", "slug",
            "start", "table", "topic", "version", "way"}  # fmt: skip
ASSIGNED = ("target_var", "asvar", "variable_name", "var_name")  # of a node: {% tag … as name %}
Types = tuple[Any, ...]  # the alternatives of a union; () is not known


def wrong(template: str, **roots: Any) -> list[str]:
    """A line for each name that a template, or what it includes, reads and the type lacks."""
    scope = {name: _members(hint) for name, hint in roots.items()}
    return sorted(set(_walk(loader.get_template(template).template.nodelist, scope, template)))


def _members(hint: Any) -> Types:
    if hint is Any:
        return ()
    if get_origin(hint) in (Union, UnionType):
        return tuple(m for h in get_args(hint) if h is not NoneType for m in _members(h))
    return (hint,)


def _walk(nodes: Any, scope: dict[str, Types], at: str) -> Iterator[str]:
    for node in nodes:
        yield from _node(node, scope, at)
        assigned = [getattr(node, name, None) for name in ASSIGNED]
        scope |= {name: () for name in assigned if name}


def _node(node: Node, scope: dict[str, Types], at: str) -> Iterator[str]:
    if isinstance(node, ForNode):
        found: list[str] = []
        items = _element(_type(node.sequence, scope, found, at))
        yield from found
        names = node.loopvars
        types = (
            [items]
            if len(names) == 1
            else (
                [_members(a) for a in get_args(items[0])]
                if items and get_args(items[0])
                else [()] * len(names)
            )
        )
        yield from _walk(
            node.nodelist_loop, scope | dict(zip(names, types, strict=True)) | {"forloop": ()}, at
        )
        yield from _walk(node.nodelist_empty, scope, at)
        return
    if isinstance(node, WithNode | IncludeNode):
        found = []
        more = {name: _type(value, scope, found, at) for name, value in node.extra_context.items()}
        yield from found
        if isinstance(node, WithNode):
            yield from _walk(node.nodelist, scope | more, at)
        elif isinstance(node.template.var, str):
            yield from _walk(
                loader.get_template(node.template.var).template.nodelist,
                scope | more,
                node.template.var,
            )
        return
    found = []
    for expression in _expressions(node):
        _type(expression, scope, found, at)
    yield from found
    for name in node.child_nodelists:
        yield from _walk(getattr(node, name, ()) or (), scope, at)
    if isinstance(node, IfNode):
        for _, nodes in node.conditions_nodelists:
            yield from _walk(nodes, scope, at)


def _expressions(node: Node) -> Iterator[FilterExpression]:
    if isinstance(node, VariableNode):
        yield node.filter_expression
    elif isinstance(node, SimpleNode):
        yield from [*node.args, *node.kwargs.values()]
    elif isinstance(node, IfNode):
        for condition, _ in node.conditions_nodelists:
            yield from _of_condition(condition)


def _of_condition(condition: Any) -> Iterator[FilterExpression]:
    if condition is not None:
        if isinstance(getattr(condition, "value", None), FilterExpression):
            yield condition.value
        for part in ("first", "second"):
            yield from _of_condition(getattr(condition, part, None))


def _type(
    expression: FilterExpression, scope: dict[str, Types], found: list[str], at: str
) -> Types:
    lookups = getattr(expression.var, "lookups", None)
    if not lookups:
        return ()
    if lookups[0] not in scope:
        if lookups[0] not in ALWAYS | OPTIONAL:
            found.append(f"{at}: nothing gives it “{lookups[0]}”")
        return ()
    types = scope[lookups[0]]
    path = lookups[0]
    for name in lookups[1:]:
        if not types:
            return ()
        path += f".{name}"
        answers = [_attribute(each, name) for each in types]
        if all(answer is None for answer in answers):
            found.append(
                f"{at}: {path}: {' | '.join(getattr(t, '__name__', str(t)) for t in types)} has no"
                f" “{name}”"
            )
            return ()
        types = tuple(dict.fromkeys(m for a in answers if a is not None for m in _members(a)))
    return types if all(filter.__name__ in SAME for filter, _ in expression.filters) else ()


def _attribute(hint: Any, name: str) -> Any:
    """The type of an attribute, item or key; None where there is none."""
    origin = get_origin(hint) or hint
    arguments = get_args(hint)
    if origin in (list, tuple):
        return (
            arguments[0]
            if arguments and name.isdigit()
            else Any
            if name.isdigit() or hasattr(origin, name)
            else None
        )
    if origin is dict:
        if name == "items":
            return list[tuple[arguments]] if len(arguments) == 2 else Any
        keys = get_args(arguments[0]) if arguments else ()
        return None if keys and name not in keys else arguments[1] if arguments else Any
    if dataclasses.is_dataclass(origin):
        hints = get_type_hints(origin)
        if name in hints:
            return hints[name]
        value = getattr(origin, name, None)
        return (
            get_type_hints(value.fget).get("return", Any)
            if isinstance(value, property)
            else Any
            if value
            else None
        )
    if (
        isinstance(origin, type)
        and not issubclass(origin, Model)
        and origin in (str, int, float, bool)
    ):
        return Any if hasattr(origin, name) else None
    return Any


def _element(types: Types) -> Types:
    return tuple(m for t in types for m in (_members(get_args(t)[0]) if get_args(t) else ()))
