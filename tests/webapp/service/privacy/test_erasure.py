"""A person is erased from a corpus: what names them is found, and nothing of their documents is left
in rows, files, pages and notebooks."""

import re
from functools import partial

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from inference.errors import Invalid
from tasks.corpora import read_corpus
from tasks.runs import train
from tests.webapp.making import corpus_of, run_on
from tests.webapp.service.privacy.places import addresses_of, exported, pages, searched
from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.notebooks import services as notebooks
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, versions
from webapp.models import Corpus, Membership, Pin, Reading, Run, User, Version
from webapp.platform.accounts import embargo, quotas, sharing, sign_on_groups
from webapp.platform.accounts.roles import Person
from webapp.platform.storage import files
from webapp.service.corpora import deletion
from webapp.service.exports import kept
from webapp.service.privacy import erasure

pytestmark = pytest.mark.django_db
HERS = "zyzzogeton"  # a word that her texts alone have
# The same, in the test that looks for them
GONE_WORD, GONE_NAME = "quozzilate", "Ada Lovelrumpkin"
# As the columns have it
GONE_NAMES = ["Lovelrumpkin, Ada", "ada lovelrumpkin"]


def letters(draft, settings, word: str, name: str) -> Corpus:
    """Twenty, of which eight are hers. They are Olga's; Ben may read them, and so may anybody."""
    first, last = name.split()
    speakers = [f"{last}, {first}", "Ben", name.lower(), f"Adam {last}y", "Cleo"]
    rows = [["title", "speaker", "text"]]
    for i, speaker in enumerate(speakers * 4):
        text = f"{word if i % 5 in (0, 2) else 'harvest'} of letter and day "
        rows.append([f"Letter {i}", speaker, text * 30])
    made = corpus_of(draft, rows, "letters.csv", language="en", min_documents=1, max_share=1.0)
    settings.ACCOUNTS = True
    olga = User.objects.create_user("olga@example.org", "Olga")
    ben = User.objects.create_user("ben@example.org", "Ben")
    Corpus.objects.filter(pk=made.pk).update(owner=olga, public=True, reading_kept=True)
    Membership.objects.create(corpus=made, user=ben, role="editor")
    return Corpus.objects.select_related("version").get(pk=made.pk)


@pytest.fixture
def corpus(draft, settings) -> Corpus:
    return letters(draft, settings, HERS, "Ada Lovelace")


def post(corpus: Corpus, **form):
    client = Client()
    client.force_login(User.objects.get(name="Olga"))
    return client.post(reverse("corpus_erase", args=[corpus.pk]), form)


def her_values(corpus: Corpus) -> list[str]:
    return [value.key for value in erasure.find(corpus, ["Ada Lovelace"]) if value.complete]


def test_values_that_name_a_person_are_found_in_any_order_and_case(corpus):
    found = erasure.find(corpus, ["Ada Lovelace"])
    assert sorted((v.field, v.value, v.documents, v.complete) for v in found) == [
        ("speaker", "Adam Lovelacey", 4, False),
        ("speaker", "Lovelace, Ada", 4, True),
        ("speaker", "ada lovelace", 4, True),
    ]
    assert erasure.find(corpus, ["Letter 7"])[0].field == "title"
    assert erasure.find(corpus, ["100%"]) == [] == erasure.find(corpus, ["A_a"])
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    assert numbers.tolist() == [0, 2, 5, 7, 10, 12, 15, 17]


@pytest.mark.parametrize("names", ["", " ; ", "x", ";".join(f"name {i}" for i in range(21))])
def test_names_that_can_t_be_searched_are_refused(names):
    with pytest.raises(Invalid):
        erasure.names_in(names)


@pytest.mark.parametrize(
    "key", ["", "7", "[]", '["speaker"]', '["speaker", 3]', '["speaker", "Zoe"]']
)
def test_nothing_goes_for_a_value_that_no_document_has(corpus, key):
    answer = post(corpus, act="erase", names="Ada", value=key, sure="1")
    assert answer.status_code == 400 and not Corpus.objects.filter(replaces=corpus).exists()


def test_nothing_goes_before_it_is_confirmed_and_never_all(corpus):
    assert post(corpus, act="erase", names="Ada", value=her_values(corpus)).status_code == 400
    every = [v.key for v in erasure.find(corpus, ["Letter"])]
    answer = post(corpus, act="erase", names="Letter", value=every, sure="1")
    assert answer.status_code == 400 and "delete the corpus instead" in answer.content.decode()
    assert not Corpus.objects.filter(replaces=corpus).exists()


