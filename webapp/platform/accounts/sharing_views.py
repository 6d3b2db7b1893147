"""With whom a corpus is shared: its owner's page about it, and what a link leads to."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.models import Corpus, GroupRole, Invitation, Link, Membership, User
from webapp.platform.accounts import (
    authorization,
    emails,
    embargo,
    framing,
    ownership,
    sharing,
    sign_on_groups,
)
from webapp.platform.pages.page import check_act, whole_number
from webapp.platform.pages.typed import HtmlPageResponse, typed

PEOPLE_SHOWN = sharing.MOST_PEOPLE
FOLLOWED = 30  # links that a browser remembers, the last ones
# Of an embargoed corpus's texts: how many somebody saw something of, and all that is allowed of
Seen = tuple[int, int]


@dataclass(frozen=True)
class SharingPage:
    """public: what all readers of a public corpus saw together; together: what all readers did.
    made: the address of a new link, which is shown once. wrong: why nothing was done; field: which
    field that is about. days: for how long a link may hold -> in words. groups: of the provider of
    single sign-on with which it is shared. own_groups: those that the owner is in; None where there
    are no groups."""

    public: Seen | None
    together: Seen | None
    made: str
    wrong: str
    field: str
    now: datetime
    members: list[tuple[Membership, Seen | None]]
    invited: QuerySet[Invitation]
    links: list[tuple[Link, Seen | None]]
    days: dict[int, str]
    mail: bool
    groups: list[GroupRole]
    own_groups: list[str] | None


@dataclass(frozen=True)
class OwnerPage:
    """wrong: why the corpus could not be taken."""

    wrong: str


@never_cache
@typed("corpus/sharing.html")
def of_corpus(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[SharingPage] | HttpResponse:
    """With whom a corpus is shared; POST changes that."""
    new_token = wrong = field = ""
    if posted is not None:
        try:
            new_token = _act(request, posted, corpus)
        except Invalid as error:
            wrong = error.message
            field = error.field
        if not new_token and not wrong:
            return redirect("corpus_sharing", corpus.pk)
    members = {
        f"user {row.user_id}": row
        for row in corpus.memberships.select_related("user").order_by("user__name")[:PEOPLE_SHOWN]
    }
    links = {f"link {row.pk}": row for row in corpus.links.select_related("by")[:PEOPLE_SHOWN]}
    used: dict[str, tuple[int, int]] = {}
    together = None
    if corpus.embargo:
        used, together = embargo.count_texts_read(corpus, ["public", *members, *links])
    new_address = ""
    if new_token:
        new_address = request.build_absolute_uri(reverse("share", args=[new_token]))
    return HtmlPageResponse(
        SharingPage(
            public=used.get("public"),
            together=together,
            made=new_address,
            wrong=wrong,
            field=field,
            now=timezone.now(),
            members=[(member, used.get(reader)) for reader, member in members.items()],
            invited=corpus.invitations.order_by("email")[:PEOPLE_SHOWN],
            links=[(link, used.get(reader)) for reader, link in links.items()],
            days=sharing.DAYS,
            mail=settings.MAIL,
            groups=list(
                corpus.group_roles.select_related("group").order_by("group__name")[:PEOPLE_SHOWN]
            ),
            own_groups=sign_on_groups.of(corpus.owner) if settings.OIDC_GROUPS else None,
        ),
        status=400 if wrong else 200,
    )


def _act(request: HttpRequest, posted: QueryDict, corpus: Corpus) -> str:
    """Do what a form asks for; returns the token of a new link, else ""."""
    corpus = authorization.shareable(request, corpus)
    act = posted.get("act", "")
    if act == "link":
        return sharing.make_link(
            corpus,
            authorization.signed_in(request),
            posted.get("name", ""),
            whole_number(posted, "days"),
        )[1]
    acts = {
        "revoke": lambda: sharing.revoke_link(corpus, whole_number(posted, "link")),
        "add": lambda: _add(request, posted, corpus),
        "role": lambda: sharing.change(
            corpus, whole_number(posted, "user"), posted.get("role", "")
        ),
        "remove": lambda: sharing.remove(corpus, whole_number(posted, "user")),
        "withdraw": lambda: sharing.withdraw(corpus, whole_number(posted, "invitation")),
        "offer": lambda: _offer(request, posted, corpus),
        "keep": lambda: ownership.withdraw(corpus),
        "group": lambda: sign_on_groups.share(
            corpus, posted.get("group", ""), posted.get("role", "")
        ),
        "ungroup": lambda: sign_on_groups.unshare(corpus, whole_number(posted, "number")),
        "sites": lambda: framing.allow(corpus, posted.get("sites", "")),
        "public": lambda: sharing.publish(corpus, posted.get("public") == "1"),
    }
    check_act(act, ["link", *acts])
    do = acts[act]
    do()
    return ""


def _add(request: HttpRequest, posted: QueryDict, corpus: Corpus) -> None:
    role = posted.get("role", "")
    to, new = sharing.add(corpus, posted.get("who", ""), role, authorization.signed_in(request))
    if new:
        letter = emails.shared(
            corpus, to.email or "", role, authorization.signed_in(request), isinstance(to, User)
        )
        messages.info(
            request, f"Shared with {to.name if isinstance(to, User) else to.email}. {letter}"
        )


def _offer(request: HttpRequest, posted: QueryDict, corpus: Corpus) -> None:
    to = ownership.offer(corpus, whole_number(posted, "user"))
    role = corpus.memberships.get(user=to).role
    messages.info(
        request,
        f"Offered to {to.name}."
        f" {emails.offered(corpus, to, role, authorization.signed_in(request))}",
    )


@never_cache
@typed("corpus/owner.html")
def owner(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[OwnerPage] | HttpResponse:
    """For whom a corpus is offered to: what that means; POST takes it, or declines."""
    if corpus.offered_to_id != authorization.user_id(request):
        raise Http404("This corpus is not offered to you.")
    wrong = ""
    if posted is not None:
        try:
            if posted.get("act") == "take":
                ownership.take(corpus, authorization.signed_in(request))
                messages.success(request, f"“{corpus.name}” is yours.")
            else:
                ownership.withdraw(corpus, authorization.signed_in(request))
                messages.info(request, f"“{corpus.name}” stays {corpus.owner.name}’s.")
            return redirect("corpus", corpus.pk)
        except Invalid as error:
            wrong = error.message
    return HtmlPageResponse(OwnerPage(wrong), status=400 if wrong else 200)


@never_cache
@require_safe
def follow(request: HttpRequest, token: str) -> HttpResponse:
    """Remember the link in this browser, and go to its corpus. Nothing is said of one that was
    revoked, or never was."""
    link = sharing.follow(token)
    if link is None:
        raise Http404("There is no such link.")
    followed = [
        number for number in request.session.get(authorization.LINKS, []) if number != link.pk
    ]
    request.session[authorization.LINKS] = [*followed[1 - FOLLOWED :], link.pk]
    messages.info(request, "You are reading this through a link that its owner shared.")
    return redirect("corpus", link.corpus_id)
