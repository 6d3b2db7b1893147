"""What may be concluded of an effect, and what not, in sentences: on its page, in a notebook, and
on the API."""

from collections.abc import Sequence
from math import isfinite

from inference.effects.unit_documents import LEVEL
from webapp.analysis.effects import estimates, variables
from webapp.analysis.effects.shapes import Estimate
from webapp.analysis.effects.two_sets import TwoSets
from webapp.analysis.effects.variants import Claim
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import level, percent
from webapp.platform.drawing.trends import points


def name_of_topic(topic: TopicLink) -> str:
    return f"{topic.name} ({topic.label})" if topic.name else topic.label


def difference(
    regression: estimates.Regression, name: str, estimate: Estimate, as_one_topic: bool = False
) -> str:
    """Say a difference with its interval, and with what it rests on. as_one_topic: several topics
    as one, whose interval has a level of its own."""
    unit = (
        "of the words"
        if regression.effect_question.counted
        else "of a document, as stm estimates it"
    )
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
    sides = " to ".join(
        f"{as_text(share)} ({side})" for share, side in zip(estimate.share, names, strict=True)
    )
    sentence = f"{name}: {sides} {unit}, a difference of {points(estimate.difference)} points"
    sentence += _interval(estimate, f", of {level(LEVEL)}" if as_one_topic else "")
    if estimate.corrected is not None:
        sentence += f" ({points(estimate.corrected)} when corrected for errors of the topic model)"
    in_set = f", in {regression.selection.sentence}" if regression.selection else ""
    return f"{sentence}; by {regression.effect_question.formula}, {regression.unit.said}{in_set}."


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


def of_sets(sets: TwoSets, name: str, estimate: Estimate) -> str:
    """The difference of two sets of documents, with its interval and with what it rests on."""
    if not isfinite(estimate.difference):
        return _not_told(name, [sets.second.name, sets.first.name])
    from_share, to_share = map(percent, estimate.share)
    shares = f"{from_share} ({sets.second.name}) to {to_share} ({sets.first.name})"
    sentence = (
        f"{name}: {shares} of the words, a difference of {points(estimate.difference)} points"
    )
    sentence += _interval(estimate)
    same_times = ", at the same times" if sets.constant else ""
    in_set = f", in {sets.selection.sentence}" if sets.selection and not sets.against_rest else ""
    return f"{sentence}{same_times}; {sets.unit.said}{in_set}."


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


def holds_in(holds: int, variants: int) -> str:
    """The finding, which the other sentences of a claim's conclusion follow."""
    return f"Holds in {holds} of {variants} variants"


def of_claim(claim: Claim, holds: int) -> str:
    """Say what may be concluded of a claim: first in how many of its variants it holds."""
    variants_said = holds_in(holds, len(claim.variants))
    test = claim.test
    if claim.waiting or claim.left:
        return (
            f"{variants_said} so far. Others are still being examined, so nothing can be concluded"
            " yet."
        )
    if len(claim.variants) == 1:
        return (
            "Only this run has been examined. Another number of topics, seed or set of words might"
            " give another answer."
        )
    if not holds:
        return (
            f"{variants_said}. In none is the difference more than chance explains, which does not"
            " show that there is none."
        )
    joint_sentence = (
        f"Of all runs together, p = {test.p_of_clearest:.3f}."
        if test
        else "The runs can’t be tested together."
    )
    return f"{variants_said}. {joint_sentence} {_conclusion(claim, holds)}"


def _conclusion(claim: Claim, holds: int) -> str:
    test = claim.test
    if 2 * holds <= len(claim.variants):
        return (
            "It depends on the settings, so neither a difference nor its absence can be concluded."
        )
    if test is None or test.p_of_clearest <= estimates.FALSE_POSITIVE_RATE:
        return "You may say so of such texts and of models like these, but not why it is so."
    if test.p_fixed <= estimates.FALSE_POSITIVE_RATE:
        return (
            "A topic picked as the clearest of all may show this by chance. It can be concluded"
            f" only if you chose the topic before looking (p = {test.p_fixed:.3f})."
        )
    return "This may be chance: neither a difference nor its absence can be concluded."
