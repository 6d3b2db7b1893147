"""Runs that leave words out of their corpus's vocabulary."""

from webapp.core.results import topics
from webapp.core.runs.shapes import ChildRun, OfferedWord
from webapp.intake.ingest.typed_words import spell_words
from webapp.models import Run, Word
from webapp.platform.typed_text import as_counted

WORDS_OFFERED = 30  # words of a topic
CHILDREN = 30  # runs that are listed


def offered(run: Run, topic: int | None, chosen_words: list[str]) -> list[OfferedWord]:
    """Words to choose from: those of a topic by weight, then the chosen ones."""
    of_topic: list[str] = []
    if topic is not None and run.snapshot_id:
        rows, _ = topics.words(run, topic, limit=WORDS_OFFERED)
        of_topic = [row["word"] for row in rows]
    ticked = spell_words(run.version_id, map(as_counted, chosen_words))
    words = dict.fromkeys(of_topic + ticked)
    in_vocabulary = Word.objects.filter(version=run.version_id, word__in=list(words))
    tokens = dict(in_vocabulary.values_list("word", "tokens"))
    present = tokens.keys() - set(run.dropped)
    return [OfferedWord(word, tokens[word], word in ticked) for word in words if word in present]


def children(run: Run) -> list[ChildRun]:
    """Runs that began with the topics of this one, newest first."""
    return [
        ChildRun(child.pk, child.status, child.dropped)
        for child in run.children.order_by("-pk")[:CHILDREN]
    ]
