"""What the contract promises, of every registered engine and of one that only tests have."""

import json
from dataclasses import asdict, fields

import numba
import numpy as np
import pytest

from inference import (
    Bow,
    Evidence,
    Invalid,
    Progress,
    Snapshot,
    begin,
    checkpoint,
    engines,
    fold_in_corpus,
    gather,
    open_evidence,
    train,
)
from inference.engines.contract import MOST_TOPICS, Bounded, TrainingCorpus, WarmStart
from inference.objective import Objective
from inference.schedule import held_out_documents
from tests.engines import mixture
from tests.inference.corpora import bow_of, equal, planted, postings as postings_of

NAMES = [*engines.ENGINES, mixture.NAME]
K = 4


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The tests' engine is registered as any other."""
    monkeypatch.setitem(engines.ENGINES, mixture.NAME, mixture)


@pytest.fixture(params=NAMES)
def engine(request, registered):
    return engines.get(request.param)


@pytest.fixture(scope="module")
def bow() -> Bow:
    return planted(K, 80, 300, 40, seed=3)[0]


def config_of(engine, topics=K, **settings):
    return engines.config(
        engine.NAME, **{"topics": topics, "passes": 3, "minibatch": 40} | settings
    )


def snapshots(engine, config, bow, **options) -> list[Snapshot]:
    return [event for event in train(engine, config, bow, **options) if isinstance(event, Snapshot)]


def valid(topics, K: int, V: int) -> None:
    """Topics are what pages, measures and exports take them for."""
    assert (
        topics.proper().K == K
        and topics.V == V
        and topics.indptr[0] == 0
        and len(topics.indptr) == K + 1
    )
    assert len(topics.words) == len(topics.weights) == topics.indptr[-1]
    assert (topics.words.dtype, topics.weights.dtype) == (np.int32, np.float32)
    assert (
        topics.share.sum() == pytest.approx(1)
        and (topics.share >= 0).all()
        and (topics.floor >= 0).all()
    )
    assert topics.dense().sum(axis=1) == pytest.approx(np.ones(K), abs=1e-4)
    for k in range(K):
        row = slice(topics.indptr[k], topics.indptr[k + 1])
        assert (np.diff(topics.weights[row]) <= 0).all() and len(
            set(topics.words[row].tolist())
        ) == row.stop - row.start
    assert topics.used is None or (
        topics.used.dtype == bool and topics.used.shape == (K,) and topics.used.any()
    )


def test_what_forms_and_commands_say_of_it(engine):
    assert (
        engine.NAME == engine.NAME.lower() and engine.NAME.isidentifier() and len(engine.NAME) <= 20
    )
    assert (
        engine.ABOUT.label
        and engine.ABOUT.help.endswith(".")
        and engines.get(engine.NAME) is engine
    )
    assert (
        len(engine.ABOUT.purpose) <= 60
        and not engine.ABOUT.purpose.endswith(".")
        and engine.ABOUT.purpose[:1] == engine.ABOUT.purpose[:1].upper()
    )
    assert engine.ABOUT.source[-4:].isdigit() and not engine.ABOUT.source[0].isdigit(), (
        "authors and year"
    )
    assert engine.NAME != engines.DEFAULT or engine.ABOUT.purpose, "the default is what most want"
    declared = {setting.name: setting for setting in engines.fields(engine.NAME)}
    assert declared.keys() >= {"topics", "passes", "minibatch"} and declared["topics"].required
    for setting in declared.values():
        assert setting.label and setting.help and setting.type in (int, float, str)
        assert (setting.type is str) == bool(setting.choices)


