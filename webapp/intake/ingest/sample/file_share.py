"""What of one file is in a sample: how much is wanted, and how far it was read."""

import time

from webapp.intake import file_formats
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.sample.plan import UploadedFile

# Bytes by which formats tell how far they are: behind the last document they may have so many more
READ_AHEAD_BYTES = 1 << 18


class FileShare:
    """A file's part of the sample, and what was read of it.

    characters_wanted, texts_wanted: the part. counted_further: so many characters or texts behind
    it are counted at most. is_even: whether it is an archive of which some entries are read that
    are evenly spread over it. A text is a document as its file has it, or the whole that its first
    part begins.
    """

    def __init__(
        self,
        file: UploadedFile,
        characters_wanted: int,
        texts_wanted: int,
        counted_further: int,
        is_even: bool,
    ):
        self.file = file
        self.characters_wanted = characters_wanted
        self.texts_wanted = texts_wanted
        self.counted_further = counted_further
        self.is_even = is_even
        self.is_single = file_formats.single(file.name)
        self.packed_share = file_formats.packed_share(stored_path(file), file.name)
        self.bytes_read = 0
        self.position = 0  # the byte behind the last document, as far as it is known
        self.bytes_of_documents = 0  # unpacked
        self.texts = 0
        self.characters = 0
        # When the rest began to be only counted, and what the sample has of the file
        self.counting_since: float | None = None
        self.sampled_texts = 0
        self.sampled_characters = 0

    def advance(self, count: int) -> None:
        """So many more bytes are read."""
        self.bytes_read += count

    def add(self, document: file_formats.Document, begins_text: bool) -> None:
        self.texts += begins_text
        self.characters += len(document.text)
        self.bytes_of_documents += _least_bytes(document)

    def reach_end(self) -> None:
        """There is no more of it."""
        self.position = self.file.bytes

    def is_at_end(self) -> bool:
        return self.position >= self.file.bytes

    def note_position(self) -> None:
        """Where the document that was read last may end."""
        self.position = min(self.bytes_read, self.file.bytes)
        if not self.is_single:
            behind_documents = max(
                self.bytes_read - READ_AHEAD_BYTES,
                round(self.bytes_of_documents * self.packed_share),
            )
            self.position = min(self.position, behind_documents)

    def has_its_part(self) -> bool:
        return self._was_read(0)

    def is_counted(self) -> bool:
        """Whether enough behind its part was counted. Of entries that are evenly spread the part
        itself says how long the others are."""
        return self.is_even or self._was_read(self.counted_further)

    def _was_read(self, further: int) -> bool:
        """Whether its part was read, and so many characters or texts more."""
        has_characters = self.characters >= self.characters_wanted + further
        return has_characters or self.texts >= self.texts_wanted + further

    def begin_counting(self) -> None:
        """The sample has its part: the rest of the file is only counted."""
        self._note_sampled()
        self.counting_since = time.monotonic()

    def end(self) -> None:
        """No more of it is read."""
        if self.counting_since is None:
            self._note_sampled()

    def _note_sampled(self) -> None:
        self.sampled_texts = self.texts
        self.sampled_characters = self.characters

    @property
    def counting_seconds(self) -> float:
        """For how long the rest has been counted."""
        return 0.0 if self.counting_since is None else time.monotonic() - self.counting_since


def _least_bytes(document: file_formats.Document) -> int:
    """That a document has at least in a file that is not compressed."""
    return sum(
        len(part.encode("utf-8", "replace"))
        for part in (document.text, document.title, document.date, *document.metadata.values())
    )
