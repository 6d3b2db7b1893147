"""How topics depend on what is known of the documents, as a page and as a table."""

from functools import partial
from typing import Any, get_args
from urllib.parse import urlencode

import numpy as np
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference import engines
from inference.errors import Invalid
from webapp import exports
from webapp.accounts import authorization
from webapp.documents.selection import RunSelection, Selection
from webapp.drawing.numbers import percent
from webapp.drawing.tables import json_text, kept_table
from webapp.effects import estimates, variables, variants
from webapp.effects import formula as formulas
from webapp.effects.estimates import Asked, Order, Regression, Table
from webapp.effects.formula import Formula, Term
from webapp.effects.shapes import (
    AlongEffect,
    Choice,
    ClaimHtml,
    ClaimInRun,
    ClaimPage,
    EffectsHtml,
    EffectsPage,
    Estimate,
    GroupAlong,
    Level,
    NoEffects,
    Setting,
    Together,
    TopicEffect,
)
from webapp.effects.variables import Offered
from webapp.effects.variants import Variant
from webapp.pages.here import Here
from webapp.pages.page import back, run_or_404
from webapp.pages.typed import Answer, typed
from webapp.results import links, topics
from webapp.results.links import TopicLink
from webapp.results.view import RunView
from webapp.runs import services
from webapp.storage import csv_cells
from webapp.time import trends
from webapp.time.shapes import Offer, Pinned

LISTED = 30
NO_TEXTS: list[str] = []


@typed({EffectsPage: "effects/detail.html", NoEffects: "effects/nothing.html"})
def effects(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    here: Here,
    as_json: bool,
    *,
    formula: str = "",
    effect: str = "",
    across: str = "",
    held: list[str] = NO_TEXTS,
    a: str = "",
    b: str = "",
    x: str = "",
    y: str = "",
    order: Order = "difference",
    topic: list[str] = NO_TEXTS,
    after: int = 0,
) -> Answer[EffectsPage | NoEffects]:
    """A formula's effect on the shares of all topics, and on one along it."""
    if not view.run.final:
        return Answer(NoEffects(""))
    try:
        chosen = _formula(selection, formula, effect, across, held)
        if chosen is None:
            return Answer(NoEffects(""))
        regression = estimates.regression_of(selection, Asked(chosen, a, b, x, y))
        table = regression.table()
        chosen_topics = trends.read_topics(view, topic)
    except Invalid as error:
        if as_json:
            raise
        return Answer(NoEffects(error.message))
    rows = table.order(order)
    page = EffectsPage(
        formula=str(chosen),
        effect=chosen.effect.name,
        settings=[regression.effect.labels[i] for i in regression.settings],
        across=chosen.across,
        groups=[regression.across.labels[i] for i in regression.groups] if regression.across else [],
        held=[term.name for term in chosen.held],
        selection=selection.sentence,
        documents=regression.documents,
        left_out=regression.left_out,
        units=regression.units,
        unit=regression.unit.said,
        wider=table.wider,
        caution=estimates.caution(regression, table.verdict),
        tried=len(table.topics),
        named=int(table.named.sum()),
        level=table.level,
        misfit=0 if regression.across else int((table.value < 0).any(axis=1).sum()),
        order=order,
        topics=_rows(regression, table, rows[after : after + LISTED] if not table.verdict else []),
        next=here.following(after + LISTED if after + LISTED < len(rows) else None),
        one=_along(regression, chosen_topics) if chosen_topics and not table.verdict else None,
    )
    return Answer(page, partial(_html, request, here, regression, page))


def _formula(selection: RunSelection, text: str, effect: str, across: str, held: list[str]) -> Formula | None:
    """What an address asks for, by a formula or by the menus; else what is usual of such documents."""
    if text:
        return formulas.read(text)
    if not effect:
        return variables.usual(selection.version)
    first, terms = formulas.term(effect), [formulas.term(each) for each in held if each]
    other = formulas.term(across).name if across else ""
    return formulas.checked(
        Formula(first, other, tuple(each for each in terms if each.name not in (first.name, other)))
    )


