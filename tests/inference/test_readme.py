"""The README's example of the library runs as it stands there, without Django."""

import re
import subprocess
import sys
from pathlib import Path

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
