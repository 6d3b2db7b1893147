"""Words: finding one, and the topics that use it (the beginning of its senses)."""

from django.urls import reverse

from webapp.models import Corpus, Run, Word
from webapp.queries import topics
from webapp.queries.sql import rows

PAGE = 100


def matching(corpus: Corpus, prefix: str, after: int = -1, limit: int = PAGE) -> tuple[list[dict], int | None]:
    """Words that begin with `prefix`, most frequent first (numbers are in that order); and where the next page begins."""
    found = rows(
        "SELECT number, word, tokens, documents FROM word"
        " WHERE corpus_id = %s AND number > %s AND word LIKE %s ORDER BY number LIMIT %s",
        [corpus.pk, after, _escape(prefix.lower()) + "%", limit + 1],
    )
    return found[:limit], found[limit - 1]["number"] if len(found) > limit else None


def _escape(text: str) -> str:
    """Text that LIKE takes literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def word(corpus: Corpus, text: str) -> Word | None:
    return Word.objects.filter(corpus_id=corpus.pk, word=text).first()


def senses(run: Run, of: Word) -> tuple[list[dict], float]:
    """The topics that list a word, by p(topic | word), proportional to the topic's share times beta[k, w].

    Returns rows of number, label, url, weight (p(word | topic)), posterior (p(topic | word)), words; and the posterior
    of all topics that do not list the word, whose weight is their floor.
    """
    found = rows(
        """
        SELECT t.number, t.share, tw.weight, t.floor FROM webapp_topic t
        LEFT JOIN topic_word tw ON tw.snapshot_id = t.snapshot_id AND tw.topic = t.number AND tw.word = %s
        WHERE t.snapshot_id = %s
        """,
        [of.number, run.snapshot_id],
    )
    total = sum(row["share"] * (row["floor"] if row["weight"] is None else row["weight"]) for row in found)
    listed = [row for row in found if row["weight"] is not None]
    words = topics.top_words(run, [row["number"] for row in listed])
    for row in listed:
        row["posterior"] = row["share"] * row["weight"] / total
        row |= topics.link(run, row["number"]) | {"words": words[row["number"]]}
    listed.sort(key=lambda row: (-row["posterior"], row["number"]))
    return listed, max(0.0, 1.0 - sum(row["posterior"] for row in listed))


def with_urls(found: list[dict], run: Run) -> list[dict]:
    for row in found:
        row["url"] = reverse("run_word", args=[run.pk, row["word"]])
    return found
