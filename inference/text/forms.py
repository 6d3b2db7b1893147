"""The form under which a word counts: as written, its stem, or its lemma."""

from collections.abc import Callable

import Stemmer

from inference.errors import Invalid

STEMS = {  # ISO 639-1 -> Snowball's algorithms
    code: name
    for code, name in {
        "ar": "arabic",
        "hy": "armenian",
        "eu": "basque",
        "ca": "catalan",
        "da": "danish",
        "nl": "dutch",
        "en": "english",
        "eo": "esperanto",
        "et": "estonian",
        "fi": "finnish",
        "fr": "french",
        "de": "german",
        "el": "greek",
        "hi": "hindi",
        "hu": "hungarian",
        "id": "indonesian",
        "ga": "irish",
        "it": "italian",
        "lt": "lithuanian",
        "ne": "nepali",
        "no": "norwegian",
        "pl": "polish",
        "pt": "portuguese",
        "ro": "romanian",
        "ru": "russian",
        "sr": "serbian",
        "es": "spanish",
        "sv": "swedish",
        "ta": "tamil",
        "tr": "turkish",
        "yi": "yiddish",
    }.items()
    if name in Stemmer.algorithms()
}
LEMMAS = {
    code: code
    for code in """
    ar bg ca cs cy da de el en eo es et fa fi fr ga gd gl gv he hi hu hy id is it ka la lb lt lv mk ml ms nb nl nn pl pt ro ru se sk sl sq sv
    sw tl tr uk
    """.split()
} | {"no": "nb", "hr": "hbs", "sr": "hbs"}  # of simplemma, under our codes


def form_maker(forms: str, language: str) -> Callable[[list[str]], list[str]] | None:
    """What turns words into their forms, where these are words; None for words as they are written.
    Raises Invalid for a language without such."""
    if forms == "written":
        return None
    if forms == "stems":
        if language not in STEMS:
            raise Invalid(
                "forms", "There are no stems for this language. Choose words as they are written."
            )
        turn = Stemmer.Stemmer(STEMS[language]).stemWords
    elif forms == "lemmas":
        if language not in LEMMAS:
            raise Invalid(
                "forms",
                "There are no lemmas for this language. Choose words as they are written, or"
                " stems.",
            )
        import simplemma  # here: a sixth of a second, of the start of every process

        def turn(words: list[str]) -> list[str]:
            return [simplemma.lemmatize(word, LEMMAS[language]).lower() for word in words]

    else:
        raise Invalid(
            "forms", f"Words can count as written, as stems or as lemmas, not as {forms!r}."
        )
    return lambda words: [
        new if len(new.split()) == 1 else word for word, new in zip(words, turn(words), strict=True)
    ]
