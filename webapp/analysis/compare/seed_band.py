"""What two runs differ in beyond chance: a topic that other seeds of its run find again, and the
other run lacks, is a difference; what other seeds lose as well is none."""

import numpy as np

from inference.explore import matching
from webapp.analysis.compare import matchings
from webapp.analysis.compare.shapes import SeedBand
from webapp.analysis.findings.sentences import Plural
from webapp.core.results import found_again, links
from webapp.core.results.view import RunView
from webapp.core.runs import replicates
from webapp.models import Run
from webapp.platform.drawing.numbers import count

ALL_HAVE_PARTNERS = "Every topic of run {run} has a counterpart in run {other}."
WITHOUT_PARTNER = Plural(
    "{lone} of the {topics} topics of run {run} has no counterpart in run {other}.",
    "{lone} of the {topics} topics of run {run} have no counterpart in run {other}.",
)
USUAL = (
    " Two trainings of run {run} that differ by chance alone leave {fewest} of {topics} topics"
    " without a counterpart."
)
USUAL_RANGE = (
    " Two trainings of run {run} that differ by chance alone leave {fewest} to {most} of {topics}"
    " topics without a counterpart."
)
DIFFERENCES = Plural(
    " One of the {lone} is found again by every training with another seed: it is a difference.",
    " {differences} of the {lone} are found again by every training with another seed: they are"
    " differences.",
)
NO_DIFFERENCE = Plural(
    " Not every training with another seed finds it again, so it may be chance.",
    " None of the {lone} is found again by every training with another seed, so each may be"
    " chance.",
)
THE_DIFFERENCE = (
    " Every training with another seed finds it again: it is a difference."  # the only lone one
)
NOT_KNOWN = Plural(
    " What other seeds of run {run} change is not known, so it is not called a difference.",
    " What other seeds of run {run} change is not known, so none of these is called a difference.",
)


def steady_topics(run: Run) -> np.ndarray | None:
    """bool[K]: topics that every other seed of the run has, too; None while there is none."""
    counts = found_again.count_found(run)
    if not counts:
        return None
    return np.array([topic.found == topic.runs for topic in counts])


def is_difference(
    topic: int, steady: np.ndarray | None, parts: list[int], parts_steady: np.ndarray | None
) -> bool | None:
    """Whether it is more than chance that a topic of one run is several in the other: as far as
    is known, seeds keep the topic whole, and its parts as they are. None where nothing is known."""
    if steady is None and parts_steady is None:
        return None
    stays_whole = steady is None or bool(steady[topic])
    parts_stay = parts_steady is None or bool(parts_steady[parts].all())
    return stays_whole and parts_stay


def bands(first_view: RunView, second_view: RunView) -> list[SeedBand]:
    """How many topics of either run the other lacks, beside what another seed alone changes. Raises
    Unmatched."""
    between = matchings.matched(first_view.run, second_view.run)
    return [
        _band(first_view, second_view.run, between),
        _band(second_view, first_view.run, between.turned()),
    ]


def _band(view: RunView, other_run: Run, between: matching.Matching) -> SeedBand:
    run = view.run
    lone = between.only_a
    steady = steady_topics(run)
    usual = _without_partner(view)
    differences = None if steady is None else int(steady[lone].sum())
    state = replicates.state(run)
    return SeedBand(
        run=run.pk,
        without_partner=len(lone),
        with_other_seeds=usual,
        differences=differences,
        sentence=say_partners(view, other_run, len(lone), usual, differences),
        to_come=0 if state is None else state.to_come,
        possible=state is not None,
        url=links.seeds_url(run),
    )


def _without_partner(view: RunView) -> list[int]:
    """How many of the run's topics each training with another seed lacks; [] before there are
    any."""
    of_topics = found_again.elsewhere(view.run)
    if not of_topics:
        return []
    lacking = np.zeros(len(of_topics[0]), np.int64)
    for topic in view.topics:
        lacking += [not again.found for again in of_topics[topic]]
    return lacking.tolist()


def say_partners(
    view: RunView, other_run: Run, lone: int, usual: list[int], differences: int | None
) -> str:
    """How many topics of a run have no partner in another one, and what other seeds say of that.
    lone: these topics; usual: how many the run of each other seed lacks; differences: the lone
    ones that every other seed finds again, None where that is not known."""
    names = {"run": view.run.pk, "other": other_run.pk, "topics": count(len(view.topics))}
    if not lone:
        return ALL_HAVE_PARTNERS.format(**names)
    sentence = WITHOUT_PARTNER.pattern(lone).format(lone=count(lone), **names)
    if not usual or differences is None:
        return sentence + NOT_KNOWN.pattern(lone).format(**names)
    ends = {"fewest": count(min(usual)), "most": count(max(usual))}
    form = USUAL if min(usual) == max(usual) else USUAL_RANGE
    sentence += form.format(**ends, **names)
    return sentence + _say_differences(lone, differences)


def _say_differences(lone: int, differences: int) -> str:
    """How many of the topics without a partner every other seed has, too."""
    if not differences:
        form = NO_DIFFERENCE.pattern(lone)
    elif lone == 1:
        form = THE_DIFFERENCE
    else:
        form = DIFFERENCES.pattern(differences)
    return form.format(lone=count(lone), differences=count(differences))
