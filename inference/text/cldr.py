"""Words that a language has in the Unicode CLDR, as ICU gives them. ICU answers in English where it
does not know a language, which here counts as no answer."""

from collections.abc import Callable

ENGLISH = "en"


def own_words(language: str, words: Callable[[str], frozenset[str]]) -> frozenset[str]:
    """The words of a language by its code ("en", "pt-BR"); empty for "", and where they are those
    of English though the language is another one.

    words: what the CLDR has for a code, of one kind, such as names of months.
    """
    if not language:
        return frozenset()
    of_language = words(language)
    is_english = language.split("-")[0] == ENGLISH
    if not is_english and of_language == words(ENGLISH):
        return frozenset()
    return of_language
