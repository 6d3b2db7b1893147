"""What may be concluded of an effect, and what not, in sentences: on its page, in a notebook, and
on the API."""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from inference.share_intervals import USUAL_LEVEL
from webapp.analysis.effects import estimates, variables
from webapp.analysis.effects.shapes import ClaimInRun, Estimate
from webapp.analysis.effects.taken_out import describe_formula
from webapp.analysis.effects.two_sets import TwoSets
from webapp.analysis.effects.variants import ClaimInRuns, HeldInOthers
from webapp.analysis.findings.over_time import is_nearly
from webapp.analysis.two_sets.conclusion import say_what_is_held
from webapp.core.documents.corpus_unit import Unit
from webapp.platform.drawing.numbers import level, percent
from webapp.platform.drawing.trends import points

NO_CLAIM = (
    "This page shows whether one topic’s effect is the same in other runs. Choose a topic under"
    " Effects first."
)
DEPENDS_ON_SETTINGS = (
    "It depends on the settings, so neither a difference nor its absence can be concluded."
)
FEW_HAVE_TOPIC = "It holds in each run that has the topic, but most runs lack it: say so of runs like those alone."


def difference(
    regression: estimates.Regression, name: str, estimate: Estimate, as_one_topic: bool = False
) -> str:
    """Say a difference with its interval, and with what it rests on. as_one_topic: several topics
    as one, whose interval has a level of its own."""
    is_counted = regression.effect_question.counted
    unit = "of the words" if is_counted else "of a document"
    levels = regression.effect
    settings = regression.settings
    as_text = percent
    if regression.across:
        levels = regression.across
        settings = regression.groups
        as_text = points
        unit = "points of change"
    field = (
        f"{levels.term.name} "
        if levels.values is not None and levels.term.name != variables.DATE
        else ""
    )
    names = [f"{field}{levels.labels[i]}" for i in settings]
    if not isfinite(estimate.difference):
        return _not_told(name, names)
    interval = _interval(estimate, f", of {level(USUAL_LEVEL)}" if as_one_topic else "")
    difference_said = f"{points(estimate.difference)} points{interval}"
    if estimate.corrected is not None:
        difference_said += f", {points(estimate.corrected)} after allowing for the model’s mistakes"
    if None in estimate.share:
        sentences = [f"{name}: the difference from {' to '.join(names)} is {difference_said}."]
        subject = "It is"
    else:
        shares = [as_text(share) for share in estimate.share if share is not None]
        sentences = [
            f"{name}: {_say_shares(shares, names, unit)}.",
            f"The difference is {difference_said}.",
        ]
        subject = "These numbers are" if regression.across else "These shares are"
    in_set = f", in {regression.selection.sentence}" if regression.selection.has_conditions else ""
    question = describe_formula(regression.effect_question.formula)
    as_stm = "" if is_counted else ", as stm does"
    sentences.append(f"{subject} estimated {question}{in_set}{as_stm}.")
    return " ".join([*sentences, _say_for_whom(regression.unit)])


def _say_shares(shares: Sequence[str], names: Sequence[str], unit: str) -> str:
    """ "2.0% of the words (Republican), 1.0% (Democratic)". unit: of what the shares are."""
    first, *others = zip(shares, names, strict=True)
    said = [f"{first[0]} {unit} ({first[1]})"]
    said += [f"{share} ({name})" for share, name in others]
    return ", ".join(said)


def _say_for_whom(unit: Unit) -> str:
    """For which texts an interval holds, in a sentence."""
    return f"The interval holds {unit.said}."


def _interval(estimate: Estimate, of_level: str = "") -> str:
    """ " (interval −2.7 to +3.4)"; "" where it is not known. A level such as 99.917% is a riddle: the
    page says beside the sentence of which level intervals are. of_level: ", of 95%" of one that
    is not of that level."""
    if estimate.difference_low is None or estimate.difference_high is None:
        return ""
    ends = f"{points(estimate.difference_low)} to {points(estimate.difference_high)}"
    return f" (interval {ends}{of_level})"


def _not_told(name: str, sides: Sequence[str]) -> str:
    """Where one of two shares is not known."""
    return f"{name}: whether {' and '.join(sides)} differ can't be told from these documents."


def of_sets(
    sets: TwoSets, name: str, estimate: Estimate, counted_share: Sequence[float | None]
) -> str:
    """The difference of two sets of documents, with its interval and with what it rests on.
    counted_share: of the first and of the second set, in these texts, whatever is held constant."""
    if not isfinite(estimate.difference):
        return _not_told(name, [sets.second.name, sets.first.name])
    shares: list[str] = []
    names: list[str] = []
    subject = "The difference"
    for side, share, counted in zip(
        (sets.second, sets.first), estimate.share, reversed(counted_share), strict=True
    ):
        side_name = side.name
        if share is not None and counted is not None and not is_nearly(counted, share):
            held = say_what_is_held(sets.differences.same_speakers, sets.first.name)
            side_name += f"; {percent(share)} {held}"
            subject = "So compared, the difference"
        shares.append(percent(counted))
        names.append(side_name)
    same_times = ", at the same times" if sets.constant else ""
    in_set = ""
    if sets.selection.has_conditions and not sets.against_rest:
        in_set = f", in {sets.selection.sentence}"
    return (
        f"{name}: {_say_shares(shares, names, 'of the words')}. {subject} is"
        f" {points(estimate.difference)} points{_interval(estimate)}{same_times}{in_set}."
        f" {_say_for_whom(sets.unit)}"
    )


