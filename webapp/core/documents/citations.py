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

from webapp.core.documents.authors import read_authors
from webapp.core.documents.shapes import Citations
from webapp.platform.accounts.embargo import AboutDocument
from webapp.platform.drawing.numbers import document_name

# Columns, by their names in lower case
ADDRESSES = ("url", "link", "uri", "href", "permalink", "source_url")
WORKS = ("publication", "journal", "newspaper", "periodical", "container")
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
# Around a field of BibTeX; a title in braces within quotation marks keeps its capitals
_BRACES = {"month": "%s", "title": '"{%s}"'}
_WORD = re.compile(r"[^\W\d_]+")
MOST_NAMED_BY_CHICAGO = 3  # authors of a note; of more the first, and "et al."
MOST_NAMED_BY_MLA = 2
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
# May, June and July are written out.
_MONTHS_OF_MLA = (
    "Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.",
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


class CitedPassage(NamedTuple):
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


def passage(
    corpus: str,
    record: AboutDocument,
    metadata: dict[str, str],
    start: int,
    end: int,
    speaker_column: str = "",
) -> CitedPassage:
    """record: title, date_text, file, place, part, parts and number of a document. speaker_column:
    that says who speaks in this corpus, for documents without a column of authors; "" where none
    is known."""
    fields = {
        name.strip().lower(): value.strip() for name, value in metadata.items() if value.strip()
    }
    return CitedPassage(
        authors=read_authors(metadata, speaker_column),
        title=_line(record["title"]),
        date=_line(record["date_text"]),
        work=_line(next((fields[name] for name in WORKS if name in fields), corpus)),
        file=record["file"],
        place=record["place"],
        url=next(
            (fields[name] for name in ADDRESSES if _ADDRESS.fullmatch(fields.get(name, ""))), ""
        ),
        part=f"part {record['part']} of {record['parts']}" if record["parts"] > 1 else "",
        number=record["number"],
        start=start,
        end=end,
    )


def all_of(cited: CitedPassage) -> Citations:
    """A passage cited in each of the four forms."""
    return Citations(chicago(cited), mla(cited), bibtex(cited), csl(cited))


def chicago(cited: CitedPassage) -> str:
    """A note: Abraham Lincoln, “First Inaugural,” March 4, 1861, in Speeches (speeches.csv, row
    12), characters 120–480."""
    name = document_name(cited.title, cited.number)
    begin = f"“{_inner(name)},”" if cited.title else f"{name},"
    if cited.authors:
        authors = _several([_forward(name) for name in cited.authors])
        begin = f"{authors}, {begin}"
    work = f"in {cited.work}"
    holding_place = _join_parts(cited.file, cited.place).replace("(", "[").replace(")", "]")
    if holding_place:
        work = f"{work} ({holding_place})"
    date = _date(cited.date, "{month} {day}, {year}", _MONTHS) or "n.d."
    return _end_sentence(
        f"{begin} {_join_parts(date, work, cited.part, _characters(cited), cited.url)}"
    )


def mla(cited: CitedPassage) -> str:
    """A work cited: Lincoln, Abraham. “First Inaugural.” Speeches, 4 Mar. 1861, speeches.csv, row
    12, characters 120–480."""
    if len(cited.authors) > MOST_NAMED_BY_MLA:
        by = f"{cited.authors[0]}, et al"
    else:
        # The first by the family name, as the list of works is sorted.
        by = ", and ".join([*cited.authors[:1], *map(_forward, cited.authors[1:])])
    name = document_name(cited.title, cited.number)
    title = f"{name}."
    if cited.title:
        title = f"“{_end_sentence(_inner(name))}”"
    date = _date(cited.date, "{day} {month} {year}", _MONTHS_OF_MLA)
    source = _join_parts(
        cited.work, date, cited.file, cited.place, cited.part, _characters(cited), cited.url
    )
    sentences = [_end_sentence(by), title, _end_sentence(source)]
    return " ".join(sentence for sentence in sentences if sentence)


def bibtex(cited: CitedPassage) -> str:
    """An entry of the type misc, which every style has; names stand in braces unless they are
    "Family, Given"."""
    year, month, _ = _taken_apart(cited.date)
    note = _characters(cited).capitalize()
    if cited.date and not year:
        note = f"{note}. Date: {cited.date}"
    fields = {
        "author": " and ".join(map(_author_of_bibtex, cited.authors)),
        "title": _latex(document_name(cited.title, cited.number)),
        "year": str(year or ""),
        "month": _MONTHS[month - 1][:3].lower() if month else "",
        "howpublished": _latex(_join_parts(cited.work, cited.file, cited.place, cited.part)),
        "url": cited.url.replace("%", r"\%"),
        "note": _latex(note),
    }
    lines = [
        f"  {name} = {_BRACES.get(name, '{%s}') % value}" for name, value in fields.items() if value
    ]
    return f"@misc{{{_key(cited)},\n" + ",\n".join(lines) + "\n}\n"


def _author_of_bibtex(name: str) -> str:
    """In braces unless it is "Family, Given": else BibTeX would take it apart."""
    return _latex(name) if _split_name(name) else f"{{{_latex(name)}}}"


def csl(cited: CitedPassage) -> dict[str, Any]:
    """An item of CSL JSON, as Zotero and Pandoc read it."""
    fields = {
        "id": _key(cited),
        "type": "document",
        "title": document_name(cited.title, cited.number),
        "author": [_author_of_csl(name) for name in cited.authors],
        "issued": _date_of_csl(cited.date),
        "container-title": cited.work,
        "archive": cited.file,
        "archive_location": cited.place,
        "section": cited.part,
        "URL": cited.url,
        "note": _characters(cited),
    }
    return {name: value for name, value in fields.items() if value}


def _author_of_csl(name: str) -> dict[str, str]:
    turned = _split_name(name)
    if turned is None:
        return {"literal": name}
    family, first_name = turned
    return {"family": family, "given": first_name}


def _date_of_csl(date: str) -> dict[str, Any] | None:
    parts = [part for part in _taken_apart(date) if part]
    if parts:
        return {"date-parts": [parts]}
    return {"literal": date} if date else None


def _join_parts(*parts: str) -> str:
    """Those that there are, with commas between them."""
    return ", ".join(part for part in parts if part)


def _line(text: str) -> str:
    return " ".join(text.split())


def _inner(title: str) -> str:
    """A title between quotation marks: its own become single ones."""
    return re.sub(r'"([^"]*)"', "‘\\1’", title).replace("“", "‘").replace("”", "’").rstrip(".,;: ")


def _end_sentence(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."


def _split_name(name: str) -> tuple[str, str] | None:
    """(family, given) of a name that is written "Family, Given"."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) != 2 or not all(parts):
        return None
    family, given_names = parts
    return family, given_names


def _forward(name: str) -> str:
    return " ".join(reversed(_split_name(name) or (name,)))


def _several(names: list[str]) -> str:
    if len(names) > MOST_NAMED_BY_CHICAGO:
        return f"{names[0]} et al."
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _taken_apart(date: str) -> tuple[int | None, int | None, int | None]:
    match = _DATE.fullmatch(date)
    if match is None:
        return None, None, None
    year, month, day = [int(part) if part else None for part in match.groups()]
    return year, month, day


def _date(date: str, iso_date: str, months: list[str] | tuple[str, ...]) -> str:
    """A date as a style writes it, where it can be taken apart; else as it stands."""
    year, month, day = _taken_apart(date)
    if not month:
        return date
    name = months[month - 1]
    return iso_date.format(year=year, month=name, day=day) if day else f"{name} {year}"


def _characters(cited: CitedPassage) -> str:
    return f"characters {cited.start}–{cited.end}"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _key(cited: CitedPassage) -> str:
    """ "lincoln1861-2-120": the first name or word of the title, the year, document and place."""
    if cited.authors:
        turned = _split_name(cited.authors[0])
        words = _WORD.findall(turned[0] if turned else cited.authors[0])[-1:]  # the family name
    else:
        words = _WORD.findall(cited.title)[:1]
    decomposed = unicodedata.normalize("NFKD", "".join(words))
    plain = decomposed.encode("ascii", "ignore").decode().lower() or "document"
    year, _, _ = _taken_apart(cited.date)
    return f"{plain}{year or ''}-{cited.number}-{cited.start}"