def _rows(regression: Regression, table: Table, places: list[int]) -> list[TopicEffect]:
    """Shares that a formula expects below 0 or above 1 are told as these."""
    view, numbers = regression.selection.view, [table.topics[i] for i in places]
    words, ends = topics.top_words(view, numbers, 5), regression.corrected_ends(numbers)
    return [
        TopicEffect(
            **vars(links.topic_link(view, k)),
            **vars(_estimate(regression, table, i, end)),
            words=words[k],
            documents=[links.documents_url(view.run, each.with_topic(k, 1).address()) for each in regression.sides],
        )
        for i, k, end in zip(places, numbers, ends.T, strict=True)
    ]


def _estimate(regression: Regression, table: Table, i: int, ends: np.ndarray) -> Estimate:
    """Of a row. ends: float64[2], of the corrected difference."""
    share = table.value[i] if regression.across else np.clip(table.value[i], 0.0, 1.0)
    read = np.where(np.isfinite(table.corrected[i]), ends, np.nan)
    down, up, corrected, low, high = _known(
        np.array([table.difference_low[i], table.difference_high[i], table.corrected[i], *read])
    )
    return Estimate(
        share.tolist(), _known(table.low[i]), _known(table.high[i]), float(table.difference[i]), down, up,
        corrected, low, high, float(table.p[i]), bool(table.named[i]),
    )  # fmt: skip


def _known(numbers: np.ndarray) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in numbers]


def _along(regression: Regression, numbers: list[int]) -> AlongEffect:
    view, made = regression.selection.view, regression.along(numbers)
    words = np.maximum(made.words, 0)
    names = [regression.across.labels[g] for g in regression.groups] if regression.across else ["all documents"]
    return AlongEffect(
        topic=links.topic_link(view, numbers[0]),
        by=regression.effect.term.name,
        in_time=regression.on_a_line,
        bins=[Level(label, int(n), n == 0) for label, n in zip(made.labels, words, strict=True)],
        topics=[
            GroupAlong(name, _average(share, words), *map(_known, (share, low, high)))
            for name, share, low, high in zip(names, made.share, made.low, made.high, strict=True)
        ],
        together=_together(regression, numbers) if len(numbers) > 1 else None,
    )


def _together(regression: Regression, numbers: list[int]) -> Together:
    table, ends = regression.together(numbers), regression.corrected_ends(numbers, together=True)
    named = [links.topic_link(regression.selection.view, k) for k in numbers]
    return Together(**vars(_estimate(regression, table, 0, ends[:, 0])), topics=named)


def _average(share: np.ndarray, words: np.ndarray) -> float:
    """Of the levels whose share is known."""
    known = np.isfinite(share)
    return float(share[known] @ words[known] / max(words[known].sum(), 1.0))


def _menu(offered: list[Offered], chosen: list[str]) -> list[tuple[Offered, bool]]:
    """Terms that a formula alone has come last: a form that is sent again asks for the same."""
    written = [Offered(term, term) for term in chosen if term not in {option.term for option in offered}]
    return [(option, option.term in chosen) for option in [*offered, *written]]


def _html(request: HttpRequest, here: Here, regression: Regression, page: EffectsPage) -> EffectsHtml:
    effects, across, held = variables.offered(regression.selection.version)
    chosen = regression.asked.formula
    settings = [
        _setting(regression.effect, letter, legend, label)
        for letter, legend, label in zip("ab", ("from", "to"), page.settings, strict=True)
    ]
    if regression.across:
        settings += [
            _setting(regression.across, letter, legend, label)
            for letter, legend, label in zip("xy", ("in", "and in"), page.groups, strict=True)
        ]
    return EffectsHtml(
        effects=_menu(effects, [str(chosen.effect)]),
        across=_menu(across, [str(Term(chosen.across))] if chosen.across else []),
        held=_menu(held, [str(term) for term in chosen.held]),
        settings=settings,
        orders=[Offer(o, here.url(order=o), o == page.order) for o in get_args(Order)],
        rows=[(row, _sides(page, row), here.url(topic=row.number)) for row in page.topics],
        most=max((x for row in page.topics for x in row.share), default=1.0),
        csv=regression.selection.view.go("run_effects_csv", asked=request.GET.urlencode()),
        all=here.url(topic=None),
        claim=regression.selection.view.go("run_claim", asked=_address(page, page.one.topic))
        if page.one and not page.one.together
        else "",
        pinned=_pinned(page),
    )