def of_effect(
    regression: estimates.Regression, name: str, estimate: Estimate, as_one_topic: bool = False
) -> str:
    """as_one_topic: several topics as one, which no other is compared with."""
    sentence = difference(regression, name, estimate, as_one_topic)
    if not estimate.named:
        return f"{sentence} This may be chance: the texts show neither a difference nor that there is none."
    tried = (
        "if they were chosen before looking"
        if as_one_topic
        else f"among {len(regression.table().topics)} topics"
    )
    return (
        f"{sentence} Chance alone would hardly produce it, {tried}. You may say so of such texts, but"
        " not why it is so, nor that other trainings agree."
    )


class Conclusion(NamedTuple):
    """What may be concluded of a claim. finding: in how many other runs it holds, "" where none
    says so. reason: the rest, as it follows the finding."""

    finding: str
    reason: str

    @property
    def whole(self) -> str:
        return f"{self.finding}{self.reason}"


def of_claim(claim: ClaimInRuns) -> Conclusion:
    """Say what may be concluded of a claim: first in how many other runs it holds."""
    elsewhere = claim.elsewhere
    if claim.waiting or claim.left:
        return _so_far(elsewhere)
    if not elsewhere.examined:
        return Conclusion(
            "",
            "Only this run has been examined. Another number of topics, seed or set of words might"
            " give another answer.",
        )
    if not elsewhere.with_topic:
        return Conclusion(_unchecked(elsewhere), "")
    finding = _held(elsewhere)
    if not elsewhere.holds and not claim.holds_here:
        return Conclusion(
            finding,
            ", nor in this one: chance alone may produce such differences. That doesn’t show that"
            " there is none.",
        )
    test = claim.test
    joint_sentence = (
        f"Of all runs together, p = {test.p_of_clearest:.3f}."
        if test
        else "The runs can’t be tested together."
    )
    return Conclusion(finding, f". {joint_sentence} {_from_all_runs(claim)}")


def _so_far(elsewhere: HeldInOthers) -> Conclusion:
    """While other runs are still being examined."""
    nothing_yet = "Others are still being examined, so nothing can be concluded yet."
    if not elsewhere.examined:
        return Conclusion("", nothing_yet.replace("Others", "Other runs"))
    if not elsewhere.with_topic:
        return Conclusion("", f"No run that was examined so far has this topic. {nothing_yet}")
    return Conclusion(_held(elsewhere), f" so far. {nothing_yet}")


def _unchecked(elsewhere: HeldInOthers) -> str:
    """Where no other run can say anything of the claim."""
    if elsewhere.without_topic:
        return "No other run has this topic, so the claim can’t be checked there."
    return "The claim can’t be checked in any other run, for the reason in the table."


def _held(elsewhere: HeldInOthers) -> str:
    """In how many of the other runs a claim holds: "Holds in 1 of 3 other runs, of which 1 doesn’t
    have the topic"."""
    if elsewhere.examined == 1:
        return "Holds in the other run" if elsewhere.holds else "Doesn’t hold in the other run"
    sentence = f"Holds in {elsewhere.holds or 'none'} of {elsewhere.examined} other runs"
    if not elsewhere.without_topic:
        return sentence
    verb = "doesn’t" if elsewhere.without_topic == 1 else "don’t"
    return f"{sentence}, of which {elsewhere.without_topic} {verb} have the topic"


def _from_all_runs(claim: ClaimInRuns) -> str:
    test = claim.test
    holds = claim.elsewhere.holds + claim.holds_here
    if 2 * holds <= len(claim.variants):
        return FEW_HAVE_TOPIC if _holds_where_found(claim) else DEPENDS_ON_SETTINGS
    if test is None or test.p_of_clearest <= estimates.FALSE_POSITIVE_RATE:
        return "You may say so of such texts and of models like these, but not why it is so."
    if test.p_fixed <= estimates.FALSE_POSITIVE_RATE:
        return (
            "A topic picked as the clearest of all may show this by chance. It can be concluded"
            f" only if you chose the topic before looking (p = {test.p_fixed:.3f})."
        )
    return "This may be chance: neither a difference nor its absence can be concluded."


def _holds_where_found(claim: ClaimInRuns) -> bool:
    """Whether it holds in this run, in others, and in each that has the topic."""
    with_topic = claim.elsewhere.with_topic
    return claim.holds_here and 0 < with_topic == claim.elsewhere.holds


def no_effect(in_time: bool) -> str:
    """What the test of all runs asks against. in_time: of values along a line."""
    if in_time:
        return "no lasting change, only periods that resemble those before them"
    return "no difference"


def why_not(row: ClaimInRun, own_row: ClaimInRun) -> str:
    """Why a claim does not hold in a run, in a few words; "" where it does. own_row: of the run
    that the claim is made of."""
    if row.holds:
        return ""
    if row.difference is None:
        return row.problem or "topic not found"
    if own_row.difference is not None and row.difference * own_row.difference < 0:
        return "opposite sign"
    return "interval contains 0"


def changes(row: ClaimInRun, own_row: ClaimInRun) -> str:
    """What a run was trained with that the claim's own run was not: "40 topics, seed 3"."""
    parts = []
    if row.K != own_row.K:
        parts.append(f"{row.K} topics")
    if row.engine != own_row.engine:
        parts.append(f"engine {row.engine}")
    if row.seed != own_row.seed:
        parts.append(f"seed {row.seed}")
    if row.words != own_row.words:
        parts.append("other words")
    return ", ".join(parts)
