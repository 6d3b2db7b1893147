"""What the measures of several runs say, in plain sentences: who is best, and whether that means
anything."""

import json
from collections import defaultdict
from collections.abc import Sequence
from math import expm1
from typing import NamedTuple

from inference import engines
from inference.fold_in import alpha_for
from webapp.analysis.compare.run_table import Measured
from webapp.models import Run
from webapp.platform.drawing.numbers import count, decimals, duration, join_names, percent

FEWEST_RUNS = 2  # runs of which something was measured: fewer can't be compared
DIGITS = 3  # behind the point of likelihoods and coherence
SAME_NATS = 0.0005  # nats: what is written with three decimals is no difference below it
# Nats: a smaller lead chooses no run while nobody knows what another seed would change
UNMEASURED = 0.01
# NPMI: from here on a run with more coherent topics is worth naming beside the one that predicts
# best
CLEARER = 0.02
LEAST_NPMI = -1.0
OTHER_WORDS = (
    "These runs count different words, so likelihood and coherence of one can’t be compared with"
    " those of another, and don’t say which run is best."
)
OTHER_ALPHA = (
    "For more than 100 topics held-out likelihood is measured with a smaller α for each topic, so"
    " between these runs small differences say little."
)
STATES: dict[str, str] = {
    Run.Status.QUEUED: "waits",
    Run.Status.RUNNING: "is training",
    Run.Status.STORING: "is being stored",
    Run.Status.CANCELLED: "was cancelled",
    Run.Status.FAILED: "failed",
}


class Scored(NamedTuple):
    """A run, and its value of the measure that is looked at."""

    row: Measured
    value: float


def _best_first(rows: Sequence[Measured], measure: str) -> list[Scored]:
    """Those of which it was measured. Of equal ones the first remains the first."""
    scored = []
    for row in rows:
        value = getattr(row, measure)
        if value is not None:
            scored.append(Scored(row, value))
    return sorted(scored, key=lambda score: -score.value)


def progress(rows: Sequence[Measured]) -> str:
    """Which runs are not done; "" where all are."""
    if not any(row.waits for row in rows):
        return ""
    done = sum(row.done for row in rows)
    verb = "is" if done == 1 else "are"
    not_done = ", ".join(f"run {row.run} {STATES[row.status]}" for row in rows if not row.done)
    return f"{count(done)} of {count(len(rows))} runs {verb} done; {not_done}."


def sentences(rows: Sequence[Measured], runs: Sequence[Run], reference: int | None) -> list[str]:
    """What to note of the runs that are done; none of less than two. runs: those of the rows, in
    their order."""
    done = [row for row in rows if row.done]
    if len(done) < FEWEST_RUNS:
        return []
    by_id = {run.pk: run for run in runs}
    words = {(by_id[row.run].version_id, tuple(by_id[row.run].dropped)) for row in done}
    if len(words) == 1:
        notes = [*_choice(done, by_id), *_prediction(done, by_id), *_coherence(done)]
    else:
        notes = [OTHER_WORDS]
    notes += [*_in_use(done), *_say_matches(done, reference), *_time(done)]
    return _labelled_once(notes, done)


def _labelled_once(notes: Sequence[str], done: list[Measured]) -> list[str]:
    """The sentences with each run's engine at its first mention alone."""
    shortened = list(notes)
    for row in done:
        number = f" {row.run}"
        with_label = f" {row.run} ({row.label})"
        is_known = False
        for i, sentence in enumerate(shortened):
            if with_label not in sentence:
                continue
            before, _, behind = sentence.partition(with_label)
            mention = number if is_known else with_label
            shortened[i] = before + mention + behind.replace(with_label, number)
            is_known = True
    return shortened


# Which run to take


def _choice(done: list[Measured], by_id: dict[int, Run]) -> list[str]:
    """One note: the best predictor, and beside it the run with more coherent topics."""
    predictors = _best_first(done, "held_out")
    if len(predictors) < FEWEST_RUNS:
        return []
    by_chance = max(map(_spread, _alike(predictors, by_id)), default=UNMEASURED)
    tolerance = max(by_chance, SAME_NATS)
    highest = predictors[0].value
    level = [score for score in predictors if highest - score.value <= tolerance]
    best_score = max(level, key=lambda score: (_npmi(score.row), score.value))
    choice = _choose_run(best_score.row, [score.row for score in level])
    if choice is None:
        return []
    clearest = max(done, key=_npmi)
    if clearest.npmi is None or best_score.row.npmi is None:
        return [choice]
    if clearest.npmi - best_score.row.npmi < CLEARER:
        return [choice]
    choice += (
        f" If coherent topics matter more to you, choose {_name_run(clearest)}: NPMI"
        f" {decimals(clearest.npmi, DIGITS)} against {decimals(best_score.row.npmi, DIGITS)}"
    )
    in_use = _topics_in_use(clearest)
    in_use_of_best = _topics_in_use(best_score.row)
    if in_use != in_use_of_best:
        choice += f", with {count(in_use)} topics in use against {count(in_use_of_best)}"
    if clearest.held_out is not None and all(score.row != clearest for score in level):
        lost = percent(-expm1(clearest.held_out - best_score.value))
        choice += f"; it makes held-out words {lost} less probable"
    return [f"{choice}."]


