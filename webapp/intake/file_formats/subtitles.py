"""Subtitles (.srt, .vtt): one document a file, or one for each turn of a speaker where the captions
name speakers, with the time at which it begins."""

import html
from collections.abc import Callable, Iterator
from typing import NamedTuple

import regex

from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    extension,
    stem,
)
from webapp.intake.file_formats.prose import document
from webapp.intake.file_formats.text import characters, sniff

__all__ = ["read", "sniff"]

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = regex.compile(rf"\s*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_VOICE = regex.compile(r"<v(?:\.[^\s>]{0,80})?[ \t]+([^>]{1,200})>")
_TAG = regex.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
# “ANNA:”, “- Anna Maria:”, “>> ANNA:” and “[SPEAKER_00]:” before what is said
_SPEAKER = regex.compile(
    r"^(?:[-–—]|>>)?\s*(?|(\p{Lu}[\p{L}\p{M}.’' -]{0,40})|\[(\p{L}[^\[\]\n]{0,40})\]):\s+(?=\S)"
)
_BEFORE_VOICE = regex.compile(r"(?=<v[. \t])")
_SHARE = 0.3  # of captions that name a speaker, where these are speakers


class _Caption(NamedTuple):
    time: str  # at which it begins, as 00:01:02
    speaker: str  # "" where it names none
    lines: list[str]
    written: list[str]  # the same with the names of speakers before them, as they stand


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    text = clean(text)
    ends_at_blank = extension(name) == ".vtt" or text.lstrip().startswith("WEBVTT")
    captions = list(_captions(text, ends_at_blank))
    if not captions:
        raise Unreadable(
            f"“{name}” was expected to be subtitles, with lines such as “00:00:01,000 -->"
            " 00:00:02,000”, but has none. Give it the extension .txt to read it as text."
        )
    with_speaker = sum(bool(caption.speaker) for caption in captions)
    if with_speaker < _SHARE * len(captions):  # what stands before a colon is none
        captions = [caption._replace(lines=caption.written) for caption in captions]
        captions = _without_repeats(captions)
        lines = [line for caption in captions for line in caption.lines]
        yield document("\n".join(lines), name, metadata={"time": captions[-1].time})
        return
    captions = _without_repeats(captions)
    turn: list[_Caption] = []
    number = 0
    for caption in captions:
        if turn and caption.speaker and caption.speaker != turn[0].speaker:
            number += 1
            yield _turn(turn, name, number)
            turn = []
        turn.append(caption)
    yield _turn(turn, name, number + 1)


def _turn(turn: list[_Caption], name: str, number: int) -> Document:
    text = "\n".join(line for caption in turn for line in caption.lines)
    fields = {"speaker": turn[0].speaker, "time": turn[0].time}
    title = f"{stem(name)} {number}"
    return document(text, name, title, metadata=fields, place_in_file=f"turn {number}")


def _captions(text: str, ends_at_blank: bool) -> Iterator[_Caption]:
    """Each caption that holds text, one of several speakers as one for each. Numbers, settings and
    notes are not among the lines.

    ends_at_blank: whether a blank line ends a caption, as in WebVTT; in other files texts may have
    blank lines in them, and only the next caption ends one.
    """
    caption: _Caption | None = None
    rows = text.split("\n")
    has_numbers = _has_numbers(rows)
    for row in rows:
        if cue := _CUE.match(row):
            if caption is not None:
                if has_numbers:
                    _drop_number(caption)
                yield from _with_text(caption)
            caption = _Caption(_time_of(cue), "", [], [])
        elif caption is None:
            continue
        elif row.strip():
            for part in _BEFORE_VOICE.split(row):
                speaker, said, written = _read_line(part)
                if speaker and speaker != caption.speaker:
                    yield from _with_text(caption)
                    caption = _Caption(caption.time, speaker, [], [])
                if said:
                    caption.lines.append(said)
                    caption.written.append(written)
        elif ends_at_blank:
            yield from _with_text(caption)
            caption = None
    if caption is not None:
        yield from _with_text(caption)


def _has_numbers(rows: list[str]) -> bool:
    """Whether captions have a number before their times: the first one has, or most have. Else such
    a line is what somebody says, as a year."""
    before = ""  # the last line that is not blank
    numbered = []  # whether each caption has one
    for row in rows:
        if _CUE.match(row):
            numbered.append(before.isdecimal())
        before = row.strip() or before
    return bool(numbered) and (numbered[0] or 2 * sum(numbered) > len(numbered))


def _time_of(cue: regex.Match) -> str:
    hours, minutes, seconds = (int(part or 0) for part in cue.groups()[:3])
    return f"{hours:02}:{minutes:02}:{seconds:02}"


def _with_text(caption: _Caption) -> Iterator[_Caption]:
    if caption.lines:
        yield caption


def _drop_number(caption: _Caption) -> None:
    """The number of the next caption stands before its times, and was read as a line of this."""
    if caption.lines and caption.lines[-1].isdecimal():
        caption.lines.pop()
        caption.written.pop()


def _read_line(row: str) -> tuple[str, str, str]:
    """Who speaks, "" where the line does not say; what is said; and that as it is written."""
    written = html.unescape(_TAG.sub("", row)).strip()
    if voice := _VOICE.search(row):
        return voice[1].strip(), written, written
    if speaker := _SPEAKER.match(written):
        return speaker[1].strip(), written[speaker.end() :], written
    return "", written, written


def _without_repeats(captions: list[_Caption]) -> list[_Caption]:
    """Captions that roll show each line twice: first below, then above the next."""
    distinct: list[_Caption] = []
    last = ""
    repeated = [
        caption.lines[0] == before.lines[-1]
        for before, caption in zip(captions, captions[1:], strict=False)
    ]
    if 2 * sum(repeated) < len(captions):
        return captions
    for caption in captions:
        lines = []
        for line in caption.lines:
            if line != last:
                lines.append(line)
            last = line
        if lines:
            distinct.append(caption._replace(lines=lines))
    return distinct
