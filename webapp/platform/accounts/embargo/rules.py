"""What an embargo says and refuses, and what it leaves of counts and of excerpts; and how one begins
and ends."""

import hashlib
from itertools import accumulate

import numpy as np
from django.conf import settings as configuration
from django.db import transaction
from django.db.models import Q

from inference.errors import Invalid
from webapp.models import Corpus, Export
from webapp.platform.accounts.embargo.limits import COUNT_STEP, LINES, PASSAGE
from webapp.platform.accounts.embargo.who_reads import readers
from webapp.platform.storage import export_files

SEED_BYTES = 8  # of what is drawn by the server's secret
HALF_BITS = 32  # of a random number of 64 bits, which gives two draws
LOWER_HALF = np.uint64((1 << HALF_BITS) - 1)
SPARE_DRAWS = 16  # pairs of draws, as one in a billion can't be used
SENTENCE = (
    "The texts of this corpus are under embargo: you see only counts, and passages of at most {}"
    " characters."
)
IN_ALL = (
    " Of each text you see a quarter in all, and all readers together see half: what was shown to"
    " you, to all who read with the same link, and to all readers counts for good, and where it is"
    " used up a passage stays empty. Searches and counts still tell which words a text has."
)


def sentence(corpus: Corpus) -> str:
    """For readers; "" where there is no embargo."""
    if not corpus.embargo:
        return ""
    in_all = IN_ALL if readers(corpus) else ""
    return SENTENCE.format(PASSAGE) + in_all


def refuse(corpus: Corpus, what: str) -> None:
    """Raises Invalid where `what`, which would give texts away, is asked for under embargo."""
    if corpus.embargo:
        raise Invalid("embargo", f"{what} would give away texts that are under embargo.")


def refuse_order(corpus: Corpus, field: str) -> None:
    """Raises Invalid where a reader chooses documents by the order of their words: of a few
    documents, one of them a text's own, it would tell which word follows which."""
    if readers(corpus):
        raise Invalid(
            field,
            "The texts of this corpus are under embargo: documents can’t be chosen by words in"
            " their order, such as a phrase or a pattern. Search for the words alone.",
        )


def rounded(corpus: Corpus, counts: np.ndarray) -> np.ndarray:
    """int64, as `counts`: counts of words in their order as a reader is told them, multiples of
    COUNT_STEP that are smaller than the count by up to 2 COUNT_STEP - 1, and not below 0. As they
    are to everybody else.

    Where the steps are is drawn by the server's secret from the counts themselves: who asks again,
    or in other words, learns nothing more, and another set has other steps, so that one text more
    is not seen by two questions.
    """
    if not readers(corpus):
        return counts
    key = hashlib.sha256(configuration.SECRET_KEY.encode()).digest()
    exact = np.ascontiguousarray(counts, np.int64)
    digest = hashlib.blake2b(exact.tobytes(), key=key, digest_size=SEED_BYTES).digest()
    moved = exact - draw_below_step(int.from_bytes(digest), exact.size).reshape(exact.shape)
    return np.maximum(moved // COUNT_STEP * COUNT_STEP, 0)


def draw_below_step(seed: int, n: int) -> np.ndarray:
    """int64[n]: random numbers from 0 to COUNT_STEP - 1, as numpy 2.4 has them of
    default_rng(seed).integers (Lemire 2019), by the bits of PCG64 alone, which numpy promises.

    Readers were told counts that are rounded by them: with other ones they would be told each
    count a second time, in other steps, which together say more of it.
    """
    raw = np.random.PCG64(seed).random_raw(n // 2 + SPARE_DRAWS)
    halves = np.stack([raw & LOWER_HALF, raw >> np.uint64(HALF_BITS)], axis=1).ravel()
    products = halves * np.uint64(COUNT_STEP)
    # Without these all numbers are as likely as each other
    is_even = (products & LOWER_HALF) >= np.uint64((1 << HALF_BITS) % COUNT_STEP)
    return (products[is_even] >> np.uint64(HALF_BITS))[:n].astype(np.int64)


def most_lines(corpus: Corpus) -> int | None:
    """How many lines of one document a list may show; None for all."""
    return LINES if corpus.embargo else None


def beginning(corpus: Corpus, text: str) -> str:
    """What may be shown of a text that is no row yet, and so can't be counted."""
    if not corpus.embargo:
        return text
    return "" if readers(corpus) else text[:PASSAGE]


def passage(corpus: Corpus, parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """A passage in (text, is marked) parts: the PASSAGE characters around its first marked part,
    under embargo."""
    *begins, length = accumulate((len(part) for part, _ in parts), initial=0)
    if not corpus.embargo or length <= PASSAGE:
        return parts
    marks = [begin for begin, (_, in_mark) in zip(begins, parts, strict=True) if in_mark]
    mark = marks[0] if marks else 0
    first = max(0, min(mark - PASSAGE // 3, length - PASSAGE))
    last = first + PASSAGE
    shown_parts = []
    if first:
        shown_parts.append(("… ", False))
    for begin, (part, in_mark) in zip(begins, parts, strict=True):
        text = part[max(0, first - begin) : max(0, last - begin)]
        if text:
            shown_parts.append((text, in_mark))
    if last < length:
        shown_parts.append((" …", False))
    return shown_parts


def set_embargo(corpus: Corpus, on: bool) -> None:
    """From now on texts are withheld, or shown again. Raises Invalid where they can't be shown.

    It reaches the parts that were made of the corpus, whosever they are, deleted ones that can come
    back, too, and parts of those, and drafts of files that are to be added; large files that were
    made of their runs before are removed. Ended it is for this one alone; not for a part, whose
    texts are those of its parent, while that one's are withheld, or when that can't be told any
    more.
    """
    with transaction.atomic():
        row = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
        if not on:
            if row.is_part and row.parent is None:
                raise Invalid(
                    "embargo",
                    "The corpus of which this is a part is deleted: whether its texts may be read"
                    " can't be told any more.",
                )
            if row.parent and row.parent.embargo:
                raise Invalid(
                    "embargo",
                    f"This is a part of “{row.parent.name}”, whose texts are under embargo: that"
                    " one must end first.",
                )
        reached = {row.pk}
        while reached:
            if on:
                # One that is being made is begun anew (webapp.service.exports.kept).
                export_files.remove(
                    Export.objects.filter(run__corpus__in=reached, status=Export.Status.READY)
                )
            Corpus.everything.filter(Q(pk__in=reached) | Q(added_to__in=reached)).update(embargo=on)
            parts = Corpus.everything.none()
            if on:
                shown = Corpus.everything.filter(parent__in=reached, embargo=False)
                parts = shown.select_for_update(no_key=True)
            reached = set(parts.values_list("pk", flat=True))
