"""The language of a text: what it says, and what is found."""

import pytest

from webapp.intake.file_formats import Document
from webapp.intake.ingest.shaping import Shaping, is_another_language, said_language, shape

GERMAN = "Der Rat der Stadt hat beschlossen, dass die Brücke im nächsten Jahr erneuert wird."
CROATIAN = (
    "Gradsko vijeće odlučilo je da će se novi most preko rijeke graditi sljedeće godine novcem"
    " države i grada."
)


@pytest.mark.parametrize(
    ("said", "found", "expected"),
    [
        ("en", "de", True),
        ("de", "de", False),
        ("", "de", False),
        ("en", "", False),
        ("sr", "hr", False),
        ("en", "hr", True),
    ],
)
def test_another_language(said, found, expected):
    assert is_another_language(said, found) is expected


def test_what_a_document_says():
    assert said_language({"lang": "de_DE", "language": "fra"}) == "fr"
    assert said_language({"language": "", "lang": "en-US"}) == "en"
    assert said_language({"language": "lorem"}) == said_language({}) == ""


@pytest.mark.parametrize(
    ("metadata", "text", "anew", "expected"),
    [
        ({"language": "en"}, GERMAN, False, {"language": "en"}),
        ({"language": "en"}, GERMAN, True, {"language": "German"}),
        ({"Language": "en"}, GERMAN, True, {"Language": "German"}),
        ({"lang": "en"}, GERMAN, True, {"lang": "en", "language": "German"}),
        ({"lang": "en"}, GERMAN, False, {"lang": "en", "language": "English"}),
        ({"language": "de"}, GERMAN, True, {"language": "German"}),
        ({"language": "en"}, "ok", True, {"language": "English"}),
        ({"language": "Klingon"}, "ok", True, {"language": "Klingon"}),
        ({"language": "Klingon"}, GERMAN, True, {"language": "German"}),
        ({"language": "sr"}, CROATIAN, True, {"language": "Serbian"}),
        ({}, GERMAN, True, {"language": "German"}),
        ({}, "ok", True, {"language": "unknown"}),
    ],
)
def test_what_is_found_counts_more_where_one_says_so(tmp_path, metadata, text, anew, expected):
    shaping = Shaping(each_language=True, languages_anew=anew)
    [document] = shape([Document(text, metadata=metadata)], shaping, tmp_path)
    assert document.metadata == expected
