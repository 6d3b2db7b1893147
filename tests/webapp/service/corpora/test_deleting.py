"""Deleting a corpus or a run: gone at once, back for a while, then nothing of it is left
anywhere."""

import os
import re
import shutil
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from tasks.runs import train
from tests.addresses import FILES, OF_ALL, OTHER, PAGES, POSTS, STREAMS, address
from tests.corpora import example_rows
from tests.sweeping import STALE, sweep_for
from tests.webapp.making import corpus_of, run_on
from tests.webapp.page_text import in_one_line
from tests.webapp.service.codebook.making import code_all, drawn
from webapp.core.notebooks import pin_contents, services as notebooks
from webapp.core.results import evidence
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, versions
from webapp.models import (
    Answer,
    CodeFile,
    Comparison,
    Corpus,
    Document,
    Edit,
    Export,
    GroupRole,
    Membership,
    Pin,
    Reading,
    Replicate,
    Run,
    SignOnGroup,
    TextReader,
    TextShown,
    User,
    Version,
)
from webapp.platform.accounts import sharing
from webapp.platform.jobs import claims, events, kinds
from webapp.platform.storage import bulk, files
from webapp.service.codebook import agreement, coding, concepts
from webapp.service.corpora import deleted, deletion
from webapp.service.operations import upkeep

pytestmark = pytest.mark.django_db

# Tables that hold nothing of a corpus: Django's own, and what readers keep. A pin keeps evidence as
# it was, and stays.
OF_NOTHING = (
    "webapp_sealed",  # only with a store: tests/webapp/platform/storage/test_sealed.py
    "django_",
    "auth_",
    "account_",
    "socialaccount_",
    "mfa_",
    "webapp_notebook",
    "webapp_pin",
    "webapp_apitoken",
    "webapp_user",
    "webapp_groupmember",
    "webapp_course",  # it stays without its texts, until its end
    "webapp_student",
)


@pytest.fixture(scope="module")
def made(draft, django_db_blocker, tmp_path_factory):
    """What there was before; and then a corpus with everything that there can be of one: a finished
    run, one of its own words, one that waits, files that are to be added, what readers said.
    Committed, as heartbeats come over a connection of their own."""
    with django_db_blocker.unblock():
        ada = User.objects.create_user("ada.deleting@example.org", "Ada of deleting")
        User.objects.local()
        upkeep.tidy()  # what other tests left
        before = everything()
        corpus = corpus_of(draft, example_rows(60), "speeches.csv", language="en", min_documents=2)
        run = run_on(corpus, topics=4, passes=1)
        less = runs.without(run, [_word(corpus)])
        _train(less)
        runs.create(corpus.version, topics=3)
        for each in (run, less):
            Edit.objects.create(
                run=each, topic=1, field="label", value="War", batch=uuid4(), by="Ada"
            )
            Answer.objects.create(run=each, reader="Ada", kind="fit", topic=1, seed=0, payload={})
            Replicate.objects.create(run=each, seed=1, status="ready")
        concept = drawn(run, 10, topic="", overlap=100)
        code_all(
            concept, [coding.join(concept, name) for name in ("Ada", "Eve")], lambda coder, text: 1
        )
        coding.settle(concept, concept.draw.items.earliest("pk").pk, 0, "Ada")
        concepts.choose(concept, 3, "a good one", "Ada")
        agreement.page(run, concept, None)
        CodeFile.objects.create(concept=concept, run=run, by="Ada", size=0, status="ready")
        first, second = sorted(Run.objects.get(pk=each.pk).snapshot_id for each in (run, less))
        Comparison.objects.create(first_id=first, second_id=second)
        about = {"file": "words.csv", "name": "words.csv", "sentence": "Words", "expected": 9}
        export = Export.objects.create(run=run, by=ada, **about)
        files.export_folder(export.pk).mkdir(parents=True)
        (files.export_folder(export.pk) / "file").write_bytes(b"number,word\n")
        Membership.objects.create(corpus=corpus, user=ada, role="viewer")
        TextShown.objects.create(
            reader=f"user {ada.pk}", digest=b"x" * 32, corpus=corpus, shown="{}"
        )
        TextReader.objects.create(reader=f"user {ada.pk}", corpus=corpus, texts=1, used_up=0)
        Reading.objects.create(
            corpus=corpus,
            within=corpus.pk,
            at=timezone.now(),
            by="account",
            kind="opened",
            user=ada,
        )
        sharing.add(corpus, "eve@example.org", "editor", ada)
        group = SignOnGroup.objects.create(name="historians")  # which goes with its last role
        GroupRole.objects.create(corpus=corpus, group=group, role="viewer")
        sharing.make_link(corpus, ada, "a colleague", 7)
        more = tmp_path_factory.mktemp("more") / "more"
        more.write_bytes(b"text\nmore of it\n")
        addition = corpora.create_addition(corpus, [corpora.ReceivedFile("more.csv", more)])
        folders = [
            files.corpus_folder(corpus.pk),
            files.corpus_folder(addition.pk),
            files.version_folder(corpus.version_id),
        ]
        folders += [
            files.run_folder(run.pk),
            files.run_folder(less.pk),
            files.export_folder(export.pk),
        ]
        yield before, corpus, folders
        deletion.delete_corpus(Corpus.everything.get(pk=corpus.pk))
        deletion.expire_now(corpus)
        upkeep.tidy()
        ada.delete()


