"""Every address there is, tried by everybody: who may do what, and that nobody else may.

The expectation is written here a second time, by hand and for people (`ROLES`), and compared with
what the whole stack answers. An address that is in neither list fails.
"""

import ast
import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import ResolverMatch, URLPattern, get_resolver, resolve, reverse
from django.urls.resolvers import RoutePattern
from django.utils import timezone

from inference.errors import Invalid
from tests import addresses
from webapp.core.notebooks import services as notebooks
from webapp.intake.ingest import uploads
from webapp.models import Corpus, Link, Membership, Notebook, Run, User
from webapp.platform import routes
from webapp.platform.accounts import (
    access_rules,
    admission,
    authorization,
    followers,
    sharing,
    tokens,
)
from webapp.platform.accounts.roles import Role
from webapp.platform.local import start
from webapp.platform.routes import Kind
from webapp.platform.server.loopback_only import loopback_only
from webapp.service.api import api
from webapp.service.codebook import concepts
from webapp.service.corpora import deletion
from webapp.service.courses import services as courses

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[4]

# Who may: each word, and what is written before it. The rest is refused.
EVERYBODY = [
    "anonymous",
    "expired",
    "revoked",
    "stranger",
    "link",
    "viewer",
    "trainer",
    "editor",
    "owner",
]
MEMBERS = ["viewer", "trainer", "editor", "owner"]
ROLES = {  # what is done -> who may, of a corpus that is not public
    "see": ["link", *MEMBERS],
    "answer": MEMBERS,
    "train": ["trainer", "editor", "owner"],
    "edit": ["editor", "owner"],
    "own": ["owner"],
    "anyone": EVERYBODY,
    "user": ["stranger", *MEMBERS],
    "mine": ["owner"],  # a notebook or a token, which is the owner's here
    "operate": [],  # staff: below
    "nobody": [],
}
GET = {
    "anyone": [
        "healthz",
        "readyz",
        "metrics",
        "home",
        "glossary",
        "lesson",
        "compare",
        "compare_measures",
        "compare_measures_csv",
        "compare_topics_csv",
        "shared",
        "share",
        "api_reference",
        "api_pages",
        "code",
        "join",
        "come_back",
        "embed",  # what its view shows: tests/webapp/service/embedding
        "oembed",
    ],
    "user": [
        "deleted",
        "notebooks",
        "simulate",
        "tokens",
        "account",
        "courses",
        "class",
        "own_data",
        "leave",
    ],
    "mine": [
        "notebook",
        "notebook_md",
        "notebook_docx",
        "notebook_bib",
        "notebook_html",
        "course",
        "course_zip",
    ],
    "see": [
        "corpus",
        "corpus_events",
        "corpus_report",
        "corpus_documents",
        "corpus_document",
        "corpus_passage",
        "corpus_whole",
        "corpus_files",
        "corpus_problems",
        "corpus_vocabulary",
        "corpus_languages",
        "run",
        "run_events",
        "run_forming",
        "run_overview",
        "run_topics",
        "run_topic",
        "run_topic_words",
        "run_topic_word",
        "run_topic_times",
        "run_topic_times_csv",
        "run_how_many",
        "run_how_many_csv",
        "run_curation",
        "run_documents",
        "run_document",
        "run_passage",
        "run_whole",
        "document_word",
        "run_time",
        "run_time_table",
        "run_time_compare",
        "run_compare_csv",
        "run_topic_split",
        "run_keyness",
        "run_keyness_csv",
        "run_effects",
        "run_effects_csv",
        "run_claim",
        "run_collocations",
        "run_collocations_csv",
        "run_network",
        "run_pattern",
        "run_time_csv",
        "run_words",
        "run_word",
        "run_compare_words",
        "run_embed",
        "run_picture",
        "run_take",
        "run_methods",
        "run_bib",
        "export",
        "export_kept",
        "run_reading_results",
        "run_try",
        "run_truth",
        "run_codebook",
        "concept",
        "concept_estimates",
        "concept_estimates_csv",
    ],
    "answer": [
        "corpus_owner",
        "corpus_subset",
        "run_deposit",
        "run_reading",
        "reading_passages",
        "reading_words",
        "reading_topics",
    ],
    "edit": [
        "corpus_prepare",
        "corpus_words",
        "corpus_phrases",
        "run_without",
        "run_carry",
        "run_deleted",
        "run_steer",
        "concept_agreement",
        "concept_codes",
    ],
    "own": [
        "corpus_sharing",
        "corpus_deleted",
        "corpus_readings",
        "corpus_readings_csv",
        "corpus_erase",
        "corpus_pseudonyms",
    ],
    "operate": ["operator"],
    "nobody": ["reader"],
}
POST = {
    "anyone": ["compare_again", "code", "join", "come_back"],
    "user": [
        "corpora",
        "example",
        "simulate",
        "uploads",
        "upload",
        "notebook_new",
        "notebook_findings",
        "pin",
        "pin_finding",
        "tokens",
        "courses",
        "class",
        "leave",
    ],
    "mine": ["notebook_change", "notebook_pin", "token_revoke", "course"],
    "see": ["run_try", "topics_ticked"],
    "answer": [
        "corpus_owner",
        "corpus_subset",
        "run_deposit",
        "export_make",
        "export_again",
        "export_delete",
        "reading_passages_answer",
        "reading_words_answer",
        "reading_topics_answer",
        "concept_join",
    ],
    "train": ["corpus_runs", "corpus_runs_several"],
    "edit": [
        "corpus_prepare",
        "corpus_words",
        "corpus_phrases",
        "corpus_add",
        "corpus_retry",
        "corpus_unit",
        "corpus_languages_train",
        "run_stop",
        "run_cancel",
        "run_again",
        "run_variants",
        "run_seeds",
        "run_how_many_train",
        "run_continue",
        "run_delete",
        "run_bring_back",
        "topic_edit",
        "edit_undo",
        "edit_redo",
        "edits_undo",
        "curation_table",
        "run_without_train",
        "run_carry_over",
        "topics_edit",
        "run_steer_train",
        "concept_new",
        "concept_change",
    ],
    "own": [
        "corpus_embargo",
        "corpus_delete",
        "corpus_sharing",
        "corpus_readings_keep",
        "corpus_erase",
        "corpus_pseudonyms",
        "corpus_again",
        "corpus_bring_back",
        "corpus_for_good",
        "run_for_good",
    ],
    "operate": ["operator_stop", "operator_again"],
    "nobody": ["reader"],
}


