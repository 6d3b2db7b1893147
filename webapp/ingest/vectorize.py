"""The words of a corpus -> a version of it: vocabulary, bag of words, columns of what is known of each document. No
text is read."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date

import numpy as np
import orjson

from inference.durable import settle
from inference.index import Index
from inference.text import Stream, choose, duplicates
from webapp import readers
from webapp.ingest.checkpoints import ReadCheckpoint
from webapp.ingest.settings import ReadingSettings, VocabularySettings
from webapp.metadata import columns
from webapp.models import Version
from webapp.storage import bulk, files, sealed


class VersionBuilder:
    """Makes a version's files and rows; `publish`, in the transaction that makes it ready, shows them."""

    def __init__(
        self,
        version: Version,
        checkpoint: ReadCheckpoint,
        check: Callable[[], None],
        report_stage: Callable[[str], None],
    ):
        self.version, self.checkpoint, self.check = version, checkpoint, check
        self.source, self.folder = files.corpus_folder(version.corpus_id), files.version_folder(version.pk)
        shutil.rmtree(self.folder, ignore_errors=True)  # of an attempt that was killed
        self.folder.mkdir(parents=True)
        self.stream = Stream.open(self.source / "tokens")
        self.settings = VocabularySettings.from_dict(version.settings).alike_in(self.stream, self.stream.given)
        with ThreadPoolExecutor(1) as beside:  # on the other core: the index knows of no choice
            indexed = beside.submit(self._index)
            report_stage("duplicates")
            exact, near = self._duplicates()
            check()
            self.corpus_report = self._corpus_report(exact, near)
            report_stage("vocabulary")
            left_out = {"keep": None, "exact": exact >= 0, "near": (exact >= 0) | (near >= 0)}[self.settings.duplicates]
            choice = replace(self.settings.choice(), duplicates="keep")  # they are among left_out: found once
            self.bow, self.vocabulary = choose(self.stream, choice, self.folder / "bow", left_out=left_out)
            check()
            self._columns()
            report_stage("indexing")
            indexed.result()
        made = [self.source / name for name in sealed.ITEMS["corpora"]]
        settle(self.folder, *made)  # before a row says that they are there
        self.stored = sealed.put(*made, *(self.folder / name for name in sealed.ITEMS["versions"]))

    def _duplicates(self) -> tuple[np.ndarray, np.ndarray]:
        """For each document the first one that it repeats, exactly and nearly, -1 for none; found once for the same
        documents."""
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
            "duplicates": {
                "exact": int(np.count_nonzero(exact >= 0)),
                "near": int(np.count_nonzero((near >= 0) & (exact < 0))),
            },
        }

    def _columns(self) -> None:
        options = readers.Options(**ReadingSettings.from_dict(self.version.corpus.settings).options)
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
            Index.write(folder, self.stream, self.stream.language, extend=True, advance=lambda _: self.check())

    def _phrases_left_out(self) -> list[str]:
        """Of the chosen ones those that no text has, or that the thresholds leave out."""
        phrases = self.version.settings.get("phrases", [])
        words = set(self.vocabulary.words) if phrases else set()
        return [phrase for phrase in phrases if phrase.replace(" ", "_") not in words]

    def publish(self) -> None:
        """In the transaction that says that it is ready."""
        partition = bulk.Partition("word", self.version.pk)
        partition.create()
        with partition.writer() as write:
            for number, word in enumerate(self.vocabulary.words):
                write(number, word, int(self.vocabulary.tokens[number]), int(self.vocabulary.documents[number]))
        partition.attach()
        sealed.record(self.stored)
        Version.objects.filter(pk=self.version.pk).update(
            settings=self.version.settings | {"alike": self.settings.alike},
            documents=self.stream.D,
            tokens=self.bow.tokens,
            vocabulary=self.bow.V,
            report={
                "without_words": int(np.count_nonzero(np.diff(self.bow.by_document().indptr) == 0)),
                "rows": self.bow.D,
                "cut": 0 if self.bow.first_row is None else int(np.count_nonzero(np.diff(self.bow.first_row) > 1)),
                "dropped": {reason: list(map(int, counts)) for reason, counts in self.vocabulary.dropped.items()},
                "phrases_left_out": self._phrases_left_out(),
                "digest": self.bow.digest,
            },
        )
