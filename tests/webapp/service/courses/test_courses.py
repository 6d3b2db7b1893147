"""Classes: who joins, what students may do and who sees it, what is handed in, and what is left at
the end."""

import io
import re
import threading
import zipfile
from datetime import timedelta

import numpy as np
import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from webapp.core.notebooks import services as notebooks
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, versions
from webapp.models import Corpus, Course, Membership, Notebook, Pin, Run, Student, User
from webapp.platform.accounts import authorization, embargo, ownership, quotas, tokens
from webapp.service.corpora import deletion
from webapp.service.courses import services
from webapp.service.operations import upkeep
from webapp.service.privacy import erasure

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher(settings) -> User:
    settings.ACCOUNTS = True
    user = User.objects.create_user("teacher@example.org", "Ms Frizzle")
    user.most_students = 4
    user.save()
    return user


@pytest.fixture
def course(teacher) -> Course:
    corpus = Corpus.objects.create(name="Letters", owner=teacher, status="ready")
    corpus.version = corpus.versions.create(
        number=1, status="ready", tokens=1000, documents=100, vocabulary=500
    )
    corpus.save()
    return services.create(teacher, corpus, "History 101", 30)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def joined(course: Course, name: str = "Anna") -> tuple[Client, Student]:
    client = Client()
    answer = client.post(reverse("join", args=[course.token]), {"name": name})
    assert answer["Location"] == reverse("class"), answer.content.decode()
    return client, Student.objects.latest("pk")


def run_of(course: Course, by: User) -> Run:
    return runs.create(course.corpus.version, topics=2, seed=1, by=by)


@async_to_sync
async def received(answer) -> bytes:
    return b"".join([piece async for piece in answer.streaming_content])


def code_of(client: Client) -> str:
    return re.search(
        r'secret">([a-z2-9]{4}(-[a-z2-9]{4}){2})<', client.get(reverse("class")).content.decode()
    )[1]


def test_two_of_one_name_join_and_are_numbers_to_each_other(course):
    (first, anna), (_, other) = joined(course), joined(course)
    assert (anna.number, other.number) == (1, 2) and anna.user.name != other.user.name
    run = run_of(course, other.user)
    _ = run_of(course, course.owner)
    seen = (
        first.get(reverse("run", args=[run.pk])).content.decode()
        + first.get(reverse("corpus", args=[course.corpus_id])).content.decode()
    )
    assert other.user.name in seen and "Anna" not in seen
    teachers = signed_in(course.owner).get(reverse("course", args=[course.pk])).content.decode()
    assert teachers.count("Anna") >= 2 and f"Run {run.pk}" in teachers


def test_nobody_gets_the_name_of_a_student_who_was_removed(course):
    """By which what they answered and wrote is signed."""
    joined(course)
    _, last = joined(course)
    removed_name = last.user.name
    User.objects.filter(pk=last.pk).delete()
    _, newcomer = joined(course)
    assert newcomer.number == 3
    assert newcomer.user.name != removed_name


def test_a_class_has_as_many_as_its_teacher_may_have(course):
    for _ in range(4):
        joined(course)
    answer = Client().post(reverse("join", args=[course.token]), {"name": "Fifth"})
    assert answer.status_code == 400 and "The class is full" in answer.content.decode()
    assert Student.objects.count() == 4


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_a_name_that_can_not_be(course, name):
    assert Client().post(reverse("join", args=[course.token]), {"name": name}).status_code == 400
    assert not Student.objects.exists()


def test_a_link_that_is_out_lets_nobody_in(course):
    old = course.token
    client, _ = joined(course)
    services.invite(course, on=True)
    assert Client().post(reverse("join", args=[old]), {"name": "Late"}).status_code == 404
    course.refresh_from_db()
    joined(course, "Late")
    services.invite(course, on=False)
    course.refresh_from_db()
    assert course.token is None and client.get(reverse("class")).status_code == 200, (
        "who has joined stays"
    )
    services.invite(course, on=True)
    Course.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    course.refresh_from_db()
    assert Client().get(reverse("join", args=[course.token])).status_code == 404


