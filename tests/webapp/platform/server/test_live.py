"""Streams of events end when their reader may not read any more, or what they are about is gone."""

import asyncio
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp.platform.accounts.test_access import World
from webapp.models import Link, Membership, User
from webapp.platform.accounts import followers, sharing
from webapp.platform.accounts.followers import Follower
from webapp.platform.jobs import events
from webapp.platform.server import live
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(settings):
    settings.ACCOUNTS = True
    return World()


@pytest.fixture
def opened(monkeypatch):
    """(client, name, number) -> the Reader that the whole stack makes of its request; the stream
    itself is not read."""
    seen = []
    monkeypatch.setattr(
        live, "stream", lambda about, reader: seen.append((about, reader)) or iter(())
    )

    def open_(client: Client, name: str, number: int) -> Follower:
        assert client.get(reverse(f"{name}_events", args=[number])).status_code == 200
        about, reader = seen.pop()
        assert about == f"{name}:{number}"
        return reader

    return open_


def of_both(world, opened, client: Client) -> set[Follower]:
    return {opened(client, "corpus", world.corpus.pk), opened(client, "run", world.run.pk)}


ENDS = {  # what happens -> whose streams end by it
    "nothing": (lambda w, c: None, []),
    "the viewer is removed": (
        lambda w, c: sharing.remove(w.corpus, w.users["viewer"].pk),
        ["viewer"],
    ),
    "a role is changed, and still reads": (
        lambda w, c: sharing.change(w.corpus, w.users["editor"].pk, "viewer"),
        [],
    ),
    "the link is revoked": (
        lambda w, c: [sharing.revoke_link(w.corpus, link.pk) for link in w.corpus.links.all()],
        ["link"],
    ),
    "the link expires": (
        lambda w, c: Link.objects.update(expires_at=timezone.now() - timedelta(seconds=1)),
        ["link"],
    ),
    "the corpus is deleted": (
        lambda w, c: deletion.delete_corpus(w.corpus),
        ["link", "viewer", "editor", "owner"],
    ),
    "the viewer signs out": (lambda w, c: c["viewer"].post(reverse("account_logout")), ["viewer"]),
    "the session of the link ends": (
        lambda w, c: Session.objects.filter(pk=c["link"].session.session_key).delete(),
        ["link"],
    ),
    "sessions expire": (
        lambda w, c: Session.objects.update(expire_date=timezone.now()),
        ["link", "viewer", "editor", "owner"],
    ),
    "the editor is closed": (
        lambda w, c: User.objects.filter(name="editor").update(is_active=False),
        ["editor"],
    ),
    "the editor has another password": (
        lambda w, c: User.objects.filter(name="editor").update(password="!"),
        ["editor"],
    ),
}


@pytest.mark.parametrize("what", ENDS)
def test_whose_streams_end(world, opened, what):
    happens, whose = ENDS[what]
    clients = {who: world.client(who) for who in ("link", "viewer", "editor", "owner")}
    readers = {who: of_both(world, opened, client) for who, client in clients.items()}
    every = set().union(*readers.values())
    assert len(every) == 8 and followers.still(every) == every
    happens(world, clients)
    assert followers.still(every) == every - set().union(*(readers[who] for who in whose))


def test_what_is_public_goes_on_until_it_is_private(world, opened):
    sharing.publish(world.corpus, True)
    readers = of_both(world, opened, Client()) | of_both(world, opened, world.client("stranger"))
    member = of_both(world, opened, world.client("viewer"))
    assert followers.still(readers | member) == readers | member
    sharing.publish(world.corpus, False)
    assert followers.still(readers | member) == member


def test_a_run_that_is_deleted(world, opened):
    of_corpus = opened(world.client("viewer"), "corpus", world.corpus.pk)
    of_run = opened(world.client("viewer"), "run", world.run.pk)
    deletion.delete_run(world.run)
    assert followers.still({of_corpus, of_run}) == {of_corpus}


