"""Parts of texts that nobody of interest said: they are recognised by their form, don't count, and are shown."""

import time

import pytest
from django.urls import reverse

from inference.errors import Invalid
from inference.text import Stream
from tests.corpora import as_csv
from webapp.ingest import sample
from webapp.ingest.shaping import CERTAIN, RULES, Shaping, certain, shares, silent
from webapp.models import Document
from webapp.readers import looking
from webapp.storage import files


@pytest.mark.parametrize(
    ("rule", "text", "gone"),
    [
        ("addresses", "See https://t.co/aB1?x=2 and www.example.org, or a.b@example.co.uk now", ["https://t.co/aB1?x=2", "www.example.org,", "a.b@example.co.uk"]),
        ("addresses", "@someone at 5:// and a@b", []),
        ("retweets", "RT @you: salt &amp; pepper &#39; ART @ RT alone", ["RT", "&amp;", "&#39;"]),
        ("quoted", "Dear all\n> you wrote\n>> and before\nyes > no\n-- \nBob\nTel. 12\n", ["> you wrote", ">> and before", "-- \nBob\nTel. 12\n"]),
        ("quoted", "a\n--\n" + "long " * 200, []),
        ("interjections", "Das ist so. (Beifall bei der SPD) Meine Damen (und Herren) sagen (Smith 2001).", ["(Beifall bei der SPD)"]),
        ("interjections", "[Applause]\nThank you.\n  (Laughter and cheers)\nSo (NATO) is here.", ["[Applause]", "(Laughter and cheers)"]),
        ("interjections", "gut! – (Zuruf: Nein!) – Doch", ["(Zuruf: Nein!)"]),
        ("interjections", "So.\n(Kai Gehring [GRÜNE]: Das stimmt nicht!)\nDoch.", ["(Kai Gehring [GRÜNE]: Das stimmt nicht!)"]),
        ("speakers", "Mr. SMITH: Yes.\nNote: this\nDr. Ada Lovelace (York): No.\nMr. SMITH: Why?\nDr. Ada Lovelace (York): So.",
         ["Mr. SMITH", "Dr. Ada Lovelace (York)"] * 2),
    ],
)  # fmt: skip
def test_what_a_rule_recognises(rule, text, gone):
    left = silent(text, [rule])
    assert len(left) == len(text) and all(a in (b, " ") for a, b in zip(left, text, strict=True))
    spans = [text[start:end] for start, end in RULES[rule].spans(text)]
    assert spans == gone
    assert left.split() == _without(text, spans).split()


def _without(text: str, spans: list[str]) -> str:
    for span in spans:
        text = text.replace(span, " ", 1)
    return text


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("text", ["(" * 10**5, "(A" * 10**5, "a@" * 10**5, "A. " * 10**5, "(A " + "b" * 10**5, "x@" + "a." * 10**5, "-- \n" * 10**5, "\n" * 10**5, "A:\n" * 10**5])  # fmt: skip
def test_hostile_texts_take_no_time(rule, text):
    began = time.process_time()
    assert len(silent(text, [rule])) == len(text)
    assert time.process_time() - began < 5


def test_shares_are_of_words():
    assert shares(["See https://x.org here now", "nothing"]) == {"addresses": 1 / 5}
    assert shares([]) == {} and shares(["plain words"]) == {}


SPEECHES = [
    f"Das ist Rede {i}. (Beifall bei der SPD) Und so weiter. ({name} [FDP]: Nein!) Danke."
    for i in range(20)
    for name in "ABC"
]
ASIDES = [
    f"This is a text. ({word.title()} that it is one.) And so on."
    for word in "one two six ten see note here there this that now then if as so but".split() * 4
]

NOTES = [f"This is a text. ({('This', 'Note', 'The')[i % 3]} is aside number {i}.) And so on." for i in range(60)]


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [(SPEECHES, True), (ASIDES, False), (NOTES, False), (SPEECHES[:6], False), (["plain"], False), ([], False)],
)
def test_interjections_are_left_out_where_they_recur_and_asides_are_not(texts, chosen):
    assert certain(texts) == ((*CERTAIN, "interjections") if chosen else CERTAIN)


@pytest.mark.django_db
def test_interjections_that_recur_do_not_count_by_default(client, draft, monkeypatch):
    monkeypatch.setattr(sample, "SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    corpus = draft(as_csv([["id", "text"], *([f"k{i}", text] for i, text in enumerate(SPEECHES))]), "speeches.csv")
    page = client.get(reverse("corpus_prepare", args=[corpus.pk]))
    assert 'value="interjections" checked' in page.content.decode()
    words = {row.word for row in page.context["page"].words.kept}
    assert "rede" in words and not {"beifall", "spd", "fdp"} & words


def test_a_choice_is_kept_in_order_and_nothing_else():
    assert Shaping(silent=["speakers", "addresses", "no such"]).silent == ("addresses", "speakers")
    with pytest.raises(Invalid):
        Shaping(sections="no such")


@pytest.mark.django_db
def test_words_of_addresses_do_not_count_unless_one_presses_it(client, draft, monkeypatch):
    from tasks.corpora import read_corpus

    monkeypatch.setattr(sample, "SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)
    text = "RT @you: ships and harbours https://t.co/xyz (more) of the sea"
    corpus = draft(as_csv([["id", "text"], *([f"k{i}", f"{text} {i}"] for i in range(30))]), "posts.csv")
    url = reverse("corpus_prepare", args=[corpus.pk])
    page = client.get(url)
    assert [(row.name, row.chosen) for row in page.context["page"].silences] == [
        ("addresses", True),
        ("retweets", True),
        ("quoted", True),
    ]
    assert 'value="addresses" checked' in page.content.decode() and "whose words don’t count" in page.content.decode()
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
