"""The only module that reads the table `document`: the texts, and the fields that came with them.
An embargo is decided here.

Whoever shows a text, or a title, gets it from a function below, which gives no more than the
corpus's embargo allows. So pages, their JSON, files, pins and the API can't differ. A test reads
the source: no other module names the table or its model
(tests/webapp/platform/accounts/test_embargo.py has the few that store and copy its rows, and why).

Under an embargo everything that is counted can be seen, and
- of a text passages of at most PASSAGE characters; of a section of a longer text at most a quarter
  of it (QUARTER);
- in a list of lines at most LINES of one document;
- of a text a QUARTER of its characters in all, whatever is asked for: each character that was shown
  is counted (`_charge`), for the account that asked and for all readers of a link, or of what is
  public, together; and of a text HALF in all to all readers of a corpus, of parts of it, too. Who
  owns the corpus is not counted, nor is what the program itself reads;
- of what tells the order of words (patterns, words near a word) counts alone that are rounded, of
  no
  fewer than COUNT_STEP documents (`rounded`), and no set of documents (`refuse_order`), as a text
  could be read out by asking which word follows; for readers, not for the owner;
- of a field (title, id, each value of the metadata) at most PASSAGE characters; nothing of a field
  that was the text in any reading of the same files, and of none where an earlier reading cut the
  files in another way, as its columns can't be told apart then.

Who is asked for by a request is said once, by the middleware (`read_by`). docs/security.md says how
far all that goes.
"""

import bisect
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, islice
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings as configuration
from django.db import transaction
from django.db.models import Q

from inference.errors import Invalid
from webapp.models import Corpus, Export, TextReader
from webapp.platform.accounts import lineage, readings
from webapp.platform.accounts.roles import SHARED_CORPUS, Person, grants
from webapp.platform.storage import export_files
from webapp.platform.storage.sql import rows

PASSAGE = 200  # characters of consecutive text, markers aside
# a passage of a section, and all that a reader is shown of a text, is at most its length divided by
# this
QUARTER = 4
HALF = 2  # likewise all that its corpus's readers are shown together
ALL_READERS = (  # all readers of a corpus as a reader (TextShown.reader), followed by its number
    "corpus "
)
LINES = 3  # of one document in a list of lines
PAGE_CHARACTERS = 50_000  # characters of a document that a page shows
CUT_SLACK = 1_000  # before the end of a part in which a line or a space is looked for, to cut there
QUOTE = 5_000  # characters of a quotation
FARTHEST_CHARACTER = 2**31 - 1  # places in a text that the database can count
# A column's role -> columns of the table
ROLES = {
    "title": ("title", "whole"),
    "id": ("source_id",),
    "date": ("date_text",),
}
COUNT_STEP = 10  # counts of words in their order are told in such steps
SEED_BYTES = 8  # of what is drawn by the server's secret
MISSING = "The document does not contain this passage. Copy it from the page unchanged."
USED_UP = " Or it does, and as much of its text was shown already as the embargo allows."
SENTENCE = (
    "The texts of this corpus are under embargo: you see only counts, and passages of at most {}"
    " characters."
)
IN_ALL = (
    " Of each text you see a quarter in all, and all readers together see half: what was shown to"
    " you, to all who read with the same link, and to all readers counts for good, and where it is"
    " used up a passage stays empty. Searches and counts still tell which words a text has."
)


def sentence(corpus: Corpus) -> str:
    """For readers; "" where there is no embargo."""
    if not corpus.embargo:
        return ""
    in_all = IN_ALL if readers(corpus) else ""
    return SENTENCE.format(PASSAGE) + in_all


def refuse(corpus: Corpus, what: str) -> None:
    """Raises Invalid where `what`, which would give texts away, is asked for under embargo."""
    if corpus.embargo:
        raise Invalid("embargo", f"{what} would give away texts that are under embargo.")


# Readers
# -------------------------------------------------------------------------------------------------------------


class ReaderUnknown(Exception):
    """In a web process, texts under embargo are asked for and nobody has said who reads them."""


class _Reader(NamedTuple):
    person: Callable[[], Person] | None  # None: the program itself reads
    known: dict[int, tuple[str, ...]]  # corpus -> `readers`, as they were asked for


# None: nobody has said. In a worker, and in a command, that is the program itself.
_reader: ContextVar[_Reader | None] = ContextVar("reader", default=None)
_is_web_process = False


def require_reader() -> None:
    """From here on this process answers requests: to ask for texts under embargo is a mistake where
    nobody has said who reads them, for the budgets of readers would not be charged."""
    global _is_web_process
    _is_web_process = True


def read_by(person: Callable[[], Person]) -> None:
    """From here on texts are shown to a person: to the end of the request whose middleware calls
    this, a response that streams included. Nobody has called it in a worker: texts are read by the
    program itself there."""
    _reader.set(_Reader(person, {}))


@contextmanager
def reading(person: Person | None) -> Iterator[None]:
    """Texts are shown to a person in here; None: to nobody, the program itself reads them."""
    token = _reader.set(_Reader((lambda: person) if person else None, {}))
    try:
        with readings.reading(person):
            yield
    finally:
        _reader.reset(token)


