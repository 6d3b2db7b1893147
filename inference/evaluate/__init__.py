"""Measures of topics, from topics and corpus alone: the same procedure whatever engine made them
(docs/judge.md)."""

from inference.evaluate.coherence import Coherence
from inference.evaluate.diagnostics import TopicMeasures, diagnose
from inference.evaluate.held_out import Completion
from inference.evaluate.left_to_right import LeftToRight

__all__ = ["Coherence", "Completion", "LeftToRight", "TopicMeasures", "diagnose"]
