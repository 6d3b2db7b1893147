"""Engines that only tests have."""
