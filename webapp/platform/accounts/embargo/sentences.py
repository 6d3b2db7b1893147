"""Whether a quotation begins with a sentence, and ends with one."""

import regex

# Behind the end of a sentence, with its quotation marks and brackets; or behind an empty line, or a
# mark of a list
_BEFORE_A_SENTENCE = regex.compile(
    r"(?:[.!?…。！？][\"'”’»)\]]*\s+|[。！？][”’」』]*|\n\s*\n\s*|(?:^|\n)\s*(?:[-*+•–]|\d{1,3}[.)])\s+)"
    r"[\"'“‘«„(\[]*$"
)
_END_OF_SENTENCE = regex.compile(r"[.!?…。！？][\"'”’»」』)\]]*\s*$")
_BREAK = regex.compile(r"\s*\n\s*(?:\n|[-*+•–]\s|\d{1,3}[.)]\s)|\s*$")


def begins(before: str) -> bool:
    """Whether a sentence begins behind these characters. before: the last ones before a quotation,
    "" where they are not known."""
    return bool(_BEFORE_A_SENTENCE.search(before))


def ends(quotation: str, behind: str) -> bool:
    """Whether a sentence ends with a quotation. behind: the first characters behind it, "" where
    they are not known."""
    if _END_OF_SENTENCE.search(quotation):
        return True
    return bool(behind) and bool(_BREAK.match(behind))