def test_the_page_says_what_goes_what_remains_and_where_else_the_texts_are(corpus):
    ben = User.objects.get(name="Ben")
    part = Corpus.objects.create(name="His part", parent=corpus, owner=ben)
    body = post(corpus, act="find", names="Ada Lovelace").content.decode()
    for text in ("Lovelace, Ada", "What remains", "Backups", f"corpus {part.pk} of", "concept"):
        assert text in body
    assert "His part" not in body, "the name of a corpus that she may not see"


def test_nothing_is_added_to_a_corpus_that_is_made_again_and_no_second_time(corpus):
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    with pytest.raises(Invalid, match="would be lost"):
        versions.choose_again(corpus)
    with pytest.raises(Invalid, match="erased already"):
        erasure.erase(corpus, numbers, corpus.owner, train=False)
    Corpus.objects.filter(pk=new.pk).update(status=Corpus.Status.FAILED)
    version = versions.choose_again(corpus)
    with pytest.raises(Invalid, match="is changing"):
        erasure.erase(corpus, numbers, corpus.owner, train=False)
    Version.objects.filter(pk=version.pk).update(status=Version.Status.READY)
    Corpus.objects.filter(pk=corpus.pk).update(version=version)
    with pytest.raises(Invalid, match="search again"):
        erasure.erase(corpus, numbers, corpus.owner, train=False)


def test_a_corpus_with_other_documents_than_it_was_made_of_is_not_replaced(corpus):
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    Corpus.objects.filter(pk=new.pk).update(status=Corpus.Status.READY)
    Version.objects.filter(pk=corpus.version_id).update(documents=corpus.documents + 1)
    erasure.finish()
    new.refresh_from_db()
    assert new.status == "failed" and "Nothing was erased" in new.error
    corpus.refresh_from_db()
    assert corpus.deleted_at is None and corpus.name != new.name


def test_of_a_copy_that_does_not_take_its_place_nothing_goes_on(corpus):
    """Neither the run that it began with, nor another reading: what it lacks would be lost later."""
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    version = new.versions.create(number=1, status="ready", documents=12, tokens=100, vocabulary=9)
    Corpus.objects.filter(pk=new.pk).update(
        status=Corpus.Status.READY, version=version, train_settings={}
    )
    at_work, waiting = (
        Run.objects.create(corpus=new, version=version, status=status, settings={"topics": 2})
        for status in (Run.Status.RUNNING, Run.Status.QUEUED)
    )
    Version.objects.filter(pk=corpus.version_id).update(documents=corpus.documents + 1)
    erasure.finish()
    for row in (new, at_work, waiting):
        row.refresh_from_db()
    assert (new.status, at_work.request, waiting.status) == ("failed", "cancel", "cancelled")
    with pytest.raises(Invalid, match="Delete it"):
        corpora.read(new, corpora.ReadingSettings(**new.settings))
    page = Client()
    page.force_login(corpus.owner)
    shown = page.get(reverse("corpus", args=[new.pk])).content.decode()
    assert (
        "Nothing was erased: delete this corpus" in shown and "Change how it is read" not in shown
    )


def test_a_copy_that_was_deleted_does_not_come_back(corpus):
    """What was added to the old corpus meanwhile would be lost; and it may have been erased again."""
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    deletion.delete_corpus(new)
    versions.choose_again(corpus)
    with pytest.raises(Invalid, match="Erase the documents there again"):
        deletion.bring_back(Corpus.everything.get(pk=new.pk))


def test_the_run_that_follows_has_the_named_topics_and_its_other_seeds(corpus):
    """They were left out without a word: the topics had other numbers and names."""
    named = [NamedTopic("Harvests", ("harvest",)), NamedTopic("Post", ("letter", "day"))]
    run = runs.create(
        corpus.version, topics=3, seed=5, consensus=True, topics_named=named, by=corpus.owner
    )
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DONE)
    form = {"act": "erase", "names": "Ada", "value": her_values(corpus), "sure": "1", "train": "1"}
    assert post(corpus, **form).status_code == 302
    # As if it had been read, and its words were the same
    new = Corpus.objects.get(replaces=corpus)
    new.version = corpus.version
    runs.train_when_read(new)
    follows = Run.objects.exclude(pk=run.pk).get(version=corpus.version)
    assert Steering.of_run(follows) == Steering.of_run(run)
    assert (follows.settings, follows.seed) == (run.settings, 5)


