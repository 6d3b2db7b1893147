"""`manage.py worker --join ADDRESS`: take a share of large trainings that another machine leads
(docs/scaling.md)."""

import logging
import os
from pathlib import Path

from inference import cluster

MISSING = (
    "A worker needs dask.distributed: pip install --require-hashes -r requirements/cluster.lock"
    " (docs/scaling.md)."
)


def main(argv: list[str]) -> int | str:
    if not cluster.installed():
        return MISSING
    from inference.cluster import join
    from webapp.platform.local import folder

    logging.basicConfig(format="%(asctime)s %(message)s")
    os.nice(10)  # pages and other programs come first
    join.main(argv, Path(folder.data()) / "files")
    return 0
