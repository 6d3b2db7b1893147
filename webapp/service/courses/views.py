"""Classes: a teacher's list of them, one with its students, the forms by which students join and
come back, and the page of a student."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

import qrcode
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from qrcode.image.svg import SvgPathImage

from inference.errors import Invalid
from webapp.core.notebooks import html, queries as notebooks
from webapp.models import Corpus, Course, Notebook, Run, Student
from webapp.platform.accounts import authorization, quotas
from webapp.platform.pages.page import check_act, show_errors, whole_number
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.platform.server import streams
from webapp.service.courses import queries, services
from webapp.service.exports.zips import Member, zipped

LONGEST_NAME = 80  # characters of a student's name and a title in the name of a file

MOST_OFFERED = 500  # corpora and notebooks to choose from
CODE = "code"  # in the session: the code of a student who has not noted it


@dataclass(frozen=True)
class CoursesPage:
    """students: how many there may be in all classes of this teacher; 0: this account teaches none.
    wrong: why none was made."""

    courses: QuerySet[Course]
    corpora: QuerySet[Corpus]
    students: int
    wrong: str


@dataclass(frozen=True)
class CoursePage:
    """link: to join by, "" where nobody can; qr: the same as a picture. wrong: why nothing was
    done."""

    course: Course
    link: str
    qr: SafeString
    students: list[queries.StudentRow]
    wrong: str


@dataclass(frozen=True)
class JoinPage:
    """course: None where the link holds no more, or where one comes back. wrong: why nobody was let
    in."""

    course: Course | None
    back: bool = False
    name: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class ClassPage:
    """A student's own page. code: to come back with, until they have noted it. run: the last that
    they trained."""

    student: Student
    code: str
    run: Run | None
    notebooks: list[tuple[Notebook, int]]
    handed_in: list[Notebook]


@never_cache
@typed("course/list.html")
def index(
    request: HttpRequest, posted: QueryDict | None
) -> HtmlPageResponse[CoursesPage] | HttpResponse:
    """The classes of a teacher; POST makes one."""
    if authorization.is_student(request):
        return redirect("class")
    teacher = authorization.signed_in(request)
    wrong = ""
    own_corpora = authorization.corpora(request).filter(
        owner=teacher, added_to=None, status=Corpus.Status.READY
    )
    students = (quotas.limits(teacher).students or 0) if settings.ACCOUNTS else 0
    if posted is not None:
        try:
            if not students:
                raise Invalid(
                    "name", "This account teaches no classes. Ask whoever runs this Topograph."
                )
            corpus = own_corpora.filter(pk=whole_number(posted, "corpus")).first()
            if corpus is None:
                raise Invalid("corpus", "Choose a corpus that is yours.")
            return redirect(
                "course",
                services.create(
                    teacher, corpus, posted.get("name", ""), whole_number(posted, "days")
                ).pk,
            )
        except Invalid as error:
            wrong = error.message
    taught = (
        authorization.courses(request).select_related("corpus").annotate(count=Count("students"))
    )
    page = CoursesPage(taught, own_corpora.order_by("-pk")[:MOST_OFFERED], students, wrong)
    return HtmlPageResponse(page, status=_status(wrong))


@never_cache
@typed("course/detail.html")
def detail(
    request: HttpRequest, course_id: int, posted: QueryDict | None
) -> HtmlPageResponse[CoursePage] | HttpResponse:
    """A class: who joined, what each does and has handed in; POST changes it."""
    course = _course(request, course_id)
    wrong = ""
    new_codes: dict[int, str] = {}
    if posted is not None:
        try:
            if not (new_codes := _act(course, posted)):
                return redirect("course", course.pk)
        except Invalid as error:
            wrong = error.message
    link = request.build_absolute_uri(reverse("join", args=[course.token])) if course.token else ""
    # A picture (SVG) that a phone reads; the library's own, of squares alone
    qr = (
        qrcode.make(link, image_factory=SvgPathImage, border=2).to_string(encoding="unicode")
        if link
        else ""
    )
    page = CoursePage(course, link, mark_safe(qr), queries.students(course, new_codes), wrong)
    return HtmlPageResponse(page, status=_status(wrong))


def _status(wrong: str) -> HTTPStatus:
    """The status of a page with a form. wrong: why what was sent was refused, "" where it was
    not."""
    return HTTPStatus.BAD_REQUEST if wrong else HTTPStatus.OK


def _course(request: HttpRequest, pk: int) -> Course:
    """A class of the user's."""
    course = authorization.courses(request).select_related("corpus", "owner").filter(pk=pk).first()
    if course is None:
        raise Http404(f"There is no class {pk}.")
    return course


