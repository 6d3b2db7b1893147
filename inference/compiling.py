"""Compiling every kernel before anybody waits for it, or loading it where it is kept
(inference.runtime.jit), by taking tiny corpora the whole way.

Kernels are compiled for read-only arrays, too, so what a real run opens from disk is opened from
disk here. Several processes can do parts at the same time: none compiles what another one does.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_matrix

from inference import checkpoint, engines, infer, senses, simulate
from inference.answers import spans
from inference.answers.outcome import AmountTable
from inference.bow import Bow, Postings
from inference.codes.predict import predict
from inference.day_sums import DaySums, in_span
from inference.documents import count
from inference.effects import joint, regression, shares, unit_documents
from inference.engines.contract import AnyEngine, Config
from inference.evaluate import Coherence, Completion, LeftToRight, diagnose
from inference.evidence import Evidence, gather, open_evidence
from inference.explore import bands, cooccurrence, distances, layout, neighbours, saliency, similar
from inference.explore.name_candidates import phrase_uses
from inference.explore.pieces import PieceTable
from inference.findings import sums, unlike
from inference.index import Index, collocations, hits, patterns, two_sets, word_units
from inference.kernels import assign, rng
from inference.kernels.beta_rows import BetaRows
from inference.runtime.arrays import frozen
from inference.text import (
    Stream,
    Tokeniser,
    VocabularyChoice,
    choose,
    duplicates,
    phrases,
    stops,
    terms,
)
from inference.text.starts import Starts
from inference.topic_sums import MEASURES, MEASURES_OF_ALL
from inference.topics import Theta, Topics
from inference.training import Snapshot, fold_in_corpus, train

# Of the bag of words that all is compiled for
BAG_DOCUMENTS = 60  # of two pairs each; some more than a minibatch of the engines' warm-up
BAG_WORDS = 3


def warm_up(backwards: bool = False) -> None:
    """All of it, which takes minutes once: the engines in the order of their registry, then what
    explores; or backwards, so that two processes share the work."""
    parts: list[Callable[[], None]] = [
        *(partial(engine, name) for name in engines.ENGINES),
        exploring,
    ]
    for part in reversed(parts) if backwards else parts:
        part()


def engine(name: str = engines.DEFAULT) -> None:
    """What trains with one engine: its kernels, and those of the measures.

    Another engine than the default is compiled as its first run needs it.
    """
    trains = engines.get(name)
    _train(trains, trains.compiling_configs())


def usual() -> None:
    """What a first training waits for: the default engine with its usual settings, the first of its
    `compiling_configs`."""
    trains = engines.get(engines.DEFAULT)
    _train(trains, trains.compiling_configs()[:1])


def rest() -> None:
    """All that is not `usual`, in the order in which it is needed: what reads texts, then what
    judges topics while they are trained, so that it need not wait for the engine, then the rest."""
    with tempfile.TemporaryDirectory() as folder:
        texts(Path(folder))
        _judging(Path(folder))
    exploring()
    engine()


def _train(trains: AnyEngine, configs: Sequence[Config]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bow = _bow(Path(folder))
        file = Path(folder) / "checkpoint"
        for open_config in configs:
            config = open_config.resolve(bow.D, bow.tokens)
            for event in train(trains, config, bow):
                if isinstance(event, Snapshot):
                    checkpoint.save(file, event.state, engine=trains, config=config, bow=bow)
            state = checkpoint.load(file, engine=trains, config=config, bow=bow)
            list(fold_in_corpus(trains, config, state, bow))
            trains.topics(config, state)


def _judging(folder: Path) -> None:
    """What a training measures of its topics. It is half a minute of what comes before a first
    point."""
    bow = _bow(folder)
    completion = Completion(bow, np.arange(4))
    for judge in (completion, completion.estimate, Coherence(bow)):
        judge(_topics())


def _topics() -> Topics:
    """Two topics of three words: what two and one of them have, and what all words have."""
    listed_words = (
        np.array([0, 2, BAG_WORDS]),
        np.arange(BAG_WORDS, dtype=np.int32),
        np.array([0.5, 0.4, 0.8], np.float32),
    )
    topics = Topics(
        *listed_words,
        floor=np.full(2, 0.1),
        floor_mass=np.array([0.1, 0.2]),
        share=np.full(2, 0.5),
        V=BAG_WORDS,
    )
    return topics.proper()


def exploring() -> None:
    """What comes before a training and after it: texts, the search, evidence, measures of topics,
    and exploring them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts(folder)
        topics = _topics()
        _evidence(folder, topics, _index(folder))
    _explore(topics)
    _draw()
    _count_a_phrase()
    simulate.corpus(5, 2, 3, 4)


