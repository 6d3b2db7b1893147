"""Whether the senses of words agree with a field that the model never saw, and a sample of lines to judge by hand.

    corpus=$(python3 manage.py import_corpus arxiv_senses.csv.gz | tail -1)
    python3 manage.py train $corpus --topics 80 --seed 1                 # and --seed 2; each prints the number of its run
    python3 manage.py start                                              # in another terminal
    .venv/bin/python -m benchmarks.senses http://127.0.0.1:8000/ arxiv_senses.csv.gz polysemy_words.tsv --run 1 --run 2
    … --run 1 --run 2 --sample docs/senses-sample.csv                            # draws lines; verdicts that are in the file stay

Every line of every word is read from the pages' JSON, so that what is judged is what is shown. One unit is a word in a
document, as all its tokens there have one sense. For each word the senses are compared with the documents' field:
  AMI: adjusted mutual information (Vinh, Epps and Bailey 2010, with the mean of the entropies): 0 by chance, 1 the same
  parts
  V: V-measure (Rosenberg and Hirschberg 2007): not adjusted, grows with the number of senses
  purity: the part of units whose field is the most frequent one of their sense; majority: the same, of the word as a
  whole
A word with one sense has AMI and V 0, and the purity of the majority: those are the baselines.
The last line is `agreement: X`, the mean over runs of the AMI weighted by units.
"""

import argparse
import csv
import gzip
import itertools
import json
import platform
import random
import subprocess
from collections import Counter
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
from scipy.special import gammaln, xlogy

SAMPLED = ["cell", "charge", "ring", "field", "key", "plasma", "strain", "shell", "bond", "tree", "community", "bank"]
LINES = 120
COLUMNS = ["run", "word", "topic", "sense", "before", "line", "after", "certainty", "document", "at", "verdict"]


class Pages:
    """The pages of one run as data."""

    def __init__(self, url: str, run: int):
        self.home = f"{url.rstrip('/')}/runs/{run}/words/"

    def get(self, word: str, address: str = "") -> dict:
        with urlopen(f"{self.home}{quote(word, safe='')}.json{address}") as answer:
            return json.load(answer)

    def units(self, word: str) -> dict[int, int]:
        """The sense of each document that has the word, by all lines of all pages."""
        found, address, lines = {}, "?topic=all", 0
        while address is not None:
            page = self.get(word, address)
            found |= {line["document"]: line["topic"] for line in page["lines"]}
            lines, address = lines + len(page["lines"]), page["next"]
        assert lines == page["total"]
        return found


def table(senses: list, values: list) -> np.ndarray:
    """int64[S, F]: units of each sense and value."""
    rows, columns = (
        {s: i for i, s in enumerate(dict.fromkeys(senses))},
        {v: i for i, v in enumerate(dict.fromkeys(values))},
    )
    counts = np.zeros((len(rows), len(columns)), np.int64)
    for (sense, value), n in Counter(zip(senses, values, strict=True)).items():
        counts[rows[sense], columns[value]] = n
    return counts


def entropy(counts: np.ndarray) -> float:
    p = counts / counts.sum()
    return float(-xlogy(p, p).sum())


def information(counts: np.ndarray) -> float:
    """Mutual information of rows and columns, nats."""
    return entropy(counts.sum(1)) + entropy(counts.sum(0)) - entropy(counts)


def expected(a: np.ndarray, b: np.ndarray) -> float:
    """Mutual information by chance, with these sums of rows and columns (Vinh, Epps and Bailey 2010, eq. 24a)."""
    N, total = int(a.sum()), 0.0
    for x in a:
        for y in b:
            n = np.arange(max(1, x + y - N), min(x, y) + 1)
            ways = gammaln(x + 1) + gammaln(y + 1) + gammaln(N - x + 1) + gammaln(N - y + 1) - gammaln(N + 1)
            ways = ways - gammaln(n + 1) - gammaln(x - n + 1) - gammaln(y - n + 1) - gammaln(N - x - y + n + 1)
            total += float((n / N * np.log(N * n / (x * y)) * np.exp(ways)).sum())
    return total


def measures(counts: np.ndarray) -> dict:
    a, b = counts.sum(1), counts.sum(0)
    mean, mutual = (entropy(a) + entropy(b)) / 2, information(counts)
    chance = expected(a, b)
    return {
        "units": int(counts.sum()),
        "senses": len(a),
        "values": len(b),
        "ami": (mutual - chance) / (mean - chance) if mean - chance > 1e-12 else 0.0,
        "v": mutual / mean if mean else 0.0,
        "purity": float(counts.max(1).sum() / counts.sum()),
        "majority": float(b.max() / counts.sum()),
    }


