"""Documents of a corpus: lists, search, and one with its proportions and the words that each topic explains."""

import json
from functools import lru_cache

import numpy as np

from inference.text import Tokeniser
from webapp.models import Corpus, Run
from webapp.queries import embargo, evidence, texts, topics
from webapp.queries.listing import Listing
from webapp.queries.sql import rows

PAGE = 25
SEARCHED = 200_000  # characters of a document that can be searched: migrations/0001_initial.py
HIGHLIGHTED = 200_000  # characters of a document whose words are coloured; the rest is shown plain
START, STOP = "\x02", "\x03"  # around a match in a headline; no document holds them (tasks.readers removes controls)
_HEADLINE = f"MaxFragments=2, MaxWords=30, MinWords=12, StartSel={START}, StopSel={STOP}"


def listed(listing: Listing, numbers: list[int]) -> list[dict]:
    """Documents of a list, each with a passage: where the search matches, else where its topic is, else the beginning."""
    selection = listing.selection
    topic = listing.topic if listing.topic is not None else next((topic for topic, _ in selection.has), None)
    if selection.q:
        passage = f"ts_headline(config, left(text, {SEARCHED}), websearch_to_tsquery(config, %s), '{_HEADLINE}')"
    else:
        passage = f"left(text, {texts.PASSAGE})"
    found = rows(
        f"SELECT number, title, source_id, date_text, {passage} AS passage FROM document WHERE corpus_id = %s AND number = ANY(%s)",
        [selection.q] * bool(selection.q) + [selection.corpus.pk, numbers],
    )
    by_number = {row["number"]: row for row in found}
    for row in found:
        text = row.pop("passage")
        row["snippet"] = embargo.passage(selection.corpus, _marked(text) if selection.q else [(text, False)])
    if topic is not None and not selection.q:
        for number, snippet in texts.passages(selection.run, numbers, topic).items():
            by_number[number]["snippet"] = snippet
    return [by_number[number] for number in numbers]


def has_long(corpus: Corpus) -> bool:
    """Whether the document with most words goes on where the search ends."""
    return corpus.status == Corpus.Status.READY and _longest(corpus.pk) >= SEARCHED


@lru_cache(64)
def _longest(corpus_id: int) -> int:
    """Where the last word of a corpus's document with most words begins."""
    bow = evidence.bow(corpus_id)
    if bow.offsets is None or not bow.tokens:
        return 0
    most = int(np.argmax(np.diff(bow.first_token)))
    return int(bow.offsets[bow.first_token[most] : bow.first_token[most + 1]].max())


def _marked(headline: str) -> list[tuple[str, bool]]:
    """(text, is a match) parts of a headline."""
    parts = []
    for i, piece in enumerate(headline.split(START)):
        match, _, rest = piece.partition(STOP) if i else ("", "", piece)
        parts += [(match, True)] * bool(match) + [(rest, False)] * bool(rest)
    return parts


def document(corpus: Corpus, number: int) -> dict | None:
    """One document, whole; under embargo its text is "" and `embargo` says why."""
    found = rows(
        "SELECT number, source_id, file, place, title, date_text, date, metadata, text, words FROM document"
        " WHERE corpus_id = %s AND number = %s",
        [corpus.pk, number],
    )
    if not found:
        return None
    text = embargo.text(corpus, found[0]["text"])
    return found[0] | {"metadata": json.loads(found[0]["metadata"]), "text": text, "embargo": embargo.sentence(corpus)}


def proportions(run: Run, number: int) -> list[dict]:
    """A document's topics with the tokens and the share that each has of it, largest first, and their first words."""
    found = rows(
        "SELECT topic AS number, tokens, share FROM document_topic WHERE snapshot_id = %s AND document = %s ORDER BY tokens DESC, topic",
        [run.snapshot_id, number],
    )
    words = topics.top_words(run, [row["number"] for row in found], 5)
    for row in found:
        row |= topics.link(run, row["number"]) | {"words": words[row["number"]]}
    return found


def explained(run: Run, number: int, text: str) -> list[tuple[str, int | None, float]]:
    """The text in parts: (text, topic or None, p(k | w, d)): each word with the topic it was given to (inference.evidence).

    Words outside the vocabulary belong to none.
    """
    words, _, given, certainty = evidence.of(run).document(number)
    found = rows("SELECT number, word FROM word WHERE corpus_id = %s AND number = ANY(%s)", [run.corpus_id, words.tolist()])
    names = {row["number"]: row["word"] for row in found}
    topic_of = {names[w]: (k, c / 255) for w, k, c in zip(words.tolist(), given.tolist(), certainty.tolist(), strict=True)}
    tokeniser = Tokeniser(run.corpus.settings["language"], run.corpus.settings["min_length"])
    parts, at = [], 0
    for a, b, word in tokeniser.spans(text[:HIGHLIGHTED]):
        if word in topic_of:
            if a > at:
                parts.append((text[at:a], None, 0.0))
            parts.append((text[a:b], *topic_of[word]))
            at = b
    parts.append((text[at:], None, 0.0))
    return [part for part in parts if part[0]]
