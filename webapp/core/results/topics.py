"""Topics of a run's present snapshot."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inference.explore import relevance
from inference.text.forms import STEMS, form_maker
from webapp.core.results import found_again, links, measures
from webapp.core.results.found_again import FoundAgain
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.storage.cache import cached
from webapp.platform.storage.nulls import number_or_none
from webapp.platform.storage.sql import rows, tuples

TOP_WORDS = 10
FIRST_WORDS = 5  # by which a topic is recognised where it is one of several
# The lambda of relevance (inference.explore.relevance) by which words are ordered by their
# probability alone
PROBABILITY_LAM = 1.0
RANKED = 60  # of a topic's most probable words: those that relevance orders
FORMS = 2  # times as many words are looked at as are shown: some are forms of others
OWN_WORDS = 20  # of these, the first that a passage of the topic marks


def top_words(
    view: RunView, numbers: list[int], count: int = TOP_WORDS, lam: float = relevance.USUAL_LAM
) -> dict[int, list[str]]:
    """The first words of several topics, as _choosing chooses them; of merged topics by what they
    weigh together."""
    members = {k: view.labels.members(k) for k in numbers}
    choose = _choosing(view, lam, count)
    wanted_topics = sorted({*numbers, *(m for merged in members.values() for m in merged)})
    least = count + len(view.hidden_words.words)
    # Nearly every page names some topics: first words are kept, but not of a run in training, whose
    # snapshots are soon replaced
    if view.run.final and least <= TOP_WORDS and not any(members.values()):
        first = words_by_relevance(
            view.run.snapshot_id, view.run.version_id, view.run.topics, TOP_WORDS, lam
        )
        return {k: choose(first[k]) for k in numbers}
    words: dict[int, dict[str, float]] = {k: {} for k in wanted_topics}
    for topic, word, weight, _ in _relevant(
        view.run.snapshot_id, view.run.version_id, wanted_topics, FORMS * least, lam
    ):
        words[topic][word] = weight
    return {
        k: choose(_together(view, [k, *members[k]], words) if members[k] else words[k])
        for k in numbers
    }


def most_probable_words(run: Run, numbers: list[int], count: int) -> dict[int, list[str]]:
    """The most probable words of several topics as the model has them, whatever readers merged."""
    words: dict[int, list[str]] = {k: [] for k in numbers}
    for topic, word, *_ in _relevant(
        run.snapshot_id, run.version_id, numbers, count, PROBABILITY_LAM
    ):
        words[topic].append(word)
    return words


def first_words(view: RunView, count: int) -> list[list[str]]:
    """The first words of every topic, by relevance, as _choosing chooses them."""
    least = max(TOP_WORDS, count + len(view.hidden_words.words))
    choose = _choosing(view, relevance.USUAL_LAM, count)
    run = view.run
    return [
        choose(words)
        for words in words_by_relevance(
            run.snapshot_id, run.version_id, run.topics, least, relevance.USUAL_LAM
        )
    ]


def _choosing(view: RunView, lam: float, count: int) -> Callable[[Iterable[str]], list[str]]:
    """What chooses the first of a topic's words: none that is dropped from view; by relevance,
    where the language has stems, none that is a form of an earlier one, so that "European" and its
    cases do not fill a list."""
    hidden = view.hidden_words.words
    language = view.run.version.settings.get("language", "")
    stem = (
        form_maker("stems", language) if lam < PROBABILITY_LAM and language in STEMS else None
    ) or list

    def choose(words: Iterable[str]) -> list[str]:
        left = [word for word in words if word not in hidden]
        first: dict[str, str] = {}
        for form, word in zip(stem(left), left, strict=True):
            first.setdefault(form, word)
        return list(first.values())[:count]

    return choose


@cached(16)  # of 2,000 topics they have 4 MB
def words_by_relevance(
    snapshot_id: int, version_id: int, K: int, count: int, lam: float
) -> list[list[str]]:
    """The first words of each of K topics as they are stored, whatever readers hid: FORMS times
    `count`, of which some may be forms of others. lam: of relevance."""
    words: list[list[str]] = [[] for _ in range(K)]
    for topic, word, *_ in _relevant(snapshot_id, version_id, list(range(K)), FORMS * count, lam):
        words[topic].append(word)
    return words


def own_words(view: RunView, number: int) -> list[int]:
    """Numbers, in the vocabulary, of the words that tell what a topic is about: the first OWN_WORDS
    by relevance; of merged topics those of each. Words dropped from view are not among them."""
    relevant = _relevant(
        view.run.snapshot_id,
        view.run.version_id,
        view.labels.merged_topics(number),
        OWN_WORDS,
        relevance.USUAL_LAM,
    )
    return sorted(
        {own_word for _, word, _, own_word in relevant if word not in view.hidden_words.words}
    )


def _relevant(
    snapshot_id: int | None, version_id: int, numbers: list[int], count: int, lam: float
) -> list[tuple[int, str, float, int]]:
    """(topic, word, weight, the word's number) of the most relevant words of some topics, topic by
    topic: one query.

    lam log p(w|k) + (1 - lam) log(p(w|k) / p(w)) of a topic's RANKED most probable words, or more
    where more are asked for; log p(k) and the corpus's tokens are the same for all words, and left
    out.
    """
    return tuples(
        """
        SELECT topic, word, weight, number FROM (
            SELECT tw.topic, w.word, tw.weight, w.number, row_number() OVER (
                PARTITION BY tw.topic
                ORDER BY ln(greatest(tw.weight::float8, 1e-300)) - (1 - %(lam)s) * ln(greatest(w.tokens, 1)) DESC, tw.rank
            ) AS place
            FROM topic_word tw JOIN word w ON w.version_id = %(version)s AND w.number = tw.word
            WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = ANY(%(asked)s) AND tw.rank < %(ranked)s
        ) ranked WHERE place <= %(count)s ORDER BY topic, place
        """,
        {
            "snapshot": snapshot_id,
            "version": version_id,
            "asked": numbers,
            "count": count,
            "lam": lam,
            "ranked": max(RANKED, count),
        },
    )


def _together(view: RunView, merged: list[int], words: dict[int, dict[str, float]]) -> list[str]:
    total: Counter[str] = Counter()
    for k in merged:
        share = measures.of(view.run)["share"][k]
        total.update({word: share * weight for word, weight in words[k].items()})
    return [word for word, _ in total.most_common()]


@dataclass(frozen=True)
class TopicDetail(links.TopicLink):
    """share: of all words of the run. floor: the weight of each word that is not listed;
    floor_mass: of these together. Null where it was not measured. words: its first ones.
    found_again: with other seeds; null before they are trained."""

    share: float | None
    coherence: float | None
    floor: float | None
    floor_mass: float | None
    words: list[str]
    found_again: FoundAgain | None


def described(view: RunView, number: int) -> TopicDetail | None:
    """A topic; None where the run has no such topic."""
    columns = measures.of(view.run)
    if not columns or number >= len(columns["share"]):
        return None
    in_other_runs = found_again.of_topic(view.run, number)
    return TopicDetail(
        **vars(links.topic_link(view, number)),
        share=number_or_none(columns["share"][number]),
        coherence=number_or_none(columns["coherence"][number]),
        floor=number_or_none(columns["floor"][number]),
        floor_mass=number_or_none(columns["floor_mass"][number]),
        words=top_words(view, [number])[number],
        found_again=found_again.count(in_other_runs) if in_other_runs else None,
    )


def words(run: Run, number: int, after: int = 0, limit: int = 50) -> tuple[list[dict], int | None]:
    """A topic's words by weight, from rank `after` on: rank, word, weight, bar (of the largest);
    and the next rank."""
    words = rows(
        """
        SELECT tw.rank, w.word, tw.weight,
               tw.weight / (SELECT max(weight) FROM topic_word
                            WHERE snapshot_id = %(snapshot)s AND topic = %(number)s AND rank = 0) AS bar
        FROM topic_word tw JOIN word w ON w.version_id = %(version)s AND w.number = tw.word
        WHERE tw.snapshot_id = %(snapshot)s AND tw.topic = %(number)s AND tw.rank >= %(after)s
        ORDER BY tw.rank LIMIT %(limit)s
        """,
        {
            "snapshot": run.snapshot_id,
            "version": run.version_id,
            "number": number,
            "after": after,
            "limit": limit + 1,
        },
    )
    return words[:limit], after + limit if len(words) > limit else None
