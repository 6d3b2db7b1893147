"""What is done to a course: made, joined, left; a notebook handed in; and at its end all deleted
that its students made."""

import secrets
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from inference.errors import Invalid
from webapp.models import GONE, Corpus, Course, Membership, Notebook, Run, Student, User
from webapp.platform.accounts import quotas, sharing, tokens
from webapp.platform.tries import try_each
from webapp.platform.typed_text import one_line, person
from webapp.service.corpora import deletion

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # of a code: those that are not taken for another
CODE = 12  # letters: 59 bits, too many to be guessed
GROUP = 4  # letters of a code that are written together
TOKEN_BYTES = 32  # random ones of a class's link, which nobody can guess
DAYS = 400  # that a course may last
HANDED_IN = 10  # copies of one student's notebooks
STUDENTS_AT_A_TIME = 20  # students whose accounts are deleted at a time
# Of a student: 50 MB, 100,000 documents, two jobs, for texts of their own
MAY_HAVE = {"most_bytes": 50_000_000, "most_documents": 100_000, "most_jobs": 2, "most_students": 0}


def create(owner: User, corpus: Corpus, name: str, days: int) -> Course:
    """Raises Invalid where the corpus is not the teacher's own."""
    name = one_line(name)
    if not 0 < len(name) <= 100:
        raise Invalid("name", f"A class has a name of 1 to 100 characters; got {len(name)}.")
    if corpus.owner_id != owner.pk:
        raise Invalid(
            "corpus", f"“{corpus.name}” is not yours: its owner alone can open it to a class."
        )
    return Course.objects.create(
        owner=owner,
        corpus=corpus,
        name=name,
        token=secrets.token_urlsafe(TOKEN_BYTES),
        ends_at=_end(days),
    )


def _end(days: int) -> datetime:
    if not 0 < days <= DAYS:
        raise Invalid("days", f"A class can last 1 to {DAYS} days from today; got {days}.")
    return timezone.now() + timedelta(days=days)


def set_days(course: Course, days: int) -> None:
    """The course ends so many days from now."""
    Course.objects.filter(pk=course.pk).update(ends_at=_end(days))


def invite(course: Course, on: bool) -> None:
    """By another link: the one before leads nowhere from now on, who has joined stays. Or nobody
    can join any more."""
    Course.objects.filter(pk=course.pk).update(
        token=secrets.token_urlsafe(TOKEN_BYTES) if on else None
    )


def invited(token: str) -> Course | None:
    """The course of a link by which one can join now."""
    return (
        Course.objects.select_related("owner", "corpus")
        .filter(token=token, ends_at__gt=Now(), owner__is_active=True)
        .first()
    )


def join(course: Course, name: str) -> tuple[Student, str]:
    """A new account in the course, and the code with which it is come back to, which is said once.
    Raises Invalid."""
    name = person(name)
    with transaction.atomic():
        quotas.one_at_a_time(course.owner)
        limit = quotas.limits(course.owner).students or 0
        if Student.objects.filter(course__owner=course.owner).count() >= limit:
            raise Invalid(
                "name",
                f"The class is full: {course.owner.name} may have {limit:,} students. Tell them.",
            )
        if (
            course.texts is None
            or course.texts.owner_id != course.owner_id
            or course.texts.memberships.count() >= sharing.MOST_PEOPLE
        ):
            raise Invalid(
                "name",
                "The texts of this class can’t be shared with anybody more. Tell your teacher.",
            )
        Course.objects.filter(pk=course.pk).update(last_number=F("last_number") + 1)
        course.refresh_from_db(fields=["last_number"])
        number = course.last_number
        user = User.objects.create(name=f"Student {course.pk}-{number}", password="!", **MAY_HAVE)
        code, shown_code = _code()
        student = Student.objects.create(
            user=user, course=course, number=number, name=name, digest=tokens.digest(code)
        )
        Membership.objects.create(corpus=course.texts, user=user, role=Membership.Role.TRAINER)
    return student, shown_code


def _code() -> tuple[str, str]:
    """A new one, and the same in groups of four, as it is told."""
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
    groups = [code[i : i + GROUP] for i in range(0, CODE, GROUP)]
    return code, "-".join(groups)


def of_code(written: str) -> Student | None:
    """Whose code it is, however it was typed; None for nobody's."""
    code = "".join(c for c in written.lower() if c in LETTERS)
    return (
        Student.objects.select_related("user", "course")
        .filter(digest=tokens.digest(code), user__is_active=True, course__ends_at__gt=Now())
        .first()
    )


def new_code(student: Student) -> str:
    """Another code; the one before, sessions and API tokens are out."""
    code, shown_code = _code()
    Student.objects.filter(pk=student.pk).update(digest=tokens.digest(code))
    student.user.set_unusable_password()  # another one: sessions hold its hash
    student.user.save(update_fields=["password"])
    tokens.revoke_all(student.user)
    return shown_code


def hand_in(student: Student, notebook: Notebook) -> Notebook:
    """A copy of a notebook as it is now, which is the teacher's. Raises Invalid."""
    with transaction.atomic():
        quotas.one_at_a_time(student.user)
        if student.course.ends_at <= timezone.now():
            raise Invalid("notebook", "The class has ended: nothing can be handed in any more.")
        if student.handed_in.count() >= HANDED_IN:
            raise Invalid("notebook", f"You have handed in {HANDED_IN} times, which is the most.")
        pins = list(notebook.pins.filter(removed_at=None))
        copy = Notebook.objects.create(
            owner=student.course.owner,
            by=student.user.name,
            title=notebook.title,
            intro=notebook.intro,
            handed_in_by=student,
            student=student.name,
        )
        for pin in pins:
            pin.pk = None
            pin.notebook = copy
            pin._state.adding = True
        copy.pins.bulk_create(pins)
    return copy


def remove(student: Student) -> None:
    """Delete an account and all that it made. What was handed in stays. It can be repeated: the
    account itself goes when what it made is gone (webapp.service.operations.upkeep)."""
    user = student.user
    User.objects.filter(pk=user.pk).update(is_active=False)  # which ends sessions and tokens
    for run in Run.everything.filter(by=user).exclude(deleted_at=GONE)[:100]:
        deletion.delete_run(run)
        deletion.expire_now(run)
    for corpus in Corpus.everything.filter(owner=user, added_to=None).exclude(deleted_at=GONE)[
        :100
    ]:
        deletion.delete_corpus(corpus)
        deletion.expire_now(corpus)
    if (
        not Run.everything.filter(by=user).exists()
        and not Corpus.everything.filter(owner=user).exists()
    ):
        user.delete()


def remove_ended() -> None:
    """Remove courses that have ended, and students that were removed: accounts, some at a time;
    then the courses. Raises ExceptionGroup where some could not be removed."""
    ended = Student.objects.filter(course__ends_at__lt=Now()) | Student.objects.filter(
        user__is_active=False
    )
    # In another order each time: those that can't go yet don't keep the others from going
    students = ended.select_related("user").order_by("?")[:STUDENTS_AT_A_TIME]
    courses = Course.objects.filter(ends_at__lt=Now(), students=None)
    try_each([*(partial(remove, student) for student in students), courses.delete])
