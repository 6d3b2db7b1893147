#!/usr/bin/env python3
"""Topograph's commands. `python3 manage.py start` and `python3 manage.py test` set up all they need by themselves."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path

from webapp.local import environment

OWN = ("start", "test")  # webapp/local/start.py and test.py; the others are in webapp/management/commands
SERVERLESS = ("help", "version", "verify")  # of Django's commands, and ours


def commands() -> list[tuple[str, str]]:
    """(usage, sentence) of each command of Topograph: the first line of its documentation."""
    root = Path(__file__).resolve().parent / "webapp"
    own = [root / "local" / f"{name}.py" for name in OWN]
    others = [path for path in sorted(root.glob("management/commands/*.py")) if path.stem != "__init__"]
    lines = [ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[0] for path in own + others]
    return [tuple(line.replace("`", "").removeprefix("manage.py ").split(": ", 1)) for line in lines]


def main() -> None:
    environment.enter(sys.argv)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command == "help" and len(sys.argv) > 2 and sys.argv[2] in OWN:
        sys.exit(print(import_module(f"webapp.local.{sys.argv[2]}").__doc__))
    if command in OWN:
        sys.exit(import_module(f"webapp.local.{command}").main(sys.argv[2:]))

    if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]):
        print("Topograph's commands; `manage.py COMMAND --help` says what each takes:\n")
        print("\n".join(f"    {usage:<32}{what}" for usage, what in commands()) + "\n\nThose of Django:", flush=True)

    from django.core.management import execute_from_command_line

    from webapp.local import servers

    if command.startswith("-") or command in SERVERLESS or "--help" in sys.argv or "-h" in sys.argv:
        os.environ.setdefault("DATABASE_URL", "postgres://not.needed/none")
        os.environ.setdefault("REDIS_URL", "redis://not.needed")
        execute_from_command_line(sys.argv)
    else:
        with servers.for_command():
            execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
