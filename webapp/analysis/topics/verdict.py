"""Whether a topic is any good, in a sentence: clear, mixed, general or unstable, and why.
docs/rooms.md says how the thresholds were set."""

from typing import NamedTuple

import numpy as np

from inference.explore.distances import NEAR_NATS
from webapp.analysis.topics.shapes import ALTHOUGH, Judgement, Kind, Reason, SimilarTopic
from webapp.core.documents import sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again, links, measures
from webapp.models import Run
from webapp.platform.drawing.numbers import join_names, percent, topic_label

# Exclusivity from which first words are said to have much of their use in the topic
MUCH_EXCLUSIVITY = 0.25


class Observation(NamedTuple):
    """reason: with the address of the evidence. against: the kind of topic that it speaks for; None
    for a clear one."""

    reason: Reason
    against: Kind | None = None


def judge(selection: RunSelection, k: int, similar: list[SimilarTopic]) -> Judgement | None:
    """Of all documents of the run, whichever are chosen. None while nothing is measured. similar:
    the topics with like words, the nearest first."""
    view = selection.view
    column = measures.of(view.run)
    if not column or np.isnan(column["exclusivity"][k]) or np.isnan(column["documents"][k]):
        return None
    observations = [
        _together(column, k),
        *_judge_ownership(column, k),
        _occurrence(selection, k),
        *_judge_neighbour(similar),
        *_stability(view.run, k),
    ]
    against = {observation.against for observation in observations}
    kind: Kind = next((kind for kind in KINDS if kind in against), "clear")
    reasons = [observation.reason for observation in observations]
    sentence = SENTENCES[kind]
    if kind == "clear":
        reasons = [_concede(reason) for reason in reasons]
        if np.isnan(column["apart"][k]):
            sentence = NOT_JUDGED
    return Judgement(kind, sentence + _without_members(k, view.labels.members(k)), reasons)


def _without_members(k: int, members: list[int]) -> str:
    """Whose words and whose trainings with other seeds are judged, where readers merged others into
    a topic; "" where nobody did."""
    if not members:
        return ""
    merged = join_names([topic_label(member) for member in members])
    return f" ({topic_label(k)} alone, without {merged}, merged into it)"


KINDS: tuple[Kind, ...] = ("general", "unstable", "mixed")  # the first that anything speaks for
SENTENCES: dict[Kind, str] = {
    "clear": "A clear topic",
    "mixed": "A mixed topic: read its documents before you name it",
    "general": "General talk rather than a subject",
    "unstable": "An unstable topic",
}
# Of a topic that nothing speaks against, where its first words were not looked at
NOT_JUDGED = "Not judged"
SHARED_USE = "other topics use them, too"


def _concede(reason: Reason) -> Reason:
    """A reason as a clear topic has it: what speaks against is told as that."""
    if reason.text != SHARED_USE:
        return reason
    return Reason(ALTHOUGH + reason.text, reason.url)


def _together(column: dict[str, np.ndarray], k: int) -> Observation:
    if np.isnan(column["apart"][k]):
        why = (
            "whether its first words occur in the same passages is not measured, as the documents"
            " are too short, or the run is too old"
        )
        return Observation(Reason(why, "#measures"))
    if column["mixed"][k]:
        why = "its first words fall into two parts that are seldom in the same passage"
        return Observation(Reason(why, "#measures"), "mixed")
    return Observation(Reason("its first words occur in the same passages", "#measures"))


def _judge_ownership(column: dict[str, np.ndarray], k: int) -> list[Observation]:
    """Whether its words are its own."""
    observations = []
    if column["background"][k]:
        reason = Reason("its words occur all over the texts", "#words")
        observations.append(Observation(reason, "general"))
    if column["exclusivity"][k] >= MUCH_EXCLUSIVITY:
        use = "much of their use is in this topic"
    else:
        use = SHARED_USE
    observations.append(Observation(Reason(use, "#words")))
    return observations


def _occurrence(selection: RunSelection, k: int) -> Observation:
    """In how many documents of the run it is, with the topics that were merged into it, as the
    page counts it."""
    of_run = sums.of_selection(RunSelection.all(selection.view))
    share = percent(of_run.documents[0, k] / max(1, of_run.of_documents[0]))
    which = "all" if selection.has_conditions else "the"
    return Observation(Reason(f"it occurs in {share} of {which} documents", "#documents"))


def _judge_neighbour(similar: list[SimilarTopic]) -> list[Observation]:
    if not similar or similar[0].divergence >= NEAR_NATS:
        return []
    nearest = similar[0]
    return [
        Observation(Reason(f"{nearest.with_label} has nearly the same words", "#similar"), "mixed")
    ]


def _stability(run: Run, k: int) -> list[Observation]:
    """In how many runs with other seeds the topic was found; what became of it in the others.
    Nothing before they are there."""
    compared = found_again.of_topic(run, k)
    if compared is None:
        return []
    times_found = found_again.count(compared)
    url = links.seeds_url(run)
    times = f"found again in {times_found.found} of {times_found.runs} runs with other seeds"
    observations = [Observation(Reason(times, url), "unstable" if times_found.doubtful else None)]
    for other_run in compared:
        if other_run.words and not other_run.found:
            words = ", ".join(other_run.words)
            nearest = (
                f"the run with seed {other_run.seed} lacks it: most like it is “{words}” there"
            )
            observations.append(Observation(Reason(nearest, url)))
    return observations
