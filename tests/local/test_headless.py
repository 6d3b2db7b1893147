"""The whole path without a browser: three commands, from a file to a CSV. Each starts servers of
its own: tests/webapp/service/operations/test_commands.py asks them for more in its own process."""

import csv
import io
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.corpora import as_csv, example_rows
from tests.prepared import outside, state_folder


@pytest.fixture
def manage(tmp_path):
    """Run a command in a state folder of its own; servers and a worker come and go with it."""
    env = outside() | {"TOPOGRAPH_DATA": str(state_folder(tmp_path / "data"))}

    def run(*arguments: str, fails: bool = False) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done

    return run


def test_file_to_csv(manage, tmp_path):
    path = tmp_path / "speeches.csv"
    path.write_bytes(as_csv(example_rows(300)))
    corpus = manage("import_corpus", str(path), "--name", "Speeches").stdout.splitlines()[-1]
    assert corpus.isdigit()
    run = manage(
        "train", corpus, "--topics", "5", "--passes", "2", "--seed", "1"
    ).stdout.splitlines()[-1]
    assert run.isdigit()
    rows = list(csv.DictReader(io.StringIO(manage("export_topics", run).stdout)))
    assert {int(r["topic"]) for r in rows} == set(range(5))
    assert [int(r["rank"]) for r in rows if r["topic"] == "0"][:3] == [1, 2, 3]


def test_a_reading_that_fails_fails_the_command(manage, tmp_path):
    words = tmp_path / "stop.txt"
    words.write_text("the of and")
    assert (
        "No word is left"
        in manage("import_corpus", str(words), "--language", "en", fails=True).stderr
    )
