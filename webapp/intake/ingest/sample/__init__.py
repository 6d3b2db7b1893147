"""A sample of what was uploaded, read as a form says, so that every other choice shows at once: of
many files, and of the entries of an archive, some that are evenly spread; of a file with many
documents its beginning.

How one is drawn, a module after the other:
- `kept`: `take_sample` opens the one that is kept, or has one drawn. It has a folder of its own
  for each way of reading, and is gone when the corpus is read.
- `plan`: which files are read, decided by their names and sizes before any is opened.
- `drawing`: asks for documents until the sample is full, and cuts them into words.
- `reader`: reads each file as far as the sample has room for it (`file_share`), and a while
  further, only to count.
- `documents`: what is kept of each document, and what all together are like.
- `estimates`: how many documents and characters all files have, by what was counted.
- `sample`: the outcome, as pages show it. `limits`: how much is read, whatever was uploaded.
"""

from webapp.intake.ingest.sample.kept import (
    KEPT_SAMPLES,
    are_cut_alike,
    remove_samples,
    take_sample,
)
from webapp.intake.ingest.sample.sample import Loss, Sample

__all__ = ["KEPT_SAMPLES", "Loss", "Sample", "are_cut_alike", "remove_samples", "take_sample"]
