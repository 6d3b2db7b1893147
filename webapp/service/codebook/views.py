"""The codebook of a corpus: its concepts, one with its draw and its coders, how far these agree,
and what follows."""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.analysis.effects import variables
from webapp.analysis.effects.pages import asked_formula
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.models import Concept, Definition, Draw, Run, Settlement
from webapp.platform.accounts import authorization, embargo, readings
from webapp.platform.accounts.roles import Role
from webapp.platform.drawing.numbers import document_name
from webapp.platform.pages import addresses
from webapp.platform.pages.page import (
    check_act,
    looked_up,
    show_errors,
    signature,
    whole_number,
)
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.pages.typed import NO_TEXTS, HtmlPageResponse, PageResponse, typed
from webapp.platform.request_context import request_context
from webapp.platform.server import streams
from webapp.platform.server.table_files import file_name, table_answer
from webapp.service.codebook import (
    agreement,
    coding,
    coding_views,
    concepts,
    estimates_page,
    exports,
    imports,
    taking_in,
)
from webapp.service.codebook.effect_of_code import effect_of_code
from webapp.service.codebook.estimates import EstimatedCode, estimate_concept
from webapp.service.codebook.estimates_page import EstimatesAsked
from webapp.service.codebook.shapes import (
    AgreementNotYet,
    AgreementPage,
    ChosenRow,
    CodebookHtml,
    CodebookPage,
    CoderRow,
    ConceptPage,
    ConceptRow,
    EstimatesHtml,
    EstimatesPage,
    NothingCoded,
)

TOPICS_OFFERED = 400  # topics to choose from
_TOPIC = re.compile(r"/runs/(\d+)/topics/(\d+)/")
TYPED = 2_000  # characters of each field of a form that can't be done
FORM = ("called", "kind", "text", "codes", "examples", "borderline")


def concept_or_404(run: Run, number: int) -> Concept:
    concept = Concept.objects.filter(corpus=run.corpus_id, pk=number).first()
    if concept is None:
        raise Http404(f"“{run.corpus.name}” has no concept {number}.")
    return concept


@typed("codebook/list.html")
def index(
    view: RunView,
    *,
    origin: str = "",
    called: str = "",
    kind: str = "yes_no",
    text: str = "",
    codes: str = "",
    examples: str = "",
    borderline: str = "",
) -> PageResponse[CodebookPage]:
    """The concepts; the form begins with what the address says."""
    rows = [
        ConceptRow(
            id=concept.pk,
            name=concept.name,
            definition=concepts.defined(concept).holds.text,
            drawn=drawn,
            coded=coded,
            url=view.go("concept", concept.pk),
        )
        for concept, drawn, coded in concepts.list_concepts(view.run.corpus)
    ]
    values = dict(zip(FORM, (called, kind, text, codes, examples, borderline), strict=True))
    return PageResponse(
        CodebookPage(rows), lambda: CodebookHtml(values, addresses.own_path(origin) or "")
    )


@require_POST
@looked_up
def create(request: HttpRequest, run: Run) -> HttpResponse:
    form = request.POST
    with show_errors(request):
        origin = addresses.own_path(form.get("origin", "")) or ""
        fields_sent = form.dict() | {"origin": origin}
        concept = concepts.create(run.corpus, fields_sent, signature(request))
        return redirect("concept", run.pk, concept.pk)
    return redirect(RunView(run).go("run_codebook", asked=_typed_address(form, FORM)))


def _typed_address(posted: QueryDict, names: tuple[str, ...]) -> str:
    """What was typed into a form that can't be done, for the address at which it begins again."""
    return urlencode({name: posted.get(name, "")[:TYPED] for name in names})


