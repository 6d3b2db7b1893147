"""Words that people type, among those of a vocabulary."""

from collections.abc import Iterable, Mapping

from inference.text.forms import form_maker
from inference.text.spelling import apostrophe_variants
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Version, Word


def find_words(version_id: int, words: Iterable[str]) -> dict[str, Word]:
    """The words of a vocabulary that some are which `typed_text.as_counted` made; what it has not
    is left out.

    Words that were given as they are, and phrases that an older program made, may have another
    apostrophe: they are found where no word has this one. So is what a word counts as: its stem,
    its lemma, or another writing of it. Several may be one word of the vocabulary."""
    typed = set(words)
    found = _find_first(version_id, {word: _with_any_apostrophe(word) for word in typed})
    missing = sorted(typed - found.keys())
    if missing:
        found |= _find_first(version_id, _counted_as(version_id, missing))
    return found


def spell_words(version_id: int, words: Iterable[str]) -> list[str]:
    """The same words, each once, those that a vocabulary has as it spells them."""
    typed = list(words)
    found = find_words(version_id, typed)
    spelled = [found[word].word if word in found else word for word in typed]
    return list(dict.fromkeys(spelled))


def _find_first(version_id: int, spellings: Mapping[str, list[str]]) -> dict[str, Word]:
    """Of each word the first of its spellings that the vocabulary has."""
    every_spelling = set[str]().union(*spellings.values())
    rows = Word.objects.filter(version=version_id, word__in=every_spelling)
    row_of_spelling = {row.word: row for row in rows}
    found = {}
    for word, spellings_of_word in spellings.items():
        present = [spelling for spelling in spellings_of_word if spelling in row_of_spelling]
        if present:
            found[word] = row_of_spelling[present[0]]
    return found


def _with_any_apostrophe(word: str) -> list[str]:
    return [word, *sorted(apostrophe_variants(word))]


def _counted_as(version_id: int, words: list[str]) -> dict[str, list[str]]:
    """What the texts of a version would have each word counted as: the writing that stands for it,
    and the form of that."""
    settings = VocabularySettings.from_dict(Version.objects.get(pk=version_id).settings)
    choice = settings.choice()
    standing_for = dict(choice.variants)
    written = [standing_for.get(word, word) for word in words]
    spellings = {word: [text] for word, text in zip(words, written, strict=True)}
    make_forms = form_maker(choice.forms, choice.language)
    if make_forms is not None:
        for word, form in zip(words, make_forms(written), strict=True):
            spellings[word].append(form)
    return spellings
