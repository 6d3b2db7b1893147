"""A corpus that goes to another owner, and letters to those with whom one is shared."""

import io
import smtplib

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp.platform.accounts.test_access import World
from webapp.models import Corpus, Membership, SourceFile, User
from webapp.platform.accounts import emails, ownership, quotas, sharing
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(settings):
    settings.ACCOUNTS = True
    settings.MAIL = True
    settings.SITE = "https://topics.example.org"
    cache.clear()
    return World()


def share(world, **sent):
    return (
        world.client("owner").post(world.url("corpus_sharing"), sent, follow=True).content.decode()
    )


def take(world, who: str, act: str = "take") -> int:
    return world.client(who).post(world.url("corpus_owner"), {"act": act}).status_code


def owner(world) -> str:
    world.corpus.refresh_from_db()
    return world.corpus.owner.name


# Handing over
# --------------------------------------------------------------------------------------------------------


def test_an_owner_offers_and_a_member_takes(world):
    draft = Corpus.objects.create(name="More", owner=world.users["owner"], added_to=world.corpus)
    assert "viewer" in share(world, act="offer", user=world.users["viewer"].pk)
    assert owner(world) == "the owner", "it stays until it is taken"
    client = world.client("viewer")
    assert (
        "wants to hand this corpus over to you" in client.get(world.url("corpus")).content.decode()
    )
    assert 'value="take">Accept' in client.get(world.url("corpus_owner")).content.decode()
    assert take(world, "viewer") == 302 and owner(world) == "viewer"
    draft.refresh_from_db()
    assert draft.owner.name == "viewer" and not world.corpus.offered_to
    roles = dict(world.corpus.memberships.values_list("user__name", "role"))
    assert roles == {"the owner": "editor", "editor": "editor", "trainer": "trainer"}
    assert world.client("owner").get(world.url("corpus_sharing")).status_code == 403
    assert (
        client.get(world.url("corpus_sharing")).status_code == 200 and take(world, "viewer") == 404
    )


@pytest.mark.parametrize("who", ["stranger", "link", "editor", "owner"])
def test_nobody_else_takes_it(world, who):
    ownership.offer(world.corpus, world.users["viewer"].pk)
    assert world.client(who).get(world.url("corpus_owner")).status_code in (403, 404)
    assert take(world, who) in (403, 404) and owner(world) == "the owner"
    assert Corpus.objects.get(pk=world.corpus.pk).offered_to.name == "viewer"


def test_only_the_owner_offers_and_only_to_members(world):
    for who in ("viewer", "editor", "stranger"):
        answer = world.client(who).post(
            world.url("corpus_sharing"), {"act": "offer", "user": world.users["editor"].pk}
        )
        assert answer.status_code in (403, 404)
    assert "Share it first" in share(world, act="offer", user=world.users["stranger"].pk)
    User.objects.filter(name="editor").update(is_active=False)
    assert "Share it first" in share(world, act="offer", user=world.users["editor"].pk)
    assert not Corpus.objects.get(pk=world.corpus.pk).offered_to


@pytest.mark.parametrize("ends", ["decline", "keep", "remove"])
def test_an_offer_that_ended_is_not_taken(world, ends):
    share(world, act="offer", user=world.users["viewer"].pk)
    if ends == "decline":
        assert take(world, "viewer", "decline") == 302
    else:
        share(world, act=ends, user=world.users["viewer"].pk)
    assert take(world, "viewer") == 404 and owner(world) == "the owner"


@pytest.mark.parametrize(
    ("most", "has", "said"),
    [("most_bytes", {"bytes": 600}, "600 B"), ("most_documents", {"documents": 600}, "600")],
)
def test_the_new_owners_quota_is_kept(world, most, has, said):
    User.objects.filter(name="viewer").update(**{most: 1000})
    for corpus in (world.corpus, Corpus.objects.create(name="Own", owner=world.users["viewer"])):
        if "bytes" in has:
            SourceFile.objects.create(
                corpus=corpus, position=0, name="a", path="a", bytes=600, sha256=""
            )
        else:
            Corpus.objects.filter(pk=corpus.pk).update(documents_read=600)
    ownership.offer(world.corpus, world.users["viewer"].pk)
    answer = world.client("viewer").post(world.url("corpus_owner"), {"act": "take"})
    assert (
        answer.status_code == 400
        and said in answer.content.decode()
        and owner(world) == "the owner"
    )
    User.objects.filter(name="viewer").update(**{most: 1200})
    assert take(world, "viewer") == 302 and owner(world) == "viewer"
    assert quotas.used(world.users["viewer"])["bytes" if "bytes" in has else "documents"] == 1200


