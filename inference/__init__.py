"""Topic models of large corpora: engines that train them, and the measures that judge them.

from inference import Bow, engines, train
engine, config = engines.get(engines.DEFAULT), engines.config(engines.DEFAULT, topics=50)
for event in train(engine, config, Bow.from_csr(matrix), seed=1):
    ...
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

MODULES = ("checkpoint", "engines", "infer")
# By the module that has them. A type checker does not run `__getattr__`, and is told the same below
# (tests/webapp/platform/test_imports.py compares both)
NAMES = {
    "bow": ("Bow", "Postings"),
    "errors": ("Invalid",),
    "evidence": ("Evidence", "complete_and_open", "gather", "open_evidence"),
    "topics": ("Theta", "Topics"),
    "training": ("Progress", "Snapshot", "begin", "fold_in_corpus", "plant", "train"),
}

if TYPE_CHECKING:
    from inference import checkpoint as checkpoint, engines as engines, infer as infer
    from inference.bow import Bow as Bow, Postings as Postings
    from inference.errors import Invalid as Invalid
    from inference.evidence import (
        Evidence as Evidence,
        complete_and_open as complete_and_open,
        gather as gather,
        open_evidence as open_evidence,
    )
    from inference.topics import Theta as Theta, Topics as Topics
    from inference.training import (
        Progress as Progress,
        Snapshot as Snapshot,
        begin as begin,
        fold_in_corpus as fold_in_corpus,
        plant as plant,
        train as train,
    )
else:
    __all__ = [*MODULES, *(name for names in NAMES.values() for name in names)]

    def __getattr__(name: str) -> Any:
        """What somebody asks for is imported then. An engine loads numba, which takes a second of
        the processor, and a command about accounts needs no more of this library than Invalid."""
        if name in MODULES:
            return import_module(f"inference.{name}")
        for module, names in NAMES.items():
            if name in names:
                return getattr(import_module(f"inference.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