# The addresses
# -------------------------------------------------------------------------------------------------------


def matches() -> list[tuple[str, str, URLPattern]]:
    """(name, or route in the API; route; pattern) of every address, those of included lists,
    too."""
    found = []

    def walk(patterns, route, namespace):
        for pattern in patterns:
            here = route + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                found.append((here if namespace == "api" else pattern.name, here, pattern))
            else:
                walk(pattern.url_patterns, here, pattern.namespace or namespace)

    walk(get_resolver("webapp.urls").url_patterns, "", None)
    return found


def match_of(name: str, route: str, pattern: URLPattern) -> ResolverMatch:
    return ResolverMatch(
        pattern.callback,
        (),
        {},
        pattern.name,
        namespaces=["api"] if route.startswith("api/v1/") else [],
        route=route,
    )


def test_every_address_has_a_rule():
    for name, route, pattern in matches():
        assert access_rules.rule_of(match_of(name, route, pattern)).who


def test_an_address_cannot_be_declared_without_a_rule():
    with pytest.raises(TypeError, match="access"):
        routes.page("new", lambda request: None, "new_page")
    with pytest.raises(ImproperlyConfigured, match="new_page"):
        routes.form("new", lambda request: None, "new_page", None)


def test_a_rule_of_an_included_address_that_is_not_there_is_not_lost():
    logout = URLPattern(RoutePattern("logout/"), lambda request: None)
    with pytest.raises(ImproperlyConfigured, match="log-out"):
        routes.included(
            "account/",
            ([logout], None, None),
            access_rules.ACCOUNTS,
            but={"log-out/": access_rules.ACCOUNTS_AND_STUDENTS},
        )


def test_only_addresses_of_accounts_can_be_kept_from_students():
    """Elsewhere a rule lets everybody in who has the role: what it said of students would be idle."""
    with pytest.raises(ImproperlyConfigured, match="students"):
        replace(access_rules.SEE, students=True)


def test_which_addresses_say_more_than_who():
    """By hand a second time: who of accounts may be a student, and where a token stands for a
    session."""
    rules = {name: pattern.callback.route.access for name, _, pattern in matches()}
    assert {name for name, rule in rules.items() if rule.students} == {"share", "account_logout"}
    assert {name for name, rule in rules.items() if rule.by_token} == {"uploads", "upload"}


def test_an_address_without_a_rule_is_refused():
    with pytest.raises(ImproperlyConfigured, match="new_page"):
        access_rules.rule_of(ResolverMatch(lambda request: None, (), {}, "new_page", route="new/"))


def test_the_expectations_name_every_address():
    ours = {pattern.callback.route for _, _, pattern in matches()}
    ours = {route.name for route in ours if route.kind != Kind.INCLUDED}
    expected = {name for names in (*GET.values(), *POST.values()) for name in names}
    unexpected = ours - expected
    assert not unexpected, f"GET or POST of this file lack who may ask for {sorted(unexpected)}."
    gone = expected - ours
    assert not gone, f"GET or POST of this file have {sorted(gone)}, which webapp/urls.py has not."


# Everybody
# -----------------------------------------------------------------------------------------------------------

LET_IN = 299
OF_CORPUS = ("see", "answer", "train", "edit", "own")
# Parameters that the gate looks up; all others are the view's
NAMED = {"corpus_id", "run_id", "other", "notebook_id", "token_id", "course_id"}


class World:
    """A corpus of the owner's with a run, shared with a viewer and an editor and by links, and one
    of the stranger's with a run."""

    def __init__(self):
        self.users = {
            name: User.objects.create_user(f"{name.replace(' ', '')}@example.org", name)
            for name in ("stranger", *MEMBERS[:3], "the owner")
        }
        self.users["owner"] = self.users.pop("the owner")
        # A number that stands nowhere else in a page
        self.corpus = Corpus.objects.create(pk=4_700_321, name="Letters", owner=self.users["owner"])
        self.other = Corpus.objects.create(name="Diaries", owner=self.users["stranger"])
        self.run, self.other_run = (
            Run.objects.create(
                corpus=c, version=c.versions.create(number=1), settings={"topics": 2}
            )
            for c in (self.corpus, self.other)
        )
        for role in Membership.Role.values:
            Membership.objects.create(corpus=self.corpus, user=self.users[role], role=role)
        self.book = notebooks.create("Mine", "the owner", self.users["owner"])
        notebooks.share(self.book)
        self.concept = concepts.create(
            self.corpus, {"called": "x", "kind": "yes_no", "text": "x"}, "the owner"
        )
        self.token, self.secret = tokens.create("mine", self.users["owner"])
        self.course = courses.create(self.users["owner"], self.corpus, "History", 30)

    def client(self, who: str) -> Client:
        client = Client()
        if who in self.users:
            client.force_login(self.users[who])
        elif who in ("link", "expired", "revoked"):
            link, secret = sharing.make_link(self.corpus, self.users["owner"], who, 7)
            assert client.get(reverse("share", args=[secret])).status_code in (302, LET_IN)
            session = client.session  # also where the view of links is not reached
            session[authorization.LINKS] = [link.pk]
            session.save()
            client.cookies["sessionid"] = session.session_key
            if who == "revoked":
                sharing.revoke_link(self.corpus, link.pk)
            elif who == "expired":
                Link.objects.filter(pk=link.pk).update(
                    expires_at=timezone.now() - timedelta(seconds=1)
                )
        return client

    def url(self, name: str, corpus: Corpus | None = None, run: Run | None = None) -> str:
        values = {
            "notebook_id": self.book.pk,
            "token_id": self.token.pk,
            "course_id": self.course.pk,
            "upload_id": "x" * 22,
            "token": self.book.token,
            "concept_id": self.concept.pk,
            "form": "csv",
        }
        return addresses.address(name, (corpus or self.corpus).pk, (run or self.run).pk, **values)


