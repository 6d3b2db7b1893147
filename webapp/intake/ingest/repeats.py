"""Documents that repeat an earlier one, as they were found when words were chosen
(webapp.intake.ingest.version_builder)."""

import numpy as np

from inference.errors import Invalid
from webapp.models import Version
from webapp.platform.storage import files, sealed


def repeating(version: Version, kind: str) -> np.ndarray:
    """bool[documents]. kind: "same", "near" for those that are not quite the same, or "repeated" for
    both. Raises Invalid where they were not looked for."""
    path = files.corpus_folder(version.corpus_id) / "duplicates.npz"
    if not sealed.exists(path):
        raise Invalid(
            "only",
            "This corpus was read by an older version that kept no list of documents that repeat"
            " others. Read its files again.",
        )
    with sealed.hold(path), np.load(path) as arrays:
        exact = arrays["exact"][: version.documents] >= 0
        near = arrays["near"][: version.documents] >= 0
    if kind == "repeated":
        return exact | near
    if kind == "near":
        return near & ~exact
    return exact
