"""What may be concluded of an effect, and what not, in sentences: on its page, in a notebook, and
on the API."""

from webapp.analysis.effects import estimates, variables
from webapp.analysis.effects.shapes import Estimate
from webapp.analysis.effects.variants import Claim
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.trends import points


def named(topic: TopicLink) -> str:
    return f"{topic.name} ({topic.label})" if topic.name else topic.label


def difference(
    regression: estimates.Regression, name: str, estimate: Estimate, together: bool = False
) -> str:
    """With its interval, and with what it rests on."""
    unit = "of the words" if regression.asked.counted else "of a document, as stm estimates it"
    levels, places, shown = regression.effect, regression.settings, percent
    if regression.across:
        levels, places, shown, unit = (
            regression.across,
            regression.groups,
            points,
            "points of change",
        )
    field = (
        f"{levels.term.name} "
        if levels.values is not None and levels.term.name != variables.DATE
        else ""
    )
    sides = " to ".join(
        f"{shown(share)} ({field}{levels.labels[i]})"
        for share, i in zip(estimate.share, places, strict=True)
    )
    said = f"{name}: {sides} {unit}, a difference of {points(estimate.difference)} points"
    if estimate.difference_low is not None and estimate.difference_high is not None:
        level = regression.table().level if estimate.named and not together else estimates.LEVEL
        ends = f"{points(estimate.difference_low)} to {points(estimate.difference_high)}"
        said += f" ({percent(level)} confidence interval {ends})"
    if estimate.corrected is not None:
        said += f", corrected for reading {points(estimate.corrected)}"
    chosen = f", in {regression.selection.sentence}" if regression.selection else ""
    return f"{said}; by {regression.asked.formula}, {regression.unit.said}{chosen}."


def of_effect(
    regression: estimates.Regression, name: str, estimate: Estimate, together: bool = False
) -> str:
    """together: several topics as one, which no other is compared with."""
    said = difference(regression, name, estimate, together)
    if not estimate.named:
        return (
            f"{said} Chance may explain it: neither a difference nor its absence may be concluded."
        )
    tried = (
        "if they were chosen before looking"
        if together
        else f"among {len(regression.table().topics)} topics"
    )
    return (
        f"{said} Chance hardly explains it, {tried}: it may be concluded of such texts; not why,"
        " nor that other runs say so."
    )


def of_claim(made: Claim, holds: int) -> str:
    """Of a claim that a finding suggested."""
    held, test = f"It holds in {holds} of {len(made.variants)} runs", made.test
    if made.waiting or made.left:
        return f"{held}; others are still looked at: nothing is concluded yet."
    if len(made.variants) == 1:
        return (
            "No other run has been looked at: whether it depends on the choices of this one is not"
            " known."
        )
    held += (
        f"; of all together p = {test.selected:.3f}" if test else "; all together can’t be tested"
    )
    if 2 * holds <= len(made.variants):
        return (
            f"{held}: it depends on the choices of the model, and may not be concluded; nor may its"
            " absence."
        )
    if test is None or test.selected <= estimates.FALSE:
        return f"{held}: it may be concluded of such texts, by models with these choices; not why."
    if test.p <= estimates.FALSE:
        return (
            f"{held}, so a topic picked from all may be chance. Only if it was chosen before"
            f" looking (p = {test.p:.3f}) may it be concluded."
        )
    return (
        f"{held}: chance may explain it, so neither a difference nor its absence may be concluded."
    )
