"""What commands do with what they are given; tests/local/test_headless.py has them as a user has."""

import csv
import io

import pytest
from django.core.management import CommandError, call_command

from inference import engines
from webapp.models import Run

pytestmark = pytest.mark.django_db


def test_what_the_commands_are_told(ready, trained, capsysbinary):
    call_command("train", str(ready.pk), "--topics", "5", "--passes", "2", "--seed", "4", "--no-wait")
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
def test_mistakes_say_what_to_do(ready, tmp_path, arguments, sentence):
    empty = tmp_path / "empty.csv"
    empty.touch()
    known = {"EMPTY": str(empty), "READY": str(ready.pk)}
    with pytest.raises(CommandError) as refused:
        call_command(*(known.get(argument, argument) for argument in arguments))
    assert sentence in str(refused.value)
