"""Where coders code: one text at a time, at an address of their own, without an account."""

from allauth.core import ratelimit
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from inference.errors import Invalid
from webapp.models import Coder, Definition, Item, Run
from webapp.platform.accounts import authorization, embargo
from webapp.platform.pages.page import told, whole
from webapp.platform.pages.typed import HtmlAnswer, typed
from webapp.service.codebook import coding, concepts
from webapp.service.codebook.shapes import ClosedPage, CodingPage, JoinPage

READ = 30_000  # characters of a text


@never_cache
@typed(
    {
        JoinPage: "codebook/join.html",
        CodingPage: "codebook/code.html",
        ClosedPage: "codebook/closed.html",
    }
)
def code(
    request: HttpRequest, token: str, sent: QueryDict | None, *, item: int | None = None
) -> HtmlAnswer[JoinPage | CodingPage | ClosedPage] | HttpResponse:
    """The text that a coder has to code next, or ?item=, which they have coded; of an invitation
    the form by which one joins. Nothing is said of an address that holds no more."""
    if concept := coding.invited(token):
        name = sent.get("name", "") if sent else ""
        if sent:
            with told(request):
                _check_rate(request)
                return redirect("code", coding.join(concept, name, by_link=True).token)
        return HtmlAnswer(JoinPage(concept, concepts.defined(concept).holds, name))
    if (coder := coding.coder_of(token)) is None:
        return HtmlAnswer(ClosedPage(), status=404)
    if sent:
        with told(request):
            _save(coder, sent)
        return redirect("code", token)
    return HtmlAnswer(_page(request, coder, item))


def _check_rate(request: HttpRequest) -> None:
    """Raises Invalid where too many have joined from one address, as for sign-ins."""
    if not ratelimit.consume(request, action="join"):
        raise Invalid(
            "name",
            "Too many have joined from your network in a minute. Wait a minute, and try again.",
        )


def _save(coder: Coder, sent: QueryDict) -> None:
    item = coding.assigned(coder, whole(sent, "item"))
    if item is None:
        raise Invalid("item", "This text was not given to you.")
    definition = Definition.objects.filter(
        concept=coder.concept_id, number=whole(sent, "definition")
    ).first()
    if definition is None:
        raise Invalid("definition", "There is no such version of the definition.")
    coding.save(
        coder,
        item,
        definition,
        whole(sent, "code"),
        bool(sent.get("unsure")),
        sent.get("remark", ""),
    )


def _concept_url(request: HttpRequest, coder: Coder) -> str:
    """The page of the concept, for a coder with an account of their own; "" for who came by a
    link, and may see nothing but the texts."""
    if coder.user_id is None or coder.user_id != authorization.user_id(request):
        return ""
    run = Run.objects.filter(corpus=coder.concept.corpus_id, status=Run.Status.DONE).last()
    return reverse("concept", args=[run.pk, coder.concept_id]) if run else ""


def _page(request: HttpRequest, coder: Coder, wanted: int | None) -> CodingPage:
    state = coding.following(coder)
    item: Item | None = state.item
    if wanted is not None and (item := coding.assigned(coder, wanted)) is None:
        raise Http404("This text was not given to you.")
    before, newest = (
        coding.before(coder, item),
        coder.codings.filter(item=item).last() if item else None,
    )
    text, about = "", {"title": "", "date_text": ""}
    if item:
        text = embargo.beginnings(coder.concept.corpus, [item.document], READ).get(
            item.document, ""
        )
        about = embargo.about(coder.concept.corpus, [item.document], "title", "date_text").get(
            item.document, about
        )
    return CodingPage(
        concept=coder.concept,
        holds=concepts.defined(coder.concept).holds,
        coder=coder,
        item=item.pk if item else None,
        title=about["title"],
        date=about["date_text"],
        text=text,
        cut=len(text) == READ or coder.concept.corpus.embargo,
        code=newest.code if newest else None,
        unsure=bool(newest and newest.unsure),
        remark=newest.remark if newest else "",
        coded=state.coded,
        left=state.left,
        concept_url=_concept_url(request, coder),
        before=f"{reverse('code', args=[coder.token])}?item={before}" if before else "",
    )
