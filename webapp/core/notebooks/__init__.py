"""Notebooks of evidence and their pins."""