def listed_for(world: World, who: str) -> list[int]:
    request = RequestFactory().get("/")
    request.user = world.users.get(who, AnonymousUser())
    request.session = {}
    request.resolver_match = ResolverMatch(None, (), {})
    return authorization.list_corpora(request, None, 50)


@pytest.fixture
def world(db, settings):
    settings.ACCOUNTS = True
    return World()


def test_everybody_whom_a_rule_can_name_has_a_check():
    assert admission.CHECKS.keys() == set(access_rules.Who)


@pytest.fixture
def at_the_gate(monkeypatch):
    """Whoever is let in is told so, and no view is called: the walk is about who comes in, and
    takes seconds."""
    asked = admission.AdmissionMiddleware.process_view
    monkeypatch.setattr(
        admission.AdmissionMiddleware,
        "process_view",
        lambda *given: asked(*given) or HttpResponse(status=LET_IN),
    )


def one_of_each_rule(names: list[str]) -> list[str]:
    """Of addresses that have the same rule, and name a corpus, a run or something else in the same
    way, the first. The gate looks at nothing else of an address: `test_who_is_let_in` asks all."""
    first: dict[tuple, str] = {}
    for name in names:
        route = addresses.route_of(name)
        named = frozenset(RoutePattern(route.route).converters) & NAMED
        first.setdefault((route.access, named), name)
    return list(first.values())


def twins(name: str) -> list[str]:
    return [name, f"{name}_json"] if f"{name}_json" in addresses.names() else [name]


def expected_of(who: str, what: str) -> tuple[int, ...]:
    """The statuses of an answer to somebody who wants to do something."""
    if who in ROLES[what]:
        return (LET_IN,)
    if what in OF_CORPUS:
        return (403,) if who in ROLES["see"] else (404,)
    return (302, 401, 403, 404)


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("method", ["get", "post"])
def test_who_is_let_in(world, at_the_gate, who, method):
    client = world.client(who)
    wrong = []
    for what, names in (GET if method == "get" else POST).items():
        for name in (twin for listed in names for twin in twins(listed)):
            status = getattr(client, method)(world.url(name)).status_code
            if status not in expected_of(who, what):
                wrong.append((name, status))
    assert not wrong, f"{who}, {method}"


def of_nobody(world: World, name: str) -> str:
    """The address with a number that nobody has."""
    return world.url(name, Corpus(pk=10**12), Run(pk=10**12))


@pytest.mark.parametrize("who", EVERYBODY)
def test_what_may_be_seen_is_forbidden_and_what_may_not_is_not_there(world, at_the_gate, who):
    """With the same words as for a number that nobody has."""
    client = world.client(who)
    posted = one_of_each_rule([*POST["edit"], *POST["own"]])
    shown = one_of_each_rule([*GET["see"], *GET["own"]])
    assert len(posted) > 4 and len(shown) > 4
    for method, names in ((client.post, posted), (client.get, shown)):
        for name in names:
            answer = method(world.url(name))
            missing = method(of_nobody(world, name))
            assert missing.status_code == 404
            if who in ROLES["see"]:
                assert answer.status_code in (LET_IN, 403)
                continue
            here, there = (
                a.content.decode().replace(str(pk), "")
                for a, pk in ((answer, world.corpus.pk), (missing, 10**12))
            )
            strip = re.compile(r"csrf\S+|<code>\w+</code>|next=[^\"]*|value=\"\w{64}\"")
            assert answer.status_code == 404 and strip.sub("", here) == strip.sub("", there), name


def test_a_number_that_nobody_has_leads_nowhere(world, at_the_gate):
    """For who may do the most."""
    client = world.client("owner")
    for names, method in ((GET, client.get), (POST, client.post)):
        for name in (name for what in OF_CORPUS for name in names.get(what, [])):
            assert method(of_nobody(world, name)).status_code == 404, name


@pytest.mark.parametrize("who", EVERYBODY)
def test_public_is_read_by_everybody_and_changed_by_no_more(world, at_the_gate, who):
    sharing.publish(world.corpus, True)
    client = world.client(who)
    for name in one_of_each_rule(GET["see"]):
        assert client.get(world.url(name)).status_code == LET_IN, name
    for what in ("answer", "train", "edit", "own"):
        for name in one_of_each_rule(POST[what]):
            assert (client.post(world.url(name)).status_code == LET_IN) == (who in ROLES[what]), (
                name
            )
    sharing.publish(world.corpus, False)
    assert (client.get(world.url("corpus")).status_code == LET_IN) == (who in ROLES["see"])


