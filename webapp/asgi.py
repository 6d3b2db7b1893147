"""The web server's entry point: uvicorn webapp.asgi:application."""

import multiprocessing
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("TOPOGRAPH_POOL", "1")

import django

from webapp.platform import garbage, logs, system
from webapp.platform.server import first_page, siblings
from webapp.platform.server.handler import whole_application

logs.guard()
garbage.pause()  # until first_page has made all that stays
django.setup(set_prefix=False)

from webapp import urls  # noqa: E402, F401 (every page: else the first request would import them)

# Seconds after which a thread gives up Python's lock. With the default of 0.005 the event loop,
# which does a little for each of many requests, waits too long.
sys.setswitchinterval(0.001)
first_page.prepare()
# One of uvicorn's --workers: without uvicorn nobody would end it
if multiprocessing.parent_process():
    system.end_with_parent()
siblings.follow()
application = whole_application()
