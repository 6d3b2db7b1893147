"""Topics over time and by category."""
