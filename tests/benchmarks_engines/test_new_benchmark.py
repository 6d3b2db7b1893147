"""The benchmark that CONTRIBUTING.md shows is one."""

import subprocess
import sys

from tests.conftest import ROOT
from tests.contributing import examples


def test_the_benchmark_of_contributing(tmp_path):
    (code,) = examples("Add a benchmark", "python")
    program = tmp_path / "words.py"
    program.write_text(code, encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')",
    ]
    done = subprocess.run([*command, "--quick"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    name, _, number = done.stdout.splitlines()[-1].partition(": ")
    assert name == "words a second" and int(number) > 0
