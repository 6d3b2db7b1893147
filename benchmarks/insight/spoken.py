"""The sentences of an overview as a text to be read aloud, and rules that they and the page keep."""

import re
from collections.abc import Iterator

import lxml.html

WORDS = 25  # of a sentence, at most
UNSPOKEN = "·"  # it parts the words of a topic without a name
NUMBERS = 3  # years are not counted
NUMBERS_OF_PAGE = 350  # that are visible: the page has fewer
RIDDLES = ("÷", "of the first", " with ")
_NUMBER = re.compile(r"(?<![\w.])<?\d(?:[\d,.]*\d)?%?")
_SHOWN_NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")
_INVISIBLE = (
    "self::script or self::style or self::template or self::title or self::option or @hidden"
    " or contains(concat(' ', @class, ' '), ' hidden ')"
    " or parent::details[not(@open)] and not(self::summary)"
)
_YEAR = re.compile(r"\d{4}s?")
_DAY = re.compile(
    r"\b\d{1,2}(?=(?: to \d{1,2})? (?:January|February|March|April|May|June|July|August|September|October|"
    r"November|December))"
)


def text(parts: list) -> str:
    """A sentence without what stands quietly beside it: how sure it is, and topics' labels."""
    return "".join(part if isinstance(part, str) else part["name"] for part in parts)


def faults(parts: list) -> list[str]:
    """What is wrong with a sentence, as the JSON has it in parts: texts and topics."""
    words = [word for word in text(parts).split() if word not in UNSPOKEN]
    faults = []
    if len(words) > WORDS:
        faults.append(f"{len(words)} words")
    without_names = "".join(part for part in parts if isinstance(part, str))
    without_days = _DAY.sub("", without_names)
    numbers = [number for number in _NUMBER.findall(without_days) if not _YEAR.fullmatch(number)]
    if len(numbers) > NUMBERS:
        faults.append(f"{len(numbers)} numbers")
    faults += [f"“{riddle.strip()}”" for riddle in RIDDLES if riddle in without_names]
    names = [part["name"] for part in parts if not isinstance(part, str)]
    faults += [f"a comma within “{name}”" for name in names if "," in name]
    return faults


def lines(page: dict) -> Iterator[tuple[str, list[str]]]:
    """Each sentence of an overview's JSON with its faults."""
    for row in page["findings"]:
        quiet = f" ({row['sure']})" if row["sure"] else ""
        yield f"{row['kind']}: {text(row['parts'])}.{quiet}", faults(row["parts"])


def numbers_shown(html: str) -> int:
    """How many numbers a reader sees in a page, above and below the fold: those of its labels, years
    and axes, too. Not counted is what opens when it is pressed."""
    main = lxml.html.document_fromstring(html).find(".//main")
    texts = main.xpath(f".//text()[not(ancestor::*[{_INVISIBLE}])]")
    return sum(len(_SHOWN_NUMBER.findall(text)) for text in texts)
