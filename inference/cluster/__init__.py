"""One training over several processes, on one machine or many, by dask.distributed (the extra `topograph[cluster]`).

A worker (`join`) waits for trainings. Whoever leads one (`lead.Team`, which stands in the place of its engine) gives every
worker a range of documents. For each step the workers exchange what changed, directly with each other (`member`); none of
them holds more than its own documents' memory of topics (`share`), also in checkpoints (`parts`). dask's scheduler only knows
who is there. docs/scaling.md.
"""

from importlib.util import find_spec


def installed() -> bool:
    """Whether dask.distributed is there."""
    return find_spec("distributed") is not None
