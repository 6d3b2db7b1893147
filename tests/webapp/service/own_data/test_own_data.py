"""What a person takes along holds what is theirs, nothing secret and nothing of others; and an account
goes with what only it owns."""

import io
import json
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from webapp.core.notebooks import services as notebooks
from webapp.models import Corpus, Course, Edit, Membership, Notebook, Run, User
from webapp.platform.accounts import sharing, tokens
from webapp.service.corpora import deletion
from webapp.service.own_data import contents, leaving

pytestmark = pytest.mark.django_db
PASSWORD = "a long password of one's own"


@pytest.fixture
def people(settings):
    """Ada, who owns Letters, and Ben, who owns Diaries and shares it with her."""
    settings.ACCOUNTS = True
    ada = User.objects.create_user("ada@example.org", "Ada", PASSWORD)
    ben = User.objects.create_user("ben@example.org", "Ben", PASSWORD)
    Corpus.objects.create(name="Letters", owner=ada)
    diaries = Corpus.objects.create(name="Diaries", owner=ben)
    Membership.objects.create(corpus=diaries, user=ada, role="trainer")
    return ada, ben


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def taken(user) -> dict[str, str]:
    made_for = []

    def of_nobody(who):
        made_for.append(who)
        return iter(())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "archive", of_nobody)
        answer = signed_in(user).get(reverse("own_data"))
    # Of a plain generator all would be gathered before the first byte is sent
    assert answer.status_code == 200 and answer.is_async
    # The view's own is made in a thread, which sees nothing of a test's transaction
    assert made_for == [user]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(contents.archive(user))))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def run_of(corpus, by):
    version = corpus.versions.create(number=1)
    return Run.objects.create(corpus=corpus, version=version, settings={"topics": 2}, by=by)


def test_what_is_taken_along_is_all_that_is_theirs(people):
    ada, ben = people
    diaries = Corpus.objects.get(name="Diaries")
    run = run_of(diaries, ada)
    batch = "00000000-0000-0000-0000-000000000001"
    for user, value in ((ada, "Harvests"), (ben, "A secret of Ben")):
        Edit.objects.create(run=run, topic=0, field="label", value=value, by=user.name, batch=batch)
    book = notebooks.create("My evidence", ada.name, ada)
    notebooks.create("A secret of Ben", ben.name, ben)
    files = taken(ada)
    assert json.loads(files["account.json"])["email"] == "ada@example.org"
    assert "Letters" in files["corpora.jsonl"] and "Diaries" not in files["corpora.jsonl"]
    assert json.loads(files["runs.jsonl"])["run"] == run.pk
    assert json.loads(files["labels.jsonl"])["value"] == "Harvests"
    assert "My evidence" in files[f"notebooks/{book.pk}.json"]
    assert "Diaries" in files["shared.jsonl"]
    assert "A secret of Ben" not in "".join(files.values())


def test_nothing_secret_is_taken_along(people):
    ada, _ = people
    token, secret = tokens.create("my program", ada)
    link, link_secret = sharing.make_link(Corpus.objects.get(name="Letters"), ada, "a class", 7)
    files = "".join(taken(ada).values())
    assert "my program" in files and "a class" in files
    for one in (secret, token.digest, link_secret, link.digest, ada.password):
        assert one not in files


def test_labels_of_corpora_that_one_does_not_see_are_not_given_out_by_a_name(people):
    """Before accounts were turned on anybody could sign as Ada."""
    ada, ben = people
    private = Corpus.objects.create(name="Private", owner=ben)
    batch = "00000000-0000-0000-0000-000000000001"
    run = run_of(private, ben)
    Edit.objects.create(run=run, topic=0, field="note", value="hidden", by="Ada", batch=batch)
    assert "hidden" not in taken(ada)["labels.jsonl"]


def test_the_readme_names_every_file(people):
    ada, _ = people
    notebooks.create("Mine", ada.name, ada)
    files = taken(ada)
    for name in files.keys() - {"README.txt"}:
        assert name.split("/")[0] in files["README.txt"]


def leave(user, **form):
    return signed_in(user).post(reverse("leave"), form)


def test_what_others_lose_is_named_before(people):
    ada, ben = people
    letters = Corpus.objects.get(name="Letters")
    assert leaving.shared(ada) == []
    Membership.objects.create(corpus=letters, user=ben, role="viewer")
    sharing.make_link(letters, ada, "", 7)
    Corpus.objects.create(name="Part", owner=ben, parent=letters)
    (one,) = leaving.shared(ada)
    assert (one.name, one.people, one.links, one.parts) == ("Letters", 1, 1, 1)
    body = signed_in(ada).get(reverse("leave")).content.decode()
    assert "Others lose these" in body and "Letters" in body and "1 part" in body


def test_what_others_lose_is_looked_for_in_all_corpora(
    people, monkeypatch, django_assert_num_queries
):
    """Also where the first ones are nobody else's; and by one query."""
    ada, ben = people
    monkeypatch.setattr(leaving, "CORPORA_LISTED", 1)
    later = Corpus.objects.create(name="Later", owner=ada)
    Membership.objects.create(corpus=later, user=ben, role="viewer")
    with django_assert_num_queries(1):
        assert [corpus.name for corpus in leaving.shared(ada)] == ["Later"]


@pytest.mark.parametrize(
    "form", [{}, {"sure": "1"}, {"sure": "1", "password": "wrong"}, {"password": PASSWORD}]
)
def test_an_account_is_not_deleted_by_accident_or_by_another(people, form):
    ada, _ = people
    assert leave(ada, **form).status_code == 400
    ada.refresh_from_db()
    assert ada.is_active and ada.leaving_at is None


def test_an_account_goes_with_what_only_it_owns(people):
    ada, ben = people
    diaries = Corpus.objects.get(name="Diaries")
    run = run_of(diaries, ada)
    notebooks.create("Mine", ada.name, ada)
    _, secret = tokens.create("mine", ada)
    client = signed_in(ada)
    assert leave(ada, sure="1", password=PASSWORD).status_code == 302
    assert tokens.find(secret) is None
    assert client.get(reverse("account")).status_code == 302
    assert not Corpus.objects.filter(name="Letters").exists()
    deletion.remove_due()
    leaving.remove_left()
    assert not User.objects.filter(pk=ada.pk).exists()
    assert not Notebook.objects.filter(by="Ada").exists()
    run.refresh_from_db()
    assert run.by is None and Corpus.objects.filter(pk=diaries.pk, owner=ben).exists()


def test_an_account_stays_while_a_corpus_of_it_is_there(people):
    ada, _ = people
    leaving.leave(ada)
    leaving.remove_left()
    assert User.objects.filter(pk=ada.pk, is_active=False).exists()


def test_a_teacher_ends_classes_first(people):
    ada, _ = people
    Course.objects.create(
        owner=ada,
        corpus=Corpus.objects.get(name="Letters"),
        name="History",
        ends_at="2030-01-01T00:00Z",
    )
    answer = leave(ada, sure="1", password=PASSWORD)
    assert answer.status_code == 400 and "End the class first" in answer.content.decode()


def test_without_accounts_there_is_nothing_to_take_or_delete(client):
    for name in ("own_data", "leave"):
        assert client.get(reverse(name)).status_code == 404
