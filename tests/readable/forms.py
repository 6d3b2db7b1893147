"""Forms that save a statement, or hide one: each a rule with an example."""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.readable.statements import Statement, depth, has_inside, size

DEEPEST = 9  # expressions within each other
LONGEST_LAMBDA = 12  # nodes
DISPLAYS = (ast.List, ast.Tuple, ast.Set)
PAIRS = (ast.List, ast.Tuple)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ACTS = (ast.IfExp, ast.BoolOp, *PAIRS, *COMPREHENSIONS)
CODE_IN_STRINGS = ("eval", "exec", "globals", "locals")


class Form(NamedTuple):
    name: str
    example: str
    applies: Callable


OF_STATEMENTS: list[Form] = []  # asked of a whole statement
OF_NODES: dict[type[ast.AST], list[Form]] = {}  # asked of a node of this kind


def of_statements(name: str, example: str) -> Callable:
    def register(applies: Callable[[Statement], bool]) -> Callable:
        OF_STATEMENTS.append(Form(name, example, applies))
        return applies

    return register


def of_nodes(name: str, example: str, *kinds: type[ast.AST]) -> Callable:
    def register(applies: Callable[..., bool]) -> Callable:
        for kind in kinds:
            OF_NODES.setdefault(kind, []).append(Form(name, example, applies))
        return applies

    return register


def forms(statement: Statement) -> Iterator[str]:
    """Names of those in a statement."""
    for form in OF_STATEMENTS:
        if form.applies(statement):
            yield form.name
    for node in statement.nodes:
        for form in OF_NODES.get(type(node), ()):
            if form.applies(node):
                yield form.name


def all_forms() -> list[Form]:
    """Each once."""
    of_nodes = {form.name: form for rules in OF_NODES.values() for form in rules}
    return [*OF_STATEMENTS, *of_nodes.values()]


def called_name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


# Statements


@of_statements("parallel assignment", "a, b = f(), g()")
def assigns_in_parallel(statement: Statement) -> bool:
    """But for a swap, which can't be written otherwise."""
    node = statement.node
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], PAIRS):
        return False
    value = node.value
    if isinstance(value, ast.GeneratorExp | ast.ListComp):  # a, b = (f(x) for x in (c, d))
        return isinstance(value.generators[0].iter, (*DISPLAYS, ast.Constant))
    if isinstance(value, ast.Call) and called_name(value) == "map":
        return any(isinstance(argument, PAIRS) for argument in value.args)
    if not isinstance(value, PAIRS):
        return False
    names = {ast.unparse(target) for target in node.targets[0].elts}
    values = {ast.unparse(element) for element in value.elts}
    return names != values


@of_statements("loop over one", "for x in [f()]: g(x)")
def loops_over_one(statement: Statement) -> bool:
    loop = statement.node
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, PAIRS):
        return False
    return len(loop.iter.elts) == 1


@of_statements("loop over a comprehension", "for x in [f(y) for y in z]: g(x)")
def loops_over_a_comprehension(statement: Statement) -> bool:
    loop = statement.node
    return isinstance(loop, ast.For) and isinstance(loop.iter, COMPREHENSIONS)


@of_statements("act in an expression", "x and f()")
def acts_in_an_expression(statement: Statement) -> bool:
    node = statement.node
    return isinstance(node, ast.Expr) and isinstance(node.value, ACTS)


@of_statements("walrus in passing", "f(x := g())")
def names_in_passing(statement: Statement) -> bool:
    """Where no condition needs it."""
    if isinstance(statement.node, ast.If | ast.While):
        return False
    return any(isinstance(node, ast.NamedExpr) for node in statement.nodes)


@of_statements("several ternaries", "f(a if b else c, d if e else g)")
def has_several_ternaries(statement: Statement) -> bool:
    return sum(isinstance(node, ast.IfExp) for node in statement.nodes) > 1


@of_statements("deep", "a(b(c(d(e(f(g(h(i(j)))))))))")
def is_deep(statement: Statement) -> bool:
    if len(statement.nodes) <= DEEPEST:
        return False
    return any(depth(expression) > DEEPEST for expression in statement.expressions)


# Expressions


@of_nodes("nested ternary", "x = a if b else c if d else e", ast.IfExp)
def is_nested_ternary(node: ast.IfExp) -> bool:
    return has_inside(node, ast.IfExp)


@of_nodes("ternary of comprehensions", "x = [f(y) for y in z] if a else b", ast.IfExp)
def is_ternary_of_comprehensions(node: ast.IfExp) -> bool:
    return has_inside(node, (*COMPREHENSIONS, ast.NamedExpr))


@of_nodes("nested comprehension", "x = [[f(a) for a in b] for b in c]", *COMPREHENSIONS)
def is_nested_comprehension(node: ast.expr) -> bool:
    return has_inside(node, COMPREHENSIONS)


@of_nodes("comprehension with conditions", "x = [a for a in b if c if d]", *COMPREHENSIONS)
def has_conditions(node: ast.ListComp) -> bool:
    """More than one, or more than two loops."""
    conditions = [condition for loop in node.generators for condition in loop.ifs]
    joined = sum(isinstance(condition, ast.BoolOp) for condition in conditions)
    return len(conditions) + joined > 1 or len(node.generators) > 2


@of_nodes("name by a loop", "x = [b * b for a in c for b in [f(a)]]", *COMPREHENSIONS)
def names_by_a_loop(node: ast.ListComp) -> bool:
    loops_over = [loop.iter for loop in node.generators]
    return any(isinstance(value, PAIRS) and len(value.elts) == 1 for value in loops_over)


@of_nodes("walrus in a comprehension", "x = [b for a in c if (b := f(a))]", *COMPREHENSIONS)
def has_walrus(node: ast.expr) -> bool:
    return has_inside(node, ast.NamedExpr)


@of_nodes("call of an expression", "(f if a else g)(x)", ast.Call)
def calls_an_expression(node: ast.Call) -> bool:
    return isinstance(node.func, ast.IfExp | ast.Subscript | ast.Lambda | ast.BoolOp)


@of_nodes("code in a string", "exec('x = 1')", ast.Call)
def runs_a_string(node: ast.Call) -> bool:
    return called_name(node) in CODE_IN_STRINGS


@of_nodes("index of a literal", "x = (a, b)[c]", ast.Subscript)
def takes_from_a_literal(node: ast.Subscript) -> bool:
    return isinstance(node.value, (*PAIRS, ast.Dict, ast.IfExp, *COMPREHENSIONS))


@of_nodes("list times a condition", "x = [a] * bool(b)", ast.BinOp)
def multiplies_by_a_condition(node: ast.BinOp) -> bool:
    if not isinstance(node.op, ast.Mult):
        return False
    factors = (node.left, node.right)
    has_list = any(isinstance(factor, PAIRS) for factor in factors)
    return has_list and any(_is_condition(factor) for factor in factors)


@of_nodes("long lambda", "x = lambda a: f(a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)", ast.Lambda)
def is_long_lambda(node: ast.Lambda) -> bool:
    return size(node.body) > LONGEST_LAMBDA


@of_nodes("ternaries in a text", "x = f'{a if b else c} {d if e else g}'", ast.JoinedStr)
def has_ternaries(node: ast.JoinedStr) -> bool:
    return sum(has_inside(value, ast.IfExp) for value in node.values) > 1


def _is_condition(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Call):
        return called_name(node) == "bool"
    return isinstance(node, ast.Compare | ast.BoolOp)
