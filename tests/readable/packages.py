"""The files of the repository, by package, and circles among them."""

import subprocess
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.readable.source import Source, read

ROOT = Path(__file__).resolve().parents[2]
DEPTH = 2  # folders that name a package
DEPTH_IN_WEBAPP = 3
MEASURED = ("inference", "webapp", "tasks", "benchmarks", "tests/readable")
NOT_OURS = {  # folders of a program to compare with that are written otherwise
    "migrations",
    "tests",
    "test",
    "testing",
    "vendor",
    "locale",
    "node_modules",
    ".venv",
    "__pycache__",
}


def package(path: str) -> str:
    """webapp/<wing>/<package>, or <folder>/<folder>: as tests/readable.toml has them."""
    folders = path.split("/")[:-1]
    in_webapp = folders[:1] == ["webapp"]
    return "/".join(folders[: DEPTH_IN_WEBAPP if in_webapp else DEPTH])


def paths(folders: Iterable[str] = MEASURED) -> list[str]:
    """Python files of the repository in these folders, or these files. Migrations are history, and
    left out; nothing else is: webapp/x/tests.py would be read."""
    files: list[Path] = []
    for name in folders:
        path = ROOT / name
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    names = [file.relative_to(ROOT).as_posix() for file in files]
    return [name for name in names if "/migrations/" not in name]


@cache
def source(path: str) -> Source:
    return read((ROOT / path).read_text(encoding="utf-8"), path)


def by_package(folders: Iterable[str] = MEASURED) -> dict[str, list[Source]]:
    sources: dict[str, list[Source]] = defaultdict(list)
    for path in paths(folders):
        sources[package(path)].append(source(path))
    return dict(sorted(sources.items()))


def of_commit(reference: str, path: str) -> Source | None:
    """The same file then; None where there was none."""
    command = ["git", "show", f"{reference}:{path}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return read(done.stdout, path)


def changed_since(reference: str) -> list[str]:
    """Measured files that are new or other than in a commit. Raises CalledProcessError."""
    changed = _git("diff", "--name-only", "--diff-filter=d", reference, "--", *MEASURED)
    untracked = _git("ls-files", "--others", "--exclude-standard", "--", *MEASURED)
    return sorted({*changed, *untracked} & set(paths()))


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def of_program(folder: Path) -> list[Source]:
    """Of another program, without its tests."""
    sources = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if _is_test(name) or NOT_OURS & set(name.parts[:-1]):
            continue
        try:
            sources.append(read(path.read_text(encoding="utf-8"), name.as_posix()))
        except (SyntaxError, UnicodeDecodeError):  # templates of code, and files for old Pythons
            continue
    return sources


def _is_test(path: Path) -> bool:
    if path.name in ("tests.py", "conftest.py"):
        return True
    return path.name.startswith("test_") or path.name.endswith("_tests.py")


def circles(sources: Iterable[Source]) -> list[list[str]]:
    """Modules that import each other, also through others, by TYPE_CHECKING or within functions."""
    imports = {_module(source.path): source.imports for source in sources}
    edges: dict[str, set[str]] = {}
    for module, names in imports.items():
        modules = {name if name in imports else name.rpartition(".")[0] for name in names}
        edges[module] = (modules & imports.keys()) - {module}
    reached = {module: _reached(module, edges) for module in edges}
    circles = set()
    for module, modules in reached.items():
        if module in modules:
            circles.add(tuple(sorted(name for name in modules if module in reached[name])))
    return sorted(map(list, circles))


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _reached(module: str, edges: dict[str, set[str]]) -> set[str]:
    """What it imports, and what these import, and so on."""
    seen: set[str] = set()
    waiting = list(edges[module])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += edges[name]
    return seen
