"""From a raw text file to a bag of words: ours beside the fastest of Python's libraries, and with Postgres.

    python3 -m venv .venv.benchmarks && .venv.benchmarks/bin/pip install --require-hashes -r requirements/benchmarks.lock
    .venv.benchmarks/bin/python -m benchmarks.ingest [--quick] [--file TEXT] [--peers sklearn,gensim,tomotopy,topica] [--end-to-end]
        [--documents 1000000]

TEXT: UTF-8, a document on each line; else abstracts of arXiv where they are beside the project, or the shipped example
(which
--quick takes). Each reads the same file in a process of its own, the words of English stop lists left out, words in
fewer than 5 documents and in more than half of them, too; imports and compiling are not counted; in turns, the best of
three (two with --quick). Ours writes its stream, bag of words, postings and digest to disk; the others hold theirs in
memory.

--end-to-end: `manage.py import_corpus` of the file in a state folder of its own, texts by COPY into Postgres and all;
what the same command takes for a tiny file is taken off. Needs the program's own environment; `--peers ""` runs no
other library.
--documents: so many short documents instead, cut from those texts.

The last line is `ratio: R`: our throughput over the fastest peer's.
"""

import argparse
import csv
import gzip
import importlib.metadata
import itertools
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "webapp" / "example" / "state_of_the_union.csv.gz"
ARXIV = ROOT.parent / "shared" / "corpora" / "arxiv_50k.jsonl.gz"
PEERS = {"sklearn": "scikit-learn", "gensim": "gensim", "tomotopy": "tomotopy", "topica": "topica"}
SHORT = 45  # words of a short document
BATCH = 1 << 20  # characters that are read at a time
LEAST, SHARE = 5, 0.5
TARGET, TARGET_END = 3.0, 10.0  # times the fastest peer; MB/s with Postgres
LINE = "{:<12} {:>9} {:>9} {:>9} {:>9} {:>10} {:>12}"


def topograph(path: Path):
    from concurrent.futures import ThreadPoolExecutor

    from inference import compiling
    from inference.text import Choice, Stream, Tokeniser, choose, stop_words

    with tempfile.TemporaryDirectory() as name:
        compiling.texts(Path(name))
    Tokeniser("en").spans("the tables of characters")
    with tempfile.TemporaryDirectory() as name:
        yield
        folder = Path(name)
        with (
            path.open(encoding="utf-8") as file,
            Stream.write(folder / "tokens", Tokeniser("en")) as stream,
            ThreadPoolExecutor(1) as cutting,
        ):
            waiting = None
            while lines := file.readlines(BATCH):
                if waiting:
                    waiting.result()
                waiting = cutting.submit(stream.add, lines, [""] * len(lines))  # while the next lines are read
            if waiting:
                waiting.result()
            stream.commit()
        bow, vocabulary = choose(Stream.open(folder / "tokens"), Choice(stop_words("en"), LEAST, SHARE), folder / "bow")
        yield len(vocabulary.words), bow.tokens


def sklearn(path: Path):
    from sklearn.feature_extraction.text import CountVectorizer

    yield
    with path.open(encoding="utf-8") as file:
        counts = CountVectorizer(stop_words="english", min_df=LEAST, max_df=SHARE).fit_transform(file)
    yield counts.shape[1], int(counts.sum())


def gensim(path: Path):
    """As its documentation reads a corpus that does not fit into memory: once for the dictionary, once for the
    counts."""
    from gensim.corpora import Dictionary
    from gensim.parsing.preprocessing import STOPWORDS
    from gensim.utils import simple_preprocess

    def documents():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield [word for word in simple_preprocess(line, max_len=64) if word not in STOPWORDS]

    yield
    dictionary = Dictionary(documents())
    dictionary.filter_extremes(LEAST, SHARE, None)
    tokens = sum(n for document in documents() for _, n in dictionary.doc2bow(document))
    yield len(dictionary), tokens


def tomotopy(path: Path):
    import tomotopy as tp

    from inference.text import stop_words

    yield
    corpus = tp.utils.Corpus(tokenizer=tp.utils.SimpleTokenizer(), stopwords=stop_words("en"))
    with path.open(encoding="utf-8") as file:
        corpus.process(file)
    model = tp.LDAModel(k=1, min_df=LEAST, corpus=corpus)
    model.train(0, workers=1)  # sorts out the vocabulary; it has no largest share of documents
    yield len(model.used_vocabs), model.num_words


def topica(path: Path):
    from topica import Corpus

    yield
    corpus = Corpus.from_text_file(
        str(path), format="plain", stopwords="english", min_doc_freq=LEAST, max_doc_fraction=SHARE
    )
    yield corpus.num_words, corpus.total_tokens


def child(name: str, path: Path) -> None:
    """Prints what one reading took, as JSON."""
    reading = globals()[name](path)
    next(reading)
    began, cpu = time.perf_counter(), time.process_time()
    words, tokens = next(reading)
    found = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "words": words, "tokens": tokens}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    print(json.dumps(found | {"peak": peak}))


