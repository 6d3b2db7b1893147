"""A text's words as a version of its corpus has them, and where they stand in it."""

import numpy as np

from inference import text
from inference.text import cut_rules
from webapp.models import Version


def terms(version: Version, texts: list[str]) -> list[list[tuple[int, int, str]]]:
    """(start, end, word) of the words of each text, as inference.text.terms: what is too short or
    no word is not among them."""
    return text.terms(texts, *_how(version))


def stops(version: Version, texts: list[str], positions: list[np.ndarray]) -> list[list[int]]:
    """Where the words end that begin at some places of texts: a phrase ends behind its last
    word."""
    return text.stops(texts, positions, *_how(version))


def alike(version: Version) -> list[tuple[str, str]]:
    """Writings and the words that they count as."""
    settings = version.settings
    apart = settings.get("apart", ())
    return [(written, word) for written, word in settings.get("alike", ()) if written not in apart]


def _how(version: Version) -> tuple[text.VocabularyChoice, str, bool, cut_rules.CutRules]:
    settings = version.settings
    reading = version.corpus.settings
    names = {
        "min_length",
        "numbers",
        "hyphens",
        "apostrophes",
        "forms",
        "language",
    } & settings.keys()
    choice = text.VocabularyChoice(
        **{name: settings[name] for name in names},
        phrases=tuple(settings.get("phrases", ())),
        variants=tuple(alike(version)),
    )
    is_given = reading.get("options", {}).get("given", False)
    rules = cut_rules.of_checkpoint(version.corpus.progress.get("stream"))
    return choice, reading.get("language", ""), is_given, rules
