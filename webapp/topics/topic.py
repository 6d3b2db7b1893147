"""One topic: its words, its documents, its shares over time and by category, its company, and how it stands among the others.

A topic is here what readers read as one: the numbers of topics that were merged into it are in its own.
"""

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from inference.explore.relevance import relevance
from webapp.accounts import embargo
from webapp.documents import fields, sums, texts
from webapp.documents.selection import Selection
from webapp.models import Run, Topic, Version, Word
from webapp.results import evidence, hidden_words, measures, topics
from webapp.results.labels import names
from webapp.storage.cache import cached
from webapp.storage.sql import rows
from webapp.words import concordance, senses

WORDS = 30  # on the topic's own page
DOCUMENTS = 10
NEIGHBOURS = 6  # topics named as like it, and as its company
LINES = 3  # examples of a word in context
LEAST = 5  # tokens of a word that is shown for being nowhere else
_KEPT = 64  # topics whose words a web process remembers


def parts(run: Run, k: int) -> list[int]:
    """The topic and those that are read as parts of it."""
    return [k, *names(run).members(k)]


# Words ------------------------------------------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Every word that has tokens in a topic: numbers int64[n]; tokens: in the topic; everywhere: in all topics.

    All in the selected documents. of_topic, of_all: the tokens of the topic and of all topics there.
    """

    numbers: np.ndarray
    tokens: np.ndarray
    everywhere: np.ndarray
    of_topic: int
    of_all: int


def words(run: Run, k: int, selection: Selection) -> Words:
    return _words(_Key(run, selection, tuple(parts(run, k))))


class _Key:
    """What the words of a topic depend on, for cache.cached."""

    def __init__(self, run: Run, selection: Selection, of: tuple[int, ...]):
        self.run, self.selection, self.of = run, selection, of
        has = bool(selection.has)
        self.key = (run.snapshot_id, of, tuple(selection.parameters), names(run).into.tobytes() if has else b"")

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self.key == other.key


@cached(_KEPT)
def _words(key: _Key) -> Words:
    run, mask = key.run, key.selection.mask
    if mask is not None:
        slot = np.full(run.topics, -1, np.int32)
        slot[list(key.of)] = 0
        tokens, everywhere = evidence.of(run).word_sums(np.where(mask, 0, -1).astype(np.int32), 1, slot, 1)[0]
        some = np.flatnonzero(tokens)
        return Words(some, tokens[some], everywhere[some], int(tokens.sum()), int(everywhere.sum()))
    found = rows(
        "SELECT word, sum(tokens)::bigint AS tokens FROM topic_word"
        " WHERE snapshot_id = %s AND topic = ANY(%s) AND tokens > 0 GROUP BY word ORDER BY word",
        [run.snapshot_id, list(key.of)],
    )
    number, tokens = (np.array([row[name] for row in found], np.int64) for name in ("word", "tokens"))
    return Words(number, tokens, _everywhere(run.version_id)[number], int(tokens.sum()), run.version.tokens)


@cached(32)
def _everywhere(version_id: int) -> np.ndarray:
    """int64[V]: tokens of each word of a corpus."""
    found = rows("SELECT tokens FROM word WHERE version_id = %s ORDER BY number", [version_id])
    return np.array([row["tokens"] for row in found], np.int64)


def relevant(
    run: Run, k: int, selection: Selection, lam: float, after: int = 0, limit: int = WORDS
) -> tuple[list[dict], int | None]:
    """A topic's words by relevance (Sievert and Shirley 2014), from place `after` on, without those dropped from view; and the next place.

    Each has word, url, lines (the address of its lines in this topic), why, tokens (in the topic), everywhere, share (of its tokens
    that are the topic's), part (of the topic's tokens), and bar and bar_everywhere of the longest on the page.
    Below a relevance of 1 words with fewer than LEAST tokens stand behind all others: each of them is nowhere else by chance.
    """
    found = words(run, k, selection)
    if not len(found.numbers):
        return [], None
    score = relevance(found.tokens, found.everywhere, lam, inside_total=found.of_topic, total=found.of_all)
    seldom = (found.tokens < LEAST) & (lam < 1)
    order = np.lexsort((found.numbers, -found.tokens, -score, seldom))
    order = order[~np.isin(found.numbers[order], hidden_words.numbers(run))]
    page = order[after : after + limit]
    texts = _texts(run.version, found.numbers[page].tolist())
    most = int(found.everywhere[page].max(initial=1))
    listed = []
    for i in page.tolist():
        word, tokens, everywhere = texts[int(found.numbers[i])], int(found.tokens[i]), int(found.everywhere[i])
        url = reverse("run_word", args=[run.pk, word])
        listed.append({
            "word": word, "url": url, "lines": url + selection.address(topic=k), "why": reverse("run_topic_word", args=[run.pk, k, word]) + selection.address(),
            "tokens": tokens, "everywhere": everywhere, "share": tokens / everywhere,
            "part": tokens / found.of_topic, "relevance": float(score[i]), "bar": tokens / most, "bar_everywhere": everywhere / most,
        })  # fmt: skip
    return listed, after + limit if len(order) > after + limit else None


def _texts(version: Version, numbers: list[int]) -> dict[int, str]:
    found = rows("SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)", [version.pk, numbers])
    return {row["number"]: row["word"] for row in found}


def why(run: Run, k: int, word: Word, selection: Selection) -> dict:
    """Why a word is in a topic: what the model says, what was counted, where its other tokens are, and LINES lines of text.

    probability: p(w|k) as the model has it; usual: the word's share of the corpus. The rest is of the selected documents.
    """
    uses = senses.uses(run, word, selection)
    tokens, documents = (array[0] for array in uses.tally())
    total, of_documents = int(tokens.sum()), len(uses.documents)
    order = [int(j) for j in np.argsort(-tokens, kind="stable") if tokens[j]]
    first = topics.top_words(run, order[:DOCUMENTS], 5)
    url = reverse("run_word", args=[run.pk, word.word])
    divided = [
        topics.link(run, j)
        | {"tokens": int(tokens[j]), "documents": int(documents[j]), "share": int(tokens[j]) / total, "words": first[j],
           "lines": url + selection.address(topic=str(j))}
        for j in order[:DOCUMENTS]
    ]  # fmt: skip
    lines = concordance.samples(selection, uses, [k], LINES)[k] if concordance.has_places(run) else []
    return {
        "word": word.word,
        "url": url + selection.address(),
        "lines_url": url + selection.address(topic=str(k)),
        "probability": _probability(run, k, word),
        "usual": word.tokens / run.version.tokens,
        "tokens": int(tokens[k]),
        "documents": int(documents[k]),
        "everywhere": total,
        "everywhere_documents": of_documents,
        "divided": divided,
        "elsewhere": len(order) - len(divided),
        "lines": lines,
    }


def _probability(run: Run, k: int, word: Word) -> float:
    """p(w|k) of the topic and its parts together."""
    mine, columns = parts(run, k), measures.of(run)
    found = rows(
        "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s AND word = %s AND topic = ANY(%s)",
        [run.snapshot_id, word.number, mine],
    )
    weight = columns["floor"][mine]
    for row in found:
        weight[mine.index(row["topic"])] = row["weight"]
    size = columns["share"][mine]
    return float((size * weight).sum() / size.sum()) if size.sum() else float(weight[0])


# Documents --------------------------------------------------------------------------------------------------------------------


def documents(
    run: Run,
    k: int,
    selection: Selection,
    by: str = "share",
    after: tuple[float, int] | None = None,
    limit: int = DOCUMENTS,
) -> tuple[list[dict], str | None]:
    """Documents by their share of a topic, or by its words in them (by: "share" or "tokens"), and where the next page begins.

    Each has number, title, date_text, url, tokens, share, of (its tokens) and snippet, the passage where the topic is strongest.
    """
    mine = parts(run, k)
    found = (
        _ranked(run, k, by, after, limit + 1)
        if selection.mask is None and len(mine) == 1
        else _counted(run, mine, selection, by, after, limit + 1)
    )
    page = found[:limit]
    following = f"{page[-1][by]!r},{page[-1]['number']}" if len(found) > limit else None
    numbers = [row["number"] for row in page]
    shown = embargo.about(run.corpus, numbers, "title", "date_text")
    snippets = texts.passages(run, numbers, k)
    lengths = evidence.of(run).lengths
    for row in page:
        row |= shown[row["number"]] | {"of": int(lengths[row["number"]]), "snippet": snippets.get(row["number"], [])}
        row["url"] = reverse("run_document", args=[run.pk, row["number"]]) + f"?topic={k}"
    return page, following


def _ranked(run: Run, k: int, by: str, after: tuple[float, int] | None, limit: int) -> list[dict]:
    """From the index of document_topic, which stands in the order that is asked for."""
    value, number = after or (2e9, -1)
    kind = "real" if by == "share" else "integer"
    return rows(
        f"""
        SELECT document AS number, tokens, share FROM document_topic
        WHERE snapshot_id = %(snapshot)s AND topic = %(topic)s
          AND {by} <= %(value)s::{kind} AND ({by}, -document) < (%(value)s::{kind}, -%(number)s)
        ORDER BY {by} DESC, document LIMIT %(limit)s
        """,
        {"snapshot": run.snapshot_id, "topic": k, "value": value, "number": number, "limit": limit},
    )


def _counted(
    run: Run, mine: list[int], selection: Selection, by: str, after: tuple[float, int] | None, limit: int
) -> list[dict]:
    """The same of several topics together, or in some documents: one pass over the evidence."""
    found = evidence.of(run)
    tokens = found.held(mine)
    some = np.flatnonzero(tokens if selection.mask is None else tokens * selection.mask)
    tokens, shares = tokens[some], tokens[some] / found.lengths[some]
    value = shares if by == "share" else tokens
    if after:
        kept = (value < after[0]) | ((value == after[0]) & (some > after[1]))
        some, tokens, shares, value = some[kept], tokens[kept], shares[kept], value[kept]
    if len(some) > limit:
        least = np.partition(value, len(value) - limit)[len(value) - limit]
        kept = value >= least
        some, tokens, shares, value = some[kept], tokens[kept], shares[kept], value[kept]
    best = np.lexsort((some, -value))[:limit]
    return [{"number": int(some[i]), "tokens": int(tokens[i]), "share": float(shares[i])} for i in best]


# Times and categories -----------------------------------------------------------------------------------------------------------


def groups(run: Run, k: int, selection: Selection, by: str) -> dict | None:
    """The topic in groups of documents: bins of label, share (None without words), tokens, documents, of_tokens, of_documents, url.

    Empty groups at both ends are left out; of a category, those without documents. None where there is nothing to group by.
    """
    choices = fields.choices(run.version)
    if not choices:
        return None
    found = sums.of(run, selection, by or fields.usual(run.version))
    some = np.flatnonzero(found.of_documents)
    if len(some) and found.groups.in_time:
        some = np.arange(some[0], some[-1] + 1)
    address = reverse("run_documents", args=[run.pk])
    bins = []
    for i in some.tolist():
        tokens, of = int(found.tokens[i, k]), int(found.of_tokens[i])
        query = urlencode([*selection.narrowed(found.groups, i), ("has", f"{k}:0")])
        bins.append({
            "label": found.labels[i], "share": tokens / of if of else None, "tokens": tokens, "documents": int(found.documents[i, k]),
            "of_tokens": of, "of_documents": int(found.of_documents[i]), "url": f"{address}?{query}",
        })  # fmt: skip
    return {"by": found.groups.by, "in_time": found.groups.in_time, "choices": choices, "bins": bins}


# Its company --------------------------------------------------------------------------------------------------------------------


def neighbours(run: Run, k: int) -> dict[str, list[dict]]:
    """similar: topics with like words, with their divergence; beside: those in the same documents, with the lift and the documents."""
    row = Topic.objects.get(snapshot_id=run.snapshot_id, number=k)
    said = names(run)
    similar = [pair for pair in row.similar if said.into[pair[0]] == pair[0] and not said.hidden(pair[0])][:NEIGHBOURS]
    beside = [found for found in row.beside if said.into[found[0]] == found[0] and not said.hidden(found[0])][
        :NEIGHBOURS
    ]
    first = topics.top_words(run, [j for j, *_ in (*similar, *beside)], 6)
    return {
        "similar": [topics.link(run, j) | {"words": first[j], "divergence": d} for j, d in similar],
        "beside": [
            topics.link(run, j)
            | {
                "words": first[j],
                "lift": lift,
                "documents": n,
                "both": reverse("run_documents", args=[run.pk]) + f"?has={k}:10&has={j}:10",
            }
            for j, lift, n in beside
        ],
    }


# How it stands among the others ---------------------------------------------------------------------------------------------------

# column of models.Topic -> (its term in the glossary, what it is called, decimals, what it means in a sentence)
MEASURES = {
    "coherence": ("umass", "UMass coherence", 1, "How often its first words stand in the same documents; nearer to 0 is better."),
    "npmi": ("npmi", "NPMI", 2, "The same, freed from how frequent the words are: from −1 to 1, above 0 for words that keep company."),
    "exclusivity": ("exclusivity", "Exclusivity", 2, "How far its first words are its own; near 0 they are shared with many topics."),
    "effective_words": ("effective-words", "Effective words", 0, "As many words as if all were equally frequent; few for a narrow topic."),
    "document_entropy": ("document-entropy", "Document entropy", 1, "How widely it is spread over documents; low where a few hold most of it."),
    "rank_1_documents": ("rank-1", "First in documents", 2, "The share of documents in which no topic is larger; low for a background topic."),
    "uniform_distance": ("uniform-distance", "Distance from uniform", 1, "How far it is from giving all words alike; near 0 it says nothing."),
    "corpus_distance": ("corpus-distance", "Distance from the corpus", 1, "How far its words are from those of the corpus as a whole; near 0 it is about nothing special."),
}  # fmt: skip


def diagnostics(run: Run, k: int) -> list[dict]:
    """Each measure of the topic as the model has it: value, below (how many topics are lower), of (how many are known), all values."""
    found = []
    for name, (term, title, places, means) in MEASURES.items():
        column = measures.of(run)[name]
        if np.isnan(column[k]):
            continue
        known = column[~np.isnan(column)]
        found.append({
            "name": name, "term": term, "title": title, "places": places, "means": means, "value": float(column[k]),
            "below": int(np.count_nonzero(known < column[k])), "of": len(known), "all": known.tolist(),
        })  # fmt: skip
    return found
