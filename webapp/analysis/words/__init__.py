"""Words: their senses, their lines in context."""
