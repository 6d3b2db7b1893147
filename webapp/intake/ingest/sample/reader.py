"""Reads the files of a plan for a sample, and counts what is in them."""

import contextlib
import time
from collections import Counter
from collections.abc import Generator, Iterator
from typing import ClassVar

from webapp.intake import file_formats
from webapp.intake.file_formats import Document, Problem, Unreadable, looking
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.sample.estimates import KindTally, empty_tallies
from webapp.intake.ingest.sample.file_share import FileShare
from webapp.intake.ingest.sample.plan import SamplePlan, UploadedFile
from webapp.intake.ingest.shaping import place_in_whole

Item = Document | Problem


class ProblemLog:
    """What of the files is left out or changed. lost: files, or entries of archives, of which
    nothing could be read; unreadable: of these, uploaded files."""

    MOST_SENTENCES: ClassVar[int] = 5  # of single documents; each unreadable file has one

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.left_out: Counter[str] = Counter()  # by kind (file_formats.left_out)
        self.lost = 0
        self.unreadable = 0

    def note(self, problem: Problem) -> None:
        self.left_out[problem.counted_as] += problem.count
        self.lost += problem.dropped and file_formats.kind(problem.file) is not None
        if len(self.sentences) < self.MOST_SENTENCES:
            self.sentences.append(problem.message)

    def note_unreadable(self, error: Unreadable) -> None:
        """A file that can't be read, or not to its end."""
        self.left_out[error.kind] += 1
        self.lost += 1
        self.unreadable += 1
        self.sentences.append(str(error))


class SampleReader:
    """Gives the documents and problems of one file after the other, and counts them. It stands still
    between two items (see drawing.draw_sample)."""

    tally: KindTally  # of files of the same kind as the one that was begun last

    def __init__(self, plan: SamplePlan, until: float):
        """until: by time.monotonic(), from when on nothing is read but the first documents."""
        self.plan = plan
        self.until = until
        self.problems = ProblemLog()
        self.tallies = empty_tallies(plan)
        self.files_begun = 0
        self.names_read: set[str] = set()  # of files, and entries, with documents
        # Whether there was a document that may be one of several of a file, or of an archive whose
        # entries are not read in an even order
        self.has_several = False
        self.counting_seconds = 0.0  # that the rests of files took
        self.is_cut_short = False  # whether a limit ended a file, or left files out
        self.has_ended = False  # whether no file is to be begun any more
        self.sample_is_full = False
        self._items = self._items_of_files()

    def items(self) -> Iterator[Item]:
        """Always the same iterator: it goes on where it was."""
        return self._items

    def end_sample_with(self, document: Document) -> None:
        """The document is the last one of the sample. It may be a section, and others of its whole
        are to come."""
        if not self.has_ended:
            self.tally.texts_sampled += document.part / document.parts - 1
            self.has_several |= document.part < document.parts

    def count_the_rest(self) -> None:
        """The sample is full. Count on in the file where that was so, which gives no item any more,
        and begin no other."""
        self.sample_is_full = True
        if next(self._items, None) is not None:
            raise AssertionError("the reader gave an item though the sample is full")

    def _items_of_files(self) -> Iterator[Item]:
        """Of each file an equal part of what may still be read; as much as there is, where all has
        room, or each file is one document."""
        sampled_texts = 0
        sampled_characters = 0
        to_read = self.plan.to_read
        takes_what_comes = self.plan.reads_all or self.plan.files_are_single
        for number, file in enumerate(to_read):
            sharing_files = 1 if takes_what_comes else len(to_read) - number
            characters_left = (limits.CHARACTERS - sampled_characters) // sharing_files
            texts_left = max(1, (limits.MOST_DOCUMENTS - sampled_texts) // sharing_files)
            is_full = characters_left <= 0 or sampled_texts >= limits.MOST_DOCUMENTS
            # Where no file can be read, as of scans, it is said of those that were tried
            has_tried = sampled_texts or number >= limits.MOST_FILES
            is_late = has_tried and time.monotonic() > self.until
            if is_full or is_late or self.sample_is_full:
                self.is_cut_short = True
                break
            share = self._share(file, characters_left, texts_left)
            yield from self._items_of_file(share)
            sampled_texts += share.sampled_texts
            sampled_characters += share.sampled_characters
        self.has_ended = True

    def _share(self, file: UploadedFile, characters: int, texts: int) -> FileShare:
        is_even = self.plan.reads_evenly(file)
        further = 0 if is_even else limits.COUNTED_CHARACTERS // max(1, len(self.plan.to_read))
        return FileShare(file, characters, texts, further, is_even)

    def _items_of_file(self, share: FileShare) -> Iterator[Item]:
        """The items of a file's part of the sample. Behind it the file is read on for a while: its
        first documents may be shorter than the others."""
        file = share.file
        self.tally = self.tallies[self.plan.kind_of(file)]
        self.files_begun += 1
        try:
            with self._wanted(share), contextlib.closing(self._read(share)) as items:
                yield from self._sampled_items(items, share)
                self._count_on(items, share)
        except Unreadable as error:
            share.reach_end()
            self.problems.note_unreadable(error)
        share.end()
        self.counting_seconds += share.counting_seconds
        self.tally.bytes_read += share.position
        self.tally.texts_read += share.texts
        self.tally.characters_read += share.characters

    @contextlib.contextmanager
    def _wanted(self, share: FileShare) -> Iterator[None]:
        """Tells the modules of formats how much of a file is wanted, and whether from everywhere."""
        characters = share.characters_wanted
        texts = share.texts_wanted
        further = share.counted_further
        with contextlib.ExitStack() as stack:
            stack.enter_context(looking.first(characters + further, texts + further))
            if self.plan.is_spread:
                stack.enter_context(looking.spread(characters, texts))
            yield

    def _read(self, share: FileShare) -> Generator[Item, None, None]:
        file = share.file
        return file_formats.read(
            stored_path(file),
            file.name,
            self.plan.options,
            share.advance,
            self.plan.companions,
        )

    def _sampled_items(self, items: Iterator[Item], share: FileShare) -> Iterator[Item]:
        """Those of the file's part, or until the sample is full, or too much time has passed."""
        for item in items:
            self.tally.texts_sampled += self._count(item, share)
            yield item
            if self.sample_is_full or share.has_its_part() or time.monotonic() > self.until:
                share.begin_counting()
                return
        share.reach_end()

    def _count_on(self, items: Iterator[Item], share: FileShare) -> None:
        """Only count what is behind the file's part, for a while; longer only where all bytes of
        the file are read already."""
        if share.counting_since is None:
            return
        most_seconds = limits.COUNTING_SECONDS / max(1, len(self.plan.to_read))
        while True:
            has_counted = share.is_counted() or share.counting_seconds > most_seconds
            if has_counted and not share.is_at_end():
                self.is_cut_short = True
                return
            item = next(items, None)
            if item is None:
                share.reach_end()
                return
            self._count(item, share)
            if isinstance(item, Document):
                self.is_cut_short = True

    def _count(self, item: Item, share: FileShare) -> bool:
        """Returns whether a text begins with it."""
        begins_text = False
        if isinstance(item, Document):
            begins_text = self._begins_text(item)
            share.add(item, begins_text)
            self.names_read.add(item.file)
            is_entry = item.file != share.file.name
            self.has_several |= bool(item.place) or (is_entry and not share.is_even)
        share.note_position()
        return begins_text

    def _begins_text(self, document: Document) -> bool:
        """Whether it is a text of its own, or the first part of one."""
        if not self.plan.shaping.parts:
            return True
        part = place_in_whole(document)
        return part is None or part.number == 1
