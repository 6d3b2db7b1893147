"""Everything that can die is killed while a run is trained and a corpus read: both end as if
nothing had happened.

One blow of each kind. `python -m tests.faults.drills` has all of them, at random moments, many
times.
"""

import functools
import gzip
import hashlib
import re
import signal
import threading
import time
import urllib.request
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

from inference.text.stream import FORMAT, Stream
from tests.conftest import SOON_DEAD
from tests.corpora import as_csv, example_rows
from tests.faults.topograph import LOOK, Topograph, stuck
from tests.inference.text.old_streams import downgrade
from tests.prepared import state_folder
from tests.waiting import until
from webapp.service.operations import upkeep

DOCUMENTS = 1_500  # whose reading lasts a second
LASTING = {"passes": "60"}  # a run that is struck several times has to last
MIDDLING = {"passes": "15"}  # long enough to be struck once
ENDLESS = {"passes": "700"}  # it is stopped before
SHORT = {"passes": "5"}


@pytest.fixture(scope="module")
def topograph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drills")
    texts = folder / "speeches.csv"
    texts.write_bytes(as_csv(example_rows(DOCUMENTS)))
    topograph = Topograph(state_folder(folder / "data"), 8400, texts, **SOON_DEAD)
    yield topograph
    topograph.stop()


@pytest.fixture(scope="module")
def corpus(topograph):
    corpus = topograph.corpus()
    topograph.wait("corpus", corpus, 150, "ready")
    return corpus


