"""Documents of a corpus: lists, search, and one with its proportions and the words that each topic
explains."""

import json

import numpy as np

from inference.explore.similar import nearest
from webapp.core.documents import search, texts
from webapp.core.documents.authors import name_authors
from webapp.core.documents.listing import Listing
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import (
    Document,
    DocumentWithPassage,
    Found,
    FoundDocument,
    Proportion,
    Similar,
    SimilarDocument,
)
from webapp.core.results import evidence, links, topics
from webapp.core.results.view import RunView
from webapp.models import Corpus
from webapp.platform.accounts import embargo

PAGE = 25
SIMILAR = 10  # documents that a document's page names as like it
SHARED_TOPICS = 3  # topics that are named of each


def describe_documents(listing: Listing, numbers: list[int]) -> list[FoundDocument]:
    """Documents of a list, each with a passage: where the search matches, else where its topic is,
    else the beginning."""
    selection = listing.selection
    topic = listing.topic
    if topic is None and selection.topics:
        topic, _ = selection.topics[0]
    by_number = embargo.about(
        selection.corpus, numbers, "title", "source_id", "date_text", "metadata"
    )
    author_of = name_authors(selection.corpus, by_number.values())
    passages: dict[int, texts.Excerpt] = {}
    if selection.q:
        passages = search.passages(selection.corpus, selection.q, numbers)
    elif topic is not None and isinstance(selection, RunSelection):
        passages = texts.passages(selection.view, numbers, topic)
    # Under an embargo what is read counts as shown: only those beginnings are read that are shown
    without_match = [number for number in numbers if number not in passages]
    passages |= texts.beginnings(selection.corpus, without_match)
    shares: dict[int, float] = {}
    if topic is not None and isinstance(selection, RunSelection):
        shares = dict(zip(numbers, _shares(selection, numbers, topic), strict=True))
    owner = selection.run or selection.corpus
    view = selection.view
    # A document knows its list by it
    query_string = listing.query_string()

    def match_url(url: str, number: int) -> str:
        """A document opened where a search matches; `url` where it does not in its text."""
        excerpt = passages[number]
        if number in without_match or not selection.q or excerpt.end <= excerpt.start:
            return url
        return links.marked_url(owner, number, excerpt.start, excerpt.end, query_string)

    def shown(number: int) -> FoundDocument:
        row = by_number[number]
        url = links.selected_document_url(owner, number, query_string)
        passage = texts.shown_passage(selection.corpus, view, number, passages[number])
        return FoundDocument(
            number=number,
            url=url,
            title=row["title"],
            date_text=row["date_text"],
            author=author_of[number],
            snippet=passage.snippet,
            passage_url=passage.passage_url,
            source_id=row["source_id"],
            share=shares.get(number),
            id=row["source_id"],
            date=row["date_text"],
            passage="".join(text for text, _ in passage.snippet),
            match_url=match_url(url, number),
        )

    return [*map(shown, numbers)]


def _shares(selection: RunSelection, numbers: list[int], topic: int) -> list[float]:
    """The topic's share of the words of each of these documents."""
    run_evidence = evidence.of(selection.view.run)
    parts = selection.view.labels.merged_topics(topic)
    topic_tokens = np.array(
        [sum(run_evidence.mixtures.tokens(number, part) for part in parts) for number in numbers]
    )
    return (topic_tokens / np.maximum(run_evidence.lengths[numbers], 1)).tolist()


def page(
    listing: Listing, after: tuple[float, int] | None, limit: int = PAGE
) -> tuple[Found, str | None]:
    """A page of a list of documents; and where the next page begins, as addresses say it."""
    numbers, following = listing.page(after, limit)
    selection = listing.selection
    return Found(
        selection.sentence, selection.count, describe_documents(listing, numbers)
    ), following


