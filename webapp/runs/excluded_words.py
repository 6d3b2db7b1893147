"""Runs that leave words out of their corpus's vocabulary."""

from webapp.models import Run, Word
from webapp.results import topics

OFFERED = 30  # words of a topic
SHOWN = 30  # runs


def offered(run: Run, topic: int | None, chosen: list[str]) -> list[dict]:
    """Words to choose from: word, tokens in the corpus, whether it is chosen. Those of a topic by weight, then the
    chosen ones."""
    own = (
        [row["word"] for row in topics.words(run, topic, limit=OFFERED)[0]]
        if topic is not None and run.snapshot_id
        else []
    )
    wanted = [word.lower() for word in chosen]
    names = dict.fromkeys(own + wanted)
    tokens = dict(Word.objects.filter(version=run.version_id, word__in=list(names)).values_list("word", "tokens"))
    left_out = set(run.dropped)
    return [{"word": w, "tokens": tokens[w], "chosen": w in wanted} for w in names if w in tokens and w not in left_out]


def children(run: Run) -> list[dict]:
    """Runs that began with the topics of this one, newest first."""
    return [
        {"id": child.pk, "status": child.status, "dropped": child.dropped}
        for child in run.children.order_by("-pk")[:SHOWN]
    ]
