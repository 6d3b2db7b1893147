"""What is known of documents beside their texts, and documents that are found by it."""

import re
import unicodedata
from collections.abc import Collection
from datetime import date
from typing import Any, Required, TypedDict, cast

from webapp.models import Corpus
from webapp.platform.accounts.embargo.withholding import ROLES, withheld
from webapp.platform.storage.sql import rows

LONGEST_VALUE = 1_000  # characters of a value in which a name is looked for: more is a text
_FIELDS = """
    LATERAL (
        SELECT key AS field, value FROM jsonb_each_text(d.metadata)
        UNION ALL VALUES ('title', d.title), ('title', d.whole), ('id', d.source_id), ('file', d.file)
    ) AS f
"""


class AboutDocument(TypedDict, total=False):
    """What is known of a document beside its text: its number, and what was asked for. metadata:
    text of JSON; digest: sha256 of the text in hexadecimal digits. date: the first day, null
    without."""

    number: Required[int]
    source_id: str
    file: str
    place: str
    title: str
    date_text: str
    date: date | None
    metadata: str
    digest: str
    words: int
    part: int
    parts: int
    whole: str


_COLUMNS = frozenset(AboutDocument.__annotations__) - {"number"}  # that may be asked for


def about(corpus: Corpus, numbers: Collection[int], *columns: str) -> dict[int, AboutDocument]:
    """What is known of documents, by number: `columns` of AboutDocument."""
    spelled = {
        "digest": "encode(digest, 'hex') AS digest",
        "metadata": "metadata::text AS metadata",
    }
    selected_columns = ", ".join(spelled.get(name, name) for name in ("number", *columns))
    if not set(columns) <= _COLUMNS:
        raise ValueError(
            f"A document has {sorted(_COLUMNS)}, and not {sorted(set(columns) - _COLUMNS)}."
        )
    documents = rows(
        f"SELECT {selected_columns} FROM document WHERE corpus_id = %s AND number = ANY(%s)",
        [corpus.pk, [*map(int, numbers)]],
    )
    hidden = withheld(corpus)
    if hidden:
        documents = [hidden.row(row) for row in documents]
    return {row["number"]: cast(AboutDocument, row) for row in documents}


def documents_by_id(corpus: Corpus, ids: Collection, column: str = "source_id") -> dict[Any, int]:
    """id -> the number of the document that has it in its files; of several with one id the first.
    Ids that none has are left out. Nothing is said of ids that are withheld. column: what they are
    instead: title, or digest (bytes, sha256 of the text); those that several documents have are
    left out, too."""
    hidden = withheld(corpus)
    if hidden and any(column in ROLES[role] for role in hidden.roles if role in ROLES):
        return {}
    if column not in ("source_id", "title", "digest"):
        raise ValueError(f"Documents are found by source_id, title or digest, not by {column}.")
    having = "" if column == "source_id" else "HAVING count(*) = 1"
    documents = rows(
        f"SELECT {column} AS id, min(number) AS number FROM document WHERE corpus_id = %s AND"
        f" {column} = ANY(%s) GROUP BY 1 {having}",
        [corpus.pk, [*ids]],
    )
    return {
        bytes(row["id"]) if column == "digest" else row["id"]: row["number"] for row in documents
    }


def values_naming(corpus: Corpus, names: Collection[str], limit: int) -> list[dict]:
    """Values of all fields, titles, ids and names of files in which all words of one of the names
    occur, in small letters or capitals: "field", "value", "documents", the most frequent first.
    Nothing is said of fields that are withheld."""
    hidden = withheld(corpus)
    conditions = []
    parameters: list[Any] = [corpus.pk, LONGEST_VALUE]
    for name in names:
        words = name.split()
        conditions.append(" AND ".join(["f.value LIKE ANY(%s)"] * len(words)))
        parameters += [_patterns(word) for word in words]
    any_name = " OR ".join(f"({condition})" for condition in conditions)
    values = rows(
        f"SELECT f.field, f.value, count(DISTINCT d.number) AS documents FROM document d, {_FIELDS}"
        f" WHERE d.corpus_id = %s AND length(f.value) <= %s AND ({any_name}) GROUP BY 1, 2"
        " ORDER BY 3 DESC, 1, 2 LIMIT %s",
        [*parameters, limit],
    )
    if hidden is None:
        return values
    return [
        row for row in values if row["field"] not in hidden.roles and not hidden.hides(row["field"])
    ]


def _patterns(word: str) -> list[str]:
    """For LIKE: a word in small letters and capitals, which the database may know for ASCII alone,
    and in both forms of accents."""
    written = {word, word.lower(), word.upper(), word.title(), word.casefold()}
    forms = {unicodedata.normalize(form, text) for form in ("NFC", "NFD") for text in written}
    return ["%" + re.sub(r"([\\%_])", r"\\\1", form) + "%" for form in sorted(forms)]


def numbers_with(corpus: Corpus, values: Collection[tuple[str, str]]) -> list[int]:
    """The documents that have any of some values, (field, value) as `values_naming` gives them,
    ascending."""
    columns = list(map(list, zip(*values, strict=True)))
    documents = rows(
        f"SELECT DISTINCT d.number FROM document d, {_FIELDS} WHERE d.corpus_id = %s AND"
        " (f.field, f.value) IN (SELECT * FROM unnest(%s::text[], %s::text[])) ORDER BY 1",
        [corpus.pk, *columns],
    )
    return [row["number"] for row in documents]


def count_words(corpus: Corpus, first: int, end: int) -> int:
    """Words of the documents first … end - 1."""
    return rows(
        "SELECT sum(words)::bigint AS words FROM document WHERE corpus_id = %s AND number >= %s AND"
        " number < %s",
        [corpus.pk, first, end],
    )[0]["words"]
