"""A passage of a document by its place: what it says, how it is cited, and the documents that are
like it."""

import json
import re
from typing import NamedTuple

import numpy as np
from django.core.exceptions import BadRequest

from webapp.core.documents import citations, queries
from webapp.core.documents.authors import speaker_column
from webapp.core.documents.shapes import Passage, Similar
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Corpus
from webapp.platform.accounts import embargo

_CITED = ("title", "date_text", "file", "place", "metadata", "part", "parts")


class Place(NamedTuple):
    """The characters start … end - 1 of a document."""

    start: int
    end: int

    @classmethod
    def read(cls, text: str) -> "Place | None":
        """What ?passage=120-480 says, None where it is empty. Raises BadRequest, with a
        sentence."""
        if not text:
            return None
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
        if not match or int(match[1]) >= int(match[2]):
            raise BadRequest(
                "“passage” in the address must be two places in the text, the first character and"
                f" the one behind the last, such as 120-480; got “{text[:50]}”."
            )
        return cls(int(match[1]), int(match[2]))


def described(corpus: Corpus, number: int, span: Place) -> Passage | None:
    """What is known of a passage without a run; None where the document has no such characters."""
    piece = embargo.at_place(corpus, number, *span)
    if piece is None:
        return None
    about = embargo.about(corpus, [number], *_CITED)[number]
    return Passage(
        number=number,
        title=about["title"],
        date=about["date_text"],
        start=span.start,
        end=span.end,
        text=piece.text,
        mid_sentence=piece.mid_sentence,
        ends_mid_sentence=piece.ends_mid_sentence,
        embargo=embargo.sentence(corpus),
        citations=citations.all_of(
            citations.passage(
                corpus.name, about, json.loads(about["metadata"]), *span, speaker_column(corpus)
            )
        ),
    )


def bibtex(corpus: Corpus, cited_spans: list[tuple[int, Place]]) -> list[str]:
    """Entries for passages, (number of the document, place); none for documents that are not
    there."""
    about_documents = embargo.about(corpus, {number for number, _ in cited_spans}, *_CITED)
    speaker = speaker_column(corpus)
    entries = []
    for number, span in cited_spans:
        about = about_documents.get(number)
        if about is None:
            continue
        metadata = json.loads(about["metadata"])
        cited = citations.passage(corpus.name, about, metadata, *span, speaker)
        entries.append(citations.bibtex(cited))
    return entries


def mixture(view: RunView, number: int, span: Place) -> np.ndarray:
    """int64[K]: the words of a passage that were given to each topic, as the model has them."""
    run_evidence = evidence.of(view.run)
    if run_evidence.document_bow.offsets is None:
        return np.zeros(view.run.topics, np.int64)
    _, counts, topics, _ = run_evidence.token_topics.of_document(number)
    offsets = run_evidence.document_bow.offsets_of(number)
    inside = (offsets >= span.start) & (offsets < span.end)
    return np.bincount(np.repeat(topics, counts)[inside], minlength=view.run.topics)


def similar(view: RunView, number: int, tokens: np.ndarray) -> Similar:
    """The documents whose mixtures are most like a passage's, the one it is from left out."""
    return queries.like(view, tokens / tokens.sum(), number) if tokens.any() else Similar([])
