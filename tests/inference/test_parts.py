"""Parts of checkpoints: the remembered topics of a training that several processes shared, in
files."""

import errno

import numpy as np
import pytest

from inference import Invalid, engines, train
from inference.bow import Bow
from inference.cluster import parts
from inference.cluster.share import divide
from tests.inference.corpora import planted


@pytest.fixture(scope="module")
def halfway():
    """A training by the usual engine, whose state is without what it remembered, as a checkpoint of
    a shared one is."""
    bow = planted(5, 90, 60, 25, seed=2)[0]
    engine = engines.get("ssi")
    config = engines.config("ssi", topics=4, passes=3, minibatch=20).resolve(bow.D, bow.tokens)
    *_, event = train(engine, config, bow, seed=1, last=4)
    event.state.memory = event.state.memory[:0]
    return engine, config, bow, event.state


@pytest.mark.parametrize("there", ["nothing", "an empty list"])
def test_one_process_does_not_go_on_without_what_was_remembered(halfway, there, tmp_path):
    engine, config, bow, state = halfway
    if there == "an empty list":
        parts.folder_of(tmp_path / "checkpoint").mkdir()
        parts.commit(parts.folder_of(tmp_path / "checkpoint"), state.t, [])
    with pytest.raises(Invalid, match="The memory of topics"):
        parts.gather(tmp_path / "checkpoint", state, bow, engine=engine, config=config)


def test_documents_without_words_have_nothing_to_tell(tmp_path):
    """A long document before them leaves the last process these alone, and it writes no file."""
    indptr = np.array([0, 1, 2, 2, 2], np.int64)
    bow = Bow(indptr, np.array([0, 1], np.int32), np.array([2, 9], np.int32), V=2)
    bounds = divide(bow, 2)
    assert bounds.tolist() == [0, 2, 4] and bow.tokens == 11
    memory = np.arange(11, dtype=np.uint16)[:, None]
    parts.commit(tmp_path, 3, [parts.write_whole(tmp_path, 3, 0, 2, memory)])
    read = np.zeros_like(memory)
    parts.read(tmp_path, 3, bow, 0, 4, read)
    assert (read == memory).all()


def test_a_full_disk_is_left_without_half_a_file(tmp_path, monkeypatch):
    def full(file, *_, **__):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    monkeypatch.setattr(np, "savez", full)
    nothing = np.zeros((0, 1), np.uint16)
    for write in (
        lambda: parts.write_whole(tmp_path, 1, 0, 1, nothing),
        lambda: parts.write_visited_samples(tmp_path, 1, 0, 1, np.zeros(0, np.int64), nothing),
    ):
        with pytest.raises(OSError, match="No space"):
            write()
        assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_removed_now_is_no_error(tmp_path):
    kept = parts.write_whole(tmp_path, 2, 0, 1, np.zeros((1, 1), np.uint16))
    parts.commit(tmp_path, 2, [kept])
    (
        tmp_path / ".nfs0001"
    ).mkdir()  # unlink refuses it, as it does what NFS keeps for who has it open
    (tmp_path / "whole-1-0-1-0.npy").touch()
    parts.drop_others(tmp_path, 2)
    assert {path.name for path in tmp_path.iterdir()} == {kept.name, "2.json", ".nfs0001"}
