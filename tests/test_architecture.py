"""How the code is laid out (docs/architecture.md), read from the source: packages import one way,
and none grows too large."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("inference", "tasks", "webapp")
NOT_IN_INFERENCE = ("celery", "django", "psycopg", "redis")
# Of webapp, from the top: none imports one above it
WINGS = (
    "service",
    "analysis",
    "core",
    "intake",
    "platform",
)
# The layers of inference, from the top: none imports one above it, and `analysis`, which explores
# any topics, imports nothing of `training`. docs/architecture.md has the same table.
INFERENCE_LAYERS = {
    "programs": {"compiling", "deposited", "shipping", "verify"},
    "analysis": {
        "answers", "codes", "consensus", "effects", "explore", "findings", "index", "senses",
        "share_intervals",
    },
    "training": {
        "checkpoint", "cluster", "engines", "evaluate", "gaussian_mixtures", "infer", "objective",
        "schedule", "steering", "training", "warm_start",
    },
    "data": {
        "bow", "day_sums", "documents", "evidence", "fold_in", "log_likelihood", "rarity",
        "simulate", "text", "topic_sums", "topics",
    },
    "machine": {"errors", "kernels", "references", "runtime"},
}  # fmt: skip
MOST = 1 / 5  # of all lines: what one package of the web application may hold
# Private names that tests may name, as they are of libraries: of any object
OF_LIBRARIES = {
    "_fields": "of named tuples and of syntax trees",
    "_meta": "of Django's models",
    "_replace": "of named tuples",
}
# and of one file
OF_LIBRARIES_IN = {
    ("tests/inference/runtime/test_jit.py", "_cache"): "where numba keeps a compiled function",
    ("tests/test_readable.py", "_kept"): "an example of a name that says nothing",
    ("tests/webapp/service/operations/test_health.py", "_count"): "an ending of Prometheus's",
    ("tests/webapp/service/operations/test_health.py", "_sum"): "an ending of Prometheus's",
    ("tests/webapp/service/operations/test_health.py", "_total"): "an ending of Prometheus's",
}
# Names that several classes of a wing have yet: a name is taken off when its classes are renamed,
# and none is added. Names that begin with _ are of one module, and not counted.
SHARED_CLASS_NAMES = {
    "service": {"Document", "JoinPage", "Member", "Progress", "Token"},
    "analysis": {
        "Choice",
        "Comparison",
        "Computed",
        "Counted",
        "Differences",
        "Level",
        "Sense",
        "Side",
        "Told",
        "TopicOfWord",
        "TriedWords",
    },
    "core": {"Passage", "Progress", "Series"},
    "intake": {"Look", "Page", "Proposal"},
    "platform": {"Connection"},
}


@cache
def modules() -> dict[str, Path]:
    """Name of each module -> its file. Migrations are history, and left out."""
    paths = [
        path
        for room in OURS
        for path in sorted((ROOT / room).rglob("*.py"))
        if "migrations" not in path.parts
    ]
    return {
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
        for p in paths
    }


def package(module: str) -> str:
    """tasks is one package; of inference every folder and every module beside the folders is one;
    of webapp every folder of a wing, and every module beside the wings."""
    first, *rest = module.split(".")
    if first == "tasks":
        return first
    if first == "inference":
        return ".".join([first, *rest[:1]])
    depth = 2 if rest and rest[0] in WINGS else 1
    return ".".join([first, *rest[:depth]])


@cache
def imports(path: Path) -> set[str]:
    """Full names of what a file imports, wherever in it; of `from a import b` both a and a.b, as b
    may be a module."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written with their full names"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@cache
def edges() -> dict[str, dict[str, str]]:
    """package -> package that it imports -> one import that shows it."""
    known = modules()
    between = {}
    for module, path in known.items():
        for name in imports(path) & known.keys() - set(OURS):
            if package(name) != package(module):
                between.setdefault(package(module), {})[package(name)] = f"{module} imports {name}"
    return between


def test_packages_import_one_way():
    between = edges()
    assert len(between) > 20
    try:
        TopologicalSorter({a: set(b) for a, b in between.items()}).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        pytest.fail(
            "Packages import each other:\n"
            + "\n".join(between[a][b] for a, b in zip(circle, circle[1:], strict=False))
        )


def test_wings_stand_on_each_other():
    floor = {f"webapp.{wing}": number for number, wing in enumerate(WINGS)}
    packages_of_wings = {
        name for name in map(package, modules()) if name.rpartition(".")[0] in floor
    }
    assert len(packages_of_wings) > 25
    upward = []
    for importer, imported in edges().items():
        for name, shown in imported.items():
            above = floor.get(name.rpartition(".")[0])
            below = floor.get(importer.rpartition(".")[0])
            if above is not None and below is not None and above < below:
                upward.append(shown)
    assert not upward


def test_layers_of_inference_stand_on_each_other():
    layer_of = {
        f"inference.{name}": layer for layer, names in INFERENCE_LAYERS.items() for name in names
    }
    packages = {name for name in map(package, modules()) if name.startswith("inference.")}
    assert packages == layer_of.keys(), "each package of inference is in one layer"
    order = list(INFERENCE_LAYERS)
    wrong = []
    for importer, imported in edges().items():
        for name, import_of_name in imported.items():
            if importer not in layer_of or name not in layer_of:
                continue
            above, below = layer_of[importer], layer_of[name]
            upward = order.index(below) < order.index(above)
            if upward or (above, below) == ("analysis", "training"):
                wrong.append(f"{above} on {below}: {import_of_name}")
    assert not wrong


