"""A text under embargo is read out word by word, by asking which word follows: every way that tells
the order of words is tried, by a reader, and by the owner, for whom each of them works."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests.webapp.platform.accounts.test_embargo import shut, texts  # noqa: F401
from tests.webapp.platform.accounts.test_embargo_counted import member, run  # noqa: F401
from webapp.platform.accounts import embargo
from webapp.platform.accounts.roles import Person

pytestmark = pytest.mark.django_db
NUMBER = 3  # the document that is read out; it alone is of its year
YEAR = {"from": str(1900 + NUMBER), "to": str(1900 + NUMBER)}
STARTS = 4  # words whose follower is asked for
LETTERS = "bcdfghjklmnpqrstvwxz"
Asks = Callable[[str, str, dict], dict | None]


def asker(user) -> Asks:
    """Asks for the JSON of a page of the run; None where it is refused."""
    client = Client()
    client.force_login(user)
    cache.clear()

    def ask(name: str, address: str, query: dict) -> dict | None:
        answer = client.get(address, query)
        return answer.json() if answer.status_code == 200 else None

    return ask


def halves(candidates: list[str], is_there: Callable[[list[str]], bool | None]) -> str | None:
    """The one of the candidates that follows, by halving them; None where that is not told."""
    if not is_there(candidates):
        return None
    while len(candidates) > 1:
        half = candidates[: len(candidates) // 2]
        there = is_there(half)
        if there is None:
            return None
        candidates = half if there else candidates[len(half) :]
    return candidates[0]


def by_pattern(ask: Asks, number: int, word: str, words: list[str]) -> str | None:
    address = reverse("run_pattern_json", args=[number])

    def is_there(some: list[str]) -> bool | None:
        page = ask("pattern", address, YEAR | {"pattern": f"{word} {'|'.join(some)}"})
        return None if page is None else bool(page.get("hits"))

    return halves([f"{letter}*" for letter in LETTERS], is_there)


def by_set(ask: Asks, number: int, word: str, words: list[str]) -> str | None:
    address = reverse("run_documents_json", args=[number])

    def is_there(some: list[str]) -> bool | None:
        page = ask("set", address, YEAR | {"match": f"{word} {'|'.join(some)}"})
        return None if page is None else page["count"] > 0

    return halves([f"{letter}*" for letter in LETTERS], is_there)


def by_phrases(ask: Asks, number: int, word: str, words: list[str]) -> str | None:
    address = reverse("run_documents_json", args=[number])

    def is_there(some: list[str]) -> bool | None:
        asked = " or ".join(f'"{word} {other}"' for other in some)
        page = ask("set", address, YEAR | {"q": asked})
        return None if page is None else page["count"] > 0

    for first in range(0, len(words), 40):
        if found := halves(words[first : first + 40], is_there):
            return found
    return None


def by_neighbours(ask: Asks, number: int, word: str, words: list[str]) -> str | None:
    address = reverse("run_collocations_json", args=[number, word])
    window = {"left": 0, "right": 1, "least": 1, "which": "all"}
    page = ask("near", address, YEAR | window)
    return page["words"][0]["word"] if page and page.get("words") else None


WAYS = [by_pattern, by_set, by_phrases, by_neighbours]


def read_out(way, ask: Asks, number: int) -> int:
    """How many followers are found out, at least by their first letter."""
    text = texts()[NUMBER]
    words = sorted(text)
    right = 0
    for word, following in list(pairwise(text))[:STARTS]:
        found = way(ask, number, word, words)
        right += bool(found) and following.startswith(found.rstrip("*"))
    return right


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_reader_reads_a_text_out(run, way):  # noqa: F811
    viewer = member(run, "viewer")
    assert read_out(way, asker(viewer), run.pk) == 0
    if way is not by_neighbours:  # nobody, the owner included, is told of fewer than 5 documents
        assert read_out(way, asker(run.corpus.owner), run.pk) == STARTS


def test_one_text_more_is_not_seen_by_two_questions(run):  # noqa: F811
    """Who pads a pattern, so that enough documents have it, compares the counts with and without
    one text: the greater count is that with it hardly more often than by chance."""
    person = Person(member(run, "viewer").pk)
    guesses = right = 0
    with embargo.reading(person):
        for padding in range(20, 2_020):
            without, own = (
                embargo.rounded(run.corpus, np.array([count, 3 * padding]))[0]
                for count in (padding, padding + 1)
            )
            assert (
                without % embargo.COUNT_STEP == 0
                and padding - 2 * embargo.COUNT_STEP < without <= padding
            )
            if own != without:
                guesses += 1
                right += own > without
        again = [embargo.rounded(run.corpus, np.array([57]))[0] for _ in range(9)]
    assert len(set(again)) == 1
    assert guesses > 200
    assert right / guesses < 0.7


def test_who_may_not_be_told_is_told_why(run):  # noqa: F811
    client = Client()
    client.force_login(member(run, "viewer"))
    word, following = texts()[NUMBER][:2]
    for query in ({"q": f'"{word} {following}"'}, {"match": f"{word} {following}"}):
        page = client.get(reverse("run_documents", args=[run.pk]), query)
        assert page.status_code == 400
        assert "by words in their order" in page.content.decode()
    pattern = client.get(
        reverse("run_pattern", args=[run.pk]), {"pattern": f"{word} {following}"}
    ).content.decode()
    assert "in few documents, or in none, that is not told" in pattern
    assert client.get(reverse("run_documents", args=[run.pk]), {"q": word}).status_code == 200
