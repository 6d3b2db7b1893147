"""Simulated texts, drawn from known topics, and a run's topics beside those."""