def readers(corpus: Corpus) -> tuple[str, ...]:
    """For whom what is shown of a corpus's texts is counted (TextShown.reader): the account, or all
    readers of the links or of what is public together, and all readers of the corpus. () where
    nothing is: for its owner, the program itself, and while accounts are off.

    Of a part of a corpus its owner counts as a reader, unless the corpora that it comes from are
    theirs, too; and what they let others read of it counts as read by them. Raises ReaderUnknown in
    a web process where nobody has said who reads.
    """
    if not (corpus.embargo and configuration.ACCOUNTS):
        return ()
    reader = _reader.get()
    if reader is None and _is_web_process:
        raise ReaderUnknown(f"Texts of corpus {corpus.pk} are read by nobody who is known.")
    if reader is None or reader.person is None:
        return ()
    if corpus.pk not in reader.known:
        reader.known[corpus.pk] = _readers(corpus, reader.person())
    return reader.known[corpus.pk]


def _readers(corpus: Corpus, person: Person) -> tuple[str, ...]:
    lineage = _lineage(corpus)
    user = {f"user {person.user}"} if person.user else set()
    if person.user and lineage.owners == {person.user}:
        return ()
    vouching = {f"user {owner}" for owner in lineage.owners if owner not in (None, lineage.owner)}
    vouching.add(f"{ALL_READERS}{lineage.first}")
    shared = Corpus.everything.filter(pk=corpus.pk).values(shared=SHARED_CORPUS)
    budgets = [
        row
        for grant in grants(person)
        for row in grant.filter(granted__in=shared).values_list("to_user", "to_link")
    ]
    if not any(to_user is not None for to_user, _ in budgets):
        vouching |= {f"link {link}" for _, link in budgets} or {"public"}
    return tuple(sorted(user | vouching))


class _Lineage(NamedTuple):
    """The corpora that a corpus was taken from, itself included."""

    first: (
        int  # from which all others were taken; where it is gone for good the oldest that is there
    )
    owner: int | None  # of the first; None where it is gone
    owners: set[int | None]


def _lineage(corpus: Corpus) -> _Lineage:
    line = lineage.line_of(corpus.pk)
    first = line[-1]
    owner = None if first.is_orphan else first.owner
    return _Lineage(first.pk, owner, {owner, *(ancestor.owner for ancestor in line)})


class _Wanted(NamedTuple):
    """The characters begin … end - 1 of a text. mark: the one that matters among them. whole: all
    of them or none."""

    digest: bytes
    length: int  # of the text
    begin: int
    end: int
    mark: int
    whole: bool = False


Span = tuple[int, int]  # from, up to
Shown = dict[tuple[str, bytes], list[Span]]  # reader and text -> what was shown: ascending, apart


def _charge(corpus: Corpus, wanted: list[_Wanted]) -> list[Span]:
    """What may be shown of each, around its mark; (mark, mark): nothing. It is counted, for good,
    before it is returned.

    What was shown before may be shown again: that takes one query and no write. All else takes one
    transaction, in which the texts' rows are locked: of readers who ask at the same time none gets
    what another one has used up.
    """
    asking = readers(corpus)
    if not asking or not wanted:
        return [(wanted_text.begin, wanted_text.end) for wanted_text in wanted]
    keys = sorted({(reader, wanted_text.digest) for wanted_text in wanted for reader in asking})
    columns = list(map(list, zip(*keys, strict=True)))
    cut, new = _share_out(_known_spans(columns, lock=False), asking, wanted)
    if not new:
        return cut
    first = _lineage(corpus).first
    lengths = {wanted_text.digest: wanted_text.length for wanted_text in wanted}
    with transaction.atomic():
        rows(
            "INSERT INTO text_shown (reader, digest, corpus_id) SELECT reader, digest, %s FROM"
            " unnest(%s::text[], %s::bytea[]) AS asked(reader, digest) ON CONFLICT DO NOTHING"
            " RETURNING 1",
            [first, *columns],
        )
        seen_spans = _known_spans(columns, lock=True)
        had_seen = {key: bool(spans) for key, spans in seen_spans.items()}
        was_full = {key: _is_full(key, spans, lengths) for key, spans in seen_spans.items()}
        cut, new = _share_out(seen_spans, asking, wanted)
        multiranges = [_multirange(spans) for spans in new.values()]
        full = [_is_full(key, spans, lengths) for key, spans in new.items()]
        rows(
            "UPDATE text_shown AS t SET shown = n.shown::int4multirange, used_up = n.used_up FROM"
            " unnest(%s::text[], %s::bytea[], %s::text[], %s::bool[]) AS n(reader, digest, shown,"
            " used_up) WHERE t.reader = n.reader AND t.digest = n.digest RETURNING 1",
            [[reader for reader, _ in new], [digest for _, digest in new], multiranges, full],
        )
        new_rows = [
            (key[0], not had_seen[key], is_full and not was_full[key])
            for key, is_full in zip(new, full, strict=True)
        ]
        rows(
            "INSERT INTO text_reader AS t (corpus_id, reader, texts, used_up) SELECT %s, reader,"
            " count(*) FILTER (WHERE text), count(*) FILTER (WHERE used_up) FROM unnest(%s::text[],"
            " %s::bool[], %s::bool[]) AS n(reader, text, used_up) GROUP BY reader ORDER BY reader"
            " ON CONFLICT (corpus_id, reader) DO UPDATE SET texts = t.texts + excluded.texts,"
            " used_up = t.used_up + excluded.used_up RETURNING 1",
            [first, *map(list, zip(*new_rows, strict=True) if new_rows else ((), (), ()))],
        )
    return cut