def test_what_was_deleted_meanwhile_does_not_come_back_as_its_copy(corpus):
    """It can be restored from what was deleted, without the documents that were to go."""
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    deletion.delete_corpus(corpus)
    Corpus.objects.filter(pk=new.pk).update(status=Corpus.Status.READY)
    erasure.finish()
    assert not Corpus.objects.filter(pk__in=[corpus.pk, new.pk]).exists()
    deletion.bring_back(Corpus.everything.get(pk=new.pk))
    restored = Corpus.objects.get(pk=new.pk)
    assert (restored.name, restored.replaces) == (corpus.name, None)
    assert not Corpus.objects.filter(pk=corpus.pk).exists()


def replaced(corpus: Corpus, new: Corpus) -> Corpus:
    """The new corpus, when it has taken the place of the old one."""
    Corpus.objects.filter(pk=new.pk).update(status=Corpus.Status.READY)
    erasure.finish()
    assert not Corpus.objects.filter(pk=corpus.pk).exists()
    return Corpus.objects.get(pk=new.pk)


def test_parts_stay_parts_of_the_corpus_that_takes_the_place(corpus):
    """An embargo reaches them, and the next erasure names them."""
    ben = User.objects.get(name="Ben")
    of_it = {"documents": 3, "of": 20, "sentence": "", "parameters": []}
    about = {"parent": corpus, "owner": ben, "provenance": of_it}
    part = Corpus.objects.create(name="His part", status=Corpus.Status.READY, **about)
    copied = Corpus.objects.create(name="Not made yet", status=Corpus.Status.QUEUED, **about)
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = replaced(corpus, erasure.erase(corpus, numbers, corpus.owner, train=False))
    assert erasure.related(new) == [part]
    copied.refresh_from_db()
    assert copied.parent_id == corpus.pk, "documents have other numbers in the new one"
    embargo.set_embargo(new, True)
    part.refresh_from_db()
    assert part.embargo


def test_a_group_that_has_a_role_in_both_has_that_of_the_new_one(corpus, settings):
    settings.OIDC_GROUPS = "groups"
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    for shared, role in ((corpus, "viewer"), (new, "editor")):
        sign_on_groups.share(shared, "lab", role)
    sign_on_groups.share(corpus, "library", "viewer")
    roles = replaced(corpus, new).group_roles.values_list("group__name", "role")
    assert set(roles) == {("lab", "editor"), ("library", "viewer")}


def test_a_copy_needs_no_room_beside_the_corpus_that_it_replaces(corpus, settings):
    settings.MOST = settings.MOST | {"documents": 25}
    Corpus.objects.filter(pk=corpus.pk).update(documents_read=20)
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    new.refresh_from_db()
    with transaction.atomic():
        quotas.check_documents(new, 12)
    Corpus.objects.filter(pk=new.pk).update(replaces=None)
    new.refresh_from_db()
    with pytest.raises(Invalid, match="5 documents more"), transaction.atomic():
        quotas.check_documents(new, 12)


