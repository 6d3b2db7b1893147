"""What a run was asked for, as its page says it."""

from inference import engines
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.models import Run


def describe_settings(run: Run) -> list[tuple[str, str, str, str]]:
    """A run's settings as (name, label, symbol, value), for its page."""
    # A run of an older version lacks some
    fields = [f for f in engines.fields(run.engine) if f.name in run.settings]
    values = [(f.name, f.label, f.symbol, f.said(run.settings[f.name])) for f in fields]
    return [
        ("engine", "Engine", "", engines.get(run.engine).ABOUT.label),
        *values,
        ("seed", "Seed", "", str(run.seed)),
        *[("seeds", "Named beforehand", "", sentence) for sentence in _describe_named_topics(run)],
    ]


def _describe_named_topics(run: Run) -> list[str]:
    return named_topics.sentences(run.version, Steering.of_run(run).named)