def test_the_operator_moves_all_of_who_leaves(world):
    bin_ = Corpus.objects.create(name="In the bin", owner=world.users["owner"])
    deletion.delete_corpus(bin_)
    out = io.StringIO()
    User.objects.filter(name="viewer").update(most_documents=5)
    Corpus.objects.filter(pk=world.corpus.pk).update(documents_read=6)
    with pytest.raises(CommandError, match="Nothing was handed over"):
        call_command(
            "account", "theowner@example.org", "--hand-over", "viewer@example.org", stdout=out
        )
    User.objects.filter(name="viewer").update(most_documents=6)
    call_command(
        "account",
        "theowner@example.org",
        "--close",
        "--hand-over",
        "viewer@example.org",
        stdout=out,
    )
    assert "“Letters”" in out.getvalue() and "“In the bin”" in out.getvalue()
    assert set(Corpus.everything.filter(owner__name="viewer").values_list("name", flat=True)) == {
        "Letters",
        "In the bin",
    }
    assert not Membership.objects.filter(user__name="viewer", corpus=world.corpus).exists()
    with pytest.raises(CommandError, match="must have one"):
        call_command(
            "account", "viewer@example.org", "--hand-over", "nobody@example.org", stdout=out
        )


# Letters
# -------------------------------------------------------------------------------------------------------------


def test_who_is_shared_with_gets_a_letter_once(world):
    Corpus.objects.filter(pk=world.corpus.pk).update(name="Letters\r\nBcc: eve@example.org")
    html = share(world, act="add", who="stranger", role="viewer")
    assert "Shared with stranger. We sent them an e-mail." in html
    (letter,) = mail.outbox
    assert (
        letter.to == ["stranger@example.org"]
        and letter.subject == "Topograph: “Letters Bcc: eve@example.org” is shared with you"
    )
    assert (
        f"https://topics.example.org{world.url('corpus')}" in letter.body
        and "read it" in letter.body
        and not letter.bcc
    )
    share(world, act="add", who="stranger", role="editor")
    assert len(mail.outbox) == 1, "another role is no news"
    share(world, act="add", who="new@example.org", role="editor")
    assert "Sign in with this address" in mail.outbox[1].body and mail.outbox[1].to == [
        "new@example.org"
    ]
    share(world, act="offer", user=world.users["viewer"].pk)
    assert world.url("corpus_owner") in mail.outbox[2].body


@pytest.mark.parametrize("role", Membership.Role.values)
def test_the_letter_says_what_each_role_may(world, role):
    html = share(world, act="add", who="new@example.org", role=role)
    offer = emails.offered(world.corpus, world.users[role], role, world.users["owner"])
    assert (
        "Shared with new@example.org. We sent them an e-mail." in html
        and offer == "We sent them an e-mail."
    )
    assert f"You may {emails.MAY[role]}." in mail.outbox[0].body
    assert f"You may {emails.MAY[role]} already." in mail.outbox[1].body


def test_where_no_mail_is_set_up_the_page_says_so(world, settings):
    settings.MAIL = False
    html = share(world, act="add", who="stranger", role="viewer")
    assert (
        "No e-mail was sent, because e-mail is not set up here" in html
        and "No e-mail is sent" in html
        and not mail.outbox
    )


def test_a_letter_that_cannot_be_sent_ends_nothing(world, monkeypatch):
    def send(self):
        raise smtplib.SMTPServerDisconnected("away")

    monkeypatch.setattr(EmailMessage, "send", send)
    html = share(world, act="add", who="stranger", role="viewer")
    assert (
        "could not be sent" in html
        and world.client("stranger").get(world.url("corpus_json")).status_code == 200
    )


def test_nobody_sends_letters_without_end(world, monkeypatch):
    monkeypatch.setattr(emails, "A_DAY", 2)
    for i in range(4):
        html = share(world, act="add", who=f"new{i}@example.org", role="viewer")
    assert len(mail.outbox) == 2 and "you have sent 2 within a day" in html
    assert world.corpus.invitations.count() == 4
    assert "We sent them" in emails.shared(
        world.corpus, "x@example.org", "viewer", world.users["editor"], False
    ), "each has their own number"


def test_a_role_can_be_changed_where_there_is_no_room_for_more(world, monkeypatch):
    owner = world.users["owner"]
    sharing.add(world.corpus, "new@example.org", "viewer", owner)
    people = world.corpus.memberships.count() + world.corpus.invitations.count()
    monkeypatch.setattr(sharing, "MOST_PEOPLE", people)
    for who in ("another@example.org", "stranger"):
        with pytest.raises(Invalid, match="which is the most"):
            sharing.add(world.corpus, who, "viewer", owner)
    sharing.add(world.corpus, "new@example.org", "editor", owner)
    sharing.add(world.corpus, "viewer", "editor", owner)
    assert world.corpus.invitations.get().role == "editor"
    assert world.corpus.memberships.get(user=world.users["viewer"]).role == "editor"


def test_what_is_withdrawn_is_not_anybodys(world):
    """An invitation counts for who shows that the address is theirs, once, and not after it was
    withdrawn."""
    added = sharing.add(world.corpus, "new@example.org", "viewer", world.users["owner"])[0]
    share(world, act="withdraw", invitation=added.pk)
    new = User.objects.create_user("new@example.org", "New")
    sharing.arrived(new, "new@example.org")
    client = Client()
    client.force_login(new)
    assert client.get(reverse("corpus_json", args=[world.corpus.pk])).status_code == 404
