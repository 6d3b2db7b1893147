"""Runs that leave words out of their corpus's vocabulary, and what readers say of one run for another."""

from django.db.models import Count

from webapp.models import Edit, Run, Word
from webapp.results import links, topics
from webapp.results.view import RunView

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


def labelled(run: Run) -> list[dict]:
    """Other runs of the corpus of which readers said something, newest first."""
    edits = Edit.objects.filter(
        run__corpus=run.corpus_id, run__status=Run.Status.DONE, run__deleted_at=None, undone_at=None
    ).exclude(run=run)
    runs = edits.values("run").annotate(topics=Count("topic", distinct=True)).order_by("-run")[:SHOWN]
    return [{"id": row["run"], "topics": row["topics"]} for row in runs]


def described(run: RunView, source: RunView, plan) -> dict:
    """curation.label_transfer.Plan as a page shows it."""
    return {
        "pairs": [
            {
                "there": links.topic(source, k),
                "here": links.topic(run, j),
                "similarity": s,
                "takes": sorted(plan.values.get(j, {})),
            }
            for k, j, s in plan.pairs
        ],
        "orphans": [links.topic(source, k) for k in plan.orphans],
        "fields": sum(map(len, plan.values.values())),
    }
