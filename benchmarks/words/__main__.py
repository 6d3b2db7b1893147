"""Whether counts of words in their company are true, and how long they take: keyness, collocations
and patterns.

    .venv/bin/python -m benchmarks.words [--quick] [--copies 20] [--repeats 5] [--busy 2]
                                         [--unchecked] [--data FOLDER]
    .venv/bin/python -m benchmarks.words --bytes FILE …     bytes a word of a corpus's stream and
                                                            index, by file, and nothing else

The corpus arxiv, of 50,000 abstracts (without --quick twenty of each, or --copies), is uploaded and
read as the page presets it, and trained, in this process. The questions
(benchmarks.words.questions) are asked of the functions that the pages ask, what these keep emptied
before each; cold: with the files of the corpus, its version and the run out of the page cache, too.
Each answer is compared with one that plain Python has from the words of all texts: statistics of
these counts have their own tests. --unchecked: only times, as comparing takes half an hour at a
million documents. --data: a state folder that stays, and with it what was read and trained. --busy:
beside so many processes of the niceness of a worker that compute all the time. The last line is
`equal: yes|no|unchecked p95: A ms at N documents`, of the warm ones.
"""

import argparse
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.engines.corpora import FILES, texts
from benchmarks.insight.collections import Collection
from benchmarks.origin import machine, options, started
from inference.index import Index
from inference.text import Stream, Tokeniser

# With the niceness that tasks.worker gives to a worker's processes
BUSY = ["nice", "-n", "10", sys.executable, "-c", "while True: pass"]


TOPICS = 20
PASSES = 5
OPTIONS: dict[str, dict[str, Any]] = {
    "--quick": {"action": "store_true"},
    "--copies": {"type": int, "default": 20},
    "--repeats": {"type": int, "default": 5},
    "--busy": {"type": int, "default": 0},
    "--unchecked": {"action": "store_true"},
    "--data": {"type": Path},
    "--bytes": {"type": Path, "nargs": "+", "metavar": "FILE"},
}


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    if arguments.bytes:
        with started(arguments.data):
            for path in arguments.bytes:
                print(bytes_a_word(path), flush=True)
        return
    if not FILES["arxiv"].is_file():
        raise SystemExit(f"Nothing is measured: the abstracts are missing, {FILES['arxiv']}.")
    with started(arguments.data):
        measure(arguments)


def measure(arguments: argparse.Namespace) -> None:
    """Train on copies of the abstracts, and ask the questions."""
    from benchmarks.insight import runs
    from benchmarks.words import questions

    copies = 1 if arguments.quick else arguments.copies
    abstracts = FILES["arxiv"].read_bytes()
    uploads = [(f"abstracts {i}.jsonl.gz", abstracts) for i in range(copies)]
    collection = Collection("words", uploads, [])
    run = runs.trained(collection, arguments.quick, 0, topics=TOPICS, passes=PASSES)
    print(machine(), flush=True)
    with ExitStack() as ending:
        for _ in range(arguments.busy):
            ending.callback(subprocess.Popen(BUSY).kill)
        questions.ask_all(run, copies, arguments.repeats, not arguments.unchecked)


def bytes_a_word(path: Path) -> str:
    """Bytes a word of what is kept of English texts, titles left out."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens"
        index = Path(folder) / "index"
        documents = texts(path)
        no_titles = [""] * len(documents)
        with Stream.write(tokens, Tokeniser("en")) as writer:
            writer.add(documents, no_titles)
            writer.commit()
        stream = Stream.open(tokens)
        Index.write(index, stream, "en")
        of_stream = _folder_size(tokens) / stream.tokens
        of_index = _folder_size(index) / stream.tokens
        of_texts = len("".join(documents).encode()) / stream.tokens
    total = of_stream + of_index
    sizes = f"stream {of_stream:.1f} + index {of_index:.1f} = {total:.1f} bytes a word"
    return f"{path.name}: {stream.tokens:,} words; {sizes}, texts {of_texts:.1f}"


def _folder_size(folder: Path) -> int:
    """Bytes of its files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
