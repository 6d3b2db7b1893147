"""What the short trainings say, in sentences. No number of topics is called the best: which one is
right depends on how finely somebody wants to read."""

from collections.abc import Sequence
from math import expm1
from typing import NamedTuple

from webapp.analysis.how_many.shapes import Counts, Trained
from webapp.platform.drawing.numbers import count, percent

NO_CHANGE = 0.001  # of the probability of a word: a smaller difference is written as none
PREDICTION = (
    "Probability of words that the training did not see, the higher the better: {first}; {second}."
    " Two trainings with the same number of topics and different seeds differ by up to {seeds}."
)
NOT_PREDICTED = "Prediction: no documents were held out, so it is not known."
NEXT_NUMBER_OF_TOPICS = "with {end} topics {change} {direction} than with {begin}"
STEP_WITHOUT_CHANGE = "with {end} topics the same as with {begin}"
STABILITY = (
    "Found again, by their words: with another seed, a second short training finds {first} topics"
    " of the first, {second}, and {third}."
)
MIXED = "Mixed topics, of two subjects: {first}, {second}, and {third}."
MIXED_NOT_KNOWN = "Mixed topics, of two subjects: not measured, as the texts are too short."
OF = "{part} of {total}"
OF_WITH_SHARE = "{part} of {total} ({share})"


class Told(NamedTuple):
    """What is said of no topic, of one, and of several."""

    none: str
    one: str
    several: str

    def of(self, topics: int, run: int = 0) -> str:
        """run: topics of the run."""
        few = {0: self.none, 1: self.one}
        return few.get(topics, self.several).format(topics=count(topics), run=count(run))


SMALLER = "With {topics} topics {stay}, {inside}, and {lost}"
STAY = Told("none of the {run} stays", "one of the {run} stays", "{topics} of the {run} stay")
INSIDE = Told(
    "none becomes a part of a larger one",
    "one becomes a part of a larger one",
    "{topics} become parts of larger ones",
)
LOST = Told(
    "none is lost.",
    "one is lost: its words are spread over several topics.",
    "{topics} are lost: their words are spread over several topics.",
)
LARGER = "With {topics} topics {stay}, {split}, and {blurred}"
SPLIT = Told("none splits", "one splits into several", "{topics} split into several")
BLURRED = Told(
    "there are no others.",
    "one does neither: its words are spread over several topics, mixed with those of others.",
    "{topics} do neither: their words are spread over several topics, mixed with those of others.",
)
ONLY_MORE = "{of} {unsteady}, and {repeated}"
OF_ALL = "Of these {topics} topics"
OF_THOSE_IN_USE = "Of the {topics} topics that have words,"
UNSTEADY = Told(
    "none is missing from a training with another seed",
    "one is not found again with another seed",
    "{topics} are not found again with another seed",
)
REPEATED = Told(
    "none repeats the words of a larger one.",
    "one repeats the words of a larger one.",
    "{topics} repeat the words of a larger one.",
)
SAMPLE = (
    "The short trainings read {share} of the documents, drawn by chance, so that all take at most"
    " about an hour. The topics of all documents are then found by them."
)
# The run is compared with a short training, so its fewer passes count, too
BY_CHANCE = (
    "For comparison: in a short training with as many topics and another seed, {stay}; {change}"
)
STAY_BY_CHANCE = Told(
    "none of the {run} topics stays",
    "one of the {run} topics stays",
    "{topics} of the {run} topics stay",
)
CHANGE_BY_CHANCE = Told(
    "none changes.",
    "the other one changes.",
    "the other {topics} change.",
)
ALL_CHANGE_BY_CHANCE = "all of them change."


def say_share(share: float) -> str:
    """What the trainings read; "" where they read everything."""
    if share == 1.0:
        return ""
    return SAMPLE.format(share=percent(share))


def say_measures(trained: Sequence[Trained]) -> list[str]:
    """Three sentences: how well each number predicts, how many topics another seed has, and how
    many are mixed."""
    again = [OF.format(part=_number(row.found_again), total=count(row.in_use)) for row in trained]
    return [_say_prediction(trained), _fill_three(STABILITY, again), _say_mixed(trained)]


def _say_mixed(trained: Sequence[Trained]) -> str:
    parts = []
    for row in trained:
        if row.mixed is None:
            return MIXED_NOT_KNOWN
        form = OF_WITH_SHARE if row.mixed else OF
        share = percent(row.mixed / max(row.in_use, 1))
        parts.append(form.format(part=_number(row.mixed), total=count(row.in_use), share=share))
    return _fill_three(MIXED, parts)


def _fill_three(sentence: str, parts: Sequence[str]) -> str:
    first, second, third = parts
    return sentence.format(first=first, second=second, third=third)


def _number(topics: int) -> str:
    """A number of topics in a sentence that goes on with "of"."""
    return count(topics) if topics else "none"


def _say_prediction(trained: Sequence[Trained]) -> str:
    if any(row.held_out is None for row in trained):
        return NOT_PREDICTED
    by_seed = [abs(_change_of_probability(*row.held_out_by_seed)) for row in trained]
    first, second = map(_say_step, trained, trained[1:])
    return PREDICTION.format(first=first, second=second, seeds=percent(max(by_seed)))


def _say_step(begin: Trained, end: Trained) -> str:
    change = _change_of_probability(begin.held_out, end.held_out)
    ends = {"begin": count(begin.topics), "end": count(end.topics)}
    if abs(change) < NO_CHANGE:
        return STEP_WITHOUT_CHANGE.format(**ends)
    direction = "higher" if change > 0 else "lower"
    return NEXT_NUMBER_OF_TOPICS.format(change=percent(abs(change)), direction=direction, **ends)


def _change_of_probability(begin: float | None, end: float | None) -> float:
    """By what part a word is more probable; 0 where it is not known."""
    if begin is None or end is None:
        return 0.0
    return expm1(end - begin)


def say_changes(trained: Sequence[Trained], counts: Counts) -> list[str]:
    """What fewer and more topics do to those of the run that have words."""
    smaller, _, larger = trained
    run = counts.stay_fewer + counts.inside + counts.lost
    with_fewer = SMALLER.format(
        topics=count(smaller.topics),
        stay=STAY.of(counts.stay_fewer, run),
        inside=INSIDE.of(counts.inside),
        lost=LOST.of(counts.lost),
    )
    with_more = LARGER.format(
        topics=count(larger.topics),
        stay=STAY.of(counts.stay_more, run),
        split=SPLIT.of(counts.split),
        blurred=BLURRED.of(counts.blurred),
    )
    of = OF_ALL if larger.in_use == larger.topics else OF_THOSE_IN_USE
    only_more = ONLY_MORE.format(
        of=of.format(topics=count(larger.in_use)),
        unsteady=UNSTEADY.of(counts.unsteady),
        repeated=REPEATED.of(counts.repeated),
    )
    return [with_fewer, with_more, only_more, _say_by_chance(counts.stay_seed, run)]


def _say_by_chance(stay: int, run: int) -> str:
    """How many topics a short training with another seed has, and how many change in it."""
    change = CHANGE_BY_CHANCE.of(run - stay) if stay else ALL_CHANGE_BY_CHANCE
    return BY_CHANCE.format(stay=STAY_BY_CHANCE.of(stay, run), change=change)
