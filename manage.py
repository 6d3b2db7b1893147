#!/usr/bin/env python3
"""Topograph's commands. `python3 manage.py start` and `python3 manage.py test` set up all they need
by themselves."""

from webapp.platform.local.commands import main

if __name__ == "__main__":
    main()