def _characters_left(reader: str, shown: list[Span], length: int) -> int:
    """How many more characters of a text may be shown to a reader."""
    return length // (HALF if reader.startswith(ALL_READERS) else QUARTER) - sum(
        b - a for a, b in shown
    )


def _known_spans(columns: list[list], lock: bool) -> Shown:
    """What was shown, of rows by their readers and digests, in an order that is the same for all
    who lock them."""
    stored = rows(
        "SELECT reader, digest, array(SELECT lower(s) FROM unnest(shown) s) AS begins, array(SELECT"
        " upper(s) FROM unnest(shown) s) AS ends FROM text_shown WHERE (reader, digest) IN (SELECT"
        " * FROM unnest(%s::text[], %s::bytea[])) ORDER BY reader, digest"
        + (" FOR UPDATE" if lock else ""),
        columns,
    )
    return {
        (row["reader"], bytes(row["digest"])): list(zip(row["begins"], row["ends"], strict=True))
        for row in stored
    }


def _share_out(
    shown: Shown, asking: tuple[str, ...], wanted: list[_Wanted]
) -> tuple[list[Span], Shown]:
    """What of each may be shown, and what has then been shown of the texts of which that is more
    than before."""
    cut = []
    new = {}
    for wanted_text in wanted:
        keys = [(reader, wanted_text.digest) for reader in asking]
        spans = [shown.setdefault(key, []) for key in keys]
        left = [
            _characters_left(reader, before, wanted_text.length)
            for reader, before in zip(asking, spans, strict=True)
        ]
        begin, end = _affordable(
            wanted_text,
            [_overlaps(before, wanted_text.begin, wanted_text.end) for before in spans],
            left,
        )
        if wanted_text.whole and end - begin < wanted_text.end - wanted_text.begin:
            begin = end = wanted_text.mark
        cut.append((begin, end))
        for key, before in zip(keys, spans, strict=True):
            if begin < end and sum(b - a for a, b in _overlaps(before, begin, end)) < end - begin:
                shown[key] = new[key] = _join_span(before, begin, end)
    return cut, new


def _overlaps(spans: list[Span], begin: int, end: int) -> list[Span]:
    """The parts of spans that lie within begin … end - 1."""
    first = bisect.bisect_right(spans, begin, key=lambda span: span[1])
    last = bisect.bisect_left(spans, end, key=lambda span: span[0])
    return [(max(a, begin), min(b, end)) for a, b in spans[first:last]]


def _join_span(spans: list[Span], begin: int, end: int) -> list[Span]:
    """With one more, as few as they can be."""
    first = bisect.bisect_left(spans, begin, key=lambda span: span[1])
    last = bisect.bisect_right(spans, end, key=lambda span: span[0])
    touched = [(begin, end), *spans[first:last]]
    return [*spans[:first], (min(a for a, _ in touched), max(b for _, b in touched)), *spans[last:]]


def _is_full(key: tuple[str, bytes], spans: list[Span], lengths: Mapping[bytes, int]) -> bool:
    """Whether a reader may see no more of a text. key: the reader, and the text's digest."""
    reader, digest = key
    return _characters_left(reader, spans, lengths[digest]) <= 0


def _multirange(spans: list[Span]) -> str:
    """The spans as Postgres reads an int4multirange."""
    ranges = [f"[{begin},{end})" for begin, end in spans]
    return f"{{{','.join(ranges)}}}"


def _length_of_spans(spans: list[Span]) -> int:
    return sum(end - begin for begin, end in spans)


def _affordable(one: _Wanted, before: list[list[Span]], left: list[int]) -> Span:
    """As much of what is wanted as each reader has characters left for, grown from the mark to both
    sides."""
    if one.begin >= one.end:
        return one.begin, one.begin
    characters = one.end - one.begin
    new_characters = [characters - _length_of_spans(spans) for spans in before]
    if all(new <= budget for new, budget in zip(new_characters, left, strict=True)):
        return one.begin, one.end
    costs = []  # of each character, by reader
    for spans in before:
        cost = bytearray(b"\1") * (one.end - one.begin)
        for a, b in spans:
            cost[a - one.begin : b - one.begin] = bytes(b - a)
        costs.append(cost)
    mark = min(max(one.mark, one.begin), one.end - 1)
    begin = end = mark
    growing = {"right", "left"}
    while growing:
        for side, boundary in (("right", end), ("left", begin - 1)):
            is_inside = one.begin <= boundary < one.end
            has_mark = side == "right" or end > mark
            if side not in growing or not is_inside or not has_mark:
                growing.discard(side)
                continue
            number = boundary - one.begin
            budgets = [budget - cost[number] for cost, budget in zip(costs, left, strict=True)]
            if min(budgets) < 0:
                growing.discard(side)
                continue
            left = budgets
            begin = min(begin, boundary)
            end = max(end, boundary + 1)
    return begin, end


