"""Whether a topic is any good, in a sentence: clear, mixed, general or unstable, and why. docs/rooms.md says how the
thresholds were set."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from inference.explore import matching
from webapp.compare import matchings
from webapp.compare import queries as comparisons
from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.results import links, measures
from webapp.results.view import RunView

TOGETHER = 0.075  # NPMI below which first words do not tend to occur together
MUCH = 0.25  # exclusivity from which first words are said to have much of their use in the topic
NEAR = 0.15  # divergence below which two topics of a run share most of their words
RUNS, MOST = 3, 300  # other runs that are looked at; topics above which comparing them takes longer than a page may


class Reason(NamedTuple):
    text: str
    url: str  # of the evidence
    against: str = ""  # the kind of topic that it speaks for, if not a clear one


def of(view: RunView, k: int, similar: list[dict], others: list[int]) -> dict | None:
    """kind, sentence and reasons; None while nothing is measured. similar: of topic.neighbours. others: runs to compare
    with (`independent`)."""
    column = measures.of(view.run)
    if not column or np.isnan(column["exclusivity"][k]) or np.isnan(column["documents"][k]):
        return None
    judged = [_together(column, k), *_owned(view.run, column, k), _near(similar), _stability(view.run, k, others)]
    judged = [part for part in judged if part is not None]
    against = {part.against for part in judged}
    kind = next((kind for kind in ("general", "unstable", "mixed") if kind in against), "clear")
    reasons = [{"text": part.text, "url": part.url} for part in judged]
    return {"kind": kind, "sentence": SENTENCES[kind], "reasons": reasons}


SENTENCES = {
    "clear": "A clear topic",
    "mixed": "A mixed topic: read its documents before you name it",
    "general": "General talk rather than a subject",
    "unstable": "An unstable topic",
}


def independent(run: Run) -> list[int]:
    """Finished runs on the same words with as many topics that did not begin with another's, newest first."""
    if run.topics > MOST or run.begins:
        return []
    alike = Run.objects.filter(
        version=run.version_id, status=Run.Status.DONE, begins=False, settings__topics=run.topics, snapshot__final=True
    )
    return list(alike.exclude(pk=run.pk).order_by("-pk").values_list("pk", flat=True)[:RUNS])


def _together(column: dict[str, np.ndarray], k: int) -> Reason | None:
    npmi = column["npmi"][k]
    if np.isnan(npmi):
        return None
    apart = npmi < TOGETHER
    said = "do not tend to occur together" if apart else "tend to occur together"
    return Reason(f"its first words {said} (NPMI {_number(npmi)})", "#measures", "mixed" if apart else "")


def _owned(run: Run, column: dict[str, np.ndarray], k: int) -> list[Reason]:
    general, exclusivity = bool(column["background"][k]), column["exclusivity"][k]
    said = "are shared with many topics" if general else "have much of their use here" if exclusivity >= MUCH else "are shared with some topics"  # fmt: skip
    share = column["documents"][k] / max(1, run.version.documents)
    return [
        Reason(f"they {said} (exclusivity {_number(exclusivity)})", "#words", "general" if general else ""),
        Reason(f"it occurs in {share:.0%} of the documents", "#documents"),
    ]


def _near(similar: list[dict]) -> Reason | None:
    if not similar or similar[0]["divergence"] >= NEAR:
        return None
    return Reason(f"{topic_label(similar[0]['number'])} has nearly the same words", "#similar", "mixed")


def _stability(run: Run, k: int, others: list[int]) -> Reason | None:
    """In how many of the other runs the topic has a like; of those that a worker still compares nothing is said."""
    runs, likeness = [], []
    for other in comparisons.ordered(Run.objects.all(), others):
        with suppress(matchings.NotYet):
            likeness.append(float(matchings.of(run, other).best_b_similarity[k]))
            runs.append(other)
    if not runs:
        return None
    again = sum(value >= matching.LEAST for value in likeness)
    said = f"{again} of {len(runs)} other runs found it, too"
    if len(runs) == 1:
        verb = "found it, too" if again else "has no topic like it"
        said = f"run {runs[0].pk} {verb} (similarity {_number(likeness[0])})"
    return Reason(said, links.compare_url([run, *runs]), "unstable" if again < len(runs) / 2 else "")


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
