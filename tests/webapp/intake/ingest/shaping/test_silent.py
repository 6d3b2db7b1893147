"""Parts of texts that nobody of interest said: they are recognised by their form, don't count, and
are shown."""

import time

import pytest
from django.urls import reverse

from inference.errors import Invalid
from inference.text import Stream
from tests.corpora import as_csv
from webapp.intake.file_formats import looking
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.shaping import (
    CERTAIN,
    RULES,
    Shaping,
    blank_silent,
    certain_rules,
    rule_of,
    rule_shares,
)
from webapp.models import Document
from webapp.platform.storage import files


@pytest.mark.parametrize(
    ("rule", "text", "gone"),
    [
        (
            "addresses",
            "See https://t.co/aB1?x=2 and www.example.org, or a.b@example.co.uk now",
            ["https://t.co/aB1?x=2", "www.example.org,", "a.b@example.co.uk"],
        ),
        ("addresses", "@someone at 5:// and a@b", []),
        ("retweets", "RT @you: salt &amp; pepper &#39; ART @ RT alone", ["RT", "&amp;", "&#39;"]),
        (
            "quoted",
            "Dear all\n> you wrote\n>> and before\nyes > no\n-- \nBob\nTel. 12\n",
            ["> you wrote", ">> and before", "-- \nBob\nTel. 12\n"],
        ),
        ("quoted", "a\n--\n" + "long " * 200, []),
        (
            "interjections",
            "Das ist so. (Beifall bei der SPD) Meine Damen (und Herren) sagen (Smith 2001).",
            ["(Beifall bei der SPD)"],
        ),
        (
            "interjections",
            "[Applause]\nThank you.\n  (Laughter and cheers)\nSo (NATO) is here.",
            ["[Applause]", "(Laughter and cheers)"],
        ),
        ("interjections", "gut! – (Zuruf: Nein!) – Doch", ["(Zuruf: Nein!)"]),
        (
            "interjections",
            "So.\n(Kai Gehring [GRÜNE]: Das stimmt nicht!)\nDoch.",
            ["(Kai Gehring [GRÜNE]: Das stimmt nicht!)"],
        ),
        (
            "speakers",
            (
                "Mr. SMITH: Yes.\nNote: this\nDr. Ada Lovelace (York): No.\nMr. SMITH: Why?\nDr."
                " Ada Lovelace (York): So."
            ),
            ["Mr. SMITH", "Dr. Ada Lovelace (York)"] * 2,
        ),
    ],
)
def test_what_a_rule_recognises(rule, text, gone):
    left = blank_silent(text, [rule])
    assert len(left) == len(text) and all(a in (b, " ") for a, b in zip(left, text, strict=True))
    spans = [text[start:end] for start, end in RULES[rule].spans(text)]
    assert spans == gone
    assert left.split() == _without(text, spans).split()


def _without(text: str, spans: list[str]) -> str:
    for span in spans:
        text = text.replace(span, " ", 1)
    return text


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**5,
        "(A" * 10**5,
        "a@" * 10**5,
        "A. " * 10**5,
        "(A " + "b" * 10**5,
        "x@" + "a." * 10**5,
        "-- \n" * 10**5,
        "\n" * 10**5,
        "A:\n" * 10**5,
    ],
)
def test_hostile_texts_take_no_time(rule, text):
    began = time.process_time()
    assert len(blank_silent(text, [rule])) == len(text)
    assert time.process_time() - began < 5


def test_shares_are_of_words():
    assert rule_shares(["See https://x.org here now", "nothing"]) == {"addresses": 1 / 5}
    assert rule_shares([]) == {} and rule_shares(["plain words"]) == {}


SPEECHES = [
    f"Das ist Rede {i}. (Beifall bei der SPD) Und so weiter. ({name} [FDP]: Nein!) Danke."
    for i in range(20)
    for name in "ABC"
]
ASIDES = [
    f"This is a text. ({word.title()} that it is one.) And so on."
    for word in "one two six ten see note here there this that now then if as so but".split() * 4
]

NOTES = [
    f"This is a text. ({('This', 'Note', 'The')[i % 3]} is aside number {i}.) And so on."
    for i in range(60)
]


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (SPEECHES, True),
        (ASIDES, False),
        (NOTES, False),
        (SPEECHES[:6], False),
        (["plain"], False),
        ([], False),
    ],
)
def test_interjections_are_left_out_where_they_recur_and_asides_are_not(texts, chosen):
    assert certain_rules(texts) == ((*CERTAIN, "interjections") if chosen else CERTAIN)


def plain(i: int) -> str:
    return (
        f"{'Ships Harbours Boats Seas Winds Sails Ropes'.split()[i % 7]} are on the sea, and the"
        f" sea is wide, number {i}."
    )


@pytest.mark.parametrize(
    ("opening", "every", "left"),
    [
        ("Mr. Speaker, I rise. ", 1, {"to:Mr. Speaker": True}),
        # Shown, and left to whoever reads it
        (
            "Mr. Speaker, I rise. ",
            7,
            {"to:Mr. Speaker": False},
        ),
        ("Mr. Speaker, I rise. ", 20, {}),
        ("Sehr geehrte Damen und Herren,\n\n", 2, {"to:Sehr geehrte Damen und Herren": True}),
        ("Herr Präsident! Meine Damen und Herren! ", 2, {"to:Herr Präsident": True}),
        ("Dear colleagues,\n", 2, {"to:Dear colleagues": True}),
        ("My letter\n\nDear {0}:\n", 1, {"to:Dear …": True}),
        ("In this paper, we show ", 1, {}),  # the last word is no name, and the line goes on
        ("However, ", 1, {}),
        ("Mr. Smith: ", 1, {}),  # a speaker
        ("Driver {0}\n\nSupported chips:\n", 1, {}),  # a heading
        ("Supported chips:\nDear {0}:\n", 1, {"to:Dear …": True}),
    ],
)
def test_salutations_are_known_where_they_open_several_texts(opening, every, left):
    texts = [
        (opening.format(f"M{'abcdefgh'[i % 8]}x Jones") if i % every == 0 else "") + plain(i)
        for i in range(60)
    ]
    found = {
        name: name in certain_rules(texts) for name in rule_shares(texts) if name.startswith("to:")
    }
    assert found == left


