"""Accounts: made from the machine, signed up for, signed in to; what a session and a password are
worth."""

import io
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import SignupClosedException
from allauth.mfa.totp.internal import auth as totp_auth
from allauth.socialaccount.internal.flows.signup import process_signup
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMultiAlternatives
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import CharField
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp.platform.accounts.test_access import matches
from webapp.core.curation import services as curation
from webapp.core.notebooks import services as notebooks
from webapp.models import Answer, Corpus, Invitation, Membership, User
from webapp.platform.accounts import (
    adapters as accounts_module,
    authorization,
    names,
    sharing,
    tokens,
)
from webapp.platform.routes import Kind
from webapp.service.operations import upkeep
from webapp.service.own_data import leaving

pytestmark = pytest.mark.django_db
PASSWORD = "hedgehogs in the fog"


@pytest.fixture(autouse=True)
def accounts(settings):
    settings.ACCOUNTS = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick
    cache.clear()  # of the rate limits of the test before
    yield
    cache.clear()


def account(email: str, name: str, monkeypatch, *options: str, password: str = PASSWORD) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(password + "\n"))
    out = io.StringIO()
    call_command("account", email, "--name", name, "--password-stdin", *options, stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def ada(monkeypatch) -> User:
    account("ada@example.org", "Ada", monkeypatch)
    return User.objects.get(name="Ada")


def sign_in(client: Client, email: str = "ada@example.org", password: str = PASSWORD, **more):
    return client.post(reverse("account_login"), {"login": email, "password": password} | more)


# From the machine
# ----------------------------------------------------------------------------------------------------


def test_the_local_owner_becomes_an_account_and_keeps_what_is_theirs(monkeypatch):
    corpus = Corpus.objects.create(name="Letters")
    book = notebooks.create("Mine", "owner")
    assert (
        account("Ada@Example.org", "Ada", monkeypatch, "--owner", "--operator")
        == "Ada <ada@example.org>, operator"
    )
    client = Client()
    assert sign_in(client).status_code == 302
    assert (
        client.get(reverse("corpus_json", args=[corpus.pk])).status_code
        == client.get(reverse("notebook", args=[book.pk])).status_code
        == 200
    )
    with pytest.raises(CommandError, match="ada@example.org"):
        account("eve@example.org", "Eve", monkeypatch, "--owner")


def test_accounts_that_cannot_be(monkeypatch, ada):
    for email, name, said in (
        ("no address", "Eve", "not an e-mail"),
        ("eve@example.org", "ada", "called ada"),
        ("eve@example.org", "a\u202eb", "letters"),
    ):
        with pytest.raises(CommandError, match=said):
            account(email, name, monkeypatch)
    with pytest.raises(CommandError, match="too short"):
        account("eve@example.org", "Eve", monkeypatch, password="short")
    assert not User.objects.exclude(pk=ada.pk).filter(local=False).exists()


def test_a_closed_account_is_signed_out(monkeypatch, ada):
    client = Client()
    sign_in(client)
    assert client.get(reverse("tokens")).status_code == 200
    call_command("account", "ada@example.org", "--close", stdout=io.StringIO())
    assert client.get(reverse("tokens")).status_code == 302
    sign_in(client)
    assert client.get(reverse("tokens")).status_code == 302


# Signing in
# ----------------------------------------------------------------------------------------------------------


def test_a_session_is_another_one_after_signing_in(ada):
    """What somebody planted before does not come in with its victim."""
    client = Client()
    session = client.session
    session[authorization.LINKS] = [1]
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = before
    assert sign_in(client, next="/notebooks/")["Location"] == "/notebooks/"
    assert client.cookies["sessionid"].value != before and client.session[authorization.LINKS] == [
        1
    ]
    planted = Client()
    planted.cookies["sessionid"] = before
    assert planted.get(reverse("tokens")).status_code == 302


def test_another_password_ends_all_other_sessions(ada):
    here = Client()
    there = Client()
    sign_in(here)
    sign_in(there)
    new = "foxes under the moon"
    answer = here.post(
        reverse("account_change_password"),
        {"oldpassword": PASSWORD, "password1": new, "password2": new},
    )
    assert answer.status_code == 302
    assert (
        here.get(reverse("tokens")).status_code == 200
        and there.get(reverse("tokens")).status_code == 302
    )
    assert any("ada@example.org" in letter.to for letter in mail.outbox), "its owner hears of it"


def test_another_address_needs_the_password_again(ada):
    """Or whoever finds a page open gives the account an address of their own, and has a password
    sent there."""
    client = Client()
    sign_in(client)
    form = {"action_add": "", "email": "eve@example.org"}
    answer = client.post(reverse("account_email"), form)
    assert (
        answer.status_code == 302
        and answer["Location"].startswith(reverse("account_reauthenticate"))
        and not mail.outbox
    )
    assert not EmailAddress.objects.filter(email="eve@example.org").exists()
    client.post(answer["Location"], {"password": PASSWORD})
    client.post(reverse("account_email"), form)
    assert EmailAddress.objects.filter(email="eve@example.org", user=ada).exists()


def test_signing_out_ends_the_session_on_the_server(ada):
    client = Client()
    sign_in(client)
    key = client.cookies["sessionid"].value
    client.post(reverse("account_logout"))
    again = Client()
    again.cookies["sessionid"] = key
    assert again.get(reverse("tokens")).status_code == 302


def test_guessing_is_slowed_down_for_all_web_processes(ada):
    """Five wrong passwords, and the right one waits; counted in the shared cache, not in this
    process."""
    for _ in range(5):
        assert sign_in(Client(), password="wrong").status_code == 200
    refused = sign_in(Client())
    assert refused.status_code == 200 and b"Too many failed" in refused.content
    assert type(cache).__name__ and "redis" in str(cache._connections["default"].__class__).lower()


def test_signing_in_says_no_more_than_that_it_failed(ada):
    wrong = sign_in(Client(), password="wrong")
    nobody = sign_in(Client(), email="nobody@example.org")
    said = [
        re.search(r'class="errorlist[^>]*>.*?</ul>', answer.content.decode(), re.S)[0]
        for answer in (wrong, nobody)
    ]
    assert said[0] == said[1]


def test_where_one_is_led_is_here(ada):
    assert sign_in(Client(), next="https://evil.example/")["Location"] == "/"
    assert sign_in(Client(), next="//evil.example/")["Location"] == "/"


def test_sessions_that_expired_are_cleared(ada):
    client = Client()
    sign_in(client)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    upkeep.tidy()
    assert not Session.objects.exists()


# Signing up
# ----------------------------------------------------------------------------------------------------------

FORM = {"email": "eve@example.org", "username": "Eve", "password1": PASSWORD, "password2": PASSWORD}


def test_closed_unless_the_operator_opens_it():
    answer = Client().post(reverse("account_signup"), FORM)
    assert answer.status_code == 200 and not User.objects.filter(name="Eve").exists()


def test_an_address_is_verified_before_it_is_worth_anything(settings, ada):
    settings.SIGNUP = "open"
    corpus = Corpus.objects.create(name="Letters", owner=ada)
    assert isinstance(sharing.add(corpus, "Eve@example.org", "editor", ada)[0], Invitation)
    client = Client()
    assert client.post(reverse("account_signup"), FORM)["Location"] == reverse(
        "account_email_verification_sent"
    )
    assert client.get(reverse("tokens")).status_code == 302 and not Membership.objects.exists()
    link = re.search(r"https?://[^/]+(/account/confirm-email/\S+)", mail.outbox[-1].body)[1]
    assert client.get(link).status_code == 200
    client.post(link)
    assert EmailAddress.objects.get(email="eve@example.org").verified
    assert (
        Membership.objects.get(corpus=corpus, user__name="Eve").role == "editor"
        and not Invitation.objects.exists()
    )
    sign_in(client, "eve@example.org")
    assert client.get(reverse("corpus_json", args=[corpus.pk])).status_code == 200


def test_only_the_invited_where_one_must_be(settings, ada):
    settings.SIGNUP = "invite"
    answer = Client().post(reverse("account_signup"), FORM)
    assert answer.status_code == 200 and b"Nothing is shared with this address" in answer.content
    sharing.add(Corpus.objects.create(name="Letters", owner=ada), "eve@example.org", "viewer", ada)
    assert Client().post(reverse("account_signup"), FORM).status_code == 302


@pytest.mark.parametrize(
    ("signup", "known"), [("closed", False), ("invite", False), ("open", True)]
)
def test_who_signs_in_elsewhere_must_be_invited_too(settings, ada, signup, known):
    """Its page asks for no form that could refuse the address."""
    settings.SIGNUP = signup

    def arrive():
        user = User(name="Eve", email="eve@example.org")
        login = SocialLogin(
            user=user,
            account=SocialAccount(provider="sso", uid="1"),
            email_addresses=[EmailAddress(email=user.email, verified=True)],
        )
        request = Client().get(reverse("account_login")).wsgi_request
        with context.request_context(request):
            process_signup(request, login)

    if not known:
        with pytest.raises(SignupClosedException):
            arrive()
        assert not User.objects.filter(email="eve@example.org").exists()
    if signup == "invite":
        sharing.add(
            Corpus.objects.create(name="Letters", owner=ada), "eve@example.org", "viewer", ada
        )
    if signup != "closed":
        arrive()
        assert User.objects.filter(email="eve@example.org").exists()


@pytest.mark.parametrize("name", ["owner", "ADA", "a\u202eb", "<b>", " ", "x" * 61])
def test_nobody_is_called_what_may_be_taken_for_another(settings, ada, name):
    settings.SIGNUP = "open"
    assert Client().post(reverse("account_signup"), FORM | {"username": name}).status_code == 200
    assert User.objects.filter(local=False).count() == 1


@pytest.fixture
def gone(trained) -> str:
    """The name of somebody who labelled a topic and judged passages, and whose account is gone."""
    eve = User.objects.create_user("first-eve@example.org", "Eve", PASSWORD)
    curation.change(trained, 0, {"label": "Harvests"}, eve.name)
    Answer.objects.create(
        run=trained, reader=eve.name, kind="words", topic=0, seed=0, payload={"chosen": 1}
    )
    leaving.leave(eve)
    leaving.remove_left()
    assert not User.objects.filter(name="Eve").exists()
    return eve.name


@pytest.mark.parametrize("name", ["Eve", "eVe"])
def test_nobody_takes_the_name_of_a_deleted_account_that_said_something(settings, gone, name):
    """Its answers and labels are found by its name, in corpora that both see."""
    settings.SIGNUP = "open"
    refused = Client().post(reverse("account_signup"), FORM | {"username": name})
    assert refused.status_code == 200
    assert "signed with this name" in refused.content.decode()
    assert not User.objects.filter(name__iexact=gone).exists()
    assert (
        Client().post(reverse("account_signup"), FORM | {"username": "Eve B."}).status_code == 302
    )


def test_all_fields_that_hold_the_name_of_who_said_something_are_looked_at():
    longest = User._meta.get_field("name").max_length
    signed = set()
    for model in apps.get_app_config("webapp").get_models():
        for field in model._meta.get_fields():
            is_name = isinstance(field, CharField) and field.max_length == longest
            if is_name and field.name in ("by", "reader", "undone_by"):
                signed.add((model, field.name))
    assert signed == set(names.SIGNED)


def test_who_signs_in_elsewhere_gets_another_name_than_one_that_is_gone(settings, gone):
    settings.SIGNUP = "open"
    login = SocialLogin(
        user=User(name="Eve", email="eve@example.org"),
        account=SocialAccount(provider="sso", uid="1"),
        email_addresses=[EmailAddress(email="eve@example.org", verified=True)],
    )
    request = Client().get(reverse("account_login")).wsgi_request
    with context.request_context(request):
        process_signup(request, login)
    name = User.objects.get(email="eve@example.org").name
    assert name.startswith("eve") and name.casefold() != gone.casefold()


def test_the_operator_says_whether_a_name_is_the_same_persons(monkeypatch, gone):
    with pytest.raises(CommandError, match="--same-person"):
        account("eve@example.org", "Eve", monkeypatch)
    assert not User.objects.filter(name="Eve").exists()
    assert account("eve@example.org", "Eve", monkeypatch, "--same-person").startswith("Eve <")


def test_the_local_owner_may_be_called_what_they_signed_with(
    monkeypatch, client, settings, trained
):
    """While accounts are off, whoever is at the machine says what they are called."""
    settings.ACCOUNTS = False
    client.post(reverse("reader"), {"name": "Ada"})
    topic = reverse("topic_edit", args=[trained.pk, 0])
    assert client.post(topic, {"label": "Harvests"}).status_code == 302
    settings.ACCOUNTS = True
    assert names.is_signed("Ada")
    assert account("ada@example.org", "Ada", monkeypatch, "--owner").startswith("Ada <")


def test_nobody_is_called_as_a_student_of_a_class(settings, ada):
    settings.SIGNUP = "open"
    refused = Client().post(reverse("account_signup"), FORM | {"username": "student 3-1"})
    assert refused.status_code == 200 and "Students of a class" in refused.content.decode()


def test_who_has_an_account_is_not_told(settings, ada):
    """Neither by signing up with their address nor by asking for another password."""
    settings.SIGNUP = "open"
    known = Client().post(reverse("account_signup"), FORM | {"email": "ada@example.org"})
    assert known["Location"] == Client().post(reverse("account_signup"), FORM)["Location"]
    reset = [
        Client().post(reverse("account_reset_password"), {"email": e})
        for e in ("ada@example.org", "nobody@example.org")
    ]
    assert reset[0]["Location"] == reset[1]["Location"]


def test_a_forgotten_password(ada):
    client = Client()
    new = "foxes under the moon"
    client.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    link = re.search(r"https?://[^/]+(/account/password/reset/key/\S+)", mail.outbox[-1].body)[1]
    form = client.get(link, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": new, "password2": new})
    assert sign_in(Client(), password=new).status_code == 302
    assert (
        b"password1" in form.content and b"password1" not in Client().get(link, follow=True).content
    ), "once"


# Pages
# ---------------------------------------------------------------------------------------------------------------


def test_every_page_of_the_library_answers_in_our_look(ada):
    """Those without a key in their address: signed in, and not. None holds a script or a style of
    its own."""
    signed = Client()
    looked = 0
    sign_in(signed)
    for client in (signed, Client()):
        for name, route, pattern in matches():
            if (
                pattern.callback.route.kind != Kind.INCLUDED
                or route.startswith("api/")
                or "<" in route
            ):
                continue
            answer = client.get(reverse(name))
            assert answer.status_code in (200, 302, 401, 404, 405), name
            if answer.status_code == 200:
                looked += 1
                html = answer.content.decode()
                assert (
                    'class="masthead"' in html and " style=" not in html and "onclick" not in html
                ), name
                for script in re.findall(r"<script[^>]*>", html):
                    assert "src=" in script or "application/json" in script, (name, script)
    assert looked >= 12


# What ends with a password
# -------------------------------------------------------------------------------------------


def test_another_password_revokes_tokens_and_says_which(ada):
    laptop = tokens.create("laptop", ada)[1]
    cluster = tokens.create("the cluster", ada)[1]
    client = Client()
    new = "foxes under the moon"
    sign_in(client)
    html = client.get(reverse("account_change_password")).content.decode()
    assert "“the cluster”, “laptop”" in html and re.search(r'name="tokens"[^>]*checked', html)
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post(reverse("account_change_password"), form)
    assert tokens.find(laptop) and tokens.find(cluster), "who takes the tick away keeps them"
    client.post(
        reverse("account_change_password"),
        {"oldpassword": new, "password1": PASSWORD, "password2": PASSWORD, "tokens": "on"},
    )
    assert not tokens.find(laptop) and not tokens.find(cluster)
    assert 'name="tokens"' not in client.get(reverse("account_change_password")).content.decode()


def test_a_password_that_was_forgotten_ends_sessions_and_tokens(ada):
    secret = tokens.create("laptop", ada)[1]
    there = Client()
    here = Client()
    new = "foxes under the moon"
    sign_in(there)
    here.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    link = re.search(r"https?://[^/]+(/account/password/reset/key/\S+)", mail.outbox[-1].body)[1]
    form = here.get(link, follow=True)
    assert "“laptop”" in form.content.decode()
    here.post(form.request["PATH_INFO"], {"password1": new, "password2": new, "tokens": "on"})
    assert not tokens.find(secret) and there.get(reverse("tokens")).status_code == 302


@pytest.mark.parametrize("how", ["--close", "--password-stdin"])
def test_the_operator_ends_sessions_and_tokens(monkeypatch, ada, how):
    eve = User.objects.create_user("eve@example.org", "Eve")
    secret = tokens.create("laptop", ada)[1]
    hers = tokens.create("hers", eve)[1]
    client = Client()
    other = Client()
    out = io.StringIO()
    sign_in(client)
    other.force_login(eve)
    monkeypatch.setattr("sys.stdin", io.StringIO("foxes under the moon\n"))
    call_command("account", "ada@example.org", how, stdout=out)
    assert "laptop" in out.getvalue() and not tokens.find(secret) and tokens.find(hers)
    call_command("account", "ada@example.org", "--open", stdout=io.StringIO())
    assert client.get(reverse("tokens")).status_code == 302, (
        "nothing goes on where it is opened again"
    )
    assert not tokens.find(secret) and other.get(reverse("tokens")).status_code == 200


# The Host header
# -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["topics.example.org:6666", "evil.topics.example.org", "evil.topics.example.org:80"]
)
def test_a_forged_host_gets_into_no_letter(settings, ada, host):
    """Not into one about another password, an address, or an account that there is already."""
    settings.ALLOWED_HOSTS = [".topics.example.org"]
    settings.SITE = "https://topics.example.org"
    settings.SIGNUP = "open"
    client = Client(headers={"Host": host})
    client.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    client.post(reverse("account_signup"), FORM)
    client.post(
        reverse("account_signup"), FORM | {"email": "ada@example.org", "username": "Somebody"}
    )
    sign_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("account_email"), {"action_add": "", "email": "new@example.org"})
    assert len(mail.outbox) >= 4
    for letter in mail.outbox:
        whole = letter.message().as_string()
        assert (
            "evil" not in whole and ":6666" not in whole and "://topics.example.org:80" not in whole
        ), letter.subject
    assert sum("https://topics.example.org/account/" in letter.body for letter in mail.outbox) >= 4


