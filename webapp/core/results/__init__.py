"""A finished run's model as pages read it: evidence, topics, labels, weights."""
