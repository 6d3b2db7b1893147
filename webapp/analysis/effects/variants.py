"""A claim (a formula, two settings, a topic) in a corpus's other runs: its estimate in each, which
choice turns it, and one test of all.

What is made of a run is kept; a request makes what it can in REQUEST_SECONDS, and the page asks
again for the rest.
"""

import json
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from inference.effects import joint, over_time, regression
from inference.effects.joint import Exchangeable, Joint, UnitResiduals
from inference.errors import Invalid, number_of
from inference.explore.matching import Matching
from webapp.analysis.answers import cautions, set_answers
from webapp.analysis.compare import matchings
from webapp.analysis.effects import variables
from webapp.analysis.effects.estimates import Regression
from webapp.analysis.effects.two_sets import LEAST_UNITS, MOST_NUMBERS, TwoSets
from webapp.analysis.time import shares
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents import corpus_unit, document_days, document_groups
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import PERIODS
from webapp.models import Run
from webapp.platform.jobs import kinds
from webapp.platform.storage.cache import BoundedCache, nbytes

MOST_OTHER_RUNS = 24  # other runs, the newest
REQUEST_SECONDS = 4.0
_ROW = 32_000  # bytes of what is kept of a run, without its sums
TIMES = (variables.DATE, *PERIODS)
Question = Regression | TwoSets
kept_variants = BoundedCache(64 << 20, weigh=lambda value: _ROW + nbytes(value))


class Variant(NamedTuple):
    """The claim in one run. topic: there, None where it is not found; nearest: that most like it,
    similarity: with either. difference, low, high: NaN where nothing can be said, for the reason
    that `problem` says. sums: of the run's topics by the units that are exchanged."""

    view: RunView
    topic: int | None
    nearest: int
    similarity: float
    difference: float
    low: float
    high: float
    problem: str
    sums: UnitResiduals | None

    def holds(self, first: "Variant") -> bool:
        """Whether it says the same as the first: same sign, with an interval that excludes
        nothing."""
        sign = np.sign(first.difference)
        return bool(self.topic is not None and min(sign * self.low, sign * self.high) > 0)


class Tested(NamedTuple):
    """One test of all runs. p_fixed: of a topic that was fixed beforehand; p_of_clearest: of one
    that was picked as the clearest of all."""

    p_fixed: float
    p_of_clearest: float


class HeldInOthers(NamedTuple):
    """In how many of the other runs a claim holds. examined: other runs in all. with_topic: those
    that have the topic. without_topic: those that were compared and don't have it. holds: in so
    many of those with the topic."""

    examined: int
    with_topic: int
    without_topic: int
    holds: int


class ClaimInRuns(NamedTuple):
    """A claim in the runs of its corpus. variants: the run's own first. waiting: runs that a worker
    compares first; left: that the next request makes; training: that are not done. test: of the
    claim's topic, None before all are made, or where nothing can be exchanged, as `untested`
    says."""

    variants: list[Variant]
    waiting: list[matchings.Unmatched]
    left: int
    training: int
    test: Tested | None
    untested: str

    @property
    def holds_here(self) -> bool:
        """Whether the difference is beyond chance in the claim's own run."""
        own_variant = self.variants[0]
        return own_variant.holds(own_variant)

    @property
    def elsewhere(self) -> HeldInOthers:
        """How the claim fares in the runs that are not its own."""
        own_variant, *other_variants = self.variants
        with_topic = [variant for variant in other_variants if variant.topic is not None]
        compared = [variant for variant in other_variants if not variant.problem]
        without_topic = [variant for variant in compared if variant.topic is None]
        holding = [variant for variant in with_topic if variant.holds(own_variant)]
        return HeldInOthers(
            examined=len(other_variants),
            with_topic=len(with_topic),
            without_topic=len(without_topic),
            holds=len(holding),
        )


def other_runs(run: Run) -> list[Run]:
    """Runs of the same corpus that a claim can be looked at in, newest first; of those that differ
    in no choice, one."""
    done = Run.objects.filter(
        corpus=run.corpus_id, status=Run.Status.DONE, snapshot__isnull=False
    ).exclude(pk=run.pk)
    different = {_choices(run): run}
    for other_run in done.select_related("corpus", "version", "snapshot").order_by("-pk")[
        : 4 * MOST_OTHER_RUNS
    ]:
        if other_run.final:
            different.setdefault(_choices(other_run), other_run)
    return [other_run for other_run in different.values() if other_run.pk != run.pk][
        :MOST_OTHER_RUNS
    ]


def _choices(run: Run) -> str:
    """All that a person chose, as one text."""
    steering = Steering.of_run(run)
    parent = None
    if run.begins:
        parent = run.parent_id
    else:
        steering = Steering(named=steering.named)  # what follows it makes no other topics
    choices = [
        run.engine,
        run.settings,
        run.seed,
        run.version_id,
        run.dropped,
        steering.stored,
        run.begins,
        parent,
    ]
    return json.dumps(choices, sort_keys=True)


