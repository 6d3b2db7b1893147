"""Which column holds what: a guess by the columns' names and by what is in them."""

from typing import Any

import regex

from webapp.intake.file_formats.base import Options
from webapp.intake.metadata.column_names import names_dates, names_lives, names_people
from webapp.intake.metadata.date import looks_like_dates
from webapp.intake.metadata.missing import is_missing

_NAMES = {
    "text": (
        "full_text fulltext text texts body selftext content contents abstract abstract_note"
        " article document doc message"
        " speech comment tweet post statement answer transcript response"
        " description inhalt texte contenu corps texto contenido cuerpo testo contenuto tekst текст".split()
    ),
    "title": (
        "title headline heading subject name titel titre título titulo titolo overskrift заголовок"
        " название".split()
    ),
    "date": (
        "date year datum jahr année annee fecha año data anno published pubdate created created_at"
        " publication_date created_utc timestamp ts datetime time day дата год".split()
    ),
    "id": (
        "id identifier key docid doc_id document_id uid uuid guid doi number no nr kennung"
        " identifiant identificador".split()
    ),
}
# what a column that is named “time” or “day” may hold, and is no date: 10:30, Monday, nothing
_TIME_OR_WORD = regex.compile(
    r"(?:\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\.\d+)?\s?(?:[ap]m)?|\D*)", regex.I
)
_SOME = 0.3  # of the cells of a column that is named so must be dates
_LEAST_CELLS_SHARE = (
    0.8  # of the cells must be a date for a column of dates, and different for one of ids
)


def has_role(name: str) -> bool:
    return any(_plain(name) in names for names in _NAMES.values())


def is_text(name: str) -> bool:
    return _plain(name) in _NAMES["text"]


def _plain(name: str) -> str:
    plain = name.strip().lower().lstrip("\ufeff")
    return plain.replace(" ", "_").replace(".", "_").replace("-", "_")


def _values(rows: list[list[str]], column: int) -> list[str]:
    """The cells of a column, "" for those that are missing."""
    cells = [row[column].strip() for row in rows if column < len(row)]
    return ["" if is_missing(cell) else cell for cell in cells]


def about(columns: list[str], rows: list[list[str]], key: int) -> dict[str, Any]:
    """Positions in a table about other files, whose column `key` names them and is given as the
    text. What is no date, and is not named title or id, is metadata: short and different values may
    be places as well as ids."""
    columns_of_roles = {role: _first_named(columns, _NAMES[role]) for role in ("title", "id")}
    cells = [_values(rows, i) for i in range(len(columns))]
    columns_of_roles["date"] = _date_column(columns, cells, set(range(len(columns))) - {key})
    return {role: None if i == key else i for role, i in columns_of_roles.items()} | {"text": key}


def guess(columns: list[str], rows: list[list[str]]) -> dict[str, Any]:
    """Positions of text, title, date and id; None where there seems to be none (but some column is
    the text)."""
    cells = [_values(rows, i) for i in range(len(columns))]
    lengths = [sum(map(len, column)) / max(1, len(column)) for column in cells]
    free = set(range(len(columns)))
    columns_of_roles: dict[str, Any] = {}

    def take(role: str, column_number: int | None) -> None:
        columns_of_roles[role] = column_number
        free.discard(column_number)

    candidates = {role: _first_named(columns, names) for role, names in _NAMES.items()}
    if candidates["text"] is None:  # a field within a field, as “tweet.full_text”
        candidates["text"] = _first_named(
            [column.rpartition(".")[2] for column in columns], _NAMES["text"]
        )
    words = [sum(map(_word_characters, column)) / max(1, len(column)) for column in cells]
    words = words if any(words) else lengths
    wordiest = max(range(len(columns)), key=lambda i: (words[i], lengths[i], -i))
    by_name = candidates["text"]
    take(
        "text",
        by_name if by_name is not None and words[by_name] >= 0.3 * words[wordiest] else wordiest,
    )
    take("title", candidates["title"] if candidates["title"] in free else None)
    take("date", _date_column(columns, cells, free))
    take("id", candidates["id"] if candidates["id"] in free else None)
    if columns_of_roles["id"] is not None and _counts(cells[columns_of_roles["id"]]):
        free.add(columns_of_roles["id"])
        columns_of_roles["id"] = None
    if columns_of_roles["id"] is None and len(rows) > 1:
        take("id", next((i for i in sorted(free) if _identifies(cells[i])), None))
    if columns_of_roles["title"] is None:
        likely = (
            i
            for i in sorted(free)
            if not names_people(columns[i])
            and 12 <= lengths[i] <= 200
            and len(set(cells[i])) > 0.8 * len(cells[i])
        )
        take("title", next(likely, None))
    return columns_of_roles


