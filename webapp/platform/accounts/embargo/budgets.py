"""How much of each text was shown to whom. What is wanted of a text is counted here before it is
given out, and cut to what its readers may still see."""

import bisect
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db import transaction

from webapp.models import Corpus, TextReader
from webapp.platform.accounts.embargo.limits import ALL_READERS_PART, READER_PART
from webapp.platform.accounts.embargo.who_reads import (
    ALL_READERS,
    all_readers_of,
    lineage_of,
    readers,
)
from webapp.platform.storage.sql import rows

Span = tuple[int, int]  # from, up to
Shown = dict[tuple[str, bytes], list[Span]]  # reader and text -> what was shown: ascending, apart


class Wanted(NamedTuple):
    """The characters begin … end - 1 of a text. mark: the one that matters among them. whole: all
    of them or none."""

    digest: bytes
    length: int  # of the text
    begin: int
    end: int
    mark: int
    whole: bool = False


def charge(corpus: Corpus, wanted: list[Wanted]) -> list[Span]:
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
    cut, new = _share_out(known_spans(columns, lock=False), asking, wanted)
    if not new:
        return cut
    first = lineage_of(corpus).first
    lengths = {wanted_text.digest: wanted_text.length for wanted_text in wanted}
    # durable: within a transaction of its caller, whose failure would take the count back, it raises
    with transaction.atomic(durable=True):
        rows(
            "INSERT INTO text_shown (reader, digest, corpus_id) SELECT reader, digest, %s FROM"
            " unnest(%s::text[], %s::bytea[]) AS asked(reader, digest) ON CONFLICT DO NOTHING"
            " RETURNING 1",
            [first, *columns],
        )
        seen_spans = known_spans(columns, lock=True)
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
    part = ALL_READERS_PART if reader.startswith(ALL_READERS) else READER_PART
    return length // part - _length_of_spans(shown)


def known_spans(columns: list[list], lock: bool) -> Shown:
    """What was shown, of rows by their readers and digests, in an order that is the same for all
    who lock them. columns: the readers; and the digest of a text for each. lock: keep others from
    these rows until the transaction ends."""
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
    shown: Shown, asking: tuple[str, ...], wanted: list[Wanted]
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
        begin, end = affordable_span(
            wanted_text,
            [overlaps(before, wanted_text.begin, wanted_text.end) for before in spans],
            left,
        )
        if wanted_text.whole and end - begin < wanted_text.end - wanted_text.begin:
            begin = end = wanted_text.mark
        cut.append((begin, end))
        for key, before in zip(keys, spans, strict=True):
            if begin < end and sum(b - a for a, b in overlaps(before, begin, end)) < end - begin:
                shown[key] = new[key] = join_span(before, begin, end)
    return cut, new


def overlaps(spans: list[Span], begin: int, end: int) -> list[Span]:
    """The parts of spans that lie within begin … end - 1. spans: ascending, apart."""
    first = bisect.bisect_right(spans, begin, key=lambda span: span[1])
    last = bisect.bisect_left(spans, end, key=lambda span: span[0])
    return [(max(a, begin), min(b, end)) for a, b in spans[first:last]]


def join_span(spans: list[Span], begin: int, end: int) -> list[Span]:
    """The spans with one more, as few as they can be. spans: ascending, apart."""
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


def affordable_span(wanted: Wanted, before: list[list[Span]], left: list[int]) -> Span:
    """As much of what is wanted as each reader has characters left for, grown from the mark to both
    sides. before: of each reader, what of it was shown already. left: each reader's characters."""
    if wanted.begin >= wanted.end:
        return wanted.begin, wanted.begin
    characters = wanted.end - wanted.begin
    new_characters = [characters - _length_of_spans(spans) for spans in before]
    if all(new <= budget for new, budget in zip(new_characters, left, strict=True)):
        return wanted.begin, wanted.end
    costs = []  # of each character, by reader
    for spans in before:
        cost = bytearray(b"\1") * (wanted.end - wanted.begin)
        for a, b in spans:
            cost[a - wanted.begin : b - wanted.begin] = bytes(b - a)
        costs.append(cost)
    mark = min(max(wanted.mark, wanted.begin), wanted.end - 1)
    begin = end = mark
    growing = {"right", "left"}
    while growing:
        for side, boundary in (("right", end), ("left", begin - 1)):
            is_inside = wanted.begin <= boundary < wanted.end
            has_mark = side == "right" or end > mark
            if side not in growing or not is_inside or not has_mark:
                growing.discard(side)
                continue
            number = boundary - wanted.begin
            budgets = [budget - cost[number] for cost, budget in zip(costs, left, strict=True)]
            if min(budgets) < 0:
                growing.discard(side)
                continue
            left = budgets
            begin = min(begin, boundary)
            end = max(end, boundary + 1)
    return begin, end


class TextsRead(NamedTuple):
    """of_readers: reader -> of how many texts they were shown something, and of how many all that
    may be. together: the same of all readers."""

    of_readers: dict[str, tuple[int, int]]
    together: tuple[int, int] | None


def count_texts_read(corpus: Corpus, asked: Collection[str]) -> TextsRead:
    """What readers were shown of the texts of a corpus and of all corpora of the same line, which
    are counted together: for the owner. Of a part of somebody else's corpus nothing is told, as
    that is theirs to know. asked: the readers that a page lists; there may be any number."""
    origin = lineage_of(corpus)
    is_of_another = origin.first != corpus.pk and origin.owner != corpus.owner_id
    if is_of_another:
        return TextsRead({}, None)
    all_readers = all_readers_of(origin)
    of_readers = TextReader.objects.filter(corpus=origin.first, reader__in=[*asked, all_readers])
    counts = {
        reader: (texts, full)
        for reader, texts, full in of_readers.values_list("reader", "texts", "used_up")
    }
    together = counts.pop(all_readers, None)
    return TextsRead(counts, together)
