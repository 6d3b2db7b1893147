"""Ingest: files -> documents and words in Postgres, bag of words on disk. All or nothing; the files stay."""

import csv
import hashlib
import time
from collections import Counter
from dataclasses import asdict
from datetime import date

import numpy as np
import orjson
from django.db import InterfaceError, OperationalError, transaction
from psycopg.types.json import Jsonb

from inference.errors import Invalid
from inference.index import Index
from inference.text import Stream, Tokeniser, choose
from tasks import readers, subset
from tasks.celery import app
from tasks.heartbeat import Heartbeat
from webapp import bulk, columns, events, files
from webapp.csvs import safe
from webapp.models import Corpus, Version
from webapp.services import corpora, jobs, versions

TRANSIENT = (OperationalError, InterfaceError)
TELL_EVERY = 0.25  # seconds between two pieces of news
PROBLEMS_SHOWN = 100  # so many are kept on the corpus's row, for its page; all of them are in its report.csv


@app.task(name="tasks.corpora.ingest")
def ingest(corpus_id: int) -> None:
    """Read a queued corpus, from its stored files."""
    attempt = jobs.claim(jobs.READING, corpus_id)
    if attempt is None:
        return
    try:
        with Heartbeat(jobs.READING, corpus_id, attempt) as beat:
            Ingest(Corpus.objects.get(pk=corpus_id), attempt, beat).go()
    except jobs.Lost:
        return
    except TRANSIENT:
        raise  # the heartbeat stops here, and the sweep queues the corpus again when Postgres is back
    except (Invalid, readers.Unreadable) as error:
        jobs.fail(jobs.READING, corpus_id, attempt, str(error))
    except Exception:
        jobs.crash(jobs.READING, corpus_id, attempt)


