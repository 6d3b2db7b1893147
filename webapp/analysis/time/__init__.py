"""Topics by period and by category: lines and a table of shades."""
