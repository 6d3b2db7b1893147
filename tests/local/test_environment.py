"""When the environment is made anew: the decision, without installing anything."""

import pytest

from webapp.platform.local import environment


@pytest.fixture
def place(tmp_path, monkeypatch):
    locks = {"runtime": tmp_path / "runtime.lock", "test": tmp_path / "test.lock"}
    for lock in locks.values():
        lock.write_text(f"{lock.name}\n")
    monkeypatch.setattr(environment, "LOCKS", locks)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(environment, "PYTHON", tmp_path / ".venv" / "python")
    return tmp_path


def built(place, kind):
    (place / ".venv").mkdir(exist_ok=True)
    (place / ".venv" / "python").touch(0o755)
    (place / ".venv" / "topograph-lock").write_text(f"{kind} {environment.digest(kind)}\n")


def test_nothing_there(place):
    assert not environment.fits("runtime")


def test_the_right_one(place):
    built(place, "runtime")
    assert environment.fits("runtime")
    assert not environment.fits("test")


def test_the_tests_environment_is_enough_for_all(place):
    built(place, "test")
    assert environment.fits("runtime")
    assert environment.fits("test")


def test_older_than_the_lock(place):
    built(place, "runtime")
    (place / "runtime.lock").write_text("a newer version\n")
    assert not environment.fits("runtime")


def test_an_interrupted_build_is_no_environment(place):
    built(place, "runtime")
    (place / ".venv" / "topograph-lock").unlink()
    assert not environment.fits("runtime")


def test_another_python(place, monkeypatch):
    built(place, "runtime")
    monkeypatch.setattr(environment.sys, "version", "3.99")
    assert not environment.fits("runtime")


def test_an_old_python_is_told_so(monkeypatch):
    monkeypatch.setattr(environment.system.sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer; this is 3\.9\.2"):
        environment.enter(["manage.py", "start"])