@pytest.mark.parametrize("who", ["link", *MEMBERS])
def test_others_things_are_not_there(world, at_the_gate, who):
    """Who may do something here may do nothing there."""
    client = world.client(who)
    for names, method in ((GET, client.get), (POST, client.post)):
        for name in (name for what in OF_CORPUS for name in one_of_each_rule(names.get(what, []))):
            there = method(world.url(name, world.other, world.other_run))
            assert there.status_code == 404, name
    theirs = notebooks.create("Theirs", "stranger", world.users["stranger"])
    token, _ = tokens.create("theirs", world.users["stranger"])
    for name, values in (
        ("notebook", [theirs.pk]),
        ("notebook_md", [theirs.pk]),
        ("notebook_bib", [theirs.pk]),
        ("notebook_change", [theirs.pk]),
        ("token_revoke", [token.pk]),
    ):
        assert client.post(reverse(name, args=values)).status_code in (
            (403, 404) if who == "link" else (404,)
        )


def test_a_revoked_link_ends_at_once(world, at_the_gate):
    client = world.client("link")
    assert client.get(world.url("run_topics")).status_code == LET_IN
    for link in world.corpus.links.all():
        sharing.revoke_link(world.corpus, link.pk)
    assert client.get(world.url("run_topics")).status_code == 404


def test_a_link_is_followed_and_leads_to_its_corpus_alone(world):
    link, secret = sharing.make_link(world.corpus, world.users["owner"], "a colleague", 7)
    assert secret not in str(Link.objects.values_list().get(pk=link.pk)), (
        "the token itself is not kept"
    )
    client = Client()
    answer = client.get(reverse("share", args=[secret]))
    assert (answer.status_code, answer["Location"]) == (
        302,
        reverse("corpus", args=[world.corpus.pk]),
    )
    assert client.get(world.url("corpus_json")).status_code == 200
    assert client.get(world.url("corpus_json", world.other)).status_code == 404
    assert Client().get(reverse("share", args=["x" * 43])).status_code == 404
    sharing.revoke_link(world.corpus, link.pk)
    assert (
        Client().get(reverse("share", args=[secret])).status_code
        == client.get(world.url("corpus_json")).status_code
        == 404
    )


def test_links_that_have_ended_keep_nobody_from_making_another(world, monkeypatch):
    monkeypatch.setattr(sharing, "MOST_LINKS", 1)
    Link.objects.filter(corpus=world.corpus).delete()
    link, secret = sharing.make_link(world.corpus, world.users["owner"], "", 7)
    with pytest.raises(Invalid, match="1 links already"):
        sharing.make_link(world.corpus, world.users["owner"], "", 7)
    Link.objects.filter(pk=link.pk).update(expires_at=timezone.now() - timedelta(days=1))
    assert sharing.follow(secret) is None
    sharing.make_link(world.corpus, world.users["owner"], "", 7)


def test_a_role_that_is_taken_away_ends_at_once(world, at_the_gate):
    client = world.client("editor")
    assert client.post(world.url("corpus_runs")).status_code == LET_IN
    sharing.change(world.corpus, world.users["editor"].pk, "viewer")
    assert (
        client.post(world.url("corpus_runs")).status_code == 403
        and client.get(world.url("corpus")).status_code == LET_IN
    )
    sharing.remove(world.corpus, world.users["editor"].pk)
    assert client.get(world.url("corpus")).status_code == 404


def test_a_trainer_is_an_editor_of_their_own_runs_alone(world, at_the_gate):
    client = world.client("trainer")
    own = Run.objects.create(
        corpus=world.corpus,
        version=world.run.version,
        by=world.users["trainer"],
        settings={"topics": 2},
    )
    beyond = {"concept_new", "concept_change"}
    for name in POST["edit"]:
        let_in = not name.startswith("corpus_") and name not in beyond
        assert (client.post(world.url(name, run=own)).status_code == LET_IN) == let_in, name
        assert client.post(world.url(name)).status_code == 403, name
    assert client.get(world.url("concept_agreement", run=own)).status_code == 403
    assert client.get(world.url("run_steer", run=own)).status_code == LET_IN
    assert client.post(world.url("run_for_good", run=own)).status_code == 403
    request = RequestFactory().get("/")
    request.user = world.users["trainer"]
    request.session = {}
    request.resolver_match = ResolverMatch(None, (), {})
    assert [run.pk for run in authorization.deletable(request)[1]] == [own.pk]


def test_who_is_refused_is_told_who_may(world):
    answer = world.client("viewer").post(world.url("corpus_delete"))
    assert (
        answer.status_code == 403
        and "Only the owner of “Letters”" in answer.content.decode()
        and "ask the owner" in answer.content.decode()
    )
    told = world.client("viewer").post(
        world.url("corpus_runs"), headers={"Accept": "application/json"}
    )
    assert told.status_code == 403 and "editors" in told.json()["error"]
    answer = Client().get(reverse("notebooks"))
    assert (answer.status_code, answer["Location"]) == (302, "/account/login/?next=%2Fnotebooks%2F")
    assert "/account/login/?next=" in Client().get(world.url("corpus")).content.decode(), (
        "it may be theirs, once they sign in"
    )


