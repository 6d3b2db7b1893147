"""An order of files of which every beginning is spread evenly over all of them: whoever must stop
somewhere has seen some of each part."""

import math
from collections.abc import Iterator

# Steps of this part of a circle come closest to places that they have not been to (Weyl 1916). A
# half and its halves would meet every second file alone where two kinds alternate.
GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


def even_order(count: int) -> Iterator[int]:
    """Each of the numbers from 0 to count - 1 once; the first is 0, and the same count gives the
    same order."""
    step = max(1, round(GOLDEN_RATIO * count))
    while math.gcd(step, count) > 1:
        step += 1
    return (turn * step % count for turn in range(count))
