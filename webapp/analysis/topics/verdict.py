"""Whether a topic is any good, in a sentence: clear, mixed, general or unstable, and why.
docs/rooms.md says how the thresholds were set."""

from typing import NamedTuple

import numpy as np

from inference.explore.distances import NEAR_NATS
from webapp.analysis.topics.shapes import Kind, Reason, SimilarTopic, Verdict
from webapp.core.results import found_again, links, measures
from webapp.core.results.view import RunView
from webapp.models import Run

MUCH_EXCLUSIVITY = (
    0.25  # exclusivity from which first words are said to have much of their use in the topic
)


class Finding(NamedTuple):
    """reason: with the address of the evidence. against: the kind of topic that it speaks for; None
    for a clear one."""

    reason: Reason
    against: Kind | None = None


def judge(view: RunView, k: int, similar: list[SimilarTopic]) -> Verdict | None:
    """None while nothing is measured. similar: the topics with like words, the nearest first."""
    column = measures.of(view.run)
    if not column or np.isnan(column["exclusivity"][k]) or np.isnan(column["documents"][k]):
        return None
    findings = [
        _together(column, k),
        *_judge_ownership(view.run, column, k),
        *_judge_neighbour(similar),
        *_stability(view.run, k),
    ]
    against = {finding.against for finding in findings}
    kind: Kind = next((kind for kind in KINDS if kind in against), "clear")
    return Verdict(kind, SENTENCES[kind], [finding.reason for finding in findings])


KINDS: tuple[Kind, ...] = ("general", "unstable", "mixed")  # the first that anything speaks for
SENTENCES: dict[Kind, str] = {
    "clear": "A clear topic",
    "mixed": "A mixed topic: read its documents before you name it",
    "general": "General talk rather than a subject",
    "unstable": "An unstable topic",
}


def _together(column: dict[str, np.ndarray], k: int) -> Finding:
    if np.isnan(column["apart"][k]):
        why = (
            "whether its first words share passages is not measured: the documents are too short,"
            " or the run is too old"
        )
        return Finding(Reason(why, "#measures"))
    if column["mixed"][k]:
        why = "its first words fall into two parts that are seldom in the same passage"
        return Finding(Reason(why, "#measures"), "mixed")
    return Finding(Reason("its first words occur in the same passages", "#measures"))


def _judge_ownership(run: Run, column: dict[str, np.ndarray], k: int) -> list[Finding]:
    """Whether its words and its documents are its own."""
    findings = []
    if column["background"][k]:
        reason = Reason("its words occur all over the texts", "#words")
        findings.append(Finding(reason, "general"))
    if column["exclusivity"][k] >= MUCH_EXCLUSIVITY:
        use = "much of their use is in this topic"
    else:
        use = "other topics use them, too"
    findings.append(Finding(Reason(use, "#words")))
    share = column["documents"][k] / max(1, run.version.documents)
    findings.append(Finding(Reason(f"it occurs in {share:.0%} of the documents", "#documents")))
    return findings


def _judge_neighbour(similar: list[SimilarTopic]) -> list[Finding]:
    if not similar or similar[0].divergence >= NEAR_NATS:
        return []
    nearest = similar[0]
    return [Finding(Reason(f"{nearest.label} has nearly the same words", "#similar"), "mixed")]


def _stability(run: Run, k: int) -> list[Finding]:
    """In how many runs with other seeds the topic was found; what became of it in the others.
    Nothing before they are there."""
    compared = found_again.of_topic(run, k)
    if compared is None:
        return []
    times_found = found_again.count(compared)
    url = links.seeds_url(run)
    times = f"found again in {times_found.found} of {times_found.runs} runs with other seeds"
    findings = [Finding(Reason(times, url), "unstable" if times_found.doubtful else None)]
    for other_run in compared:
        if other_run.words and not other_run.found:
            words = ", ".join(other_run.words)
            nearest = f"not with seed {other_run.seed}, where the nearest topic is “{words}”"
            findings.append(Finding(Reason(nearest, url)))
    return findings