def used(corpus: Corpus, asked: Collection[str]) -> dict[str, tuple[int, int]]:
    """reader -> of how many texts they were shown something, and of how many all that may be: for
    the owner. asked: the readers that a page lists; there may be any number."""
    of_readers = TextReader.objects.filter(corpus=corpus, reader__in=asked)
    return {
        reader: (texts, full)
        for reader, texts, full in of_readers.values_list("reader", "texts", "used_up")
    }


# Counts of words in their order
# --------------------------------------------------------------------------------------------------------------


def refuse_order(corpus: Corpus, field: str) -> None:
    """Raises Invalid where a reader chooses documents by the order of their words: of a few
    documents, one of them a text's own, it would tell which word follows which."""
    if readers(corpus):
        raise Invalid(
            field,
            "The texts of this corpus are under embargo: documents can’t be chosen by words in"
            " their order, such as a phrase or a pattern. Search for the words alone.",
        )


def rounded(corpus: Corpus, counts: np.ndarray) -> np.ndarray:
    """int64, as `counts`: counts of words in their order as a reader is told them, multiples of
    COUNT_STEP that are smaller than the count by up to 2 COUNT_STEP - 1, and not below 0. As they
    are to everybody else.

    Where the steps are is drawn by the server's secret from the counts themselves: who asks again,
    or in other words, learns nothing more, and another set has other steps, so that one text more
    is not seen by two questions.
    """
    if not readers(corpus):
        return counts
    key = hashlib.sha256(configuration.SECRET_KEY.encode()).digest()
    exact = np.ascontiguousarray(counts, np.int64)
    digest = hashlib.blake2b(exact.tobytes(), key=key, digest_size=SEED_BYTES).digest()
    random = np.random.default_rng(int.from_bytes(digest))
    return np.maximum(
        (exact - random.integers(0, COUNT_STEP, exact.shape)) // COUNT_STEP * COUNT_STEP, 0
    )


# Fields
# --------------------------------------------------------------------------------------------------------------


def columns_read(settings: dict) -> list[dict[str, str]]:
    """Which column was the text in each way in which files were read: {"text": its name, or "",
    "cut": a digest of how the files were cut into columns and documents}. settings: a corpus's
    (ingest.corpus_settings.ReadingSettings as a dict)."""
    if not settings.get("options"):
        return []
    return [
        {
            "text": _column(reading["options"], "text"),
            "cut": _cut(reading["options"], reading["shaping"] or {}),
        }
        for reading in (settings, *settings.get("added", []))
    ]


def _column(options: dict, role: str) -> str:
    """The name of the column that has a role, as it stands in the metadata; "" where there is
    none."""
    position = options.get(role)
    names = options.get("names") or ()
    return "" if position is None or position >= len(names) else names[position][:100]


def _cut(options: dict, shaping: dict) -> str:
    """A digest of what decides how files become documents. It is stored: what is added to the list
    changes it only where it is set."""
    how = [options.get(name) or "" for name in ("encoding", "delimiter", "header", "sheet")]
    of_shaping = ("join", "period", "names", "pattern", "table", "key")
    how += [shaping.get(name) or "" for name in of_shaping]
    headings_become_titles = shaping.get("sections") == "headings"
    how.append(headings_become_titles and (shaping.get("marker") or ""))
    how.append(options.get("names") or ())
    if options.get("header_row"):
        how.append(options["header_row"])
    if options.get("surplus"):
        how.append("surplus")
    return hashlib.sha256(json.dumps(how).encode()).hexdigest()[:16]


class Withheld(NamedTuple):
    """Fields of a corpus's documents that must not be shown: metadata by name, and roles ("title",
    "id", "date"). everything: all."""

    names: frozenset[str]
    roles: frozenset[str]
    everything: bool

    def metadata(self, values: Iterable[tuple[str, str]]) -> dict[str, str]:
        return {name: value[:PASSAGE] for name, value in values if not self.hides(name)}

    def may_count(self, name: str, values: Iterable[str]) -> bool:
        """Whether documents may be counted by the values of a column."""
        return not self.hides(name) and max(map(len, values), default=0) <= PASSAGE

    def hides(self, name: str) -> bool:
        """Whether nothing of a column is shown."""
        if self.everything or name in self.names:
            return True
        unnamed = _UNNAMED.fullmatch(name)
        widths = [
            int(mark[1]) for mark in map(_BEYOND.fullmatch, self.names if unnamed else ()) if mark
        ]
        return unnamed is not None and any(int(unnamed[1]) > width for width in widths)

    def row(self, row: dict) -> dict:
        """A row of `document` with what is withheld taken out; "metadata" is text of JSON."""
        for role, columns in ROLES.items():
            for column in row.keys() & set(columns):
                row[column] = "" if role in self.roles else row[column][:PASSAGE]
        if "metadata" in row:
            row["metadata"] = json.dumps(
                self.metadata(json.loads(row["metadata"]).items()), ensure_ascii=False
            )
        return row


