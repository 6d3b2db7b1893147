"""Reading a text of one's own with the topics of a run. Nothing of it is stored."""

from pathlib import Path

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, QueryDict
from django.views.decorators.cache import cache_control

from inference.errors import Invalid
from webapp.core.documents import infer
from webapp.core.documents.shapes import TriedText, TryPage
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.intake import file_formats
from webapp.platform.pages.typed import HtmlPageResponse, typed

LONGEST_TRIED_TEXT = 500_000  # characters: read within a second, and small enough for a form


@cache_control(no_store=True)
@typed("run/try.html")
def text(
    request: HttpRequest, view: RunView, posted: QueryDict | None
) -> HtmlPageResponse[TryPage]:
    """The form; POST shows what the text is made of."""
    if posted is None:
        return HtmlPageResponse(TryPage(LONGEST_TRIED_TEXT))
    try:
        read, words = infer.text(view, _text(request))
        tried = TriedText(
            read,
            words,
            links.hues(view),
            {part.number for part in read.proportions},
        )
        return HtmlPageResponse(TryPage(LONGEST_TRIED_TEXT, tried=tried))
    except Invalid as error:
        return HtmlPageResponse(TryPage(LONGEST_TRIED_TEXT, problem=error.message), status=400)


def _text(request: HttpRequest) -> str:
    """What was pasted, or else the file that came. Raises Invalid, with a sentence."""
    text = request.POST.get("text", "")
    file = request.FILES.get("file")
    if not text.strip() and file:
        assert isinstance(file, TemporaryUploadedFile)  # settings.FILE_UPLOAD_HANDLERS
        text = _of_file(Path(file.temporary_file_path()), file.name or "")
    text = text.replace("\r\n", "\n").replace("\0", "")
    if not text.strip():
        raise Invalid("text", "There is no text. Paste one, or choose a .txt file.")
    if len(text) > LONGEST_TRIED_TEXT:
        raise Invalid(
            "text",
            f"A text may have at most {LONGEST_TRIED_TEXT:,} characters; this one has"
            f" {len(text):,}. Try a"
            " part of it.",
        )
    return text


def _of_file(path: Path, name: str) -> str:
    if not name.lower().endswith(".txt"):
        raise Invalid(
            "file",
            f"The file must be plain text (.txt), got “{name[-60:]}”. Save it as plain text, or"
            " paste it.",
        )
    if path.stat().st_size > 4 * LONGEST_TRIED_TEXT:  # bytes of a character in UTF-8, at most
        raise Invalid(
            "file",
            f"A text may have at most {LONGEST_TRIED_TEXT:,} characters; this file has"
            f" {path.stat().st_size:,}"
            " bytes. Try a part of it.",
        )
    try:
        texts = [
            item.text
            for item in file_formats.read(path, name, file_formats.sniff(path, name).options)
            if isinstance(item, file_formats.Document)
        ]
    except file_formats.Unreadable as error:
        raise Invalid("file", error.message) from None
    return "\n".join(texts)
