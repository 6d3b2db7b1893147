"""Which topic a reader means who types into the form of another one: a choice of its list, a
number, a name, or a part of one."""

import re

from inference.errors import Invalid
from webapp.core.results import topic_numbers
from webapp.core.results.view import RunView
from webapp.platform.typed_text import one_line

# At the end of a topic as choices write it, "Farming (T03)"
_NAMED_TOPIC = re.compile(r" \((T\d+)\)$", re.ASCII)
MOST_SAID = 6  # topics that a sentence names where a part of a name fits several
QUOTED = 60  # characters of what fits none


def read_typed_topic(view: RunView, text: str, field: str) -> str:
    """The topic's number as `services.change` takes it, "" where nothing was typed. field: of the
    form. Raises Invalid."""
    text = one_line(text)
    number_at_end = _NAMED_TOPIC.search(text)
    if number_at_end:
        return number_at_end[1]
    same_name = _find_topics(view, text, whole=True)
    if len(same_name) == 1:
        return str(same_name[0])
    # "T03 (crop · land)" as choices write a topic without a name, and "T03" alone
    first_word = text.partition(" ")[0]
    if not text or topic_numbers.is_written(first_word):
        return first_word
    fitting = _find_topics(view, text, whole=False)
    if len(fitting) == 1:
        return str(fitting[0])
    raise Invalid(field, _explain(view, text, fitting))


def _find_topics(view: RunView, text: str, whole: bool) -> list[int]:
    """Topics of the name that was typed, or with it in their names."""
    typed = text.casefold()
    names = {k: view.labels.name(k).casefold() for k in view.topics}
    if whole:
        return [k for k, name in names.items() if name == typed]
    return [k for k, name in names.items() if typed in name]


def _explain(view: RunView, text: str, fitting: list[int]) -> str:
    if not fitting:
        return (
            f"No topic of this run has “{text[:QUOTED]}” in its name. Type a part of a topic’s"
            " name, or its number."
        )
    titles = " · ".join(view.labels.title(k) for k in fitting[:MOST_SAID])
    more = len(fitting) - MOST_SAID
    others = f" · and {more:,} more" if more > 0 else ""
    return (
        f"{len(fitting):,} topics have “{text[:QUOTED]}” in their names: {titles}{others}. Choose"
        " one of them."
    )