@pytest.fixture()
def whole(made, db, tmp_path):
    """The corpus, as it was made; a test's transaction is rolled back, its files and its news are
    put back here."""
    _, corpus, folders = made
    for i, folder in enumerate(folders):
        shutil.copytree(folder, tmp_path / "kept" / str(i), copy_function=os.link)
    events.corpus(corpus.pk, {"type": "status"})
    events.run(corpus.runs.earliest("pk").pk, {"type": "status"})
    yield Corpus.objects.select_related("version").get(pk=corpus.pk)
    for i, folder in enumerate(folders):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "kept" / str(i), folder, copy_function=os.link)


def _word(corpus) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word FROM word WHERE version_id = %s ORDER BY tokens DESC LIMIT 1",
            [corpus.version_id],
        )
        return cursor.fetchone()[0]


def _train(run: Run) -> None:
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error


def tables() -> dict[str, Counter]:
    """Every table of the database, as the catalogue has them, with its rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace ="
            " 'public'::regnamespace"
        )
        names = [name for (name,) in cursor.fetchall()]
        found = {}
        for name in names:
            cursor.execute(f'SELECT md5(r::text) FROM "{name}" r')
            found[name] = Counter(cursor.fetchall())
    return found


def on_disk() -> set[str]:
    """What lies in the folders of corpora, versions, runs, uploads, and whatever else there is."""
    return {str(path.relative_to(settings.FILES)) for path in settings.FILES.glob("*/**/*")}


def in_redis() -> set[bytes]:
    """Every key but the queues, whose messages hold a number alone, and what tests of another file
    tried, which expires meanwhile; and of the stream of news every entry's subject."""
    client = events.client()
    queues = [name.encode() for name in settings.QUEUES]
    of_others = (
        b"_kombu",
        *queues,
        b"web:",
        b"cache:",
        b"sizes",
        b"counts",
        b"tried:tasks.of.tests:",
        events.STREAM.encode(),
    )
    keys = {key for key in client.scan_iter("*") if not key.startswith(of_others)}
    return keys | {fields[b"about"] for _, fields in client.xrange(events.STREAM)}


def everything() -> tuple:
    return tables(), on_disk(), in_redis()


def test_nothing_is_left(made, whole):
    before = made[0]
    corpus = whole
    numbers = list(corpus.runs.values_list("pk", flat=True))
    now = tables()
    filled = {re.sub(r"_\d+$", "", name) for name in now if now[name] != before[0].get(name)}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND"
            " relnamespace = 'public'::regnamespace"
        )
        wanted = {name for (name,) in cursor.fetchall() if not name.startswith(OF_NOTHING)} - set(
            now
        ).difference(before[0])
    assert filled >= wanted, (
        f"the fixture `whole` must fill {wanted - filled}, so that this test sees whether deleting"
        " clears them"
    )
    deletion.delete_corpus(corpus)
    upkeep.tidy()
    # It can be brought back
    assert tables().keys() == now.keys() and files.corpus_folder(corpus.pk).exists()
    deletion.expire_now(corpus)
    upkeep.tidy()
    for pk in numbers:  # a message that is still on its way finds nothing to do
        train(pk)
    for left, was in zip(everything(), before, strict=True):
        assert left == was


class Killed(BaseException):
    """As a kill would be: nothing catches it."""


