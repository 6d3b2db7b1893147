"""What the measures of several runs say, in plain sentences: who is best, and whether that means
anything."""

import json
from collections import defaultdict
from collections.abc import Sequence
from math import expm1

from inference import engines
from inference.evaluate.fold_in import alpha_for
from webapp.analysis.compare.measures import Measured
from webapp.models import Run
from webapp.platform.drawing.numbers import count, decimals, duration, listed, percent

SAME = 0.0005  # nats: what is written with three decimals is no difference below it
UNMEASURED = (
    0.01  # nats: a smaller lead chooses no run while nobody knows what another seed would change
)
# NPMI: from here on a run with more coherent topics is worth naming beside the one that predicts
# best
CLEARER = 0.02
OTHER_WORDS = (
    "These runs count different words, so likelihood and coherence of one can’t be compared with"
    " those of another, so they don’t say which run is best."
)
OTHER_ALPHA = (
    "For more than 100 topics held-out likelihood is measured with a smaller α for each topic, so"
    " between these runs small differences say little."
)
STATES = {
    "queued": "waits",
    "running": "is training",
    "storing": "is being stored",
    "cancelled": "was cancelled",
    "failed": "failed",
}


def progress(rows: Sequence[Measured]) -> str:
    """Which runs are not done; "" where all are."""
    if not any(row.waits for row in rows):
        return ""
    done = sum(row.done for row in rows)
    rest = ", ".join(f"run {row.run} {STATES[row.status]}" for row in rows if not row.done)
    return f"{count(done)} of {count(len(rows))} runs {'is' if done == 1 else 'are'} done; {rest}."


def sentences(rows: Sequence[Measured], runs: Sequence[Run], reference: int | None) -> list[str]:
    """Of the runs that are done, where there are two or more. runs: those of the rows, in their
    order."""
    if len(done := [row for row in rows if row.done]) < 2:
        return []
    by_id = {run.pk: run for run in runs}
    words = {(by_id[row.run].version_id, tuple(by_id[row.run].dropped)) for row in done}
    notes = (
        [*_choice(done, by_id), *_prediction(done, by_id), *_coherence(done)]
        if len(words) == 1
        else [OTHER_WORDS]
    )
    return _labelled_once(notes + _in_use(done) + _matched(done, reference) + _time(done), done)


def _choice(done: list[Measured], by_id: dict[int, Run]) -> list[str]:
    """Which run to take, in one note: the best predictor, and beside it the one with more coherent
    topics."""
    measured = sorted(
        (row for row in done if row.held_out is not None), key=lambda row: -_known(row.held_out)
    )
    if len(measured) < 2:
        return []
    spread = max(map(_spread, _alike(measured, by_id)), default=UNMEASURED)
    level = [
        row
        for row in measured
        if _known(measured[0].held_out) - _known(row.held_out) <= max(spread, SAME)
    ]
    best = max(
        level, key=lambda row: (row.npmi if row.npmi is not None else -1, _known(row.held_out))
    )
    clearest = max(done, key=lambda row: row.npmi if row.npmi is not None else -1)
    if len(level) == 1:
        note = f"Choose {_named(best, False)}: it predicts held-out words best."
    elif best.npmi is not None:
        names = listed([_named(row, False) for row in sorted(level, key=lambda row: row.run)])
        second = max(row.npmi if row.npmi is not None else -1.0 for row in level if row is not best)
        note = (
            f"Choose {_named(best, False)}: prediction does not tell {names} apart, and of these it"
            " has the most coherent topics."
            if best.npmi - second >= CLEARER
            else f"Neither prediction nor coherence tells {names} apart: choose by their topics."
        )
    else:
        return []
    if clearest.npmi is None or best.npmi is None or clearest.npmi - best.npmi < CLEARER:
        return [note]
    note += (
        f" If coherent topics matter more to you, choose {_named(clearest, False)}: NPMI"
        f" {decimals(clearest.npmi, 3)} against {decimals(best.npmi, 3)}"
    )
    if _topics(clearest) != _topics(best):
        note += f", with {count(_topics(clearest))} topics in use against {count(_topics(best))}"
    if clearest.held_out is None or clearest in level:
        return [f"{note}."]
    less = percent(-expm1(_known(clearest.held_out) - _known(best.held_out)))
    return [f"{note}; it makes held-out words {less} less probable."]


