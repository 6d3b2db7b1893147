"""Words: finding one, and the topics that use it (the beginning of its senses)."""

from django.urls import reverse

from webapp.models import Corpus, Run, Word
from webapp.queries import topics
from webapp.queries.sql import rows

PAGE = 100


def matching(corpus: Corpus, prefix: str, after: int = -1, limit: int = PAGE) -> tuple[list[dict], int | None]:
    """Words that begin with `prefix`, most frequent first (numbers are in that order); and where the next page begins."""
    found = rows(
        "SELECT number, word, tokens, documents FROM word WHERE corpus_id = %s AND number > %s AND word LIKE %s ORDER BY number LIMIT %s",
        [corpus.pk, after, _escape(prefix.lower()) + "%", limit + 1],
    )
    return found[:limit], found[limit - 1]["number"] if len(found) > limit else None


def _escape(text: str) -> str:
    """Text that LIKE takes literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def word(corpus: Corpus, text: str) -> Word | None:
    return Word.objects.filter(corpus_id=corpus.pk, word=text).first()


def senses(run: Run, of: Word) -> list[dict]:
    """The topics that a word's tokens were given to, most of them first.

    Returns rows of number, label, url, tokens, documents, share (of the word's tokens; sums to 1), words.
    """
    found = rows(
        "SELECT topic AS number, tokens, documents FROM topic_word WHERE snapshot_id = %s AND word = %s AND tokens > 0"
        " ORDER BY tokens DESC, topic",
        [run.snapshot_id, of.number],
    )
    words = topics.top_words(run, [row["number"] for row in found])
    for row in found:
        row |= topics.link(run, row["number"]) | {"share": row["tokens"] / of.tokens, "words": words[row["number"]]}
    return found


def with_urls(found: list[dict], run: Run) -> list[dict]:
    for row in found:
        row["url"] = reverse("run_word", args=[run.pk, row["word"]])
    return found
