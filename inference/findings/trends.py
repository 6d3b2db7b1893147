"""Groups of documents, each beside all others."""

from inference.findings import sums
from inference.findings.sums import Ratio, Shares, Sums


def contrasts(of: Sums) -> tuple[Shares, Ratio]:
    """Of each group: its shares, and how many times they are those of all other documents together: [G, T]."""
    typical = sums.typical(of)
    own = sums.shares(of, typical)
    return own, sums.ratio(own, sums.shares(of.rest(), typical))
