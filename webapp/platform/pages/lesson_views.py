"""The lessons: docs/lessons as pages of the program."""

from dataclasses import dataclass
from functools import cache

from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from webapp.platform.local import package
from webapp.platform.pages.typed import HtmlPageResponse, typed


@dataclass(frozen=True)
class Lesson:
    """text: HTML, made of a file of this program."""

    title: str
    text: SafeString
    url: str


@dataclass(frozen=True)
class LessonPage:
    """lessons: all, in their order; others: without this one."""

    lesson: Lesson
    lessons: list[Lesson]
    others: list[Lesson]


@cache
def lessons() -> dict[str, Lesson]:
    """By the name in their address, in their order."""
    lessons_read = {}
    for path in sorted(package.resource("lessons").glob("*.md")):
        head, _, text = path.read_text(encoding="utf-8").partition("\n")
        name = path.stem.partition("-")[2]
        html = mark_safe(MarkdownIt().render(text))  # noqa: S308: our own file
        lessons_read[name] = Lesson(head.removeprefix("# "), html, reverse("lesson", args=[name]))
    return lessons_read


@typed("lesson.html")
def lesson(name: str) -> HtmlPageResponse[LessonPage]:
    if (lesson_chosen := lessons().get(name)) is None:
        raise Http404(f"There is no lesson “{name}”.")
    return HtmlPageResponse(
        LessonPage(
            lesson_chosen,
            list(lessons().values()),
            [further for further in lessons().values() if further is not lesson_chosen],
        )
    )