def try_claim(question: Question, topic: int, asker: int | None) -> ClaimInRuns:
    """Raises Invalid for a set of documents that topics of this run say."""
    if question.selection.topics:
        raise Invalid(
            "has",
            "A set of documents with a topic is another set in another run. Take that condition"
            " out.",
        )
    deadline = time.monotonic() + REQUEST_SECONDS
    exchange, untested = units_to_exchange(question)
    test: Tested | None = None
    variants = [_of_run(question, question, topic, None, exchange)]
    waiting = list[matchings.Unmatched]()
    left = 0
    for view in map(RunView, other_runs(question.selection.run)):
        try:
            between = matchings.matched_or_asked(question.selection.run, view.run, asker)
        except matchings.Unmatched as state:
            waiting.append(state)
            continue
        key = _key(question, topic, view)
        variant = kept_variants.get(key)
        if variant is None and time.monotonic() > deadline:
            left += 1
            continue
        if variant is None:
            variant = _make_variant(question, topic, view, between, exchange)
            kept_variants.set(key, variant)
        variants.append(variant._replace(view=view))
    if exchange and not (left or waiting):
        joint_test = _test(question, [variant for variant in variants if variant.sums], exchange)
        t = visible_topics(question).index(topic)
        test = Tested(float(joint_test.p[t]), float(joint_test.p_of_clearest[t]))
    training = Run.objects.filter(
        corpus=question.selection.run.corpus_id, status__in=kinds.TRAIN.unfinished_statuses
    ).count()
    return ClaimInRuns(variants, waiting, left, training, test, untested)


def _key(question: Question, topic: int, view: RunView) -> tuple:
    """All that a Variant depends on: its sums are of all topics that are tried."""
    return (question.key, tuple(visible_topics(question)), topic, *view.topics_key)


def _make_variant(
    question: Question, topic: int, view: RunView, between: Matching, exchange: Exchangeable | None
) -> Variant:
    selected = question.selection
    run = view.run
    selection = RunSelection(run.corpus, view, selected.conditions)
    try:
        documents_here = selected.version.documents
        documents_there = run.version.documents
        if documents_here != documents_there:  # as many are the same: later versions only add some
            raise Invalid(
                "run",
                f"{number_of(documents_there, 'document')}, not {documents_here:,}: not compared, nor in the test of all",
            )
        return _of_run(question, question.in_run(selection), topic, between, exchange)
    except Invalid as error:
        nothing = float("nan")
        return Variant(view, None, -1, 0.0, nothing, nothing, nothing, error.message, None)


def _of_run(
    question: Question,
    elsewhere: Question,
    topic: int,
    between: Matching | None,
    exchange: Exchangeable | None,
) -> Variant:
    """between: the topics of both runs; None of the same run."""
    view = elsewhere.selection.view
    targets = elsewhere.selection.view.labels.into
    partner = np.arange(view.run.topics) if between is None else between.partner
    k = int(partner[topic])
    nearest = topic if between is None else int(between.best_b[topic])
    similarity = 1.0 if between is None else float(between.best_b_similarity[topic])
    difference = float("nan")
    low = float("nan")
    high = float("nan")
    problem = ""
    if k >= 0:
        topics, answers = elsewhere.answers()  # what the run's own page of effects says
        problem = cautions.caution(elsewhere.unit, answers.units, answers.obstacle)
        if int(targets[k]) in topics:
            column = topics.index(int(targets[k]))
            difference = float(answers.difference[column])
            low = float(answers.low[column])
            high = float(answers.high[column])
        else:
            problem = "The topic is hidden in this run."
    sums = sums_of_units(question, elsewhere, partner, exchange) if exchange else None
    return Variant(
        view,
        int(targets[k]) if k >= 0 else None,
        nearest,
        similarity,
        difference,
        low,
        high,
        problem,
        sums,
    )


def sums_of_units(
    question: Question, elsewhere: Question, partner: np.ndarray, exchange: Exchangeable
) -> UnitResiduals:
    """Sum over units what the topics of the claim's own run have in another run; NaN of those that
    this one has not. elsewhere: the question, put to that run. partner: int[K], that run's topic
    for each, below 0 for none."""
    partners = partner[visible_topics(question)]
    paired_topics = np.flatnonzero(partners >= 0)
    topics, row_of_topic = np.unique(
        elsewhere.selection.view.labels.into[partners[paired_topics]], return_inverse=True
    )
    data = shares.effect_data(
        elsewhere.selection.view, elsewhere.unit, elsewhere.design.cell, topics.tolist()
    )
    sums = joint.sums(data, elsewhere.design.held, exchange)
    residual = np.full((len(exchange.side), len(partners)), np.nan)
    residual[:, paired_topics] = sums.residual[:, row_of_topic]
    return UnitResiduals(residual, sums.words)


