"""The whole path without a browser: three commands, from a file to a CSV."""

import csv
import io
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.corpora import as_csv, example_rows


@pytest.fixture
def manage(tmp_path):
    """Run a command in a state folder of its own; servers and a worker come and go with it."""
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")} | {
        "TOPOGRAPH_DATA": str(tmp_path / "data")
    }

    def run(*arguments: str, fails: bool = False) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=200
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done

    return run


def test_file_to_csv(manage, tmp_path):
    path = tmp_path / "speeches.csv"
    path.write_bytes(as_csv(example_rows(300)))
    corpus = manage("import_corpus", str(path), "--name", "Speeches").stdout.splitlines()[-1]
    assert corpus.isdigit()
    run = manage("train", corpus, "--topics", "5", "--passes", "2", "--seed", "1").stdout.splitlines()[-1]
    assert run.isdigit()
    rows = list(csv.DictReader(io.StringIO(manage("export_topics", run).stdout)))
    assert {int(r["topic"]) for r in rows} == set(range(5))
    assert [int(r["rank"]) for r in rows if r["topic"] == "0"][:3] == [1, 2, 3]
    wide = list(csv.DictReader(io.StringIO(manage("export_topics", run, "--format", "wide", "--words", "4").stdout)))
    assert len(wide) == 5
    assert [wide[0][f"word_{n}"] for n in range(1, 5)] == [r["word"] for r in rows if r["topic"] == "0"][:4]
    again = manage("train", corpus, "--topics", "5", "--passes", "2", "--seed", "1").stdout.splitlines()[-1]
    assert manage("export_topics", again).stdout == manage("export_topics", run).stdout


def test_mistakes_say_what_to_do(manage, tmp_path):
    assert "no file" in manage("import_corpus", "/nowhere.csv", fails=True).stderr
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert "is empty" in manage("import_corpus", str(empty), fails=True).stderr
    words = tmp_path / "stop.txt"
    words.write_text("the of and")
    assert "No word is left" in manage("import_corpus", str(words), "--language", "en", fails=True).stderr
    assert "no corpus 999" in manage("train", "999", "--topics", "5", fails=True).stderr
    assert "no run 999" in manage("export_topics", "999", fails=True).stderr
    path = tmp_path / "speeches.csv"
    path.write_bytes(as_csv(example_rows(60)))
    corpus = manage("import_corpus", str(path), "--min-documents", "2").stdout.splitlines()[-1]
    assert "kappa must be in (0.5, 1]" in manage("train", corpus, "--topics", "5", "--kappa", "0.2", fails=True).stderr
    assert "topics must be at most" in manage("train", corpus, "--topics", "9999", fails=True).stderr
