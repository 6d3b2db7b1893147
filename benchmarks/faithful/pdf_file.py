"""PDF files by hand, as other programs write them: letters at places, in sizes, and pictures."""

from collections.abc import Sequence
from typing import NamedTuple

# points of a page: A4
WIDTH = 595
HEIGHT = 842
_PICTURE = b"\x00\xff\x7f\x3f"  # two by two grey pixels


class Letters(NamedTuple):
    """Letters of one size at a place in points from the left and from the bottom. Those beyond
    Western Europe have no place in the font that is used."""

    x: float
    y: float
    text: str
    size: float = 10.0

    def drawn(self) -> bytes:
        encoded = self.text.encode("cp1252", "strict")
        escaped = encoded.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
        place = f"BT /F1 {self.size:g} Tf {self.x:g} {self.y:g} Td (".encode()
        return place + escaped + b") Tj ET"


class Picture(NamedTuple):
    """A picture at a place."""

    x: float
    y: float
    width: float
    height: float

    def drawn(self) -> bytes:
        return f"q {self.width:g} 0 0 {self.height:g} {self.x:g} {self.y:g} cm /I1 Do Q".encode()


def pdf(pages: Sequence[Sequence[Letters | Picture]], about: dict[str, str] | None = None) -> bytes:
    """A file with these pages, whose parts are drawn in their order. about: what it says of
    itself, as Title, Author and CreationDate."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Length 4>>stream\n" + _PICTURE + b"\nendstream",
        b"<<%s>>" % b"".join(f"/{key}({value})".encode() for key, value in (about or {}).items()),
    ]
    kids = []
    for page in pages:
        drawn = b"\n".join(part.drawn() for part in page)
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
        content = len(objects)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>/XObject<</I1 4 0 R>>>>>>" % (WIDTH, HEIGHT, content)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return _numbered(objects)


def _numbered(objects: list[bytes]) -> bytes:
    file = bytearray(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        file += b"%010d 00000 n \n" % place
    file += b"trailer<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table,
    )
    return bytes(file)