def test_nothing_is_open_in_the_resolved_form(engine, bow):
    config = engines.config(engine.NAME, topics=K)
    resolved = config.resolve(bow.D, bow.tokens)
    assert None not in asdict(resolved).values() and type(resolved) is not type(config)
    assert resolved.resolve(1, 1) == resolved, "what was chosen once stays"
    assert asdict(engines.config(engine.NAME, **asdict(resolved))) == asdict(resolved)
    assert json.loads(json.dumps(asdict(resolved))) == asdict(resolved)
    for open_field in (f.name for f in fields(config) if f.default is None):
        with pytest.raises(Invalid) as error:
            type(resolved)(**asdict(resolved) | {open_field: None})
        assert error.value.field == open_field


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"topics": 0}, "topics"),
        ({"topics": MOST_TOPICS + 1}, "topics"),
        ({"topics": "4"}, "topics"),
        ({"topics": None}, "topics"),
        ({"passes": 0}, "passes"),
        ({"minibatch": 1.5}, "minibatch"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_wrong_settings_name_their_field(engine, settings, field):
    with pytest.raises(Invalid) as error:
        engines.config(engine.NAME, **{"topics": 3} | settings)
    assert error.value.field == field and field in error.value.message


def test_settings_of_another_engine_are_refused():
    with pytest.raises(
        Invalid, match="The engine mixture has no setting “kappa”; it is one of ssi"
    ) as error:
        engines.config("mixture", topics=3, kappa=0.7)
    assert error.value.field == "kappa"
    with pytest.raises(
        Invalid, match=f"There is no engine “nothing”; there are {', '.join(engines.ENGINES)}."
    ):
        engines.config("nothing", topics=3)
    with pytest.raises(Invalid, match="topics must be given"):
        engines.config("mixture")


def test_topics_are_valid_and_better_than_none(engine, bow):
    found = snapshots(engine, config_of(engine, passes=8), bow, seed=1)
    for snapshot in found:
        valid(snapshot.topics, K, bow.V)
        assert 0 <= snapshot.nonzero <= 1 and np.isfinite(snapshot.held_out)
    last = found[-1]
    assert (last.step, last.state.t, last.state.seed, last.state.tokens) == (
        last.steps,
        last.steps,
        1,
        last.tokens,
    )
    trained_on = np.delete(np.diff(bow.first_token), held_out_documents(bow, 1)).sum()
    assert last.tokens == 8 * trained_on
    assert last.held_out > -np.log(bow.V)


def test_another_seed_gives_other_topics(engine, bow):
    one, two = (
        snapshots(engine, config_of(engine, passes=1), bow, seed=seed)[-1].topics for seed in (1, 2)
    )
    assert not equal(one, two)


def test_a_batch_engine_shows_topics_at_the_ends_of_passes(engine, bow):
    steps = [s.step for s in snapshots(engine, config_of(engine), bow, seed=1)]
    assert not engine.ABOUT.batch or all(step % -(-bow.D // 40) == 0 for step in steps)
    assert len(steps) > 1


def measures(snapshot):
    """What is told of a point of the charts, nan as a word: it equals itself."""
    return (
        snapshot.step,
        snapshot.tokens,
        str(snapshot.held_out),
        str(snapshot.objective),
        snapshot.nonzero,
    )


def test_threads_make_no_difference(engine, bow):
    try:
        one, two = (
            snapshots(engine, config_of(engine), bow, seed=5, threads=n)[-1] for n in (1, 2)
        )
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert equal(one.topics, two.topics) and measures(one) == measures(two)


@pytest.mark.parametrize("large", [False, True], ids=["in memory", "on disk"])
def test_a_resumed_run_is_the_run_that_was_never_killed(engine, bow, large, tmp_path, monkeypatch):
    """Wherever it is killed: in the middle of a pass, too. This one is killed four times."""
    if large:
        monkeypatch.setattr("inference.runtime.memory.LARGE_BYTES", 0)
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    config = config_of(engine).resolve(bow.D, bow.tokens)
    whole = snapshots(engine, config, bow, seed=2)
    whole_at = {snapshot.step: snapshot for snapshot in whole}
    state = None
    seen: list[Snapshot] = []
    kills = (1, 5, 11, 23)
    for killed_after in kills:
        steps = iter(range(1 if state is None else state.t + 1, 100))
        events = train(
            engine,
            config,
            bow,
            seed=2,
            until=lambda steps=steps, killed_after=killed_after: next(steps) == killed_after,
            scratch=tmp_path,
            resume=state,
        )
        *before, killed = [event for event in events if isinstance(event, Snapshot)]
        seen += before
        assert killed.step == killed_after
        if killed_after in whole_at:  # a last snapshot is measured otherwise
            assert equal(killed.topics, whole_at[killed_after].topics)
        checkpoint.save(tmp_path / "c", killed.state, engine=engine, config=config, bow=bow)
        state = checkpoint.load(
            tmp_path / "c", engine=engine, config=config, bow=bow, scratch=tmp_path
        )
        for f in fields(state):
            assert isinstance(getattr(state, f.name), np.memmap) <= bool(
                large and f.metadata.get("mapped")
            )
    seen += snapshots(engine, config, bow, seed=2, resume=state)
    assert [measures(s) for s in seen] == [measures(s) for s in whole if s.step not in kills]
    assert equal(seen[-1].topics, whole[-1].topics)


def test_a_checkpoint_belongs_to_one_engine_config_and_corpus(engine, bow, tmp_path):
    config = config_of(engine, passes=1).resolve(bow.D, bow.tokens)
    state = snapshots(engine, config, bow)[-1].state
    path = tmp_path / "c"
    checkpoint.save(path, state, engine=engine, config=config, bow=bow)
    (other,) = [engines.get(name) for name in NAMES if name != engine.NAME][:1]
    with pytest.raises(Invalid, match=f"made by the engine {engine.NAME}.* by {other.NAME}"):
        checkpoint.load(path, engine=other, config=config_of(other), bow=bow)
    with pytest.raises(Invalid, match="other settings: passes differ"):
        checkpoint.load(
            path,
            engine=engine,
            config=config_of(engine, passes=2).resolve(bow.D, bow.tokens),
            bow=bow,
        )
    with pytest.raises(Invalid, match="another corpus"):
        checkpoint.load(path, engine=engine, config=config, bow=planted(K, 80, 300, 40, seed=4)[0])
    with pytest.raises(Invalid, match="seed 0, not 1"):
        list(
            train(
                engine,
                config,
                bow,
                seed=1,
                resume=checkpoint.load(path, engine=engine, config=config, bow=bow),
            )
        )
    assert not list(tmp_path.glob("*.new"))


def test_priors_are_kept(engine, bow, tmp_path):
    config = config_of(engine, passes=1).resolve(bow.D, bow.tokens)
    before = engine.priors(config, None)
    state = snapshots(engine, config, bow)[-1].state
    checkpoint.save(tmp_path / "c", state, engine=engine, config=config, bow=bow)
    alpha, eta = checkpoint.priors(tmp_path / "c")
    assert (
        np.array_equal(alpha, engine.priors(config, state).alpha)
        and eta == engine.priors(config, state).eta
    )
    for found in (before.alpha, alpha):
        assert found.dtype == np.float64 and found.shape == (K,) and (found > 0).all()
    assert before.eta >= 0 <= eta


def test_folding_in_does_not_depend_on_blocks_or_change_the_state(engine, bow):
    config = config_of(engine, passes=2).resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow, seed=1)[-1]
    small, large = (
        list(fold_in_corpus(engine, config, last.state, bow, block=n)) for n in (37, 1000)
    )
    assert [theta.first for theta in small] == list(range(0, bow.D, 37))
    for name in ("topics", "weights"):
        assert np.array_equal(
            np.concatenate([getattr(theta, name) for theta in small]), getattr(large[0], name)
        )
    (theta,) = large
    assert len(theta.indptr) == bow.D + 1 and (theta.topics.dtype, theta.weights.dtype) == (
        np.int32,
        np.float32,
    )
    for a, b in zip(theta.indptr, theta.indptr[1:], strict=False):
        assert (
            0.5 < theta.weights[a:b].sum() <= 1 + 1e-5 and (np.diff(theta.weights[a:b]) <= 0).all()
        )
    assert equal(engine.topics(config, last.state), last.topics)


def evidence_of(engine, config, state, topics, bow, folder) -> Evidence:
    thetas = fold_in_corpus(engine, config, state, bow)
    assert (
        list(
            gather(
                folder, bow, postings_of(bow), topics, thetas, by_document=engine.ABOUT.by_document
            )
        )[-1]
        == bow.D
    )
    return open_evidence(folder, bow, postings_of(bow))


def test_evidence_adds_up(engine, bow, tmp_path):
    config = config_of(engine, passes=4).resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow, seed=1)[-1]
    evidence = evidence_of(engine, config, last.state, last.topics, bow, tmp_path / "e")
    assert (
        evidence.mixtures.doc_tokens.sum() == bow.tokens and evidence.token_topics.topics.max() < K
    )
    tokens = np.bincount(evidence.token_topics.topics, weights=bow.counts, minlength=K)
    assert np.array_equal(tokens, evidence.mixtures.sums(np.zeros(bow.D, np.int32), 1)[0][0])
    if engine.ABOUT.by_document:
        assert (np.diff(evidence.mixtures.doc_ptr) == 1).all()
        (theta,) = fold_in_corpus(engine, config, last.state, bow)
        assert np.array_equal(evidence.mixtures.doc_topics, theta.topics[theta.indptr[:-1]])


def test_a_warm_start_keeps_topics_or_is_refused(engine, bow):
    config = config_of(engine).resolve(bow.D, bow.tokens)
    given = (bow.words // 20).astype(np.uint16)  # each planted topic has twenty words of its own
    if not isinstance(engine, WarmStart):
        with pytest.raises(Invalid, match=f"{engine.NAME} can't begin"):
            begin(engine, config, bow, given)
        return
    settings = engine.continued(asdict(config))
    config = engines.config(engine.NAME, **settings).resolve(bow.D, bow.tokens)
    state = begin(engine, config, bow, given, seed=1)
    valid(engine.topics(config, state), K, bow.V)
    last = snapshots(engine, config, bow, seed=1, resume=state)[-1]
    own = np.array(
        [[last.topics.dense()[k, 20 * j : 20 * j + 20].sum() for j in range(K)] for k in range(K)]
    )
    assert (own.argmax(axis=1) == np.arange(K)).all()


def test_a_bound_rises(engine, bow, monkeypatch):
    if not isinstance(engine, Bounded):
        pytest.skip(f"{engine.NAME} has no bound")
    monkeypatch.setattr("inference.objective.SAMPLE", bow.D)
    config = config_of(engine, passes=6).resolve(bow.D, bow.tokens)
    documents = np.setdiff1d(np.arange(bow.D), held_out_documents(bow, 1))
    state = None
    bounds = []
    objectives = []
    for i in range(6):
        last = snapshots(engine, config, bow, seed=1, last=8 * (i + 1), resume=state)[-1]
        state = last.state
        bounds.append(engine.bound(config, state, bow, documents))
        objectives.append(last.objective)
    assert np.isfinite(bounds).all() and bounds[-1] > bounds[0]
    tokens = np.diff(bow.first_token)[documents].sum()
    assert objectives == pytest.approx([bound / tokens for bound in bounds], rel=1e-9)


def test_a_sample_stands_for_all_in_the_objective(engine, monkeypatch):
    """Documents that are alike: a part of them, counted several times, gives the same as all."""
    if not isinstance(engine, Bounded):
        pytest.skip(f"{engine.NAME} has no bound")
    bow = identical_documents()
    config = config_of(engine, passes=1)
    held_out = held_out_documents(bow, 3)
    config = config.resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow, seed=3)[-1]
    monkeypatch.setattr("inference.objective.SAMPLE", 30)
    some = Objective(engine, config, bow, held_out, 3)
    before = {f.name: np.copy(getattr(last.state, f.name)) for f in fields(last.state)}
    assert 5 < len(some.documents) < 100 and not np.isin(some.documents, held_out).any()
    assert some(last.state) == pytest.approx(last.objective, rel=0.02)
    assert all(
        np.asarray(getattr(last.state, name)).tobytes() == value.tobytes()
        for name, value in before.items()
    )


def test_an_objective_that_costs_much_is_measured_seldom(bow, monkeypatch):
    """The same snapshots measure it in a run that is resumed."""
    monkeypatch.setattr("inference.objective.VALUE_SECONDS", 1.0)
    svi = engines.get("svi")
    config = config_of(svi, passes=20, minibatch=10).resolve(bow.D, bow.tokens)
    whole = snapshots(svi, config, bow, seed=3)
    known = [one.step for one in whole if np.isfinite(one.objective)]
    assert 4 <= len(known) < len(whole) / 2 and known[-1] == whole[-1].step
    middle = snapshots(svi, config, bow, seed=3, last=known[1] - 1)[-1]
    rest = snapshots(svi, config, bow, seed=3, resume=middle.state)
    assert [one.step for one in rest if np.isfinite(one.objective)] == known[1:]


def identical_documents():
    """200 documents of the same three words."""
    return Bow(
        np.arange(0, 601, 3),
        np.tile(np.arange(3, dtype=np.int32), 200),
        np.full(600, 4, np.int32),
        3,
    )


def test_what_it_costs(engine, bow):
    """Memory covers the arrays that it keeps in memory, and grows with K; seconds grow with passes
    and tokens."""
    config = config_of(engine).resolve(bow.D, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=8)
    state = snapshots(engine, config, bow)[-1].state
    kept = [getattr(state, f.name) for f in fields(state) if not f.metadata.get("mapped")]
    size = sum(array.nbytes for array in kept if isinstance(array, np.ndarray))
    assert size <= engine.memory_bytes(config, corpus) < 1000 * size
    larger = config_of(engine, topics=2000).resolve(bow.D, bow.tokens)
    assert engine.memory_bytes(larger, corpus._replace(V=100_000)) > engine.memory_bytes(
        config, corpus
    )
    assert 0 < engine.seconds(config, 1000) < engine.seconds(config, 10_000_000)
    assert engine.seconds(config, 10**6) < engine.seconds(
        config_of(engine, passes=30).resolve(bow.D, bow.tokens), 10**6
    )


def test_more_memory_than_there_is_is_refused(engine, bow, monkeypatch):
    monkeypatch.setattr("inference.training.usable_memory", lambda: 1000)
    with pytest.raises(Invalid, match="GiB of memory") as error:
        next(train(engine, config_of(engine), bow))
    assert error.value.field == "topics"


def test_methods_name_what_they_cite(engine, bow):
    for open_config in engine.compiling_configs():
        said = engine.methods(asdict(open_config.resolve(bow.D, bow.tokens)))
        assert said.sentence.endswith(".") and "None" not in said.sentence and said.citations
        assert f"{open_config.topics} topics" in said.sentence
    for key, entry in engine.ABOUT.papers.items():
        assert (
            f"{{{key}," in entry
            and entry.endswith("\n}\n")
            and entry.count("{") == entry.count("}")
        )


def test_methods_leave_what_every_run_has_to_the_paragraph_around_them(engine, bow):
    for open_config in engine.compiling_configs():
        settings = asdict(open_config.resolve(bow.D, bow.tokens))
        if settings.get("until") == "settled":
            continue  # how many passes there may be is a part of this rule
        sentence = engine.methods(settings | {"passes": 98_765, "minibatch": 87_654}).sentence
        for number in ("98765", "98,765", "87654", "87,654"):
            assert number not in sentence


def test_its_warm_up_goes_the_whole_way(engine):
    from inference import compiling

    assert all(config.topics == 2 for config in engine.compiling_configs())
    compiling.engine(engine.NAME)


@pytest.mark.parametrize(
    ("documents", "V", "topics"),
    [
        ([[0, 1], [1, 2]] * 15, 3, 1),
        ([[0, 0, 0]] * 30, 1, 4),
        ([[], [0, 1], [], [1]] * 10, 2, 3),
        ([[0, 1, 2]] * 5, 3, 50),
        ([[0, 1, 2]], 3, 2),
        ([list(range(100)) * 3000, [1, 2]], 100, 5),
    ],
    ids=["K=1", "one word", "empty documents", "K > D", "one document", "a long document"],
)
def test_edges(engine, documents, V, topics, tmp_path):
    bow = bow_of(documents, V)
    config = config_of(engine, topics=topics, passes=2, minibatch=8).resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow)[-1]
    valid(last.topics, topics, V)
    evidence = evidence_of(engine, config, last.state, last.topics, bow, tmp_path / "e")
    assert evidence.mixtures.doc_tokens.sum() == bow.tokens
    (theta,) = fold_in_corpus(engine, config, last.state, bow)
    assert np.array_equal(np.diff(theta.indptr) > 0, np.diff(bow.indptr) > 0)