def test_files_that_an_editor_adds_are_the_owners(world, at_the_gate):
    draft = Corpus.objects.create(name="More", owner=world.corpus.owner, added_to=world.corpus)
    for who in EVERYBODY:
        assert (
            world.client(who).get(world.url("corpus_prepare", draft)).status_code == LET_IN
        ) == (who in ROLES["edit"]), who
        assert "More" not in [c.name for c in Corpus.objects.filter(pk__in=listed_for(world, who))]


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("who", EVERYBODY)
def test_every_form_of_the_question_has_one_answer(world, who, public):
    """What may be seen: one by one, as a list, while a stream stays open, in the lists of corpora;
    drafts and deleted ones, too."""
    sharing.publish(world.corpus, public)
    draft = Corpus.objects.create(name="More", owner=world.corpus.owner, added_to=world.corpus)
    deleted = Corpus.objects.create(name="Gone", owner=world.corpus.owner, public=public)
    deletion.delete_corpus(deleted)
    client = world.client(who)
    request = RequestFactory().get("/")
    request.user = world.users.get(who, AnonymousUser())
    request.session = client.session
    request.resolver_match = ResolverMatch(None, (), {})
    every = [world.corpus, world.other, draft, deleted]
    one_by_one = {
        c.pk for c in every if authorization.role(request, Corpus.objects.filter(pk=c.pk))
    }
    assert one_by_one == set(authorization.corpora(request).values_list("pk", flat=True))
    expected = {
        c.pk for c in every if client.get(reverse("corpus_json", args=[c.pk])).status_code == 200
    }
    assert one_by_one == expected
    people = {c.pk: followers.follower(request, corpus=c.pk) for c in every}
    assert followers.still(list(people.values())) == {people[pk] for pk in expected}
    listed = authorization.list_corpora(request, None, 50) + authorization.list_corpora(
        request, None, 50, public=True
    )
    assert set(listed) == expected - {draft.pk}
    assert {run.corpus_id for run in authorization.runs(request)} == expected & {
        world.corpus.pk,
        world.other.pk,
    }
    assert expected == (
        {"stranger": {world.other.pk}, "link": {world.corpus.pk, draft.pk}}
        | dict.fromkeys(MEMBERS, {world.corpus.pk, draft.pk})
    ).get(who, set()) | ({world.corpus.pk} if public else set())


def test_what_is_deleted_is_brought_back_by_those_who_may_delete_it(world, at_the_gate):
    clients = {who: world.client(who) for who in EVERYBODY}
    deletion.delete_run(world.run)
    for who, client in clients.items():
        assert client.get(world.url("run")).status_code == 404, who
        assert (client.post(world.url("run_bring_back")).status_code == LET_IN) == (
            who in ROLES["edit"]
        ), who
    deletion.delete_corpus(world.corpus)
    for who, client in clients.items():
        assert client.get(world.url("corpus")).status_code == 404, who
        assert (client.post(world.url("corpus_bring_back")).status_code == LET_IN) == (
            who in ROLES["own"]
        ), who


def test_what_others_deleted_is_not_listed(world):
    deletion.delete_run(world.run)
    deletion.delete_corpus(world.other)
    expected = {"stranger": {"Diaries"}, "viewer": set(), "editor": {"run"}, "owner": {"run"}}
    for who, names in expected.items():
        found = world.client(who).get("/deleted.json").json()["deleted"]
        assert {row["name"] if row["kind"] == "corpus" else "run" for row in found} == names, who


def test_operators_see_their_pages_and_nobodys_corpora(world, at_the_gate):
    User.objects.filter(pk=world.users["stranger"].pk).update(is_staff=True)
    client = world.client("stranger")
    for name in GET["operate"]:
        assert client.get(world.url(name)).status_code == LET_IN, name
    for name in POST["operate"]:
        assert client.post(world.url(name)).status_code == LET_IN, name
    assert (
        client.get(world.url("corpus")).status_code
        == client.post(world.url("run_stop")).status_code
        == 404
    )


# What pages offer
# ----------------------------------------------------------------------------------------------------


@pytest.fixture
def read_by(trained, settings):
    """(who, client) of the corpus that has a real run: somebody who has not signed in, as it is
    public, and a viewer."""
    settings.ACCOUNTS = True
    viewer = User.objects.create_user("reads@example.org", "reads")
    client = Client()
    client.force_login(viewer)
    sharing.publish(trained.corpus, True)
    Membership.objects.create(corpus=trained.corpus, user=viewer, role="viewer")
    trainer = User.objects.create_user("trains@example.org", "trains")
    trains = Client()
    trains.force_login(trainer)
    Membership.objects.create(corpus=trained.corpus, user=trainer, role="trainer")
    return [(Role.READER, Client()), (Role.VIEWER, client), (Role.TRAINER, trains)]


@pytest.mark.parametrize("own", [False, True])
def test_no_page_shows_a_form_to_those_who_cannot_use_it(read_by, trained, own):
    """And each page that may be seen is really shown to whoever may do least. own: the run is the
    trainer's."""
    if own:
        trainer = Membership.objects.get(corpus=trained.corpus, role="trainer").user
        Run.objects.filter(pk=trained.pk).update(by=trainer)
    for role, client in read_by[2:] if own else read_by:
        shown = forms = 0
        for name in [*addresses.PAGES, "home", "run_try", "api_reference"]:
            url = addresses.address(name, trained.corpus_id, trained.pk)
            needed = access_rules.rule_of(resolve(url))
            if (
                needed.who is access_rules.Who.OPERATOR
                or (needed.who is access_rules.Who.USER and role < Role.VIEWER)
                or (needed.who is access_rules.Who.CORPUS and needed.read > role)
            ):
                continue
            answer = client.get(url)
            assert answer.status_code == 200, (role, name)
            shown += 1
            html = answer.content.decode()
            for script, needs in (("js/upload.js", "data-upload"), ("js/pin.js", "data-cite")):
                assert script not in html or f" {needs}" in html, (
                    role,
                    name,
                    f"{script} ends with an error where its form is not",
                )
            for action in re.findall(r'<form[^>]*method="post"[^>]*?action="([^"]*)"', html):
                rule = access_rules.rule_of(resolve(action.split("?")[0]))
                has = Role.EDITOR if own and "/runs/" in action and not rule.beyond else role
                may = (
                    has >= rule.write
                    if rule.who is access_rules.Who.CORPUS
                    else role >= Role.VIEWER
                )
                assert may, (role, name, action)
                forms += 1
        assert shown > 20 and (forms > 3 or role < Role.VIEWER)


