"""What the page of the overview draws, from what its JSON has: a module for each part of it, and
`overview_screen`, which puts them together."""
