"""Names of folders and files as fields: letters/1901/boston_adams.txt."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import regex

from inference.errors import Invalid
from webapp.intake.file_formats import Document, Problem, parse_date
from webapp.intake.file_formats.base import MAX_DATE, MAX_FIELD, MAX_ID, MAX_NAME, MAX_TITLE, clean
from webapp.intake.ingest.shaping.first_lines import date_of
from webapp.intake.metadata.dates import month_of

MOST_FOLDERS = 16
ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_DATE = ("year", "month", "day")
# Shaping.name_dates: whose names give dates to files without another
FILES_AND_FOLDERS = ""
FILES = "files"
FOLDERS = "folders"
NO_NAMES = "none"
NAME_DATES = (FILES_AND_FOLDERS, FILES, FOLDERS, NO_NAMES)
_DIGITS_OF_YEAR = r"(?:1[5-9]\d|20[0-3])\d"  # to metadata.dates.LATEST, as in columns
_Y = rf"(?P<y>{_DIGITS_OF_YEAR})"
_YEAR = regex.compile(rf"(?<![\d.]){_DIGITS_OF_YEAR}(?![\d.]\d|\d)", regex.ASCII)
_MARK = r"[-_. ,]{0,2}"
_MONTH = r"(?P<name>\p{L}[\p{L}\p{M}]{2,11})\.?"
_OF = r"(?:(?:de|del|of)[-_. ])?"
_DAYS = [  # in names of files: days with names of months, then days and months in numbers
    regex.compile(form)
    for form in (
        rf"(?<!\d)(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|ème|º)?{_MARK}{_OF}{_MONTH}{_MARK}{_OF}{_Y}(?!\d)",
        rf"(?<!\p{{L}}){_MONTH}{_MARK}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?[-_. ,]{{1,3}}{_Y}(?!\d)",
        rf"(?<!\d){_Y}{_MARK}{_MONTH}{_MARK}(?P<d>[0-3]?\d)(?!\d)",
        rf"(?<!\d){_Y}(?P<m>[01]\d)(?P<d>[0-3]\d)(?:T?\d{{4}}(?:\d\d)?)?(?!\d)",
        rf"(?<!\d){_Y}[-_. ](?P<m>[01]?\d)[-_. ](?P<d>[0-3]?\d)(?!\d)",
        rf"(?<!\d)(?P<d>[0-3]?\d)[-_. ](?P<m>[01]?\d)[-_. ]{_Y}(?!\d)",
        rf"(?<!\d)(?P<d>[0-3]\d)(?P<m>[01]\d){_Y}(?!\d)",
        rf"(?<!\d){_Y}[-_. ](?P<m>[01]\d)(?!\d)",
        rf"(?<!\d)(?<!\d[-_. ])(?P<m>[01]\d)[-_. ]{_Y}(?!\d)",
        rf"(?<!\d){_Y}[-_ ]?[Qq](?P<q>[1-4])(?!\d)",
        rf"(?<![\p{{L}}\d])[Qq](?P<q>[1-4])[-_ ]?{_Y}(?!\d)",
        rf"(?<!\p{{L}}){_MONTH}{_MARK}{_OF}{_Y}(?!\d)",
        rf"(?<!\d){_Y}{_MARK}{_MONTH}(?!\p{{L}})",
    )
]
# Names of months that are other words beside a year: “data set 1999”, “out 2010”
_OTHER_WORDS = frozenset(
    "set out gen des lis ara ago dic sub ott sty kas nis lip sie lug mart dez okt mar mei".split()
)
# Words in names of folders that say when somebody packed them, not when the texts were written
_PACKED = regex.compile(
    r"(?i)export|backup|download|dump|snapshot|scan|release|version|archive|corpus|dataset"
)
_BRACES = regex.compile(r"\{([^{}]*)\}")
_BEGINNING_CHARACTERS = 2_000  # of a text, where its first line is looked for
_TITLE_CHARACTERS = 80  # of a first line that becomes a title


class Path(NamedTuple):
    """A document's file, as the name of an upload or of an archive's entry says it."""

    archive: str  # without its ending; "" where the file came by itself
    folders: tuple[str, ...]
    file: str

    @property
    def stem(self) -> str:
        return stem(self.file)


def path(name: str) -> Path:
    """A file by its name; `archive` is the innermost of archives within archives."""
    pieces = [
        piece for piece in clean(name).replace("\\", "/").split("/") if piece not in ("", ".", "..")
    ]
    if not pieces:
        return Path("", (), "")
    *folders, file = pieces
    inside, archive = max(
        (
            (i, folder[: -len(ending)])
            for i, folder in enumerate(folders, 1)
            for ending in ARCHIVES
            if folder.lower().endswith(ending)
        ),
        default=(0, ""),
    )
    return Path(archive, tuple(folders[inside : inside + MOST_FOLDERS]), file)


def stem(file: str) -> str:
    """A file's name without its ending: "a.b" of a.b.txt and of a.b.txt.gz."""
    packed = next(
        (ending for ending in (".gz", ".bz2", ".xz") if file.lower().endswith(ending)), ""
    )
    file = file.removesuffix(file[-len(packed) :]) if packed else file
    before, dot, ending = file.rpartition(".")
    return before if dot and before and 0 < len(ending) <= 5 and ending.isalnum() else file


