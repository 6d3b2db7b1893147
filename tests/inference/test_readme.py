"""The README's example of the library runs as it stands there, without Django."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    code = (
        "import sys; sys.modules['django'] = None\n" + code + "\nassert sum(len(t.indptr) - 1 for t in thetas) == bow.D"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "nats per held-out word" in done.stdout
