"""Topics of a run's present snapshot."""

from django.urls import reverse

from webapp.models import Run
from webapp.queries import embargo, passages
from webapp.queries.names import names
from webapp.queries.sql import rows
from webapp.templatetags.pages import topic_label

PAGE = 100
TOP_WORDS = 10
ORDERS = {  # name -> (SQL, the page that follows begins behind these values)
    "share": "share DESC, number",
    "coherence": "coherence DESC NULLS LAST, number",
    "number": "number",
}


def link(run: Run, number: int) -> dict:
    """How a topic is named, coloured and reached from anywhere; templates/_chip.html shows it."""
    said = names(run)
    return {
        "number": number,
        "label": topic_label(number),
        "name": said.label(number),
        "hue": said.hue(number),
        "hidden": said.hidden(number),
        "into": topic_label(said.into[number]) if said.into[number] != number else "",
        "url": reverse("run_topic", args=[run.pk, number]),
    }


def page(run: Run, order: str = "share", word: str = "", after: int = 0, limit: int = PAGE) -> tuple[list[dict], int | None]:
    """Topics with their top words, from place `after` of the order on; and where the next page begins.

    Places instead of keys: a run has at most some thousands of topics, and a page is a sort of those few rows.
    With `word`, only topics that have this word in a row of theirs, best first by p(topic | word).
    """
    found = rows(
        f"""
        SELECT t.number, t.share, t.coherence, t.floor_mass
        FROM webapp_topic t
        {
            "JOIN topic_word w ON w.snapshot_id = t.snapshot_id AND w.topic = t.number AND w.word = "
            "(SELECT number FROM word WHERE corpus_id = %(corpus)s AND word = %(word)s)"
            if word
            else ""
        }
        WHERE t.snapshot_id = %(snapshot)s
        ORDER BY {"t.share * w.weight DESC, number" if word else ORDERS[order]}
        OFFSET %(after)s LIMIT %(limit)s
        """,
        {"snapshot": run.snapshot_id, "corpus": run.corpus_id, "word": word, "after": after, "limit": limit + 1},
    )
    words = top_words(run, [topic["number"] for topic in found[:limit]])
    page = [topic | link(run, topic["number"]) | {"words": words[topic["number"]]} for topic in found[:limit]]
    return page, after + limit if len(found) > limit else None


def top_words(run: Run, numbers: list[int], count: int = TOP_WORDS) -> dict[int, list[str]]:
    """The first words of several topics, by weight."""
    found = rows(
        """
        SELECT tw.topic, w.word FROM topic_word tw
        JOIN word w ON w.corpus_id = %(corpus)s AND w.number = tw.word
        WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = ANY(%(numbers)s) AND tw.rank < %(count)s
        ORDER BY tw.topic, tw.rank
        """,
        {"snapshot": run.snapshot_id, "corpus": run.corpus_id, "numbers": numbers, "count": count},
    )
    words = {number: [] for number in numbers}
    for row in found:
        words[row["topic"]].append(row["word"])
    return words


def topic(run: Run, number: int) -> dict | None:
    """One topic: share, coherence, the weight that is not listed."""
    found = rows(
        "SELECT number, share, coherence, floor, floor_mass FROM webapp_topic WHERE snapshot_id = %s AND number = %s",
        [run.snapshot_id, number],
    )
    return found[0] | link(run, number) if found else None


def words(run: Run, number: int, after: int = 0, limit: int = 50) -> tuple[list[dict], int | None]:
    """A topic's words by weight, from rank `after` on: rank, word, weight, bar (of the largest); and the next rank."""
    found = rows(
        """
        SELECT tw.rank, w.word, tw.weight,
               tw.weight / (SELECT max(weight) FROM topic_word
                            WHERE snapshot_id = %(snapshot)s AND topic = %(number)s AND rank = 0) AS bar
        FROM topic_word tw JOIN word w ON w.corpus_id = %(corpus)s AND w.number = tw.word
        WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = %(number)s AND tw.rank >= %(after)s
        ORDER BY tw.rank LIMIT %(limit)s
        """,
        {"snapshot": run.snapshot_id, "corpus": run.corpus_id, "number": number, "after": after, "limit": limit + 1},
    )
    for row in found:
        row["url"] = reverse("run_word", args=[run.pk, row["word"]])
    return found[:limit], after + limit if len(found) > limit else None


def documents(run: Run, number: int, after: tuple[float, int] | None = None, limit: int = 10) -> tuple[list[dict], str | None]:
    """The documents with the largest share of a topic, each with the passage where the topic is strongest."""
    weight, document = after or (2.0, -1)
    found = rows(
        """
        SELECT dt.document AS number, dt.share, d.title, d.date_text, left(d.text, %(read)s) AS text
        FROM document_topic dt JOIN document d ON d.corpus_id = %(corpus)s AND d.number = dt.document
        WHERE dt.snapshot_id = %(snapshot)s AND dt.topic = %(topic)s
          AND dt.share <= %(weight)s::real AND (dt.share, -dt.document) < (%(weight)s::real, -%(document)s)
        ORDER BY dt.share DESC, dt.document LIMIT %(limit)s
        """,
        {
            "snapshot": run.snapshot_id, "corpus": run.corpus_id, "topic": number, "weight": weight,
            "document": document, "limit": limit + 1, "read": passages.READ,
        },
    )  # fmt: skip
    page, following = found[:limit], None
    if len(found) > limit:
        following = f"{page[-1]['share']!r},{page[-1]['number']}"
    weights = {row["word"]: row["weight"] for row in words(run, number, limit=passages.WORDS)[0]}
    find = passages.Finder(run.corpus, weights)
    for row in page:
        row["snippet"] = embargo.passage(run.corpus, find(row.pop("text")))
        row["url"] = reverse("run_document", args=[run.pk, row["number"]]) + f"?topic={number}"
    return page, following
