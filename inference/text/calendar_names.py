"""How months and days of the week are called: words that say when a text was written, and nothing
of what it is about. The names are those of the Unicode CLDR, as ICU has them."""

from datetime import date, timedelta
from functools import lru_cache
from itertools import product

from inference.text.cldr import own_words

MONTHS_OF_A_YEAR = 12
DAYS_OF_A_WEEK = 7
MONDAY = date.fromisoformat("2001-01-15")  # of the middle of a month, whatever the time zone
# Within a date, and standing alone: of a Slavic language these are two forms
MONTHS = ("MMMM", "LLLL")
WEEKDAYS = ("EEEE", "cccc")


@lru_cache(maxsize=64)
def calendar_names(language: str) -> frozenset[str]:
    """Names of months and days in a language, by its code ("en", "pt-BR"), as `str.casefold` writes
    them; empty for "", and of a language that the CLDR does not know."""
    return own_words(language, _names)


def _names(language: str) -> frozenset[str]:
    """What ICU writes for a code."""
    from icu4py.messageformat import MessageFormat

    months = [MONDAY.replace(month=month) for month in range(1, MONTHS_OF_A_YEAR + 1)]
    weekdays = [MONDAY + timedelta(number) for number in range(DAYS_OF_A_WEEK)]
    written: set[str] = set()
    for pattern, day in [*product(MONTHS, months), *product(WEEKDAYS, weekdays)]:
        named_day = MessageFormat(f"{{day, date, {pattern}}}", language)
        written.add(named_day.format({"day": day}).strip().casefold())
    return frozenset(written)
