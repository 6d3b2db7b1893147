"""What pages say of a run beside its topics."""

from webapp.core.runs import queries
from webapp.models import Run, Version


def test_passes_are_counted_in_sections_where_long_documents_are_cut():
    """The topics had settled after three passes, of 40 steps each."""
    books = Version(documents=100, report={"rows": 10_000})
    run = Run(version=books, settings={"passes": 20, "minibatch": 256}, step=60, steps=120)
    assert (queries.passes(run), queries.current_pass(run)) == (3, 2)
