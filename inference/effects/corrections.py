"""What trying many things does to intervals (to tests: inference.findings.sums.accepted)."""


def level_of_named(named: int, tried: int, q: float = 0.05) -> float:
    """The level for intervals of the findings that are named, of all that were tested, so that at
    most a part q of them misses the truth on average (Benjamini and Yekutieli 2005, false
    coverage-statement rate): 1 - q named / tried."""
    return 1 - q * min(max(named, 1), tried) / max(tried, 1)
