"""How many topics: what fewer and what more of them would change."""
