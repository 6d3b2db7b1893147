"""Runs that leave words out of their corpus's vocabulary."""

from webapp.core.results import topics
from webapp.core.runs.shapes import ChildRun, OfferedWord
from webapp.models import Run, Word

OFFERED = 30  # words of a topic
SHOWN = 30  # runs


def offered(run: Run, topic: int | None, chosen: list[str]) -> list[OfferedWord]:
    """Words to choose from: those of a topic by weight, then the chosen ones."""
    own = (
        [row["word"] for row in topics.words(run, topic, limit=OFFERED)[0]]
        if topic is not None and run.snapshot_id
        else []
    )
    wanted = [word.lower() for word in chosen]
    names = dict.fromkeys(own + wanted)
    tokens = dict(
        Word.objects.filter(version=run.version_id, word__in=list(names)).values_list(
            "word", "tokens"
        )
    )
    left_out = set(run.dropped)
    return [
        OfferedWord(w, tokens[w], w in wanted) for w in names if w in tokens and w not in left_out
    ]


def children(run: Run) -> list[ChildRun]:
    """Runs that began with the topics of this one, newest first."""
    return [
        ChildRun(child.pk, child.status, child.dropped)
        for child in run.children.order_by("-pk")[:SHOWN]
    ]
