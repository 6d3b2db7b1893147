"""The evidence is opened: its arrays are mapped, and its parts answer."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.bow import Bow, Postings
from inference.day_sums import DaySums
from inference.errors import Invalid
from inference.evidence.files import HELD, ORDERS, PAIRS, ROWS, open_mapped
from inference.evidence.gathering import complete_evidence
from inference.evidence.mixtures import DocumentMixtures
from inference.evidence.token_places import TokenPlaces
from inference.evidence.token_topics import TokenTopics
from inference.evidence.topic_documents import TopicDocuments
from inference.evidence.word_topics import WordTopics
from inference.runtime.arrays import frozen


@dataclass(eq=False)
class Evidence:
    """What was opened, in parts; the docstring of the package says which part answers what.

    section_bow: the bag of words as it was trained, with a row for each section; document_bow: the
    same with a row for each document. They are one where no document was cut. postings: by word, of
    section_bow. day_sums: None where none were stored.
    """

    section_bow: Bow
    postings: Postings
    token_topics: TokenTopics
    mixtures: DocumentMixtures
    topic_documents: TopicDocuments
    word_topics: WordTopics
    day_sums: DaySums | None = None

    @property
    def document_bow(self) -> Bow:
        return self.section_bow.by_document()

    @property
    def K(self) -> int:
        """How many topics there are."""
        return self.mixtures.K

    @property
    def lengths(self) -> np.ndarray:
        """int64[D]: tokens of each document, the words outside the vocabulary left out."""
        return self.mixtures.lengths

    @property
    def token_places(self) -> TokenPlaces:
        return TokenPlaces(self.section_bow)


def open_evidence(folder: Path, bow: Bow, postings: Postings) -> Evidence:
    """What `gather` wrote, with the bag of words and the postings that it had. Writes nothing.

    Raises Invalid where there is none, and FileNotFoundError where an older version wrote it and
    it was not completed (complete_evidence).
    """
    folder = Path(folder)
    if not (folder / "doc_ptr.npy").exists():
        raise Invalid(
            "run",
            "This run was trained by a version that kept no evidence of its tokens. Train it"
            " again.",
        )
    doc_ptr = np.load(folder / "doc_ptr.npy", mmap_mode="r")
    topic_ptr = np.load(folder / "topic_ptr.npy")
    held_ptr = np.load(folder / "held_ptr.npy")
    is_empty = not doc_ptr[-1]
    types = PAIRS | ROWS | ORDERS | HELD
    arrays = {}
    for name, dtype in types.items():
        arrays[name] = np.asarray(open_mapped(folder / name, dtype, is_empty))
    document_bow = bow.by_document()
    K = len(topic_ptr) - 1
    mixtures = DocumentMixtures(
        K=K,
        doc_ptr=frozen(doc_ptr, np.int64),
        doc_topics=arrays["doc_topics"],
        doc_tokens=arrays["doc_tokens"],
        document_bow=document_bow,
    )
    word_topics = WordTopics(
        K=K,
        section_bow=bow,
        postings=postings,
        topics=arrays["word_topics"],
        certainty=arrays["word_certainty"],
        held_ptr=held_ptr,
        held_topics=arrays["held_topics"],
        held_tokens=arrays["held_tokens"],
        held_documents=arrays["held_documents"],
    )
    return Evidence(
        section_bow=bow,
        postings=postings,
        token_topics=TokenTopics(document_bow, arrays["topics"], arrays["certainty"]),
        mixtures=mixtures,
        topic_documents=TopicDocuments(
            mixtures, topic_ptr, arrays["by_share"], arrays["by_tokens"]
        ),
        word_topics=word_topics,
        day_sums=DaySums.open(folder),
    )


def complete_and_open(folder: Path, bow: Bow, postings: Postings) -> Evidence:
    """`open_evidence` of a run that an older version may have trained: what that did not write is
    written first."""
    complete_evidence(folder, bow, postings)
    return open_evidence(folder, bow, postings)