def withheld(corpus: Corpus, settings: dict | None = None) -> Withheld | None:
    """None without an embargo. settings: of a reading that a form proposes; by default the corpus's
    own."""
    if not corpus.embargo:
        return None
    return _withheld(corpus.settings if settings is None else settings)


def _withheld(settings: dict) -> Withheld:
    readings = columns_read(settings)
    before = settings.get("before", [])
    names = frozenset(reading["text"] for reading in (*readings, *before) if reading["text"])
    cuts = {reading["cut"] for reading in readings}
    cuts_before = {reading["cut"] for reading in before if reading["cut"]}
    everything = not cuts_before <= cuts or ALL_COLUMNS in names
    ways = [settings, *settings.get("added", [])] if readings else []
    widths = {_named_columns(reading["options"]) for reading in ways}
    names |= {f"*{width}" for width in widths if width}
    hidden = Withheld(names, frozenset(ROLES if everything else ()), everything)
    roles = set(hidden.roles)
    for reading in ways:
        for role in ROLES:
            if hidden.hides(_column(reading["options"], role)):
                roles.add(role)
    return hidden._replace(roles=frozenset(roles))


# As names of columns that were texts. All of a table's, or those beyond so many, which have no name
# in its header: its rows have surplus cells there, and those of a text that has the separator in it
# are the text.
ALL_COLUMNS = "*"
_BEYOND = re.compile(r"\*(\d{1,9})")
_UNNAMED = re.compile(r"column (\d{1,9})")


def _named_columns(options: dict) -> int:
    """How many columns a table has, up to the last one that its header names; 0 where it has none,
    or no surplus cells."""
    if not options.get("delimiter") or not options.get("header") or options.get("surplus"):
        return 0
    return max(
        (i for i, name in enumerate(options.get("names") or (), 1) if name != f"column {i}"),
        default=0,
    )


def inherited(settings: dict) -> list[dict[str, str]]:
    """What a part of a corpus, or an addition to it, must know of its texts (`before` in settings):
    columns by their names alone, as a part cuts no files, and an addition cuts other ones."""
    before = _withheld(settings)
    return [
        {"text": name, "cut": ""}
        for name in sorted({*before.names, *([ALL_COLUMNS] if before.everything else [])})
    ]


def about(corpus: Corpus, numbers: Collection[int], *columns: str) -> dict[int, dict]:
    """What is known of documents beside their texts: number -> {"number", and each of `columns`}.
    metadata: text of JSON;
    digest: sha256 of the text in hexadecimal digits."""
    spelled = {
        "digest": "encode(digest, 'hex') AS digest",
        "metadata": "metadata::text AS metadata",
    }
    selected_columns = ", ".join(spelled.get(name, name) for name in ("number", *columns))
    if not set(columns) <= _ABOUT:
        raise ValueError(
            f"A document has {sorted(_ABOUT)}, and not {sorted(set(columns) - _ABOUT)}."
        )
    documents = rows(
        f"SELECT {selected_columns} FROM document WHERE corpus_id = %s AND number = ANY(%s)",
        [corpus.pk, [*map(int, numbers)]],
    )
    hidden = withheld(corpus)
    return {row["number"]: hidden.row(row) if hidden else row for row in documents}


_ABOUT = {
    "source_id", "file", "place", "title", "date_text", "date", "metadata", "digest", "words", "part", "parts", "whole",
}  # fmt: skip


def numbers(corpus: Corpus, ids: Collection, column: str = "source_id") -> dict[Any, int]:
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


LONGEST_VALUE = 1_000  # characters of a value in which a name is looked for: more is a text
_FIELDS = """
    LATERAL (
        SELECT key AS field, value FROM jsonb_each_text(d.metadata)
        UNION ALL VALUES ('title', d.title), ('title', d.whole), ('id', d.source_id), ('file', d.file)
    ) AS f
"""


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
    shut = {row["field"] for row in values if hidden.hides(row["field"])} | hidden.roles
    return [row for row in values if row["field"] not in shut]


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


def note_coded(corpus: Corpus, number: int, text: str, coder: str) -> None:
    """For the record of reading: a text's beginning was opened to be coded."""
    if readings.keepers(corpus):
        digests = rows(
            "SELECT digest FROM document WHERE corpus_id = %s AND number = %s", [corpus.pk, number]
        )
        for row in digests:
            readings.note_opened(corpus, number, bytes(row["digest"]), 0, len(text), coder)


