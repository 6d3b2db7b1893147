"""Files to read, and reading them."""

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

from webapp.intake import file_formats
from webapp.intake.file_formats.base import Document, Problem

EXAMPLES = Path(__file__).resolve().parents[4] / "docs/formats"
HEADER = "key,headline,year,who,side,body\n"
ROWS = "".join(
    f"k{i},Headline number {i} of"
    f" many,{1900 + i},Someone,left,{'A long text about something. ' * 5}{i}\n"
    for i in range(8)
)
FRENCH = (
    "Les élections législatives françaises ont été précédées d’une campagne très animée à Paris, où"
    " l’été était chaud. " * 5
)


def load(path, name, **known):
    options = file_formats.sniff(path, name, **known).options
    items = list(file_formats.read(path, name, options))
    return [i for i in items if isinstance(i, Document)], [
        i for i in items if isinstance(i, Problem)
    ]


def roles(options):
    return {role: getattr(options, role) for role in ("text", "title", "date", "id")}


def zipped(tmp_path, entries):
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, content in entries:
            zip_file.writestr(name, content)
    return path


def spreadsheet(tmp_path, rows):
    """A file .xlsx with these rows, each of texts, in its first sheet; the others are empty."""
    cells = "".join(
        f'<row r="{i}">'
        + "".join(
            f'<c r="{chr(65 + j)}{i}" t="inlineStr"><is><t'
            f' xml:space="preserve">{escape(cell)}</t></is></c>'
            for j, cell in enumerate(row)
        )
        + "</row>"
        for i, row in enumerate(rows, 1)
    )
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    empty = f'<worksheet xmlns="{namespace}"><sheetData/></worksheet>'
    sheet = empty.replace("<sheetData/>", f"<sheetData>{cells}</sheetData>")
    with zipfile.ZipFile(EXAMPLES / "addresses.xlsx") as example:
        parts = {name: example.read(name) for name in example.namelist()}
    sheets = dict.fromkeys(
        (name for name in parts if name.startswith("xl/worksheets/sheet")), empty
    )
    return zipped(tmp_path, (parts | sheets | {"xl/worksheets/sheet1.xml": sheet}).items())
