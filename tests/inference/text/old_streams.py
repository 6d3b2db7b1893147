"""Streams of words as older versions wrote them."""

import json
from pathlib import Path

import numpy as np

from inference.text import Stream
from inference.text.case import CASE


def downgrade(folder: Path, checkpoint: dict | None = None) -> dict:
    """Give the stream in a folder, as of a checkpoint, format 1: four bytes for where each piece
    begins, of titles too. Returns its checkpoint."""
    stream = Stream(folder, checkpoint) if checkpoint else Stream.open(folder)
    ends = np.cumsum(stream.lengths, dtype=np.int64)
    stream.starts.of(ends - stream.lengths, ends).tofile(folder / "starts")
    # Nobody ever read them
    np.zeros(len(stream.title_words), np.int32).tofile(folder / "title-starts")
    (np.array(stream.words) & ~CASE).tofile(folder / "words.new")
    (folder / "words.new").replace(folder / "words")
    new = ("steps", "far", "mixed")
    checkpoint = {name: value for name, value in stream.checkpoint.items() if name not in new}
    checkpoint |= {
        "format": 1,
        "starts": len(stream.words),
        "title-starts": len(stream.title_words),
    }
    for name in new:
        (folder / name).unlink()
    (folder / "checkpoint.json").write_text(json.dumps(checkpoint))
    return checkpoint