# The API
# -------------------------------------------------------------------------------------------------------------


@cache
def operations() -> list[tuple[str, str]]:
    return [
        (path, method)
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    ]


TRAINS = "/corpora/{corpus_id}/runs"


def asked_of_program(path: str, method: str) -> str:
    """What an operation of the API does, as ROLES names it: what its page does."""
    if method == "get":
        return "see"
    return "train" if path.endswith(TRAINS) else "edit"


@pytest.mark.parametrize(
    "who", ["nothing", "cookie", "unknown", "stranger", "viewer", "trainer", "editor", "owner"]
)
def test_the_api_knows_its_user_by_the_token(world, at_the_gate, who):
    assert len(operations()) > 20
    headers = {}
    client = Client()
    if who in world.users:
        headers = {"Authorization": f"Bearer {tokens.create('t', world.users[who])[1]}"}
    elif who == "unknown":
        headers = {"Authorization": "Bearer topograph_x"}
    elif who == "cookie":
        client.force_login(world.users["owner"])
    for path, method in operations():
        url = (
            path.replace("{corpus_id}", str(world.corpus.pk))
            .replace("{run_id}", str(world.run.pk))
            .replace("{other}", str(world.run.pk))
        )
        status = getattr(client, method)(re.sub(r"\{\w+\}", "1", url), headers=headers).status_code
        of_nobody = path.endswith(("/corpora/", "/engines"))  # the view itself says who may
        may = of_nobody or who in ROLES[asked_of_program(path, method)]
        writes = method != "get" and not of_nobody  # needs a token, whatever it names
        if who == "unknown" or writes and who in ("nothing", "cookie"):
            expected = 401
        else:
            expected = LET_IN if may else 403 if who in ROLES["see"] else 404
        assert status == expected, (method, path)


def test_an_operation_of_the_api_trains():
    """Else `asked_of_program` would be right about none."""
    assert [
        method for path, method in operations() if asked_of_program(path, method) == "train"
    ] == ["post"]


def test_who_may_train_is_an_editor_of_their_own_runs_by_the_api(world, at_the_gate):
    """As on the run's page."""
    trainer = world.users["trainer"]
    headers = {"Authorization": f"Bearer {tokens.create('t', trainer)[1]}"}
    own = Run.objects.create(
        corpus=world.corpus, version=world.run.version, settings={"topics": 2}, by=trainer
    )
    for run, expected in ((own, LET_IN), (world.run, 403)):
        assert Client().post(f"/api/v1/runs/{run.pk}/stop", headers=headers).status_code == expected


def test_both_runs_of_a_comparison_must_be_seen(world, at_the_gate):
    headers = {"Authorization": f"Bearer {tokens.create('t', world.users['owner'])[1]}"}
    for one, other in ((world.run, world.other_run), (world.other_run, world.run)):
        assert (
            Client().get(f"/api/v1/runs/{one.pk}/compare/{other.pk}", headers=headers).status_code
            == 404
        )


def test_a_token_ends_with_its_user(world, at_the_gate):
    headers = {"Authorization": f"Bearer {world.secret}"}
    url = f"/api/v1/corpora/{world.corpus.pk}"
    assert Client().get(url, headers=headers).status_code == LET_IN
    User.objects.filter(pk=world.users["owner"].pk).update(is_active=False)
    assert Client().get(url, headers=headers).status_code == 401


# What the address does not name
# --------------------------------------------------------------------------------------

# Functions of webapp.platform.pages.page that ask for no right, and say so: the gate has asked, for
# the number in the path. `run_or_404` and `corpus_or_404` of authorization ask.
UNCHECKED = "unchecked_"
NUMBERS_OF_PATHS = (["corpus_id"], ["run_id"], ["other"], ["path"])


def called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_views_do_not_ask_the_tables_themselves():
    """What the path of an address names, the gate has looked at; whatever else a view needs it gets
    from webapp.platform.accounts.authorization."""
    allowed = {  # of the path's number
        ("pages/page", "Corpus"),
        ("pages/page", "Run"),
        ("notebooks/views", "Pin"),
        ("operations/operator_views", "Run"),
    }
    # That it is still there, and to mark it as failed
    asked = {
        ("corpora/views", "Corpus"),
        ("corpora/draft_views", "Corpus"),
        ("runs/views", "Run"),
    }
    views = [path for path in (ROOT / "webapp").glob("*/*/*.py") if path.stem.endswith("views")]
    assert len(views) > 20
    for path in [
        *views,
        ROOT / "webapp/platform/pages/page.py",
        *(ROOT / "webapp/service/api").glob("*.py"),
    ]:
        place = f"{path.parent.name}/{path.stem}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("objects", "everything")
                and isinstance(node.value, ast.Name)
            ):
                if node.value.id in ("Corpus", "Run", "Notebook", "Pin", "ApiToken", "Link"):
                    assert (place, node.value.id) in allowed | asked, f"{place}, line {node.lineno}"