class Ingest:
    """One attempt at one corpus."""

    def __init__(self, corpus: Corpus, attempt: int, beat: Heartbeat):
        self.corpus, self.attempt, self.beat = corpus, attempt, beat
        self.reading = corpora.Reading(**corpus.settings)
        self.options = readers.Options(**self.reading.options)
        self.files = corpora.paths(corpus)  # now: during a COPY its connection answers nothing else
        self.folder = files.corpus_folder(corpus.pk)
        self.bytes_read = self.documents = self.words = 0
        self.problems: list[readers.Problem] = []
        self.problem_counts: Counter[str] = Counter()
        self.told_at = 0.0
        if corpus.provenance:
            corpus.bytes_total = subset.size(corpus)
            jobs.update(jobs.READING, corpus.pk, attempt, bytes_total=corpus.bytes_total)

    def go(self) -> None:
        self.corpus.versions.all().delete()  # of an attempt that was killed
        version = versions.begin(self.corpus, versions.Words.of(self.corpus.settings), status=Version.Status.CHOOSING)
        self.version_folder = files.version_folder(version.pk)
        tokens_folder = self.folder / "tokens"
        stream = Stream.write(tokens_folder, Tokeniser(self.reading.language))
        report = (self.folder / "report.csv").open("w", newline="", encoding="utf-8")
        with transaction.atomic(), report as file, stream as writer, self._columns() as self.columns:
            self.report = csv.writer(file)
            self.report.writerow(["file", "place", "problem", "dropped"])
            documents = bulk.Partition("document", self.corpus.pk)
            documents.create()
            self._copy_documents(documents, writer)
            writer.commit()
            self.columns.finish(self.documents)
            self._tell("vocabulary", force=True)
            tokens = Stream.open(tokens_folder)
            bow, vocabulary = choose(tokens, self.reading.choice(), self.version_folder / "bow")
            self._tell("indexing", force=True)
            Index.write(self.folder / "index", tokens, self.reading.language, advance=lambda _: self.beat.check())
            words = bulk.Partition("word", version.pk)
            words.create()
            with words.writer() as write:
                for number, word in enumerate(vocabulary.words):
                    write(number, word, int(vocabulary.tokens[number]), int(vocabulary.documents[number]))
            documents.attach()
            words.attach()
            Version.objects.filter(pk=version.pk).update(
                status=Version.Status.READY, documents=bow.D, tokens=bow.tokens, vocabulary=bow.V, report=_report(bow, vocabulary)
            )
            jobs.update(
                jobs.READING,
                self.corpus.pk,
                self.attempt,
                status=Corpus.Status.READY,
                version=version,
                bytes_read=self.corpus.bytes_total,
                documents_read=self.documents,
                report=self._report(),
            )

    def _columns(self) -> columns.Writer:
        return columns.Writer(self.version_folder / "columns", self.options.kinds, {"number": readers.types.number, "date": self._ordinal})

    def _copy_documents(self, partition: bulk.Partition, writer) -> None:
        with partition.writer() as write:
            for item in self._items():
                self.beat.check()
                if isinstance(item, readers.Problem):
                    self._problem(item)
                    continue
                count = int(writer.add([item.text], [item.title])[0])
                date = self._date(item)
                self.columns.add(self.documents, date, item.metadata)
                write(
                    self.documents,
                    item.source_id,
                    item.file,
                    item.place,
                    item.title,
                    item.date,
                    date,
                    Jsonb(item.metadata, dumps=orjson.dumps),
                    item.text,
                    hashlib.sha256(item.text.encode()).digest(),
                    count,
                    item.part,
                    item.parts,
                    item.whole,
                )
                self.documents += 1
                self.words += count
                self._tell("reading")
        if not self.documents:
            first = f" {self.problems[0].message}" if self.problems else ""
            raise Invalid("files", f"No document could be read from what was uploaded.{first}")

    def _ordinal(self, text: str) -> int | None:
        found = readers.parse_date(text, self.options.date_order or None)
        return found.toordinal() if found else None

    def _date(self, item: readers.Document) -> date | None:
        """The document's date; one that can't be read is a problem, and the document stays."""
        found = readers.parse_date(item.date, self.options.date_order or None)
        if found is None and item.date:
            place = f"“{item.file}”, {item.place}" if item.place else f"“{item.file}”"
            why = f"{place}: its date “{item.date}” {readers.dates.why_none(item.date)}; it was kept without a date."
            self._problem(readers.Problem(item.file, item.place, why, False))
        return found

    def _items(self):
        """Documents and problems of all files; one file that can't be read does not refuse the rest."""
        if self.corpus.provenance:
            yield from subset.documents(self.corpus, self._advance)
            return
        companions = readers.Companions.of(self.files)
        for path, name in self.files:
            try:
                yield from readers.read(path, name, self.options, self._advance, companions)
            except readers.Unreadable as error:
                if len(self.files) == 1:
                    raise
                yield readers.Problem(file=name, place="", message=str(error), dropped=True)

    def _advance(self, count: int) -> None:
        self.bytes_read += count

    def _problem(self, problem: readers.Problem) -> None:
        self.problem_counts["dropped" if problem.dropped else "repaired"] += 1
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(problem)
        self.report.writerow(safe([problem.file, problem.place, problem.message, "yes" if problem.dropped else "no"]))

    def _tell(self, stage: str, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self.told_at >= TELL_EVERY:
            self.told_at = now
            self.beat.fields = {"bytes_read": self.bytes_read, "documents_read": self.documents}
            event = {
                "type": "progress",
                "stage": stage,
                "bytes_read": self.bytes_read,
                "bytes_total": self.corpus.bytes_total,
                "documents": self.documents,
                "words": self.words,
            }
            events.corpus(self.corpus.pk, event)

    def _report(self) -> dict:
        return {
            "words_read": self.words,
            "problem_counts": dict(self.problem_counts),
            "problems": [asdict(p) for p in self.problems],
        }


def _report(bow, vocabulary) -> dict:
    return {
        "without_words": int(np.count_nonzero(np.diff(bow.indptr) == 0)),
        "dropped": {reason: list(map(int, counts)) for reason, counts in vocabulary.dropped.items()},
        "digest": bow.digest,
    }
