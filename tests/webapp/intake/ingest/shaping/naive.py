"""What webapp.intake.ingest.shaping does, slowly and obviously."""

import json
import re

UNSPACED = [
    (0x0E00, 0x0EFF, 5),
    (0x1000, 0x109F, 5),
    (0x1780, 0x17FF, 5),
    (0x3041, 0x30FF, 2),
    (0x3400, 0x9FFF, 2),
    (0xF900, 0xFAFF, 2),
    (0x20000, 0x3FFFF, 2),
]


def word_starts(text: str) -> list[int]:
    found = []
    for i, letter in enumerate(text):
        every = next(
            (every for first, last, every in UNSPACED if first <= ord(letter) <= last), None
        )
        begins = not letter.isspace() and (i == 0 or text[i - 1].isspace())
        if begins or (every and i % every == 0):
            found.append(i)
    return found


def paragraphs(text: str) -> list[str]:
    """With the blank lines behind each."""
    found = []
    held = ""
    for piece in re.split(r"(\n[^\S\n]*\n\s*)", text):
        held += piece
        if re.fullmatch(r"\n[^\S\n]*\n\s*", piece):
            found.append(held)
            held = ""
    return found + [held] * bool(held)


def long_enough(pieces: list[str], least: int) -> list[str]:
    kept = []
    held = ""
    for piece in pieces:
        held += piece
        if len(held.split()) >= max(1, least):
            kept.append(held)
            held = ""
    if held and kept:
        kept[-1] += held
        held = ""
    return kept + [held] * bool(held)


def groups(documents: list, fields: tuple[str, ...]) -> dict[tuple[str, ...], list]:
    """With all values; in the order of the values as JSON."""
    found = {}
    for document in documents:
        values = tuple(document.metadata.get(name, "").strip() for name in fields)
        if all(values):
            found.setdefault(values, []).append(document)
    return dict(
        sorted(found.items(), key=lambda item: json.dumps(item[0], ensure_ascii=False).encode())
    )


def names_the_same(row: str, file: str) -> bool:
    """Whether one is the end of the other, folder by folder, the endings aside."""
    a, b = [name.lower().rsplit(".", 1)[0].split("/") for name in (row, file)]
    n = min(len(a), len(b))
    return a[-n:] == b[-n:]
