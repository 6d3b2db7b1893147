"""The documents of one topic, by its share of them or by its words in them."""

from typing import Literal, NamedTuple

import numpy as np

from inference.bow import Bow
from webapp.analysis.topics.shapes import DocumentOfTopic
from webapp.core.documents import queries
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import ListedDocument
from webapp.core.results import evidence
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.storage.cache import of_documents

DOCUMENTS_OF_PAGE = 10  # on a page
# Documents with fewer words have a share of a topic by chance, such as all 6 of 6 words. Where half of
# the documents are shorter, those with fewer than half of the middle one's words do
SHORTEST_WITH_SHARE = 50
ALIKE = 0.8  # of two documents' words, from which they are shown as one

By = Literal["share", "tokens"]


class _Ranked(NamedTuple):
    """A document. tokens: of the topic; share: of its words, those of the topic."""

    number: int
    tokens: int
    share: float

    def value(self, by: By) -> float:
        return self.share if by == "share" else self.tokens


class _First(NamedTuple):
    """A document that is shown, and the numbers of those that are nearly the same."""

    document: _Ranked
    alike: list[int]


def ranked(
    selection: RunSelection,
    k: int,
    by: By = "share",
    after: tuple[float, int] | None = None,
    limit: int = DOCUMENTS_OF_PAGE,
) -> tuple[list[DocumentOfTopic], str | None]:
    """Documents by their share of a topic, or by its words in them, and where the next page begins.
    Those that are nearly the same as one before them are not shown again. after: the value and the
    number of the last document of the page before."""
    view = selection.view
    parts = view.labels.merged_topics(k)
    run_evidence = evidence.of(view.run)
    if len(parts) == 1:  # the evidence has these documents in order
        wanted = selection.mask
        if by == "share":
            wanted = _with_enough_words(view.run, k, selection.mask)
        in_order = run_evidence.topic_documents.best(k, by, limit + 1, after, wanted)
        documents = [_Ranked(number, tokens, share) for number, tokens, share in in_order]
    else:
        documents = _of_merged(selection, parts, by, after, limit + 1)
    following = None
    if len(documents) > limit:
        last = documents[limit - 1]
        following = f"{last.value(by)!r},{last.number}"
    page = _once(view.run, documents[:limit])
    passages = queries.strongest(view, [first.document.number for first in page], k)
    repeated = [number for first in page for number in first.alike]
    about_repeated = embargo.about(view.run.corpus, repeated, "title", "date_text")
    rows_shown = []
    for (document, alike), passage in zip(page, passages, strict=True):
        row = DocumentOfTopic(
            **vars(passage),
            tokens=document.tokens,
            share=document.share,
            of=int(run_evidence.lengths[document.number]),
            alike=[
                ListedDocument(
                    number=number,
                    url=view.go("run_document", number, topic=k),
                    title=about_repeated[number]["title"],
                    date_text=about_repeated[number]["date_text"],
                )
                for number in alike
            ],
        )
        rows_shown.append(row)
    return rows_shown, following


def shortest_with_share(run: Run) -> int:
    """Counted words that a document of a run has at least which is listed by its share of a topic;
    0 of a run without documents."""

    def measure() -> int:
        lengths = evidence.of(run).lengths
        median = int(np.median(lengths)) if len(lengths) else 0
        return min(SHORTEST_WITH_SHARE, median // 2)

    return of_documents.get_or_set(("shortest with share", run.snapshot_id), measure)


def _with_enough_words(run: Run, k: int, mask: np.ndarray | None) -> np.ndarray | None:
    """Those of the wanted documents that are long enough to be listed by their share of a topic;
    all of them where the topic is in short ones alone. mask: bool[D], None for all."""
    run_evidence = evidence.of(run)
    is_long = run_evidence.lengths >= shortest_with_share(run)
    if mask is not None:
        is_long &= mask
    if run_evidence.topic_documents.best(k, "share", 1, None, is_long):
        return is_long
    return mask


def _once(run: Run, page: list[_Ranked]) -> list[_First]:
    """The first of documents that have nearly the same words."""
    bow = evidence.bow(run.version_id)
    documents_shown: list[tuple[_First, dict[int, int]]] = []
    for document in page:
        counts = _counts(bow, document.number)
        twins = [
            first
            for first, counts_of_it in documents_shown
            if _overlap(counts_of_it, counts) >= ALIKE
        ]
        if twins:
            twins[0].alike.append(document.number)
        else:
            documents_shown.append((_First(document, []), counts))
    return [first for first, _ in documents_shown]


def _counts(bow: Bow, number: int) -> dict[int, int]:
    """How often a document has each of its words; a long one has some in several sections."""
    span = slice(bow.indptr[number], bow.indptr[number + 1])
    words, inverse = np.unique(bow.words[span], return_inverse=True)
    counts = np.bincount(inverse, bow.counts[span]).astype(int)
    return dict(zip(words.tolist(), counts.tolist(), strict=True))


def _overlap(counts: dict[int, int], other_counts: dict[int, int]) -> float:
    """Tokens that two documents have in common, of all of both: 1 for the same words as often."""
    common = sum(min(count, other_counts.get(word, 0)) for word, count in counts.items())
    union = sum(counts.values()) + sum(other_counts.values()) - common
    return common / max(1, union)


def _of_merged(
    selection: RunSelection,
    parts: list[int],
    by: By,
    after: tuple[float, int] | None,
    limit: int,
) -> list[_Ranked]:
    """The documents of several topics together, by one pass over the topics of the selected
    documents."""
    run_evidence = evidence.of(selection.run)
    tokens = run_evidence.mixtures.tokens_held(parts, selection.numbers)
    having = np.flatnonzero(tokens)
    tokens = tokens[having]
    numbers = having if selection.numbers is None else selection.numbers[having]
    if by == "share":
        is_long = run_evidence.lengths[numbers] >= shortest_with_share(selection.run)
        if is_long.any():
            tokens = tokens[is_long]
            numbers = numbers[is_long]
    shares = tokens / run_evidence.lengths[numbers]
    values = shares if by == "share" else tokens
    rows = np.arange(len(numbers))
    if after:
        last_value, last_number = after
        is_behind = (values == last_value) & (numbers > last_number)
        rows = np.flatnonzero((values < last_value) | is_behind)
    if len(rows) > limit:  # so that a few are sorted, and not millions
        offset = len(rows) - limit
        least = np.partition(values[rows], offset)[offset]
        rows = rows[values[rows] >= least]
    largest_first = rows[np.lexsort((numbers[rows], -values[rows]))]
    return [
        _Ranked(int(numbers[i]), int(tokens[i]), float(shares[i])) for i in largest_first[:limit]
    ]
