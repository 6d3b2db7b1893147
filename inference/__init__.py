"""Topic models of large collections: the sparse stochastic engine, and the measures that judge it.

from inference import Bow, engines, train
config = engines.config("ssi", topics=50)
for event in train(engines.get("ssi"), config, Bow.from_csr(matrix), seed=1):
    ...
"""

from pathlib import Path

from inference import checkpoint, engines, reading
from inference.bow import Bow
from inference.errors import Invalid
from inference.evaluate import Diagnostics
from inference.evidence import Evidence, gather
from inference.explore import bands, cooccurrence, distances, layout, similar
from inference.postings import Postings
from inference.topics import Theta, Topics
from inference.training import Progress, Snapshot, begin, fold_in_corpus, train

__all__ = [
    "Bow", "Evidence", "Invalid", "Postings", "Progress", "Snapshot", "Theta", "Topics", "begin", "checkpoint", "engines", "fold_in_corpus",
    "gather", "reading", "train", "warm_up", "warm_up_text",
]  # fmt: skip


def warm_up() -> None:
    """Compile every kernel, or load it from the cache beside the code: a run on a tiny corpus. Takes half a minute once.

    The corpus is opened from disk, as that of a real run is: kernels are compiled for read-only arrays, too.
    """
    import tempfile

    import numpy as np

    engine = engines.get("ssi")
    configs = [
        # Large steps, so that pi is reset and `compact` is among the kernels.
        engines.config("ssi", topics=2, minibatch=10, passes=20, kappa=0.51, tau0=1.0, statistics="decay"),
        engines.config("ssi", topics=2, minibatch=10, passes=3, learn="both", interval=2),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Bow(np.arange(0, 121, 2), np.tile(np.array([0, 1, 1, 2], np.int32), 30), np.ones(120, np.int32), 3).save(folder)
        bow = Bow.open(folder)
        Postings.write(folder / "by_word", bow)
        postings = Postings.open(folder / "by_word")
        for config in configs:
            config = config.chosen(bow.D, bow.tokens)
            for event in train(engine, config, bow):
                if isinstance(event, Snapshot):
                    checkpoint.save(folder / "checkpoint", event.state, config=config, bow=bow)
            state = checkpoint.load(folder / "checkpoint", config=config, bow=bow)
            thetas = fold_in_corpus(engine, config, state, bow)
            list(gather(folder / "evidence", bow, postings, engine.topics(config, state), thetas))
            evidence = Evidence.open(folder / "evidence", bow, postings)
            evidence.by_word()
            evidence.at_least([0], 0.5)
            evidence.sums(np.zeros(bow.D, np.int32), 1)
            evidence.folded(np.zeros(evidence.K, np.int32))
            evidence.word_sums(np.zeros(bow.D, np.int32), 1, np.zeros(evidence.K, np.int32), 1)
            topics = engine.topics(config, state)
            Diagnostics(bow)(topics, evidence)
            _warm_up_senses(evidence)
        _warm_up_index(folder)
        _warm_up_text(folder)
    _warm_up_explore(topics)


def _warm_up_index(folder: Path) -> None:
    from types import SimpleNamespace

    import numpy as np

    from inference.index import Index

    words = np.memmap(folder / "stream", np.int32, "w+", shape=4)
    words[:] = 0, 1, 0, 0
    words, lengths = np.memmap(words.filename, np.int32, "r"), np.array([2, 2], np.int32)
    stream = SimpleNamespace(words=words, starts=words, lengths=lengths, title_words=words, title_lengths=lengths, lexicon=["a", "b"])
    Index.write(folder / "index", stream)
    index = Index.open(folder / "index", stream, lambda text: [(0, len(text), text)])
    for query in ("a", '"a" b*', '"a b"'):
        index.rank(query, index.find(query))


def warm_up_text() -> None:
    """The kernels of texts alone."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        _warm_up_text(Path(name))


def _warm_up_text(folder: Path) -> None:
    from inference.text import Choice, Stream, Tokeniser, choose, duplicates, phrases, stops, terms

    texts = ["New York is well-known, it's. İstanbul 漢字 été " * 4] * 12
    texts.append(" ".join(f"a{i}-b" for i in range(3_000)))  # so many that tables grow
    checkpoint = None
    for _ in range(2):  # a second time: with the words of the first
        with Stream.write(folder / "tokens", Tokeniser(), resume=checkpoint) as stream:
            stream.add(texts, texts)
            checkpoint = stream.commit()
    stream = Stream.open(folder / "tokens")
    duplicates.find(stream)
    joined = Choice(frozenset(["new"]), 1, 1.0, hyphens="join", forms="stems", language="en", phrases=("is well",))
    for choice in (Choice(min_documents=1, max_share=1.0), joined):
        phrases.find(stream, choice)
        choose(stream, choice, folder / "chosen")
        terms(texts, choice)
        stops(texts[:1], [[0]], choice)


def _warm_up_explore(topics: Topics) -> None:
    import numpy as np

    rows = distances.rows(topics)
    layout.separate(layout.layout(distances.divergences(topics)), np.ones(topics.K))
    distances.between(rows, rows)
    documents = np.array([0, 1]), np.array([0]), np.array([3]), np.array([4])
    bands.shares(*documents, np.array([0]), 1, [0])
    cooccurrence.beside(*documents, topics.K, 1)
    similar.nearest(*documents, np.ones(1), 1)
    reading.read(reading.Words.of(1, np.array([0]), np.array([0]), np.ones(1), np.zeros(1)), np.ones(1), 0.1)


def _warm_up_senses(evidence: Evidence) -> None:
    import numpy as np

    from inference import senses

    group = np.zeros(evidence.bow.D, np.int32)
    for mask in (None, group == 0):
        uses = senses.Uses(evidence, 1, np.arange(evidence.K), mask)
        uses.tally(group)
        uses.certainties()
        uses.by_day(uses.by_certainty(uses.of(None)), group)
        uses.near([0], 1)
    senses.distinguishing(evidence, uses, senses.Uses(evidence, 0, np.arange(evidence.K)), 1)
