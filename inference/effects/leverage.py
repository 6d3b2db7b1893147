"""How much a single unit decides of a share or a coefficient, its leverage, and what intervals need
besides. CR2 divides a unit's squared residual by 1 - leverage (Bell and McCaffrey 2002)."""

import numpy as np

# 1 - leverage, below which a unit alone is a side, or decides a coefficient: its residual then says
# nothing
ALONE_LEVERAGE_GAP = 1e-9
# Degrees of freedom that Student's t is asked with at the least: with none it has no quantiles
LEAST_FREEDOM = 1e-3


def inverse_of_gap(gap: np.ndarray) -> np.ndarray:
    """1 / (1 - leverage), float64 of the same shape; 0 of a unit that alone decides. gap: float64,
    1 - leverage."""
    return np.where(gap > ALONE_LEVERAGE_GAP, 1 / np.maximum(gap, ALONE_LEVERAGE_GAP), 0.0)
