"""Whether counts of words in their company are true, and how long they take: keyness, collocations and patterns.

    .venv/bin/python -m benchmarks.words [--quick] [--repeats 5] [--data FOLDER]

The corpus arxiv, of 50,000 abstracts (without --quick COPIES of each), is uploaded and read as the page presets it, and trained, in
this process. The questions (benchmarks.words.questions) are asked of the functions that the pages ask, what these keep emptied
before each; cold: with the files of the corpus, its version and the run out of the page cache, too. Each answer is compared
with one that plain Python has from the words of all texts: statistics of these counts have their own tests. --data: a state folder
that stays, and with it what was read and trained. The last line is `equal: yes|no p95: A ms at N documents`, of the warm ones.
"""

from pathlib import Path

from benchmarks.engines.corpora import FILES
from benchmarks.insight.collections import Collection
from benchmarks.origin import machine, options, started

COPIES = 20
TRAINED = {"topics": 20, "passes": 5}


def main() -> None:
    given = options(
        __doc__,
        {"--quick": {"action": "store_true"}, "--repeats": {"type": int, "default": 5}, "--data": {"type": Path}},
    ).parse_args()
    if not FILES["arxiv"].is_file():
        raise SystemExit(f"Nothing is measured: the abstracts are missing, {FILES['arxiv']}.")
    with started(given.data):
        from benchmarks.insight import runs
        from benchmarks.words import questions

        copies = 1 if given.quick else COPIES
        named = [(f"abstracts {i}.jsonl.gz", FILES["arxiv"].read_bytes()) for i in range(copies)]
        run = runs.trained(Collection("words", named, []), given.quick, 0, **TRAINED)
        print(machine(), flush=True)
        questions.answered(run, copies, given.repeats)


if __name__ == "__main__":
    main()
