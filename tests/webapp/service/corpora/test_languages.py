"""A collection in several languages: told in the preview, the language of each text a field, and a
run in each language by one press."""

import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tasks.corpora import read_corpus
from tasks.runs import train
from tests.corpora import as_csv
from tests.webapp.intake.ingest.test_upload import fields, prepare
from tests.webapp.page_text import in_one_line
from webapp.core.documents.fields import categories
from webapp.intake.ingest import previews
from webapp.intake.ingest.asked_reading import AskedReading
from webapp.intake.ingest.vocabulary_forms import say_several, several
from webapp.models import Corpus, Document, Run, User, Word
from webapp.platform.accounts import tokens
from webapp.service.corpora import languages

pytestmark = pytest.mark.django_db(transaction=True)

NOUNS = {
    "de": "Brücke Hafen Kirche Schule Garten Straße Bahnhof Markt Fabrik Zeitung".split(),
    "fr": "pont port église école jardin rue gare marché usine journal".split(),
}
SENTENCES = {
    "de": "Der Rat der Stadt hat beschlossen, dass {0} und {1} im nächsten Jahr erneuert werden.",
    "fr": "Le conseil de la ville a décidé que {0} et {1} seront rénovés dans l’année qui vient.",
}


def sentence(code: str, i: int) -> str:
    nouns = NOUNS[code]
    return SENTENCES[code].format(nouns[i % len(nouns)], nouns[i // 3 % len(nouns)])


def table(head: tuple[str, ...] = ("date", "party", "text")) -> bytes:
    """40 German texts, 30 French ones, and one that is too short to tell."""
    rows = [list(head)]
    for code, count in (("de", 40), ("fr", 30)):
        for i in range(count):
            rows.append([str(1990 + i % 5), "AB"[i % 2], sentence(code, i)])
    return as_csv([*rows, ["1991", "A", "ok"]])


def sent(client, url: str) -> dict:
    """What a user sends who changes nothing, of both forms of the page."""
    shaping = client.get(url).context["page"].shaping
    values = {name: shaping[name].value() for name in shaping.fields}
    chosen = {name: value for name, value in values.items() if value not in (None, False, "")}
    return fields(client, url) | chosen


@pytest.fixture
def divided(client) -> Corpus:
    """Read as its page proposes it."""
    corpus, url = prepare(client, ("towns.csv", table()))
    answer = client.post(url, sent(client, url))
    assert answer.status_code == 302, answer.content.decode()
    return read(corpus)


def read(corpus: Corpus) -> Corpus:
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    return corpus


def test_the_preview_says_it_and_proposes_the_field(client):
    _, url = prepare(client, ("towns.csv", table()))
    page = in_one_line(client.get(url))
    said = "several languages: German 57%, French 43% of the texts whose language is known."
    assert f"This collection is in {said}" in page
    assert page.index("several languages: German") < page.index("<dt>documents</dt>")
    proposed = sent(client, url)
    assert proposed.pop("each_language")
    fewer = client.post(url, {**proposed, "preview": "1"})
    assert ">Find the language of each text</a>" in in_one_line(fewer)


def test_each_text_has_its_language_as_a_field(client, divided):
    (field,) = [field for field in categories(divided.version) if field.name == "language"]
    assert dict(zip(field.values, field.documents, strict=True)) == {
        "German": 40,
        "French": 30,
        "unknown": 1,
    }
    last = Document.objects.get(corpus_id=divided.pk, number=70)
    assert last.metadata["language"] == "unknown"
    found = client.get(
        reverse("corpus_documents_json", args=[divided.pk]) + "?in=language:French"
    ).json()
    assert found["count"] == 30


def test_one_press_trains_one_run_in_each_language(client, divided):
    html = in_one_line(client.get(reverse("corpus", args=[divided.pk])))
    said = "several languages: German 57%, French 43% of the texts whose language is known."
    assert f"This collection is in {said}" in html
    answer = client.post(reverse("corpus_languages_train", args=[divided.pk]))
    assert answer.headers["Location"] == reverse("corpus_languages", args=[divided.pk])
    german, french = Corpus.objects.filter(parent=divided).order_by("pk")
    for part, code, name, count in ((german, "de", "German", 40), (french, "fr", "French", 30)):
        part = read(part)
        assert (part.documents, part.name) == (count, f"{divided.name}: {name}")
        assert part.settings["language"] == code and part.settings["also"] == []
        (run,) = part.runs.all()
        train(run.pk)
    words = {
        part.settings["language"]: set(
            Word.objects.filter(version__corpus=part).values_list("word", flat=True)
        )
        for part in Corpus.objects.filter(parent=divided)
    }
    assert "brücke" in words["de"] and not words["de"] & {"der", "und", "pont", "de"}
    assert "pont" in words["fr"] and not words["fr"] & {"le", "et", "brücke"}
    page = client.get(reverse("corpus_languages_json", args=[divided.pk])).json()
    assert [
        (row["code"], row["documents"], row["corpus_status"], row["run_status"])
        for row in page["languages"]
    ] == [("de", 40, "ready", "done"), ("fr", 30, "ready", "done")]
    assert page["other_documents"] == 1
    listed = client.get(page["other_documents_url"].replace("documents/", "documents.json"))
    assert listed.json()["count"] == 1
    shown = in_one_line(client.get(reverse("corpus_languages", args=[divided.pk])))
    assert "1 document</a> is in none of them" in shown and "side by side" in shown
    together = in_one_line(client.get(page["compare"]))
    assert "They are in different languages (French, German)" in together
    # The same dates and groups
    for run in Run.objects.filter(corpus__parent=divided):
        groups = {field.name: field.values for field in categories(run.version)}
        assert groups["party"] == ["A", "B"] and "language" not in groups
        years = client.get(reverse("run_time_json", args=[run.pk]) + "?by=year").content.decode()
        assert all(f'"{year}"' in years for year in range(1990, 1995))


def test_languages_beyond_those_that_are_trained_at_once_are_named(client, divided, monkeypatch):
    """Their texts are neither too short to tell nor few."""
    monkeypatch.setattr(languages, "MOST_AT_ONCE", 1)
    shown = in_one_line(client.get(reverse("corpus_languages", args=[divided.pk])))
    assert "31 documents</a> are in none of them: in French, as 1 language is trained" in shown


def test_a_second_press_keeps_what_there_is(client, divided):
    url = reverse("corpus_languages_train", args=[divided.pk])
    client.post(url)
    client.post(url)
    assert Corpus.objects.filter(parent=divided).count() == 2
    Corpus.objects.filter(parent=divided, name__endswith="French").delete()
    client.post(url)
    assert sorted(
        corpus.provenance["language"] for corpus in Corpus.objects.filter(parent=divided)
    ) == ["de", "fr"]


def test_a_column_of_the_file_is_taken_as_it_is(client):
    rows = [["lang", "text"]]
    rows += [["de_DE", sentence("de", i)] for i in range(20)]
    rows += [["fr", sentence("fr", i)] for i in range(20)]
    corpus, url = prepare(client, ("towns.csv", as_csv(rows)))
    client.post(url, fields(client, url))
    corpus = read(corpus)
    page = client.get(reverse("corpus_languages_json", args=[corpus.pk])).json()
    assert [(row["code"], row["documents"]) for row in page["languages"]] == [
        ("de", 20),
        ("fr", 20),
    ]


def test_a_column_called_lang_says_the_languages_as_one_called_language_does(client):
    rows = [["lang", "text"]]
    rows += [["de_DE", sentence("de", i)] for i in range(20)]
    rows += [["fr" if i else "", sentence("fr", i)] for i in range(20)]
    corpus, url = prepare(client, ("towns.csv", as_csv(rows)))
    assert previews.propose(corpus).reading.shaping["each_language"] is False
    assert "A column says the language of each text." in in_one_line(client.get(url))
    # Who asks for it nevertheless has one field with the language of every text
    client.post(url, fields(client, url) | {"each_language": "on"})
    corpus = read(corpus)
    (field,) = [field for field in categories(corpus.version) if field.name == "language"]
    assert dict(zip(field.values, field.documents, strict=True)) == {"German": 20, "French": 20}


def pages(languages: dict[str, str]) -> list[tuple[str, bytes]]:
    """Web pages that say a language, twenty for each language of their texts. languages: what they
    say, by the language of the text."""
    return [
        (
            f"{code}{i}.html",
            f'<html lang="{said}"><body><p>{sentence(code, i)}</p></body></html>'.encode(),
        )
        for code, said in languages.items()
        for i in range(20)
    ]


def test_what_all_pages_say_is_not_believed_where_their_texts_are_in_another_language(client):
    """A site in several languages whose every page says lang="en"."""
    corpus, url = prepare(client, *pages({"de": "de", "fr": "de"}))
    answer = client.get(url)
    assert "The language of each text is found, whatever the text says of it" in in_one_line(answer)
    shaping = answer.context["page"].shaping
    assert shaping["each_language"].value() and shaping["languages_anew"].value()
    believed = {name: value for name, value in sent(client, url).items() if "language" not in name}
    kept = client.post(url, {**believed, "language": "de", "preview": "1"})
    said = in_one_line(kept)
    assert "20 texts are in another language than they say." in said
    assert "A column says the language of each text." not in said
    client.post(url, {"propose": "1"})
    client.post(url, sent(client, url))
    corpus = read(corpus)
    (field,) = [field for field in categories(corpus.version) if field.name == "language"]
    assert dict(zip(field.values, field.documents, strict=True)) == {"German": 20, "French": 20}
    shown = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert "German 50%" in shown and "French 50%" in shown


def test_what_pages_say_is_believed_where_their_texts_agree(client):
    _, url = prepare(client, *pages({"de": "de", "fr": "fr"}))
    answer = client.get(url)
    assert "A column says the language of each text." in in_one_line(answer)
    assert not answer.context["page"].shaping["languages_anew"].value()


def test_where_pages_say_several_languages_another_look_is_only_offered(client):
    _, url = prepare(client, *pages({"de": "de", "fr": "it"}))
    answer = client.get(url)
    assert "20 texts are in another language than they say." in in_one_line(answer)
    assert not answer.context["page"].shaping["languages_anew"].value()


def test_the_page_of_the_corpus_says_it_where_no_field_does(client):
    """Whoever leaves the languages of the texts alone is told of them again."""
    corpus, url = prepare(client, *pages({"de": "de", "fr": "de"}))
    kept = {name: value for name, value in sent(client, url).items() if "language" not in name}
    client.post(url, {**kept, "language": "de"})
    corpus = read(corpus)
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert "The texts are in several languages:" in page and "French 50%" in page
    assert "have the language of each text found" in page
    assert "Train one run in each language" not in page


def test_the_page_of_the_corpus_says_how_few_documents_have_a_date(client):
    rows = [["date", "text"]]
    rows += [["1999-05-03" if i < 2 else "", sentence("de", i)] for i in range(30)]
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    client.post(url, sent(client, url))
    corpus = read(corpus)
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert "2 of 30 documents have dates, of 1999-05-03. The others are in no chart" in page


def test_of_a_corpus_in_one_language_whose_documents_have_dates_nothing_is_said(client):
    rows = [[f"19{i + 10}", sentence("de", i)] for i in range(30)]
    corpus, url = prepare(client, ("a.csv", as_csv([["date", "text"], *rows])))
    client.post(url, sent(client, url))
    corpus = read(corpus)
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert "in several languages" not in page and "in no chart over time" not in page


def test_the_page_shows_by_itself_when_a_run_is_done(client, divided):
    url = reverse("corpus_languages", args=[divided.pk])
    assert 'data-state="idle"' in client.get(url).content.decode()
    client.post(reverse("corpus_languages_train", args=[divided.pk]))
    waiting = client.get(url).content.decode()
    assert 'data-state="waiting" data-every="3"' in waiting and "js/part.js" in waiting
    for part in Corpus.objects.filter(parent=divided):
        read(part)
    part_alone = client.get(url, headers={"X-Part": "languages"}).content.decode()
    assert 'data-state="waiting"' in part_alone and "<h1>" not in part_alone
    for run in Run.objects.filter(corpus__parent=divided):
        train(run.pk)
    done = client.get(url).content.decode()
    assert 'data-state="idle"' in done and "js/part.js" not in done


def test_the_undivided_corpus_leaves_out_the_stop_words_of_all_its_languages(client, divided):
    words = set(Word.objects.filter(version=divided.version).values_list("word", flat=True))
    assert {"hafen", "jardin"} <= words and not words & {"der", "und", "le", "et"}
    page = in_one_line(client.get(reverse("corpus_languages", args=[divided.pk])))
    assert "the stop words of German, French are left out of every text" in page


def test_stop_words_of_a_language_whose_texts_come_late_are_proposed_too(client):
    texts = [sentence("de", i) for i in range(60)] + [sentence("fr", i) for i in range(60)]
    corpus, _ = prepare(client, ("towns.csv", as_csv([["text"], *([text] for text in texts)])))
    reading = previews.propose(corpus).reading
    assert (reading.language, reading.also) == ("de", ["fr"])


def test_a_language_without_stems_is_said_to_count_words_as_written(client):
    czech = "Rada města rozhodla, že {0} budou příští rok opraveny a otevřeny veřejnosti."
    places = "mosty školy kostely zahrady ulice továrny noviny přístavy".split()
    texts = [sentence("de", i) for i in range(30)]
    texts += [czech.format(places[i % len(places)]) for i in range(30)]
    corpus, url = prepare(client, ("towns.csv", as_csv([["text"], *([text] for text in texts)])))
    asked = {"forms": "stems", "language": "de", "phrases": "der rat"}
    client.post(url, sent(client, url) | asked)
    corpus = read(corpus)
    page = in_one_line(client.get(reverse("corpus_languages", args=[corpus.pk])))
    assert "which are not known for Czech: there words count as they are written." in page
    assert "Phrases that were chosen for the whole corpus count in each language" in page
    client.post(reverse("corpus_languages_train", args=[corpus.pk]))
    forms = {
        part.settings["language"]: part.settings["forms"]
        for part in Corpus.objects.filter(parent=corpus)
    }
    assert forms == {"de": "stems", "cs": "written"}


def test_programs_read_and_train_each_language(client, capsys):
    corpus, _ = prepare(client, ("towns.csv", table()))
    headers = {"Authorization": f"Bearer {tokens.create('t', User.objects.local())[1]}"}

    def post(path: str, body: dict):
        return client.post(
            f"/api/v1/corpora/{corpus.pk}/{path}",
            json.dumps(body),
            content_type="application/json",
            headers=headers,
        )

    assert post("read", {"each_language": True}).status_code == 200
    read(corpus)
    answer = post("languages", {})
    assert answer.status_code == 200, answer.content
    assert [row["corpus_status"] for row in answer.json()["languages"]] == ["queued", "queued"]
    url = f"/api/v1/corpora/{corpus.pk}/languages"
    assert client.get(url, headers=headers).json() == answer.json()
    call_command("train", corpus.pk, "--each-language", "--no-wait")
    parts = Corpus.objects.filter(parent=corpus).order_by("pk")
    assert capsys.readouterr().out.split() == ["de", str(parts[0].pk), "fr", str(parts[1].pk)]


@pytest.mark.parametrize(
    "texts",
    [
        [sentence("de", i) for i in range(30)],  # one language
        [f"x[{i}] = y[{i}] + 0x{i:04x}; ++n;" for i in range(30)],  # code
        ["1 2 3", "…", "ok", "17.5", "?", "--"] * 5,  # nothing that could be told
        [sentence("de", i) for i in range(30)] + [sentence("fr", 0)],  # a single quotation
    ],
)
def test_nothing_is_proposed_where_there_is_one_language_or_none(client, texts):
    corpus, url = prepare(
        client,
        ("a.csv", as_csv([["id", "text"], *([str(i), text] for i, text in enumerate(texts))])),
    )
    assert "in several languages:" not in in_one_line(client.get(url))
    proposal = previews.propose(corpus)
    assert proposal.reading.shaping["each_language"] is False


def test_whoever_asks_has_the_field_of_one_language_too(client):
    corpus, _ = prepare(
        client,
        ("a.csv", as_csv([["id", "text"], *([str(i), sentence("de", i)] for i in range(30))])),
    )
    proposal = previews.propose(corpus, AskedReading.read({"each_language": True}))
    assert proposal.reading.shaping["each_language"]


def test_a_corpus_in_one_language_is_not_trained_in_each(client):
    rows = [[str(i), sentence("de", i)] for i in range(30)]
    corpus, url = prepare(client, ("a.csv", as_csv([["id", "text"], *rows])))
    client.post(url, sent(client, url))
    corpus = read(corpus)
    answer = client.post(reverse("corpus_languages_train", args=[corpus.pk]), follow=True)
    page = in_one_line(answer)
    assert "has no column of languages with more than one of them" in page
    assert "The languages of these texts are not known." in page
    assert not Corpus.objects.filter(parent=corpus).exists()


def test_a_share_worth_saying():
    assert several({"de": 62, "fr": 30, "": 500, "en": 2}) == {"de": 62 / 94, "fr": 30 / 94}
    assert several({"de": 1, "fr": 1}) == {} == several({})
    assert say_several({"": 3, "de": 90, "da": 1}) == ""
    assert say_several({"de": 62, "fr": 38}) == "German 62%, French 38%"


def test_a_second_press_finds_what_the_first_one_made(client, divided, monkeypatch):
    """However soon it comes: the corpus is locked before anybody looks."""
    real = languages.divide

    def divide(corpus, visible):
        cursor_locks = [query["sql"] for query in asked if "FOR NO KEY UPDATE" in query["sql"]]
        assert any('FROM "webapp_corpus"' in sql for sql in cursor_locks)
        return real(corpus, visible)

    monkeypatch.setattr(languages, "divide", divide)
    with CaptureQueriesContext(connection) as asked:
        first = languages.train_each(divided, None)
        second = languages.train_each(divided, None)
    assert first == second
