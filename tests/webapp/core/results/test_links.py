"""Addresses are made by views, by results.links and by results.run_links: queries hold values, and
no module of theirs looks a route up."""

import ast
from pathlib import Path

import pytest

WEBAPP = Path(__file__).resolve().parents[4] / "webapp"
PACKAGES = (
    "core/results",
    "core/documents",
    "analysis/words",
    "analysis/topics",
    "analysis/time",
    "analysis/two_sets",
    "analysis/compare",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_queries_look_no_route_up(package):
    modules = sorted((WEBAPP / package).glob("*.py"))
    assert len(modules) > 2
    for path in modules:
        imported = {
            n.module
            for n in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(n, ast.ImportFrom)
        }
        if path.stem not in ("links", "run_links") and not path.stem.endswith(("views", "_tags")):
            assert not imported & {
                "django.urls",
                "django.shortcuts",
                "django.utils.html",
                "django.utils.safestring",
            }, path


def test_no_state_is_set_on_a_run():
    """Queries are given results.view.RunView; a run object stays as the database has it."""
    modules = [path for package in PACKAGES for path in (WEBAPP / package).glob("*.py")]
    assert len(modules) > 30
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    of = target.value if isinstance(target, ast.Attribute) else None
                    assert not (
                        isinstance(of, ast.Name) and of.id in ("run", "corpus", "version")
                    ), (path, node.lineno)
            assert not (isinstance(node, ast.Attribute) and node.attr == "__dict__"), (
                path,
                node.lineno,
            )