def _choose_run(best: Measured, level: list[Measured]) -> str | None:
    """level: the runs that predict equally well, best among them. None where nothing tells them
    apart that was measured."""
    if len(level) == 1:
        return f"Choose {_name_run(best)}: it predicts held-out words best."
    if best.npmi is None:
        return None
    names = join_names([_name_run(row) for row in sorted(level, key=lambda row: row.run)])
    second = max(_npmi(row) for row in level if row is not best)
    if best.npmi - second < CLEARER:
        return f"Neither prediction nor coherence tells {names} apart: choose by their topics."
    return (
        f"Choose {_name_run(best)}: prediction does not tell {names} apart, and of these it has the"
        " most coherent topics."
    )


def _npmi(row: Measured) -> float:
    """A run without it stands behind all others."""
    return LEAST_NPMI if row.npmi is None else row.npmi


def _topics_in_use(row: Measured) -> int:
    return row.K if row.in_use is None else row.in_use


# Prediction


def _prediction(done: list[Measured], by_id: dict[int, Run]) -> list[str]:
    predictors = _best_first(done, "held_out")
    if len(predictors) < FEWEST_RUNS:
        return [
            "Nothing was held out of this corpus, so it is not known which run predicts held-out"
            " words best."
        ]
    alphas = {alpha_for(score.row.K) for score in predictors}
    notes = [
        _held_out(predictors),
        _left_to_right(predictors),
        OTHER_ALPHA if len(alphas) > 1 else "",
        _chance(predictors, by_id),
        _whole_documents(predictors),
    ]
    return [note for note in notes if note]


def _held_out(predictors: list[Scored]) -> str:
    best_score, following = predictors[:2]
    ahead = best_score.value - following.value
    if ahead < SAME_NATS:
        return (
            f"{_named_first(best_score.row)} and {_name_run(following.row)} predict held-out"
            f" words equally well: {_nats(best_score.value)}."
        )
    return (
        f"{_named_first(best_score.row)} predicts held-out words best: {_nats(best_score.value)}, which makes"
        f" them {percent(expm1(ahead))} more probable than the next, {_name_run(following.row)},"
        " does."
    )


def _left_to_right(predictors: list[Scored]) -> str:
    ordered = _best_first([score.row for score in predictors], "left_to_right")
    if len(ordered) < FEWEST_RUNS:
        return ""
    best_score, following = ordered[:2]
    if best_score.value - following.value < SAME_NATS:
        names = join_names([_name_run(best_score.row), _name_run(following.row)])
        return (
            f"When whole documents are predicted from left to right, {names} do equally well:"
            f" {_nats(best_score.value)}."
        )
    if best_score.row.run == predictors[0].row.run:
        return (
            "It is also the best when whole documents are predicted from left to right:"
            f" {_nats(best_score.value)}."
        )
    return (
        f"When whole documents are predicted from left to right, {_name_run(best_score.row)} does"
        " best:"
        f" {_nats(best_score.value)}."
    )


def _chance(predictors: list[Scored], by_id: dict[int, Run]) -> str:
    """How much of a difference another seed makes, as far as these runs show it."""
    groups = _alike(predictors, by_id)
    seeds = {score.row.seed for score in predictors}
    held_out = ""
    if len(seeds) > 1:
        held_out = " Runs with different seeds also hold out different documents."
    if not groups:
        return (
            "How much of a difference is chance has not been measured here. Train one of these"
            f" runs again with another seed, and add it to the comparison.{held_out}"
        )
    group = max(groups, key=_spread)
    spread = _spread(group)
    best_score, following = predictors[:2]
    verdict = ""
    if best_score.value - following.value <= spread:
        verdict = (
            f" So the difference between run {best_score.row.run} and run {following.row.run} may be"
            " chance."
        )
    names = join_names([f"run {number}" for number in sorted(score.row.run for score in group)])
    return (
        f"The seed alone made a difference of {decimals(spread, DIGITS)} nats among {names}, which"
        f" differ in nothing else: smaller differences say nothing.{verdict}{held_out}"
    )