def document(corpus: Corpus, number: int, at: int = 0) -> Document | None:
    """A document with the part of its text that holds character `at`. None where there is no such
    document.

    Under embargo the text is "" and `embargo` says why.
    """
    part = embargo.read_part(corpus, number, at)
    if part is None:
        return None
    about = embargo.about(
        corpus,
        [number],
        "source_id",
        "file",
        "place",
        "title",
        "date_text",
        "metadata",
        "words",
        "part",
        "parts",
        "whole",
        "digest",
    )[number]
    return Document(
        source_id=about["source_id"],
        file=about["file"],
        date_text=about["date_text"],
        metadata=json.loads(about["metadata"]),
        words=about["words"],
        parts=about["parts"],
        number=number,
        title=about["title"],
        date=about["date_text"],
        start=part.start,
        end=part.end,
        text=part.text,
        embargo=embargo.sentence(corpus),
        place=about["place"],
        part=about["part"],
        whole=about["whole"],
        digest=about["digest"],
        length=part.length,
        id=about["source_id"],
    )


def strongest(view: RunView, numbers: list[int], topic: int) -> list[DocumentWithPassage]:
    """Some documents, each with the passage where a topic is strongest."""
    corpus = view.run.corpus
    about_documents = embargo.about(corpus, numbers, "title", "date_text", "metadata")
    author_of = name_authors(corpus, about_documents.values())
    passages = texts.passages(view, numbers, topic)
    documents = []
    for number in numbers:
        row = about_documents[number]
        passage = texts.shown_passage(corpus, view, number, passages.get(number))
        documents.append(
            DocumentWithPassage(
                number=number,
                url=view.go("run_document", number, topic=topic),
                title=row["title"],
                date_text=row["date_text"],
                author=author_of[number],
                snippet=passage.snippet,
                passage_url=passage.passage_url,
            )
        )
    return documents


def proportions(view: RunView, number: int) -> list[Proportion]:
    """A document's topics with the tokens and the share that each has of it, largest first, and
    their first words."""
    topics_in_it, tokens = evidence.of(view.run).mixtures.of_document(number)
    mixture = np.zeros(view.run.topics, np.int64)
    mixture[topics_in_it] = tokens
    return topic_proportions(view, view.labels.merged(mixture))


def topic_proportions(view: RunView, tokens: np.ndarray) -> list[Proportion]:
    """The share of each topic in any tokens, [K] by topic."""
    order = [k for k in np.argsort(-tokens, kind="stable").tolist() if tokens[k]]
    words = topics.top_words(view, order, topics.FIRST_WORDS)
    total = tokens.sum()
    return [
        Proportion(
            **vars(links.topic_link(view, k)),
            tokens=int(tokens[k]),
            share=float(tokens[k] / total),
            words=words[k],
        )
        for k in order
    ]


def similar(view: RunView, number: int) -> Similar:
    """The documents whose mixtures, as the model has them, are most like a document's."""
    run_evidence = evidence.of(view.run)
    if not run_evidence.lengths[number]:
        return Similar([])
    topics_in_it, tokens = run_evidence.mixtures.of_document(number)
    mixture = np.zeros(view.run.topics)
    mixture[topics_in_it] = tokens / run_evidence.lengths[number]
    return like(view, mixture, number)


def like(view: RunView, mixture: np.ndarray, number: int = -1) -> Similar:
    """The documents most like a mixture, float64[K], the one with `number` left out."""
    run_evidence = evidence.of(view.run)
    nearby = nearest(run_evidence.topic_documents, mixture, SIMILAR, number)
    by_number = embargo.about(
        view.run.corpus, [number, *nearby.numbers.tolist()], "title", "date_text", "digest"
    )
    digest = by_number[number]["digest"] if number in by_number else None
    own_mixture = view.labels.merged(mixture)
    rows = []
    for n, distance in zip(nearby.numbers.tolist(), nearby.distances.tolist(), strict=True):
        ks, tokens = run_evidence.mixtures.of_document(n)
        other_mixture = np.bincount(
            view.labels.into[ks],
            weights=tokens / run_evidence.lengths[n],
            minlength=view.run.topics,
        )
        shared = np.minimum(own_mixture, other_mixture)
        common = [
            k for k in np.argsort(-shared, kind="stable")[:SHARED_TOPICS].tolist() if shared[k] > 0
        ]
        row = by_number[n]
        rows.append(
            SimilarDocument(
                number=n,
                title=row["title"],
                date_text=row["date_text"],
                likeness=1.0 - distance**2,
                shared=[links.topic_share(view, k, float(other_mixture[k])) for k in common],
                same=row["digest"] == digest,
                url=view.go("run_document", n),
            )
        )
    return Similar(rows, None if nearby.exact else nearby.unseen, nearby.looked)
