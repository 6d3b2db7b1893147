"""The benchmark of cores, on a few documents: in a process of its own, as it takes the place of
numba's threads."""

import re
import subprocess
import sys

from benchmarks.origin import ROOT


def test_serial_work_is_told_from_work_that_is_divided():
    command = [sys.executable, "-m", "benchmarks.cores", "--documents", "600", "--topics", "20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    rows = {}
    for line in lines:
        if line.startswith("| "):
            name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows[name] = cells
    expected = {"once", "pass 0", "pass 1", "pass 2", "pass 3", "all", "between kernels"}
    assert expected <= set(rows)
    one, serial, longest, predicted = (float(cell.partition(" ")[0]) for cell in rows["all"])
    # Of so few documents a pass alone is told in thousandths of a second, often none of them serial.
    assert 0.0 < serial < one
    assert 0.0 < longest < one
    assert 1.0 < predicted <= 18.0  # sixteen, but for what a clock is worth here
    assert re.fullmatch(r"serial: [\d.]+% predicted: [\d.]+", lines[-1])