def words(corpus: Corpus, first: int, end: int) -> int:
    """Words of the documents first … end - 1."""
    return rows(
        "SELECT sum(words)::bigint AS words FROM document WHERE corpus_id = %s AND number >= %s AND"
        " number < %s",
        [corpus.pk, first, end],
    )[0]["words"]


# Texts
# ---------------------------------------------------------------------------------------------------------------


class TextPart(NamedTuple):
    """text: the document's characters start … end - 1, "" under embargo; length: those of the whole
    document."""

    text: str
    start: int
    end: int
    length: int


def part(corpus: Corpus, number: int, at: int) -> TextPart | None:
    """The part of a document that holds character `at`. Parts follow one another without a gap,
    wherever one enters."""
    documents = rows(
        """
        SELECT digest, length, first, substr(text, greatest(first - %(slack)s, 0)::int + 1, %(part)s + %(slack)s) AS text
        FROM (SELECT text, digest, length(text) AS length FROM document WHERE corpus_id = %(corpus)s AND number = %(number)s) AS whole,
             LATERAL (SELECT least(%(at)s, greatest(length - 1, 0)) / %(part)s * %(part)s AS first) AS cut
        """,
        {
            "corpus": corpus.pk,
            "number": number,
            "at": at,
            "part": PAGE_CHARACTERS,
            "slack": CUT_SLACK,
        },
    )
    if not documents:
        return None
    length = documents[0]["length"]
    first = documents[0]["first"]
    text = documents[0]["text"]
    base = max(0, first - CUT_SLACK)
    start = base + _cut_before(text, first - base) if first else 0
    end = (
        length
        if first + PAGE_CHARACTERS >= length
        else base + _cut_before(text, first + PAGE_CHARACTERS - base)
    )
    if end <= at < length:
        return part(corpus, number, first + PAGE_CHARACTERS)
    given_text = "" if corpus.embargo else text[start - base : end - base]
    digest = bytes(documents[0]["digest"])
    readings.note_opened(corpus, number, digest, start, start + len(given_text))
    return TextPart(given_text, start, end, length)


def at_place(corpus: Corpus, number: int, start: int, end: int) -> str | None:
    """The characters start … end - 1 of a document, at most QUOTE of them; None where it has none
    there.

    Under embargo "": who names one place after another would read the whole.
    """
    if not start < end <= min(start + QUOTE, FARTHEST_CHARACTER):
        return None
    documents = rows(
        "SELECT digest, length(text) AS length, substr(text, %s, %s) AS text FROM document WHERE"
        " corpus_id = %s AND number = %s",
        [start + 1, 0 if corpus.embargo else end - start, corpus.pk, number],
    )
    if not documents or end > documents[0]["length"]:
        return None
    text = documents[0]["text"]
    digest = bytes(documents[0]["digest"])
    readings.note_opened(corpus, number, digest, start, start + len(text))
    return text


def _cut_before(text: str, limit: int) -> int:
    """Behind the last line, or else the last word, that ends within CUT_SLACK characters before the
    limit."""
    for mark in ("\n", " "):
        if (last := text.rfind(mark, max(0, limit - CUT_SLACK), limit)) >= 0:
            return last + 1
    return limit


# A passage's longest, in SQL, of a row of `document`.
_LONGEST_PASSAGE = (
    f"CASE WHEN parts > 1 THEN least({PASSAGE}, length(text) / {QUARTER}) ELSE {PASSAGE} END"
)


def _length(corpus: Corpus) -> str:
    """A text's, in SQL. Without an embargo nobody asks for it, and a long text need not be read to
    its end."""
    return "length(text)" if corpus.embargo else "0"


class Piece(NamedTuple):
    """The characters of a document from `first` on; more: whether its text goes on behind them."""

    number: int
    first: int
    text: str
    more: bool


def read_pieces(corpus: Corpus, places: list[tuple[int, int, int, int]]) -> list[Piece]:
    """A piece of a text for each (document, first character, how many, the character that matters),
    in their order.

    Under embargo shorter ones, each with the character that matters in its first third.
    """
    longest = _LONGEST_PASSAGE if corpus.embargo else "size"
    length = _length(corpus)
    cut = (
        rows(
            f"""
        SELECT d.number, begin, asked, mark, d.digest, {length} AS length, substr(d.text, begin + 1, asked + 1) AS text
        FROM unnest(%(number)s::bigint[], %(first)s::int[], %(size)s::int[], %(mark)s::int[])
             WITH ORDINALITY AS p(number, first, size, mark, place)
        JOIN document d ON d.corpus_id = %(corpus)s AND d.number = p.number,
             LATERAL (SELECT {longest} AS most) AS allowed,
             LATERAL (SELECT greatest(p.first, CASE WHEN p.size > most THEN p.mark - most / 3 ELSE 0 END) AS begin) AS cut,
             LATERAL (SELECT least(p.first + p.size - begin, most) AS asked) AS wanted
        ORDER BY p.place
        """,
            dict(
                zip(
                    ("number", "first", "size", "mark"),
                    map(list, zip(*places, strict=True)),
                    strict=True,
                )
            )
            | {"corpus": corpus.pk},
        )
        if places
        else []
    )
    requests = [
        _Wanted(
            bytes(row["digest"]),
            row["length"],
            row["begin"],
            row["begin"] + len(row["text"][: row["asked"]]),
            row["mark"],
        )
        for row in cut
    ]
    allowed = _charge(corpus, requests)
    _note_passages(corpus, cut, allowed)
    pieces_read = []
    for row, (begin, end) in zip(cut, allowed, strict=True):
        first = begin - row["begin"]
        last = end - row["begin"]
        text = row["text"]
        pieces_read.append(Piece(row["number"], begin, text[first:last], last < len(text)))
    return pieces_read


