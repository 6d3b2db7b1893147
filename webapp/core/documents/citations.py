"""How a passage is cited: Chicago (a note), MLA, BibTeX and CSL JSON, from what is known of its
document.

Nothing is guessed. A name is turned round only where its column has it as "Family, Given"; a date
is taken apart only where it is a year, a month or a day (1861, 1861-03, 1861-03-04); what is
missing is left out, or stands as "n.d.". Sources: The Chicago Manual of Style, 17th ed., chapter 14
(notes); MLA Handbook, 9th ed., chapter 5; the BibTeX entry type misc; the CSL 1.0.2 item type
document.
"""

import re
import unicodedata
from typing import Any, NamedTuple

from webapp.core.documents.shapes import Citations

AUTHORS = (
    "author",
    "authors",
    "creator",
    "byline",
    "writer",
    "speaker",
)  # columns, by their names in lower case
ADDRESSES = ("url", "link", "uri", "href", "permalink", "source_url")
WORKS = ("publication", "journal", "newspaper", "periodical", "container")
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
# Around a field of BibTeX; a title in braces within quotation marks keeps its capitals
_BRACES = {"month": "%s", "title": '"{%s}"'}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


class Passage(NamedTuple):
    """Characters start … end - 1 of a document, and what is known of it; "" and () for what is not.

    authors: as they are written. work: what the document came out in, else the corpus. part: "part
    2 of 6", of a document that is a section of a longer text.
    """

    authors: tuple[str, ...]
    title: str
    date: str
    work: str
    file: str
    place: str
    url: str
    part: str
    number: int
    start: int
    end: int


def passage(corpus: str, known: dict, metadata: dict[str, str], start: int, end: int) -> Passage:
    """known: title, date_text, file, place, part, parts and number of a document."""
    fields = {
        name.strip().lower(): value.strip() for name, value in metadata.items() if value.strip()
    }
    names = next((fields[name] for name in AUTHORS if name in fields), "")
    return Passage(
        authors=tuple(filter(None, map(_line, re.split(r"[;|]", names)))),
        title=_line(known["title"]),
        date=_line(known["date_text"]),
        work=_line(next((fields[name] for name in WORKS if name in fields), corpus)),
        file=known["file"],
        place=known["place"],
        url=next(
            (fields[name] for name in ADDRESSES if _ADDRESS.fullmatch(fields.get(name, ""))), ""
        ),
        part=f"part {known['part']} of {known['parts']}" if known["parts"] > 1 else "",
        number=known["number"],
        start=start,
        end=end,
    )


def all_of(cited: Passage) -> Citations:
    return Citations(chicago(cited), mla(cited), bibtex(cited), csl(cited))


def chicago(cited: Passage) -> str:
    """A note: Abraham Lincoln, “First Inaugural,” March 4, 1861, in Speeches (speeches.csv, row
    12), characters 120–480."""
    title = f"“{_inner(cited.title)},”" if cited.title else f"untitled document {cited.number},"
    begin = (
        f"{_several([_forward(name) for name in cited.authors])}, {title}"
        if cited.authors
        else title
    )
    holding_place = (
        ", ".join(filter(None, [cited.file, cited.place])).replace("(", "[").replace(")", "]")
    )
    parts = [
        _date(cited.date, "{month} {day}, {year}", _MONTHS) or "n.d.",
        f"in {cited.work}" + (f" ({holding_place})" if holding_place else ""),
        cited.part,
        _characters(cited),
        cited.url,
    ]
    return _ended(f"{begin} {', '.join(filter(None, parts))}")


def mla(cited: Passage) -> str:
    """A work cited: Lincoln, Abraham. “First Inaugural.” Speeches, 4 Mar. 1861, speeches.csv, row
    12, characters 120–480."""
    short = [
        name if len(name) < 5 else f"{name[: 4 if name == 'September' else 3]}." for name in _MONTHS
    ]
    names = cited.authors[:1] if len(cited.authors) > 2 else cited.authors
    authors = [names[0], *map(_forward, names[1:])] if names else []
    by = f"{authors[0]}, et al" if len(cited.authors) > 2 else ", and ".join(authors)
    title = (
        f"“{_ended(_inner(cited.title))}”" if cited.title else f"Untitled document {cited.number}."
    )
    parts = [
        cited.work,
        _date(cited.date, "{day} {month} {year}", short),
        cited.file,
        cited.place,
        cited.part,
    ]
    return " ".join(
        filter(
            None,
            [
                _ended(by),
                title,
                _ended(", ".join(filter(None, [*parts, _characters(cited), cited.url]))),
            ],
        )
    )