def _bow(folder: Path) -> Bow:
    words = np.tile(np.array([0, 1, 1, 2], np.int32), BAG_DOCUMENTS // 2)
    indptr = np.arange(0, len(words) + 1, 2)
    counts = np.ones(len(words), np.int32)
    Bow(indptr, words, counts, BAG_WORDS, offsets=np.zeros(len(words), np.int32)).save(folder)
    return Bow.open(folder)


def _word_sums(bow: Bow, evidence: Evidence) -> None:
    documents = frozen(np.zeros(1, np.int32), np.int32)
    row = frozen(np.zeros((1, evidence.K), np.int32), np.int32)
    evidence.token_topics.word_sums(documents, row, 1, documents)
    sums_of_words = np.zeros((1, bow.V), np.int64)  # of a collection of very many tokens
    assign.add_word_sums(
        documents,
        False,
        documents,
        row,
        frozen(bow.indptr, np.int64),
        bow.words,
        bow.counts,
        evidence.token_topics.topics,
        sums_of_words,
        sums_of_words,
    )


def _evidence(folder: Path, topics: Topics, index: Index) -> None:
    bow = _bow(folder)
    Postings.write(folder / "by_word", bow)
    postings = Postings.open(folder / "by_word")
    theta = Theta(0, np.arange(bow.D + 1), np.zeros(bow.D, np.int32), np.ones(bow.D, np.float32))
    days = np.ones(bow.D, np.int32)
    list(gather(folder / "evidence", bow, postings, topics, [theta], days=days))
    evidence = open_evidence(folder / "evidence", bow, postings)
    some_words = np.zeros(1, np.int32)
    edges = np.array([0, 5])  # days; some documents are between them
    sums_of_all = np.zeros((len(edges), MEASURES_OF_ALL), np.int64)
    sums_by_topic = np.zeros((len(MEASURES), len(edges), evidence.K), np.int64)
    day_sums = DaySums(edges, sums_of_all, sums_by_topic)
    no_parts = np.zeros(evidence.K, np.int32)

    def documents_between(first: int, end: int) -> np.ndarray:
        return some_words

    day_sums.ranges([(1, 2)], evidence.topic_documents, documents_between, days, [0], no_parts)
    in_span(frozen(days, np.int32), 1, 2, 0, 1)
    evidence.topic_documents.at_least([0, 0], 0.5)
    pattern = patterns.parse("a ~1 b", lambda text: [(text, 0)])
    unlimited = math.inf  # seconds: a busy machine takes long to compile
    all_topics = np.ones(1, bool)
    both_documents = np.ones(2, bool)
    pattern_hits = hits.Hits(
        index, pattern, evidence, all_topics, both_documents, seconds=unlimited
    )
    pattern_hits.places(0, 1)
    evidence.mixtures.tokens_held([0], some_words)
    predict(bow, evidence, some_words, np.ones(1), 0)
    evidence.topic_documents.strongest([0], np.zeros(bow.D, np.int32), 0, 1)
    evidence.token_places.of_rows(np.zeros(1, np.int32), np.zeros(1, np.int64), 1)
    evidence.word_topics.tokens_by_topic([1], np.ones(bow.D, bool))
    _word_sums(bow, evidence)
    saliency.saliency(
        *evidence.word_topics.held_by_word()[:3], np.ones(evidence.K), np.arange(evidence.K)
    )
    similar.nearest(evidence.topic_documents, np.full(evidence.K, 1 / evidence.K), 1)
    evidence.mixtures.sums(np.zeros(bow.D, np.int32), 1)
    evidence.mixtures.folded(np.zeros(evidence.K, np.int32))
    counts = frozen(np.ones(1, np.int32), np.int32)
    topics_given = frozen(np.zeros(1, np.uint16), np.uint16)
    assign.mixtures(np.array([0, 1]), counts, topics_given, 1)  # where documents have sections
    diagnose(bow, topics, evidence)
    LeftToRight(bow, np.arange(2), 2)(topics, 0.1)
    list(neighbours.samples(evidence, np.ones(bow.V, np.int32)))
    PieceTable(evidence, 0, 1, [0], np.ones(bow.V, np.int32))
    engines.from_documents.unlike(bow, np.arange(4), np.ones(bow.V), 2, 1)
    group = np.zeros(bow.D, np.int32)
    for mask in (None, group == 0):
        uses = senses.SenseUses(evidence, 1, np.arange(evidence.K), mask)
        uses.tally(group)
        uses.certainties()
        uses.by_day(uses.by_certainty(uses.pairs(None)), group)
        uses.places(uses.pairs(0))
        uses.near([0], 1)
    senses.distinguishing(evidence, uses, senses.SenseUses(evidence, 0, np.arange(evidence.K)), 1)


def _index(folder: Path) -> Index:
    np.array([0, 1, 0, 0], np.int32).tofile(folder / "stream")
    words = np.memmap(folder / "stream", np.int32, "r")
    lengths = np.array([2, 2], np.int32)
    stream = SimpleNamespace(
        words=words,
        starts=Starts.packed(words, lengths),
        lengths=lengths,
        title_words=words,
        title_lengths=lengths,
        lexicon=["a", "b"],
        mixed=None,
    )
    Index.write(folder / "index", stream)
    index = Index.open(folder / "index", stream, lambda text: [(0, len(text), text)])
    for query in ("a", '"a" b*', '"a b"', "a or b"):
        index.rank(query, index.find(query))
    sets = np.ones(2, np.uint8)
    two_sets.totals(frozen(lengths, np.int32), sets)
    # Units of two documents, and single ones, by the numbers that are large enough for their words
    for unit, words_each in ((np.zeros(2, np.int64), 2), (None, 2), (None, 100), (None, 50_000)):
        sizes = np.full(2, words_each, np.int32)
        two_sides = word_units.sides_of(np.array([0, 1]), sizes, unit)
        word_units.count_words(index.fields["text"], 2, two_sides, 1)
    for mask in (None, np.ones(2, bool)):
        two_sets.tokens(index.fields["text"], 2, mask, 1)
    for windows in (
        collocations.Near(index, 1, 1, 1),
        collocations.FormPairs(index, 1, 1, 1, False, np.zeros(1, np.int32)),
    ):
        windows.add(np.zeros(1, np.int32), np.zeros(1, np.int32))
    return index


def texts(folder: Path) -> None:
    """What reads texts and chooses words; files are left in the folder."""
    lines = ["New York is well-known, it's. İstanbul 漢字 été " * 4] * 12
    lines.append(" ".join(f"a{i}-b" for i in range(3_000)))  # so many that tables grow
    so_far = None
    for _ in range(2):  # a second time: with the words of the first
        with Stream.write(folder / "tokens", Tokeniser(), resume=so_far) as writer:
            writer.add(lines, lines)
            so_far = writer.commit()
    stream = Stream.open(folder / "tokens")
    duplicates.find(stream)
    joined = VocabularyChoice(
        frozenset(["new"]),
        min_documents=1,
        hyphens="join",
        forms="stems",
        language="en",
        phrases=("is well",),
    )
    for choice in (VocabularyChoice(min_documents=1, max_share=1.0), joined):
        phrases.find(stream, choice)
        choose(stream, choice, folder / "chosen")
        terms(lines, choice)
        stops(lines[:1], [np.array([0])], choice)


def _draw() -> None:
    """The random numbers of answers, of which some are drawn of large collections alone."""
    rng.uniforms(rng.streams(rng.SIDES, range(1)), 2)
    rng.shuffled(2, rng.stream(rng.PERIODS))
    rng.normals(2, rng.stream(rng.DIRECTIONS))


def _count_a_phrase() -> None:
    """What counts phrases for topics' names, over one document of two words."""
    documents = np.zeros(1, np.int64)
    indptr = frozen(np.array([0, 2]), np.int64)
    words = frozen(np.arange(2), np.int32)
    counts = frozen(np.ones(2), np.int32)
    first_token = frozen(documents, np.int64)
    offsets = frozen(np.arange(2), np.int32)
    topics = frozen(np.zeros(2), np.uint16)
    phrase = np.arange(2)
    lengths = np.ones(2, np.int64)
    phrase_uses(documents, indptr, words, counts, first_token, offsets, topics, 0, phrase, lengths)


def _explore(topics: Topics) -> None:
    rows = distances.rows(topics)
    layout.separate(layout.layout(distances.divergences(topics)), np.ones(topics.K))
    distances.between(rows, rows)
    documents = np.array([0, 1]), np.array([0]), np.array([3]), np.array([4])
    bands.shares(*documents, np.array([0]), 1, np.array([0]))
    mixes = np.arange(3), np.array([0, 1]), np.array([3, 4]), np.array([4, 4])
    effect = regression.Data.from_documents(
        unit_documents.by_code(np.zeros(2)), np.arange(2), mixes, np.arange(2), 2
    )
    regression.fit(effect, np.array([[1.0, 0.0], [1.0, 1.0]]), np.eye(2))
    shares.of_groups(effect, 2)
    exchangeable_unit = joint.Exchangeable(
        np.zeros(2, np.int32), np.zeros(1, np.int8), np.zeros(1, np.int32)
    )
    joint.sums(effect, np.ones((2, 1)), exchangeable_unit)
    sums.sums(sums.by_group(np.zeros(2, np.int32), 1), 1, *mixes, np.arange(topics.K), topics.K)
    unlike.unlike(*mixes, topics.K, np.ones(2, bool))
    table = AmountTable(csr_matrix(np.eye(2)), np.ones(2))
    spans.look_through(table, spans.Periods(np.arange(2), np.arange(2) + 1))
    count(np.zeros(1, np.int32), 1)
    cooccurrence.companions(*documents, topics.K, 1)
    word_rows = BetaRows.from_entries(1, np.array([0]), np.array([0]), np.ones(1), np.zeros(1))
    infer.read(word_rows, np.ones(1), np.full(1, 0.1))
    first_topic = frozen(np.zeros(1, np.int32), np.int32)
    assign.fill_theta(first_topic, frozen(np.ones(1, np.float32), np.float32), np.empty(2))
