"""A concept with drawn documents, and coders who code by what the texts say."""

import pytest

from webapp.models import Coder, Concept, Document, Run
from webapp.service.codebook import coding, concepts

DEFINED = {"called": "war", "kind": "yes_no", "text": "The speech is about war."}


def concept_of(run: Run, **sent) -> Concept:
    return concepts.create(run.corpus, DEFINED | sent, "owner")


@pytest.fixture(autouse=True)
def one_seed(monkeypatch):
    """The same documents are drawn each time."""
    monkeypatch.setattr(concepts.secrets, "randbelow", lambda most: 7)


def drawn(
    run: Run, size: int = 60, columns: tuple = (), topic: str = "1", overlap: int = 20, **sent
) -> Concept:
    concept = concept_of(run, **sent)
    asked = {"size": str(size), "topic": topic, "overlap": str(overlap)}
    concepts.draw(concept, run, asked, list(columns), "owner")
    return concept


def code_all(concept: Concept, coders: list[Coder], says) -> int:
    """Each coder codes what they are given, in turns, until nothing is left. says: (coder, text) ->
    code. Returns how many codings."""
    holds = concepts.defined(concept).holds
    n = 0
    texts = dict(Document.objects.filter(corpus_id=concept.corpus_id).values_list("number", "text"))
    busy = list(coders)
    while busy:
        for coder in list(busy):
            item = coding.following(coder).item
            if item is None:
                busy.remove(coder)
                continue
            coding.save(coder, item, holds, says(coder, texts[item.document]), False, "")
            n += 1
    return n
