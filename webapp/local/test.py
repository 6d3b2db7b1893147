"""`manage.py test`: every test, or those that are named, against Postgres and Valkey of their own.

Arguments go to pytest: `manage.py test tests/webapp -k search`.
"""

import os
import subprocess
import sys
import tempfile

from webapp.local import folder, servers
from webapp.local.processes import Supervisor


def main(argv: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="topograph-test-") as data:
        os.environ["TOPOGRAPH_DATA"] = data
        print(f"Starting servers for the tests in {data}", flush=True)
        supervisor = Supervisor(print)
        try:
            database, broker = servers.start(supervisor)
            env = os.environ | {
                "DATABASE_URL": database,
                "REDIS_URL": broker,
                "DJANGO_SETTINGS_MODULE": "webapp.settings",
            }
            try:
                return subprocess.run([sys.executable, "-m", "pytest", *argv], cwd=folder.ROOT, env=env).returncode
            except KeyboardInterrupt:
                return 130
        finally:
            supervisor.stop()
