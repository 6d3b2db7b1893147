"""What the page of effects and that of a claim show, made from what was estimated: for the pages
and for the API."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inference import Invalid, engines
from inference.answers import Answers
from inference.effects.regression import Data
from webapp.analysis.answers import cautions
from webapp.analysis.effects import formula as formulas, sentences, variables, variants
from webapp.analysis.effects.estimates import Regression
from webapp.analysis.effects.estimator import EffectsTable, Order
from webapp.analysis.effects.shapes import (
    AboutEffect,
    AlongEffect,
    Choice,
    ClaimInRun,
    ClaimPage,
    EffectsPage,
    Estimate,
    GroupAlong,
    Level,
    OtherTexts,
    Together,
    TopicEffect,
)
from webapp.analysis.effects.two_sets import TwoSets
from webapp.analysis.two_sets import compared_sets
from webapp.core.documents import corpus_unit, unit_sentences
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links, topics
from webapp.core.runs import replicates, trials
from webapp.models import Replicate

ROWS_OF_PAGE = 30


# A claim in trainings on other texts than the run's (webapp.core.runs.trials): what learning loses,
# and what half of the documents says of the other.


def trained(regression: Regression, topic: int) -> list[OtherTexts]:
    """[] of a run that has no such trainings."""
    run = regression.selection.run
    if not replicates.possible(run):
        return []
    status_of_texts = dict(
        run.replicates.exclude(texts=Replicate.Texts.OWN).values_list("texts", "status")
    )
    measured = []
    for texts in (Replicate.Texts.DRAWN, Replicate.Texts.HALF):
        trial = trials.kept_trial(run, texts)
        if trial:
            measured.append(_compare_texts(regression, topic, texts, trial))
        else:
            status = status_of_texts.get(texts, "")
            measured.append(OtherTexts(None, None, None, texts, status, 0, 0, None))
    return measured


def _compare_texts(
    regression: Regression, topic: int, texts: str, measured_trial: trials.Kept
) -> OtherTexts:
    """times: of all topics that were found again, their differences against those that the run
    counts, by least squares."""
    table = regression.table()
    data = _data(regression, table.topics, measured_trial)
    has_topic = np.isin(np.arange(data.T), data.column_of_topic)
    at = table.topics.index(topic)
    estimated = regression.estimated(data, table.answers.level)
    differences = estimated.difference[has_topic], table.answers.difference[has_topic]
    estimate_and_ends = np.array([estimated.difference[at], estimated.low[at], estimated.high[at]])
    times = (
        differences[0] @ differences[1] / (differences[1] @ differences[1])
        if differences[1].any()
        else np.nan
    )
    difference, low_end, high_end = _none_for_nan(
        estimate_and_ends if has_topic[at] else np.full(3, np.nan)
    )
    return OtherTexts(
        difference,
        low_end,
        high_end,
        texts,
        Replicate.Status.READY,
        int(has_topic.sum()),
        int(np.count_nonzero(data.cell >= 0)),
        float(times) if np.isfinite(times) else None,
    )


def _data(regression: Regression, topics: list[int], measured_trial: trials.Kept) -> Data:
    """Count topics as Regression.data does, by the topics that a trial assigned."""
    selection = regression.selection
    row = selection.view.labels.rows_of(topics)
    column_of_topic = np.full(selection.run.topics, -1, np.int32)
    measured_same_topic = (measured_trial.partner >= 0) & (row >= 0)
    column_of_topic[measured_trial.partner[measured_same_topic]] = row[measured_same_topic]
    arrays = (
        measured_trial.doc_ptr,
        measured_trial.doc_topics,
        measured_trial.doc_tokens,
        evidence.of(selection.run).lengths,
    )
    return Data.from_documents(
        corpus_unit.documents(selection.version, regression.unit),
        np.where(measured_trial.measured, regression.design.cell, -1),
        arrays,
        column_of_topic,
        len(topics),
    )


def asked_formula(
    selection: RunSelection,
    text: str,
    effect: str = "",
    across: str = "",
    held_constant: Sequence[str] = (),
) -> formulas.Formula | None:
    """What an address asks for, by a formula or by the menus; else what is usual of such
    documents."""
    if text:
        return formulas.read(text)
    if not effect:
        return variables.usual(selection.version)
    first = formulas.term(effect)
    terms = [formulas.term(held_term) for held_term in held_constant if held_term]
    across_name = formulas.term(across).name if across else ""
    return formulas.checked(
        formulas.Formula(
            first,
            across_name,
            tuple(
                held_term for held_term in terms if held_term.name not in (first.name, across_name)
            ),
        )
    )


def _about(regression: Regression, conclusion: str) -> AboutEffect:
    """What both pages say of it."""
    table = regression.table()
    groups = []
    if regression.across:
        groups = [regression.across.labels[group] for group in regression.groups]
    return AboutEffect(
        formula=str(regression.effect_question.formula),
        settings=[regression.effect.labels[setting] for setting in regression.settings],
        groups=groups,
        selection=regression.selection.sentence,
        unit=unit_sentences.about(regression.selection.version, regression.unit),
        few_units=cautions.few_units(regression.unit, table.answers.units, table.answers.obstacle),
        level=table.answers.level,
        calibrated=table.answers.calibrated,
        wider=table.wider,
        conclusion=conclusion,
    )


def effects_page(
    regression: Regression,
    order: Order,
    numbers: list[int],
    after: int,
    following: Callable[[int | None], str | None],
) -> EffectsPage:
    """numbers: topics that are shown along the effect. following: the address of the next page of
    the list."""
    formula_asked = regression.effect_question.formula
    table = regression.table()
    rows = table.order(order)
    rows_of_page: list[TopicEffect] = []
    line: AlongEffect | None = None
    if table.answers.obstacle is None:
        rows_of_page = _rows(regression, table, rows[after : after + ROWS_OF_PAGE])
        line = _along(regression, numbers) if numbers else None
    behind = after + ROWS_OF_PAGE
    return EffectsPage(
        **vars(_about(regression, _conclusion(regression, rows_of_page, line))),
        estimate=regression.effect_question.estimate,
        effect=formula_asked.effect.name,
        across=formula_asked.across,
        held=[term.name for term in formula_asked.held],
        documents=regression.documents,
        left_out=regression.left_out,
        units=regression.unit_count,
        caution=cautions.caution(regression.unit, table.answers.units, table.answers.obstacle),
        tried=len(table.topics),
        named=int(table.named.sum()),
        misfit=0 if regression.across else _negative_shares(table),
        no_share_of=regression.levels_without_support,
        order=order,
        topics=rows_of_page,
        next=following(behind if behind < len(rows) else None),
        one=line,
    )


def _conclusion(
    regression: Regression, rows_of_page: list[TopicEffect], along_effect: AlongEffect | None
) -> str:
    """Say what may be concluded of the topics shown along the effect, else of the first topic."""
    table = regression.table()
    if along_effect and along_effect.together:
        return sentences.of_effect(
            regression,
            f"{len(along_effect.together.topics)} topics together",
            along_effect.together,
            as_one_topic=True,
        )
    if along_effect and along_effect.topic.number in table.topics:
        rows_of_page = [
            row for row in rows_of_page if row.number == along_effect.topic.number
        ] or _rows(regression, table, [table.topics.index(along_effect.topic.number)])
    elif table.answers.obstacle is not None or not rows_of_page or not rows_of_page[0].named:
        return (
            cautions.caution(regression.unit, table.answers.units, table.answers.obstacle)
            or "No topic’s share differs by more than chance explains."
        )
    return sentences.of_effect(regression, rows_of_page[0].with_label, rows_of_page[0])


def _rows(
    regression: Regression, table: EffectsTable, rows_of_table: list[int]
) -> list[TopicEffect]:
    """Shares that a formula expects below 0 or above 1 are told as these."""
    view = regression.selection.view
    numbers = [table.topics[row_of_table] for row_of_table in rows_of_table]
    words = topics.top_words(view, numbers, topics.FIRST_WORDS)
    ends = regression.corrected_ends(numbers, table.answers.level)
    rows = []
    for row_of_table, topic, ends_of_topic in zip(rows_of_table, numbers, ends.T, strict=True):
        documents = [side.address_by_topic(topic) for side in regression.sides]
        effect = TopicEffect(
            **vars(links.topic_link(view, topic)),
            **vars(_estimate(regression, table, row_of_table, ends_of_topic)),
            words=words[topic],
            documents=[links.documents_url(view.run, address) for address in documents],
        )
        rows.append(effect)
    return rows


def _estimate(regression: Regression, table: EffectsTable, i: int, ends: np.ndarray) -> Estimate:
    """Estimate row i of the table. ends: float64[2], of its corrected difference."""
    share = table.value[i] if regression.across else np.clip(table.value[i], 0.0, 1.0)
    ratio, ratio_low, ratio_high = _none_for_nan(table.ratios[:, i])
    corrected_ends = np.where(np.isfinite(table.corrected[i]), ends, np.nan)
    corrected, corrected_low, corrected_high = _none_for_nan([table.corrected[i], *corrected_ends])
    return replace(
        _difference_of_row(table.answers, i),
        share=_none_for_nan(share),
        low=_none_for_nan(table.low[i]),
        high=_none_for_nan(table.high[i]),
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        corrected=corrected,
        corrected_low=corrected_low,
        corrected_high=corrected_high,
    )


def _difference_of_row(answers: Answers, i: int) -> Estimate:
    """Estimate the difference of row i, with the shares of its sides, b first, and their intervals
    as the answers have them, and without a correction for reading. p is 1 where nothing can be
    said."""
    ends = [answers.ends(side) for side in (1, 0)]
    difference_low, difference_high = _none_for_nan([answers.low[i], answers.high[i]])
    ratio, ratio_low, ratio_high = _none_for_nan(
        [answers.ratio[i], answers.ratio_low[i], answers.ratio_high[i]]
    )
    return Estimate(
        share=[float(answers.b[i]), float(answers.a[i])],
        low=_none_for_nan(low_ends[i] for low_ends, _ in ends),
        high=_none_for_nan(high_ends[i] for _, high_ends in ends),
        difference=float(answers.difference[i]),
        difference_low=difference_low,
        difference_high=difference_high,
        corrected=None,
        corrected_low=None,
        corrected_high=None,
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        verdict=answers.verdict_of(i),
        p=1.0 if np.isnan(answers.p[i]) else float(answers.p[i]),
        named=bool(answers.accepted[i]),
    )


def _negative_shares(table: EffectsTable) -> int:
    """Topics of which a formula expects a share below 0, of those that are told."""
    is_told = ~np.isnan(table.value)
    expected = np.stack([table.answers.b, table.answers.a], axis=1)
    return int(np.count_nonzero((is_told & (expected < 0)).any(axis=1)))


def _none_for_nan(numbers: Iterable[float]) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in numbers]


def _along(regression: Regression, numbers: list[int]) -> AlongEffect:
    view = regression.selection.view
    along = regression.along(numbers)
    words = np.maximum(along.words, 0)
    names = ["all documents"]
    if regression.across:
        names = [regression.across.labels[group] for group in regression.groups]
    return AlongEffect(
        topic=links.topic_link(view, numbers[0]),
        by=regression.effect.term.name,
        in_time=regression.on_a_line,
        bins=[
            Level(label, n, n == 0)
            for label, n in zip(along.labels, words.astype(int).tolist(), strict=True)
        ],
        topics=[
            GroupAlong(
                _average(share, words),
                _none_for_nan(share),
                _none_for_nan(low),
                _none_for_nan(high),
                name,
            )
            for name, share, low, high in zip(
                names, along.share, along.low, along.high, strict=True
            )
        ],
        together=_together(regression, numbers) if len(numbers) > 1 else None,
    )


def _together(regression: Regression, numbers: list[int]) -> Together:
    table = regression.together(numbers)
    ends = regression.corrected_ends(numbers, table.answers.level, as_one_topic=True)
    return Together(
        **vars(_estimate(regression, table, 0, ends[:, 0])),
        topics=[links.topic_link(regression.selection.view, k) for k in numbers],
    )


def _average(share: np.ndarray, words: np.ndarray) -> float:
    """Average the shares that are known, weighted by words: float64[L] each."""
    is_finite = np.isfinite(share)
    return float(share[is_finite] @ words[is_finite] / max(words[is_finite].sum(), 1.0))


class ClaimOnPage(NamedTuple):
    """A claim as its page shows it. conclusion: in its two parts, of which the page has the
    whole."""

    page: ClaimPage
    conclusion: sentences.Conclusion


def claim_page(regression: Regression, topic: int, asker: int | None) -> ClaimOnPage:
    """asker: who asks. Raises Invalid for a topic that is not looked at."""
    table = regression.table()
    _check_topic(topic, table.topics)
    claim_in_runs = variants.try_claim(regression, topic, asker)
    conclusion = sentences.of_claim(claim_in_runs)
    about = _about(regression, conclusion.whole)
    (row,) = _rows(regression, table, [table.topics.index(topic)])
    page = _claim_page(regression, claim_in_runs, topic, about, row, trained(regression, topic))
    return ClaimOnPage(page, conclusion)


def claim_of_sets(sets: TwoSets, topic: int, asker: int | None) -> ClaimOnPage:
    """Make the page of a claim about two sets of documents, as `claim_page` does of a formula: the
    second setting is the first set."""
    differences = sets.differences
    _check_topic(topic, differences.topics)
    claim_in_runs = variants.try_claim(sets, topic, asker)
    conclusion = sentences.of_claim(claim_in_runs)
    about = AboutEffect(
        formula="",
        settings=[sets.second.name, sets.first.name],
        groups=[],
        selection=sets.selection.sentence,
        unit=unit_sentences.about(sets.selection.version, sets.unit),
        few_units=cautions.few_units(
            sets.unit, differences.answers.units, differences.answers.obstacle
        ),
        level=differences.answers.level,
        calibrated=differences.answers.calibrated,
        wider=None,
        conclusion=conclusion.whole,
    )
    page = _claim_page(sets, claim_in_runs, topic, about, _row_of_sets(sets, topic), [])
    return ClaimOnPage(page, conclusion)


def _row_of_sets(sets: TwoSets, topic: int) -> TopicEffect:
    """A topic of both sets, as their own page has it."""
    differences = sets.differences
    row = differences.topics.index(topic)
    return TopicEffect(
        **vars(links.topic_link(sets.selection.view, topic)),
        **vars(_difference_of_row(differences.answers, row)),
        words=topics.top_words(sets.selection.view, [topic], topics.FIRST_WORDS)[topic],
        documents=[
            compared_sets.address(side, sets.base, topic=topic)
            for side in (sets.second, sets.first)
        ],
    )


def _check_topic(topic: int, topic_numbers: list[int]) -> None:
    if topic not in topic_numbers:
        raise Invalid("topic", f"Topic {topic} is hidden, or has no words.")


def _holding(claim: variants.ClaimInRuns) -> int:
    """In how many runs a claim holds."""
    return sum(variant.holds(claim.variants[0]) for variant in claim.variants)


def _claim_page(
    question: variants.Question,
    claim: variants.ClaimInRuns,
    topic: int,
    about: AboutEffect,
    row: TopicEffect,
    other_texts: list[OtherTexts],
) -> ClaimPage:
    """about, row: what the claim's own run says; other_texts: of trainings on other texts."""
    rows = sorted(
        (_in_run(variant, claim.variants[0]) for variant in claim.variants),
        key=lambda in_run: (in_run.difference is None, -(in_run.difference or 0)),
    )
    differences = [in_run.difference for in_run in rows if in_run.difference is not None]
    test = claim.test
    return ClaimPage(
        **vars(about),
        topic=row,
        merged=len(question.selection.view.labels.members(topic)),
        holds=_holding(claim),
        median=float(np.median(differences)) if len(differences) > 1 else None,
        p=test.p_of_clearest if test else None,
        p_fixed=test.p_fixed if test else None,
        untested=claim.untested,
        waiting=len(claim.waiting) + claim.left,
        training=claim.training,
        runs=rows,
        choices=[Choice(name, values) for name, values in variants.turning(claim.variants)],
        other_texts=other_texts,
    )


def _in_run(variant: variants.Variant, first: variants.Variant) -> ClaimInRun:
    view = variant.view
    run = view.run
    difference, low, high = _none_for_nan(np.array([variant.difference, variant.low, variant.high]))
    topic = nearest = None
    if variant.topic is not None:
        topic = links.topic_link(view, variant.topic)
    elif variant.nearest >= 0:
        nearest = links.topic_link(view, variant.nearest)
    return ClaimInRun(
        difference=difference,
        low=low,
        high=high,
        run=run.pk,
        K=run.topics,
        engine=engines.get(run.engine).ABOUT.label,
        seed=run.seed,
        words=run.version.number,
        topic=topic,
        nearest=nearest,
        similarity=variant.similarity,
        holds=variant.holds(first),
        problem=variant.problem,
    )