def test_students_come_back_by_a_code_that_is_shown_once(course):
    client, student = joined(course)
    code = code_of(client)
    assert code == code_of(client), "until it is noted"
    client.post(reverse("class"), {"act": "noted"})
    assert code not in client.get(reverse("class")).content.decode()
    elsewhere = Client()
    assert elsewhere.post(reverse("come_back"), {"code": "aaaa-aaaa-aaaa"}).status_code == 400
    assert (
        elsewhere.post(
            reverse("come_back"), {"code": f" {code.upper().replace('-', ' ')} "}
        ).status_code
        == 302
    )
    assert elsewhere.get(reverse("class")).context["page"].student == student
    # The teacher gives another: the one before, and whoever is signed in by it, are out
    token = tokens.create("mine", student.user)[1]
    page = signed_in(course.owner).post(
        reverse("course", args=[course.pk]), {"act": "code", "student": "1"}
    )
    new = page.context["page"].students[0].code
    assert (
        elsewhere.get(reverse("class")).status_code
        == client.get(reverse("class")).status_code
        == 302
    )
    assert (
        Client().post(reverse("come_back"), {"code": code}).status_code == 400
        and tokens.find(token) is None
    )
    assert Client().post(reverse("come_back"), {"code": new}).status_code == 302


def test_students_train_on_the_corpus_and_change_nothing_of_others(course):
    client, student = joined(course)
    mine, teachers = (run_of(course, by) for by in (student.user, course.owner))
    for run, status in ((mine, 302), (teachers, 403)):
        assert client.post(reverse("run_stop", args=[run.pk])).status_code == status
        assert client.get(reverse("run", args=[run.pk])).status_code == 200
    assert client.post(reverse("corpus_delete", args=[course.corpus_id])).status_code == 403
    assert quotas.limits(student.user) == quotas.Limits(50_000_000, 100_000, 2, 0)


def test_what_belongs_to_accounts_with_an_address_is_not_there_for_students(course):
    client, student = joined(course)
    for name in ("account_email", "account_change_password", "account_set_password", "mfa_index"):
        assert client.get(reverse(name)).status_code == 404, name
    assert client.get(reverse("account"))["Location"] == reverse("class")
    own = Corpus.objects.create(name="Mine", owner=student.user, status="ready")
    answer = client.post(reverse("corpus_sharing", args=[own.pk]), {"act": "public", "public": "1"})
    assert answer.status_code == 400 and not Corpus.objects.get(pk=own.pk).public
    assert client.get(reverse("courses"))["Location"] == reverse("class")
    client.post(reverse("courses"), {"name": "x", "corpus": own.pk, "days": 3})
    assert Course.objects.count() == 1
    book = notebooks.create("Found", student.user.name, student.user)
    client.post(reverse("notebook_change", args=[book.pk]), {"act": "share"})
    assert Notebook.objects.get(pk=book.pk).token is None


def test_a_teacher_reads_what_students_upload_and_nobody_else_does(course):
    _, student = joined(course)
    own = Corpus.objects.create(name="Of Anna", owner=student.user, status="ready")
    reader = signed_in(course.owner)
    assert reader.get(reverse("corpus", args=[own.pk])).status_code == 200
    assert reader.post(reverse("corpus_delete", args=[own.pk])).status_code == 403
    assert "Of Anna" not in reader.get("/").content.decode(), "the teacher's own list stays short"
    another = User.objects.create_user("other@example.org", "Another")
    services.create(another, Corpus.objects.create(name="x", owner=another), "Other class", 3)
    classmate, _ = joined(course, "Ben")
    for client in (signed_in(another), classmate, Client()):
        assert client.get(reverse("corpus", args=[own.pk])).status_code == 404
    assert signed_in(another).get(reverse("course", args=[course.pk])).status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["part", "words", "erasure", "embargo", "owner"])
def test_a_student_joins_while_somebody_has_the_corpus_locked(course, way, monkeypatch):
    """Who joins has locked the teacher, who is locked behind the corpus elsewhere: waiting for the
    corpus they would wait for each other."""
    corpus = Corpus.objects.select_related("version").get(pk=course.corpus_id)
    # It is about the corpus: nobody waits for the teacher here
    monkeypatch.setattr(quotas, "one_at_a_time", lambda user: None)

    def join() -> None:
        services.join(course, "Anna")
        connection.close()

    with transaction.atomic():
        if way == "part":
            about = {"sentence": "some", "parameters": [], "run": None}
            reading = corpora.ReadingSettings()
            corpora.create_subset(corpus, np.arange(5), "Some", reading, about, course.owner)
        elif way == "words":
            versions.create(corpus, versions.VocabularySettings())
        elif way == "erasure":
            erasure.check_unchanged(corpus)
        elif way == "embargo":
            embargo.set_embargo(corpus, on=True)
        else:
            ownership.move(corpus, course.owner)
        joining = threading.Thread(target=join, daemon=True)
        joining.start()
        joining.join(5)
        assert not joining.is_alive()
    assert Student.objects.filter(course=course).count() == 1


