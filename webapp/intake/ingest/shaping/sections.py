"""Long documents cut into sections, by words, pages, paragraphs or headings. Nothing is lost: the
sections put together are the text."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import regex

from webapp.intake.file_formats import Document, Problem
from webapp.intake.file_formats.base import MAX_TITLE
from webapp.intake.ingest.shaping.options import Shaping

MOST_SECTIONS = 100_000  # sections of one document; what has more has marks that are none
MAX_LABEL = 120  # characters of a heading in a title
# So far from its ideal place a cut may be, to be where a paragraph or sentence ends: a part of a
# section's length, and characters at most
_NEAR_PART = 0.15
_FARTHEST_CHARACTERS = 20_000
_PAGE = regex.compile("\f")
_PARAGRAPH = regex.compile(r"\n[^\S\n]*\n\s*|\r[^\S\r\n]*\r\s*")
_SENTENCE = regex.compile(r"""[.!?…؟।]["'”’»)\]]*\s+|[。！？]["'”’」』）]*\s*""")
_MARKDOWN = regex.compile(r"^#{1,6}[ \t]+\S", regex.MULTILINE)
_LACKS = {
    "pages": "no marks where pages end (form feeds)",
    "headings": (
        "no headings: neither any that its format marks, nor lines that begin with “#” or with your"
        " own mark"
    ),
}


# Characters in which `word_starts` looks at a time: it bounds the memory beside the result
BLOCK = 1 << 20
_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # the last white space is U+3000
# Scripts without spaces: first and last code point, characters of a usual word
_UNSPACED = [
    (0x0E00, 0x0EFF, 5),  # Thai and Lao
    (0x1000, 0x109F, 5),  # Burmese
    (0x1780, 0x17FF, 5),  # Khmer
    (0x3041, 0x30FF, 2),  # kana
    (0x3400, 0x9FFF, 2),  # ideographs
    (0xF900, 0xFAFF, 2),
    (0x20000, 0x3FFFF, 2),
]


def word_starts(text: str) -> np.ndarray:
    """uint32, ascending: where words begin, well enough to cut a text by a number of words, and in
    a moment whatever its length and script. That is after white space, and in scripts without
    spaces at every second ideograph or every fifth letter, too."""
    starts_of = [np.zeros(0, np.uint32)]
    after_space = True
    for i in range(0, len(text), BLOCK):
        codes = np.frombuffer(text[i : i + BLOCK].encode("utf-32-le", "surrogatepass"), np.uint32)
        space = _SPACE[np.minimum(codes, len(_SPACE) - 1)]
        starts = ~space & np.concatenate(([after_space], space[:-1]))
        if codes.max() >= _UNSPACED[0][0]:
            places = np.arange(i, i + len(codes))
            for first, last, every in _UNSPACED:
                starts |= (codes >= first) & (codes <= last) & (places % every == 0)
        starts_of.append((np.flatnonzero(starts) + i).astype(np.uint32))
        after_space = bool(space[-1])
    return np.concatenate(starts_of)


class Section(NamedTuple):
    start: int  # a character
    label: str  # what it is called after the whole's title; by default its number


def cut(items: Iterable[Document | Problem], shaping: Shaping) -> Iterator[Document | Problem]:
    """Documents that are longer than a section become several. Those without pages or headings stay
    whole, and are counted."""
    whole = 0
    example = None
    for item in items:
        if not isinstance(item, Document):
            yield item
            continue
        find_sections = BY[shaping.sections]
        sections = find_sections(item, shaping)
        if not sections:
            whole += 1
            example = example or item
        if len(sections) > MOST_SECTIONS:
            yield Problem(
                item.file,
                item.place,
                f"“{item.title or item.file}” would have more than {MOST_SECTIONS:,} sections; it"
                " was kept whole. Choose longer ones.",
                False,
            )
        if 1 < len(sections) <= MOST_SECTIONS:
            yield from _parts(item, sections)
        else:
            yield item
    if example:
        others = ""
        if whole > 1:
            have = "has" if whole == 2 else "have"
            others = f", and so {have} {whole - 1:,} more"
        name = example.title or example.file
        message = f"“{name}” has {_LACKS[shaping.sections]}; it was kept whole{others}."
        yield Problem(example.file, example.place, message, False)


def _parts(document: Document, sections: list[Section]) -> Iterator[Document]:
    ends = [section.start for section in sections[1:]] + [len(document.text)]
    for number, (section, end) in enumerate(zip(sections, ends, strict=True), 1):
        yield replace(
            document,
            text=document.text[section.start : end],
            title=_title_of_section(document.title, section.label, number),
            place=", ".join(filter(None, [document.place, f"section {number}"])),
            headings=(),
            part=number,
            parts=len(sections),
            whole=document.title,
        )


def _title_of_section(title: str, label: str, number: int) -> str:
    """Of a text without a title the section's heading alone, if it has one: pages name it by its
    number in the corpus, as they do every document without a title."""
    if not title:
        return label
    end = f" · {label or number}"
    return title[: MAX_TITLE - len(end)] + end


def _by_words(document: Document, shaping: Shaping) -> list[Section]:
    """Sections of nearly one length, so that none is a short rest: 2,600 words become three of
    867."""
    text = document.text
    words = word_starts(document.text)
    count = max(1, round(len(words) / shaping.size))
    near = min(_FARTHEST_CHARACTERS, int(_NEAR_PART * len(text) / count))
    cuts = [0]
    for i in range(1, min(count, MOST_SECTIONS + 1)):
        at = int(words[len(words) * i // count])
        place = _best_cut(text, max(cuts[-1] + 1, at - near), at, at + near)
        if place > cuts[-1]:
            cuts.append(place)
    return [Section(start, "") for start in cuts]


def _best_cut(text: str, first: int, at: int, last: int) -> int:
    """Where a paragraph ends that is nearest to `at`, else a sentence, else a word."""
    window = text[first : last + 1]
    for end in (_PARAGRAPH, _SENTENCE):
        places = [
            first + match.end() for match in end.finditer(window) if match.end() < len(window)
        ]
        if places:
            return min(places, key=lambda place: (abs(place - at), place))
    return at


def _by_pages(document: Document, shaping: Shaping) -> list[Section]:
    """None where the text has no pages."""
    text = document.text
    starts = _starts(text, _PAGE)
    if len(starts) == 1:
        return []
    if not text[starts[-1] :].strip():
        starts = starts[:-1]  # a form feed often stands after the last page, too
    sections = []
    for first in range(0, len(starts), shaping.size)[: MOST_SECTIONS + 1]:
        last = min(first + shaping.size, len(starts))
        label = f"page {last}" if last == first + 1 else f"pages {first + 1}–{last}"
        sections.append(Section(int(starts[first]), label))
    return sections


def _by_paragraphs(document: Document, shaping: Shaping) -> list[Section]:
    return [
        Section(start, "")
        for start, _ in _long_enough(
            document.text, _starts(document.text, _PARAGRAPH), shaping.least
        )
    ]


def _by_headings(document: Document, shaping: Shaping) -> list[Section]:
    """None where the text has no heading. What stands before the first one is a section, too, or
    begins the first."""
    text = document.text
    starts = {i for i in document.headings if 0 <= i < len(text)} | {
        match.start() for match in _MARKDOWN.finditer(text)
    }
    if shaping.marker:
        line = regex.compile(rf"^[ \t]*{regex.escape(shaping.marker)}", regex.MULTILINE)
        starts |= {match.start() for match in line.finditer(text)}
    if not starts:
        return []
    places = np.array(sorted({0} | starts), np.uint32)
    return [
        Section(start, _heading(text, heading) if heading in starts else "")
        for start, heading in _long_enough(text, places, shaping.least)
    ]


def _heading(text: str, start: int) -> str:
    beginning = text[start : start + 4 * MAX_LABEL].lstrip()
    line, _, _ = beginning.partition("\n")
    words = " ".join(line.lstrip("#").split())
    return words if len(words) <= MAX_LABEL else words[: MAX_LABEL - 1] + "…"


def _starts(text: str, end: regex.Pattern) -> np.ndarray:
    """uint32: 0, and wherever something follows an `end`."""
    ends = itertools.chain([0], (match.end() for match in end.finditer(text)))
    return np.fromiter((i for i in ends if i < len(text)), np.uint32)


def _long_enough(text: str, starts: np.ndarray, least: int) -> list[tuple[int, int]]:
    """Sections of at least so many words, each with the start that it begins with and the one that
    made it long enough: a short one is put before the next, at the end behind the last."""
    words = np.searchsorted(word_starts(text), np.append(starts, len(text)))  # before each start
    least = max(1, least)  # no section is without a word
    kept: list[tuple[int, int]] = []
    begun = 0
    while begun < len(starts) and len(kept) <= MOST_SECTIONS:
        # The first that has so many words before it
        end = int(np.searchsorted(words, words[begun] + least))
        if end > len(starts):
            break
        kept.append((int(starts[begun]), int(starts[end - 1])))
        begun = end
    return kept or [(0, int(starts[-1]))]


BY = {
    "words": _by_words,
    "pages": _by_pages,
    "paragraphs": _by_paragraphs,
    "headings": _by_headings,
}
