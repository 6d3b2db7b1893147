"""Where a text stands: files, tables and keys of Redis; pages and exports as text."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.webapp.taking import taken
from webapp.models import Corpus, Run
from webapp.platform.jobs import events
from webapp.service.exports.catalogue import EXPORT_KINDS


def pages(client: Client, addresses: dict[str, str]) -> dict[str, str]:
    """What addresses answer, or their status where it is not 200."""
    answers = {}
    for name, address in addresses.items():
        answer = client.get(address, follow=True)
        answers[name] = str(answer.status_code)
        if answer.status_code == 200:
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            answers[name] = body.decode()
    return answers


def addresses_of(corpus: Corpus, run: Run) -> dict[str, str]:
    """Pages that show a document, its words or its fields."""
    return {
        "corpus": reverse("corpus", args=[corpus.pk]),
        "document": reverse("corpus_document", args=[corpus.pk, 0]),
        "documents": reverse("corpus_documents", args=[corpus.pk]),
        "topic": reverse("run_topic", args=[run.pk, 0]),
        "topics": reverse("run_topics_json", args=[run.pk]),
        "words": reverse("run_words_json", args=[run.pk]),
        "its document": reverse("run_document", args=[run.pk, 0]),
    }


def exported(run: Run) -> dict[str, str]:
    """Every file of a run that asks for nothing."""
    made = {}
    for kind in EXPORT_KINDS.values():
        if not kind.asks:
            name = f"{kind.name}.{kind.endings[0]}"
            made[name] = readable(taken(run, name))
    return made


def readable(content: bytes) -> str:
    """Its bytes as text; of an archive those of what is in it."""
    if not content.startswith(b"PK"):
        return content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(name + readable(archive.read(name)) for name in archive.namelist())


def searched(*texts: str) -> dict[str, set[str]]:
    """By text: the files, tables and keys of Redis in which it stands. All texts are looked for in
    one reading of each."""
    found: dict[str, set[str]] = {text: set() for text in texts}
    for path in Path(settings.FILES).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for text in texts:
                if text.encode() in content:
                    found[text].add(str(path))
    for table in tables():
        for text in texts_in(table, texts):
            found[text].add(table.removeprefix("webapp_"))
    for key in events.client().scan_iter():
        value = redis_value(key)
        for text in texts:
            if text in value:
                found[text].add(str(key))
    return found


def tables() -> list[str]:
    """All of them, and partitions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE"
            " relkind = 'r' AND nspname = 'public'"
        )
        return [name for (name,) in cursor.fetchall()]


def texts_in(table: str, texts: Sequence[str]) -> list[str]:
    """Those of the texts that stand in a row of a table. Each row is written out once: without
    OFFSET Postgres would do so for each text."""
    columns = ", ".join(["bool_or(position(%s IN written) > 0)"] * len(texts))
    rows = f'SELECT t::text AS written FROM "{table}" AS t OFFSET 0'
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM ({rows}) AS every_row", texts)
        return [text for text, stands in zip(texts, cursor.fetchone(), strict=True) if stands]


def redis_value(key: bytes) -> str:
    """As the database of events holds it, whatever it is."""
    read = {
        b"string": lambda client: client.get(key),
        b"stream": lambda client: client.xrange(key),
        b"hash": lambda client: client.hgetall(key),
        b"list": lambda client: client.lrange(key, 0, -1),
        b"set": lambda client: client.smembers(key),
        b"zset": lambda client: client.zrange(key, 0, -1),
    }
    client = events.client()
    kind = client.type(key)
    return str(read[kind](client)) if kind in read else ""