def _act(course: Course, posted: QueryDict) -> dict[int, str]:
    """Do what a form asks for; returns the new code of a student."""

    def student() -> Student:
        number = whole_number(posted, "student")
        student = (
            course.students.filter(number=number, user__is_active=True)
            .select_related("user")
            .first()
        )
        if student is None:
            raise Invalid("student", f"There is no student {number} in this class.")
        return student

    def renew_code() -> dict[int, str]:
        renewed = student()
        return {renewed.number: services.new_code(renewed)}

    acts: dict[str, Callable[[], dict[int, str] | None]] = {
        "code": renew_code,
        "remove": lambda: services.remove(student()),
        "open": lambda: services.invite(course, on=True),
        "close": lambda: services.invite(course, on=False),
        "last": lambda: services.set_days(course, whole_number(posted, "days")),
    }
    act = posted.get("act", "")
    check_act(act, acts)
    do = acts[act]
    return do() or {}


@require_safe
def handed_in(request: HttpRequest, course_id: int) -> StreamingHttpResponse:
    """The last notebook that each student handed in, as HTML files in a ZIP archive."""
    course = _course(request, course_id)
    seen = authorization.corpora(request)
    root = request.build_absolute_uri("/").rstrip("/")

    def members() -> Iterator[Member]:
        for student, book in queries.last_handed_in(course):
            title = slugify(f"{student.name} {book.title}", allow_unicode=True)[:LONGEST_NAME]
            page = html.notebook(notebooks.content(book, seen), root)
            yield Member(f"{student.number:03}-{title}.html", [page.encode()])

    return streams.download(zipped(members()), f"class-{course.pk}.zip", "application/zip")


@never_cache
@typed("course/join.html")
def join(
    request: HttpRequest, token: str, posted: QueryDict | None
) -> HtmlPageResponse[JoinPage] | HttpResponse:
    """For whoever has a class's link: joins it by a name."""
    course = services.invited(token) if settings.ACCOUNTS else None
    if course is None:
        return HtmlPageResponse(JoinPage(None), status=404)
    if (joined := authorization.student(request)) and joined.course_id == course.pk:
        return redirect("class")
    if posted is None:
        return HtmlPageResponse(JoinPage(course))
    try:
        student, code = services.join(course, posted.get("name", ""))
    except Invalid as error:
        return HtmlPageResponse(
            JoinPage(course, name=posted.get("name", ""), wrong=error.message), status=400
        )
    return _signed_in(request, student, code)


@never_cache
@typed("course/join.html")
def come_back(
    request: HttpRequest, posted: QueryDict | None
) -> HtmlPageResponse[JoinPage] | HttpResponse:
    """For a student on another machine, or who signed out: by the code that they noted."""
    if not settings.ACCOUNTS:
        raise Http404("Classes need accounts.")
    if posted is None:
        return HtmlPageResponse(JoinPage(None, back=True))
    if student := services.of_code(posted.get("code", "")):
        return _signed_in(request, student)
    wrong = (
        "Nobody has this code. It has three groups of four letters and digits; your teacher can"
        " give you another."
    )
    return HtmlPageResponse(JoinPage(None, back=True, wrong=wrong), status=400)


def _signed_in(request: HttpRequest, student: Student, code: str = "") -> HttpResponse:
    login(request, student.user, settings.AUTHENTICATION_BACKENDS[0])
    request.session[CODE] = code
    return redirect("class")


@never_cache
@typed("course/own.html")
def own_class(
    request: HttpRequest, posted: QueryDict | None
) -> HtmlPageResponse[ClassPage] | HttpResponse:
    """Where a student begins, and hands in; POST hands in a notebook."""
    student = authorization.student(request)
    if student is None:
        raise Http404("This account is not in a class.")
    own_notebooks = authorization.notebooks(request)
    if posted is not None and posted.get("act") == "noted":
        request.session.pop(CODE, None)
    elif posted is not None:
        with show_errors(request):
            notebook = own_notebooks.filter(
                pk=whole_number(posted, "notebook"), removed_at=None
            ).first()
            if notebook is None:
                raise Invalid("notebook", "Choose a notebook of yours.")
            services.hand_in(student, notebook)
            messages.success(request, f"“{notebook.title}” is handed in, as it is now.")
    if posted is not None:
        return redirect("class")
    last = authorization.runs(request).filter(by=student.user).order_by("-pk").first()
    notebooks_listed = notebooks.list_notebooks(own_notebooks)[0]
    handed_in = list(student.handed_in.order_by("-pk"))
    return HtmlPageResponse(
        ClassPage(student, request.session.get(CODE, ""), last, notebooks_listed, handed_in)
    )