def measure(name: str, path: Path) -> dict:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ingest", "--child", name, "--file", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"code {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def texts(quick: bool = False) -> list[str]:
    """Abstracts of arXiv where they are beside the project and quick is not asked for, else the sections of the example."""
    if ARXIV.exists() and not quick:
        with gzip.open(ARXIV, "rt", encoding="utf-8") as file:
            return [json.loads(line)["text"] for line in file]
    csv.field_size_limit(sys.maxsize)
    with gzip.open(EXAMPLE, "rt", encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def made(folder: Path, quick: bool, documents: int | None) -> Path:
    """A text file with a document on each line. documents: so many short ones, cut from the same texts again and
    again."""
    path, source = folder / "documents.txt", texts(quick)
    with path.open("w", encoding="utf-8") as out:
        if documents is None:
            out.writelines(" ".join(text.split()) + "\n" for text in source)
            return path
        words = itertools.cycle([word for text in source for word in text.split()])
        for number in range(documents):  # words of their own too, as names are: the vocabulary goes on growing
            out.write(f"{' '.join(itertools.islice(words, SHORT))} w{number // 3:x}x\n")
    return path


def memory(root: int) -> list[tuple[str, float]]:
    """(command, megabytes) of a process and of each below it: its own memory, without the files that it maps (Linux)."""
    parents, own = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, ValueError):
            continue  # it has just ended
        pid = int(process.name)
        parents[pid], own[pid] = int(fields["PPid"]), (command, int(fields.get("RssAnon", "0 kB").split()[0]) / 1024)
    below, taken = [root], []
    while below:
        pid = below.pop()
        taken += [own[pid]] if pid in own else []
        below += [child for child, parent in parents.items() if parent == pid]
    return taken


def end_to_end(path: Path) -> tuple[float, float]:
    """Seconds of `manage.py import_corpus`, beyond those for a tiny file; megabytes of the largest process."""

    def seconds(of: Path) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as data:
            began, peak = time.perf_counter(), 0.0
            command = [sys.executable, "manage.py", "import_corpus", str(of), "--language", "en"]
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | {"TOPOGRAPH_DATA": data},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            while process.poll() is None:
                peak = max([peak, *(mb for _, mb in memory(process.pid))])
                time.sleep(0.2)
            if process.returncode:
                raise RuntimeError(process.stderr.read().decode()[-500:])
            return time.perf_counter() - began, peak

    table = path.with_suffix(".csv")  # a document on each line, as pages take it
    with path.open(encoding="utf-8") as file, table.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["text"])
        writer.writerows([line.rstrip("\n")] for line in file)
    tiny = path.with_name("tiny.csv")
    tiny.write_text("text\n" + "alpha beta\ngamma delta\nepsilon zeta\n" * 10)
    took, peak = seconds(table)
    return took - seconds(tiny)[0], peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--file", type=Path)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--end-to-end", action="store_true")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.file)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = given.file or made(Path(folder), given.quick, given.documents)
        megabytes = path.stat().st_size / 1e6
        print(
            f"{path.name}: {megabytes:.1f} MB; {platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        best, problems = {}, {}
        for _ in range(2 if given.quick else 3):
            for name in ["topograph", *(peer for peer in given.peers.split(",") if peer and peer not in problems)]:
                try:
                    found = measure(name, path)
                except RuntimeError as error:
                    if name == "topograph":
                        raise
                    problems[name] = str(error)
                    continue
                if name not in best or found["seconds"] < best[name]["seconds"]:
                    best[name] = found
        print(LINE.format("", "seconds", "CPU", "MB/s", "peak MB", "words", "tokens"))
        for name, found in sorted(best.items(), key=lambda item: item[1]["seconds"]):
            speed = megabytes / found["seconds"]
            numbers = (
                f"{found['seconds']:.2f}",
                f"{found['cpu']:.2f}",
                f"{speed:.1f}",
                f"{found['peak']:.0f}",
                f"{found['words']:,}",
                f"{found['tokens']:,}",
            )
            print(LINE.format(name, *numbers), "" if name == "topograph" else importlib.metadata.version(PEERS[name]))
        for name, problem in problems.items():
            print(f"{name}: {problem}")
        if given.end_to_end:
            seconds, peak = end_to_end(path)
            count = sum(1 for _ in path.open("rb"))
            print(
                f"with Postgres: {count:,} documents in {seconds:.1f} s, {megabytes / seconds:.1f} MB/s (target {TARGET_END:g}); largest process {peak:.0f} MB (600)"
            )
        ours = best.pop("topograph")["seconds"]
        if not given.peers:
            return
        if not best:
            parser.error(
                "No peer could be run. Install requirements/benchmarks.lock into an environment, and run it from there."
            )
        print(f"target: {TARGET:g} times the fastest peer")
        print(f"ratio: {min(found['seconds'] for found in best.values()) / ours:.2f}")


if __name__ == "__main__":
    main()
