"""What stands around the exploration: files to take away, codebooks, courses, the API,
operation."""