def _alike(predictors: list[Scored], by_id: dict[int, Run]) -> list[list[Scored]]:
    """Groups of runs that differ in their seed alone."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for score in predictors:
        run = by_id[score.row.run]
        begun_from = run.parent_id if run.begins else None
        key = json.dumps([run.engine, run.settings, begun_from], sort_keys=True)
        groups[key].append(score)
    return [group for group in groups.values() if len({score.row.seed for score in group}) > 1]


def _spread(group: list[Scored]) -> float:
    values = [score.value for score in group]
    return max(values) - min(values)


def _whole_documents(predictors: list[Scored]) -> str:
    rows = [score.row for score in predictors if engines.get(score.row.engine).ABOUT.by_document]
    if not rows:
        return ""
    names = join_names([_named_first(rows[0]), *map(_name_run, rows[1:])])
    verb = "gives" if len(rows) == 1 else "give"
    return (
        f"{names} {verb} each document one topic as a whole. Prediction is measured alike for all"
        " runs: it lets a document mix topics."
    )


# Other measures


def _coherence(done: list[Measured]) -> list[str]:
    by_npmi = _best_first(done, "npmi")
    if len(by_npmi) < FEWEST_RUNS:
        return []
    best_score = by_npmi[0]
    least = min(by_npmi, key=lambda score: score.value)
    if best_score.value - least.value < SAME_NATS:
        return ["By NPMI the topics of all runs are equally coherent."]
    note = (
        f"{_named_first(best_score.row)} has the most coherent topics by NPMI:"
        f" {decimals(best_score.value, DIGITS)} on average, {decimals(least.value, DIGITS)} for"
        f" {_name_run(least.row)}, which has the least coherent ones."
    )
    by_umass = _best_first(done, "umass")
    if by_umass and by_umass[0].row.run == best_score.row.run:
        note += " By UMass it is the same run."
    elif by_umass:
        note += f" By UMass it is {_name_run(by_umass[0].row)}."
    if len({_topics_in_use(row) for row in done}) > 1:
        note += " UMass tends to be lower with more topics."
    return [note]


def _in_use(done: list[Measured]) -> list[str]:
    uses: list[str] = []
    for row in done:
        if _topics_in_use(row) < row.K:
            name = _name_run(row) if uses else _named_first(row)
            uses.append(f"{name} uses {count(row.in_use)} of its {count(row.K)} topics")
    if not uses:
        return []
    return [f"{join_names(uses)}; the rest have no words."]


def _say_matches(done: list[Measured], reference: int | None) -> list[str]:
    """How many of the reference's topics the others have."""
    other_scores = _best_first(done, "matched")
    if reference is None or not other_scores:
        return []
    most_matched = max(other_scores, key=lambda score: (score.value, -score.row.run)).row
    least = min(other_scores, key=lambda score: (score.value, -score.row.run)).row
    topics = (most_matched.matched or 0) + (most_matched.only_there or 0)
    has_all = most_matched.matched == topics
    if has_all:
        name = _name_run(most_matched)
        note = f"All {count(topics)} topics of run {reference} have a counterpart in {name}"
    else:
        note = (
            f"Of the {count(topics)} topics of run {reference}, {count(most_matched.matched)} have a"
            f" counterpart in {_name_run(most_matched)}"
        )
    if least.matched == most_matched.matched:
        in_others = ", as in every other run" if len(other_scores) > 1 else ""
        return [f"{note}{in_others}."]
    superlative = "" if has_all else ", the most"
    return [f"{note}{superlative}, and {count(least.matched)} in {_name_run(least)}, the fewest."]


def _time(done: list[Measured]) -> list[str]:
    timed = [score for score in _best_first(done, "seconds") if score.value]
    if len(timed) < FEWEST_RUNS:
        return []
    slow = timed[0]
    quick = min(timed, key=lambda score: score.value)
    return [
        f"{_named_first(quick.row)} was trained in the least time, {duration(quick.value)};"
        f" {_name_run(slow.row)} took the most, {duration(slow.value)}. Runs that train at the same"
        " time share the machine."
    ]


def _name_run(row: Measured) -> str:
    return f"run {row.run} ({row.label})"


def _named_first(row: Measured) -> str:
    """At the beginning of a sentence."""
    return f"Run {row.run} ({row.label})"


def _nats(value: float) -> str:
    return f"{decimals(value, DIGITS)} nats per word"