@typed("codebook/concept.html")
def detail(
    request: HttpRequest,
    run: Run,
    view: RunView,
    concept_id: int,
    *,
    text: str = "",
    codes: str = "",
    examples: str = "",
    borderline: str = "",
) -> HtmlPageResponse[ConceptPage]:
    """A concept; the form that changes its definition begins with what the address says, or with
    what holds."""
    concept = concept_or_404(run, concept_id)
    holds, base = concepts.defined(concept)
    drawn = Draw.objects.filter(concept=concept).first()
    items = list(drawn.items.values_list("stratum", "twice")) if drawn else []
    coder_of_codings = list(
        coding.counting_codings(concept, base).values_list("coder_id", flat=True)
    )
    values = {"text": text, "codes": codes, "examples": examples, "borderline": borderline}
    invitation = ""
    if concept.token:
        invitation = request.build_absolute_uri(reverse("code", args=[concept.token]))
    topic = None
    if drawn and drawn.topic is not None and drawn.run == run:
        topic = links.topic_link(view, drawn.topic)
    offered_topics = []
    if run.final and not drawn:
        offered_topics = [links.topic_link(view, k) for k in view.topics[:TOPICS_OFFERED]]
    page = ConceptPage(
        concept=concept,
        holds=holds,
        versions=list(concept.definitions.order_by("-number")),
        sent=values if text else _typed_of(holds),
        nearest=_topic_of_origin(concept, run),
        yes_no=concept.kind == Concept.Kind.YES_NO,
        invitation=invitation,
        coders=_coders(concept, coder_of_codings),
        readings=(len(coder_of_codings), len(items) + sum(twice for _, twice in items)),
        draw=drawn,
        drawn=len(items),
        strata=len({stratum for stratum, _ in items}),
        topic=topic,
        columns=document_groups.possible_groupings(run.version),
        topics=offered_topics,
        chosen=_examples(run, concept),
        file=taking_in.of_concept(concept),
        fewest_drawn=concepts.FEWEST_DRAWN,
        most_drawn=concepts.DRAWN,
    )
    return HtmlPageResponse(page)


def _typed_of(definition: Definition) -> dict[str, str]:
    """What the form has of a definition that holds."""
    return {
        "text": definition.text,
        "codes": "\n".join(definition.codes),
        "examples": definition.examples,
        "borderline": definition.borderline,
    }


def _topic_of_origin(concept: Concept, run: Run) -> int | None:
    """The topic of this run from whose page the concept was begun."""
    origin = _TOPIC.match(concept.origin)
    if origin is None:
        return None
    run_id, number = map(int, origin.groups())
    return number if run_id == run.pk else None


def _coders(concept: Concept, coder_of_codings: list[int]) -> list[CoderRow]:
    times = Counter(coder_of_codings)
    return [
        CoderRow(coder, times[coder.pk], reverse("code", args=[coder.token]))
        for coder in concept.coders.all()
    ]


def _examples(run: Run, concept: Concept) -> list[ChosenRow]:
    examples = list(concept.chosen.order_by("pk"))
    titles = embargo.about(run.corpus, [example.document for example in examples], "title")
    return [
        ChosenRow(
            document_name(titles[example.document]["title"], example.document),
            links.document_url(run, example.document),
            example.note,
            example.by,
        )
        for example in examples
        if example.document in titles
    ]


@require_POST
@looked_up
def change(request: HttpRequest, run: Run, concept_id: int) -> HttpResponse:
    """What is done to a concept."""
    form = request.POST
    go = RunView(run).go
    concept = concept_or_404(run, concept_id)
    act, _, code = form.get("act", "").partition(":")  # settle:1, by the button of a code
    check_act(act, ACTS)
    typed_again = _typed_address(form, FORM[2:]) if act == "define" else ""
    with show_errors(request):
        ACTS[act](Change(request, run, concept, signature(request), code))
        typed_again = ""
    if act == "remove":
        return redirect(go("run_codebook"))
    if act in ("settle", "reopen"):
        return redirect(go("concept_agreement", concept.pk) + "#differ")
    return redirect(go("concept", concept.pk, asked=typed_again))


class Change(NamedTuple):
    """What a form asks to do to a concept. asker: who asks. code: of `settle`, as it was sent."""

    request: HttpRequest
    run: Run
    concept: Concept
    by: str
    code: str

    @property
    def form(self) -> QueryDict:
        return self.request.POST

    def number(self, name: str) -> int:
        """A whole number that the form sent. Raises Invalid."""
        return whole_number(self.form, name)


