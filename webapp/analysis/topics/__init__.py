"""Pages of topics: list, map, grid, one topic."""