def _note_passages(corpus: Corpus, documents: list[dict], spans: list[Span]) -> None:
    """For the record of reading. documents: rows with "number" and "digest"."""
    readings.note_passages(
        corpus,
        (
            (row["number"], bytes(row["digest"]), begin, end)
            for row, (begin, end) in zip(documents, spans, strict=True)
        ),
    )


def beginnings(corpus: Corpus, numbers: Collection[int], most: int) -> dict[int, str]:
    """The first characters of documents, at most so many: number -> text, in the order of the
    numbers."""
    characters = f"least(%s, {_LONGEST_PASSAGE})" if corpus.embargo else "%s"
    documents = rows(
        f"SELECT number, digest, {_length(corpus)} AS length, left(text, {characters}) AS text"
        " FROM document WHERE corpus_id = %s AND number = ANY(%s) ORDER BY number",
        [most, corpus.pk, [*map(int, numbers)]],
    )
    requests = [
        _Wanted(bytes(row["digest"]), row["length"], 0, len(row["text"]), 0) for row in documents
    ]
    allowed = _charge(corpus, requests)
    _note_passages(corpus, documents, allowed)
    return {
        row["number"]: row["text"][:end] for row, (_, end) in zip(documents, allowed, strict=True)
    }


def read_chosen(
    corpus: Corpus, numbers: list[int], read: int, choose: Callable[[int, str], tuple[int, int]]
) -> dict[int, tuple[int, str]]:
    """number -> (first character, text) of the piece of each document that `choose(number, text)`
    wants: it returns the first character and the one behind the last.

    read: how many characters of a document it is given to choose from. Under embargo the beginning
    of that piece.
    """
    documents = rows(
        f"SELECT number, {_LONGEST_PASSAGE if corpus.embargo else 'NULL'} AS most, digest,"
        f" {_length(corpus)}"
        " AS length, left(text, %s) AS text FROM document WHERE corpus_id = %s AND number ="
        " ANY(%s)",
        [read, corpus.pk, numbers],
    )
    requests = []
    for row in documents:
        start, end = choose(row["number"], row["text"])
        if corpus.embargo:
            end = min(end, start + row["most"])
        end = max(start, min(end, len(row["text"])))
        requests.append(_Wanted(bytes(row["digest"]), row["length"], start, end, start))
    allowed = _charge(corpus, requests)
    _note_passages(corpus, documents, allowed)
    texts = {}
    for row, (begin, end) in zip(documents, allowed, strict=True):
        texts[row["number"]] = (begin, row["text"][begin:end])
    return texts


def quotation(
    corpus: Corpus, number: int, quote: str, start: int | None, end: int | None
) -> Piece | None:
    """Where a quotation stands in a document, in the document's own characters (`located`); None
    where there is no such document.

    Under embargo only what was sent comes back: a place alone, however it is written, gives
    nothing. It is counted, as the places of all words would be the text; where no more may be
    shown, it is as if the document did not have it. Raises Invalid.
    """
    documents = rows(
        "SELECT text, digest FROM document WHERE corpus_id = %s AND number = %s",
        [corpus.pk, number],
    )
    if not documents:
        return None
    text = documents[0]["text"]
    words = _words(quote)
    if not words:
        refuse(corpus, "A passage by its place alone")
    missing = MISSING + (USED_UP if readers(corpus) else "")
    start, end = located(text, quote, start, end, missing)
    if end - start > PASSAGE:
        refuse(corpus, f"A passage of more than {PASSAGE} characters")
    if text[start:end].split() != words:
        refuse(corpus, "A passage that was not sent")
    if _charge(
        corpus, [_Wanted(bytes(documents[0]["digest"]), len(text), start, end, start, whole=True)]
    ) != [(start, end)]:
        raise Invalid("quote", missing)
    _note_passages(corpus, [{"number": number, "digest": documents[0]["digest"]}], [(start, end)])
    return Piece(number, start, text[start:end], end < len(text))


