"""The experiments of the five papers, again: `python -m benchmarks.papers`. `bench.py` says what an
experiment is."""
