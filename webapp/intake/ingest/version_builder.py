"""From the words of a corpus to a version of it: vocabulary, bag of words, index, and columns of what
is known of each document. No text is read."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import orjson
from django.db import transaction

from inference.bow import Bow
from inference.index import Index
from inference.runtime.durable import settle
from inference.text import Stream, Vocabulary, choose, duplicates
from webapp.intake import file_formats
from webapp.intake.ingest import unit_search
from webapp.intake.ingest.checkpoints import ReadCheckpoint
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.language_sample import LanguageSample
from webapp.intake.metadata import columns
from webapp.models import Version
from webapp.platform.storage import bulk, files, sealed


@dataclass(frozen=True)
class BuiltVersion:
    """A version whose files are there, and no row says so yet. corpus_report: what the corpus's
    page says of reading."""

    version: Version
    settings: VocabularySettings
    stream: Stream
    bow: Bow
    vocabulary: Vocabulary
    unit_fields: dict
    corpus_report: dict
    sealed_files: list[sealed.Stored]

    def store_words(self) -> None:
        """Store the rows of its words, in a transaction before that of `publish` (bulk says why)."""
        bulk.drop_left("word", self.version.pk)
        with transaction.atomic():
            partition = bulk.Partition("word", self.version.pk)
            partition.create()
            with partition.writer() as write:
                for number, word in enumerate(self.vocabulary.words):
                    write(
                        number,
                        word,
                        int(self.vocabulary.tokens[number]),
                        int(self.vocabulary.documents[number]),
                    )
            partition.attach()

    def publish(self) -> None:
        """In the transaction that says that it is ready."""
        sealed.record(self.sealed_files)
        Version.objects.filter(pk=self.version.pk).update(
            settings=self.version.settings | {"alike": self.settings.alike},
            documents=self.stream.D,
            tokens=self.bow.tokens,
            vocabulary=self.bow.V,
            unit_fields=self.unit_fields,
            report=self._report(),
        )

    def _report(self) -> dict:
        """What the version's page says of it."""
        words_of_rows = np.diff(self.bow.by_document().indptr)
        documents_cut = 0
        if self.bow.first_row is not None:
            documents_cut = int(np.count_nonzero(np.diff(self.bow.first_row) > 1))
        return {
            "without_words": int(np.count_nonzero(words_of_rows == 0)),
            "rows": self.bow.D,
            "cut": documents_cut,
            "dropped": {
                reason: list(map(int, counts)) for reason, counts in self.vocabulary.dropped.items()
            },
            "phrases_left_out": self._phrases_left_out(),
            "digest": self.bow.digest,
        }

    def _phrases_left_out(self) -> list[str]:
        """The chosen phrases that no text has, or that the thresholds leave out."""
        phrases = self.version.settings.get("phrases", [])
        words = set(self.vocabulary.words) if phrases else set()
        return [phrase for phrase in phrases if phrase.replace(" ", "_") not in words]


class VersionBuilder:
    """Makes a version's files. check: ends the attempt by what it raises. report_stage: told what is
    done next."""

    def __init__(
        self,
        version: Version,
        checkpoint: ReadCheckpoint,
        check: Callable[[], None],
        report_stage: Callable[[str], None],
    ):
        self.version = version
        self.checkpoint = checkpoint
        self.check = check
        self.report_stage = report_stage
        self.source: Path = files.corpus_folder(version.corpus_id)
        self.folder: Path = files.version_folder(version.pk)
        self.stream = Stream.open(self.source / "tokens")
        self.settings = VocabularySettings.from_dict(version.settings).alike_in(
            self.stream, self.stream.given
        )

    def build(self) -> BuiltVersion:
        """The index is made on another core meanwhile: it knows of no choice of words."""
        shutil.rmtree(self.folder, ignore_errors=True)  # of an attempt that was killed
        self.folder.mkdir(parents=True)
        with ThreadPoolExecutor(1) as index_thread:
            indexed = index_thread.submit(self._index)
            self.report_stage("duplicates")
            exact, near = self._duplicates()
            self.check()
            corpus_report = self._corpus_report(exact, near)
            self.report_stage("vocabulary")
            bow, vocabulary = self._choose_words(exact, near)
            self.check()
            self._columns()
            unit_fields = unit_search.find_guarded(self.version, self.stream.D, bow)
            self.report_stage("indexing")
            indexed.result()
        return BuiltVersion(
            version=self.version,
            settings=self.settings,
            stream=self.stream,
            bow=bow,
            vocabulary=vocabulary,
            unit_fields=unit_fields,
            corpus_report=corpus_report,
            sealed_files=self._seal(),
        )

    def _seal(self) -> list[sealed.Stored]:
        """The files are on the disk, and in the store, before a row says so."""
        of_corpus = [self.source / name for name in sealed.ITEMS["corpora"]]
        of_version = [self.folder / name for name in sealed.ITEMS["versions"]]
        settle(self.folder, *of_corpus)
        return sealed.put(*of_corpus, *of_version)

    def _choose_words(self, exact: np.ndarray, near: np.ndarray) -> tuple[Bow, Vocabulary]:
        """Choose the words that count, of documents that repeat no other where that is chosen."""
        left_out = None
        if self.settings.duplicates == "exact":
            left_out = exact >= 0
        elif self.settings.duplicates == "near":
            left_out = (exact >= 0) | (near >= 0)
        # They are among left_out: found once
        choice = replace(self.settings.choice(), duplicates="keep")
        return choose(self.stream, choice, self.folder / "bow", left_out=left_out)

    def _duplicates(self) -> tuple[np.ndarray, np.ndarray]:
        """For each document the first one that it repeats, exactly and nearly, -1 for none; found
        once for the same documents."""
        path = self.source / "duplicates.npz"
        if path.exists():
            with np.load(path) as arrays:
                if len(arrays["exact"]) == self.stream.D:
                    return arrays["exact"], arrays["near"]
        exact, near = duplicates.find(self.stream, self.source)
        new = path.with_suffix(".new.npz")
        np.savez(new, exact=exact, near=near)
        new.replace(path)
        return exact, near

    def _corpus_report(self, exact: np.ndarray, near: np.ndarray) -> dict:
        """What the corpus's page says of reading."""
        repeated, first = bulk.repeated_ids(self.version.corpus_id)
        return {
            "repeated_ids": repeated,
            "repeated_ids_first": first,
            "words_read": self.checkpoint.words,
            "problem_counts": self.checkpoint.problem_counts,
            "problems": self.checkpoint.problems,
            "text_languages": LanguageSample(**self.checkpoint.languages).counts(),
            "duplicates": {
                "exact": int(np.count_nonzero(exact >= 0)),
                "near": int(np.count_nonzero((near >= 0) & (exact < 0))),
            },
        }

    def _columns(self) -> None:
        """Write what is known of each document, a file for each field."""
        options = file_formats.Options(
            **ReadingSettings.from_dict(self.version.corpus.settings).options
        )
        with (
            columns.Writer(self.folder / "columns", options.kinds) as writer,
            (self.source / "fields.jsonl").open("rb") as lines,
        ):
            for number, line in enumerate(lines):
                day, metadata, *orders = orjson.loads(line)
                order = orders[0] if orders else options.date_order  # of an older version's lines
                writer.add(number, date.fromordinal(day) if day else None, metadata, order)
            writer.finish(self.stream.D)

    def _index(self) -> None:
        """The search of the corpus; it is as it was where no document came since."""
        folder = self.source / "index"
        if Index.size(folder) < self.stream.D:
            Index.write(
                folder,
                self.stream,
                self.stream.language,
                extend=True,
                advance=lambda _: self.check(),
            )
