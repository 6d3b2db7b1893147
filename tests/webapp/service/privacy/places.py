"""Where a text stands: files, tables and keys of Redis; pages and exports as text."""

import io
import zipfile
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


def searched(text: str) -> list[str]:
    """Files, tables and keys of Redis in which a text stands."""
    found = [
        str(path)
        for path in Path(settings.FILES).rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE"
            " relkind = 'r' AND nspname = 'public'"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" AS t WHERE position(%s IN t::text) > 0', [text]
            )
            if cursor.fetchone()[0]:
                found.append(table.removeprefix("webapp_"))
    return found + [str(key) for key in events.client().scan_iter() if text in redis_value(key)]


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