def test_a_document_of_ten_million_words(engine):
    bow = bow_of([[0, 1, 2, 3], [2, 3, 4]] * 5, 5)
    counts = np.array(bow.counts)
    counts[:4] = 9_000_000, 500_000, 400_000, 100_000
    bow = Bow(bow.indptr, bow.words, counts, bow.V)
    config = config_of(engine, topics=3, passes=1, minibatch=4).resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow)[-1]
    valid(last.topics, 3, bow.V)
    assert np.isfinite(last.nonzero) and last.tokens == bow.tokens > 10_000_000
    (theta,) = fold_in_corpus(engine, config, last.state, bow)
    assert np.isfinite(theta.weights).all() and (np.diff(theta.indptr) > 0).all()


def test_the_smallest_priors(engine, bow):
    """alpha and eta of 1e-6, where they are settings: everything stays a number."""
    declared = {setting.name for setting in engines.fields(engine.NAME)}
    priors = {name: 1e-6 for name in ("alpha", "eta") if name in declared}
    assert priors
    config = config_of(engine, topics=6, **priors).resolve(bow.D, bow.tokens)
    last = snapshots(engine, config, bow, seed=1)[-1]
    valid(last.topics, 6, bow.V)
    assert np.isfinite(last.held_out)
    (theta,) = fold_in_corpus(engine, config, last.state, bow)
    assert np.isfinite(theta.weights).all() and (np.diff(theta.indptr) > 0).all()


