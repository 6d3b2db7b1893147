#!/usr/bin/env python3
"""Topograph's commands. `python3 manage.py start` and `python3 manage.py test` set up all they need by themselves."""

import os
import sys
from importlib import import_module

from webapp.local import environment

OWN = ("start", "test")  # webapp/local/start.py and test.py
SERVERLESS = ("help", "version", "verify")  # of Django's commands, and ours


def main() -> None:
    environment.enter(sys.argv)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in OWN:
        sys.exit(import_module(f"webapp.local.{command}").main(sys.argv[2:]))

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