def _define(change: Change) -> None:
    anew = bool(change.form.get("anew"))
    concepts.define(change.concept, change.form, change.by, anew=anew)


def _draw(change: Change) -> None:
    columns = change.form.getlist("columns")
    concepts.draw(change.concept, change.run, change.form, columns, change.by)


def _take_in(change: Change) -> None:
    file = change.request.FILES.get("codes")
    if file is None:
        raise Invalid("codes", "Choose a file first.")
    content = file.read(imports.FILE + 1)
    answer = taking_in.receive(change.concept, change.run, content, change.by)
    messages.success(change.request, answer)


def _invite(change: Change) -> None:
    concepts.invite(authorization.shareable(change.request, change.concept), on=True)


def _revoke(change: Change) -> None:
    concepts.invite(change.concept, on=False)


def _discard(change: Change) -> None:
    concepts.discard(change.concept)


def _withdraw(change: Change) -> None:
    concepts.withdraw(change.concept, change.number("coder"), on=True)


def _readmit(change: Change) -> None:
    concepts.withdraw(change.concept, change.number("coder"), on=False)


def _choose(change: Change) -> None:
    note = change.form.get("note", "")
    concepts.choose(change.concept, change.number("document"), note, change.by)


def _settle(change: Change) -> None:
    code = whole_number({"code": change.code}, "code")
    coding.settle(change.concept, change.number("item"), code, change.by)


def _reopen(change: Change) -> None:
    coding.settle(change.concept, change.number("item"), Settlement.OPEN, change.by)


def _remove(change: Change) -> None:
    concept = change.concept
    concepts.remove(concept, on=True)
    url = RunView(change.run).go("concept", concept.pk)
    put_back = format_html('“{}” was removed. <a href="{}">Put it back</a>', concept.name, url)
    messages.success(change.request, put_back)


def _restore(change: Change) -> None:
    concepts.remove(change.concept, on=False)


ACTS: dict[str, Callable[[Change], None]] = {
    "define": _define,
    "draw": _draw,
    "take": _take_in,
    "invite": _invite,
    "revoke": _revoke,
    "discard": _discard,
    "withdraw": _withdraw,
    "readmit": _readmit,
    "choose": _choose,
    "settle": _settle,
    "reopen": _reopen,
    "remove": _remove,
    "restore": _restore,
}


@require_POST
@looked_up
def join(request: HttpRequest, run: Run, concept_id: int) -> HttpResponse:
    """A reader of the corpus begins to code, or goes on."""
    concept = concept_or_404(run, concept_id)
    with show_errors(request):
        coder = coding.join(concept, signature(request), authorization.user(request))
        # An address of coding names no run, and "Back to the concept" leads to this one.
        request.session[coding_views.RUN_OF_CODER] = run.pk
        return redirect("code", coder.token)
    return redirect("concept", run.pk, concept.pk)


@typed({AgreementPage: "codebook/agreement.html", AgreementNotYet: "codebook/counting.html"})
def agree(
    request: HttpRequest, run: Run, concept_id: int
) -> PageResponse[AgreementPage | AgreementNotYet]:
    """How far coders agree, and the texts on which they don't."""
    asker = authorization.user_id(request)
    return PageResponse(agreement.page(run, concept_or_404(run, concept_id), asker))


@require_safe
@looked_up
def codes(
    request: HttpRequest, run: Run, concept_id: int, form: str
) -> HttpResponse | StreamingHttpResponse:
    """The codes as a table (CSV), as a REFI-QDA project (QDPX), or as W3C annotations (JSON-LD)."""
    concept = concept_or_404(run, concept_id)
    name = f"codes_{concept_id}.{form}"
    if form == "csv":
        return table_answer(exports.table(concept), file_name(f"codes_{concept_id}"))
    if form == "jsonld":

        def url(number: int) -> str:
            return request.build_absolute_uri(
                reverse("corpus_document", args=[run.corpus_id, number])
            )

        return streams.download(exports.annotations(concept, url), name, "application/ld+json")
    if form != "qdpx":
        raise Http404(f"Codes are given as csv, qdpx or jsonld, not as “{form}”.")
    readings.note_file(concept.corpus, name)
    return streams.download(exports.project(concept), name, "application/zip")


