"""The engines that are compared, each with its recommended settings, in a process of its own.

Each adapter trains on the corpus in `task.train`, within `with clock:` only, and shows dense
topic-word matrices: float[K, V], not normalised. A word that a peer never saw gets its topic's
least weight, as smoothing would give it.
"""

import importlib.metadata
import importlib.util
import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.engines.clock import Clock
from benchmarks.trainer import Trainer
from inference import Bow, compiling, engines
from inference.engines import from_documents


@dataclass(frozen=True)
class Task:
    """What an engine's process is given. whole: a folder with all documents; train: one with those
    to train on."""

    engine: str
    settings: dict
    whole: str
    train: str
    topics: int
    seconds: float
    seed: int
    threads: int
    one_pass: bool
    cpu: bool


@dataclass(frozen=True)
class Variant:
    """An engine with settings. extra: worse than another variant wherever it was tried; run only
    when asked for."""

    engine: str
    settings: dict = field(default_factory=dict)
    note: str = ""
    extra: bool = False

    @property
    def label(self) -> str:
        return f"{self.engine} {self.note}".strip()


# Of ours: the kernels for its settings are compiled by some passes over few documents
COMPILED_DOCUMENTS = 200
COMPILED_PASSES = 3
# Of the peers
ETA_OF_SAMPLERS = 0.01
SMALL_K = 200  # up to which a document's alpha of 0.1 a topic is good
ALPHA = 0.1
ALPHA_OF_LARGE_K = 0.01
ENDLESS = 1 << 30  # passes, or passes between two checks: more than there is time for
GENSIM_CHUNK = 2000  # documents, as its tutorial has
HDP_CHUNK = 256  # gensim's default
SKLEARN_BATCH = 256
# Of topica, whose defaults are for 1000 iterations: parts of the passes, and at most
TOPICA_STATES = 5
TOPICA_APART = 25
TOPICA_BURN_IN = 200
TOPICA_LEARNING = 50


# ---- our own ----


def topograph(task: Task, clock: Clock) -> None:
    """The engine as inference.train steps it, and on beyond its last pass while there is time. What
    a run measures at its snapshots is measured where they are due, and counted apart."""
    from inference.evaluate import Coherence, Completion
    from inference.schedule import held_out_documents, snapshots

    settings: dict = {"topics": task.topics}
    if task.one_pass:
        settings["passes"] = 1
    settings |= task.settings
    name = settings.pop("engine", engines.DEFAULT)
    engine = engines.get(name)
    bow = Bow.open(Path(task.whole))
    config = engines.config(name, **settings).resolve(bow.D, bow.tokens)

    compiling.engine(name)
    most = COMPILED_DOCUMENTS
    if settings.get("start") == "joined":
        most += from_documents.JOINED_PER_TOPIC * task.topics
    few_documents = bow.part(0, min(most, bow.D))
    compiled = Trainer(few_documents, engine, config, task.seed, threads=task.threads)
    for _ in range(COMPILED_PASSES):
        compiled.one_pass()
    compiled.topics()

    held_out = held_out_documents(bow, task.seed)
    with clock.judging():
        completion = Completion(bow, held_out)
        coherence = Coherence(bow)
    with clock:
        trainer = Trainer(bow, engine, config, task.seed, held_out, task.threads)
    state = trainer.state
    schedule = trainer.schedule
    documents_seen = 0
    schedule.measure(snapshots(engine, config, bow, completion.sample_tokens))
    due, _ = schedule.due(0)
    while True:
        with clock:
            documents = trainer.take_next()
        documents_seen += len(documents)
        can_be_judged = not engine.ABOUT.batch or state.t % schedule.per_pass == 0
        if state.tokens >= due and can_be_judged:
            due, _ = schedule.due(state.tokens)
            with clock.judging():
                topics = trainer.topics()
                completion.estimate(topics.in_use())
                coherence(topics)
        if not clock.continues(
            documents_seen / schedule.corpus.trained_documents, lambda: trainer.topics().dense()
        ):
            return


# ---- samplers ----


