"""Seconds of a pass by this engine and by the one of an earlier commit, taking turns: `pass: A B`
of `python -m benchmarks.engines --quick`.

Each trains in a process of its own, with one thread, from the same corpus, settings and seed;
processor time, the least of several passes. A process is run as `python passes.py ROOT BOW K`, with
the code in ROOT.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER = "a5f3014f"  # the last commit that kept the counts of `ssi` in sparse rows
WARM = 4  # passes before those that are timed
TIMED = 7


def train(root: str, folder: str, topics: str) -> None:
    """Answer each line with the seconds of one more pass, from the one after WARM on.

    The steps are written out: the code in `root` may be of PEER, which has no benchmarks.trainer.
    """
    sys.path.insert(0, root)
    from inference import Bow, engines

    try:
        from inference.schedule import Schedule, held_out_documents
    except ModuleNotFoundError:  # at PEER they were in another module
        from inference.training import Schedule, held_out_documents

    bow = Bow.open(Path(folder))
    engine = engines.get("ssi")
    settings = {"topics": int(topics), "until": "passes", "passes": WARM + TIMED}
    config = engines.config("ssi", **settings).resolve(bow.D, bow.tokens)
    schedule = Schedule(bow, config, held_out_documents(bow, 1))
    state = engine.init(config, schedule.corpus, 1)
    for passes in range(1, WARM + TIMED + 1):
        if passes > WARM:
            print(flush=True)
            sys.stdin.readline()
        began = time.process_time()
        while state.t < schedule.paces.steps(passes):
            engine.step(config, state, bow, schedule.batch(state.t, 1), schedule.corpus)
        if passes > WARM:
            print(time.process_time() - began, flush=True)


def ratio(bow, topics: int) -> float | None:
    """Seconds of a pass by this engine over those of the earlier one; None where its commit is not
    in this checkout. bow: saved to a folder, as each process opens it."""
    command = ["git", "archive", PEER, "inference", "pyproject.toml", "manage.py"]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True)
    if archive.returncode:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peer = folder / "peer"
        tarfile.open(fileobj=io.BytesIO(archive.stdout)).extractall(peer, filter="data")
        bow.save(folder / "bow")
        ours = _begin(ROOT, folder / "bow", topics)
        theirs = _begin(peer, folder / "bow", topics)
        try:
            seconds = [(_seconds_of_pass(ours), _seconds_of_pass(theirs)) for _ in range(TIMED)]
        finally:
            for process in (ours, theirs):
                process.kill()
                process.wait()
    our_seconds, their_seconds = zip(*seconds, strict=True)
    return min(our_seconds) / min(their_seconds)


def _begin(root: Path, bow: Path, topics: int) -> subprocess.Popen:
    """A process that trains with the code in root."""
    command = [sys.executable, __file__, str(root), str(bow), str(topics)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _seconds_of_pass(process: subprocess.Popen) -> float:
    """Seconds of the next pass, which begins once the process is ready for it."""
    assert process.stdin and process.stdout
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


if __name__ == "__main__":
    train(*sys.argv[1:])
