"""Where the program's own files are: beside the packages in a clone, inside webapp/ where a wheel
is installed.

The standard library alone: environment.py needs it before anything is installed.
"""

from __future__ import annotations  # an older Python, too, is told what it lacks

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # what holds the packages: the clone, or site-packages
# pyproject.toml puts the templates there in a wheel, and only there
INSTALLED = (ROOT / "webapp" / "templates").is_dir()
COMMAND = "topograph" if INSTALLED else "python3 manage.py"


def resource(name: str) -> Path:
    """The folder `templates`, `static`, `requirements` or `lessons`."""
    if INSTALLED:
        return ROOT / "webapp" / name
    if name == "lessons":
        return ROOT / "docs" / name
    return ROOT / name


def in_templates(request) -> dict[str, str]:
    """What every page shows of the program itself."""
    from inference.runtime.versions import topograph

    return {"topograph_version": topograph()}
