"""Dockerfile and docker-compose.yml, run for real: `python -m tests.containers`."""