@typed({EstimatesPage: "codebook/estimates.html", NothingCoded: "codebook/nothing.html"})
def estimate(
    request: HttpRequest,
    run: Run,
    view: RunView,
    page_query: PageQuery,
    concept_id: int,
    *,
    by: str = "",
    code: int = 0,
    cell: int | None = None,
    a: int | None = None,
    b: int | None = None,
    effect: str = "",
    held: list[str] = NO_TEXTS,
    x: str = "",
    y: str = "",
) -> PageResponse[EstimatesPage | NothingCoded]:
    """How many of all documents have the concept, with intervals; and how that depends on `effect`,
    from x to y, with `held` constant."""
    concept = concept_or_404(run, concept_id)
    try:
        estimates = estimate_concept(run, concept, by, code)
    except Invalid as error:
        return PageResponse(NothingCoded(concept.name, error.message))
    subject = estimates.subject
    asked = EstimatesAsked(
        page_query=page_query,
        cell=cell,
        first=a,
        second=b,
        with_codes=not subject.coded.waiting or request_context(request).role >= Role.EDITOR,
    )
    dependence = None
    problem = ""
    try:
        formula = asked_formula(RunSelection.all(view), "", effect, "", held) if effect else None
        if formula:
            dependence = effect_of_code(subject, formula, x, y)
    except Invalid as error:
        problem = error.message
    page = estimates_page.make_page(run, estimates, asked, dependence, problem)
    return PageResponse(page, lambda: _estimates_html(run, page_query, subject, page, effect, held))


SMALLEST_DRAWN = 1e-9  # a share: a chart's axis has a length where all shares are 0


def _estimates_html(
    run: Run,
    page_query: PageQuery,
    subject: EstimatedCode,
    page: EstimatesPage,
    effect: str,
    held: list[str],
) -> EstimatesHtml:
    """effect, held: terms, as the address has them."""
    effects_offered, _, held_offered = variables.offered(run.version)
    ends_drawn = [SMALLEST_DRAWN]
    drawn_cells = [cell for cell in (page.all, *page.cells) if cell.has_estimate]
    for cell in drawn_cells:
        ends_drawn += [interval.high or 0 for interval in (cell.corrected, cell.sample)]
    codes = subject.codes if subject.concept.kind == Concept.Kind.ONE_OF else []
    asked = [("by", page.by), ("code", str(subject.code))]
    return EstimatesHtml(
        concept=subject.concept,
        choices=[
            (name, page_query.url(by=name, cell=None, a=None, b=None), name == page.by)
            for name in document_groups.possible_groupings(run.version)
        ],
        codes=[
            (name, page_query.url(code=number, cell=None), number == subject.code)
            for number, name in enumerate(codes)
        ],
        scale=subject.is_scale,
        most=max(ends_drawn),
        counts=estimates_page.write_code_values(subject) if subject.is_scale else "",
        pinned=estimates_page.pin_estimates(page, subject.is_scale),
        asked=[(name, value) for name, value in asked if value],
        effects=[(offered, offered.term == effect) for offered in effects_offered],
        held=[(offered, offered.term in held) for offered in held_offered],
        more_needed=estimates_page.write_more_needed(subject, page.more),
    )


@require_safe
@looked_up
def csv(request: HttpRequest, run: Run, concept_id: int) -> HttpResponse:
    question = estimate.asked(request.GET)
    concept = concept_or_404(run, concept_id)
    estimates = estimate_concept(run, concept, question["by"], question["code"])
    asked = EstimatesAsked(page_query=PageQuery(request.GET))
    page = estimates_page.make_page(run, estimates, asked)
    return table_answer(estimates_page.csv_table(run, page), file_name(f"estimates_{concept_id}"))