# The archive is made in a thread, over a connection of its own
@pytest.mark.django_db(transaction=True)
def test_what_is_handed_in_is_the_teachers_copy(course):
    client, student = joined(course)
    book = notebooks.create("What I found", student.user.name, student.user)
    Pin.objects.create(
        notebook=book, position=1, kind="chart", title="A chart", address="/", by=student.user.name
    )
    Pin.objects.create(
        notebook=book,
        position=2,
        kind="chart",
        title="Removed",
        address="/",
        by="x",
        removed_at=timezone.now(),
    )
    assert client.post(reverse("class"), {"notebook": book.pk}).status_code == 302
    copy = Notebook.objects.get(handed_in_by=student)
    assert (copy.owner, copy.title, copy.student) == (course.owner, "What I found", "Anna") and [
        p.title for p in copy.pins.all()
    ] == ["A chart"]
    assert [p.title for p in book.pins.all()] == ["A chart", "Removed"], (
        "the student goes on with their own"
    )
    reader = signed_in(course.owner)
    assert "A chart" in reader.get(reverse("notebook", args=[copy.pk])).content.decode()
    assert client.get(reverse("notebook", args=[copy.pk])).status_code == 404
    assert "What I found" not in reader.get(reverse("notebooks")).content.decode()
    theirs = notebooks.create("Theirs", "x", course.owner)
    assert (
        client.post(reverse("class"), {"notebook": theirs.pk}, follow=True)
        .content.decode()
        .count("Choose a notebook of yours")
        == 1
    )
    services.hand_in(student, book)
    answer = reader.get(reverse("course_zip", args=[course.pk]))
    with zipfile.ZipFile(io.BytesIO(received(answer))) as pack:
        (name,) = pack.namelist()
        assert name == "001-anna-what-i-found.html" and "A chart" in pack.read(name).decode()
    Notebook.objects.bulk_create(
        Notebook(owner=course.owner, by="x", title="x", handed_in_by=student, student="Anna")
        for _ in range(8)
    )
    with pytest.raises(Invalid, match="10 times"):
        services.hand_in(student, book)


def test_the_teacher_sees_where_everybody_is(course):
    client, student = joined(course)
    client.get(reverse("corpus", args=[course.corpus_id]) + "?before=9")
    client.get(reverse("corpus_json", args=[course.corpus_id]))
    row = (
        signed_in(course.owner).get(reverse("course", args=[course.pk])).context["page"].students[0]
    )
    assert row.student.address == reverse("corpus", args=[course.corpus_id]) + "?before=9"


def test_at_its_end_all_goes_but_what_was_handed_in(course):
    client, student = joined(course)
    staying = Corpus.objects.create(name="Of the teacher", owner=course.owner)
    own = Corpus.objects.create(name="Mine", owner=student.user, status="ready")
    run = run_of(course, student.user)
    kept = run_of(course, course.owner)
    book = notebooks.create("Found", student.user.name, student.user)
    services.hand_in(student, book)
    Course.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    upkeep.tidy()
    assert client.get(reverse("class")).status_code == 302, "signed out at once"
    for _ in range(3):
        upkeep.tidy()
    assert (
        not Course.objects.exists()
        and not Student.objects.exists()
        and not User.objects.filter(pk=student.pk).exists()
    )
    assert (
        not Run.everything.filter(pk=run.pk).exists()
        and not Corpus.everything.filter(pk=own.pk).exists()
    )
    assert (
        Run.objects.filter(pk=kept.pk).exists()
        and Corpus.objects.filter(pk__in=[staying.pk, course.corpus_id]).count() == 2
    )
    assert [b.title for b in Notebook.objects.filter(owner=course.owner)] == ["Found"]
    assert "Anna" in signed_in(course.owner).get(reverse("notebooks")).content.decode()
    assert not Membership.objects.filter(corpus=course.corpus).exists()


def test_one_student_is_removed(course):
    client, student = joined(course)
    other, _ = joined(course, "Ben")
    page = signed_in(course.owner).post(
        reverse("course", args=[course.pk]), {"act": "remove", "student": "1"}, follow=True
    )
    assert "Anna" not in page.content.decode() and "Ben" in page.content.decode()
    assert (
        client.get(reverse("class")).status_code == 302
        and other.get(reverse("class")).status_code == 200
    )