def test_guessing_is_not_begun_anew_under_another_host(settings, ada):
    settings.ALLOWED_HOSTS = [".topics.example.org"]
    for i in range(5):
        sign_in(Client(headers={"Host": f"topics.example.org:{6000 + i}"}), password="wrong")
    assert b"Too many failed" in sign_in(Client(headers={"Host": "a.topics.example.org"})).content


# How long it takes
# ---------------------------------------------------------------------------------------------------


def test_nobody_waits_for_a_letter(settings, ada, monkeypatch):
    """Or the time that it takes tells whether there is an account. A letter that can't be sent
    breaks nothing."""
    settings.MAIL = True
    go = threading.Event()
    sent = []

    def send(letter):
        assert go.wait(30)
        sent.append(letter.to)
        raise OSError("the mail server is away")

    monkeypatch.setattr(EmailMultiAlternatives, "send", send)
    monkeypatch.setattr(accounts_module, "letter_senders", ThreadPoolExecutor(1))
    answer = Client().post(reverse("account_reset_password"), {"email": "ada@example.org"})
    assert answer.status_code == 302 and not sent
    go.set()
    accounts_module.letter_senders.shutdown()  # waits for it
    assert sent == [["ada@example.org"]]


def test_signing_up_again_hashes_a_password_as_signing_up_does(settings, ada, monkeypatch):
    settings.SIGNUP = "open"
    hashed = []
    monkeypatch.setattr(accounts_module, "make_password", hashed.append)
    Client().post(
        reverse("account_signup"), FORM | {"email": "ada@example.org", "username": "Somebody"}
    )
    assert len(hashed) == 1 and len(hashed[0]) > 20
    Client().post(reverse("account_signup"), FORM)
    assert len(hashed) == 1 and User.objects.get(name="Eve").has_usable_password()


