"""Tuples with names and dataclasses are filled by the names of their fields: by position nothing
fails where two fields of one type, such as two variances, change places."""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.readable import packages

MANY = 6  # fields: fewer can be counted at a glance
COMPILED = ("njit", "jit", "overload")  # names of decorators of numba


# So many calls of a package still do. These numbers may only fall
ALLOWED = {
    "benchmarks": 3,
    "benchmarks/faithful": 1,
    "benchmarks/papers": 1,
    "benchmarks/words": 1,
    "inference/explore": 7,
    "inference/index": 1,
    "inference/text": 1,
    "tests/readable": 8,
    "webapp/analysis/collocations": 1,
    "webapp/analysis/compare": 2,
    "webapp/analysis/effects": 8,
    "webapp/analysis/findings": 4,
    "webapp/analysis/time": 4,
    "webapp/analysis/two_sets": 1,
    "webapp/core/documents": 2,
    "webapp/core/notebooks": 2,
    "webapp/core/runs": 5,
    "webapp/intake/file_formats": 17,
    "webapp/intake/ingest": 3,
    "webapp/platform/accounts": 3,
    "webapp/platform/drawing": 5,
    "webapp/platform/jobs": 1,
    "webapp/service/api": 1,
    "webapp/service/corpora": 1,
    "webapp/service/embedding": 2,
    "webapp/service/operations": 1,
}


class Filled(NamedTuple):
    """A call that makes such a class. path: of the file; fields: how many it gives by position."""

    path: str
    line: int
    name: str
    fields: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}({self.fields})"


class Module:
    """A file, parsed. classes: names of its tuples and dataclasses. names: of what it imports, the
    dotted name of each."""

    def __init__(self, path: str, text: str):
        self.path = path
        self.tree = ast.parse(text)
        self.classes = {
            node.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ClassDef) and _has_fields(node)
        }
        self.names: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    @property
    def name(self) -> str:
        """As other modules import it."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _has_fields(node: ast.ClassDef) -> bool:
    bases = [ast.unparse(base) for base in node.bases]
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    is_tuple = any(base.endswith("NamedTuple") for base in bases)
    return is_tuple or any(decorator.startswith("dataclass") for decorator in decorators)


def _is_compiled(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    names = [ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list]
    return any(name.rpartition(".")[2] in COMPILED for name in names)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Those in it that are not in a compiled function."""
    for child in ast.iter_child_nodes(node):
        if _is_compiled(child):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from _calls(child)


def filled(modules: list[Module]) -> list[Filled]:
    """All calls with MANY fields or more by position."""
    classes = {f"{module.name}.{name}" for module in modules for name in module.classes}
    found = []
    for module in modules:
        for call in _calls(module.tree):
            given = sum(not isinstance(argument, ast.Starred) for argument in call.args)
            name = _dotted(call.func, module)
            if given >= MANY and name in classes:
                found.append(Filled(module.path, call.lineno, name.rpartition(".")[2], given))
    return found


def _dotted(called: ast.expr, module: Module) -> str:
    """The dotted name of what is called; "" of anything else."""
    if isinstance(called, ast.Name):
        if called.id in module.classes:
            return f"{module.name}.{called.id}"
        return module.names.get(called.id, "")
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        owner = module.names.get(called.value.id, "")
        return f"{owner}.{called.attr}"
    return ""


def test_tuples_are_filled_by_names():
    modules = []
    for path in packages.paths():
        modules.append(Module(path, (packages.ROOT / path).read_text(encoding="utf-8")))
    calls = filled(modules)
    counts = Counter(packages.package(call.path) for call in calls)
    beyond = [
        str(call)
        for call in calls
        if counts[packages.package(call.path)] > ALLOWED.get(packages.package(call.path), 0)
    ]
    assert not beyond, f"Fill these by the names of their fields: {beyond}"


PAIR = """
from typing import NamedTuple
from inference.runtime.jit import njit

class Six(NamedTuple):
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int

"""


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = Six(1, 2, 3, 4, 5, 6)", [1]),
        ("x = Six(1, 2, 3, 4, 5, f=6)", []),
        ("x = Six(a=1, b=2, c=3, d=4, e=5, f=6)", []),
        ("x = Six(*y)", []),
        ("def g():\n    return [Six(1, 2, 3, 4, 5, 6)]", [2]),
        ("@njit(cache=True)\ndef g():\n    return Six(1, 2, 3, 4, 5, 6)", []),
        ("x = other(1, 2, 3, 4, 5, 6)", []),
    ],
)
def test_what_is_filled_by_position_is_found(code, lines):
    before = PAIR.count("\n")
    module = Module("inference/example.py", PAIR + code)
    assert [call.line - before for call in filled([module])] == lines


def test_it_is_found_in_other_modules():
    declared = Module("inference/example.py", PAIR)
    by_name = Module("webapp/a.py", "from inference.example import Six as S\nS(1, 2, 3, 4, 5, 6)")
    by_module = Module(
        "webapp/b.py", "from inference import example\nexample.Six(1, 2, 3, 4, 5, 6)"
    )
    found = filled([declared, by_name, by_module])
    assert [str(call) for call in found] == ["webapp/a.py:2 Six(6)", "webapp/b.py:2 Six(6)"]
