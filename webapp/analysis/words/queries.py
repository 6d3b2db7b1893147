"""Words of a corpus: finding one by its beginning, by its likeness, or because its senses are far
apart."""

import unicodedata
from dataclasses import dataclass

import regex

from webapp.core.results import links, topics
from webapp.core.results.links import TopicWithWords
from webapp.core.results.view import RunView
from webapp.intake.ingest import typed_words
from webapp.models import Version, Word
from webapp.platform.storage.cache import cached
from webapp.platform.storage.sql import rows, tuples
from webapp.platform.typed_text import as_counted

PAGE = 100
ALIKE = 8  # words that are offered where none begins as was typed
BEGINNINGS = 16  # words that are offered before anything was typed
LONGEST_TYPED_TEXT = 100  # characters of what was typed
CANDIDATES = 6  # first words of a topic, of which some are shown
WORDS_OF_TOPIC = 3  # of a topic, that are shown
_MARKS = regex.compile("[\u0300-\u036f]+")


def plain(text: str) -> str:
    """Lower case without accents, as the column of that name (migrations/0004_words.py)."""
    return _MARKS.sub("", unicodedata.normalize("NFD", text.lower()))


@dataclass(frozen=True)
class CountedWord:
    """tokens, documents: of all documents."""

    word: str
    tokens: int
    documents: int


@dataclass(frozen=True)
class WordCount(CountedWord):
    """number: in the vocabulary, where the most frequent word is 0."""

    number: int


@dataclass(frozen=True)
class Beginning(WordCount):
    topics: list[TopicWithWords]


def matching(
    version: Version, prefix: str, after: int = -1, limit: int = PAGE
) -> tuple[list[WordCount], int | None]:
    """Words that begin with `prefix`, accents aside, most frequent first (numbers are in that
    order); and the next page's beginning."""
    # As typed, too: words that were given as they are may have any apostrophe
    patterns = [_begins_with(prefix), _begins_with(as_counted(prefix))]
    words = rows(
        "SELECT number, word, tokens, documents FROM word WHERE version_id = %s AND number > %s AND"
        " (plain LIKE %s OR plain LIKE %s) ORDER BY number LIMIT %s",
        [version.pk, after, *patterns, limit + 1],
    )
    following = words[limit - 1]["number"] if len(words) > limit else None
    return [WordCount(**row) for row in words[:limit]], following


def _begins_with(prefix: str) -> str:
    """A pattern of LIKE that takes the prefix literally."""
    return regex.sub(r"[\\%_]", r"\\\g<0>", plain(prefix)) + "%"


def alike(version: Version, text: str) -> list[WordCount]:
    """Words that share most of their triples of letters with `text`, the most alike first."""
    nearest = rows(
        "SELECT number, word, tokens, documents FROM word WHERE version_id = %(version)s AND plain"
        " %% %(text)s ORDER BY similarity(plain, %(text)s) DESC, number LIMIT %(limit)s",
        {"version": version.pk, "text": plain(text)[:LONGEST_TYPED_TEXT], "limit": ALIKE},
    )
    return [WordCount(**row) for row in nearest]


def containing(version: Version, part: str, limit: int) -> list[str]:
    """Words that hyphens, apostrophes or a phrase make of this part and others, most frequent
    first. part: letters."""
    mark = "[-_'’]"
    letters = plain(part)
    expression = f"^{letters}{mark}|{mark}{letters}({mark}|$)"
    words = tuples(
        "SELECT word FROM word WHERE version_id = %s AND plain ~ %s ORDER BY number LIMIT %s",
        [version.pk, expression, limit],
    )
    return [found_word for (found_word,) in words]


def word(version: Version, text: str) -> Word | None:
    """The word of a vocabulary that a text is counted as; None where it does not count."""
    counted_word = as_counted(text)
    return typed_words.find_words(version.pk, [counted_word]).get(counted_word)


# A word's senses are here the topics in which it is one of the RANKS first words, that hold
# LEAST_SHARE of it and TIMES more than their size would give them. Words are ordered by how far
# apart two of their tokens are on the map of topics, on average: Rao 1982, quadratic entropy. Plain
# entropy would find "results" and "different", which are everywhere.
RANKS = 100
TIMES = 2.0
LEAST_SHARE = 0.05
LEAST_TOKENS = 20
_BEGINNINGS = """
WITH total AS (
    SELECT sum(tokens)::float8 AS tokens FROM webapp_topic WHERE snapshot_id = %(snapshot)s
), sense AS (
    SELECT w.number, w.word, w.tokens, w.documents, r.topic, r.tokens::float8 / w.tokens AS p,
           t.x, t.y
    FROM total, topic_word r
    JOIN webapp_topic t ON t.snapshot_id = r.snapshot_id AND t.number = r.topic
    JOIN word w ON w.version_id = %(version)s AND w.number = r.word
    WHERE r.snapshot_id = %(snapshot)s AND r.rank < %(ranks)s AND w.tokens >= %(least_tokens)s
      AND r.tokens >= %(least_share)s * w.tokens
      AND r.tokens * total.tokens >= %(times)s * w.tokens * t.tokens
)
SELECT a.number, a.word, a.tokens, a.documents,
       (SELECT array_agg(topic ORDER BY p DESC) FROM sense WHERE sense.number = a.number) AS topics
FROM sense a JOIN sense b USING (number)
GROUP BY a.number, a.word, a.tokens, a.documents HAVING count(DISTINCT a.topic) > 1
ORDER BY sum(a.p * b.p * sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)) DESC, a.number LIMIT %(limit)s
"""


def beginnings(view: RunView) -> list[Beginning]:
    """Words whose senses are far apart, the farthest first."""
    if not view.run.snapshot_id:
        return []
    words = _beginnings(view.run.snapshot_id, view.run.version_id)
    all_topics = {k for *_, numbers in words for k in numbers}
    first = topics.top_words(view, sorted(all_topics), CANDIDATES)

    def topic_beside(word: str, k: int) -> TopicWithWords:
        """With words that are no other forms of this one."""
        further = [candidate for candidate in first[k] if not candidate.startswith(word)]
        return TopicWithWords(**vars(links.topic_link(view, k)), words=further[:WORDS_OF_TOPIC])

    return [
        Beginning(
            number=number,
            word=word,
            tokens=tokens,
            documents=documents,
            topics=[topic_beside(word, k) for k in numbers],
        )
        for number, word, tokens, documents, numbers in words
    ]


@cached(32)
def _beginnings(snapshot_id: int, version_id: int) -> list[tuple[int, str, int, int, list[int]]]:
    """(number, word, tokens, documents, topics)."""
    parameters = {
        "snapshot": snapshot_id,
        "version": version_id,
        "ranks": RANKS,
        "times": TIMES,
        "least_share": LEAST_SHARE,
        "least_tokens": LEAST_TOKENS,
        "limit": BEGINNINGS,
    }
    return tuples(_BEGINNINGS, parameters)