def visible_topics(question: Question) -> list[int]:
    """The topics that are tried together with the claim's."""
    return set_answers.visible_topics(question.selection.view)


def in_time(question: Question) -> bool:
    """Whether a regression asks how shares change with time, in all groups alike."""
    if isinstance(question, TwoSets):
        return False
    return not question.across and question.effect.term.name in TIMES


def _periods(question: Regression) -> tuple[Exchangeable | None, str]:
    """Periods in their order, neighbours together where there are many: none is exchanged."""
    version = question.selection.version
    period_groups = document_groups.read_groups(
        version, document_groups.best_period(version) or "year"
    ).group
    has_period = (question.design.cell >= 0) & (period_groups >= 0)
    used, order = np.unique(period_groups[has_period], return_inverse=True)
    if len(used) < over_time.LEAST_PERIODS:
        return (
            None,
            f"{len(used)} periods with words are too few to test all runs together.",
        )
    unit = np.full(len(period_groups), -1, np.int32)
    unit[has_period] = order // -(-len(used) // over_time.MOST_PERIODS)
    none = np.zeros(unit.max() + 1, np.int32)
    return Exchangeable(unit, none.astype(np.int8), none), ""


def lever_of_periods(question: Regression, periods: Exchangeable) -> np.ndarray:
    """float64[P]: what a share of 1 in each of P periods adds to the estimate."""
    score = question.design.rows @ regression.score(
        question.data([]), question.design.rows, question.contrast
    )
    has_unit = periods.unit >= 0
    return np.bincount(
        periods.unit[has_unit],
        weights=(score[question.design.cell] * question.weight)[has_unit],
        minlength=len(periods.side),
    )


def units_to_exchange(question: Question) -> tuple[Exchangeable | None, str]:
    """The units whose sides are exchanged to test a claim in all runs, "" behind them; or None and
    why it can't be tested so."""
    if isinstance(question, TwoSets):
        return question.exchangeable()
    if in_time(question):
        return _periods(question)
    if question.across or question.on_a_line:
        return (
            None,
            (
                "All runs together can be tested only for a difference between two groups, or over"
                " time."
            ),
        )
    version = question.selection.version
    level_of_effect = question.effect.place
    side = np.full(len(level_of_effect), -1, np.int8)
    for setting, level in enumerate(question.settings):
        side[level_of_effect == level] = setting
    field = question.unit.field
    code = np.full(len(level_of_effect), -1) if field is None else corpus_unit.codes(version, field)
    days: np.ndarray | None = None
    if any(term.name in TIMES for term in question.effect_question.formula.held):
        days = document_days.read_days(version).astype(float)
        days = np.where(days > 0, days, np.nan)
    most_units = max(MOST_NUMBERS // max(len(visible_topics(question)), 1), LEAST_UNITS)
    exchangeable_units = joint.exchangeable(
        code,
        np.where(question.design.cell >= 0, side, -1).astype(np.int8),
        question.weight,
        days,
        most_units,
    )
    if exchangeable_units is None:
        return (
            None,
            (
                f"Most {cautions.units_named(question.unit)} have texts on both sides. All runs"
                " together can be tested only where few have."
            ),
        )
    return exchangeable_units, ""


def _test(question: Question, variants: list[Variant], exchange: Exchangeable) -> Joint:
    sums = [variant.sums for variant in variants if variant.sums]

    def make() -> Joint:
        if isinstance(question, Regression) and in_time(question):
            return over_time.tested(sums, lever_of_periods(question, exchange))
        return joint.tested(sums, exchange)

    return kept_variants.get_or_set(
        ("joint", *(_key(question, -1, variant.view) for variant in variants)), make
    )


CHOICES: dict[str, Callable[[Run], str]] = {
    "topics": lambda run: f"{run.topics} topics",
    "engine": lambda run: run.engine,
    "words": lambda run: f"version {run.version.number}",
    "seed": lambda run: f"seed {run.seed}",
}


def turning(variants: list[Variant]) -> Iterator[tuple[str, list[tuple[str, int, int]]]]:
    """Each choice in which the runs differ: its name, and of each of its values in how many of how
    many runs the claim holds."""
    own_variant = variants[0]
    for name, value_of in CHOICES.items():
        holds_of_values: dict[str, list[bool]] = {}
        for variant in variants:
            holds = holds_of_values.setdefault(value_of(variant.view.run), [])
            holds.append(variant.holds(own_variant))
        if len(holds_of_values) > 1:
            rows = [(value, sum(holds), len(holds)) for value, holds in holds_of_values.items()]
            yield name, rows
