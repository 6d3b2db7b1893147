"""What can't be asked of reading files: the form, the API and the command refuse it with the same
sentence, and nothing is read."""

import html
import json
from typing import Any, get_args

import pytest
from django import forms
from django.core.management import CommandError, call_command
from django.test import Client

from tests.webapp.intake.ingest.test_upload import fields, prepare
from webapp.intake.ingest.asked_reading import AskedReading, AskedShaping, SentReading
from webapp.intake.ingest.reading_forms import ReadingForm
from webapp.intake.ingest.shaping_forms import ShapingForm
from webapp.intake.ingest.vocabulary_forms import VocabularyForm
from webapp.models import Corpus
from webapp.platform.accounts import tokens

pytestmark = pytest.mark.django_db
FILE = "nr,author,text\n" + "".join(f"{i},Ada,The war of {i} and peace\n" for i in range(30))
NO_TEXT = "can't be read: it has a character that no text has (NUL, or a half)."
DIGITS = "9" * 5_000  # more than Python reads
UNQUOTED = "as it is written"  # a value that Python's JSON can't write
LONG = "a" * 201
MANY = [str(i) for i in range(10_001)]

# Field, what a form or a command sends, what programs send, the sentence
WRONG: list[tuple[str, Any, Any, str]] = [
    ("min_documents", "x", "x", "min_documents must be a whole number, got “x”."),
    ("min_documents", "2.5", 2.5, "min_documents must be a whole number, got 2.5."),
    ("min_documents", "0", 0, "min_documents must be at least 1, got 0."),
    ("min_documents", "-3", -3, "min_documents must be at least 1, got -3."),
    ("min_documents", "1000001", 1_000_001, "min_documents must be at most 1,000,000, got 1000001."),
    ("min_documents", "nan", float("nan"), "min_documents must be a whole number, got nan."),
    ("min_documents", DIGITS, UNQUOTED, "min_documents must be a whole number, got inf."),
    ("min_documents", "٣", "٣", "min_documents must be a whole number, got “٣”."),
    ("min_documents", "3\0", "3\0", f"“min_documents” {NO_TEXT}"),
    ("max_share", "x", "x", "max_share must be a number, got “x”."),
    ("max_share", "0", 0, "max_share must be above 0, got 0."),
    ("max_share", "500", 500, "max_share must be at most 100, got 500."),
    ("max_share", "inf", float("inf"), "max_share must be a finite number, got inf."),
    ("max_share", "nan", float("nan"), "max_share must be a finite number, got nan."),
    ("section_words", "3", 3, "A section has at least 50 words; 0 for none."),
    ("section_words", "-1", -1, "section_words must be at least 0, got -1."),
    ("min_length", "21", 21, "min_length must be at most 20, got 21."),
    ("hyphens", "x", "x", "hyphens must be “split” or “join”, got “x”."),
    ("hyphens", "a\0", "a\0", f"“hyphens” {NO_TEXT}"),
    ("forms", "x", "x", "forms must be “written”, “lemmas” or “stems”, got “x”."),
    ("language", "xx", "xx", "language must be one of “”, "),
    ("language", "e\0", "e\0", f"“language” {NO_TEXT}"),
    ("also", ["xx"], ["xx"], "also must be one of "),
    ("extra_stop_words", "a b\0", ["a", "b\0"], f"“extra_stop_words” {NO_TEXT}"),
    ("extra_stop_words", " ".join(MANY), MANY, "extra_stop_words must have at most 10,000 items, got 10,001."),
    ("extra_stop_words", LONG, [LONG], "A word has at most 200 letters; one of these has 201."),
    ("phrases", "peace", ["peace"], "A phrase is two or more words with one space between them, got 'peace'."),
    ("phrases", "new york\0", ["new york\0"], f"“phrases” {NO_TEXT}"),
    ("length", "0", 0, "length must be at least 1, got 0."),
    ("length", "1e9", 1e9, "length must be a whole number, got 1000000000.0."),
    ("least", "x", "x", "least must be a whole number, got “x”."),
    ("sections", "lines", "lines", "sections must be “”, “words”, “pages”, “paragraphs” or “headings”, got “lines”."),
    ("period", "x", "x", "period must be “”, “day”, “month” or “year”, got “x”."),
    ("join", "a,b,c,d,e,f,g,h,i", list("abcdefghi"), "join must have at most 8 items, got 9."),
    ("join", "a\0", ["a\0"], f"“join” {NO_TEXT}"),
    ("pattern", "{a}{b}", "{a}{b}", "In “{a}{b}” two parts stand side by side"),
    ("pattern", "a" * 501, "a" * 501, "pattern must have at most 500 characters, got 501."),
    ("table", "other.csv", "other.csv", "table must be one of “”, got “other.csv”."),
    ("silent", ["nothing"], ["nothing"], "There is no rule “nothing”."),
    ("silent", ["to:\0x"], ["to:\0x"], f"“silent” {NO_TEXT}"),
    ("header_row", "0", 0, "header_row must be at least 1, got 0."),
    ("header_row", "1e400", float("inf"), "header_row must be a whole number, got inf."),
    ("delimiter", "x", "x", "delimiter must be one of “,”, “\t”, “;”, “|”, got “x”."),
    ("encoding", "bogus", "bogus", "encoding must be one of "),
    ("encoding", "utf-8\0", "utf-8\0", f"“encoding” {NO_TEXT}"),
]  # fmt: skip
# Boxes: a form and a program may send anything, the command knows --x and --no-x alone
BOXES: list[tuple[str, str, Any, str]] = [
    ("numbers", "maybe", "maybe", "numbers must be true or false, got “maybe”."),
    ("header", "maybe", 1, "header must be true or false, got "),
    ("variants", "a\0", "a\0", f"“variants” {NO_TEXT}"),
]
ids = [f"{field}={str(sent)[:12]!a}" for field, sent, _, _ in [*WRONG, *BOXES]]