def tomotopy(task: Task, clock: Clock) -> None:
    """Its defaults: alpha 0.1, eta 0.01, alpha learned every 10 passes; at large K also a smaller
    alpha, see `variants`."""
    import tomotopy as tp

    bow = Bow.open(Path(task.train))
    model = tp.LDAModel(
        tw=tp.TermWeight.ONE,
        k=task.topics,
        alpha=task.settings["alpha"],
        eta=ETA_OF_SAMPLERS,
        seed=task.seed,
    )
    model.optim_interval = task.settings["optim_interval"]
    for tokens in token_lists(bow):
        model.add_doc(tokens)
    with clock:
        model.train(0, workers=task.threads)
    words = np.array([int(word) for word in model.used_vocabs])

    def topics():
        of_words = np.array([model.get_topic_word_dist(k) for k in range(task.topics)])
        return with_all_words(of_words, words, bow.V)

    clock.train(lambda passes: model.train(passes, workers=task.threads), [(1, bow.D)], topics)


def topica(task: Task, clock: Clock) -> None:
    """Its defaults (those of MALLET's users: beta 0.01, alpha and beta learned, five states
    averaged) are made for 1000 iterations: learning after 200, every 50, and states 25 apart.
    Shorter runs have them shorter in proportion.
    """
    import topica as library

    bow = Bow.open(Path(task.train))
    corpus = library.Corpus.from_documents(list(token_lists(bow)))
    # CVB0 has no states to average: `iters` is all there is
    is_variational = task.settings["sampler"] == "cvb0"

    def run(passes: int, clock: Clock) -> np.ndarray:
        states = min(TOPICA_STATES, max(1, passes // 5))
        between_states = 0 if is_variational else max(1, min(TOPICA_APART, passes // 40))
        model = library.LDA(
            task.topics,
            seed=task.seed,
            num_threads=task.threads,
            beta=ETA_OF_SAMPLERS,
            burn_in=min(TOPICA_BURN_IN, passes // 5),
            optimize_interval=max(1, min(TOPICA_LEARNING, passes // 20)),
            **task.settings,
        )
        with clock:
            model.fit(
                corpus,
                iters=passes - states * between_states,
                num_samples=states,
                sample_interval=max(1, between_states),
                keep_theta_draws=False,
                progress=False,
                check_every=ENDLESS,
            )
        words = np.array([int(word) for word in model.vocabulary])
        return with_all_words(np.asarray(model.topic_word), words, bow.V)

    clock.repeat(run)


# ---- online variational Bayes ----


def gensim(task: Task, clock: Clock) -> None:
    """Train as gensim's tutorial recommends: alpha and eta learned, chunks of 2000 documents,
    several passes."""
    from gensim.models import LdaModel

    bow = Bow.open(Path(task.train))

    class Over(Exception):
        pass

    class Feed:
        """The corpus; when gensim asks for a chunk's first document it has learned from all chunks
        before."""

        def __init__(self):
            self.documents = pairs(bow)
            self.seen = 0

        def __len__(self):
            return bow.D

        def __iter__(self):
            for i, document in enumerate(self.documents):
                if i % GENSIM_CHUNK == 0 and self.seen:
                    clock.__exit__()
                    if not clock.continues(self.seen / bow.D, model.get_topics):
                        raise Over
                    clock.__enter__()
                self.seen += 1
                yield document

    with clock:
        model = LdaModel(
            id2word=names_of_words(bow),
            num_topics=task.topics,
            alpha="auto",
            eta="auto",
            chunksize=GENSIM_CHUNK,
            eval_every=None,
            random_state=task.seed,
        )
    feed = Feed()
    clock.__enter__()
    with suppress(Over):
        model.update(feed, passes=ENDLESS)


def sklearn(task: Task, clock: Clock) -> None:
    """learning_method="online" with its defaults (decay 0.7, offset 10, priors 1 / K); batches of
    256, as Hoffman's."""
    from sklearn.decomposition import LatentDirichletAllocation

    bow = Bow.open(Path(task.train))
    matrix = as_matrix(bow)
    parts = [matrix[i : i + SKLEARN_BATCH] for i in range(0, bow.D, SKLEARN_BATCH)]
    batches = [(part, part.shape[0]) for part in parts]
    model = LatentDirichletAllocation(
        task.topics,
        learning_method="online",
        batch_size=SKLEARN_BATCH,
        total_samples=bow.D,
        n_jobs=task.threads,
        random_state=task.seed,
    )
    clock.train(model.partial_fit, batches, lambda: model.components_)


def sklearn_batch(task: Task, clock: Clock) -> None:
    """learning_method="batch" with its defaults (priors 1 / K). Its `fit` is these passes and, at
    their end, one more look at all documents, for a perplexity that is not used here: so passes are
    done one by one."""
    from sklearn.decomposition import LatentDirichletAllocation

    bow = Bow.open(Path(task.train))
    model = LatentDirichletAllocation(
        task.topics, learning_method="batch", n_jobs=task.threads, random_state=task.seed
    )
    matrix = as_matrix(bow)
    with clock:
        model._init_latent_vars(bow.V)
    step = partial(model._em_step, total_samples=bow.D, batch_update=True)
    clock.train(step, [(matrix, bow.D)], lambda: model.components_)


def gensim_hdp(task: Task, clock: Clock) -> None:
    """HdpModel with its defaults (15 topics a document, chunks of 256), but for its 150 topics,
    which are as many as asked for. It trains in its constructor, to the end of a pass; here chunk
    by chunk, as its `update` does. All its topics are judged: it doesn't say which are in use."""
    from gensim.models import HdpModel

    class Untrained(HdpModel):
        def update(self, corpus):
            """Not in the constructor."""

    bow = Bow.open(Path(task.train))
    documents = pairs(bow)
    with clock:
        model = Untrained(
            documents,
            names_of_words(bow),
            T=task.topics,
            chunksize=HDP_CHUNK,
            random_state=task.seed,
        )

    def topics():
        model.update_expectations()
        return model.get_topics()

    parts = [documents[first : first + HDP_CHUNK] for first in range(0, bow.D, HDP_CHUNK)]
    chunks = [(part, len(part)) for part in parts]
    clock.train(model.update_chunk, chunks, topics)


def vowpal_wabbit(task: Task, clock: Clock) -> None:
    """Its tutorial's settings, which are Hoffman's: minibatch 256, power_t 0.5, lda_alpha and
    lda_rho 0.1.

    Its Python examples can't be used with --lda, so it reads its own cache file, written
    beforehand, as the command does; that has a second thread for reading, on the same core here. A
    run can't be looked into, nor continued as it was.
    """
    from vowpalwabbit import Workspace

    bow = Bow.open(Path(task.train))
    bits = max(1, int(np.ceil(np.log2(bow.V))))
    # What a binary model ends with, 2^bits of them
    record = np.dtype([("word", "<u8"), ("weights", "<f4", task.topics)])

    def arguments(topics: int) -> list[str]:
        lda = (
            f"--lda {topics} --lda_alpha 0.1 --lda_rho 0.1 --lda_D {bow.D} --minibatch 256"
            " --power_t 0.5 --initial_t 1"
        )
        return f"{lda} -b {bits} --random_seed {task.seed} --holdout_off --quiet".split()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text"
        cache = folder / "cache"
        saved = folder / "model"
        with text.open("w") as file:
            for words, counts in rows(bow):
                features = [f"{w}:{c}" for w, c in zip(words, counts, strict=True)]
                file.write(f"| {' '.join(features)}\n")
        written = ["--data", str(text), "--cache_file", str(cache), "-k"]
        Workspace(arg_list=[*arguments(1), *written]).finish()

        def run(passes: int, clock: Clock) -> np.ndarray:
            read = ["--cache_file", str(cache), "--passes", str(passes), "-f", str(saved)]
            with clock:  # it trains when it is made
                model = Workspace(arg_list=[*arguments(task.topics), *read])
            model.finish()
            of_weights = saved.read_bytes()[-record.itemsize << bits :]
            weights = np.frombuffer(of_weights, record)
            assert np.array_equal(weights["word"], np.arange(1 << bits)), (
                "Vowpal Wabbit's model file has changed its form."
            )
            return weights["weights"][: bow.V].T

        clock.repeat(run)


def as_matrix(bow: Bow):
    """csr_matrix, float64[D, V]."""
    from scipy.sparse import csr_matrix

    counts = np.asarray(bow.counts, np.float64)
    return csr_matrix((counts, np.asarray(bow.words), bow.indptr), (bow.D, bow.V))


def rows(bow: Bow) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(words int32[n], counts int32[n]) of each document."""
    for start, end in pairwise(bow.indptr):
        yield bow.words[start:end], bow.counts[start:end]


def pairs(bow: Bow) -> list[list[tuple[int, int]]]:
    """(word, count) of each document, as gensim has it."""
    return [list(zip(words.tolist(), counts.tolist(), strict=True)) for words, counts in rows(bow)]


def names_of_words(bow: Bow) -> dict[int, str]:
    return {word: str(word) for word in range(bow.V)}


def token_lists(bow: Bow) -> Iterator[list[str]]:
    """Documents as lists of words, each word its number."""
    names = np.array([str(w) for w in range(bow.V)], object)
    for words, counts in rows(bow):
        yield names[np.repeat(words, counts)].tolist()


def with_all_words(of_words: np.ndarray, words: np.ndarray, V: int) -> np.ndarray:
    """Columns of some words, float[K, n], as those of all, float[K, V]: others have a row's least
    weight. words: int64[n]."""
    topics = np.repeat(of_words.min(axis=1, keepdims=True), V, axis=1)
    topics[:, words] = of_words
    return topics


# ---- all of them ----

# Name: the adapter, and the package it needs
ADAPTERS: dict[str, tuple[Callable[[Task, Clock], None], str]] = {
    "topograph": (topograph, "inference"),
    "tomotopy": (tomotopy, "tomotopy"),
    "topica-sparse": (topica, "topica"),
    "topica-warplda": (topica, "topica"),
    "topica-cvb0": (topica, "topica"),
    "gensim": (gensim, "gensim"),
    "sklearn": (sklearn, "scikit-learn"),
    "vw": (vowpal_wabbit, "vowpalwabbit"),
    "sklearn-batch": (sklearn_batch, "scikit-learn"),
    "gensim-hdp": (gensim_hdp, "gensim"),
}
OURS = "topograph"


def variants(engine: str, K: int) -> list[Variant]:
    """The settings in which a peer is run.

    topica's default is alpha = 1 (a sum of K). On Reuters, 20 s at K = 100 and 15 s at K = 1000,
    that was worse for each of its samplers: after 8 passes of the sparse one -7.438 against -7.234
    and -7.580 against -7.194 (7 passes), after 64 of WarpLDA -7.056 against -7.006 (49 passes) and
    -7.354 against -6.869, and CVB0 had not left the start after 4.

    tomotopy's learning of alpha takes as long as five passes at K = 1000: once in 50 passes instead
    of 10 is better there in the first 15 s (-7.014 against -7.082; with alpha = 0.1 it is -7.138).
    """
    is_large = K > SMALL_K
    alpha = ALPHA_OF_LARGE_K if is_large else ALPHA
    if engine == "tomotopy":
        usual = Variant(engine, {"alpha": alpha, "optim_interval": 10}, f"alpha={alpha}")
        if not is_large:
            return [usual]
        return [
            usual,
            Variant(engine, {"alpha": alpha, "optim_interval": 50}, f"alpha={alpha}/50"),
            Variant(engine, {"alpha": ALPHA, "optim_interval": 10}, "alpha=0.1", extra=True),
        ]
    if engine.startswith("topica-"):
        sampler = engine.removeprefix("topica-")
        return [
            Variant(engine, {"sampler": sampler, "alpha_sum": alpha * K}, f"alpha={alpha}"),
            Variant(engine, {"sampler": sampler, "alpha_sum": None}, "alpha=1", extra=True),
        ]
    return [Variant(engine)]


def version(engine: str) -> str | None:
    """The version of a peer's package; None where it is not installed."""
    _, package = ADAPTERS[engine]
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return None


def run(task: Task, pipe) -> None:
    """The child: sends ("topics", seconds, other seconds, seconds of judging, passes, file) and
    waits for an answer; at last ("end",) or ("problem", text)."""
    if hasattr(os, "sched_setaffinity"):
        # So many cores, whatever threads a library starts by itself
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[-task.threads :])
    try:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "topics.npy"

            def show(seconds, passes, topics):
                np.save(target, np.asarray(topics, np.float32))
                pipe.send(("topics", seconds, clock.other, clock.judged, passes, str(target)))
                pipe.recv()

            clock = Clock(task.seconds, task.one_pass, show, task.cpu)
            adapter, _ = ADAPTERS[task.engine]
            adapter(task, clock)
        pipe.send(("end",))
    except EOFError:  # the parent is gone
        return
    except Exception as error:
        pipe.send(("problem", f"{type(error).__name__}: {error}", traceback.format_exc()))
