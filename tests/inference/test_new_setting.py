"""The setting that CONTRIBUTING.md adds to the example of an engine is one."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from inference import Invalid, Snapshot, checkpoint, engines, train
from inference.bow import Bow
from tests.contributing import examples
from tests.engines import mixture
from tests.inference.corpora import equal, planted

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The example with the change that the recipe shows, in the place of the one without."""
    (change,) = examples("Add a setting of an engine", "diff")
    path = Path(mixture.__file__).relative_to(ROOT)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    command = ["git", "apply", "-p0", "--recount", "-"]
    done = subprocess.run(command, cwd=tmp_path, input=change, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    spec = spec_from_file_location("mixture_with_setting", tmp_path / path)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(engines.ENGINES, mixture.NAME, module)
    return module


@pytest.fixture(scope="module")
def bow() -> Bow:
    return planted(K=4, V=60, D=200, length=40, seed=2)[0]


def last(engine, config, bow: Bow) -> Snapshot:
    *_, snapshot = train(engine, config, bow, seed=1)
    return snapshot


def test_the_setting_of_contributing_is_declared_and_bounded(engine):
    (declared,) = [field for field in engines.fields("mixture") if field.name == "most"]
    assert declared.label == "Most of a word" and declared.type is int and declared.default is None
    assert engines.config("mixture", topics=3).resolve(100, 1000).most == engine.MOST
    assert engines.config("mixture", topics=3, most=2).resolve(100, 1000).most == 2
    with pytest.raises(Invalid, match="most must be a whole number of at least 1, got 0"):
        engines.config("mixture", topics=3, most=0)


def test_its_default_changes_no_bit_and_another_value_does(engine, bow):
    before = last(mixture, mixture.Config(topics=4), bow)
    assert equal(last(engine, engine.Config(topics=4), bow).topics, before.topics)
    once = last(engine, engine.Config(topics=4, most=1), bow).topics
    assert not np.array_equal(once.share, before.topics.share)


def test_a_checkpoint_of_before_is_continued(engine, bow, tmp_path):
    config = mixture.Config(topics=4).resolve(bow.D, bow.tokens)
    *_, half = train(mixture, config, bow, seed=1, last=8)
    checkpoint.save(tmp_path / "c", half.state, engine=mixture, config=config, bow=bow)
    config = engine.Config(topics=4).resolve(bow.D, bow.tokens)
    state = checkpoint.load(tmp_path / "c", engine=engine, config=config, bow=bow)
    *_, whole = train(engine, config, bow, seed=1, resume=state)
    assert equal(whole.topics, last(mixture, mixture.Config(topics=4), bow).topics)
