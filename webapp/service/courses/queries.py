"""A course's students, for its teacher: what each does, and what was handed in."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, Subquery

from webapp.models import Course, Notebook, Run, Student


@dataclass(frozen=True)
class StudentRow:
    """run: the newest that they trained. pins: what their notebooks keep. code: a new one to come
    back with, which is shown once."""

    student: Student
    run: Run | None
    pins: int
    handed_in: list[Notebook]
    code: str


def students(course: Course, new_codes: dict[int, str]) -> list[StudentRow]:
    """Who is in a course, in the order in which they joined; new_codes: number -> new code.
    Three queries, however many there are."""
    newest = Run.objects.filter(by=OuterRef("user")).order_by("-pk").values("pk")[:1]
    pins_counted = Count(
        "user__notebooks__pins",
        filter=Q(user__notebooks__removed_at=None, user__notebooks__pins__removed_at=None),
    )
    active = course.students.filter(user__is_active=True)
    with_books = active.select_related("user").prefetch_related("handed_in")
    rows = list(with_books.annotate(run=Subquery(newest), kept=pins_counted))
    runs = Run.objects.select_related("corpus").in_bulk([row.run for row in rows if row.run])
    return [
        StudentRow(
            student=row,
            run=runs.get(row.run),
            pins=row.kept,
            handed_in=sorted(row.handed_in.all(), key=lambda book: -book.pk),
            code=new_codes.get(row.number, ""),
        )
        for row in rows
    ]


def last_handed_in(course: Course) -> Iterator[tuple[Student, Notebook]]:
    """The last notebook of each student who has handed one in."""
    for student in course.students.prefetch_related("handed_in"):
        if books := list(student.handed_in.all()):
            yield student, max(books, key=lambda book: book.pk)
