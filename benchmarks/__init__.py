"""Figures that the documentation quotes, each reproduced by a program here; none of them is a
test."""
