"""Our engine against its peers: `python -m benchmarks.engines` (see __main__.py)."""
