"""The topics with which a run begins that continues another run, its parent."""

import numpy as np

from inference import Bow, Evidence, Postings
from inference.consensus import consensus
from inference.steering import steer
from inference.warm_start import inherit
from webapp.curation import label_transfer
from webapp.models import Run, Word
from webapp.results import weights
from webapp.runs import replicates, steering
from webapp.storage import files, sealed


def of_same_version(run: Run, parent: Run, bow: Bow, alpha: np.ndarray) -> np.ndarray:
    """uint16[nnz]: the topics that the parent gave to the pairs of the run's bag of words, which leaves out some of the
    parent's words; changed as the run's `steering` says. alpha: the prior."""
    if seeds := run.steering.get("consensus"):
        assert parent.snapshot is not None
        joined = consensus([weights.topics(parent.snapshot), *replicates.topics(parent, seeds)])
        return inherit(joined, np.arange(bow.V, dtype=np.int32), bow, alpha)
    folder = files.bow_folder(parent.version_id, parent.pk, parent.dropped)
    given = files.run_folder(parent.pk) / "evidence"
    evidence = sealed.opened(
        lambda: Evidence.open(given, Bow.open(folder), Postings.open(folder / "by_word")), given, folder
    )
    dropped = Word.objects.filter(version=run.version_id, word__in=run.dropped).values_list("number", flat=True)
    keep = np.ones(bow.V, bool)
    keep[list(dropped)] = False
    topics = evidence.topics[keep[evidence.bow.words]]  # both bags have their pairs in the same order
    if not run.steering:
        return topics
    together = [word for words in run.steering.get("together", []) for word in words]
    columns = dict(Word.objects.filter(version=run.version_id, word__in=together).values_list("word", "number"))
    return steer(np.asarray(topics), parent.topics, bow, steering.changes(run.steering, columns))


def of_other_version(run: Run, parent: Run, bow: Bow, alpha: np.ndarray) -> np.ndarray:
    """uint16[nnz]: the topics that the parent would give to the pairs of the run's bag of words, under the prior
    `alpha`."""
    return inherit(*label_transfer.inherited(parent, run.version), bow, alpha)
