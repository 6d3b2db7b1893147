"""Who may still see a corpus or a run, while a connection stays open that tells of it."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models.functions import Now
from django.http import HttpRequest

from webapp.models import Corpus, Run, User
from webapp.platform.accounts.authorization import person_of
from webapp.platform.accounts.roles import Person, roles


@dataclass(frozen=True)
class Follower:
    """Who follows the events of a corpus or of a run over a connection that stays open: all that is
    needed to ask again whether they may."""

    corpus: int | None
    run: int | None
    user: int | None = None
    session: str | None = None  # its key
    proof: str = ""  # the session's hash of the user's password: it changes with the password
    links: tuple[int, ...] = ()


def follower(request: HttpRequest, corpus: int | None = None, run: int | None = None) -> Follower:
    """Whom a request opens a connection for. The middleware has let the request in."""
    if not settings.ACCOUNTS:
        return Follower(corpus, run)
    session = request.session
    person = person_of(request)
    return Follower(
        corpus,
        run,
        person.user,
        session.session_key,
        session.get(HASH_SESSION_KEY, ""),
        person.links,
    )


def still(followers: Collection[Follower]) -> set[Follower]:
    """The followers who may still see what they follow, by four queries, however many there
    are.

    A user and followed links count as long as the session does from which they come.
    """
    of_run = dict(
        Run.objects.filter(pk__in={f.run for f in followers if f.run}).values_list("pk", "corpus")
    )
    corpus_of_follower = {
        follower: follower.corpus or of_run.get(follower.run or 0) or 0 for follower in followers
    }
    corpora = Corpus.objects.filter(pk__in=set(corpus_of_follower.values()))
    if not settings.ACCOUNTS:
        existing = set(corpora.values_list("pk", flat=True))
        return {follower for follower, pk in corpus_of_follower.items() if pk in existing}
    users = User.objects.filter(is_active=True).in_bulk({f.user for f in followers if f.user})
    proofs = {pk: user.get_session_auth_hash() for pk, user in users.items()}
    keys = {f.session for f in followers if f.session}
    sessions = set(
        Session.objects.filter(pk__in=keys, expire_date__gt=Now()).values_list("pk", flat=True)
    )
    people = {}
    for follower in followers:
        has_session = follower.session in sessions
        if follower.user and not (has_session and proofs.get(follower.user) == follower.proof):
            continue
        people[follower] = Person(follower.user, follower.links if has_session else ())
    granted = roles(corpora, *set(people.values()))
    still_granted = set()
    for follower, person in people.items():
        if person in granted.get(corpus_of_follower[follower], {}):
            still_granted.add(follower)
    return still_granted
