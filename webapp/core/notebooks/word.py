"""A notebook as a Word document (.docx): a ZIP archive of XML (ECMA-376), whose parts are
templates/notebook/word/; and the charts of its pins, as PNG and, for programs that read it, SVG."""

import re
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.template.loader import render_to_string

from webapp.core.notebooks.pictures import picture_of
from webapp.core.notebooks.shapes import NotebookPage, PinRow
from webapp.platform.drawing.pictures import Picture, as_png, as_svg

PARTS = {  # of the archive -> the template
    "[Content_Types].xml": "types",
    "_rels/.rels": "package",
    "word/_rels/document.xml.rels": "parts",
    "word/document.xml": "document",
    "word/styles.xml": "styles",
}
EMU_PER_POINT = 12_700  # English metric units, in which the size of a picture is written
PICTURES = 60  # of a document: each PNG takes some tens of milliseconds and kilobytes
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Piece:
    """A pin with its picture; number: of the picture in the document, 0 without one."""

    pin: PinRow
    number: int = 0
    picture: Picture | None = None

    @property
    def width(self) -> int:
        return round(EMU_PER_POINT * self.picture.width) if self.picture else 0

    @property
    def height(self) -> int:
        return round(EMU_PER_POINT * self.picture.height) if self.picture else 0


def notebook(page: NotebookPage, root: str) -> bytes:
    """root: the address of this Topograph, before the paths of its pages."""
    parts = _pieces(page.pins)
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, template in PARTS.items():
            content = render_to_string(
                f"notebook/word/{template}.xml", {"page": page, "pieces": parts, "root": root}
            )
            archive.writestr(name, _NOT_IN_XML.sub("", content))
        for part in parts:
            if part.picture is not None:
                archive.writestr(f"word/media/chart{part.number}.png", as_png(part.picture))
                drawn = _NOT_IN_XML.sub("", as_svg(part.picture))
                archive.writestr(f"word/media/chart{part.number}.svg", drawn)
    return file.getvalue()


def _pieces(pins: list[PinRow]) -> list[Piece]:
    parts: list[Piece] = []
    number = 0
    for pin in pins:
        picture = picture_of(pin.table) if number < PICTURES else None
        if picture is None:
            parts.append(Piece(pin))
        else:
            number += 1
            parts.append(Piece(pin, number, picture))
    return parts
