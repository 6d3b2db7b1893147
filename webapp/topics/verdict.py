"""Whether a topic is any good, in a sentence: clear, mixed, general or unstable, and why. docs/measures.md says how the
thresholds were set."""

from typing import NamedTuple

import numpy as np
from django.urls import reverse

from inference.explore import matching
from webapp.compare import queries as comparisons
from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.results import measures
from webapp.results.view import RunView

TOGETHER = 0.075  # NPMI below which first words do not tend to occur together
OWN, SPREAD = 0.55, 1.25  # of the run's medians: words less exclusive, and documents more, are general talk
FEW = 8  # topics, below which a median says too little
NEAR = 0.15  # divergence below which two topics of a run share most of their words
RUNS, MOST = 3, 300  # other runs that are looked at; topics above which comparing them takes longer than a page may


class Reason(NamedTuple):
    text: str
    url: str  # of the evidence


def of(view: RunView, k: int, similar: list[dict], others: list[int]) -> dict | None:
    """kind, sentence and reasons; None while nothing is measured. similar: of topic.neighbours. others: runs to compare
    with (`independent`)."""
    column = measures.of(view.run)
    if not column or np.isnan(column["exclusivity"][k]) or np.isnan(column["documents"][k]):
        return None
    reasons, kinds = [], []
    together = column["npmi"][k]
    if not np.isnan(together):
        kinds += ["mixed"] * (together < TOGETHER)
        said = "do not tend to occur together" if together < TOGETHER else "tend to occur together"
        reasons.append(Reason(f"its first words {said} (NPMI {_number(together)})", "#measures"))
    general, documents = _general(column)[k], int(column["documents"][k])
    kinds += ["general"] * bool(general)
    share = documents / max(1, view.run.version.documents)
    owned = "are shared with many topics" if general else "are partly its own" if column["exclusivity"][k] < 0.25 else "are mostly its own"  # fmt: skip
    reasons.append(Reason(f"its first words {owned} (exclusivity {_number(column['exclusivity'][k])})", "#words"))
    reasons.append(Reason(f"it occurs in {share:.0%} of the documents", "#documents"))
    if similar and similar[0]["divergence"] < NEAR:
        kinds.append("mixed")
        near = topic_label(similar[0]["number"])
        reasons.append(Reason(f"{near} has nearly the same words", "#similar"))
    if stable := _stability(view.run, k, others):
        kinds += ["unstable"] * (stable.again < stable.of / 2)
        reasons.append(Reason(stable.text, stable.url))
    kind = next((kind for kind in ("general", "unstable", "mixed") if kind in kinds), "clear")
    return {"kind": kind, "sentence": SENTENCES[kind], "reasons": [reason._asdict() for reason in reasons]}


SENTENCES = {
    "clear": "A clear topic.",
    "mixed": "A mixed topic: read its documents before you name it.",
    "general": "General talk rather than a subject.",
    "unstable": "An unstable topic: other runs do not find it.",
}


def independent(run: Run) -> list[int]:
    """Finished runs on the same words with as many topics that did not begin with another's, newest first."""
    if run.topics > MOST or run.begins:
        return []
    alike = Run.objects.filter(
        version=run.version_id, status=Run.Status.DONE, begins=False, settings__topics=run.topics, snapshot__final=True
    )
    return list(alike.exclude(pk=run.pk).order_by("-pk").values_list("pk", flat=True)[:RUNS])


class _Stable(NamedTuple):
    again: int
    of: int
    text: str
    url: str


def _stability(run: Run, k: int, others: list[int]) -> _Stable | None:
    """In how many of the other runs the topic has a like."""
    runs = comparisons.ordered(Run.objects.all(), others)
    if not runs:
        return None
    likeness = [float(comparisons.match(run, other).best_b_similarity[k]) for other in runs]
    again = sum(value >= matching.LEAST for value in likeness)
    many = f"{len(runs)} other runs" if len(runs) > 1 else f"run {runs[0].pk}"
    if len(runs) == 1:
        text = f"{many} {'found it, too' if again else 'has nothing like it'} (similarity {_number(likeness[0])})"
    else:
        text = f"{again} of {many} found it, too"
    query = "&".join(f"run={pk}" for pk in (run.pk, *(other.pk for other in runs)))
    return _Stable(again, len(runs), text, f"{reverse('compare')}?{query}")


def _general(column: dict[str, np.ndarray]) -> np.ndarray:
    """bool[K]: words that other topics have as well, in many documents."""
    exclusivity, documents = column["exclusivity"], column["documents"]
    used = (documents > 0) & ~np.isnan(exclusivity)
    if np.count_nonzero(used) < FEW:
        return np.zeros(len(used), bool)
    shared = np.nan_to_num(exclusivity, nan=np.inf) < OWN * np.median(exclusivity[used])
    return used & shared & (documents > SPREAD * np.median(documents[used]))


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