def test_nothing_is_looked_up_unchecked_but_what_a_path_names():
    seen = 0
    for path in (ROOT / "webapp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and called_name(node).startswith(UNCHECKED):
                numbers = [ast.unparse(argument) for argument in node.args]
                assert numbers in NUMBERS_OF_PATHS, f"{path.name}, line {node.lineno}"
                seen += 1
    assert seen > 20


def test_what_looks_up_without_a_check_says_so_in_its_name():
    """Of functions that are given a number and no request: nobody can be asked for rights there."""
    module = ast.parse((ROOT / "webapp/platform/pages/page.py").read_text(encoding="utf-8"))
    for function in [node for node in module.body if isinstance(node, ast.FunctionDef)]:
        reads_table = any(
            isinstance(node, ast.Attribute) and node.attr in ("objects", "everything")
            for node in ast.walk(function)
        )
        calls_unchecked = any(
            isinstance(node, ast.Call) and called_name(node).startswith(UNCHECKED)
            for node in ast.walk(function)
        )
        if (reads_table or calls_unchecked) and function.name != "looked_up":
            assert function.name.startswith(UNCHECKED), function.name


def test_the_home_page_lists_what_one_may_see(world, django_assert_max_num_queries):
    names = {
        "anonymous": set(),
        "stranger": {"Diaries"},
        "viewer": {"Letters"},
        "editor": {"Letters"},
        "owner": {"Letters"},
        "link": {"Letters"},
    }
    sharing.publish(Corpus.objects.create(name="Open to all", owner=world.users["stranger"]), True)
    names["anonymous"].add("Open to all")
    names["stranger"].add("Open to all")
    for who, expected in names.items():
        client = world.client(who)
        with django_assert_max_num_queries(12):
            body = client.get("/").content.decode()
        assert {
            name for name in ("Letters", "Diaries", "Open to all") if name in body
        } == expected, who
    assert "Open to all" in world.client("viewer").get("/?public=").content.decode()


def test_the_list_goes_on_where_it_stopped(world, rf):
    mine = [
        Corpus.objects.create(name="c", owner=world.users["viewer" if i % 2 else "owner"]).pk
        for i in range(8)
    ]
    for pk in mine:
        Membership.objects.get_or_create(
            corpus_id=pk, user=world.users["editor"], defaults={"role": "viewer"}
        )
    request = rf.get("/")
    request.user = world.users["editor"]
    request.session = {}
    request.resolver_match = ResolverMatch(None, (), {})
    every = sorted([*mine, world.corpus.pk], reverse=True)
    found = []
    before = None
    while page := authorization.list_corpora(request, before, 2):
        found = found + page
        before = page[-1]
    assert found == every


def test_runs_of_others_are_not_compared(world):
    body = (
        world.client("owner")
        .get(f"/compare.json?run={world.run.pk}&run={world.other_run.pk}")
        .json()
    )
    assert [run["id"] for run in body["runs"]] == [world.run.pk]
    page = world.client("stranger").get("/compare/").content.decode()
    assert "Letters" not in page and "Diaries" in page
    assert "Letters" not in Client().get("/compare/").content.decode()


def test_a_set_does_not_take_its_run_from_elsewhere(world):
    assert (
        world.client("owner")
        .get(world.url("corpus_subset") + f"?run={world.other_run.pk}")
        .status_code
        == 404
    )


def test_labels_are_not_carried_from_elsewhere(world):
    there = world.client("owner").get(world.url("run_carry") + f"?source={world.other_run.pk}")
    assert (
        there.status_code == 400
        and f"There is no run {world.other_run.pk}" in there.content.decode()
    )
    client = world.client("owner")
    client.post(world.url("run_carry_over"), {"from": world.other_run.pk})
    assert "There is no run" in client.get(world.url("corpus_sharing")).content.decode()


@pytest.mark.parametrize("sent", ["topic", "corpus", "chart", "notebook"])
def test_nothing_of_others_is_pinned(world, sent):
    book = notebooks.create("Theirs", "stranger", world.users["stranger"])
    forms = {
        "topic": {"kind": "topic", "run": world.other_run.pk, "topic": 0},
        "corpus": {"kind": "passage", "corpus": world.other.pk, "document": 0, "quote": "a"},
        "chart": {"kind": "chart", "run": world.other_run.pk, "address": "/", "title": "t"},
        "notebook": {"kind": "chart", "address": "/", "title": "t", "notebook": book.pk},
    }
    before = Notebook.objects.count()
    answer = world.client("owner").post(reverse("pin"), forms[sent])
    assert answer.status_code == (302 if sent == "notebook" else 404)
    assert not book.pins.exists() and Notebook.objects.count() == before


def test_uploads_are_theirs_who_began_them(world):
    mine = uploads.create(3, "a.txt", owner=world.users["owner"].pk)
    mine.path.write_bytes(b"abc")
    with pytest.raises(uploads.Refused, match="no such upload"):
        uploads.find(mine.id, world.users["stranger"].pk)
    assert uploads.find(mine.id, world.users["owner"].pk).id == mine.id
    client = world.client("stranger")
    client.post(reverse("corpora"), {"uploads": mine.id})
    assert not Corpus.objects.filter(name="a").exists() and mine.path.exists()
    path = reverse("upload", args=[mine.id])
    tus = {"Tus-Resumable": "1.0.0"}
    for method in ("head", "delete"):
        assert getattr(client, method)(path, headers=tus).status_code == 404
    assert world.client("owner").head(path, headers=tus).status_code == 200
    world.client("owner").post(reverse("corpora"), {"uploads": mine.id})
    assert Corpus.objects.get(name="a").owner == world.users["owner"]


def test_what_is_made_is_theirs_who_made_it(world):
    client = world.client("stranger")
    client.post(reverse("notebook_new"), {"title": "New"})
    assert (
        Notebook.objects.get(title="New").owner == world.users["stranger"]
        and Notebook.objects.get(title="New").by == "stranger"
    )
    client.post(reverse("tokens"), {"name": "new"})
    assert world.users["stranger"].tokens.filter(name="new").exists()
    client.post(reverse("example"))
    assert Corpus.objects.exclude(pk=world.corpus.pk).latest("pk").owner == world.users["stranger"]


# While accounts are off
# ----------------------------------------------------------------------------------------------


def test_the_local_owner_is_asked_for_nothing(world, settings, at_the_gate):
    settings.ACCOUNTS = False
    for names, method in ((GET, "get"), (POST, "post")):
        for name in (name for what, listed in names.items() for name in listed if what != "nobody"):
            expected = 404 if name == "share" else LET_IN
            assert getattr(Client(), method)(world.url(name)).status_code == expected, name
    assert Client().get(reverse("account_login")).status_code == 404
    assert Client().post(reverse("reader")).status_code == LET_IN


def test_another_host_is_refused():
    """A page of another site that points its own name at this machine comes in under that name."""
    assert Client().get("/", headers={"Host": "evil.example"}).status_code == 400
    assert Client().get("/", headers={"Host": "localhost"}).status_code == 200


@pytest.mark.parametrize(
    ("client", "host", "answered"),
    [
        (("127.0.0.1", 5), b"127.0.0.1:8000", True),
        (("::1", 5), b"[::1]:8000", True),
        (("::1", 5), b"[::1]", True),
        (None, b"localhost", True),
        (("192.0.2.7", 5), b"127.0.0.1:8000", False),
        (("127.0.0.1", 5), b"topograph.example.org", False),
        (("127.0.0.1", 5), b"localhost.evil.example", False),
        (("127.0.0.1", 5), b"evil.example:127.0.0.1", False),
    ],
)
def test_only_this_machine_is_answered(settings, client, host, answered):
    said = []

    async def application(scope, receive, send):
        said.append("asked")

    async def send(message):
        said.append(message)

    scope = {"type": "http", "client": client, "headers": [(b"host", host)]}
    async_to_sync(loopback_only(application))(scope, None, send)
    assert (said == ["asked"]) == answered
    if not answered:
        assert said[0]["status"] == 403 and b"Accounts are off" in said[1]["body"]
    settings.ACCOUNTS = True
    async_to_sync(loopback_only(application))(scope, None, send)
    assert said[-1] == "asked"


@pytest.mark.parametrize("header", [b"x-forwarded-for", b"x-real-ip", b"x-forwarded-proto", b"via"])
def test_a_proxy_on_this_machine_is_not_this_machine(header):
    said = []

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "client": ("127.0.0.1", 5),
        "headers": [(b"host", b"localhost"), (header, b"192.0.2.7")],
    }
    async_to_sync(loopback_only(None))(scope, None, send)
    assert said[0]["status"] == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "topograph.example.org"])
