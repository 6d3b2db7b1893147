"""What a program loads before it begins: each command, and each process of a start, waits for it."""

import os
import subprocess
import sys

import inference
from tests.conftest import ROOT

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
    names_of_modules = [name for names in inference.NAMES.values() for name in names]
    assert sorted([*inference.MODULES, *names_of_modules]) == sorted(inference.__all__)
    for name in inference.__all__:
        assert getattr(inference, name) is not None
    assert not hasattr(inference, "nothing_of_this_name")
