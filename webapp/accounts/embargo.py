"""What may be read of a corpus whose texts are under embargo: everything that is counted, and short passages; no text.

The one place that decides. Whatever reads the column `text` passes what it found through here before it is returned, so that
pages, their JSON, files and the API can't differ. Embargo says nothing of titles and metadata: those are public.

A passage has at most PASSAGE characters, and of one document a list shows at most LINES. Who asks for the lines of many words
can still piece parts together, as with any concordance: what must not be guessed at all must not be uploaded.
"""

from django.db import transaction
from django.db.models import Q

from inference.errors import Invalid
from webapp.models import Corpus

PASSAGE = 200  # characters of consecutive text, markers aside
LINES = 3  # of one document in a list of lines
SENTENCE = (
    "The texts of this corpus are under embargo: what is counted can be seen, and passages of at most {} characters."
)


def sentence(corpus: Corpus) -> str:
    """For readers; "" where there is no embargo."""
    return SENTENCE.format(PASSAGE) if corpus.embargo else ""


def text(corpus: Corpus, found: str) -> str:
    """A whole text, or "" under embargo."""
    return "" if corpus.embargo else found


def beginning(corpus: Corpus, found: str) -> str:
    """What may be shown where a text may stand for something else, such as a title that was chosen from a column."""
    return found[:PASSAGE] if corpus.embargo else found


def passage(corpus: Corpus, parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """A passage in (text, is marked) parts: the PASSAGE characters around its first marked part, under embargo."""
    length = sum(len(part) for part, _ in parts)
    if not corpus.embargo or length <= PASSAGE:
        return parts
    marked = at = 0
    for part, is_marked in parts:
        if is_marked:
            marked = at
            break
        at += len(part)
    first = max(0, min(marked - PASSAGE // 3, length - PASSAGE))
    kept, at = [], 0
    for part, is_marked in parts:
        kept.append((part[max(0, first - at) : max(0, first + PASSAGE - at)], is_marked))
        at += len(part)
    if first:
        kept.insert(0, ("… ", False))
    if first + PASSAGE < length:
        kept.append((" …", False))
    return [part for part in kept if part[0]]


def line(corpus: Corpus, before: str, word: str, after: str) -> tuple[str, str, str]:
    """A word between what stands before and after it, shortened on both sides under embargo."""
    if not corpus.embargo:
        return before, word, after
    word = word[:PASSAGE]
    side = (PASSAGE - len(word)) // 2
    return before[-side:] if side else "", word, after[:side]


def lines(corpus: Corpus) -> int | None:
    """How many lines of one document a list may show; None for all."""
    return LINES if corpus.embargo else None


def refuse(corpus: Corpus, what: str) -> None:
    """Raises Invalid where `what`, which would give texts away, is asked for under embargo."""
    if corpus.embargo:
        raise Invalid("embargo", f"{what} would give away texts that are under embargo.")


def set_embargo(corpus: Corpus, on: bool) -> None:
    """From now on texts are withheld, or shown again. Raises Invalid where they can't be shown.

    It reaches the parts that were made of the corpus, whosever they are, deleted ones that can come back, too, and parts of those, and
    drafts of files that are to be added. Ended it is for this one alone; not for a part, whose texts are those of its parent, while that
    one's are withheld, or when that can't be told any more.
    """
    with transaction.atomic():
        row = Corpus.objects.select_for_update().get(pk=corpus.pk)
        if not on:
            if row.provenance and row.parent is None:
                raise Invalid(
                    "embargo",
                    "The corpus of which this is a part is deleted: whether its texts may be read can't be told any more.",
                )
            if row.parent and row.parent.embargo:
                raise Invalid(
                    "embargo",
                    f"This is a part of “{row.parent.name}”, whose texts are under embargo: that one must end first.",
                )
        reached = {row.pk}
        while reached:
            Corpus.everything.filter(Q(pk__in=reached) | Q(into__in=reached)).update(embargo=on)
            parts = (
                Corpus.everything.filter(parent__in=reached, embargo=False).select_for_update()
                if on
                else Corpus.everything.none()
            )
            reached = set(parts.values_list("pk", flat=True))