def overall(rows: list[dict]) -> dict:
    units = np.array([row["units"] for row in rows], float)
    return {
        name: float(np.average([row[name] for row in rows], weights=units))
        for name in ("ami", "v", "purity", "majority")
    } | {
        "mean_ami": float(np.mean([row["ami"] for row in rows])),
        "units": int(units.sum()),
    }


def judge(pages: Pages, words: list[str], values: list[str]) -> list[dict]:
    rows = []
    for word in words:
        units = pages.units(word)
        rows.append({"word": word} | measures(table(list(units.values()), [values[d] for d in units])))
        row = rows[-1]
        print(
            f"  {word:12} {row['units']:5} {row['senses']:3}   {row['ami']:6.3f} {row['v']:6.3f} {row['purity']:6.3f} {row['majority']:6.3f}",
            flush=True,
        )
    return rows


def draw(url: str, runs: list[int], seed: int) -> list[dict]:
    """LINES lines at random of the first pages of all senses that the pages of SAMPLED name, in all runs."""
    offered = []
    for run, word in itertools.product(runs, SAMPLED):
        pages = Pages(url, run)
        for sense in pages.get(word)["senses"]:
            for line in pages.get(word, sense["lines"])["lines"]:
                name = f"T{sense['number']:02d} {', '.join(sense['words'])}"
                offered.append({
                    "run": run, "word": word, "topic": sense["number"], "sense": name, "before": line["before"], "line": line["word"], "after": line["after"],
                    "certainty": line["certainty"], "document": line["document"], "at": line["at"], "verdict": "",
                })  # fmt: skip
    return random.Random(seed).sample(offered, LINES)


def sample(url: str, runs: list[int], path: Path, seed: int) -> None:
    """Write the drawn lines; a verdict on the same line of the same sense is kept."""
    known = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            known = {
                (row["run"], row["word"], row["sense"], row["document"], row["at"]): row["verdict"]
                for row in csv.DictReader(file)
            }
    lines = draw(url, runs, seed)
    for line in lines:
        line["verdict"] = known.get(
            (str(line["run"]), line["word"], line["sense"], str(line["document"]), str(line["at"])), ""
        )
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, COLUMNS)
        out.writeheader()
        out.writerows(lines)
    judged = Counter(line["verdict"] for line in lines)
    print(f"{len(lines)} lines, verdicts: {dict(judged)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url", help="a running Topograph")
    parser.add_argument("corpus", type=Path, help="the .csv.gz that was imported: a document a row")
    parser.add_argument("words", type=Path, nargs="?", help="a table, tabs between columns, with a column “word”")
    parser.add_argument("--run", type=int, action="append", required=True, help="may be repeated")
    parser.add_argument(
        "--field", default="category", help="of the corpus, that the senses are compared with (default: %(default)s)"
    )
    parser.add_argument("--sample", type=Path, help="a .csv to draw lines into, of all these runs")
    parser.add_argument("--seed", type=int, default=1, help="of that sample (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="where to write the results")
    given = parser.parse_args()
    if given.sample:
        return sample(given.url, given.run, given.sample, given.seed)
    with gzip.open(given.corpus, "rt", encoding="utf-8", newline="") as file:
        values = [row[given.field] for row in csv.DictReader(file)]
    with given.words.open(newline="", encoding="utf-8") as file:
        words = [row["word"] for row in csv.DictReader(file, delimiter="\t")]
    results = []
    for run in given.run:
        with urlopen(f"{given.url.rstrip('/')}/runs/{run}.json") as answer:
            json.load(answer)  # there is such a run
        print(f"run {run}\n  {'word':12} {'units':>5} {'s':>3}   {'AMI':>6} {'V':>6} {'purity':>6} {'major.':>6}")
        rows = judge(Pages(given.url, run), words, values)
        results.append({"run": run, "overall": overall(rows), "words": rows})
        print("  " + ", ".join(f"{name} {value:.3f}" for name, value in results[-1]["overall"].items()))
    if given.json:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        given.json.write_text(
            json.dumps(
                {"commit": commit, "machine": platform.machine(), "field": given.field, "runs": results}, indent=1
            )
            + "\n"
        )
    print(f"agreement: {np.mean([result['overall']['ami'] for result in results]):.3f}")


if __name__ == "__main__":
    main()
