"""The README's example of the library runs as it stands there, without Django; and each engine is
described."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from inference import engines

ROOT = Path(__file__).parents[2]


def test_the_example_runs_with_every_engine():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code.count('"ssi"') == 2
    program = f"""
import sys; sys.modules['django'] = None
from inference import engines
for name in engines.ENGINES:
    exec({code!r}.replace('"ssi"', repr(name)))
    assert sum(len(t.indptr) - 1 for t in thetas) == bow.D
    assert event.topics.dense().shape == (20, bow.V)
    print("done:", name)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "nats per held-out word" in done.stdout
    assert re.findall("done: (.*)", done.stdout) == list(engines.ENGINES)


@pytest.mark.parametrize("name", engines.ENGINES)
def test_each_engine_is_described(name):
    """A page of its own and one of what was measured, with its row in the list of the engines."""
    folder = ROOT / "docs" / "engines"
    page = folder / f"{name}.md"
    assert page.is_file(), f"Describe the engine in {page.relative_to(ROOT)}."
    assert f"[`{name}`]({name}.md)" in (folder / "README.md").read_text(encoding="utf-8"), (
        "docs/engines/README.md lists the engines: add a row."
    )
    measured = ROOT / "docs" / "measurements" / "engines" / f"{name}.md"
    assert measured.is_file(), f"Say in {measured.relative_to(ROOT)} how good the engine is."
