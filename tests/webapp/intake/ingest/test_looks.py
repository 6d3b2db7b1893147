"""What was seen in the files of a draft is kept, for the program that saw it."""

import pytest

from webapp.intake.ingest import looks
from webapp.models import Corpus

pytestmark = pytest.mark.django_db


def test_another_program_looks_again(monkeypatch):
    """What it reads otherwise it would else show as the one before did."""
    corpus = Corpus.objects.create(name="A draft", bytes_total=10)
    seen: list[int] = []

    def look() -> int:
        seen.append(len(seen))
        return len(seen)

    assert looks.kept_answer(corpus, ["columns"], look) == 1
    assert looks.kept_answer(corpus, ["columns"], look) == 1
    monkeypatch.setattr(looks, "program_digest", lambda: "another")
    assert looks.kept_answer(corpus, ["columns"], look) == 2
    looks.remove(corpus)


def test_a_program_is_known_by_its_version_and_by_what_reads_files(monkeypatch):
    known = looks.program_digest()
    looks.program_digest.cache_clear()
    monkeypatch.setattr(looks, "topograph", lambda: "0.0.0")
    try:
        assert looks.program_digest() != known
    finally:
        looks.program_digest.cache_clear()
