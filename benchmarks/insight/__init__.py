"""Whether the overview says what is true and known of collections unlike each other: python -m
benchmarks.insight."""
