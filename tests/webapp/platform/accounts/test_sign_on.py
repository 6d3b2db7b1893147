"""Single sign-on against a real OpenID Connect provider (tests/openid_provider.py): who is let in,
which roles groups give and take, what is not believed, and signing out."""

import io
import json
import re
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from tests import openid_provider
from tests.waiting import until
from webapp.models import Corpus, GroupMember, SignOnGroup, User
from webapp.platform.accounts import authorization, sharing, sign_on_groups
from webapp.platform.accounts.provider import checked
from webapp.platform.accounts.roles import Person, Role, roles
from webapp.service.own_data import contents, leaving

pytestmark = pytest.mark.django_db
HOME = "http://testserver"
SITE = "https://topics.example.org"  # as its operator names it
CALLBACK = f"{HOME}/account/oidc/sso/login/callback/"
ANSWERS = 150  # seconds: far beyond what any answer of the provider takes
LAB = "urn:example:lab"


class Provider:
    """One that runs. claims: what it says of Eve, by "userinfo" and "id_token"."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.say()
        command = [sys.executable, "-m", "tests.openid_provider", str(folder), CALLBACK, SITE + "/"]
        self.process = subprocess.Popen(command)
        until(lambda: self.process.poll() is not None or (folder / "port").exists())
        assert self.process.poll() is None, "it did not start"
        self.url = f"http://127.0.0.1:{(folder / 'port').read_text()}"

    def say(self, userinfo: dict | None = None, id_token: dict | None = None) -> None:
        said = {"userinfo": userinfo or {}, "id_token": id_token or {}}
        (self.folder / "claims.json").write_text(json.dumps(said))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    started = Provider(tmp_path_factory.mktemp("provider"))
    yield started
    started.process.terminate()
    started.process.wait()


@pytest.fixture
def provider(running, settings):
    """As an operator sets it up, for whoever is invited."""
    running.say()
    settings.ACCOUNTS = True
    settings.SIGNUP = "open"
    settings.SITE = SITE
    settings.OIDC_GROUPS = "groups"
    settings.OIDC_CLIENT = openid_provider.CLIENT
    settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = ANSWERS
    settings.OIDC_SIGN_OUT = f"{running.url}/identity/o/logout"
    app = {
        "provider_id": "sso",
        "name": "the university",
        "client_id": openid_provider.CLIENT,
        "secret": openid_provider.SECRET,
        "settings": {"server_url": running.url, "scope": ["openid", "profile", "email"]},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
    }
    cache.clear()  # of rate limits
    return running


@pytest.fixture
def corpus() -> Corpus:
    owner = User.objects.create_user("ada@example.org", "Ada")
    return Corpus.objects.create(name="Letters", owner=owner)


def sign_in(client: Client, browser: requests.Session | None = None):
    """By the provider, as a browser does; the answer to its return. browser: where one is signed in
    there already."""
    browser = browser or requests.Session()
    begun = client.post("/account/oidc/sso/login/")
    assert begun.status_code == 302, begun.content.decode()
    answer = browser.get(begun["Location"])
    if "csrfmiddlewaretoken" in answer.text:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', answer.text)[1]
        form = {
            "csrfmiddlewaretoken": token,
            "login": openid_provider.EMAIL,
            "password": openid_provider.PASSWORD,
            "next": parse_qs(urlsplit(answer.url).query)["next"][0],
        }
        answer = browser.post(answer.url, form, allow_redirects=False)
        while not answer.headers["Location"].startswith(HOME):
            there = requests.compat.urljoin(answer.url, answer.headers["Location"])
            answer = browser.get(there, allow_redirects=False)
        back = answer.headers["Location"]
    else:
        raise AssertionError(f"no form to sign in: {answer.status_code} {answer.text[:500]}")
    return client.get(back.removeprefix(HOME))


def role_of_eve(corpus: Corpus) -> Role:
    eve = Person(User.objects.get(email=openid_provider.EMAIL).pk)
    return roles(Corpus.objects.filter(pk=corpus.pk), eve).get(corpus.pk, {}).get(eve, Role.NONE)


def test_a_group_gives_a_role_and_takes_it_at_the_next_sign_in(provider, corpus):
    sign_on_groups.share(corpus, LAB, "editor")
    provider.say({"groups": [LAB, "urn:example:staff"]})
    client = Client()
    assert sign_in(client).status_code == 302
    assert role_of_eve(corpus) == Role.EDITOR
    address = reverse("corpus_json", args=[corpus.pk])
    assert client.get(address).status_code == 200
    eve = User.objects.get(email=openid_provider.EMAIL)
    assert corpus in authorization.corpora_of(eve)
    assert sign_on_groups.of(eve) == [LAB, "urn:example:staff"]
    provider.say({"groups": ["urn:example:staff"]})
    sign_in(Client())  # in another browser: the first one loses the role, too
    assert role_of_eve(corpus) == Role.NONE
    assert client.get(address).status_code == 404
    provider.say()  # no claim at all
    sign_in(Client())
    assert sign_on_groups.of(eve) == []


def test_a_group_of_the_token_counts_as_well(provider, corpus, settings):
    settings.OIDC_GROUPS = "realm_access.roles"
    sign_on_groups.share(corpus, LAB, "viewer")
    provider.say(id_token={"realm_access": {"roles": [LAB]}})
    sign_in(Client())
    assert role_of_eve(corpus) == Role.VIEWER


def test_what_was_said_too_long_ago_gives_no_role(provider, corpus):
    """A session has ended by then; a token of the API has not."""
    sign_on_groups.share(corpus, LAB, "editor")
    provider.say({"groups": [LAB]})
    sign_in(Client())
    GroupMember.objects.update(seen_at=timezone.now() - timedelta(days=15))
    assert role_of_eve(corpus) == Role.NONE
    sign_on_groups.remove_old()
    assert not GroupMember.objects.exists() and SignOnGroup.objects.count() == 1


def test_a_group_makes_operators_and_unmakes_them(provider, settings):
    settings.OIDC_OPERATORS = "urn:example:operators"
    provider.say({"groups": ["urn:example:operators"]})
    sign_in(Client())
    eve = User.objects.get(email=openid_provider.EMAIL)
    assert eve.is_staff
    provider.say({"groups": []})
    sign_in(Client())
    eve.refresh_from_db()
    assert not eve.is_staff


def test_where_one_must_be_invited_a_group_may_be(provider, corpus, settings):
    settings.SIGNUP = "invite"
    provider.say({"groups": [LAB]})
    sign_in(Client())
    assert not User.objects.filter(email=openid_provider.EMAIL).exists()
    sign_on_groups.share(corpus, LAB, "viewer")
    sign_in(Client())
    assert role_of_eve(corpus) == Role.VIEWER


def test_a_hundred_thousand_groups(provider, corpus):
    """Those with which something is shared count, wherever they are."""
    sign_on_groups.share(corpus, LAB, "trainer")
    provider.say({"groups": [*(f"urn:example:group:{i}" for i in range(100_000)), LAB]})
    assert sign_in(Client()).status_code == 302
    assert role_of_eve(corpus) == Role.TRAINER
    assert SignOnGroup.objects.count() <= sign_on_groups.MOST_GROUPS
    account = SocialAccount.objects.get()
    assert len(json.dumps(account.extra_data)) < 100_000, "what is kept is bounded, too"


@pytest.mark.parametrize(
    "odd",
    [
        7,
        None,
        True,
        {"a": [LAB]},
        [[LAB]],
        [{"name": LAB}],
        [7, None, ""],
        ["x" * 256],
        [f"{LAB}\0"],
        [f"{LAB}\u202e"],
        [f"{LAB}\ud800"],
        LAB.upper(),
        f"{LAB},other",
    ],
)
def test_claims_of_other_types_give_nothing(odd, settings):
    settings.OIDC_GROUPS = "groups"
    kept = checked({"userinfo": {"sub": "1", "groups": odd}})
    assert LAB not in kept["groups"]
    json.dumps(kept).encode()


def test_one_name_is_a_list_of_one(settings):
    settings.OIDC_GROUPS = "https://example.org/claims/groups"
    claims = {"sub": "1", settings.OIDC_GROUPS: LAB}
    assert checked({"id_token": claims})["groups"] == [LAB]


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"userinfo": []},
        {"userinfo": ["sub"]},
        {"userinfo": {"name": "Eve"}},
        {"userinfo": {"sub": ""}},
        {"userinfo": {"sub": 7}},
        {"userinfo": {"sub": ["1"]}},
        {"userinfo": {"sub": "1" * 200}},
        {"userinfo": {"sub": "1\0"}},
        {"userinfo": {"sub": "1"}, "id_token": {"sub": "2"}},
        {"userinfo": {"sub": "1"}, "id_token": "not claims"},
    ],
)
def test_who_it_is_must_be_said(response):
    with pytest.raises(OAuth2Error):
        checked(response)


def test_another_person_than_that_of_the_token_is_not_signed_in(provider):
    provider.say({"sub": "somebody else"})
    client = Client()
    answer = sign_in(client)
    assert answer.status_code in (200, 401) and not SocialAccount.objects.exists()
    assert client.get(reverse("tokens")).status_code == 302


@pytest.mark.parametrize("verified", [False, "false", "true", 1, None, ["true"]])
def test_an_address_that_is_not_verified_is_nobodys(provider, corpus, settings, verified):
    """Somebody makes an account at the provider with the address of somebody else: they get neither
    the account that has it here nor what was shared with it."""
    settings.SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
    settings.SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
    EmailAddress.objects.create(
        user=corpus.owner, email="ada@example.org", verified=True, primary=True
    )
    sharing.add(corpus, "ben@example.org", "editor", corpus.owner)
    for email in ("ada@example.org", "ben@example.org"):
        provider.say({"email": email, "email_verified": verified})
        client = Client()
        assert sign_in(client).status_code in (200, 302)
        assert client.get(reverse("tokens")).status_code == 302, "not signed in"
    assert not SocialAccount.objects.filter(user=corpus.owner).exists()
    assert not corpus.memberships.exists() and corpus.invitations.exists()


def test_an_address_that_is_verified_is_the_same_persons_where_that_is_trusted(
    provider, corpus, settings
):
    settings.SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
    settings.SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
    EmailAddress.objects.create(
        user=corpus.owner, email="ada@example.org", verified=True, primary=True
    )
    provider.say({"email": "ada@example.org", "email_verified": True})
    sign_in(Client())
    assert SocialAccount.objects.get().user == corpus.owner
    assert mail.outbox, "and is told so"


@pytest.mark.parametrize("odd", [7, ["a"], {"a": 1}, None, "\0", "x" * 1000, "<b>\u202e"])
def test_names_of_other_types_stop_nobody(provider, odd):
    provider.say({"preferred_username": odd, "name": odd, "given_name": odd, "picture": odd})
    assert sign_in(Client()).status_code == 302
    assert User.objects.filter(email=openid_provider.EMAIL).exists()
    assert "picture" not in json.dumps(SocialAccount.objects.get().extra_data)


def test_signing_out_leads_to_where_one_signed_in(provider):
    client = Client()
    browser = requests.Session()
    sign_in(client, browser)
    answer = client.post(reverse("account_logout"))
    assert client.get(reverse("tokens")).status_code == 302, "signed out here"
    there = urlsplit(answer["Location"])
    assert f"{there.scheme}://{there.netloc}" == provider.url
    asked = browser.get(answer["Location"])
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', asked.text)[1]
    sent = {"csrfmiddlewaretoken": token, "action": "logout"}
    for name, values in parse_qs(there.query).items():
        sent[name] = values[0]
    done = browser.post(asked.url.partition("?")[0], sent, allow_redirects=False)
    assert done.headers["Location"] == f"{SITE}/", "and leads back"
    sign_in(Client(), browser)  # which asks for the password again


def test_who_signed_in_by_a_password_stays_here(provider, corpus):
    client = Client()
    client.force_login(corpus.owner)
    assert client.post(reverse("account_logout"))["Location"] == "/"


def test_the_owner_shares_with_a_group_on_the_page(provider, corpus):
    client = Client()
    client.force_login(corpus.owner)
    sign_on_groups.record(corpus.owner, ["<b>lab</b>"])
    address = reverse("corpus_sharing", args=[corpus.pk])
    page = client.get(address).content.decode()
    assert 'value="&lt;b&gt;lab&lt;/b&gt;"' in page, "the owner's own groups are proposed"
    client.post(address, {"act": "group", "group": f" {LAB} ", "role": "viewer"})
    client.post(address, {"act": "group", "group": LAB, "role": "editor"})
    role = corpus.group_roles.get()
    assert (role.group.name, role.role) == (LAB, "editor")
    assert LAB in client.get(address).content.decode()
    for wrong in ({"group": ""}, {"group": "x" * 300}, {"group": LAB, "role": "owner"}):
        sent = {"act": "group", "role": "viewer"} | wrong
        assert client.post(address, sent).status_code == 400
    client.post(address, {"act": "ungroup", "number": role.pk})
    assert not corpus.group_roles.exists()


def test_a_role_can_be_changed_where_there_is_no_room_for_more(corpus, settings, monkeypatch):
    settings.OIDC_GROUPS = "groups"
    monkeypatch.setattr(sign_on_groups, "MOST_OF_CORPUS", 1)
    sign_on_groups.share(corpus, LAB, "viewer")
    with pytest.raises(Invalid, match="which is the most"):
        sign_on_groups.share(corpus, "another", "viewer")
    sign_on_groups.share(corpus, LAB, "editor")
    assert corpus.group_roles.get().role == "editor"


def test_what_a_group_would_lose_is_named_and_ones_groups_are_ones_data(provider, corpus):
    sign_on_groups.share(corpus, LAB, "viewer")
    sign_on_groups.record(corpus.owner, [LAB])
    assert [(row.name, row.groups) for row in leaving.shared(corpus.owner)] == [("Letters", 1)]
    client = Client()
    client.force_login(corpus.owner)
    assert "1 group;" in client.get(reverse("leave")).content.decode()
    # Of the view itself test_own_data looks whose archive is sent, by a thread of its own
    archive = zipfile.ZipFile(io.BytesIO(b"".join(contents.archive(corpus.owner))))
    assert json.loads(archive.read("account.json"))["groups elsewhere"] == [LAB]
    assert LAB in archive.read("corpora.jsonl").decode()


def test_without_a_claim_there_are_no_groups(provider, corpus, settings):
    settings.OIDC_GROUPS = ""
    provider.say({"groups": [LAB]})
    sign_in(Client())
    assert not GroupMember.objects.exists()
    with pytest.raises(Invalid, match="No groups are known"):
        sign_on_groups.share(corpus, LAB, "viewer")
