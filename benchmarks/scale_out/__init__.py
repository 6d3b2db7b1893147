"""One training over several processes: `python -m benchmarks.scale_out`."""
