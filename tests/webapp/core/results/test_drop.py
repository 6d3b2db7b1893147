"""Words left out of view: gone from every list of words, with all numbers as they were, on every
page that one goes to from there."""

import re
from html import unescape
from uuid import uuid4

import pytest
from django.http import QueryDict
from django.urls import reverse

from webapp.core.results import hidden_words, topics
from webapp.core.results.view import RunView
from webapp.models import Edit, Run

pytestmark = pytest.mark.django_db


def get(client, name: str, *args, **query) -> dict:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200, response.content[:500]
    return response.json()


@pytest.fixture
def dropped(trained) -> list[str]:
    """The first two words of topic 1 and the first of topic 3."""
    return list(
        dict.fromkeys(
            topics.top_words(RunView(trained), [1], 2)[1]
            + topics.top_words(RunView(trained), [3], 1)[3]
        )
    )


def test_lists_go_on_with_the_next_words(client, trained, dropped):
    drop = ", ".join(dropped)
    for view in ("list", "map"):
        before = get(client, "run_topics_json", trained.pk, view=view)
        after = get(client, "run_topics_json", trained.pk, view=view, drop=drop)
        for a, b in zip(before["items"], after["items"], strict=True):
            assert len(b["words"]) == len(a["words"]) == topics.TOP_WORDS
            kept = [word for word in a["words"] if word not in dropped]
            assert b["words"][: len(kept)] == kept and not set(b["words"]) & set(dropped)
            assert {k: v for k, v in a.items() if k not in ("words", "url")} == {
                k: v for k, v in b.items() if k not in ("words", "url")
            }
    # Names stay
    assert [c["text"] for c in after["map"]["circles"]] == [
        c["text"] for c in before["map"]["circles"]
    ]


def test_words_of_a_topic_keep_their_order_and_numbers(client, trained, dropped):
    for name in ("run_topic_json", "run_topic_words_json"):
        before, after = (
            get(client, name, trained.pk, 1, **query)
            for query in ({"lambda": "1"}, {"lambda": "1", "drop": ",".join(dropped)})
        )
        kept = [
            (w["word"], w["tokens"], w["everywhere"])
            for w in before["words"]
            if w["word"] not in dropped
        ]
        assert [(w["word"], w["tokens"], w["everywhere"]) for w in after["words"]][
            : len(kept)
        ] == kept and len(kept) < len(before["words"])
        assert len(after["words"]) == len(before["words"])
    page = get(client, "run_topic_json", trained.pk, 1, drop=dropped[0])
    assert (
        dropped[0] not in page["first"]
        and page["counted"] == get(client, "run_topic_json", trained.pk, 1)["counted"]
    )


def test_the_grid_has_other_words(client, trained, dropped):
    grid = get(client, "run_topics_json", trained.pk, view="grid", drop=",".join(dropped))["grid"]
    assert grid["lines"] and not {line["word"] for line in grid["lines"]} & set(dropped)
    kept = grid["lines"][0]["word"]
    asked = get(
        client,
        "run_topics_json",
        trained.pk,
        view="grid",
        words=" ".join([*dropped, kept]),
        drop=",".join(dropped),
    )["grid"]
    assert [line["word"] for line in asked["lines"]] == [kept] and asked["unknown"] == []


def test_merged_topics_are_named_without_them(trained, dropped):
    Edit.objects.create(run=trained, topic=3, field="into", value="1", batch=uuid4(), by="a")
    run = Run.objects.get(pk=trained.pk)
    view = RunView(run, hidden_words.read(QueryDict("drop=" + ",".join(dropped)), run))
    words = topics.top_words(view, [1])[1]
    assert len(words) == topics.TOP_WORDS and not set(words) & set(dropped)


def test_it_is_said_and_taken_back_and_survives_links(client, trained, dropped):
    drop = ",".join(dropped)
    for name, args in (("run_topics", []), ("run_topic", [1]), ("run_topic_words", [1])):
        address = reverse(name, args=[trained.pk, *args])
        html = unescape(client.get(address, {"drop": drop}).content.decode())
        assert "Hidden words" in html and "Only word lists change" in html
        for word in dropped:
            rest = "%2C".join(w for w in dropped if w != word)
            assert f'href="?drop={rest}"' in html and f"Show again: {word}" in html
        assert (
            reverse("run_without", args=[trained.pk])
            + "?"
            + "&".join(f"words={w}" for w in dropped)
            in html
        )
        others = re.findall(
            rf'href="({reverse("run_topics", args=[trained.pk])}(?:\d+/)?)(\?[^"]*)?"', html
        )
        assert len(others) > 2 and all("drop=" in query for _, query in others)
        assert "Hidden words" not in client.get(address).content.decode()


@pytest.mark.parametrize(
    "drop",
    ["", " ,; ", "\0", "no-such-word", "<script>alert(1)</script>", "%s", "a" * 20_000, "'; --"],
)
def test_any_words_can_be_typed(client, trained, drop):
    html = client.get(reverse("run_topic", args=[trained.pk, 0]), {"drop": drop}).content.decode()
    assert "<script>alert" not in html
    assert ("not in the vocabulary" in html) == bool(drop.strip(" ,;\0"))


def test_too_many_are_said(client, trained):
    response = client.get(
        reverse("run_topics", args=[trained.pk]), {"drop": " ".join(f"w{i}" for i in range(51))}
    )
    assert response.status_code == 400 and "At most 50 words" in response.content.decode()


@pytest.mark.parametrize(
    ("language", "shown"), [("en", ["nation", "war", "peace"]), ("", ["nation", "nations", "war"])]
)
def test_forms_of_an_earlier_word_do_not_fill_a_list(trained, monkeypatch, language, shown):
    """Where the language is known; words by their weight alone are as they are."""
    listed = [["nation", "nations", "war", "wars", "peace"]] * trained.topics
    monkeypatch.setattr(topics, "words_by_relevance", lambda *_: listed)
    monkeypatch.setitem(trained.version.settings, "language", language)
    view = RunView(trained)
    assert topics.top_words(view, [1], 3) == {1: shown}
    assert topics.first_words(view, 3)[1] == shown
    assert topics.top_words(view, [1], 3, topics.PROBABILITY_LAM) == {
        1: ["nation", "nations", "war"]
    }


def test_a_word_that_is_written_with_a_joiner_is_one_word(trained):
    hidden = hidden_words.read(QueryDict("drop=می\u200cخواهم,war\u3000peace"), trained)
    assert hidden.words == ("می\u200cخواهم", "war", "peace")


def test_the_tab_of_topics_keeps_hidden_words(client, trained, dropped):
    address = reverse("run_documents", args=[trained.pk])
    topics = reverse("run_topics", args=[trained.pk])
    html = client.get(address, {"drop": dropped[0]}).content.decode()
    assert f'href="{topics}?drop={dropped[0]}"' in html
    assert f'href="{topics}"' in client.get(address).content.decode()