def test_a_copy_without_its_files_is_logged_and_waits_and_elsewhere_none_is_looked_at(
    corpus, settings
):
    numbers = erasure.chosen_documents(corpus, her_values(corpus))
    new = erasure.erase(corpus, numbers, corpus.owner, train=False)
    Corpus.objects.filter(pk=new.pk).update(status=Corpus.Status.READY)
    (files.corpus_folder(new.pk) / corpora.NUMBERS).unlink()
    with pytest.raises(ExceptionGroup):
        erasure.finish()
    settings.SOURCES = False  # a machine that does not see the uploaded files
    erasure.finish()
    new.refresh_from_db()
    corpus.refresh_from_db()
    assert new.replaces == corpus and corpus.deleted_at is None


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_of_the_documents_of_a_person(draft, settings):
    """In rows, files, Redis, pages and exports. Her word is in no corpus of another test, whose files
    may be there yet. A worker reads over a connection of its own, so all is committed."""
    corpus = letters(draft, settings, GONE_WORD, GONE_NAME)
    run = run_on(corpus, seed=1, topics=2, passes=1)
    ben = User.objects.get(name="Ben")
    pin_letters(run, ben)
    export = kept.ask(run, corpus.owner, "texts-conllu.conllu", QueryDict(""))
    kept.make(export.pk)
    with embargo.reading(Person(ben.pk)):
        embargo.read_part(corpus, 0, 0)
        embargo.read_part(corpus, 1, 0)
    link, _ = sharing.make_link(corpus, corpus.owner, "jury", 7)
    assert GONE_WORD in shown(corpus, run)["document"], "a page that is in memory from here on"
    folders = [
        files.corpus_folder(corpus.pk),
        files.version_folder(corpus.version_id),
        files.run_folder(run.pk),
        files.export_folder(export.pk),
    ]
    places = searched(GONE_WORD)[GONE_WORD]
    assert {f"document_{corpus.pk}", f"word_{corpus.version_id}", "pin"} <= places
    assert any(place.startswith(str(folders[3])) for place in places)

    values = [value.key for value in erasure.find(corpus, [GONE_NAME]) if value.complete]
    form = {"act": "erase", "names": GONE_NAME, "value": values, "sure": "1", "train": "1"}
    assert post(corpus, **form).status_code == 302
    new = Corpus.objects.get(replaces=corpus)
    erasure.finish()
    assert Corpus.objects.filter(pk=corpus.pk).exists(), "it stays until the new one is ready"
    assert new.is_replacement and not new.has_own_files
    read_corpus(new.pk)
    new.refresh_from_db()
    assert new.status == "ready", new.error
    erasure.finish()
    deletion.remove_due()

    new.refresh_from_db()
    assert (new.name, new.public, new.replaces, new.documents) == (corpus.name, True, None, 12)
    assert new.provenance["erased"] == 8 and new.reading_kept
    assert not (new.is_replacement or new.is_part or new.has_own_files or new.is_read_anew)
    for add_or_copy in (corpora.copy_as_draft, partial(corpora.create_addition, received=[])):
        with pytest.raises(Invalid, match="went when documents of it were erased"):
            add_or_copy(new)
    assert list(new.memberships.values_list("user__name", "role")) == [("Ben", "editor")]
    assert new.links.get().pk == link.pk
    assert not Corpus.everything.filter(pk=corpus.pk).exists()
    assert not Run.everything.filter(pk=run.pk).exists()
    pins = list(Pin.objects.order_by("position").values_list("title", "quote"))
    book = Pin.objects.values_list("notebook", flat=True).distinct().get()
    owner = Client()
    owner.force_login(ben)
    assert owner.get(reverse("notebook", args=[book])).status_code == 200
    assert pins == [(erasure.EMPTIED, ""), ("Letter 1", "harvest")]
    opened = Reading.objects.filter(corpus=new, kind="opened").values_list("document", "digest")
    assert {number for number, _ in opened} == {None, 1}
    assert [bytes(digest) for number, digest in opened if number is None][:1] == [b""]
    again = new.runs.get()
    assert again.settings["topics"] == 2, "trained again"
    train(again.pk)
    again.refresh_from_db()
    assert again.status == "done", again.error
    assert not any(folder.exists() for folder in folders)
    assert not any(searched(GONE_WORD, *GONE_NAMES).values())
    assert set(shown(corpus, run).values()) == {"404"}
    after = shown(new, again) | exported(again)
    assert "harvest" in after["document"] and "harvest" in after["words.csv"]
    sought = re.compile("|".join([GONE_WORD, *GONE_NAMES]))
    assert not [name for name, page in after.items() if sought.search(page)]


def pin_letters(run: Run, by: User) -> None:
    """The first letter is hers, the second one is not."""
    book = notebooks.create("Evidence", by.name, by)
    for number, quote in enumerate([GONE_WORD, "harvest"]):
        Pin.objects.create(
            notebook=book,
            position=number,
            kind="passage",
            title=f"Letter {number}",
            address=f"/runs/{run.pk}/documents/{number}/?passage=0-9",
            quote=quote,
            by=by.name,
        )


def shown(corpus: Corpus, run: Run) -> dict[str, str]:
    """What pages show to Ben, or their status where there are none."""
    client = Client()
    client.force_login(User.objects.get(name="Ben"))
    addresses = addresses_of(corpus, run) | {"overview": reverse("run", args=[run.pk])}
    return pages(client, addresses)


def test_an_embargo_of_a_corpus_that_was_made_again_can_be_ended(corpus):
    """It is no part of anything: its texts are its own."""
    made = {"whole": True, "erased": 1, "parameters": [], "sentence": ""}
    again = Corpus.objects.create(name="again", owner=corpus.owner, embargo=True, provenance=made)
    embargo.set_embargo(again, False)
    again.refresh_from_db()
    assert not again.embargo
    with embargo.reading(Person(corpus.owner_id)):
        Corpus.objects.filter(pk=again.pk).update(embargo=True)
        again.refresh_from_db()
        assert embargo.readers(again) == ()