@pytest.mark.parametrize(
    "at",
    [
        (shutil, "rmtree", 1),
        (shutil, "rmtree", 5),
        (events, "forget", 1),
        (deletion, "delete_rows", 2),
        (deletion, "delete_rows", 4),
        (bulk, "drop", 6),
    ],
    ids=lambda at: f"{at[1]} {at[2]}",
)
def test_nothing_is_left_whenever_it_is_killed(made, whole, monkeypatch, at):
    before = made[0]
    deletion.delete_corpus(whole)
    deletion.expire_now(whole)
    module, name, times = at
    calls, real = iter(range(1, 100)), getattr(module, name)

    def killed(*arguments, **more):
        if next(calls) == times:
            raise Killed
        return real(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, killed)
        with pytest.raises(Killed):
            upkeep.tidy()
    for _ in range(2):
        upkeep.tidy()
    for left, was in zip(everything(), before, strict=True):
        assert left == was


def test_a_run_alone(whole):
    run = whole.runs.earliest("pk")
    others = whole.runs.count() - 1
    snapshot = run.snapshot_id
    deletion.delete_run(run)
    deletion.expire_now(run)
    upkeep.tidy()
    assert whole.runs.count() == others and Corpus.objects.filter(pk=whole.pk).exists()
    assert not files.run_folder(run.pk).exists() and f"topic_word_{snapshot}" not in tables()
    child = whole.runs.get(dropped__len=1)
    assert child.parent is None and files.run_folder(child.pk).exists()


# Gone at once
# ------------------------------------------------------------------------------------------------------------------------


def test_every_page_of_what_is_deleted_is_gone(client, whole):
    run = whole.runs.earliest("pk")
    names = [*PAGES, *(f"{name}_json" for name in PAGES), *FILES, *STREAMS, *OTHER]
    deletion.delete_corpus(whole)
    for name in names:
        if name not in OF_ALL:
            assert client.get(address(name, whole.pk, run.pk)).status_code == 404, name
    for name in POSTS:
        at = address(name, whole.pk, run.pk)
        if (
            at.startswith(("/corpora/", "/runs/"))
            and "/deleted/" not in at
            and at not in ("/corpora/", "/corpora/example/")
        ):
            if name not in ("corpus_delete", "run_delete"):
                assert client.post(at).status_code == 404, name
    for path in (f"corpora/{whole.pk}", f"runs/{run.pk}", f"corpora/{whole.pk}/runs"):
        assert client.get(f"/api/v1/{path}").status_code == 404
    assert f"/corpora/{whole.pk}/" not in client.get("/").content.decode()
    assert f"run={run.pk}" not in client.get("/compare/").content.decode()
    assert (
        Run.objects.filter(corpus=whole).count()
        == Version.objects.filter(corpus=whole).count()
        == 0
    )


def test_counts_leave_deleted_runs_out(client, whole):
    run = whole.runs.earliest("pk")
    waiting = whole.runs.latest("pk")
    deletion.delete_run(waiting)
    deletion.delete_run(run)
    page = client.get(reverse("corpus", args=[whole.pk]))
    assert [row.id for row in page.context["html"].runs] == [whole.runs.get().pk]
    assert page.context["html"].versions[0].runs == 1
    child = whole.runs.get()
    html = client.get(reverse("run", args=[child.pk])).content.decode()
    assert reverse("run", args=[run.pk]) not in html
    assert client.get(reverse("run_without_json", args=[child.pk])).json()["parent"] is None
    with pytest.raises(Invalid, match="began with the topics of a run that is deleted"):
        runs.train_again(child)


def test_work_on_it_ends_and_goes_on(whole):
    run = runs.create(whole.version, topics=3)
    first = claims.claim(kinds.TRAIN, run.pk)
    deletion.delete_run(run)
    with pytest.raises(claims.ClaimLost):
        claims.update(kinds.TRAIN, run.pk, first, step=1)
    Run.everything.filter(pk=run.pk).update(heartbeat_at=Now() - timedelta(hours=1))
    sweep_for(STALE + 5)
    assert (
        Run.everything.get(pk=run.pk).status == "running"
        and claims.claim(kinds.TRAIN, run.pk) is None
    )
    deletion.bring_back(Run.everything.get(pk=run.pk))
    assert Run.objects.get(pk=run.pk).status == "queued"
    assert claims.claim(kinds.TRAIN, run.pk) == first + 1
    with pytest.raises(claims.ClaimLost):
        claims.update(kinds.TRAIN, run.pk, first, step=1)


def test_a_version_that_is_being_made_ends_and_goes_on(whole):
    version = versions.choose(whole, versions.VocabularySettings.from_dict(whole.version.settings))
    first = claims.claim(kinds.VECTORIZE, version.pk)
    deletion.delete_corpus(whole)
    with pytest.raises(claims.ClaimLost):
        claims.update(kinds.VECTORIZE, version.pk, first)
    deletion.bring_back(Corpus.everything.get(pk=whole.pk))
    assert claims.claim(kinds.VECTORIZE, version.pk) == first + 1


