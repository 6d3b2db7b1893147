"""Dockerfile and docker-compose.yml, run for real: `python -m benchmarks.containers`."""