def _topics(row: Measured) -> int:
    return row.K if row.in_use is None else row.in_use


def _labelled_once(said: list[str], done: list[Measured]) -> list[str]:
    """The same sentences: each run's engine stands at its first mention alone."""
    for row in done:
        label, seen = f" {row.run} ({row.label})", False
        for i, sentence in enumerate(said):
            first = "" if seen else label
            seen = seen or label in sentence
            begin, named, rest = sentence.partition(label)
            said[i] = (
                begin + (first or f" {row.run}") + rest.replace(label, f" {row.run}")
                if named
                else sentence
            )
    return said


def _prediction(done: list[Measured], by_id: dict[int, Run]) -> list[str]:
    measured = sorted(
        (row for row in done if row.held_out is not None), key=lambda row: -_known(row.held_out)
    )
    if len(measured) < 2:
        return [
            "Nothing was held out of this corpus, so it is not known which run predicts held-out"
            " words best."
        ]
    best, following = measured[:2]
    ahead = _known(best.held_out) - _known(following.held_out)
    whole = [row for row in measured if engines.get(row.engine).ABOUT.by_document]
    notes = [
        (
            f"{_named(best)} and {_named(following, False)} predict held-out words equally well:"
            f" {_nats(best.held_out)}."
            if ahead < SAME
            else (
                f"{_named(best)} predicts held-out words best: {_nats(best.held_out)}, which makes"
                f" them {percent(expm1(ahead))} more probable than the next,"
                f" {_named(following, False)}, does."
            )
        ),
        _left_to_right(measured, best),
        OTHER_ALPHA if len({alpha_for(row.K) for row in measured}) > 1 else "",
        _chance(measured, by_id, best, following, ahead),
        (
            f"{listed([_named(row, not i) for i, row in enumerate(whole)])}"
            f" {'gives' if len(whole) == 1 else 'give'} each document one topic as a whole."
            " Prediction is measured alike for all runs: it lets a document mix topics."
            if whole
            else ""
        ),
    ]
    return [note for note in notes if note]


def _left_to_right(measured: list[Measured], best: Measured) -> str:
    ordered = sorted(
        (row for row in measured if row.left_to_right is not None),
        key=lambda row: -_known(row.left_to_right),
    )
    if len(ordered) < 2:
        return ""
    if _known(ordered[0].left_to_right) - _known(ordered[1].left_to_right) < SAME:
        names = listed([_named(row, False) for row in ordered[:2]])
        return (
            f"When whole documents are predicted from left to right, {names} do equally well:"
            f" {_nats(best.left_to_right)}."
        )
    if ordered[0].run == best.run:
        return (
            "It is also the best when whole documents are predicted from left to right:"
            f" {_nats(best.left_to_right)}."
        )
    return (
        f"When whole documents are predicted from left to right, {_named(ordered[0], False)} does"
        f" best: {_nats(ordered[0].left_to_right)}."
    )


def _chance(
    measured: list[Measured],
    by_id: dict[int, Run],
    best: Measured,
    following: Measured,
    ahead: float,
) -> str:
    """How much of a difference another seed makes, as far as these runs show it."""
    groups = _alike(measured, by_id)
    other = (
        ""
        if len({row.seed for row in measured}) == 1
        else " Runs with different seeds also hold out different documents."
    )
    if not groups:
        return (
            "How much of a difference is chance has not been measured here. Train one of these"
            f" runs again with another seed, and add it to the comparison.{other}"
        )
    spread, group = max(((_spread(group), group) for group in groups), key=lambda pair: pair[0])
    verdict = (
        f" So the difference between run {best.run} and run {following.run} may be chance."
        if ahead <= spread
        else ""
    )
    names = listed([f"run {row.run}" for row in sorted(group, key=lambda row: row.run)])
    return (
        f"The seed alone made a difference of {decimals(spread, 3)} nats among {names}, which"
        f" differ in nothing else: smaller differences say nothing.{verdict}{other}"
    )