def test_architecture_names_the_layers_of_inference():
    """docs/architecture.md: a line for each layer, from the top, with what is in it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text[text.index("\ninference/") : text.index("\ntasks/")]
    written = {
        layer: {name.removesuffix("/") for name in names.split()}
        for layer, names in re.findall(r"^  (\w+) +(.+)$", section, re.MULTILINE)
    }
    assert written == INFERENCE_LAYERS
    assert list(written) == list(INFERENCE_LAYERS)


def test_inference_is_a_library():
    for module, path in modules().items():
        if module.split(".")[0] == "inference":
            wrong = {
                n
                for n in imports(path)
                if n.split(".")[0] in (*NOT_IN_INFERENCE, "tasks", "webapp")
            }
            assert not wrong, f"{module} must not import {sorted(wrong)}"


def test_only_tasks_and_the_start_of_django_import_tasks():
    assert {a for a, to in edges().items() if "tasks" in to} <= {"webapp.apps"}


def test_no_test_imports_the_start_of_a_web_process():
    """Its threads would work beside the tests, in every worker up to the end."""
    statement = re.compile(r"^\s*(from|import) webapp\.asgi\b", re.M)
    files = (ROOT / "tests").rglob("*.py")
    assert [path for path in files if statement.search(path.read_text(encoding="utf-8"))] == []


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def private_names() -> set[str]:
    """What our packages and benchmarks define with a name that begins with an underscore: functions,
    classes, variables and attributes."""
    names = set()
    for path in [*modules().values(), *(ROOT / "benchmarks").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
    return set(filter(is_private, names))


def texts_of_endings(tree: ast.Module) -> set[int]:
    """The id() of each text that is a part of another one, or what another one may end with."""
    parts: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts += node.values
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("endswith", "removesuffix"):
                parts += [part for argument in node.args for part in ast.walk(argument)]
    return set(map(id, parts))


def named_private(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of what a file names with an underscore: imports; attributes of anything but
    itself; and in texts, names for setattr and getattr, and attributes in code that it starts."""
    endings = texts_of_endings(tree)
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in (*OURS, "benchmarks"):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            names = [] if is_own else [node.attr]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = re.findall(r"(?<=[\w)\]])\.(_\w+)", node.value)
            if id(node) not in endings and re.fullmatch(r"_\w+", node.value):
                names.append(node.value)
        yield from ((node.lineno, name) for name in names if is_private(name))


@pytest.mark.parametrize(
    "code",
    [
        "from inference.engines.fw import _seed",
        "fw._seed(state)",
        "run_of(state).engine._seed",
        "monkeypatch.setattr(fw, '_seed', None)",
        "monkeypatch.setattr('inference.engines.fw._seed', None)",
        "for part in ('_seed', '_step'): monkeypatch.delattr(fw, part)",
        "program = f'fw._seed({state})'",
    ],
)
def test_a_private_name_is_found(code):
    assert (1, "_seed") in named_private(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "def _seed(): ...",
        "self._seed = 1",
        "name = f'{engine}_seed'",
        "is_seed = name.endswith(('_seed', '_seeds'))",
        "fw.__name__",
    ],
)
def test_a_name_of_the_test_itself_is_not(code):
    assert list(named_private(ast.parse(code))) == []


def test_tests_name_nothing_private_of_ours():
    """So that who takes a module apart breaks those tests alone whose subject has changed."""
    ours = private_names()
    assert len(ours) > 1000
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert len(files) > 500
    private = []
    met: set[str | tuple[str, str]] = set()
    for path in files:
        file = path.relative_to(ROOT).as_posix()
        for line, name in named_private(ast.parse(path.read_text(encoding="utf-8"))):
            if name in OF_LIBRARIES:
                met.add(name)
            elif (file, name) in OF_LIBRARIES_IN:
                met.add((file, name))
            elif name in ours and path != Path(__file__):
                private.append(f"{file}:{line} {name}")
    assert not private, (
        f"{len(files)} files of tests were looked through. Say it by a public function, or make"
        f" public what is worth a test of its own: {private}"
    )
    assert met == {*OF_LIBRARIES, *OF_LIBRARIES_IN}, "exceptions that nothing needs any more"


def test_no_two_classes_of_a_wing_have_one_name():
    """A reader who meets a name knows which class it is. Names that are shared no more leave the
    list."""
    classes_of_wing = {wing: Counter() for wing in WINGS}
    for module, path in modules().items():
        wing = module.removeprefix("webapp.").split(".")[0]
        if not module.startswith("webapp.") or wing not in WINGS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes_of_wing[wing][node.name] += 1
    assert classes_of_wing["core"].total() > 100
    shared = {
        wing: {name for name, count in classes.items() if count > 1}
        for wing, classes in classes_of_wing.items()
    }
    assert shared == SHARED_CLASS_NAMES


@pytest.mark.parametrize("folder", ["benchmarks", "tests"])
def test_what_is_imported_of_ours_exists(folder):
    """Benchmarks are not run by the suite: a name that is gone would break them unseen."""
    missing = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
                module = import_module(node.module)
                for name in (alias.name for alias in node.names if alias.name != "*"):
                    if not hasattr(module, name) and f"{node.module}.{name}" not in modules():
                        missing.append(f"{path.relative_to(ROOT)}: {node.module}.{name}")
    assert not missing


def test_no_package_holds_more_than_a_fifth_of_the_code():
    lines = Counter()
    for module, path in modules().items():
        lines[package(module)] += len(path.read_text(encoding="utf-8").splitlines())
    total = lines.total()
    large = {name: n for name, n in lines.items() if name.startswith("webapp") and n > MOST * total}
    assert not large, f"of {total} lines: {large}"


def test_only_charts_js_names_plotly():
    named = [
        p.name
        for p in (ROOT / "static" / "js").glob("*.js")
        if "Plotly" in p.read_text(encoding="utf-8")
    ]
    assert named == ["charts.js"]
