#!/usr/bin/env python3
"""Topograph's commands. `python3 manage.py start` and `python3 manage.py test` set up all they need by themselves."""

import os
import sys
from importlib import import_module

from webapp.local import environment

OWN = {  # webapp/local/start.py and test.py
    "start": "everything on this machine, until Ctrl-C",
    "test": "every test, or those that are named",
}
OFTEN = {"backup": "a consistent copy of everything, while it runs", "restore": "take up a backup"}
SERVERLESS = ("help", "version", "verify")  # of Django's commands, and ours


def main() -> None:
    environment.enter(sys.argv)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command == "help" and len(sys.argv) > 2 and sys.argv[2] in OWN:
        sys.exit(print(import_module(f"webapp.local.{sys.argv[2]}").__doc__))
    if command in OWN:
        sys.exit(import_module(f"webapp.local.{command}").main(sys.argv[2:]))

    if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]):
        print("Topograph:\n" + "\n".join(f"    {name:<10}{what}" for name, what in (OWN | OFTEN).items()))

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
