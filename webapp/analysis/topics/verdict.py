"""Whether a topic is any good, in a sentence: its kind, and why. docs/rooms.md says how the
thresholds were set."""

import numpy as np

from inference.explore.company import LEAST_WORDS
from inference.explore.distances import NEAR_NATS
from webapp.analysis.topics.shapes import (
    ALTHOUGH,
    NOT_JUDGED,
    Judgement,
    Reason,
    SimilarTopic,
)
from webapp.core.documents import sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again, links, measures, topic_kinds
from webapp.core.results.topic_kinds import Kind
from webapp.models import Run
from webapp.platform.drawing.numbers import join_names, percent, topic_label

# Exclusivity from which first words are said to have much of their use in the topic
MUCH_EXCLUSIVITY = 0.25


def judge(selection: RunSelection, k: int, similar: list[SimilarTopic]) -> Judgement | None:
    """Of all documents of the run, whichever are chosen. None while nothing is measured. similar:
    the topics with like words, the nearest first."""
    view = selection.view
    column = measures.of(view.run)
    if not column or not topic_kinds.is_measured(column)[k]:
        return None
    reasons = [
        _together(column, k),
        *_ownership(column, k),
        *_occurrence(selection, k),
        *_nearest(similar),
        *_stability(view.run, k),
    ]
    kind = topic_kinds.of_run(view.run, view.labels)[k]
    sentence = SENTENCES[kind] if kind else NOT_JUDGED.capitalize()
    if kind == "general" and k in found_again.doubtful(view.run):
        sentence = GENERAL_AND_UNSTABLE
    if kind in ("clear", None):
        reasons = _concede(reasons)
    return Judgement(kind, sentence + _without_members(k, view.labels.members(k)), reasons)


def _without_members(k: int, members: list[int]) -> str:
    """Whose words and whose trainings with other seeds are judged, where readers merged others into
    a topic; "" where nobody did."""
    if not members:
        return ""
    merged = join_names([topic_label(member) for member in members])
    return f" ({topic_label(k)} alone, without {merged}, merged into it)"


SENTENCES: dict[Kind, str] = {
    "clear": "A clear topic",
    "mixed": "A mixed topic: read its documents before you name it",
    "general": "General talk rather than a subject",
    "unstable": "An unstable topic",
}
GENERAL_AND_UNSTABLE = "General talk rather than a subject, and unstable"
NOT_MEASURED = "whether its first words occur in the same passages could not be measured"
ALL_OVER = "its words occur all over the texts"
SHARED_USE = "other topics use them, too"


def _concede(reasons: list[Reason]) -> list[Reason]:
    """Reasons as a topic has them that nothing speaks against: what speaks against is told as that,
    and once. Words that occur all over the texts are those of other topics, too."""
    texts = [reason.text for reason in reasons]
    against = ALL_OVER if ALL_OVER in texts else SHARED_USE
    conceded = []
    for reason in reasons:
        if reason.text == against:
            conceded.append(Reason(ALTHOUGH + reason.text, reason.url))
        elif reason.text != SHARED_USE:
            conceded.append(reason)
    return conceded


def _together(column: dict[str, np.ndarray], k: int) -> Reason:
    if np.isnan(column["apart"][k]):
        why = f"{NOT_MEASURED}, as {_why_not_measured(column)}"
    elif column["mixed"][k]:
        why = "its first words fall into two parts that are seldom in the same passage"
    else:
        why = "its first words occur in the same passages"
    return Reason(why, "#measures")


def _why_not_measured(column: dict[str, np.ndarray]) -> str:
    """Why it is not known of a topic whether its first words meet."""
    if np.isnan(column["apart"]).all():
        return "the documents are too short, or the run is too old"
    return f"it has fewer than {LEAST_WORDS} words that occur more than once"


def _ownership(column: dict[str, np.ndarray], k: int) -> list[Reason]:
    """Whether its words are its own."""
    reasons = []
    if column["background"][k]:
        reasons.append(Reason(ALL_OVER, "#words"))
    if column["exclusivity"][k] >= MUCH_EXCLUSIVITY:
        use = "much of their use is in this topic"
    else:
        use = SHARED_USE
    reasons.append(Reason(use, "#words"))
    return reasons


def _occurrence(selection: RunSelection, k: int) -> list[Reason]:
    """In how many documents of the run it is, with the topics that were merged into it, as the
    page counts it; nothing of a topic whose words count in another one."""
    labels = selection.view.labels
    if labels.is_merged(k):
        return []
    of_run = sums.of_selection(RunSelection.all(selection.view))
    share = percent(of_run.topic_documents[0, k] / max(1, of_run.all_documents[0]))
    which = "all" if selection.has_conditions else "the"
    occurs = f"it occurs in {share} of {which} documents"
    members = labels.members(k)
    if members:
        occurs = f"with {join_names([topic_label(member) for member in members])} {occurs}"
    return [Reason(occurs, "#documents")]


def _nearest(similar: list[SimilarTopic]) -> list[Reason]:
    """A topic with the same words is told of, but gives the topic no kind: one subject in two
    topics is not two subjects in one."""
    if not similar or similar[0].divergence >= NEAR_NATS:
        return []
    return [Reason(f"{similar[0].with_label} has nearly the same words", "#similar")]


def _stability(run: Run, k: int) -> list[Reason]:
    """In how many runs with other seeds the topic was found; what became of it in the others.
    Nothing before they are there."""
    compared = found_again.of_topic(run, k)
    if compared is None:
        return []
    times_found = found_again.count(compared)
    url = links.seeds_url(run)
    times = f"found again in {times_found.found} of {times_found.runs} runs with other seeds"
    reasons = [Reason(times, url)]
    for other_run in compared:
        if other_run.words and not other_run.found:
            words = ", ".join(other_run.words)
            nearest = (
                f"the run with seed {other_run.seed} lacks it: most like it is “{words}” there"
            )
            reasons.append(Reason(nearest, url))
    return reasons
