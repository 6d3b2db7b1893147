"""A user's first run must not wait for a compiler: after the warm-up nothing is compiled any
more."""

import subprocess
import sys

CODE = """
import sys
from pathlib import Path
from types import SimpleNamespace
import numpy as np
from unittest.mock import patch
from numba.core.dispatcher import Dispatcher
import inference.runtime.memory
inference.runtime.memory.LARGE_BYTES = 0
from inference import *
from inference import compiling
from inference.codes.predict import predict
from inference.evaluate import Completion, diagnose
from inference.schedule import held_out_documents
from inference.index import Index, collocations, hits, patterns, two_sets, word_units
from inference.text import *
from inference.senses import SenseUses, distinguishing
from inference.text.starts import Starts
from inference.explore import bands, cooccurrence, distances, layout, matching, saliency, similar
from inference.day_sums import in_span
from inference.documents import count, numbers_of_mask
from inference.kernels.beta_rows import BetaRows
from inference.runtime.arrays import frozen

compiling.warm_up()
compiled = []

def noticed(kernel, signature, compile=Dispatcher.compile):
    if tuple(signature) not in kernel.overloads:  # the warm-up has not met it: it is compiled, or loaded as another test compiled it
        compiled.append(f"{kernel} {signature}")
    return compile(kernel, signature)

rng = np.random.default_rng(1)
documents = [np.unique(rng.integers(0, 500, 60)) for _ in range(600)]
indptr = np.cumsum([0] + [len(d) for d in documents])
Bow(indptr, np.concatenate(documents).astype(np.int32), np.ones(indptr[-1], np.int32), 500, offsets=np.zeros(indptr[-1], np.int32)).save(Path(sys.argv[1]))
bow = Bow.open(Path(sys.argv[1]))
Postings.write(Path(sys.argv[1]) / "by_word", bow)
postings = Postings.open(Path(sys.argv[1]) / "by_word")
with patch.object(Dispatcher, "compile", noticed):
    engine = engines.get("ssi")
    decaying = engines.config("ssi", topics=30, statistics="decay", expectation="log", minibatch=50, passes=12, kappa=0.6, tau0=1.0)
    for config in (engines.config("ssi", topics=30, passes=5, minibatch=50), decaying):
        for e in train(engine, config, bow, threads=1, scratch=Path(sys.argv[1])):
            if isinstance(e, Snapshot):
                state = e.state
        list(gather(Path(sys.argv[1]) / "evidence", bow, postings, engine.topics(config, state), fold_in_corpus(engine, config, state, bow), days=np.full(bow.D, 700_000, np.int32)))
        evidence = open_evidence(Path(sys.argv[1]) / "evidence", bow, postings)
        evidence.topic_documents.at_least([0, 1], 0.5)
        evidence.topic_documents.strongest([0, 1], np.zeros(bow.D, np.int32), 0, 3)
        word_in = evidence.word_topics.of_word(1)[0][:3]
        evidence.token_places.of_rows(word_in, np.zeros(len(word_in), np.int64), 1)
        evidence.word_topics.tokens_by_topic([1, 2], np.ones(bow.D, bool))
        some = np.arange(9, dtype=np.int32)
        evidence.topic_documents.at_least([0, 1], 0.5, some)
        evidence.token_topics.word_sums(np.zeros(9, np.int32), np.zeros((1, 30), np.int32), 1, some)
        evidence.mixtures.sums(np.zeros(9, np.int32), 1, None, some)
        for into in (np.arange(30), np.zeros(30, np.int32)):
            evidence.day_sums.ranges([(699_000, 700_001), (700_001, 700_009)], evidence.topic_documents, lambda a, b: some, np.full(bow.D, 700_000, np.int32), [0], into)
        in_span(frozen(np.full(bow.D, 700_000, np.int32), np.int32), 1, 2, 0, 1)
        numbers_of_mask(np.arange(bow.D) % 2 > 0)
        for tokens in (evidence, None):
            predict(bow, tokens, some, some % 2.0, 0)
        saliency.saliency(*evidence.word_topics.held_by_word()[:3], np.ones(30), np.arange(30))
        similar.nearest(evidence.topic_documents, np.ones(30) / 30, 5)
        sparing = open_evidence(Path(sys.argv[1]) / "evidence", Bow.open(Path(sys.argv[1]), sparing=True), postings)
        sparing.token_topics.word_sums(np.zeros(bow.D, np.int32), np.zeros((1, 30), np.int32), 1)
        SenseUses(sparing, 1, np.arange(30)).near([0], 5)
        similar.nearest(sparing.topic_documents, np.ones(30) / 30, 5)
        evidence.mixtures.sums(np.zeros(bow.D, np.int32), 1)
        evidence.mixtures.folded(np.zeros(30, np.int32))
        evidence.token_topics.word_sums(np.zeros(bow.D, np.int32), np.zeros((1, 30), np.int32), 1)
        for mask, into in ((None, np.arange(30)), (np.arange(bow.D) % 2 > 0, np.zeros(30, np.int32))):
            uses = SenseUses(evidence, 1, into, mask)
            uses.tally(np.zeros(bow.D, np.int32), 1)
            uses.by_day(uses.by_certainty(uses.pairs(0)), np.arange(bow.D, dtype=np.int32))
            uses.certainties()
            uses.places(uses.pairs(0))
            uses.near([0, 1], 5)
            distinguishing(evidence, uses, SenseUses(evidence, 2, into, mask), 5)
        diagnose(bow, engine.topics(config, state), evidence)
    many = [np.unique(rng.integers(0, 500, 12)) for _ in range(3000)]
    starts, words = np.cumsum([0] + [len(d) for d in many]), np.concatenate(many).astype(np.int32)
    Bow(starts, words, np.ones(len(words), np.int32), 500, offsets=np.zeros(len(words), np.int32)).save(Path(sys.argv[1]) / "large")
    large = Bow.open(Path(sys.argv[1]) / "large")
    completion = Completion(large, held_out_documents(large, 0))
    assert 1 < len(completion.sample) < len(completion.sizes) / 1.9  # so many are held out that they are judged by some
    for e in train(engine, engines.config("ssi", topics=30, passes=2), large, threads=1, scratch=Path(sys.argv[1])):
        pass
    topics = engine.topics(config, state)
    divergences = distances.divergences(topics)
    layout.separate(layout.layout(divergences), np.ones(topics.K))
    words = [str(w) for w in range(topics.V)]
    matching.match(topics, topics, words, words[::-1])
    mapped = np.memmap(Path(sys.argv[1]) / "tokens", np.int32, "w+", shape=600)
    documents = np.arange(601), np.zeros(600, np.uint16), np.memmap(mapped.filename, np.int32, "r"), np.full(600, 9)
    mapped = np.memmap(Path(sys.argv[1]) / "mapped", np.int32, "w+", shape=600)
    mapped[:] = np.arange(600) % 7
    mapped, six = np.memmap(mapped.filename, np.int32, "r"), np.full(100, 6, np.int32)
    stream = SimpleNamespace(words=mapped, starts=Starts.packed(mapped, six), lengths=six, title_words=mapped, title_lengths=six // 6, mixed=None, lexicon=list("abcdefg"))
    Index.write(Path(sys.argv[1]) / "index", stream, "en")
    index = Index.open(Path(sys.argv[1]) / "index", stream, lambda text: [(0, len(text), text)])
    index.rank('a -"b c" OR (d* "e f g")', index.find('a -"b c" OR (d* "e f g")'))
    lengths, sets = np.memmap(mapped.filename, np.int32, "r", shape=100), np.ones(100, np.uint8)
    two_sets.totals(lengths, sets)
    two_sides = word_units.sides_of(np.arange(100) % 2, lengths, np.arange(100) // 4)
    word_units.count_words(index.fields["text"], 7, two_sides, 5)
    for chosen in (None, lengths > 2):
        two_sets.tokens(index.fields["text"], 7, chosen, 5)
    collocations.Near(index, 2, 5, 5).add(np.arange(100, dtype=np.int32), np.zeros(100, np.int32))
    collocations.FormPairs(index, 2, 5, 5, True, np.arange(3)).add(np.arange(100, dtype=np.int32), np.zeros(100, np.int32))
    for inside in (np.zeros(0, bool), np.ones(30, bool)):
        hits.Hits(index, patterns.parse("a b* ~9 /c|d/{0,2} e", lambda text: [(text, 0)]), evidence, inside, np.ones(99, bool)).places(3, 5)
    texts = [f"old and new words, é{i} well-known{i} it's Ελλάς ΣΟΦΟΣ " * 3 for i in range(2000)]
    checkpoint = None
    for _ in range(2):
        with Stream.write(Path(sys.argv[1]) / "stream", Tokeniser("el"), resume=checkpoint) as writer:
            writer.add(texts, texts[::-1])
            checkpoint = writer.commit()
    stream = Stream.open(Path(sys.argv[1]) / "stream")
    duplicates.find(stream)
    for choice in (
        VocabularyChoice(stop_words("en"), min_documents=1, hyphens="join", apostrophes="join", phrases=("old and new",)),
        VocabularyChoice(stop_words("en"), 1, 1.0, forms="stems", language="en", duplicates="near"),
    ):
        phrases.find(stream, choice)
        choose(stream, choice, Path(sys.argv[1]) / "chosen")
        terms(texts[:3], choice)
        stops(texts[:1], [np.array([0])], choice)
    stream.lexicon.find(["new"])
    bands.shares(*documents, np.zeros(600, np.int32), 1, [0])
    cooccurrence.companions(*documents, 30, 5)
    count(np.zeros(600, np.int32), 1, np.ones(600, bool))
    infer.read(BetaRows.from_entries(3, np.array([0, 2]), np.array([1, 0]), np.array([0.5, 0.25]), np.zeros(30)), np.array([1, 2, 3]), 0.1)
print(compiled)
"""


def test_nothing_is_left_to_compile(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, timeout=900
    )
    assert done.stdout.strip() == "[]", (
        "The warm-up does not call these with these types: call them in `exploring` of"
        " inference/compiling.py, or for an engine by one of its `compiling_configs`.\n"
        f"{done.stdout}{done.stderr}"
    )
