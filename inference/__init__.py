"""Topic models of large corpora: engines that train them, and the measures that judge them.

from inference import Bow, engines, train
engine, config = engines.get(engines.DEFAULT), engines.config(engines.DEFAULT, topics=50)
for event in train(engine, config, Bow.from_csr(matrix), seed=1):
    ...
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "Bow", "Evidence", "Invalid", "Postings", "Progress", "Snapshot", "Theta", "Topics", "begin", "checkpoint", "engines", "fold_in_corpus",
    "gather", "infer", "plant", "train",
]  # fmt: skip

MODULES = ("checkpoint", "engines", "infer")
NAMES = {
    "bow": ("Bow", "Postings"),
    "errors": ("Invalid",),
    "evidence": ("Evidence", "gather"),
    "topics": ("Theta", "Topics"),
    "training": ("Progress", "Snapshot", "begin", "fold_in_corpus", "plant", "train"),
}

if TYPE_CHECKING:
    from inference import checkpoint, engines, infer
    from inference.bow import Bow, Postings
    from inference.errors import Invalid
    from inference.evidence import Evidence, gather
    from inference.topics import Theta, Topics
    from inference.training import Progress, Snapshot, begin, fold_in_corpus, plant, train
else:

    def __getattr__(name: str) -> Any:
        """What somebody asks for is imported then. An engine loads numba, which takes a second of
        the processor, and a command about accounts needs no more of this library than Invalid."""
        if name in MODULES:
            return import_module(f"inference.{name}")
        for module, names in NAMES.items():
            if name in names:
                return getattr(import_module(f"inference.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
