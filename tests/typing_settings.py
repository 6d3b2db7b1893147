"""Settings for the type checker's Django plugin, which reads models but asks no server."""

import os

os.environ.setdefault("DATABASE_URL", "postgres://not.needed/none")
os.environ.setdefault("REDIS_URL", "redis://not.needed")

from webapp.settings import *  # noqa: F403