def _address(page: EffectsPage | ClaimPage, topic: TopicLink | None, selection: Selection | None = None) -> str:
    """A claim, and all that it is about though it may be the default here. selection: to be said, too."""
    asked = [
        ("formula", page.formula),
        *([("topic", str(topic.number))] if topic else []),
        *zip("abxy", [*page.settings, *page.groups], strict=False),
    ]
    return urlencode([*(selection.parameters if selection else []), *asked])


def _sides(page: EffectsPage, row: TopicEffect) -> list[tuple[str, float, str]]:
    urls = row.documents if len(row.documents) > 1 else ["", ""]
    return list(zip(page.groups or page.settings, row.share, urls, strict=True))


def _setting(levels: variables.Levels, letter: str, legend: str, here: str) -> Setting:
    return Setting(letter, legend, here, [] if levels.values is not None else levels.named)


def _pinned(page: EffectsPage) -> Pinned:
    """What a notebook keeps: the topics of the page."""
    names = page.groups or page.settings
    columns = [f"{name}" for name in (*names, "difference", "low", "high")]
    rows = [(*row.share, row.difference, row.difference_low, row.difference_high) for row in page.topics]
    named = [f"{row.label} {row.name or row.words[0]}" for row in page.topics]
    title = f"Topics by {page.effect}, from {page.settings[0]} to {page.settings[1]}"
    return Pinned(title, summary(page), json_text(kept_table("topic", named, columns, rows)))


def summary(page: EffectsPage) -> str:
    """What may be concluded, in a sentence."""
    first = next(iter(page.topics), None)
    if page.caution or first is None or not first.named:
        return page.caution or "No topic’s share differs by more than chance explains."
    name = first.name or first.label
    ends = f"{100 * first.difference:+.1f} points"
    return f"{name}: {percent(first.share[0])} to {percent(first.share[1])} of the words ({ends}); by {page.formula}."


@typed({ClaimPage: "effects/claim.html", NoEffects: "effects/nothing.html"}, variants="effects/_variants.html")
def claim(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    here: Here,
    as_json: bool,
    *,
    topic: list[str] = NO_TEXTS,
    formula: str = "",
    a: str = "",
    b: str = "",
    x: str = "",
    y: str = "",
) -> Answer[ClaimPage | NoEffects]:
    """One difference of one topic, in the other runs of the corpus, too."""
    try:
        numbers, chosen = trends.read_topics(view, topic), _formula(selection, formula, "", "", [])
        if not view.run.final or chosen is None or not numbers:
            return Answer(NoEffects("Choose a topic on the page of effects first."))
        regression = estimates.regression_of(selection, Asked(chosen, a, b, x, y))
        if numbers[0] not in regression.table().topics:
            raise Invalid("topic", f"Topic {numbers[0]} is hidden, or has no words.")
        made = variants.claim(regression, numbers[0], authorization.user_id(request))
    except Invalid as error:
        if as_json:
            raise
        return Answer(NoEffects(error.message))
    rows = sorted(
        (_in_run(each, made.variants[0]) for each in made.variants),
        key=lambda row: (row.difference is None, -(row.difference or 0)),
    )
    known = [row.difference for row in rows if row.difference is not None]
    page = ClaimPage(
        formula=str(chosen),
        settings=[regression.effect.labels[i] for i in regression.settings],
        groups=[regression.across.labels[i] for i in regression.groups] if regression.across else [],
        topic=links.topic_link(view, numbers[0]),
        merged=len(view.labels.members(numbers[0])),
        selection=selection.sentence,
        holds=sum(row.holds for row in rows),
        median=float(np.median(known)) if known else None,
        p=made.test.selected if made.test else None,
        p_fixed=made.test.p if made.test else None,
        untested=made.untested,
        waiting=len(made.waiting) + made.left,
        training=made.training,
        runs=rows,
        choices=[Choice(name, values) for name, values in variants.turning(made.variants)],
    )
    return Answer(page, partial(_claim_html, regression, page))


def _in_run(variant: Variant, first: Variant) -> ClaimInRun:
    run, other = variant.view.run, variant.view
    difference, low, high = _known(np.array([variant.difference, variant.low, variant.high]))
    return ClaimInRun(
        run=run.pk,
        K=run.topics,
        engine=engines.get(run.engine).LABEL,
        seed=run.seed,
        words=run.version_id,
        topic=None if variant.topic is None else links.topic_link(other, variant.topic),
        nearest=links.topic_link(other, variant.nearest) if variant.topic is None and variant.nearest >= 0 else None,
        similarity=variant.similarity,
        difference=difference,
        low=low,
        high=high,
        holds=variant.holds(first),
        problem=variant.problem,
    )


