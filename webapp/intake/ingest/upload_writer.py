"""Appending to an upload while its bytes arrive, with the SHA-256 of the whole computed on the
way."""

import fcntl
import hashlib
import os
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from inference.runtime.durable import flush_data
from webapp.intake.ingest import uploads
from webapp.intake.ingest.upload_limits import Refused, check_room, promise, refuse_when_full

DISK_BLOCK = 512  # bytes, in which a file's status counts them
MOST_HASHES = 1000  # that are remembered between two requests

_hashers = ThreadPoolExecutor(2, "hash")
# Id -> (offset, sha256 so far): of uploads between two requests
_hashes: OrderedDict = OrderedDict()


class UploadWriter:
    """Appends to an upload; nobody else can at the same time, in this process or another.

    Raises Refused(423) on opening where somebody does, and Refused(507) when the disk is full: what
    came before is kept.
    """

    def __init__(self, upload: uploads.IncomingFile):
        self.upload = upload
        try:
            self.file = os.open(upload.path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise Refused(404, "There is no such upload any more. Upload the file again.") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.file)
            raise Refused(
                423,
                "This upload is being written to over another connection. Try again when that one"
                " has ended.",
            ) from None
        try:
            with refuse_when_full():
                # Whether the disk keeps room for all that is to come: from the upload's beginning,
                # or again after an hour without a byte
                reserved = os.fstat(self.file).st_blocks * DISK_BLOCK
                self.promised = reserved >= upload.length or promise(self.file, upload.length)
        except BaseException:
            os.close(self.file)
            raise
        self.offset = os.fstat(self.file).st_size
        hashed, self.hash = _hashes.pop(upload.id, (0, hashlib.sha256()))
        if hashed != self.offset:
            self.hash = None  # what came before is only on disk
        self.hashing: Future | None = None

    def write(self, chunks: list[bytes]) -> None:
        """Append them (at most 1,024).

        The hash of the whole follows in a thread of its own. Where it can't keep up (lines of more
        than 500 MB a second) it is given up, and computed from the disk when a corpus is made:
        nobody waits for it while bytes arrive.
        """
        size = sum(map(len, chunks))
        check_room(0 if self.promised else size)
        if self.hash and self.hashing and not self.hashing.done():
            self.hash = None
        if self.hash:
            self.hashing = _hashers.submit(update_hash, self.hash, chunks)
        try:
            self._append(chunks, size)
        except (Refused, OSError):
            self.hash = None  # it has seen what is not in the file
            raise

    def _append(self, chunks: list[bytes], size: int) -> None:
        with refuse_when_full():
            written = os.writev(self.file, chunks)
            self.offset += written
            unwritten = memoryview(b"".join(chunks))[written:] if written < size else b""
            # A disk that is nearly full takes a part, and says so at the next attempt
            while unwritten:
                written = os.write(self.file, unwritten)
                self.offset += written
                unwritten = unwritten[written:]

    def sync(self) -> None:
        """Returns when what was written is on the disk itself."""
        with refuse_when_full():
            flush_data(self.file)

    def close(self) -> None:
        """Make it last, and let others write. Raises Refused(404) if the upload was cancelled
        meanwhile."""
        try:
            self.sync()
            if not os.fstat(self.file).st_nlink:
                raise Refused(404, "The upload was cancelled while it arrived.")
            if self.hash and self.hashing:
                self.hashing.result()
            if self.hash and self.offset == self.upload.length:
                uploads.save_note(replace(self.upload, sha256=self.hash.hexdigest()))
            elif self.hash:
                _hashes[self.upload.id] = self.offset, self.hash
                if len(_hashes) > MOST_HASHES:  # what is forgotten is computed from the file
                    _hashes.popitem(last=False)
        finally:
            os.close(self.file)


def update_hash(hash, pieces: list[bytes]) -> None:
    """Add pieces to a hash, of hashlib's, in a thread of its own."""
    for piece in pieces:
        hash.update(piece)
