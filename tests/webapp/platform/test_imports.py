"""What a program loads before it begins: each command, and each process of a start, waits for it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

import inference
from tests.conftest import ROOT
from webapp.platform.storage import s3

LARGE = ("numba", "numpy", "pandas", "pyarrow", "scipy")
SETUP = f"""
import sys
import django
django.setup()
print(*(name for name in {LARGE} if name in sys.modules))
"""


def test_the_start_of_django_loads_no_engine(tmp_path):
    env = os.environ | {"TOPOGRAPH_DATA": str(tmp_path)}
    argv = [sys.executable, "-c", SETUP]
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_each_name_of_the_library_is_there():
    for name in inference.__all__:
        assert getattr(inference, name) is not None
    assert not hasattr(inference, "nothing_of_this_name")


def test_type_checkers_are_told_the_names_that_are_there():
    tree = ast.parse(Path(inference.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    told = {
        (node.module or "").removeprefix("inference").lstrip("."): tuple(
            alias.asname for alias in node.names
        )
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }
    assert told == inference.NAMES | {"": inference.MODULES}


@pytest.mark.django_db
def test_migrating_looks_at_the_store_and_at_no_page(settings, monkeypatch):
    settings.ROOT_URLCONF = "no_such_pages"
    call_command("migrate", check_unapplied=True, skip_checks=False)
    settings.STORE = "s3://nowhere"
    monkeypatch.setattr(s3, "refusal", lambda: "The store is away.")
    with pytest.raises(SystemCheckError, match="The store is away"):
        call_command("migrate", check_unapplied=True, skip_checks=False)