def test_start_listens_on_no_other_address_without_accounts(monkeypatch, host):
    monkeypatch.delenv("TOPOGRAPH_ACCOUNTS", raising=False)
    with pytest.raises(SystemExit, match="Accounts are off"):
        start.main(["--host", host])


# What a pin says, and uploads
# ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["stranger", "viewer"])
def test_a_pin_tells_nobody_whether_what_they_may_not_see_exists(world, who):
    """A chart's address is whatever was sent; where it leads is said to those alone who may go
    there, also behind a shared link."""
    user = world.users[who]
    client = world.client(who)
    book = notebooks.create("Guesses", user.name, user)
    link = notebooks.share(book)
    gone = Run.objects.create(
        corpus=world.corpus, version=world.run.version, settings={"topics": 2}
    )
    places = [reverse("run", args=[pk]) for pk in (world.run.pk, gone.pk, 10**12)]
    places += [reverse("corpus", args=[pk]) for pk in (world.corpus.pk, 10**12)]
    for place in places:
        client.post(
            reverse("pin"),
            {"notebook": book.pk, "kind": "chart", "title": "Guess", "address": place},
        )
    assert book.pins.count() == len(places)
    deletion.delete_run(gone)
    shown = [
        client.get(reverse("notebook_json", args=[book.pk])),
        Client().get(reverse("shared_json", args=[link])),
    ]
    for pins in (answer.json()["pins"] for answer in shown):
        said = [(pin["deleted"], pin["address"]) for pin in pins]
        if who == "viewer":
            assert [deleted for deleted, _ in said] == [False, True, True, False, True]
        else:
            assert set(said) == {(True, "")}, "no difference may be seen"
    files = [
        client.get(reverse(name, args=[book.pk])).content.decode()
        for name in ("notebook_md", "notebook_html")
    ]
    for body in files:
        assert (f"/runs/{world.run.pk}/" in body) == (
            who == "viewer"
        ) and f"/runs/{gone.pk}/" not in body


def test_whoever_has_not_signed_in_has_no_uploads_not_anybodys(world, settings):
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with pytest.raises(PermissionDenied):
        authorization.uploader(request)
    request.user = world.users["viewer"]
    assert authorization.uploader(request) == world.users["viewer"].pk
    settings.ACCOUNTS = False
    assert authorization.uploader(request) is None
