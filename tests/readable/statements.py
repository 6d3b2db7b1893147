"""A statement of the source, and how much of it is one thought."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

FEWEST_READ_SEPARATELY = 3  # keywords, keys or elements from which each is read by itself
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
WEIGHED = (ast.expr, ast.comprehension, ast.pattern)  # a comprehension's loop is a statement too
PASSED_OVER = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPUTED = (  # what a table of constants has not
    ast.Call,
    ast.IfExp,
    ast.BoolOp,
    ast.Lambda,
    ast.Subscript,
    ast.NamedExpr,
    ast.BinOp,
    ast.Compare,
    ast.Starred,
    ast.comprehension,
)


class Statement(NamedTuple):
    """expressions: its own, without those of the statements in it and without types.
    nodes: all that they consist of."""

    node: ast.stmt
    function: Function | None
    expressions: list[ast.AST]
    nodes: list[ast.AST]

    @classmethod
    def of(cls, node: ast.stmt, function: Function | None) -> "Statement":
        expressions = _expressions(node)
        nodes: list[ast.AST] = []
        for expression in expressions:
            nodes += descendants(expression)
        return cls(node, function, expressions, nodes)

    @property
    def is_table(self) -> bool:
        """Of constants, outside of functions: it may be as wide as its rows."""
        if self.function is not None:
            return False
        return not any(isinstance(node, COMPUTED) for node in self.nodes)

    @property
    def is_echo(self) -> bool:
        """Whether it does nothing, or only gives a name to a name."""
        node = self.node
        if isinstance(node, ast.Pass):
            return True
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Name)
        if isinstance(node, ast.AnnAssign):
            return node.value is None or isinstance(node.value, ast.Name)
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name):
            return False
        return all(isinstance(target, ast.Name) for target in node.targets)


def every_statement(
    block: ast.AST, function: Function | None = None
) -> Iterator[tuple[ast.stmt, Function | None]]:
    """Those in it, in the order of the source, and the innermost function in which each stands."""
    if isinstance(block, FUNCTIONS):
        function = block
    for name in BLOCKS:
        for node in getattr(block, name, ()):
            if isinstance(node, ast.stmt):
                yield node, function
            yield from every_statement(node, function)


def _expressions(statement: ast.stmt) -> list[ast.AST]:
    if isinstance(statement, FUNCTIONS):
        arguments = statement.args
        of_keywords = [default for default in arguments.kw_defaults if default]
        return [*statement.decorator_list, *arguments.defaults, *of_keywords]
    if isinstance(statement, ast.AnnAssign):
        return [statement.target, *([statement.value] if statement.value else [])]
    if isinstance(statement, ast.Match):
        guards = [case.guard for case in statement.cases if case.guard]
        return [statement.subject, *(case.pattern for case in statement.cases), *guards]
    if isinstance(statement, ast.Try | ast.TryStar):
        return [handler.type for handler in statement.handlers if handler.type]
    return children(statement, without=BLOCKS)


def children(node: ast.AST, without: tuple[str, ...] = ()) -> list[ast.AST]:
    """But for operators and the like, and for the fields that are named in without."""
    nodes: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if name in without:
            continue
        if isinstance(value, list):
            nodes += [element for element in value if isinstance(element, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return [node for node in nodes if not isinstance(node, PASSED_OVER)]


def descendants(node: ast.AST) -> list[ast.AST]:
    """With itself."""
    nodes = [node]
    for node in nodes:  # which grows meanwhile
        nodes += children(node)
    return nodes


def has_inside(node: ast.AST, kinds: type | tuple[type, ...]) -> bool:
    """Whether one of these kinds stands in it, itself aside."""
    return any(isinstance(inner, kinds) for inner in descendants(node)[1:])


def size(node: ast.AST) -> int:
    return sum(isinstance(inner, WEIGHED) for inner in descendants(node))


def depth(node: ast.AST) -> int:
    """How many expressions stand within each other."""
    return max(map(depth, children(node)), default=0) + isinstance(node, ast.expr)


def thoughts(statement: Statement, at_least: int) -> list[int]:
    """Nodes of each thought of a statement: first of what is left when those have been taken out
    that are read by themselves. Of a statement with fewer nodes than at_least: of all together."""
    if statement.is_table:
        return [0]
    nodes = sum(isinstance(node, WEIGHED) for node in statement.nodes)
    if nodes < at_least:
        return [nodes]
    sizes: list[int] = []
    rest_size = sum(_count(expression, sizes) for expression in statement.expressions)
    return [rest_size, *sizes]


def _count(node: ast.AST, sizes: list[int], in_access: bool = False) -> int:
    """Nodes without those that are read by themselves, whose numbers go to sizes.

    in_access: `dict(a=…, b=…, c=…)["a"]` is no table, but one thought.
    """
    separately = [] if in_access else _read_separately(node)
    for value in separately:
        sizes.append(_count(value, sizes))
    count = int(isinstance(node, WEIGHED))
    is_access = isinstance(node, ast.Attribute | ast.Subscript)
    for child in children(node):
        value = child.value if isinstance(child, ast.keyword) else child
        if not any(value is other for other in separately):
            count += _count(value, sizes, is_access and value is child)
    return count


def _read_separately(node: ast.AST) -> list[ast.expr]:
    """What stands behind three or more keywords or keys, or in a list of three or more."""
    if isinstance(node, ast.Call) and len(node.keywords) >= FEWEST_READ_SEPARATELY:
        return [keyword.value for keyword in node.keywords if keyword.arg]
    if isinstance(node, ast.Dict) and len(node.keys) >= FEWEST_READ_SEPARATELY:
        return [value for key, value in zip(node.keys, node.values, strict=True) if key]
    if (
        isinstance(node, ast.List | ast.Tuple | ast.Set)
        and len(node.elts) >= FEWEST_READ_SEPARATELY
    ):
        return node.elts
    return []