def test_a_first_account_is_made_before_there_are_tables(monkeypatch):
    """The command makes them where nobody has started anything yet."""
    prepared = []
    monkeypatch.setattr("webapp.management.base.servers.ours", True)
    monkeypatch.setattr(
        "webapp.management.base.migrations.bring_up_to_date",
        lambda env: prepared.append(User.objects.filter(name="Ada").exists()),
    )
    account("ada@example.org", "Ada", monkeypatch)
    assert prepared == [False]


def test_a_key_is_offered_to_those_who_have_one(ada):
    """And a code of an app to those who have it."""
    secret = totp_auth.generate_totp_secret()
    totp_auth.TOTP.activate(ada, secret)
    client = Client()
    assert sign_in(client)["Location"] == reverse("mfa_authenticate")
    html = client.get(reverse("mfa_authenticate")).content.decode()
    assert "Use a security key" not in html and 'name="code"' in html and "mfa_webauthn" not in html
    assert client.get(reverse("tokens")).status_code == 302, "half of the way is none"
    code = totp_auth.format_hotp_value(
        totp_auth.hotp_value(secret, next(totp_auth.yield_hotp_counters_from_time()))
    )
    assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 302
    assert client.get(reverse("tokens")).status_code == 200
    again = Client()
    sign_in(again)
    assert again.post(reverse("mfa_authenticate"), {"code": code}).status_code == 200, (
        "a code counts once"
    )