def located(
    text: str, quote: str, start: int | None, end: int | None, missing: str = MISSING
) -> tuple[int, int]:
    """Where a quotation stands in a text, spaces and line breaks aside: at `start` to `end` if it
    is there, else first; missing: the sentence where it is nowhere.

    Without a quotation it is those characters. The marks … around an excerpt don't count. Raises
    Invalid.
    """
    if len(quote) > 2 * QUOTE:
        raise Invalid(
            "quote", f"A passage has at most {QUOTE:,} characters; this one has {len(quote):,}."
        )
    words = _words(quote)
    marked_text = ""
    if start is not None and end is not None and 0 <= start < end <= len(text):
        marked_text = text[start:end]
    if start is not None and marked_text and (not words or marked_text.split() == words):
        blanks_before = len(marked_text) - len(marked_text.lstrip())
        end = start + len(marked_text.rstrip())
        start += blanks_before
    elif words:
        start, end = _find_words(text, words, missing)
    else:
        raise Invalid("quote", "Mark or paste the passage first.")
    if end - start > QUOTE:
        raise Invalid(
            "quote", f"A passage has at most {QUOTE:,} characters; this one has {end - start:,}."
        )
    return start, end


def _words(quote: str) -> list[str]:
    return quote.strip().strip("…").split()


def _find_words(text: str, words: list[str], missing: str) -> tuple[int, int]:
    """Where words stand first, whatever white space is between them, in one pass: an expression
    would try anew at every place."""
    flat = " ".join(text.split())
    if (at := flat.find(" ".join(words))) < 0:
        raise Invalid("quote", missing)
    before = flat.count(" ", 0, at)
    word_matches = list(islice(re.finditer(r"\S+", text), before, before + len(words)))
    # It may begin within a word
    start = word_matches[0].start() + at - (flat.rfind(" ", 0, at) + 1)
    return start, (start if len(words) == 1 else word_matches[-1].start()) + len(words[-1])


# Texts that are no rows
# ----------------------------------------------------------------------------------------------


def preview(one: dict, hidden: Withheld | None) -> dict:
    """A document of a sample of files (ingest.sample): title, date, fields, text. hidden: what the
    reading of them withholds."""
    if hidden is None:
        return one
    fields = hidden.metadata((name, value) for name, value, _ in one["fields"])
    kinds = {name: kind for name, _, kind in one["fields"]}
    title = "" if "title" in hidden.roles else one["title"][:PASSAGE]
    date = "" if "date" in hidden.roles else one["date"]
    return one | {
        "title": title,
        "date": date,
        "fields": [(name, value, kinds[name]) for name, value in fields.items()],
        "text": "",
    }


def beginning(corpus: Corpus, text: str) -> str:
    """What may be shown of a text that is no row yet, and so can't be counted."""
    if not corpus.embargo:
        return text
    return "" if readers(corpus) else text[:PASSAGE]


def passage(corpus: Corpus, parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """A passage in (text, is marked) parts: the PASSAGE characters around its first marked part,
    under embargo."""
    *begins, length = accumulate((len(part) for part, _ in parts), initial=0)
    if not corpus.embargo or length <= PASSAGE:
        return parts
    marks = [begin for begin, (_, in_mark) in zip(begins, parts, strict=True) if in_mark]
    mark = marks[0] if marks else 0
    first = max(0, min(mark - PASSAGE // 3, length - PASSAGE))
    last = first + PASSAGE
    shown_parts = []
    if first:
        shown_parts.append(("… ", False))
    for begin, (part, in_mark) in zip(begins, parts, strict=True):
        text = part[max(0, first - begin) : max(0, last - begin)]
        if text:
            shown_parts.append((text, in_mark))
    if last < length:
        shown_parts.append((" …", False))
    return shown_parts


def lines(corpus: Corpus) -> int | None:
    """How many lines of one document a list may show; None for all."""
    return LINES if corpus.embargo else None


def set_embargo(corpus: Corpus, on: bool) -> None:
    """From now on texts are withheld, or shown again. Raises Invalid where they can't be shown.

    It reaches the parts that were made of the corpus, whosever they are, deleted ones that can come
    back, too, and parts of those, and drafts of files that are to be added; large files that were
    made of their runs before are removed. Ended it is for this one alone; not for a part, whose
    texts are those of its parent, while that one's are withheld, or when that can't be told any
    more.
    """
    with transaction.atomic():
        row = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
        if not on:
            if row.provenance and not row.provenance.get("whole") and row.parent is None:
                raise Invalid(
                    "embargo",
                    "The corpus of which this is a part is deleted: whether its texts may be read"
                    " can't be told any more.",
                )
            if row.parent and row.parent.embargo:
                raise Invalid(
                    "embargo",
                    f"This is a part of “{row.parent.name}”, whose texts are under embargo: that"
                    " one must end first.",
                )
        reached = {row.pk}
        while reached:
            if on:
                # One that is being made is begun anew (webapp.service.exports.kept).
                export_files.remove(
                    Export.objects.filter(run__corpus__in=reached, status=Export.Status.READY)
                )
            Corpus.everything.filter(Q(pk__in=reached) | Q(into__in=reached)).update(embargo=on)
            parts = Corpus.everything.none()
            if on:
                shown = Corpus.everything.filter(parent__in=reached, embargo=False)
                parts = shown.select_for_update(no_key=True)
            reached = set(parts.values_list("pk", flat=True))