@pytest.fixture
def uploaded(client):
    return prepare(client, ("letters.csv", FILE.encode()))


def label(name: str) -> str:
    return {**ReadingForm.base_fields, **ShapingForm.base_fields}[name].label


def refused_by_form(client, url: str, field: str, sent: Any) -> str:
    """All that the page says."""
    page = client.get(url).context["page"]
    usual = page.form.sent() | page.shaping.sent()
    answer = client.post(url, usual | {field: sent})
    assert answer.status_code == 400
    return html.unescape(answer.content.decode())


def refused_by_api(corpus, field: str, value: Any) -> str:
    answer = Client(raise_request_exception=False).post(
        f"/api/v1/corpora/{corpus.pk}/read",
        json.dumps({field: value}).replace(f'"{UNQUOTED}"', DIGITS),
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.create('tests')[1]}"},
    )
    assert answer.status_code == 400, answer.content
    assert answer.json()["field"] == field
    return answer.json()["error"]


def refused_by_command(path, field: str, sent: Any) -> str:
    option = f"--{field.replace('_', '-')}"
    given = [option, *sent] if isinstance(sent, list) else [f"{option}={sent}"]
    with pytest.raises(CommandError) as refused:
        call_command("import_corpus", str(path), *given, "--no-wait")
    return str(refused.value).removeprefix(f"{option}: ")


def in_form(sentence: str, field: str) -> str:
    """As the page says it, which names a field by its label."""
    for name in (f"“{field}” ", f"{field} "):
        if sentence.startswith(name):
            return f"“{label(field)}” {sentence.removeprefix(name)}"
    return sentence


def statuses_of_corpora() -> dict[int, str]:
    """By number; another test may have left corpora of the same name."""
    return dict(Corpus.objects.values_list("pk", "status"))


@pytest.mark.parametrize(("field", "sent", "value", "sentence"), [*WRONG, *BOXES], ids=ids)
def test_form_api_and_command_refuse_alike(
    client, uploaded, tmp_path, monkeypatch, field, sent, value, sentence
):
    monkeypatch.setattr("webapp.service.api.access.Rate.allow_request", lambda *_: True)
    corpus, url = uploaded
    corpora_before = statuses_of_corpora()
    path = tmp_path / "letters.csv"
    path.write_text(FILE, encoding="utf-8")
    by_api = refused_by_api(corpus, field, value)
    assert by_api.startswith(sentence)
    if (field, sent, value, sentence) in WRONG:
        assert refused_by_command(path, field, sent) == by_api
    in_page = by_api if value == sent or isinstance(value, (int, float, list)) else sentence
    if isinstance(sent, str) and field == "header":
        in_page = "header must be true or false, got “maybe”."
    assert in_form(in_page, field) in refused_by_form(client, url, field, sent)
    assert statuses_of_corpora() == corpora_before, "nothing was made or read"
    assert "draft" in corpora_before.values()


