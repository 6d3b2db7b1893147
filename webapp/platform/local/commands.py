"""The command line: `topograph` where a wheel is installed, `python3 manage.py` in a clone."""

from __future__ import annotations  # an older Python, too, is told what it lacks

import ast
import os
import sys
import tempfile
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from webapp.platform.local import environment, package

# The module of each command that is not one of Django's. A wheel holds no tests.
OWN_COMMANDS = {"start": "webapp.platform.local.start", "worker": "webapp.platform.local.worker"}
if not package.INSTALLED:
    OWN_COMMANDS["test"] = "tests.command"
VERSION = ("version", "--version")
SERVERLESS = ("help", "verify")  # of Django's commands, and ours


def commands() -> list[tuple[str, str]]:
    """(usage, sentence) of each command of Topograph: the first line of its documentation."""
    root = Path(__file__).resolve().parents[3]
    own_files = [root / f"{module.replace('.', '/')}.py" for module in OWN_COMMANDS.values()]
    library_files = [
        path
        for path in sorted(root.glob("webapp/management/commands/*.py"))
        if path.stem != "__init__"
    ]
    described = []
    for path in (*own_files, *library_files):
        usage, _, sentence = _first_line(path).partition(": ")
        described.append((usage, sentence))
    return described


def _first_line(path: Path) -> str:
    """The first line of a module's documentation."""
    documentation = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return documentation.splitlines()[0].replace("`", "")


def main() -> None:
    environment.enter(sys.argv)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in VERSION:
        from inference.runtime.versions import topograph

        sys.exit(print(f"Topograph {topograph()}"))
    if command == "help" and len(sys.argv) > 2 and sys.argv[2] in OWN_COMMANDS:
        sys.exit(print(import_module(OWN_COMMANDS[sys.argv[2]]).__doc__))
    if command == "test" and command not in OWN_COMMANDS:
        sys.exit("The installed Topograph holds no tests: they are in the project's repository.")
    if command in OWN_COMMANDS:
        sys.exit(import_module(OWN_COMMANDS[command]).main(sys.argv[2:]))
    if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]):
        print(f"Topograph's commands; `{package.COMMAND} COMMAND --help` says what each takes:\n")
        print(
            "\n".join(
                f"    {usage.removeprefix('manage.py '):<32}{description}"
                for usage, description in commands()
            )
        )
        print("\nThose of Django:", flush=True)
    _django(
        serverless=command.startswith("-")
        or command in SERVERLESS
        or "--help" in sys.argv
        or "-h" in sys.argv
    )


def _django(serverless: bool) -> None:
    """Run one of Django's commands, or of ours that are made like them, beside the servers it
    needs."""
    from django.core.management import execute_from_command_line

    from webapp.platform.local import folder, servers

    with ExitStack() as stack:
        if serverless:
            os.environ.setdefault("DATABASE_URL", "postgres://not.needed/none")
            os.environ.setdefault("REDIS_URL", "redis://not.needed")
            # Help leaves no state folder behind
            if package.INSTALLED and "TOPOGRAPH_DATA" not in os.environ:
                os.environ["TOPOGRAPH_DATA"] = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="topograph-")
                )
        else:
            try:
                stack.enter_context(servers.for_command())
            except folder.Busy as error:
                sys.exit(str(error))
        execute_from_command_line(sys.argv)
