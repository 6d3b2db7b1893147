"""With whom a corpus is shared: its owner's page about it, and what a link leads to."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from inference.errors import Invalid
from webapp import access
from webapp.models import Corpus
from webapp.services import sharing
from webapp.views.pages import corpus_or_404, page

SHOWN = sharing.MOST_PEOPLE
FOLLOWED = 30  # links that a browser remembers, the last ones


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def of_corpus(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """A new link is said once, in the answer to the form that made it."""
    corpus = corpus_or_404(corpus_id)
    made = wrong = field = ""
    if request.method == "POST":
        try:
            made = _act(request, corpus)
        except Invalid as error:
            wrong, field = error.message, error.field
        if not made and not wrong:
            return redirect("corpus_sharing", corpus.pk)
    data = {
        "corpus": corpus,
        "made": request.build_absolute_uri(reverse("share", args=[made])) if made else "",
        "wrong": wrong,
        "field": field,
        "now": timezone.now(),
        "members": corpus.memberships.select_related("user").order_by("user__name")[:SHOWN],
        "invited": corpus.invitations.order_by("email")[:SHOWN],
        "links": corpus.links.select_related("by")[:SHOWN],
        "days": sharing.DAYS,
    }
    return page(request, "corpus/sharing.html", data, status=400 if wrong else 200)


def _act(request: HttpRequest, corpus: Corpus) -> str:
    """What a form asks for; returns the token of a new link, else ""."""
    sent = request.POST
    act = sent.get("act", "")
    if act == "link":
        return sharing.make_link(corpus, request.user, sent.get("name", ""), _whole(sent, "days"))[1]
    acts = {
        "revoke": lambda: sharing.revoke_link(corpus, _whole(sent, "link")),
        "add": lambda: sharing.add(corpus, sent.get("who", ""), sent.get("role", ""), request.user),
        "role": lambda: sharing.change(corpus, _whole(sent, "user"), sent.get("role", "")),
        "remove": lambda: sharing.remove(corpus, _whole(sent, "user")),
        "withdraw": lambda: sharing.withdraw(corpus, _whole(sent, "invitation")),
        "public": lambda: sharing.publish(corpus, sent.get("public") == "1"),
    }
    if act not in acts:
        raise BadRequest(f"“act” must be one of link, {', '.join(acts)}, got “{act[:20]}”.")
    acts[act]()
    return ""


def _whole(sent, name: str) -> int:
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Invalid(name, f"“{name}” must be a whole number, got “{text[:20]}”.")
    return int(text)


@never_cache
@require_safe
def follow(request: HttpRequest, token: str) -> HttpResponse:
    """Remember the link in this browser, and go to its corpus. Nothing is said of one that was revoked, or never was."""
    link = sharing.follow(token)
    if link is None:
        raise Http404("There is no such link.")
    kept = [number for number in request.session.get(access.LINKS, []) if number != link.pk]
    request.session[access.LINKS] = [*kept[1 - FOLLOWED :], link.pk]
    messages.info(request, "You read this by a link that its owner gave away.")
    return redirect("corpus", link.corpus_id)
