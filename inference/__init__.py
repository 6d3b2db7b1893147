"""Topic models of large corpora: engines that train them, and the measures that judge them.

from inference import Bow, engines, train
engine, config = engines.get(engines.DEFAULT), engines.config(engines.DEFAULT, topics=50)
for event in train(engine, config, Bow.from_csr(matrix), seed=1):
    ...
"""

from inference import checkpoint, engines, infer
from inference.bow import Bow, Postings
from inference.errors import Invalid
from inference.evidence import Evidence, gather
from inference.topics import Theta, Topics
from inference.training import Progress, Snapshot, begin, fold_in_corpus, plant, train

__all__ = [
    "Bow", "Evidence", "Invalid", "Postings", "Progress", "Snapshot", "Theta", "Topics", "begin", "checkpoint", "engines", "fold_in_corpus",
    "gather", "infer", "plant", "train",
]  # fmt: skip
