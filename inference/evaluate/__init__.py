"""Measures of topics, from topics and corpus alone: the same procedure whatever engine made them."""

from inference.evaluate.coherence import Coherence
from inference.evaluate.held_out import Completion

__all__ = ["Coherence", "Completion"]
