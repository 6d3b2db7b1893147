"""Imports point one way (docs/architecture.md): read from the source, so that no room grows a back door."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("inference", "tasks", "webapp")
MAY_IMPORT = {  # room -> what of ours it may import; the longest prefix decides
    "inference": ("inference",),
    "tasks": (
        "inference",
        "tasks",
        "webapp.storage.bulk",
        "webapp.storage.columns",
        "webapp.storage.csv_cells",
        "webapp.storage.disk",
        "webapp.jobs.events",
        "webapp.storage.files",
        "webapp.logs",
        "webapp.models",
        "webapp.jobs.roster",
        "webapp.services",
    ),
    "webapp.readers": ("inference", "webapp.readers"),
    "webapp.ingest.shaping": ("inference", "webapp.readers", "webapp.ingest.shaping"),
    "webapp": ("inference", "tasks", "webapp"),
    "webapp.local": ("webapp.local",),
    "webapp.models": (),
    "webapp.queries": (
        "inference",
        "webapp.storage.columns",
        "webapp.storage.csv_cells",
        "webapp.storage.files",
        "webapp.models",
        "webapp.queries",
        "webapp.templatetags",
    ),
    "webapp.services": (
        "inference",
        "tasks.celery",
        "webapp.readers",
        "webapp.ingest.shaping",
        "webapp.pages.addresses",
        "webapp.storage.bulk",
        "webapp.jobs.counts",
        "webapp.storage.csv_cells",
        "webapp.storage.disk",
        "webapp.jobs.events",
        "webapp.storage.files",
        "webapp.logs",
        "webapp.models",
        "webapp.accounts.embargo",
        "webapp.results.labels",
        "webapp.ingest.estimates",
        "webapp.results.weights",
        "webapp.jobs.roster",
        "webapp.services",
        "webapp.templatetags",
    ),
    "webapp.storage.bulk": (),
    "webapp.storage.columns": (),
    "webapp.jobs.counts": ("webapp.jobs.events",),
    "webapp.storage.disk": (),
    "webapp.jobs.events": ("webapp.logs",),
    "webapp.storage.files": (),
    "webapp.logs": (),
    "webapp.jobs.roster": ("webapp.jobs.events",),
}
NOT_IN_INFERENCE = ("django", "celery", "redis", "psycopg")


def modules() -> list[Path]:
    return [p for room in OURS for p in sorted((ROOT / room).rglob("*.py"))]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """Full names of what a module imports; of `from a import b` both a and a.b, as b may be a module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if node.module in OURS or node.module == "webapp" else {node.module}
    return found


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_point_one_way(path):
    name = name_of(path)
    room = max((r for r in MAY_IMPORT if within(name, r)), key=len)
    ours = {i for i in imports(path) if i.split(".")[0] in OURS and not within(i, room)}
    wrong = {i for i in ours if not any(within(i, allowed) for allowed in MAY_IMPORT[room])}
    assert not wrong, f"{name} must not import {sorted(wrong)}"
    if room == "inference":
        assert not {i for i in imports(path) if i.split(".")[0] in NOT_IN_INFERENCE}


def test_only_charts_js_names_plotly():
    named = [p.name for p in (ROOT / "static" / "js").glob("*.js") if "Plotly" in p.read_text(encoding="utf-8")]
    assert named == ["charts.js"]