def bibtex(cited: Passage) -> str:
    """An entry of the type misc, which every style has; names stand in braces unless they are
    "Family, Given"."""
    year, month, _ = _taken_apart(cited.date)
    fields = {
        "author": " and ".join(
            [_latex(name) if _turned(name) else f"{{{_latex(name)}}}" for name in cited.authors]
        ),
        "title": _latex(cited.title or f"Untitled document {cited.number}"),
        "year": str(year or ""),
        "month": _MONTHS[month - 1][:3].lower() if month else "",
        "howpublished": _latex(
            ", ".join(filter(None, [cited.work, cited.file, cited.place, cited.part]))
        ),
        "url": cited.url.replace("%", r"\%"),
        "note": _latex(
            _characters(cited).capitalize()
            + ("" if year or not cited.date else f". Date: {cited.date}")
        ),
    }
    lines = [
        f"  {name} = {_BRACES.get(name, '{%s}') % value}" for name, value in fields.items() if value
    ]
    return f"@misc{{{_key(cited)},\n" + ",\n".join(lines) + "\n}\n"


def csl(cited: Passage) -> dict[str, Any]:
    """An item of CSL JSON, as Zotero and Pandoc read it."""
    parts = [part for part in _taken_apart(cited.date) if part]
    fields = {
        "id": _key(cited),
        "type": "document",
        "title": cited.title,
        "author": [
            (
                {"family": turned[0], "given": turned[1]}
                if (turned := _turned(name))
                else {"literal": name}
            )
            for name in cited.authors
        ],
        "issued": (
            {"date-parts": [parts]} if parts else {"literal": cited.date} if cited.date else None
        ),
        "container-title": cited.work,
        "archive": cited.file,
        "archive_location": cited.place,
        "section": cited.part,
        "URL": cited.url,
        "note": _characters(cited),
    }
    return {name: value for name, value in fields.items() if value}


def _line(text: str) -> str:
    return " ".join(text.split())


def _inner(title: str) -> str:
    """A title between quotation marks: its own become single ones."""
    return re.sub(r'"([^"]*)"', "‘\\1’", title).replace("“", "‘").replace("”", "’").rstrip(".,;: ")


def _ended(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."


def _turned(name: str) -> tuple[str, str] | None:
    """(family, given) of a name that is written "Family, Given"."""
    family, comma, first_name = name.partition(",")
    return (
        (family.strip(), first_name.strip())
        if comma and family.strip() and first_name.strip() and "," not in first_name
        else None
    )


def _forward(name: str) -> str:
    return " ".join(reversed(_turned(name) or (name,)))


def _several(names: list[str]) -> str:
    if len(names) > 3:
        return f"{names[0]} et al."
    return (
        names[0]
        if len(names) == 1
        else ", ".join(names[:-1]) + (", and " if len(names) > 2 else " and ") + names[-1]
    )


def _taken_apart(date: str) -> tuple[int | None, int | None, int | None]:
    match = _DATE.fullmatch(date)
    year, month, day = (
        (int(part) if part else None for part in match.groups()) if match else (None, None, None)
    )
    return year, month, day


def _date(date: str, whole: str, months: list[str] | tuple[str, ...]) -> str:
    """A date as a style writes it, where it can be taken apart; else as it stands."""
    year, month, day = _taken_apart(date)
    if not month:
        return date
    name = months[month - 1]
    return whole.format(year=year, month=name, day=day) if day else f"{name} {year}"


def _characters(cited: Passage) -> str:
    return f"characters {cited.start}–{cited.end}"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _key(cited: Passage) -> str:
    """ "lincoln1861-2-120": the first name or word of the title, the year, document and place."""
    first = cited.authors[0] if cited.authors else cited.title
    turned = _turned(first) if cited.authors else None
    words = re.findall(r"[^\W\d_]+", turned[0] if turned else first)
    word = (words[-1] if cited.authors else words[0]) if words else "document"
    plain = (
        unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().lower() or "document"
    )
    return f"{plain}{_taken_apart(cited.date)[0] or ''}-{cited.number}-{cited.start}"
