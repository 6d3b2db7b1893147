"""What the short trainings say, in sentences. No number of topics is called the best: which one is
right depends on how finely somebody wants to read."""

from collections.abc import Sequence
from math import expm1

from webapp.analysis.how_many.shapes import Counts, Trained
from webapp.platform.drawing.numbers import count, percent

NO_CHANGE = 0.001  # of the probability of a word: a smaller difference is written as none
PREDICTION = (
    "Prediction of words that were held out: {first}; {second}. Between the two seeds of one"
    " number a word’s probability differs by up to {seeds}."
)
NOT_PREDICTED = "Prediction: no documents were held out, so it is not known."
NEXT_NUMBER_OF_TOPICS = "from {begin} to {end} topics a word becomes {change} {direction} probable"
STEP_WITHOUT_CHANGE = "from {begin} to {end} topics nothing changes"
STABILITY = "Stability: with another seed {first} topics are found again, {second}, and {third}."
MIXED = "Mixed topics, of two subjects: {first}, {second}, and {third}."
MIXED_NOT_KNOWN = "Mixed topics, of two subjects: not measured, as the texts are too short."
OF = "{part} of {total}"
OF_WITH_SHARE = "{part} of {total} ({share})"
SMALLER = "With {topics} topics {stay} of the {run} stay, {inside} become parts of larger ones, and {lost}"
LOST = "{lost} are lost: their words are spread over several topics."
NOTHING_LOST = "none is lost."
LARGER = (
    "With {topics} topics {stay} of the {run} stay, {split} split, and {blurred} neither stay nor"
    " split clearly."
)
ONLY_MORE = (
    "Of these {topics} topics {unsteady} are not found again with another seed, and {repeated} repeat"
    " the words of a larger one."
)
SAMPLE = (
    "The short trainings read {share} of the documents, drawn by chance, so that all take at most"
    " about an hour. The topics of all documents are then found by them."
)
BY_CHANCE = (
    "For comparison: with {topics} topics again and another seed {stay} of them stay. So much"
    " changes by chance alone."
)


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
    direction = "more" if change > 0 else "less"
    return NEXT_NUMBER_OF_TOPICS.format(change=percent(abs(change)), direction=direction, **ends)


def _change_of_probability(begin: float | None, end: float | None) -> float:
    """By what part a word is more probable; 0 where it is not known."""
    if begin is None or end is None:
        return 0.0
    return expm1(end - begin)


def say_changes(trained: Sequence[Trained], counts: Counts) -> list[str]:
    """What fewer and more topics do to those of the run."""
    smaller, equal, larger = trained
    run_topics = count(equal.topics)
    lost = LOST.format(lost=count(counts.lost)) if counts.lost else NOTHING_LOST
    with_fewer = SMALLER.format(
        topics=count(smaller.topics),
        stay=_number(counts.stay_fewer),
        run=run_topics,
        inside=_number(counts.inside),
        lost=lost,
    )
    with_more = LARGER.format(
        topics=count(larger.topics),
        stay=_number(counts.stay_more),
        run=run_topics,
        split=_number(counts.split),
        blurred=_number(counts.blurred),
    )
    only_more = ONLY_MORE.format(
        topics=count(larger.in_use),
        unsteady=_number(counts.unsteady),
        repeated=_number(counts.repeated),
    )
    by_chance = BY_CHANCE.format(topics=run_topics, stay=_number(counts.stay_seed))
    return [with_fewer, with_more, only_more, by_chance]
