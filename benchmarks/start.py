"""How the engine `ssi` begins: topics as documents, learned by OPE, beside sampling from nothing.

    .venv/bin/python -m benchmarks.start CORPUS [--topics 100] [--passes 24] [--seed 1] [--set start=sampling] [--read 20]
        [--warm-up-eta E]

CORPUS: as for benchmarks.engines. After 1, 2, 3, 4, 8, 16, … passes: seconds of the processor for training alone, held-out
completion (nats per token, the judge's alpha), NPMI, the share of distinct words among the first ten words of all topics,
and the share of those that stand in the first ten of 5 % and of 10 % of all topics: general words. --read: print so many
topics at the end, with the words. --warm-up-eta: eta of the warm-up, in place of the engine's own. Compiling is not
counted. The last line is `passes: N`.
"""

import argparse
import time
from collections.abc import Iterator
from unittest import mock

import numpy as np

from benchmarks.engines import corpora
from inference import Bow, Invalid, Topics, compiling, engines
from inference.engines import from_documents, ssi
from inference.evaluate import Coherence, Completion
from inference.evaluate.fold_in import alpha_for
from inference.training import Schedule, held_out_documents

ROOT = corpora.ROOT
WORDS = 10  # of a topic
SHARES = 0.05, 0.1  # of all topics: a word that is among the first of so many is a general one
FEWEST = 3  # topics that are many


def general(topics: Topics) -> list[float]:
    """The share of distinct words among the first words of all topics, and for each of SHARES the share of them that are
    among the first of so many topics."""
    first = topics.top(WORDS)
    first = first[first >= 0]
    times = np.bincount(first, minlength=topics.V)[first]
    many = [max(FEWEST, share * topics.K) for share in SHARES]
    return [len(np.unique(first)) / len(first), *((times >= n).mean() for n in many)]


def points(config: ssi.Resolved, bow: Bow, seed: int) -> Iterator[tuple[int, float, Topics]]:
    """(passes, seconds, topics) after 1, 2, 3, 4, 8, 16, ... passes and the last."""
    schedule = Schedule(bow, config, held_out_documents(bow, seed))
    state, seconds = ssi.init(config, schedule.shape, seed), 0.0
    for t in range(schedule.steps):
        batch = schedule.batch(t, seed)
        began = time.process_time()
        ssi.step(config, state, bow, batch, schedule.shape)
        seconds += time.process_time() - began
        passes, begun, _ = schedule.paces.slice(t + 1)
        if not begun and (passes in (1, 2, 3) or passes & (passes - 1) == 0 or passes == config.passes):
            yield passes, seconds, ssi.topics(config, state)


def load(name: str) -> tuple[Bow, list[str]]:
    """A corpus of benchmarks.engines and its words, their numbers where it has none."""
    if corpora.FILES.get(name, ROOT).is_file():
        return corpora.read_words(corpora.FILES[name])
    _, bow, _ = corpora.load(name)
    return bow, [str(w) for w in range(bow.V)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--passes", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", type=corpora.setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--warm-up-eta", type=float)
    parser.add_argument("--read", type=int, default=0, metavar="N")
    given = parser.parse_args()
    try:
        config = engines.config(ssi.NAME, topics=given.topics, passes=given.passes, **dict(given.set))
        bow, words = load(given.corpus)
    except Invalid as error:
        parser.error(error.message)
    resolved = config.resolve(bow.D, bow.tokens)
    compiling.engine(ssi.NAME)
    completion = Completion(bow, held_out_documents(bow, given.seed), alpha=alpha_for(given.topics))
    coherence = Coherence(bow)
    print(f"{bow.D:,} documents, {bow.V:,} words, {bow.tokens:,} tokens; {resolved}\n")
    print("| passes | CPU s | held-out | NPMI | distinct | in 5 % | in 10 % |\n|---|---|---|---|---|---|---|")
    if given.warm_up_eta is not None:
        mock.patch.object(from_documents, "eta", lambda topics, bow, after: given.warm_up_eta).start()
    for passes, seconds, topics in points(resolved, bow, given.seed):
        measures = completion(topics), float(np.nanmean(coherence.npmi(topics))), *general(topics)
        print(
            f"| {passes} | {seconds:.2f} | {measures[0]:.4f} | {measures[1]:.3f} | {measures[2]:.2f} | {measures[3]:.2f} | {measures[4]:.2f} |",
            flush=True,
        )
    for k in np.linspace(0, topics.K - 1, min(given.read, topics.K)).astype(int):
        row = topics.words[topics.indptr[k] : topics.indptr[k + 1]][:WORDS]
        print(f"T{k:02d} {topics.share[k]:6.2%}  {' '.join(words[w] for w in row)}")
    print(f"passes: {passes}")


if __name__ == "__main__":
    main()
