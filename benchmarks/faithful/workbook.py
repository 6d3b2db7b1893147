"""Spreadsheets by hand, as Excel packs them."""

from string import ascii_uppercase

from benchmarks.faithful.written import packed

_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default'
    ' Extension="xml" ContentType="application/xml"/></Types>'
)


def workbook(
    sheets: dict[str, list[list[str]]], merged: dict[str, list[str]] | None = None
) -> bytes:
    """A spreadsheet (.xlsx) with these rows, and merged cells as “A2:A5”, by sheet. Cells are XML."""
    listed = ""
    targets = ""
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _related("officeDocument", "xl/workbook.xml"),
    }
    for number, name in enumerate(sheets, 1):
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        targets += _relation(number, "worksheet", f"worksheets/s{number}.xml")
        ranges = (merged or {}).get(name, [])
        parts[f"xl/worksheets/s{number}.xml"] = _worksheet(sheets[name], ranges)
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{_SHEETS}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>'
    )
    parts["xl/_rels/workbook.xml.rels"] = _relations(targets)
    return packed(parts)


def _relations(inner: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="r{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'


def _related(kind: str, target: str) -> str:
    return _relations(_relation(1, kind, target))


def _worksheet(rows: list[list[str]], ranges: list[str]) -> str:
    written = "".join(_row(number, row) for number, row in enumerate(rows, 1))
    cells = "".join(f'<mergeCell ref="{cells}"/>' for cells in ranges)
    cells = f"<mergeCells>{cells}</mergeCells>" if cells else ""
    return f'<worksheet xmlns="{_SHEETS}"><sheetData>{written}</sheetData>{cells}</worksheet>'


def _row(number: int, row: list[str]) -> str:
    """Empty cells are left out."""
    cells = ""
    for letter, cell in zip(ascii_uppercase, row, strict=False):
        if cell:
            place = f"{letter}{number}"
            cells += f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>'
    return f'<row r="{number}">{cells}</row>'