def test_only_a_teacher_with_a_corpus_makes_a_class(teacher):
    theirs = Corpus.objects.create(
        name="Theirs", owner=User.objects.create_user("x@example.org", "X"), status="ready"
    )
    client = signed_in(teacher)
    assert "Upload the texts" in client.get(reverse("courses")).content.decode()
    assert (
        client.post(reverse("courses"), {"name": "C", "corpus": theirs.pk, "days": "3"}).status_code
        == 400
    )
    mine = Corpus.objects.create(name="Mine", owner=teacher, status="ready")
    for sent in (
        {"name": "", "days": "3"},
        {"name": "C", "days": "0"},
        {"name": "C", "days": "401"},
        {"name": "C", "days": "x"},
    ):
        assert client.post(reverse("courses"), {"corpus": mine.pk} | sent).status_code == 400
    made = client.post(
        reverse("courses"), {"name": "C", "corpus": mine.pk, "days": "3"}, follow=True
    ).content.decode()
    assert "<svg" in made and "/join/" in made


def test_while_accounts_are_off_there_are_no_classes(client, settings, course):
    settings.ACCOUNTS = False
    assert "Accounts are off" in client.get(reverse("courses")).content.decode()
    for name, value in (("join", course.token), ("course", course.pk), ("course_zip", course.pk)):
        assert client.get(reverse(name, args=[value])).status_code == 404
    assert (
        client.get(reverse("class")).status_code
        == client.get(reverse("come_back")).status_code
        == 404
    )
    assert authorization.courses(client.get("/").wsgi_request).count() == 0


def test_texts_that_were_deleted_take_nobody_in(course):
    client, student = joined(course)
    with pytest.raises(Invalid, match="not to a student"):
        ownership.offer(course.corpus, student.user.pk)
    deletion.delete_corpus(course.corpus)
    answer = Client().post(reverse("join", args=[course.token]), {"name": "Late"})
    assert answer.status_code == 400 and "can’t be shared" in answer.content.decode()
    assert "The texts of this class were deleted" in client.get(reverse("class")).content.decode()
    assert (
        "were deleted"
        in signed_in(course.owner).get(reverse("course", args=[course.pk])).content.decode()
    )
    assert "deleted" in signed_in(course.owner).get(reverse("courses")).content.decode()


# The archive is made in a thread, over a connection of its own
@pytest.mark.django_db(transaction=True)
def test_hostile_names_stay_text(course):
    client, student = joined(course, "<script>alert(1)</script>")
    book = notebooks.create("../../=cmd|x", student.user.name, student.user)
    services.hand_in(student, book)
    page = signed_in(course.owner).get(reverse("course", args=[course.pk])).content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    answer = signed_in(course.owner).get(reverse("course_zip", args=[course.pk]))
    with zipfile.ZipFile(io.BytesIO(received(answer))) as pack:
        assert re.fullmatch(r"001-[\w-]+\.html", pack.namelist()[0])


def test_a_class_of_a_corpus_that_its_teacher_lost_takes_nobody_in(course):
    Corpus.objects.filter(pk=course.corpus_id).update(
        owner=User.objects.create_user("heir@example.org", "Heir")
    )
    assert Client().post(reverse("join", args=[course.token]), {"name": "Late"}).status_code == 400
    User.objects.filter(pk=course.owner_id).update(is_active=False)
    assert Client().get(reverse("join", args=[course.token])).status_code == 404
    assert not Student.objects.exists()


def test_nothing_is_handed_in_after_the_end(course):
    client, student = joined(course)
    book = notebooks.create("Late", student.user.name, student.user)
    Course.objects.update(ends_at=timezone.now())
    client.post(reverse("class"), {"notebook": book.pk})
    assert not Notebook.objects.filter(student="Anna").exists()


def test_a_student_has_few_notebooks(course):
    _, student = joined(course)
    for _ in range(20):
        notebooks.create("x", "x", student.user)
    with pytest.raises(Invalid, match="20 notebooks"):
        notebooks.create("x", "x", student.user)


def test_a_student_that_can_not_be_removed_keeps_no_other_from_going(course, monkeypatch):
    (_, first), (_, second) = joined(course), joined(course)
    User.objects.filter(student__in=[first, second]).update(is_active=False)
    remove = services.remove

    def damaged(student: Student) -> None:
        if student.pk == first.pk:
            raise RuntimeError("damaged")
        remove(student)

    monkeypatch.setattr(services, "remove", damaged)
    with pytest.raises(ExceptionGroup):
        services.remove_ended()
    assert list(Student.objects.all()) == [first]


def test_more_students_than_go_at_a_time_do_not_keep_out_the_others(course, monkeypatch):
    (_, first), (_, second) = joined(course), joined(course)
    User.objects.filter(student__in=[first, second]).update(is_active=False)
    Corpus.objects.create(
        name="At work", owner=first.user, status="reading", added_to=course.corpus
    )
    monkeypatch.setattr(services, "STUDENTS_AT_A_TIME", 1)
    for _ in range(40):  # each of them is as often first as the other
        services.remove_ended()
    assert list(Student.objects.all()) == [first]