def test_files_that_are_to_be_added_are_read_by_those_of_their_corpus(world, opened):
    draft = world.corpus.additions.create(name="More", owner=world.corpus.owner)
    reader = opened(world.client("editor"), "corpus", draft.pk)
    assert followers.still({reader}) == {reader}
    Membership.objects.all().delete()
    assert followers.still({reader}) == set()


def test_files_that_are_to_be_added_to_what_is_public_are_not(world, opened):
    """Also where both are asked about at once."""
    draft = world.corpus.additions.create(name="More", owner=world.corpus.owner)
    sharing.publish(world.corpus, True)
    both = {Follower(draft.pk, None), Follower(world.corpus.pk, None)}
    assert followers.still(both) == {Follower(world.corpus.pk, None)}


def test_while_accounts_are_off_only_what_is_gone_ends(world, opened, settings):
    settings.ACCOUNTS = False
    readers = of_both(world, opened, Client())
    assert followers.still(readers) == readers
    deletion.delete_corpus(world.corpus)
    assert followers.still(readers) == set()


def test_a_thousand_readers_cost_four_queries(world, django_assert_num_queries):
    owner = world.users["owner"]
    readers = {
        Follower(world.corpus.pk, None, owner.pk if i % 2 else None, f"key{i}", "", (i,))
        for i in range(999)
    }
    with django_assert_num_queries(4):
        assert followers.still(readers | {Follower(None, world.run.pk)}) == set()


def test_the_stream_of_who_may_not_read_ends(monkeypatch):
    """And that of the others, of the same thing, goes on; where it can't be asked, all do."""
    may = {Follower(1, None, 1), Follower(1, None, 2)}
    calls = []

    async def still(readers):
        calls.append(len(readers))
        if len(calls) == 1:
            raise OSError("the database is away")
        return readers & may

    async def follow():
        first, second = (live.stream("corpus:1", Follower(1, None, user)) for user in (1, 2))
        assert b"open" in await anext(first) and b"open" in await anext(second)
        may.discard(Follower(1, None, 2))
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(anext(second), 5)
        live.hub.send("corpus:1", b"{}")
        assert await asyncio.wait_for(anext(first), 5) == b"data: {}\n\n"
        await first.aclose()
        assert not live.hub.who and not live.hub.readers and not live.hub.tasks

    monkeypatch.setattr(live, "RIGHTS_EVERY", 0.01)
    monkeypatch.setattr(live, "still_allowed", still)
    for part in ("read_events", "watch_workers"):  # of Redis, which has no part in this
        monkeypatch.setattr(live.Hub, part, lambda hub: asyncio.sleep(60))
    asyncio.run(follow())
    assert calls[:2] == [2, 2]


def test_an_entry_that_can_not_be_read_ends_nothing(monkeypatch):
    """What comes behind it is told to the pages that wait."""

    async def follow():
        stream = live.stream("corpus:1", Follower(1, None, None))
        assert b"open" in await anext(stream)
        await asyncio.wait_for(position_known.wait(), 10)
        odd_entry = events.client().xadd(events.STREAM, {"odd": "an entry without its fields"})
        events.publish("corpus:1", {"type": "progress"})
        while b"progress" not in (told := await asyncio.wait_for(anext(stream), 10)):
            assert b"workers" in told
        readers_of_redis = list(live.hub.tasks)
        await stream.aclose()
        await asyncio.gather(*readers_of_redis, return_exceptions=True)
        await asyncio.sleep(0.1)  # until their sockets are closed
        events.client().xdel(events.STREAM, odd_entry)  # other tests read this stream whole

    position_known = asyncio.Event()
    position = live.reading_position

    async def known(client, last):
        found = await position(client, last)
        position_known.set()
        return found

    async def allowed(readers):
        return readers

    monkeypatch.setattr(live, "reading_position", known)
    monkeypatch.setattr(live, "still_allowed", allowed)
    asyncio.run(follow())
