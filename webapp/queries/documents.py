"""Documents of a corpus: lists, search, and one with its proportions and the words that each topic explains."""

import json

from inference.text import Tokeniser
from webapp.models import Corpus, Run
from webapp.queries import evidence, topics
from webapp.queries.sql import rows

PAGE = 25
RANKED = 10_000  # matches of a search that are ranked; a search with more says so
HIGHLIGHTED = 200_000  # characters of a document whose words are coloured; the rest is shown plain
START, STOP = "\x02", "\x03"  # around a match in a headline; no document holds them (tasks.readers removes controls)


def page(corpus: Corpus, after: int = -1, limit: int = PAGE) -> tuple[list[dict], str | None]:
    """Documents in their order, behind number `after`; and where the next page begins."""
    found = rows(
        "SELECT number, title, source_id, date_text, left(text, 300) AS text FROM document"
        " WHERE corpus_id = %s AND number > %s ORDER BY number LIMIT %s",
        [corpus.pk, after, limit + 1],
    )
    for row in found:
        row["snippet"] = [(row.pop("text"), False)]
    return found[:limit], str(found[limit - 1]["number"]) if len(found) > limit else None


def search(corpus: Corpus, query: str, after: tuple[float, int] | None = None, limit: int = PAGE) -> dict:
    """Documents that match a query as web search engines read it: words, "a phrase", or, -without.

    Returns documents (best first), count (at most RANKED), more (whether there are more matches than that), next.
    """
    rank, number = after or (1e30, -1)
    found = rows(
        """
        WITH config AS (SELECT config FROM document WHERE corpus_id = %(corpus)s AND number = 0),
        query AS (SELECT websearch_to_tsquery((SELECT config FROM config), %(query)s) AS q),
        matches AS MATERIALIZED (
            SELECT number, ts_rank(search, q) AS rank FROM document, query
            WHERE corpus_id = %(corpus)s AND search @@ q LIMIT %(ranked)s + 1),
        best AS MATERIALIZED (
            SELECT number, rank FROM matches
            WHERE (rank, -number) < (%(rank)s::real, -%(number)s) ORDER BY rank DESC, number LIMIT %(limit)s)
        SELECT d.number, d.title, d.source_id, d.date_text, best.rank, (SELECT count(*) FROM matches) AS count,
               ts_headline((SELECT config FROM config), left(d.text, 200000), q,
                           'MaxFragments=2, MaxWords=30, MinWords=12, StartSel=' || chr(2) || ', StopSel=' || chr(3))
               AS headline
        FROM best JOIN document d ON d.corpus_id = %(corpus)s AND d.number = best.number, query
        ORDER BY best.rank DESC, d.number
        """,
        {
            "corpus": corpus.pk, "query": query, "ranked": RANKED, "rank": rank, "number": number, "limit": limit + 1,
        },
    )  # fmt: skip
    count = found[0]["count"] if found else 0
    following = f"{found[limit - 1]['rank']!r},{found[limit - 1]['number']}" if len(found) > limit else None
    for row in found:
        row["snippet"] = _marked(row.pop("headline"))
    return {"documents": found[:limit], "count": min(count, RANKED), "more": count > RANKED, "next": following}


def _marked(headline: str) -> list[tuple[str, bool]]:
    """(text, is a match) parts of a headline."""
    parts = []
    for i, piece in enumerate(headline.split(START)):
        match, _, rest = piece.partition(STOP) if i else ("", "", piece)
        parts += [(match, True)] * bool(match) + [(rest, False)] * bool(rest)
    return parts


def document(corpus: Corpus, number: int) -> dict | None:
    """One document, whole."""
    found = rows(
        "SELECT number, source_id, file, place, title, date_text, date, metadata, text, words FROM document"
        " WHERE corpus_id = %s AND number = %s",
        [corpus.pk, number],
    )
    return found[0] | {"metadata": json.loads(found[0]["metadata"])} if found else None


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
