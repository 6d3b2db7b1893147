"""Numbers that are not known: NaN in arrays, null in JSON and in Postgres."""

import numpy as np


def number_or_none(value: float | np.generic | None) -> float | None:
    """The number; None where it is None or NaN."""
    return None if value is None or np.isnan(value) else float(value)