def test_no_words_and_too_many(engine):
    with pytest.raises(Invalid, match="no words"):
        next(train(engine, config_of(engine), bow_of([[], []], 3)))
    longer = Bow(np.array([0, 1]), np.array([0], np.int32), np.array([1 << 24], np.int32), 1)
    with pytest.raises(Invalid, match="fewer than 16,777,216 words"):
        next(train(engine, config_of(engine), longer))


def test_progress_is_told_between_steps(engine, bow, monkeypatch):
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    steps = [
        event.step for event in train(engine, config_of(engine), bow) if isinstance(event, Progress)
    ]
    assert steps == list(range(1, 3 * -(-bow.D // 40) + 1))


def test_a_checkpoint_from_before_engines_had_names(bow, tmp_path):
    """Format 2 had no engine's name: such a checkpoint is of the only engine that there was."""
    ssi = engines.get(engines.UNNAMED)
    config = config_of(ssi).resolve(bow.D, bow.tokens)
    whole = snapshots(ssi, config, bow, seed=2)
    first = snapshots(ssi, config, bow, seed=2, last=6)[-1]
    path = tmp_path / "checkpoint"
    checkpoint.save(path, first.state, engine=ssi, config=config, bow=bow)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "prior:alpha"}
    meta = json.loads(bytes(arrays["meta"]).decode())
    meta = {name: meta[name] for name in ("config", "corpus", "numbers")} | {"format": 2}
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    state = checkpoint.load(path, engine=ssi, config=config, bow=bow)
    assert equal(snapshots(ssi, config, bow, seed=2, resume=state)[-1].topics, whole[-1].topics)
    assert (
        np.array_equal(checkpoint.priors(path).alpha, first.state.alpha)
        and checkpoint.priors(path).eta == first.state.eta
    )
    with pytest.raises(Invalid, match="made by the engine ssi"):
        checkpoint.load(path, engine=mixture, config=config_of(mixture), bow=bow)
    arrays["meta"] = np.frombuffer(json.dumps(meta | {"format": 1}).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(Invalid, match="has format 1; this version reads 3"):
        checkpoint.load(path, engine=ssi, config=config, bow=bow)


def test_the_name_of_an_engine_stands_in_its_own_module():
    """Elsewhere only as a default in the database, which may import nothing of ours. Benchmarks
    compare engines, so they name them."""
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    for name in engines.ENGINES:
        if name == mixture.NAME:
            continue
        said = [
            path.relative_to(root).as_posix()
            for folder in ("inference", "tasks", "webapp", "templates", "static/js")
            for path in (root / folder).rglob("*.*")
            if path.suffix in (".py", ".html", ".js")
            and "migrations" not in path.parts
            and f'"{name}"' in path.read_text()
        ]
        # TEI has an element fw, the forme work
        assert set(said) <= {
            f"inference/engines/{name}.py",
            f"inference/engines/{name}/__init__.py",
            "webapp/models/runs.py",
            "webapp/intake/file_formats/tei.py",
        }, said
