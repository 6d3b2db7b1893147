"""Trainings: create, train, publish, watch, continue."""