@pytest.mark.parametrize(
    ("name", "text", "gone"),
    [
        (
            "to:Mr. Speaker",
            (
                "Mr. Speaker, I rise.\nMr. Speaker, no. Mr. Speaker, so; and Mr. Speaker, who"
                " spoke. The Mr. Speaker"
            ),
            ["Mr. Speaker,"] * 3,
        ),
        (
            "to:Dear …",
            "Dear Ada Jones,\nyou are Dear to me,\nDear me, no\nDearest Ada,\nDear Mr. Smith:",
            ["Dear Ada Jones,", "Dear Mr. Smith:"],
        ),
        ("to:a+(b)*", "a+(b)*, and aab,", ["a+(b)*,"]),
    ],
)
def test_a_salutation_is_left_out_where_sentences_begin(name, text, gone):
    spans = [text[start:end] for start, end in rule_of(name).spans(text)]
    assert spans == gone and len(blank_silent(text, [name])) == len(text)
    assert not any(
        blank_silent(text, [name])[start:end].strip() for start, end in rule_of(name).spans(text)
    )


@pytest.mark.django_db
def test_a_salutation_does_not_count_and_a_press_has_it_counted(client, draft, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    texts = [f"Mr. Speaker, {plain(i)} Mr. Speaker, I thank you." for i in range(30)]
    corpus = draft(
        as_csv([["id", "text"], *([f"k{i}", text] for i, text in enumerate(texts))]), "speeches.csv"
    )
    url = reverse("corpus_prepare", args=[corpus.pk])
    page = client.get(url)
    assert (
        'value="to:Mr. Speaker" checked' in page.content.decode()
        and "the salutation “Mr. Speaker”" in page.content.decode()
    )
    assert "speaker" not in {row.word for row in page.context["page"].words.kept}
    sent = page.context["page"].form.sent() | page.context["page"].shaping.sent()
    kept = client.post(url, sent | {"silent": ["addresses", "no such"], "preview": "1"})
    assert kept.context["page"].shaping.errors
    kept = client.post(url, sent | {"silent": ["addresses"], "preview": "1"})
    assert 'value="to:Mr. Speaker">' in kept.content.decode()
    shown = [*kept.context["page"].words.kept, *kept.context["page"].words.too_frequent]
    assert "speaker" in {row.word for row in shown}


@pytest.mark.django_db
def test_interjections_that_recur_do_not_count_by_default(client, draft, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    corpus = draft(
        as_csv([["id", "text"], *([f"k{i}", text] for i, text in enumerate(SPEECHES))]),
        "speeches.csv",
    )
    page = client.get(reverse("corpus_prepare", args=[corpus.pk]))
    assert 'value="interjections" checked' in page.content.decode()
    words = {row.word for row in page.context["page"].words.kept}
    assert "rede" in words and not {"beifall", "spd", "fdp"} & words


def test_a_choice_is_kept_in_order_and_nothing_else():
    names = ["to:Mr. Speaker", "speakers", "addresses", "no such", "to:"]
    assert Shaping(silent=names).silent == ("addresses", "speakers", "to:Mr. Speaker")
    assert len(Shaping(silent=[f"to:Mr. {i}" for i in range(100)]).silent) == 8
    with pytest.raises(Invalid):
        Shaping(sections="no such")


@pytest.mark.django_db
def test_words_of_addresses_do_not_count_unless_one_presses_it(client, draft, monkeypatch):
    from tasks.corpora import read_corpus

    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    text = "RT @you: ships and harbours https://t.co/xyz (more) of the sea"
    corpus = draft(
        as_csv([["id", "text"], *([f"k{i}", f"{text} {i}"] for i in range(30))]), "posts.csv"
    )
    url = reverse("corpus_prepare", args=[corpus.pk])
    page = client.get(url)
    assert [(row.name, row.chosen) for row in page.context["page"].silences] == [
        ("addresses", True),
        ("retweets", True),
        ("quoted", True),
    ]
    assert (
        'value="addresses" checked' in page.content.decode()
        and "whose words don’t count" in page.content.decode()
    )
    assert "https" not in {row.word for row in page.context["page"].words.kept}
    sent = page.context["page"].form.sent() | page.context["page"].shaping.sent()
    kept = client.post(url, sent | {"silent": ["retweets"], "preview": "1"})
    assert "https" in {row.word for row in kept.context["page"].words.kept}
    client.post(url, sent)
    corpus.refresh_from_db()
    assert tuple(corpus.settings["shaping"]["silent"]) == CERTAIN
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    stream = Stream.open(files.corpus_folder(corpus.pk) / "tokens")
    words = set(stream.lexicon.words(range(len(stream.lexicon))))
    assert {"ships", "you", "more"} <= words and not {"https", "xyz", "rt"} & words
    assert Document.objects.get(corpus=corpus, number=0).text == f"{text} 0"
