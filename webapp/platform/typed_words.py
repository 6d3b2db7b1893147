"""Words that people type, among those of a vocabulary."""

from collections.abc import Iterable

from inference.text.spelling import apostrophe_variants
from webapp.models import Word


def find_words(version_id: int, words: Iterable[str]) -> dict[str, Word]:
    """The words of a vocabulary that some are which `typed_text.as_counted` made; what it has not
    is left out.

    Words that were given as they are, and phrases that an older program made, may have another
    apostrophe: they are found where no word has this one."""
    variants = {word: apostrophe_variants(word) for word in words}
    every_variant = set[str]().union(*variants.values())
    rows = Word.objects.filter(version=version_id, word__in=every_variant)
    row_of_spelling = {row.word: row for row in rows}
    found = {}
    for word, variants_of_word in variants.items():
        in_order = [word, *sorted(variants_of_word)]
        present = [spelling for spelling in in_order if spelling in row_of_spelling]
        if present:
            found[word] = row_of_spelling[present[0]]
    return found


def spell_words(version_id: int, words: Iterable[str]) -> list[str]:
    """The same words, those that a vocabulary has as it spells them."""
    typed = list(words)
    found = find_words(version_id, typed)
    return [found[word].word if word in found else word for word in typed]
