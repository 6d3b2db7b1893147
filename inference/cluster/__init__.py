"""One training over several processes, on one machine or many, by dask.distributed (the extra
`topograph[cluster]`).

A worker (`join`) waits for trainings. The leader of one (`lead.Team`, used instead of its engine)
gives every worker a range of documents, and asks all for each step (`calls`). The workers exchange
what changed, directly with each other (`member`). Each holds the remembered topics of its own
documents alone (`share`), also in checkpoints (`parts`). dask's scheduler only knows which workers
are there. docs/scaling.md.
"""

from importlib.util import find_spec


def installed() -> bool:
    """Whether dask.distributed is there."""
    return find_spec("distributed") is not None
