"""Groups of documents, each beside all others."""

from inference.findings import sums


def contrasts(counted: sums.Sums) -> tuple[sums.Shares, sums.Ratio]:
    """Of each group: its shares, and how many times they are those of all other documents together: [G, T]."""
    typical = sums.typical(counted)
    own = sums.shares(counted, typical)
    return own, sums.ratio(own, sums.shares(counted.rest(), typical))
