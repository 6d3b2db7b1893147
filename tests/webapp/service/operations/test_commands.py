"""What commands do with what they are given; tests/local/test_headless.py has them as a user
has."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from benchmarks.browser import reading_fields
from inference import engines
from webapp.models import Corpus, Run

pytestmark = pytest.mark.django_db


def test_what_the_commands_are_told(ready, trained, capsysbinary):
    call_command(
        "train", str(ready.pk), "--topics", "5", "--passes", "2", "--seed", "4", "--no-wait"
    )
    run = Run.objects.get(pk=int(capsysbinary.readouterr().out))
    assert run.seed == 4 and (run.settings["topics"], run.settings["passes"]) == (5, 2)

    call_command("train", str(ready.pk), "--no-wait")
    run = Run.objects.get(pk=int(capsysbinary.readouterr().out))
    assert run.settings["topics"] == engines.suggest_topics(ready.tokens, most=ready.vocabulary)

    def exported(*arguments: str) -> list[dict[str, str]]:
        call_command("export_topics", str(trained.pk), *arguments)
        return list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode())))

    wide = exported("--format", "wide", "--words", "4")
    assert len(wide) == trained.topics
    long = [row["word"] for row in exported() if row["topic"] == "0"]
    assert [wide[0][f"word_{n}"] for n in range(1, 5)] == long[:4] and "word_5" not in wide[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import_corpus", "/nowhere.csv"], "no file"),
        (["import_corpus", "EMPTY"], "is empty"),
        (["train", "999", "--topics", "5"], "no corpus 999"),
        (["export_topics", "999"], "no run 999"),
        (["train", "READY", "--kappa", "0.2"], "kappa must be in (0.5, 1]"),
        (["train", "READY", "--topics", "9999"], "topics must be at most"),
    ],
    ids=lambda given: None if isinstance(given, str) else " ".join(given),
)
def test_mistakes_say_what_to_do(ready, tmp_path, settings, arguments, sentence):
    empty = tmp_path / "empty.csv"
    empty.touch()
    known = {"EMPTY": str(empty), "READY": str(ready.pk)}
    with pytest.raises(CommandError) as refused:
        call_command(*(known.get(argument, argument) for argument in arguments))
    assert sentence in str(refused.value)
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.glob("import-*"))


@pytest.fixture
def table(tmp_path):
    """RT and addresses, dates of two readings, and a language of its own: what the page is preset
    by."""
    path = tmp_path / "posts.csv"
    rows = [
        f"{i},{1 + i % 12}/{13 + i % 9}/2016,RT @a Die Arbeit der Regierung und das Volk"
        f" http://x.y/{i}"
        for i in range(90)
    ]
    path.write_text("\n".join(["nr,tag,inhalt", *rows]))
    return path


def imported(capsys, *arguments: str) -> Corpus:
    call_command("import_corpus", *arguments, "--no-wait")
    return Corpus.objects.get(pk=int(capsys.readouterr().out.split()[-1]))


def test_files_are_read_as_the_page_is_preset(client, table, capsys):
    answer = client.post(
        "/corpora/", {"files": SimpleUploadedFile("posts.csv", table.read_bytes())}
    )
    fields = reading_fields(client.get(answer["Location"]).content.decode())
    assert client.post(answer["Location"], fields).status_code == 302
    page = Corpus.objects.latest("pk")
    command = imported(capsys, str(table))
    assert command.settings == page.settings
    assert command.settings["language"] == "de" and command.settings["shaping"]["silent"]


def test_what_is_given_is_as_it_was_given(table, capsys):
    usual = imported(capsys, str(table)).settings
    given = imported(
        capsys,
        str(table),
        "--min-documents",
        "7",
        "--max-share",
        "50",
        "--no-variants",
        "--numbers",
        "--silent",
        "--language",
        "",
        "--text",
        "inhalt",
        "--id",
        "1",
        "--join",
        "tag",
        "--phrases",
        "das Volk",
    ).settings
    changed = {
        "min_documents": 7,
        "max_share": 0.5,
        "variants": False,
        "numbers": True,
        "language": "",
        "phrases": ["das volk"],
    }
    shaping = {"silent": [], "join": ["tag"]}
    options = {"text": 2, "id": 0}
    assert given == usual | changed | {
        "also": given["also"],
        "shaping": usual["shaping"] | shaping,
        "options": usual["options"] | options | {"kinds": given["options"]["kinds"]},
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--text", "words"], "--text: text must be one of “nr”, “tag”, “inhalt”, got “words”."),
        (["--max-share", "500"], "--max-share: max_share must be at most 100, got 500."),
        (["--sections", "lines"], "--sections: sections must be “”, “words”, “pages”,"),
        (["--table", "other.csv"], "--table: table must be one of “”, got “other.csv”."),
    ],
)
def test_options_that_the_form_refuses_are_said(table, arguments, sentence):
    with pytest.raises(CommandError) as refused:
        call_command("import_corpus", str(table), *arguments)
    assert sentence in str(refused.value)
    assert not Corpus.objects.filter(name="posts").exists(), "no draft is left"