@pytest.fixture(scope="module")
def quiet(topograph, corpus):
    """A run that nothing happened to."""
    run = topograph.run(corpus, **LASTING)
    topograph.wait("run", run, 300, "done")
    return run


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether code of the process runs at this signal."""
    (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.M)
    return bool(int(caught, 16) >> number - 1 & 1)


def test_a_run_that_is_struck_again_and_again_ends_as_an_undisturbed_one(topograph, corpus, quiet):
    t = topograph
    run = t.run(corpus, **LASTING)
    # As a worker does that is told to end
    end_child = functools.partial(t.kill_child, run, signal.SIGTERM)
    for struck, again in (
        (end_child, True),
        (t.empty_valkey, False),
        (t.kill_web, False),
        (t.kill_postgres, True),
    ):
        step, attempt = t.step(run), t.row("run", run)[1]
        until(lambda step=step: t.step(run) > step and t.saved(run), look=LOOK)
        kept = t.saved(run)
        assert not catches(t.child(run), signal.SIGTERM)
        struck()
        if again:
            # None hangs as running
            until(
                lambda attempt=attempt: t.row("run", run)[1] > max(attempt, 1), stuck(), look=LOOK
            )
        assert t.row("run", run)[0] != "failed" and t.saved(run) >= kept
    t.wait("run", run, 300, "done")
    assert t.row("run", run)[1] >= 3
    assert t.model(run) == t.model(quiet)  # with its charts: no gap, no point twice


def test_words_of_an_older_version_are_renewed_although_their_process_is_killed(topograph, corpus):
    t, folder = topograph, topograph.data / "files" / "corpora" / str(corpus)
    before = t.content(corpus)
    tokens = folder / "tokens"
    stream = "progress -> 'stream'"
    old = downgrade(tokens)
    t.ask(
        "UPDATE webapp_corpus SET progress = progress || %s WHERE id = %s RETURNING id",
        Jsonb({"stream": old}),
        corpus,
    )
    with psycopg.connect(t.system.database_url) as reader:
        reader.execute(f"LOCK TABLE document_{corpus:d}")
        # The next one looks for such a corpus when it starts, and has nothing else to do: else it
        # would look again a whole interval later
        t.empty_valkey()
        t.kill_worker()
        until(lambda: t.holder("corpora", corpus), upkeep.INTERVAL + stuck())
        t.kill_holder("corpora", corpus)
        until(lambda: not t.holder("corpora", corpus))
    assert Stream.open(tokens).checkpoint == old
    t.empty_valkey()  # an hour later
    t.kill_worker()
    until(
        lambda: (
            t.ask(f"SELECT {stream} FROM webapp_corpus WHERE id = %s", corpus)[0][0]["format"]
            == FORMAT
        ),
        upkeep.INTERVAL + stuck(),
        look=LOOK,
    )
    until(lambda: not (tokens / "starts").exists())
    assert (
        Stream.open(tokens).checkpoint
        == t.ask(f"SELECT {stream} FROM webapp_corpus WHERE id = %s", corpus)[0][0]
    )
    assert t.content(corpus) == before and t.row("corpus", corpus) == ("ready", 1)


def test_nothing_is_lost_when_everything_is_killed_at_once(topograph, corpus, quiet):
    t = topograph
    run, reading = t.run(corpus, **LASTING), t.draft()
    until(lambda: t.saved(run))
    t.read(reading)
    until(lambda: t.holder("corpora", reading))
    assert t.holder("runs", run)
    t.kill_everything()
    assert t.says(f"/runs/{run}/")[0] == 200
    t.wait("corpus", reading, 200, "ready")
    t.wait("run", run, 200, "done")
    assert t.row("corpus", reading)[1] >= 2 and t.row("run", run)[1] >= 2
    assert t.content(reading) == t.content(corpus) and t.model(run) == t.model(quiet)


def test_a_file_that_lost_its_process_is_made_again_and_can_be_loaded_in_parts(topograph, quiet):
    t = topograph
    (export,) = t.ask(
        "INSERT INTO webapp_export (run_id, by_id, file, query, name, sentence, status, expected,"
        " bytes, sha256, error, created_at, attempt, tries) SELECT %s, id, 'mallet-state.gz', '',"
        " 'state.gz', 'State', 'queued', 9000000, 0, '', '', now(), 0, 0 FROM webapp_user WHERE"
        " local RETURNING id",
        quiet,
    )[0]  # as pages do for large runs; the sweep sends it
    folder = t.data / "files" / "exports" / str(export)
    until(lambda: (folder / "part").exists() and (folder / "part").stat().st_size)
    t.kill_holder("exports", export)
    t.wait("export", export, 200, "ready")
    assert t.row("export", export)[1] >= 2 and not (folder / "part").exists()
    content = (folder / "file").read_bytes()
    assert t.ask("SELECT sha256, bytes FROM webapp_export WHERE id = %s", export)[0] == (
        hashlib.sha256(content).hexdigest(),
        len(content),
    )
    ((tokens,),) = t.ask(
        "SELECT tokens FROM webapp_version WHERE id = (SELECT version_id FROM webapp_run WHERE id ="
        " %s)",
        quiet,
    )
    # Each has a line, after those of names, alpha and beta
    assert gzip.decompress(content).count(b"\n") == 3 + tokens
    url = f"{t.system.url.rstrip('/')}/runs/{quiet}/exports/{export}/state.gz"
    half = len(content) // 2
    with urllib.request.urlopen(url, timeout=60) as response:
        tag = response.headers["ETag"]
        whole = response.read()
    asked = urllib.request.Request(url, headers={"Range": f"bytes={half}-", "If-Range": tag})
    with urllib.request.urlopen(asked, timeout=60) as response:
        assert response.status == 206 and whole[:half] + response.read() == whole == content


def test_pages_while_postgres_refuses(topograph, corpus):
    """A page that says what is going on, soon; and none that fails once Postgres is back."""
    t = topograph
    assert t.says(f"/corpora/{corpus}/")[0] == 200
    said = []

    def look(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            said.append((*t.says(f"/corpora/{corpus}.json"), time.monotonic() - began))
            time.sleep(LOOK)

    with t.refused():
        look(6)
        status, page = t.says(f"/corpora/{corpus}/")
    assert status == 503 and "The database does not answer at the moment" in page
    assert all(
        code == 503 and "Nothing is lost" in body and seconds < 10
        for code, body, seconds in said[1:]
    ), said
    for _ in range(10):
        assert t.says(f"/corpora/{corpus}/")[0] == 200
    assert t.row("corpus", corpus)[0] == "ready"


@pytest.mark.parametrize("server", ["postgres", "valkey"])
def test_pages_while_a_server_hangs(topograph, corpus, server):
    """It takes connections and answers nothing. Pages don't wait for it: those that need it say so,
    and work as soon as it does."""
    t = topograph
    run = t.run(corpus, **SHORT)
    said = []
    paths = (f"/corpora/{corpus}/", f"/runs/{run}.json", "/api/v1/corpora/")

    def look(path: str) -> None:
        began = time.monotonic()
        said.append((*t.says(path), time.monotonic() - began))

    with t.hung(getattr(t, server)()):
        for _ in range(2):  # who looks again finds the places that the first ones took free
            # More than there are places for pages
            threads = [threading.Thread(target=look, args=[path]) for path in (*paths, paths[0])]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(said) == 2 * (len(paths) + 1)
    expected = 503 if server == "postgres" else 200
    assert {status for status, _, _ in said} == {expected}
    assert max(seconds for *_, seconds in said) < 15, said
    for _ in range(10):
        assert t.says(f"/corpora/{corpus}/")[0] == 200
    t.wait("run", run, 200, "done")


def test_stop_keeps_and_cancel_discards(topograph, corpus):
    t = topograph
    browser = t.browser
    stopped = t.run(corpus, **ENDLESS)
    until(lambda: browser.json(f"/runs/{stopped}.json")["forming"]["topics"], look=LOOK)
    browser.post(f"/runs/{stopped}/stop/", {}, f"/runs/{stopped}/")
    t.wait("run", stopped, 100, "done")
    state = browser.json(f"/runs/{stopped}.json")
    assert state["step"] < state["steps"] and state["metrics"]["step"][-1] == state["step"]
    assert browser.json(f"/runs/{stopped}/documents/0.json")["proportions"]

    cancelled = t.run(corpus, **ENDLESS)
    until(lambda: browser.json(f"/runs/{cancelled}.json")["forming"]["topics"], look=LOOK)
    browser.post(f"/runs/{cancelled}/cancel/", {}, f"/runs/{cancelled}/")
    t.wait("run", cancelled, 100, "cancelled")
    until(lambda: not browser.json(f"/runs/{cancelled}.json")["forming"]["topics"], look=LOOK)
    state = browser.json(f"/runs/{cancelled}.json")
    assert state["status"] == "cancelled" and state["metrics"]["step"]


def test_two_runs_at_once_do_not_disturb_each_other_and_come_twice_in_vain(topograph, corpus):
    t = topograph
    first = t.run(corpus, **SHORT)
    second = t.run(corpus, **SHORT)
    t.deliver_again(first, corpus)  # several workers' children would claim one run
    for run in (first, second):
        t.wait("run", run, 200, "done")
        assert t.row("run", run)[1] == 1
    assert t.model(first) == t.model(second)


def test_other_seeds_are_trained_although_one_is_killed_and_its_run_says_what_they_found(
    topograph, corpus
):
    t = topograph
    run = t.run(corpus, **MIDDLING)
    t.wait("run", run, 300, "done")
    t.browser.post(f"/runs/{run}/seeds/", {"act": "train"}, f"/runs/{run}/")
    first, second = (
        key
        for (key,) in t.ask("SELECT id FROM webapp_replicate WHERE run_id = %s ORDER BY id", run)
    )
    until(lambda: t.row("replicate", first)[0] == "training" and t.holder("replicates", first))
    t.kill_holder("replicates", first)
    for one in (first, second):
        t.wait("replicate", one, 200, "ready")
    assert t.row("replicate", first)[1] > 1
    assert t.browser.json(f"/runs/{run}.json")["other_seeds"]["ready"] == 2
    found = [
        topic["found_again"]["found"]
        for topic in t.browser.json(f"/runs/{run}/topics.json")["items"]
    ]
    assert found and all(0 <= one <= 2 for one in found)
    assert 'of 2<span class="hidden"> other runs' in t.browser.get(f"/runs/{run}/topics/")
    assert not (t.data / "files" / "replicates" / str(first)).exists()
