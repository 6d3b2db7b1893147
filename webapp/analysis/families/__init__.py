"""Families of topics: a run's tree of topics cut into a number of them, and what they are called."""
