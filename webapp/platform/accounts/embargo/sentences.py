"""Whether a quotation begins with a sentence, and ends with one."""

import regex

OPENING_MARKS = "\"'“‘«„(["  # before the first word of a sentence
CLOSING_MARKS = "\"'”’»」』)]"  # behind its end
ENDS = (".", "!", "?", "…", "。", "！", "？")
ENDS_WITHOUT_SPACE = ("。", "！", "？")  # the next sentence may follow at once
_LIST_MARK = regex.compile(r"[-*+•–]|\d{1,3}[.)]")
_END_OF_SENTENCE = regex.compile(r"[.!?…。！？][\"'”’»」』)\]]*\s*$")
_BREAK = regex.compile(r"\s*\n\s*(?:\n|[-*+•–]\s|\d{1,3}[.)]\s)|\s*$")


def begins(before: str) -> bool:
    """Whether a sentence begins behind these characters: behind the end of another, an empty line or
    a mark of a list. before: the last ones before a quotation, "" where they are not known."""
    text = before.rstrip(OPENING_MARKS)
    written = text.rstrip()
    space = text[len(written) :]
    without_marks = written.rstrip(CLOSING_MARKS)
    if not space:
        return without_marks.endswith(ENDS_WITHOUT_SPACE)
    if space.count("\n") > 1 or without_marks.endswith(ENDS):
        return True
    _, _, last_line = written.rpartition("\n")
    return bool(_LIST_MARK.fullmatch(last_line.strip()))


def ends(quotation: str, behind: str) -> bool:
    """Whether a sentence ends with a quotation. behind: the first characters behind it, "" where
    they are not known."""
    if _END_OF_SENTENCE.search(quotation):
        return True
    return bool(behind) and bool(_BREAK.match(behind))
