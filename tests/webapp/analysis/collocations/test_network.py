"""The network of the words near a word: its pairs again from the texts, its lines, what an embargo
leaves."""

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from django.urls import reverse

from inference.text import Tokeniser
from tests.inference.index.test_patterns import sentences
from tests.webapp.analysis.collocations.test_collocations import WORD
from webapp.analysis.collocations import queries
from webapp.models import Corpus, Document
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
QUERY = "?least=2&order=g2&which=all&left=9&right=9"


@pytest.fixture
def weak(monkeypatch):
    """Pairs of a small corpus are pairs, too."""
    monkeypatch.setattr(queries, "SIGNIFICANT_G2", 1.0)
    clear_all()


def get(client, run, query=QUERY, name="run_network_json", status=200, word=WORD):
    response = client.get(reverse(name, args=[run.pk, word]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def by_hand(run, left, right, within) -> tuple[list[set[str]], dict[tuple[str, str], set[int]]]:
    """The words of each window of the word, and the documents of each two words of one."""
    windows = []
    having = defaultdict(set)
    for row in Document.objects.filter(corpus_id=run.corpus_id):
        spans = Tokeniser("en").spans(row.text)
        words = [word for *_, word in spans]
        of_sentence = sentences(row.text, spans)
        for i in (i for i, word in enumerate(words) if word == WORD):
            near = [
                j
                for j in range(len(words))
                if j != i
                and (
                    of_sentence[j] == of_sentence[i]
                    if within == "sentence"
                    else i - left <= j <= i + right
                )
            ]
            windows.append({words[j] for j in near})
            for pair in combinations(sorted(windows[-1]), 2):
                having[pair].add(row.number)
    return windows, having


@pytest.mark.parametrize(
    ("left", "right", "within"), [(9, 9, "words"), (0, 4, "words"), (5, 5, "sentence")]
)
def test_pairs_are_those_of_the_windows_in_the_texts(client, trained, weak, left, right, within):
    windows, having = by_hand(trained, left, right, within)
    data = get(
        client, trained, f"?least=2&order=g2&which=all&left={left}&right={right}&within={within}"
    )
    assert data["found"] == len(windows) and len(data["words"]) == queries.NODES
    words = [row["word"] for row in data["words"]]
    alone = Counter(word for window in windows for word in window)
    seen = set()
    for pair in data["pairs"]:
        a, b = sorted(pair["words"])
        seen.add((a, b))
        assert pair["windows"] == sum({a, b} <= window for window in windows)
        assert pair["documents"] == len(having[a, b]) >= 2
        assert pair["expected"] == pytest.approx(alone[a] * alone[b] / len(windows))
        assert pair["windows"] > pair["expected"] and pair["g2"] >= 1.0
    for a, b in combinations(sorted(words), 2):
        both = sum({a, b} <= window for window in windows)
        if both > 3 * alone[a] * alone[b] / len(windows) and len(having[a, b]) >= 4 and both >= 6:
            assert (a, b) in seen
    assert seen and [pair["g2"] for pair in data["pairs"]] == sorted(
        (p["g2"] for p in data["pairs"]), reverse=True
    )


def test_linked_words_are_a_group(client, trained, weak):
    data = get(client, trained)
    groups = [[word["word"] for word in group] for group in data["groups"]]
    assert sorted(sum(groups, [])) == sorted(row["word"] for row in data["words"])
    of_word = {word: g for g, group in enumerate(groups) for word in group}
    linked = {word for pair in data["pairs"] for word in pair["words"]}
    assert all(of_word[a] == of_word[b] for a, b in (pair["words"] for pair in data["pairs"]))
    assert all((len(group) > 1) == (group[0] in linked) for group in groups)


def test_a_pair_opens_its_lines_and_its_documents(client, trained, weak):
    for query in (QUERY, QUERY + "&within=sentence"):
        for pair in get(client, trained, query)["pairs"][:4]:
            path, _, asked = pair["lines"].partition("?")
            assert client.get(f"{path.rstrip('/')}.json?{asked}").json()["hits"] == pair["windows"]
            path, _, asked = pair["url"].partition("?")
            assert (
                client.get(f"{path.rstrip('/')}.json?{asked}").json()["count"] == pair["documents"]
            )


def test_the_page_has_each_pair_in_words_and_each_linked_word_as_a_link_of_the_picture(
    client, trained, weak
):
    data = get(client, trained)
    html = get(client, trained, name="run_network")
    assert f"{len(data['pairs'])} pair" in html
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html))
    for pair in data["pairs"]:
        assert (
            f"{pair['words'][0]} and {pair['words'][1]} come together {pair['windows']} time"
            in said
        )
    linked = {word for pair in data["pairs"] for word in pair["words"]}
    assert set(re.findall(r'aria-label="(\S+), [\d,]+ times? near', html)) == linked
    first, second = data["pairs"][0]["words"]
    assert f"Near “{WORD}”, {first} and {second} come together" in said


def test_under_embargo_a_pair_has_five_documents(client, trained, weak):
    assert min(pair["documents"] for pair in get(client, trained)["pairs"]) < 5
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    pairs = get(client, trained)["pairs"]
    assert pairs and min(pair["documents"] for pair in pairs) >= 5


def test_no_pair_and_no_word_are_said(client, trained):
    none = get(client, trained, "?left=1&right=0&least=10", "run_network")
    assert '<svg class="network"' not in none and re.search(
        r"no two come together|No word is near it|Only “", none
    )
    assert "does not have this word" in get(client, trained, "?from=1990", "run_network").replace(
        "do not", "does not"
    )
    assert get(client, trained, status=404, word="zyzzyva")["text"] == "zyzzyva"
    get(client, trained, "?left=21", status=400)


def test_table_and_network_lead_to_each_other_with_what_was_chosen(client, trained):
    table = client.get(
        reverse("run_collocations", args=[trained.pk, WORD]) + "?left=2&right=2"
    ).content.decode()
    assert reverse("run_network", args=[trained.pk, WORD]) + "?left=2&amp;right=2" in table
    network = get(client, trained, "?left=2&right=2", "run_network")
    assert reverse("run_collocations", args=[trained.pk, WORD]) + "?left=2&amp;right=2" in network
