"""One file: what is counted in it, where, and what it imports."""

import ast
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple, TypeGuard

from tests.readable.forms import forms
from tests.readable.names import has_symbols, is_vague
from tests.readable.statements import FUNCTIONS, Function, Statement, every_statement, thoughts

HEAVY = 25  # nodes of a thought
WIDEST = 100  # characters of a line
MOST_LINES = 60  # of a function
MOST_PARAMETERS = 8
MOST_LOCALS = 25
UNNAMED = {0, 1, 2, -1, 10, 100, 1000, 0.5}  # numbers that need no name
OF_METHODS = ("self", "cls")
WEIGHT_OF_FORM = 15  # nodes: passages are listed by how much there is to mend
WEIGHT_OF_SIZE = 30


class Passage(NamedTuple):
    """text: the line that is there. weight: how much there is to mend."""

    measure: str
    path: str
    line: int
    fault: str
    text: str
    weight: int

    @property
    def key(self) -> tuple[str, str, str]:
        """Of the same passage in two versions of a file."""
        return self.measure, self.fault, self.text

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {self.measure}: {self.fault}"


@dataclass
class Source:
    """imports: modules, and names of modules: a.b of `from a import b`, wherever it stands."""

    path: str
    counts: Counter = field(default_factory=Counter)
    passages: list[Passage] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)


def read(text: str, path: str) -> Source:
    """path: from the root of the repository. Raises SyntaxError."""
    return _Reader(text, path).source


class _Reader:
    def __init__(self, text: str, path: str):
        self.source = Source(path)
        self.counts = self.source.counts
        self.symbols = has_symbols(path)
        self.lines = text.splitlines()
        self.locals: dict[Function, set[str]] = {}
        in_docstrings: set[int] = set()
        for node, function in every_statement(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.source.imports.update(_imported(node))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                in_docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            else:
                self.count_statement(Statement.of(node, function))
        self.count_lines(in_docstrings)
        for function in self.locals:
            self.count_size(function)

    def note(self, measure: str, line: int, fault: str, weight: int) -> None:
        text = self.lines[line - 1].strip()
        self.source.passages.append(Passage(measure, self.source.path, line, fault, text, weight))

    def count_lines(self, in_docstrings: set[int]) -> None:
        for number, line in enumerate(self.lines, 1):
            bare = line.strip()
            if not bare or bare.startswith("#") or number in in_docstrings:
                continue
            self.counts["code"] += 1
            if len(line) > WIDEST:
                self.counts["wide"] += 1
                self.note("wide", number, f"{len(line)} characters", len(line) - WIDEST)

    def count_statement(self, statement: Statement) -> None:
        line = statement.node.lineno
        weights = thoughts(statement, HEAVY)
        heavy = [weight for weight in weights if weight > HEAVY]
        self.counts["statements"] += 1
        self.counts["nodes"] += sum(weights)
        if heavy:
            self.counts["heavy"] += sum(heavy)
            self.note("heavy", line, f"{max(heavy)} nodes", max(heavy))
        for form in forms(statement):
            self.counts["golf"] += 1
            self.note("golf", line, form, WEIGHT_OF_FORM)
        if statement.function:
            if statement.is_echo:
                self.counts["echo"] += 1
                self.note("echo", line, self.lines[line - 1].strip(), 1)
            self.count_numbers(statement)
        if isinstance(statement.node, FUNCTIONS):
            self.locals[statement.node] = set()
            parameters = _parameters(statement.node)
            beside = {parameter.arg for parameter in parameters}
            for parameter in parameters:
                self.count_name(parameter.arg, parameter.lineno, beside)
        beside = {node.id for node in statement.nodes if _is_bound(node)}
        for node in statement.nodes:
            if _is_bound(node):
                self.count_name(node.id, node.lineno, beside)
                if statement.function:
                    self.locals[statement.function].add(node.id)
            elif isinstance(node, ast.arg):
                self.count_name(node.arg, node.lineno)

    def count_numbers(self, statement: Statement) -> None:
        for node in statement.nodes:
            if not isinstance(node, ast.Constant) or not _is_number(node.value):
                continue
            if node.value not in UNNAMED:
                self.counts["numbers"] += 1
                self.note("numbers", node.lineno, str(node.value), 1)

    def count_size(self, function: Function) -> None:
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters = [parameter for parameter in parameters if parameter.arg not in OF_METHODS]
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        sizes = {
            "parameters": (len(parameters), MOST_PARAMETERS),
            "lines": (lines, MOST_LINES),
            "locals": (len(self.locals[function]), MOST_LOCALS),
        }
        too_large = [f"{size} {name}" for name, (size, limit) in sizes.items() if size > limit]
        self.counts["functions"] += 1
        if too_large:
            self.counts["big"] += 1
            fault = f"{function.name} has {', '.join(too_large)}"
            self.note("big", function.lineno, fault, WEIGHT_OF_SIZE * len(too_large))

    def count_name(self, name: str, line: int, beside: Collection[str] = ()) -> None:
        if name in OF_METHODS:
            return
        self.counts["names"] += 1
        if is_vague(name, self.symbols, beside):
            self.counts["vague"] += 1
            self.note("names", line, name, 1)


def _is_bound(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parameters(function: Function) -> list[ast.arg]:
    arguments = function.args
    gathering = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *gathering]


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{name}" for name in names]
    return names
