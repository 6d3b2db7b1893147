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
_SHARE = 0.3  # of captions that name a speaker, where these are speakers


class _Caption(NamedTuple):
    time: str  # at which it begins, as 00:01:02
    speaker: str  # "" where it names none
    lines: list[str]


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    captions = list(_captions(clean(text).replace("\r\n", "\n").replace("\r", "\n")))
    if not captions:
        raise Unreadable(
            f"“{name}” was expected to be subtitles, with lines such as “00:00:01,000 -->"
            " 00:00:02,000”, but has none. Give it the extension .txt to read it as text."
        )
    captions = _without_repeats(captions)
    with_speaker = sum(bool(caption.speaker) for caption in captions)
    if with_speaker < _SHARE * len(captions):
        lines = [line for caption in captions for line in caption.lines]
        yield document("\n".join(lines), name, metadata={"time": captions[-1].time})
        return
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


def _captions(text: str) -> Iterator[_Caption]:
    """Each caption that holds text. A number, settings and notes are not among its lines."""
    lines: list[str] | None = None
    time = speaker = ""
    for row in [*text.split("\n"), ""]:
        if cue := _CUE.match(row):
            if lines and lines[-1].isdecimal():  # the caption's number, where no blank line is
                lines.pop()
            if lines:
                yield _Caption(time, speaker, lines)
            hours, minutes, seconds = (int(part or 0) for part in cue.groups()[:3])
            time = f"{hours:02}:{minutes:02}:{seconds:02}"
            lines = []
            speaker = ""
        elif not row.strip():
            if lines:
                yield _Caption(time, speaker, lines)
            lines = None
        elif lines is not None:
            voice = _VOICE.search(row)
            plain = html.unescape(_TAG.sub("", row)).strip()
            speaker_match = _SPEAKER.match(plain)
            if voice or speaker_match:
                speaker = speaker or (voice or speaker_match)[1].strip()
            if speaker_match and not voice:
                plain = plain[speaker_match.end() :]
            if plain:
                lines.append(plain)


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