def _claim_html(regression: Regression, page: ClaimPage) -> ClaimHtml:
    view = regression.selection.view
    ends = [end for row in page.runs for end in (row.low, row.high) if end is not None]
    rows = [[row.difference, row.low, row.high] for row in page.runs]
    named = [f"run {row.run}, K = {row.K}, {row.engine}, seed {row.seed}" for row in page.runs]
    sentence = f"It holds in {page.holds} of {len(page.runs)} runs."
    if page.p is not None:
        beyond = "Beyond chance" if page.p <= estimates.FALSE else "Not beyond chance"
        sentence += f" {beyond} in all runs together (p = {page.p:.3f})."
    title = f"{page.topic.label} {page.topic.name or ''}: {page.settings[0]} to {page.settings[1]}, in other runs"
    return ClaimHtml(
        ends=(min([0.0, *ends]), max([0.0, *ends])),
        effects=view.go("run_effects", asked=_address(page, page.topic)),
        rows=[(row, _there(page, regression.selection, row)) for row in page.runs],
        train=services.variants_said(view.run),
        pinned=Pinned(title, sentence, json_text(kept_table("run", named, ["difference", "low", "high"], rows))),
        sentence=sentence,
        null="no direction, and periods only like those before them"
        if variants.in_time(regression)
        else "no difference",
    )


def _there(page: ClaimPage, selection: RunSelection, row: ClaimInRun) -> str:
    """The claim's page of effects in another run."""
    topic = row.topic or row.nearest
    query = _address(page, topic, selection)
    return f"{reverse('run_effects', args=[row.run])}?{query}" + ("#one" if topic else "")


@require_POST
def train(request: HttpRequest, run_id: int) -> HttpResponse:
    """Further trainings, in which a claim is looked at."""
    run = run_or_404(run_id)
    try:
        services.variants(run, authorization.user(request))
    except Invalid as error:
        raise BadRequest(error.message) from None
    return redirect(back(request, reverse("run_effects", args=[run.pk])))


_COLUMNS = ["corpus", "run", "K", "seed", "documents_chosen", "formula", "independent", "documents", "topic", "label", "first", "second", "share_first", "low_first",
            "high_first", "share_second", "low_second", "high_second", "difference", "low", "high", "corrected", "level", "p", "beyond_chance"]  # fmt: skip


@require_safe
def csv(request: HttpRequest, run_id: int) -> HttpResponse:
    """All topics, in the order of their numbers."""
    run = run_or_404(run_id)
    asked = {name: parameter.value(request.GET) for name, parameter in effects.parameters.items()}
    selection = Selection.read(request.GET, RunView(run))
    chosen = _formula(selection, *(asked[name] for name in ("formula", "effect", "across", "held")))
    if chosen is None:
        raise Http404("Nothing is known of these documents that topics could depend on.")
    regression = estimates.regression_of(selection, Asked(chosen, *(asked[letter] for letter in "abxy")))
    headers = {"Content-Disposition": f'attachment; filename="{exports.file_name(run, "effects")}"'}
    return HttpResponse(csv_cells.lines(_table(regression)), content_type="text/csv; charset=utf-8", headers=headers)


def _table(regression: Regression) -> list[list[Any]]:
    table, view = regression.table(), regression.selection.view
    run, names = view.run, [regression.effect.labels[i] for i in regression.settings]
    if regression.across:
        names = [f"{names[0]} to {names[1]}, {regression.across.labels[i]}" for i in regression.groups]
    about = [
        run.corpus.name,
        run.pk,
        run.topics,
        run.seed,
        regression.selection.sentence,
        str(regression.asked.formula),
    ]
    about += [regression.unit.said, regression.documents]
    rows: list[list[Any]] = [_COLUMNS]
    for i, k in enumerate(table.topics):
        sides = [end[i, s] for s in (0, 1) for end in (table.value, table.low, table.high)]
        ends = [end[i] for end in (table.difference, table.difference_low, table.difference_high, table.corrected)]
        level = table.level if table.named[i] else estimates.LEVEL
        numbers = ["" if np.isnan(x) else float(x) for x in (*sides, *ends, level, table.p[i])]
        rows.append([*about, k, view.labels.name(k), *names, *numbers, int(table.named[i])])
    return rows
