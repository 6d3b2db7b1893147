"""Where coders code: one text at a time, at an address of their own, without an account."""

from allauth.core import ratelimit
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from inference.errors import Invalid
from webapp.models import Coder, Concept, Definition, Item, Run
from webapp.platform.accounts import authorization, embargo
from webapp.platform.pages.page import show_errors, whole_number
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.service.codebook import coding, concepts
from webapp.service.codebook.shapes import ClosedPage, CodingPage, JoinPage

NOT_FOUND = 404
NO_RUN = 0
RUN_OF_CODER = "run_of_coder"  # in the session: the run from whose page a coder came


@never_cache
@typed(
    {
        JoinPage: "codebook/join.html",
        CodingPage: "codebook/code.html",
        ClosedPage: "codebook/closed.html",
    }
)
def code(
    request: HttpRequest, token: str, posted: QueryDict | None, *, item: int | None = None
) -> HtmlPageResponse[JoinPage | CodingPage | ClosedPage] | HttpResponse:
    """The text that a coder has to code next, or ?item=, which they have coded; of an invitation
    the form by which one joins. Nothing is said of an address that holds no more."""
    concept = coding.invited(token)
    if concept is not None:
        return _join(request, concept, posted)
    coder = coding.coder_of(token)
    if coder is None:
        return HtmlPageResponse(ClosedPage(), status=NOT_FOUND)
    if posted:
        with show_errors(request):
            _save(coder, posted)
        return redirect("code", token)
    return HtmlPageResponse(_page(request, coder, item))


def _join(
    request: HttpRequest, concept: Concept, posted: QueryDict | None
) -> HtmlPageResponse[JoinPage | CodingPage | ClosedPage] | HttpResponse:
    name = ""
    if posted:
        name = posted.get("name", "")
        with show_errors(request):
            _check_rate(request)
            return redirect("code", coding.join(concept, name, by_link=True).token)
    return HtmlPageResponse(JoinPage(concept, concepts.defined(concept).holds, name))


def _check_rate(request: HttpRequest) -> None:
    """Raises Invalid where too many have joined from one address, as for sign-ins."""
    if not ratelimit.consume(request, action="join"):
        raise Invalid(
            "name",
            "Too many have joined from your network in a minute. Wait a minute, and try again.",
        )


def _save(coder: Coder, posted: QueryDict) -> None:
    item = coding.assigned(coder, whole_number(posted, "item"))
    if item is None:
        raise Invalid("item", "This text was not given to you.")
    versions = Definition.objects.filter(concept=coder.concept_id)
    definition = versions.filter(number=whole_number(posted, "definition")).first()
    if definition is None:
        raise Invalid("definition", "There is no such version of the definition.")
    coding.save(
        coder,
        item,
        definition,
        code=whole_number(posted, "code"),
        unsure=bool(posted.get("unsure")),
        remark=posted.get("remark", ""),
    )


def _concept_url(request: HttpRequest, coder: Coder) -> str:
    """The page of the concept, for a coder with an account of their own: in the run that they
    came from, else in the newest; "" for who came by a link, and may see nothing but the texts."""
    if coder.user_id is None or coder.user_id != authorization.user_id(request):
        return ""
    readable = authorization.runs(request)
    trained = readable.filter(corpus=coder.concept.corpus_id, status=Run.Status.DONE)
    run = trained.filter(pk=request.session.get(RUN_OF_CODER, NO_RUN)).first() or trained.last()
    return reverse("concept", args=[run.pk, coder.concept_id]) if run else ""


def _page(request: HttpRequest, coder: Coder, asked_for: int | None) -> CodingPage:
    state = coding.following(coder)
    item: Item | None = state.item
    if asked_for is not None:
        item = coding.assigned(coder, asked_for)
        if item is None:
            raise Http404("This text was not given to you.")
    corpus = coder.concept.corpus
    before = coding.before(coder, item)
    newest = None
    text = ""
    title = ""
    date_text = ""
    if item:
        newest = coder.codings.filter(item=item).last()
        text = embargo.beginnings(corpus, [item.document], coding.CHARACTERS_SHOWN).get(
            item.document, ""
        )
        embargo.note_coded(corpus, item.document, text, coder.name)
        about = embargo.about(corpus, [item.document], "title", "date_text").get(item.document)
        if about is not None:
            title = about["title"]
            date_text = about["date_text"]
    return CodingPage(
        concept=coder.concept,
        holds=concepts.defined(coder.concept).holds,
        coder=coder,
        item=item.pk if item else None,
        title=title,
        date=date_text,
        text=text,
        cut=len(text) == coding.CHARACTERS_SHOWN or corpus.embargo,
        code=newest.code if newest else None,
        unsure=bool(newest and newest.unsure),
        remark=newest.remark if newest else "",
        coded=state.coded,
        left=state.left,
        concept_url=_concept_url(request, coder),
        before=f"{reverse('code', args=[coder.token])}?item={before}" if before else "",
    )
