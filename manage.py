#!/usr/bin/env python3
"""Topograph's commands. `python3 manage.py start` and `python3 manage.py test` set up all they need
by themselves."""

import sys

# What is imported below can't be read by these; webapp/platform/system.py has the other systems
if sys.version_info < (3, 7):  # noqa: UP036
    sys.exit("Topograph needs Python 3.11 or newer. Install one, and run it with that.")

from webapp.platform.local.commands import main

if __name__ == "__main__":
    main()
