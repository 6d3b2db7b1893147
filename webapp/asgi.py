"""The web server's entry point: uvicorn webapp.asgi:application."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("TOPOGRAPH_POOL", "1")

from django.core.asgi import get_asgi_application

from webapp import logs
from webapp.bodies import bounded, left_to_views
from webapp.here import only_from_here

logs.guard()
application = only_from_here(left_to_views(bounded(get_asgi_application()), "/uploads/"))
