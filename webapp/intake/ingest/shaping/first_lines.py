"""Dates in the first lines of texts: “Speech held on 4 March 1987”, “Berlin, den 12. Mai 1999”,
“May 1968” on a line of its own."""

from collections.abc import Iterator

import regex

from webapp.intake.metadata.dates import ambiguous, guess_order, parse_date

LINES = 6  # that have letters or digits
_BEGINNING_CHARACTERS = 1_000  # of a text, in which these lines are
_LONGEST_LINE = 100  # characters of one that may have a date
# Dates are read where so many texts are there, and such a share of them has one
_LEAST_TEXTS = 3
_DATED_TEXTS_SHARE = 0.6
_NAME = r"\p{L}[\p{L}\p{M}]{2,}\.?"
_DATE = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}(?:\. ?\d{1,2}\."
    r" ?|/\d{1,2}/|-\d{1,2}-)\d{4}|\d{4}年\d{1,2}月\d{1,2}日"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|º|ª|\.)?[ \-](?:de |of |d['’])?{_NAME},?[ \-](?:de |del |of"
    r" )?\d{4}"
    rf"|{_NAME} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
# Where a line ends or begins, or is nothing else; one in the midst of a sentence is a day that the
# text is about
_PLACE = regex.compile(
    rf"(?<![\w/.\-])({_DATE})[.)\]]*$|^[(\[]?({_DATE})(?=[,;:–—)\]])|^({_NAME} \d{{4}})\.?$"
)


def dates(text: str) -> Iterator[str]:
    """What is a date by its form, as it is written, in a text's first lines."""
    lines = [line.strip() for line in text[:_BEGINNING_CHARACTERS].splitlines()]
    written_lines = [line for line in lines if any(map(str.isalnum, line))]
    for line in written_lines[:LINES]:
        if len(line) <= _LONGEST_LINE and (match := _PLACE.search(line)):
            yield next(filter(None, match.groups()))


def date_of(text: str, order: str) -> str:
    """The first of them, in ISO form where it can be read in two ways; "" for none. order: what
    12/3/1999 means; "": nothing is looked for."""
    for found in dates(text) if order else ():
        if parse_date(found):
            return found
        if day := parse_date(found, order):
            return day.isoformat()
    return ""


def date_order_of(texts: list[str]) -> str:
    """By which order the dates of some texts are to be read, by all of them; "" where most have
    none, or none can be told."""
    found = [written for text in texts for written in dates(text)]
    order = guess_order(found) or ("" if ambiguous(found) else "dmy")
    enough = len(texts) >= _LEAST_TEXTS and sum(
        bool(date_of(text, order)) for text in texts
    ) >= _DATED_TEXTS_SHARE * len(texts)
    return order if enough else ""
