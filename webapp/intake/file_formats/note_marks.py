"""The marks of notes, as in “rose¹”: they are no part of the word before them, and left out.

Formats say where raised letters and links are; what is raised may also be part of the text, as in
“m²”, “1st” and “XVIe”.
"""

import regex

LONGEST_MARK = 12  # characters of a mark with its brackets and spaces
_SIGNS = r"[*†‡§¶#]{1,4}"
_NUMBERS = r"\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*"
_ROMAN = r"[ivxlc]{1,6}"
_ANY = regex.compile(rf"[\[(]?(?:{_SIGNS}|{_NUMBERS}|{_ROMAN}|[a-z]{{1,2}})[\])]?", regex.I)
_NUMBER = regex.compile(rf"(?P<open>[\[(])?(?:{_SIGNS}|{_NUMBERS})(?(open)[\])])")
_SIGN = regex.compile(rf"[\[(]?{_SIGNS}[\])]?")
_LETTER = regex.compile(r"[a-d]")  # others are raised in abbreviations: “Mme”, “no”, “XXe”
# What a raised number follows where it marks a note, and is no power: a word, or the end of one
_BEHIND_WORD = regex.compile(r"(?:\p{L}{2,}|\p{L}[\p{M}]*[.,;:!?’”\"»)\]]+)\Z")
_BEHIND_LONG_WORD = regex.compile(r"\p{Ll}{4,}[.,;:!?’”\"»)\]]*\Z")
_UNIT = regex.compile(
    r"(?:\P{L}|\A)(?:min|mol|sec|log|sin|cos|tan|exp|[cdkmnµμ]m|ft|yd|mi|kg|ha|mc|dx|dt|ab|ax)\Z"
)


def is_mark(text: str, before: str, linked: bool = False) -> bool:
    """Whether what is raised, or a link within the page, is the mark of a note.

    text: what is raised. before: the end of the line until there, without a space between; "" where
    there is one, or at the beginning of a line. linked: whether it leads to a note.
    """
    mark = text.strip()
    if not mark or len(text) > LONGEST_MARK:
        return False
    if linked:
        return bool(_ANY.fullmatch(mark))
    if _SIGN.fullmatch(mark):
        return True
    if _NUMBER.fullmatch(mark):
        return not before or bool(_BEHIND_WORD.search(before) and not _UNIT.search(before))
    return bool(_LETTER.fullmatch(mark) and _BEHIND_LONG_WORD.search(before))


def is_linked_number(text: str, before: str) -> bool:
    """Whether a link within the page, which is not raised, is the mark of a note: a number or a
    sign that is attached to a word."""
    return bool(before) and len(text) <= LONGEST_MARK and bool(_NUMBER.fullmatch(text.strip()))
