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
# passes
WARM = 4
TIMED = 7


def train(root: str, folder: str, topics: str) -> None:
    """Answer each line with the seconds of one more pass, from the one after WARM on."""
    sys.path.insert(0, root)
    from inference import Bow, engines
    from inference.schedule import Schedule, held_out_documents

    bow = Bow.open(Path(folder))
    engine = engines.get("ssi")
    config = engines.config("ssi", topics=int(topics), until="passes", passes=WARM + TIMED).resolve(
        bow.D, bow.tokens
    )
    schedule = Schedule(bow, config, held_out_documents(bow, 1))
    state = engine.init(config, schedule.shape, 1)
    for passes in range(1, WARM + TIMED + 1):
        if passes > WARM:
            print(flush=True)
            sys.stdin.readline()
        began = time.process_time()
        while state.t < schedule.paces.steps(passes):
            engine.step(config, state, bow, schedule.batch(state.t, 1), schedule.shape)
        if passes > WARM:
            print(time.process_time() - began, flush=True)


def ratio(bow, topics: int) -> float | None:
    """Seconds of a pass by this engine over those of the earlier one; None where its commit is not
    in this checkout. bow: saved to a folder, as each process opens it."""
    archive = subprocess.run(
        ["git", "archive", PEER, "inference", "pyproject.toml", "manage.py"],
        cwd=ROOT,
        capture_output=True,
    )
    if archive.returncode:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tarfile.open(fileobj=io.BytesIO(archive.stdout)).extractall(folder / "peer", filter="data")
        bow.save(folder / "bow")
        commands = [
            [sys.executable, __file__, str(root), str(folder / "bow"), str(topics)]
            for root in (ROOT, folder / "peer")
        ]
        both = [
            subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for c in commands
        ]
        seconds: list[list[float]] = [[], []]
        try:
            for _ in range(TIMED):
                for process, own in zip(both, seconds, strict=True):
                    assert process.stdin and process.stdout
                    process.stdout.readline()
                    process.stdin.write("\n")
                    process.stdin.flush()
                    own.append(float(process.stdout.readline()))
        finally:
            for process in both:
                process.kill()
                process.wait()
    return min(seconds[0]) / min(seconds[1])


if __name__ == "__main__":
    train(*sys.argv[1:])