def test_a_version_that_its_corpus_gets_while_it_is_read_is_left_to_the_reading(whole):
    """It has no attempt of its own; whoever reads the corpus again makes it anew."""
    Corpus.objects.filter(pk=whole.pk).update(status="reading", attempt=1)
    version = whole.versions.create(number=whole.version.number + 1, status="choosing")
    deletion.delete_corpus(whole)
    deletion.bring_back(Corpus.everything.get(pk=whole.pk))
    assert Corpus.objects.get(pk=whole.pk).status == "queued"
    assert claims.claim(kinds.VECTORIZE, version.pk) is None


def test_what_a_task_still_works_on_is_not_taken_away(whole):
    run = runs.create(whole.version, topics=3)
    claims.claim(kinds.TRAIN, run.pk)
    deletion.delete_run(run)
    deletion.expire_now(run)
    deletion.remove_due()
    assert Run.everything.filter(pk=run.pk).exists()
    Run.everything.filter(pk=run.pk).update(heartbeat_at=Now() - claims.STALE)
    deletion.remove_due()
    assert not Run.everything.filter(pk=run.pk).exists()


def test_nothing_begins_on_a_deleted_corpus(whole):
    deletion.delete_corpus(whole)
    with pytest.raises(Invalid, match="just been deleted"):
        runs.create(whole.version, topics=3)
    with pytest.raises(Invalid, match="just been deleted"):
        versions.choose(whole, versions.VocabularySettings.from_dict(whole.version.settings))


def test_memory_and_open_files_are_let_go(client, whole):
    run = whole.runs.earliest("pk")
    evidence.of(run)
    assert evidence.open_run_evidence.cache_info().currsize
    client.post(reverse("run_delete", args=[run.pk]))
    assert evidence.open_run_evidence.cache_info().currsize == 0


# Back again
# --------------------------------------------------------------------------------------------------------------------------


def test_undo_brings_back_all_of_it(client, whole):
    run = whole.runs.earliest("pk")
    early = whole.runs.latest("pk")
    deletion.delete_run(early)
    before = client.get(reverse("run_topics_json", args=[run.pk])).json()
    response = client.post(reverse("corpus_delete", args=[whole.pk]), follow=True)
    html = in_one_line(response)
    assert (
        whole.name in html and "60 documents" in html and "2 runs" in html and "Restore it" in html
    )
    assert (timezone.now() + timedelta(days=7)).strftime("%B %Y") in html
    listed = client.get(reverse("deleted_json")).json()["deleted"]
    # Its runs come and go with it
    assert [(row["kind"], row["id"]) for row in listed] == [("corpus", whole.pk)]
    assert client.get(reverse("run_deleted", args=[run.pk])).status_code == 200
    refused = client.post(reverse("run_bring_back", args=[run.pk]), follow=True)
    assert "Restore the corpus first" in refused.content.decode()

    assert (
        client.post(reverse("corpus_bring_back", args=[whole.pk]), follow=True).status_code == 200
    )
    assert client.get(reverse("run_topics_json", args=[run.pk])).json() == before
    assert whole.additions.count() == 1 and not Run.objects.filter(pk=early.pk).exists()
    listed = client.get(reverse("deleted_json")).json()["deleted"]
    assert [(row["kind"], row["id"], row["of"]["id"]) for row in listed] == [
        ("run", early.pk, whole.pk)
    ]


def test_the_list_is_walked_by_pages(client, whole, monkeypatch):
    monkeypatch.setattr(deleted, "PAGE", 2)
    made = [runs.create(whole.version, topics=2) for _ in range(5)]
    drafts = [Corpus.objects.create(name=f"draft {i}") for i in range(2)]
    for row in [*made[:3], *drafts, *made[3:]]:
        (deletion.delete_corpus if isinstance(row, Corpus) else deletion.delete_run)(row)
    # One moment for three
    Run.everything.filter(pk__in=[run.pk for run in made[:3]]).update(
        deleted_at=Now() - timedelta(hours=1)
    )
    # And for a corpus
    Corpus.everything.filter(pk=drafts[0].pk).update(
        deleted_at=Run.everything.get(pk=made[0].pk).deleted_at
    )
    url = reverse("deleted")
    found = []
    while url:
        page = client.get(url)
        found += [(row.kind, row.id) for row in page.context["page"].deleted]
        url = page.context["page"].next and reverse("deleted") + page.context["page"].next
    assert len(found) == len(set(found)) == 7
    assert found[:3] == [("run", made[4].pk), ("run", made[3].pk), ("corpus", drafts[1].pk)]
    assert client.get(reverse("deleted") + "?after=x").status_code == 400


