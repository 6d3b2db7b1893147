"""Words that a reader does not want to see among those of topics: a filter of what is shown, the model stays as it is.

?drop=    words between commas or spaces; may be repeated
"""

from urllib.parse import urlencode

import regex
from django.http import QueryDict

from inference.errors import Invalid
from webapp.models import Run, Word

MOST = 50  # words: so many more of a topic are read to have enough that are shown
_WORD = regex.compile(r"[^\s,;]+")


def read(query: QueryDict, run: Run) -> dict | None:
    """What an address drops, as templates/run/_drop.html shows it; from here on topics of `run`, this object, are named without it.

    words: word, known (whether the vocabulary has it), rest (the others, as the address says them). Raises Invalid for too many.
    """
    typed = "".join(c if c.isprintable() else " " for text in query.getlist("drop") for c in text[:5000] + ",")
    words = list(dict.fromkeys(_WORD.findall(typed.lower())))
    if len(words) > MOST:
        raise Invalid(
            "drop",
            f"At most {MOST} words can be left out of view at once, got {len(words)}. To be rid of more, train again without them.",
        )
    run.dropped_from_view = tuple(words)
    if not words:
        return None
    known = dict(Word.objects.filter(version=run.version_id, word__in=words).values_list("word", "number"))
    run.dropped_numbers = tuple(known.values())
    return {
        "words": [
            {"word": word, "known": word in known, "rest": ",".join(w for w in words if w != word)} for word in words
        ],
        "typed": ", ".join(words),
        "without": urlencode([("words", word) for word in words if word in known]),
    }


def words(run: Run) -> tuple[str, ...]:
    return getattr(run, "dropped_from_view", ())


def numbers(run: Run) -> tuple[int, ...]:
    """Of those that are in the vocabulary."""
    return getattr(run, "dropped_numbers", ())


def address(run: Run) -> str:
    """What an address of this run's topics ends in, so that the next page drops the same."""
    return "?" + urlencode({"drop": ",".join(words(run))}) if words(run) else ""