def test_fields_that_there_are_not_are_refused_by_all(client, uploaded, tmp_path):
    corpus, url = uploaded
    sentence = "There is no field “langauge” here; leave it out."
    assert refused_by_api(corpus, "langauge", "de") == sentence
    assert sentence in refused_by_form(client, url, "langauge", "de")
    with pytest.raises(CommandError, match="langauge"):
        call_command("import_corpus", str(tmp_path / "letters.csv"), "--langauge=de")


def test_what_files_do_not_have_is_refused_with_its_name(client, draft, tmp_path):
    corpus = draft(b"war and peace", "a.txt")
    sentence = "These files have no “delimiter” to choose; leave it out."
    assert refused_by_api(corpus, "delimiter", ";") == sentence
    path = tmp_path / "a.txt"
    path.write_bytes(b"war and peace")
    assert refused_by_command(path, "delimiter", ";") == sentence
    assert refused_by_api(corpus, "text", "1").startswith("These files have no columns")


def test_columns_by_name_or_number(client, uploaded, tmp_path):
    corpus, _ = uploaded
    sentence = "text must be one of “nr”, “author”, “text”, got “words”."
    path = tmp_path / "letters.csv"
    path.write_text(FILE, encoding="utf-8")
    assert refused_by_api(corpus, "text", "words") == sentence
    assert refused_by_command(path, "text", "words") == sentence
    for number in ("0", "4", "٣", "9" * 999):
        assert refused_by_command(path, "text", number).startswith("text must be one of")


def test_programs_choose_as_the_form_and_the_command_do(client, uploaded, tmp_path, capsys):
    corpus, url = uploaded
    asked = {
        "language": "de",
        "min_documents": 3,
        "max_share": 40,
        "numbers": True,
        "extra_stop_words": ["War", "war", "of"],
        "phrases": ["The  war"],
        "join": ["author"],
        "text": "text",
        "id": "1",
        "silent": [],
    }
    answer = client.post(
        f"/api/v1/corpora/{corpus.pk}/read",
        json.dumps(asked),
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.create('tests')[1]}"},
    )
    assert answer.status_code == 200, answer.content
    corpus.refresh_from_db()
    assert (corpus.status, corpus.settings["language"]) == ("queued", "de")
    assert corpus.settings["extra_stop_words"] == ["of", "war"]
    assert (corpus.settings["max_share"], corpus.settings["phrases"]) == (0.4, ["the war"])
    path = tmp_path / "letters.csv"
    path.write_text(FILE, encoding="utf-8")
    call_command(
        "import_corpus", str(path), "--language=de", "--min-documents=3", "--max-share=40",
        "--numbers", "--extra-stop-words=War, war of", "--phrases=The  war", "--join=author",
        "--text=text", "--id=1", "--silent", "--no-wait",
    )  # fmt: skip
    by_command = Corpus.objects.get(pk=int(capsys.readouterr().out.split()[-1]))
    assert by_command.settings == corpus.settings
    other, url = prepare(client, ("letters.csv", FILE.encode()))
    sent = asked | {"numbers": "on", "text": "2", "id": "0"}
    sent |= {"extra_stop_words": "War, war of", "phrases": "The  war", "join": "author"}
    assert client.post(url, fields(client, url) | sent).status_code == 302
    other.refresh_from_db()
    by_form = {**other.settings, "options": {**other.settings["options"], "kinds": None}}
    by_program = {**corpus.settings, "options": {**corpus.settings["options"], "kinds": None}}
    assert by_form == by_program


def test_the_schema_has_all_fields_of_the_forms_and_their_choices():
    form_fields = {**ReadingForm.base_fields, **ShapingForm.base_fields}
    assert form_fields.keys() == SentReading.model_fields.keys()
    assert AskedReading.model_fields.keys() == form_fields.keys() - {"name", "train"}
    for form in (VocabularyForm, ShapingForm):
        for name, field in form.base_fields.items():
            if isinstance(field, forms.ChoiceField) and field.choices:
                literal, _ = get_args(form.schema.model_fields[name].annotation)
                assert {choice for choice, _ in field.choices} == set(get_args(literal)), name
    assert AskedShaping().chosen() == {}