class Pattern:
    """Names with named parts: {year}_{author}.txt.

    A part goes on up to the next place where the text after it in the pattern stands, the last one
    as far as it can; each has a character at least, and none goes beyond a folder. {} is passed
    over. A pattern with folders describes the last ones. The ending may be left out.

    Raises Invalid("pattern", …) where it is none.
    """

    def __init__(self, text: str):
        self.levels = [_Level(level) for level in text.strip().strip("/").split("/")]
        named = [name for level in self.levels for name in level.names if name]
        if not named:
            raise Invalid(
                "pattern",
                "A pattern names parts of the files' names in braces, such as {year}_{author}.txt.",
            )
        for name in named:
            if named.count(name) > 1:
                raise Invalid(
                    "pattern",
                    f"The pattern names “{name}” twice. Give each part a name of its own.",
                )
            if len(name) > MAX_NAME:
                raise Invalid("pattern", f"A name in a pattern has at most {MAX_NAME} characters.")

    def match(self, where: Path) -> dict[str, str] | None:
        """Each named part's text; None for a name that is not like the pattern."""
        pieces = [*where.folders, where.file]
        if len(pieces) < len(self.levels):
            return None
        texts: dict[str, str] = {}
        for level, piece in zip(self.levels, pieces[-len(self.levels) :], strict=True):
            parts = level.match(piece)
            if parts is None and level is self.levels[-1]:
                parts = level.match(stem(piece))
            if parts is None:
                return None
            texts |= parts
        return texts


class _Level:
    """One name in a pattern: literals[0] {names[0]} literals[1] {names[1]} … literals[n]."""

    def __init__(self, text: str):
        pieces = _BRACES.split(text)
        literals = pieces[::2]
        self.names = [clean(name).strip() for name in pieces[1::2]]
        unclosed = "{" in "".join(literals) or "}" in "".join(literals[:-1])
        if unclosed or "}" in literals[-1]:
            how = "not closed, or not opened" if unclosed else "not opened"
            raise Invalid(
                "pattern", f"In “{text[:80]}” a brace is {how}. Write {{year}}_{{author}}.txt."
            )
        if not all(literals[1:-1]):
            raise Invalid(
                "pattern",
                f"In “{text[:80]}” two parts stand side by side: nothing says where the first one"
                " ends.",
            )
        first = regex.escape(literals[0])
        last = regex.escape(literals[-1])
        # Atomic: where a part ends is never tried again, so that a long name takes no time
        between = "".join(rf"(?>(.+?){regex.escape(literal)})" for literal in literals[1:-1])
        self.form = regex.compile(f"{first}{between}(.+){last}" if self.names else first, regex.S)

    def match(self, name: str) -> dict[str, str] | None:
        found = self.form.fullmatch(name)
        return found and {
            part: text for part, text in zip(self.names, found.groups(), strict=True) if part
        }


def name_fields(
    items: Iterable[Document | Problem], folders: bool, text: str
) -> Iterator[Document | Problem]:
    """With `folders`, folders and files become the fields “folder 1”, “folder 2” …, “file” and
    “archive”; the parts of the pattern `text` have their own names.

    What a pattern names counts more than what the document says of itself, and that more than
    folders and files. A pattern's title, id and date are the document's own; year, month and day
    make its date, too.
    """
    pattern = Pattern(text) if text else None
    unlike = 0
    example = None
    for item in items:
        if not isinstance(item, Document):
            yield item
            continue
        where = path(item.file)
        parts = pattern.match(where) if pattern else {}
        if parts is None:
            unlike += 1
            example = example or item
            parts = {}
        yield _with(item, _folders(where) if folders else {}, parts)
    if example:
        others = f" and {unlike - 1:,} other documents" if unlike > 1 else ""
        yield Problem(
            example.file,
            example.place,
            f"“{example.file}”{others}: the name is not like the pattern {text}, so no fields were"
            " made from it.",
            False,
        )


def usual_fields(
    items: Iterable[Document | Problem], dated: str, name_dates: str, folders: bool
) -> Iterator[Document | Problem]:
    """What names and first lines say where nobody asked them: with `folders`, the last folder of a
    file is the field “folder” (columns keep it only where it groups documents); a file that is one
    document has the date that its name has, else its folders (both as `name_dates` of Shaping
    allows), else with `dated` (Shaping) its first lines, and its first line for a title where its
    name is a number. What the document says of itself counts more."""
    file = ""
    where = path("")
    for item in items:
        if isinstance(item, Document) and item.file:
            if item.file != file:  # the rows of a table have one file
                file = item.file
                where = path(file)
            folder = {"folder": where.folders[-1][:MAX_FIELD]} if folders and where.folders else {}
            if not item.place:
                date, evidence = _date_of(item, where, dated, name_dates)
                item = replace(
                    item,
                    title=_first_line(item) if item.title == where.stem else item.title,
                    date=date,
                    dated=evidence,
                    metadata=folder | item.metadata,
                )
            elif folder:
                item = replace(item, metadata=folder | item.metadata)
        yield item