FEW_WORDS = 4  # below it rows beside texts are about them, and none themselves
TEXT_WORDS = 8  # of a row's text, on average, where rows are documents and no list of names


def words(options: Options, rows: list[list[str]]) -> float:
    """How many words the text of the first rows has, on average. rows: as a form shows them."""
    if options.text is None:
        return 0.0
    texts = [row[options.text] for row in rows if options.text < len(row)]
    counts = [sum(any(map(str.isalpha, word)) for word in text.split()) for text in texts]
    unspaced = [sum(character > "\u2e80" for character in text) / 2 for text in texts]
    return sum(map(max, counts, unspaced)) / max(1, len(texts))


def has_texts(options: Options, rows: list[list[str]]) -> bool:
    """Whether a table surely has the documents' texts: in a column that is called so, or in one
    with many words. rows: as a form shows them."""
    return is_text(options.column("text") or "") or words(options, rows) >= TEXT_WORDS


def _first_named(columns: list[str], names: list[str]) -> int | None:
    """The column whose name comes first in the list of names."""
    named_columns = [
        (names.index(_plain(column)), i)
        for i, column in enumerate(columns)
        if _plain(column) in names
    ]
    return min(named_columns)[1] if named_columns else None


def _date_column(columns: list[str], cells: list[list[str]], free: set[int]) -> int | None:
    """The column with the documents' dates: the first of those that are named so and hold some,
    else any with dates, else one that is named so though we can read none of them."""
    candidates = [i for i in sorted(free) if not names_lives(columns[i])]
    named_exactly: list[int] = []  # in the order of the names: “date” before “year”
    for name in _NAMES["date"]:
        named_exactly += [i for i in candidates if _plain(columns[i]) == name]
    named_alike = [i for i in candidates if i not in named_exactly and names_dates(columns[i])]
    for i in named_exactly + named_alike:
        is_empty = not any(cells[i])
        if _dates(cells[i], columns[i], _SOME) or (is_empty and i in named_exactly):
            return i
    for i in candidates:
        if _dates(cells[i], columns[i], _LEAST_CELLS_SHARE):
            return i
    for i in named_exactly:
        are_no_dates = all(map(_TIME_OR_WORD.fullmatch, cells[i]))
        if not are_no_dates:
            return i
    return None


def _dates(cells: list[str], name: str, share: float) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and looks_like_dates(filled, name, share)


def _word_characters(cell: str) -> float:
    """How many of its characters are of words: numbers, hashes and addresses are none. As its
    beginning is, so is the whole."""
    start = cell[:1_000]  # by which it is known whether it holds words
    # Words of Latin letters are not longer
    parts = (part for part in start.split() if not part.isascii() or len(part) <= 40)
    of_words = sum(len(part) for part in parts if _mostly_letters(part))
    return len(cell) * of_words / max(1, len(start))


def _mostly_letters(part: str) -> bool:
    if part.isalpha():  # most are: to count their letters one by one takes five times as long
        return True
    return sum(map(str.isalpha, part)) > len(part) / 2


def _identifies(cells: list[str]) -> bool:
    """All different, all short, none with a space; of numbers such as count documents or have as
    many digits each."""
    if len(set(cells)) < len(cells) or not all(
        0 < len(cell) <= 60 and " " not in cell for cell in cells
    ):
        return False
    if not all(cell.isdecimal() for cell in cells):
        return True
    numbers = [int(cell) for cell in cells]
    digits = {len(cell) for cell in cells}
    # So many digits have ids that are numbers in no order
    return numbers in (sorted(numbers), sorted(numbers, reverse=True)) or (
        len(digits) == 1 and min(digits) >= 5
    )


def _counts(cells: list[str]) -> bool:
    """Whether they are numbers of which some are the same: how often something was, not which
    document it is."""
    filled = [cell for cell in cells if cell]
    return len(set(filled)) < _LEAST_CELLS_SHARE * len(filled) and all(
        cell.isdecimal() for cell in filled
    )
