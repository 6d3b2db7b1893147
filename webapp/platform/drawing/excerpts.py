"""Beginnings of texts as pages show them."""

ELLIPSIS = " …"


def cut_at_word(text: str, limit: int) -> str:
    """The text where it has fewer than `limit` characters; else its beginning up to the end of a
    word, with an ellipsis.

    A text of `limit` characters counts as cut: whoever reads at most so many characters of a
    document can't tell. A beginning without a space, as in scripts that write none, is kept whole.
    """
    if len(text) < limit:
        return text
    beginning = text[:limit]
    if beginning[-1:].isspace():
        return beginning.rstrip() + ELLIPSIS
    words = beginning.rsplit(None, 1)
    if len(words) < 2:
        return beginning + ELLIPSIS
    return words[0] + ELLIPSIS