def _date_of(document: Document, where: Path, dated: str, name_dates: str) -> tuple[str, str]:
    """The date of a document that is a file, and what it is from (file_formats.base.EVIDENCE)."""
    if document.date:
        return document.date, document.dated
    if name_dates in (FILES_AND_FOLDERS, FILES) and (day := date_in(where.stem)):
        return day, "name"
    if name_dates in (FILES_AND_FOLDERS, FOLDERS) and (day := date_in_folders(where.folders)):
        return day, "folder"
    if day := date_of(document.text, dated):
        return day, "lines"
    return "", ""


def file_dates(items: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
    """Documents that have no other date have the one on which their files were made."""
    for item in items:
        if isinstance(item, Document) and item.made and not item.date:
            item = replace(item, date=item.made, dated="made")
        yield item


def _first_line(document: Document) -> str:
    """The title of a document that has its file's name: its first line, where that name has no
    letters."""
    if any(map(str.isalpha, document.title)):
        return document.title
    line = next(
        (
            line.strip()
            for line in document.text[:_BEGINNING_CHARACTERS].splitlines()
            if any(map(str.isalpha, line))
        ),
        "",
    )
    if len(line) > _TITLE_CHARACTERS:
        cut_at_word = line[: _TITLE_CHARACTERS + 1].rpartition(" ")[0]
        line = cut_at_word or line[:_TITLE_CHARACTERS]
        line = f"{line.rstrip(' ,;:')} …"
    return line or document.title


def date_in(name: str) -> str:
    """The date in a file's name, "" for none: a day, a month or a quarter of whatever form, or a
    year beside letters; a number by itself may be any."""
    for form in _DAYS:
        for match in form.finditer(name, overlapped=True):
            if text := _iso(match):
                return text
    years = _YEAR.findall(name) if any(map(str.isalpha, name)) else []
    return years[0] if len(years) == 1 else ""


def _iso(match: regex.Match) -> str:
    """A date as 1914-08-04, or 1914-08; "" where it is none, or can be read in two ways."""
    parts = match.groupdict()
    year = parts["y"]
    month = parts.get("m")
    day = parts.get("d")
    if name := parts.get("name"):
        number = month_of(name)
        if number is None or (day is None and name.casefold() in _OTHER_WORDS):
            return ""
        month = str(number)
    if quarter := parts.get("q"):
        month = str(3 * int(quarter) - 2)
    first_is_day = match.start("d") < match.start("y") if day else False
    if first_is_day and not name and not _is_plain(match):
        return ""
    text = "-".join(part.zfill(2) for part in (year, month, day) if part)
    return text if parse_date(text) else ""


def _is_plain(match: regex.Match) -> bool:
    """Whether the numbers of a day before its month can be read in one way only: 31-12-1999, or
    with points, which stand in dates that begin with the day."""
    with_points = match[0].count(".") == 2
    return with_points or int(match["d"]) > 12 or match["d"] == match["m"]


def date_in_folders(folders: tuple[str, ...]) -> str:
    """The date in the names of a file's folders, the last counts most: 1901, 1901-05, May 1901; or
    of several, as 1901/05/03. "" for none, and for a day on which somebody packed them."""
    if "".join(folders[-3:]).isdecimal():
        for count in (3, 2):
            text = "-".join(folders[-count:])
            if len(folders) >= count and len(folders[-count]) == 4 and parse_date(text):
                return text
    for folder in reversed(folders):
        if _PACKED.search(folder):
            continue
        if _YEAR.fullmatch(folder):
            return folder
        if day := date_in(folder):
            return day
    return ""


def _folders(where: Path) -> dict[str, str]:
    fields = {"archive": where.archive} if where.archive else {}
    fields |= {f"folder {i}": folder for i, folder in enumerate(where.folders, 1)}
    return fields | ({"file": where.stem} if where.file else {})


def _with(document: Document, folders: dict[str, str], parts: dict[str, str]) -> Document:
    date = parts.get("date") or "-".join(
        parts[name] for name in itertools.takewhile(parts.__contains__, _DATE)
    )
    own = {
        name: text[:MAX_FIELD]
        for name, text in parts.items()
        if name not in ("title", "date", "id")
    }
    return replace(
        document,
        title=parts.get("title", document.title)[:MAX_TITLE],
        date=(date or document.date)[:MAX_DATE],
        dated="name" if date else document.dated,
        source_id=parts.get("id", document.source_id)[:MAX_ID],
        metadata={name: text[:MAX_FIELD] for name, text in folders.items()}
        | document.metadata
        | own,
    )
