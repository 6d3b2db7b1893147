"""CSV that Postgres writes and nobody holds: each export is one COPY … TO STDOUT, streamed as it comes."""

import re
from collections.abc import AsyncIterator, Iterator

import psycopg
from django.db import connection
from psycopg import sql

from webapp.csvs import safe_sql
from webapp.models import Run

WORDS = 20  # of a topic in the wide form
MAX_WORDS = 1000  # columns that the wide form may have: spreadsheets and Postgres take more, readers don't


def topics_long(run: Run) -> sql.Composed:
    """topic, rank (from 1), word, weight: every stored weight of every topic."""
    return sql.SQL(
        f"SELECT tw.topic, tw.rank + 1 AS rank, {safe_sql('w.word')} AS word, tw.weight"
        " FROM topic_word tw JOIN word w ON w.corpus_id = {corpus} AND w.number = tw.word"
        " WHERE tw.snapshot_id = {snapshot} ORDER BY tw.topic, tw.rank"
    ).format(corpus=run.corpus_id, snapshot=run.snapshot_id)


def topics_wide(run: Run, words: int = WORDS) -> sql.Composed:
    """topic, share, coherence, word_1 … word_n: a row for each topic."""
    columns = sql.SQL(", ").join(sql.SQL(f"words[{n}] AS word_{n}") for n in range(1, words + 1))
    return sql.SQL(
        "SELECT t.number AS topic, t.share, t.coherence, {columns} FROM webapp_topic t LEFT JOIN LATERAL ("
        f"SELECT array_agg({safe_sql('w.word')} ORDER BY tw.rank) AS words"
        " FROM topic_word tw JOIN word w ON w.corpus_id = {corpus} AND w.number = tw.word"
        " WHERE tw.snapshot_id = {snapshot} AND tw.topic = t.number AND tw.rank < {words}) first ON true"
        " WHERE t.snapshot_id = {snapshot} ORDER BY t.number"
    ).format(columns=columns, corpus=run.corpus_id, snapshot=run.snapshot_id, words=words)


def document_topics(run: Run) -> sql.Composed:
    """document, id, title, date, topic, tokens, share: the topics of every document, largest first."""
    return sql.SQL(
        f"SELECT dt.document, {safe_sql('d.source_id')} AS id, {safe_sql('d.title')} AS title,"
        f" {safe_sql('d.date_text')} AS date, dt.topic, dt.tokens, dt.share"
        " FROM document_topic dt JOIN document d ON d.corpus_id = {corpus} AND d.number = dt.document"
        " WHERE dt.snapshot_id = {snapshot} ORDER BY dt.document, dt.tokens DESC, dt.topic"
    ).format(corpus=run.corpus_id, snapshot=run.snapshot_id)


def curation(run: Run) -> sql.Composed:
    """topic, label, note, group, colour, hidden, into: what readers say at present; services.curation reads it back."""
    columns = ", ".join(
        f"max({safe_sql('value') if field in ('label', 'note', 'group') else 'value'}) FILTER (WHERE field = '{field}') AS \"{field}\""
        for field in ("label", "note", "group", "colour", "hidden", "into")
    )
    return sql.SQL(
        f"SELECT topic, {columns} FROM (SELECT DISTINCT ON (topic, field) topic, field, value FROM webapp_edit"
        " WHERE run_id = {run} AND undone_at IS NULL ORDER BY topic, field, id DESC) present"
        " WHERE value <> '' GROUP BY topic ORDER BY topic"
    ).format(run=run.pk)


def curation_history(run: Run) -> sql.Composed:
    """edit, topic, field, value, by, at, undone_at, undone_by: every edit, oldest first."""
    return sql.SQL(
        f"SELECT id AS edit, topic, field, {safe_sql('value')} AS value, {safe_sql('by')} AS by, at, undone_at,"
        f" {safe_sql('undone_by')} AS undone_by FROM webapp_edit"
        " WHERE run_id = {run} ORDER BY id"
    ).format(run=run.pk)


FORMS = {
    "topics-long": topics_long,
    "topics-wide": topics_wide,
    "document-topics": document_topics,
    "curation": curation,
    "curation-history": curation_history,
}


def file_name(run: Run, form: str) -> str:
    """Says what made the file: corpus, run, K, seed and form."""
    name = re.sub(r"[^a-z0-9]+", "-", run.corpus.name.lower()).strip("-")[:60] or "corpus"
    return f"{name}_run{run.pk}_K{run.topics}_seed{run.seed}_{form}.csv"


def _copy(query: sql.Composed) -> sql.Composed:
    return sql.SQL("COPY ({}) TO STDOUT (FORMAT csv, HEADER)").format(query)


def stream(query: sql.Composed) -> Iterator[bytes]:
    """The CSV in pieces, for a command."""
    with connection.cursor() as cursor, cursor.copy(_copy(query)) as copy:
        yield from map(bytes, copy)


async def astream(query: sql.Composed) -> AsyncIterator[bytes]:
    """The CSV in pieces, for a page; on a connection of its own, as a reader may take its time."""
    database = connection.settings_dict
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    address = {name: database[key] for name, key in names.items() if database[key]}
    async with await psycopg.AsyncConnection.connect(**address, autocommit=True) as own:
        async with own.cursor() as cursor, cursor.copy(_copy(query)) as copy:
            gathered = bytearray()
            async for piece in copy:  # one piece is one row
                gathered += piece
                if len(gathered) >= 1 << 16:
                    yield bytes(gathered)
                    gathered.clear()
            yield bytes(gathered)
