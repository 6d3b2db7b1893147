"""The web server's entry point: uvicorn webapp.asgi:application."""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("TOPOGRAPH_POOL", "1")

import django

from webapp import logs
from webapp.server.bodies import bounded, left_to_views
from webapp.server.handler import Handler
from webapp.server.loopback_only import only_from_here

logs.guard()
django.setup(set_prefix=False)
# Every so many seconds a thread gives up Python's lock: with the usual 0.005 the loop, which has little to do for each of many, waits too long.
sys.setswitchinterval(0.001)
application = only_from_here(left_to_views(bounded(Handler()), "/uploads/"))
