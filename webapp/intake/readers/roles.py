"""Which column holds what: a guess by the columns' names and by what is in them."""

from typing import Any

from webapp.intake.metadata.dates import looks_like
from webapp.intake.metadata.field import mostly

_NAMES = {
    "text": (
        "text body content contents fulltext full_text abstract article document doc message"
        " description inhalt texte contenu corps texto contenido cuerpo testo contenuto tekst текст".split()
    ),
    "title": (
        "title headline heading subject name titel titre título titulo titolo overskrift заголовок"
        " название".split()
    ),
    "date": (
        "date year datum jahr année annee fecha año data anno published pubdate created created_at"
        " publication_date time timestamp day дата год".split()
    ),
    "id": (
        "id identifier key docid doc_id document_id uid uuid guid doi number no nr kennung"
        " identifiant identificador".split()
    ),
}
_MANY = 0.8  # of the cells must be a date for a column of dates, and different for one of ids


def known(name: str) -> bool:
    return any(_plain(name) in names for names in _NAMES.values())


def is_text(name: str) -> bool:
    return _plain(name) in _NAMES["text"]


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").lstrip("\ufeff")


def about(columns: list[str], rows: list[list[str]], key: int) -> dict[str, Any]:
    """Positions in a table about other files, whose column `key` names them and is given as the
    text. What is no date, and is not named title or id, is metadata: short and different values may
    be places as well as ids."""
    places = {role: _named(columns, _NAMES[role]) for role in ("title", "date", "id")}
    if places["date"] is None:
        places["date"] = next(
            (
                i
                for i in range(len(columns))
                if _dates([row[i].strip() for row in rows if i < len(row)])
            ),
            None,
        )
    return {role: None if i == key else i for role, i in places.items()} | {"text": key}


def guess(columns: list[str], rows: list[list[str]]) -> dict[str, Any]:
    """Positions of text, title, date and id; None where there seems to be none (but some column is
    the text)."""
    cells = [[row[i].strip() for row in rows if i < len(row)] for i in range(len(columns))]
    lengths = [sum(map(len, column)) / max(1, len(column)) for column in cells]
    free = set(range(len(columns)))
    places: dict[str, Any] = {}

    def take(role: str, place: int | None) -> None:
        places[role] = place
        free.discard(place)

    named = {role: _named(columns, names) for role, names in _NAMES.items()}
    words = [sum(map(_worded, column)) / max(1, len(column)) for column in cells]
    words = words if any(words) else lengths
    wordiest = max(range(len(columns)), key=lambda i: (words[i], lengths[i], -i))
    by_name = named["text"]
    take(
        "text",
        by_name if by_name is not None and words[by_name] >= 0.3 * words[wordiest] else wordiest,
    )
    for role in ("title", "date", "id"):
        take(role, named[role] if named[role] in free else None)
    if places["id"] is not None and _counts(cells[places["id"]]):
        free.add(places["id"])
        places["id"] = None
    if places["date"] is None:
        take("date", next((i for i in sorted(free) if _dates(cells[i])), None))
    if places["id"] is None and len(rows) > 1:
        take("id", next((i for i in sorted(free) if _identifies(cells[i])), None))
    if places["title"] is None:
        likely = (
            i
            for i in sorted(free)
            if 12 <= lengths[i] <= 200 and len(set(cells[i])) > 0.8 * len(cells[i])
        )
        take("title", next(likely, None))
    return places


def _named(columns: list[str], names: list[str]) -> int | None:
    """The column whose name comes first in the list of names."""
    places = [
        (names.index(_plain(column)), i)
        for i, column in enumerate(columns)
        if _plain(column) in names
    ]
    return min(places)[1] if places else None


def _dates(cells: list[str]) -> bool:
    return mostly(looks_like, [cell for cell in cells if cell], _MANY)


def _worded(cell: str) -> float:
    """How many of its characters are of words: numbers, hashes and addresses are none. As its
    beginning is, so is the whole."""
    start = cell[:1_000]  # by which it is known whether it holds words
    # Words of Latin letters are not longer
    parts = (part for part in start.split() if not part.isascii() or len(part) <= 40)
    of_words = sum(len(part) for part in parts if sum(map(str.isalpha, part)) > len(part) / 2)
    return len(cell) * of_words / max(1, len(start))


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
    return len(set(filled)) < _MANY * len(filled) and all(cell.isdecimal() for cell in filled)