def test_it_ends_after_some_days(client, whole, settings):
    run = whole.runs.earliest("pk")
    deletion.delete_run(run)
    Run.everything.filter(pk=run.pk).update(deleted_at=Now() - timedelta(days=6.99))
    deletion.remove_due()
    assert client.get(reverse("run_deleted", args=[run.pk])).status_code == 200
    settings.KEEP_DELETED = 6
    assert client.get(reverse("deleted_json")).json()["deleted"] == []
    assert client.get(reverse("run_deleted", args=[run.pk])).status_code == 404
    assert client.post(reverse("run_bring_back", args=[run.pk])).status_code == 404
    with pytest.raises(Invalid, match="any more"):
        deletion.bring_back(Run.everything.get(pk=run.pk))
    deletion.remove_due()
    assert not Run.everything.filter(pk=run.pk).exists()


def test_for_good_is_asked_for_what_is_deleted_alone(client, whole):
    run = whole.runs.earliest("pk")
    assert client.post(reverse("run_for_good", args=[run.pk])).status_code == 400
    client.post(reverse("run_delete", args=[run.pk]))
    html = client.post(reverse("run_for_good", args=[run.pk]), follow=True).content.decode()
    assert "deleted for good" in html and f"/runs/{run.pk}/" not in html
    assert client.post(reverse("run_bring_back", args=[run.pk])).status_code == 404


def test_a_page_that_is_there_has_nothing_to_undo(client, whole):
    run = whole.runs.earliest("pk")
    assert client.get(reverse("run_deleted", args=[run.pk]))["Location"] == reverse(
        "run", args=[run.pk]
    )
    assert client.post(reverse("run_bring_back", args=[run.pk]))["Location"] == reverse(
        "run", args=[run.pk]
    )


# What readers keep
# ---------------------------------------------------------------------------------------------------------------------


def test_pins_stay_and_lead_nowhere(client, whole):
    run = whole.runs.earliest("pk")
    notebook = notebooks.create("Mine", "Ada")
    notebooks.pin(notebook, pin_contents.of_topic(run, 1), "", "Ada")
    text = Document.objects.get(corpus_id=whole.pk, number=3).text
    notebooks.pin(
        notebook, pin_contents.of_passage(whole, None, 3, text[:600], None, None), "", "Ada"
    )
    url = reverse("notebook", args=[notebook.pk])
    assert client.get(url).content.decode().count(f'href="/runs/{run.pk}/') == 1
    Corpus.objects.filter(pk=whole.pk).update(embargo=True)
    whole.refresh_from_db()
    deletion.delete_corpus(whole)
    for _ in range(2):  # while it can be brought back, and after
        html = client.get(url).content.decode()
        pins = client.get(url[:-1] + ".json").json()["pins"]
        assert (
            f"/runs/{run.pk}/" not in html
            and f"/corpora/{whole.pk}/" not in html
            and "deleted since" in html
        )
        assert [pin["deleted"] for pin in pins] == [True, True] and len(
            pins[1]["quote"]
        ) < 210  # embargo holds
        deletion.expire_now(whole)
        upkeep.tidy()
    assert (
        Pin.objects.filter(notebook=notebook).count() == 2
        and not Corpus.everything.filter(pk=whole.pk).exists()
    )


def test_folders_without_a_row_are_left_while_they_are_young(whole):
    """A row may be on its way: the files of a new corpus come before its transaction ends."""
    young = files.corpus_folder(10**9)
    old = files.run_folder(10**9)
    for folder in (young, old):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    upkeep.tidy()
    assert young.exists() and not old.exists()
    young.rmdir()


def test_what_bears_the_name_of_another_is_named_apart(client, ready, draft):
    added = draft(b"one two three", "a.txt")
    reading = draft(b"one two three", "b.txt")
    Corpus.objects.filter(pk=added.pk).update(added_to=ready, name=ready.name)
    Corpus.objects.filter(pk=reading.pk).update(parent=ready, name=ready.name)
    for corpus, said in (
        (added, f"Files for {ready.name}"),
        (reading, f"A new reading of {ready.name}"),
    ):
        page = client.post(reverse("corpus_delete", args=[corpus.pk]), follow=True).content.decode()
        assert said in page and said in client.get(reverse("deleted")).content.decode()
        assert f"“<bdi>{ready.name}</bdi>” is deleted" not in page