def _alike(measured: list[Measured], by_id: dict[int, Run]) -> list[list[Measured]]:
    """Groups of runs that differ in their seed alone."""
    alike: dict[str, list[Measured]] = defaultdict(list)
    for row in measured:
        run = by_id[row.run]
        alike[
            json.dumps(
                [run.engine, run.settings, run.parent_id if run.begins else None], sort_keys=True
            )
        ].append(row)
    return [group for group in alike.values() if len({row.seed for row in group}) > 1]


def _spread(group: list[Measured]) -> float:
    values = [_known(row.held_out) for row in group]
    return max(values) - min(values)


def _coherence(done: list[Measured]) -> list[str]:
    by_npmi, by_umass = (
        [row for row in done if getattr(row, name) is not None] for name in ("npmi", "umass")
    )
    if len(by_npmi) < 2:
        return []
    best, least = (
        max(by_npmi, key=lambda row: _known(row.npmi)),
        min(by_npmi, key=lambda row: _known(row.npmi)),
    )
    if _known(best.npmi) - _known(least.npmi) < SAME:
        return ["By NPMI the topics of all runs are equally coherent."]
    note = (
        f"{_named(best)} has the most coherent topics by NPMI: {decimals(best.npmi, 3)} on average,"
        f" {decimals(least.npmi, 3)} for {_named(least, False)}, which has the least coherent ones."
    )
    if by_umass:
        other = max(by_umass, key=lambda row: _known(row.umass))
        note += (
            " By UMass it is the same run."
            if other.run == best.run
            else f" By UMass it is {_named(other, False)}."
        )
    if len({_topics(row) for row in done}) > 1:
        note += " UMass tends to be lower with more topics."
    return [note]


def _in_use(done: list[Measured]) -> list[str]:
    if not (spare := [row for row in done if _topics(row) < row.K]):
        return []
    uses = listed(
        [
            f"{_named(row, not i)} uses {count(row.in_use)} of its {count(row.K)} topics"
            for i, row in enumerate(spare)
        ]
    )
    return [f"{uses}; the rest have no words."]


def _matched(done: list[Measured], reference: int | None) -> list[str]:
    others = [row for row in done if row.matched is not None]
    if reference is None or not others:
        return []
    most = max(others, key=lambda row: (_known(row.matched), -row.run))
    topics = _known(most.matched) + _known(most.only_there)
    all_of = most.matched == topics
    matches = (
        f"All {count(topics)} topics of run {reference} have a partner in {_named(most, False)}"
        if all_of
        else (
            f"Of the {count(topics)} topics of run {reference}, {count(most.matched)} have a"
            f" partner in {_named(most, False)}"
        )
    )
    least = min(others, key=lambda row: (_known(row.matched), -row.run))
    if least.run == most.run or least.matched == most.matched:
        return [f"{matches}{', as in every other run' if len(others) > 1 else ''}."]
    return [
        f"{matches}{'' if all_of else ', the most'}, and {count(least.matched)} in"
        f" {_named(least, False)}, the fewest."
    ]


def _time(done: list[Measured]) -> list[str]:
    if len(timed := [row for row in done if row.seconds]) < 2:
        return []
    quick, slow = (
        min(timed, key=lambda row: _known(row.seconds)),
        max(timed, key=lambda row: _known(row.seconds)),
    )
    return [
        f"{_named(quick)} was trained in the least time, {duration(quick.seconds)};"
        f" {_named(slow, False)} took the most, {duration(slow.seconds)}. Runs that train at the"
        " same time share the machine."
    ]


def _known(value: float | None) -> float:
    """A value that the caller has seen to be there."""
    if value is None:
        raise ValueError("a measure is missing")
    return value


def _named(row: Measured, begins: bool = True) -> str:
    return f"{'Run' if begins else 'run'} {row.run} ({row.label})"


def _nats(value: float | None) -> str:
    return f"{decimals(value, 3)} nats per word"
