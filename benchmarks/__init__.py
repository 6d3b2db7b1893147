"""Figures that the documentation quotes, each reproduced by `python -m benchmarks.NAME`; none of them is a test."""
