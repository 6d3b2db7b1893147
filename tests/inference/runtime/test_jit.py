"""Compiled kernels are kept by what they are made of: nothing that is out of date is used, nothing
is compiled twice, and what is wrong with a kept file or its folder costs a compilation and no
more."""

import importlib
import os
import pickle
import pkgutil
import platform
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import numba.core.event as events
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import inference
from inference import shipping
from inference.runtime import jit, kernel_files
from tests.conftest import ROOT

CALLED = """
from inference.runtime.jit import njit
FACTOR = 10
@njit(cache=True)
def called(x):
    return FACTOR * x
"""
CALLS = """
import numpy as np
from inference.runtime.jit import njit
import called_kernels
from called_kernels import called
@njit(cache=True)
def calls(x):
    return called(x) + 1
@njit(cache=True)
def by_module(x):
    return called_kernels.called(x) + 1
"""
# A kernel of the package whose loops threads share, and which has array expressions besides
EXPANDS = """
import numpy as np
from inference.kernels import rows
one_pair = np.zeros(1, np.int32), np.ones(1, np.int32)
slots = np.full(1, -1, np.int32), np.zeros(1, np.int32)
rows.expand(np.zeros(1, np.int64), np.array([0, 1]), *one_pair, np.array([0, 1]), *slots)
"""
WITHOUT_LOOP = """
from inference.runtime.jit import njit
@njit(parallel=True)
def next_number(x):
    return x + 1
next_number(1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of kernels for this test."""
    monkeypatch.setenv("TOPOGRAPH_KERNELS", str(tmp_path / "kernels"))
    kernel_files.forget()
    yield tmp_path / "kernels"
    kernel_files.forget()


@pytest.fixture
def compiled(folder, tmp_path, monkeypatch):
    """A function: the sources of two modules, and what to call with what -> (its result, names that
    were compiled)."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    recorder = events.RecordingListener()
    events.register("numba:compile", recorder)

    def call(called, calls, name, *arguments):
        (tmp_path / "called_kernels.py").write_text(called)
        (tmp_path / "calling_kernels.py").write_text(calls)
        for module in ("called_kernels", "calling_kernels"):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        recorder.buffer.clear()
        result = getattr(importlib.import_module("calling_kernels"), name)(*arguments)
        return result, {e.data["dispatcher"].__name__ for _, e in recorder.buffer if e.is_start}

    yield call
    events.unregister("numba:compile", recorder)
    for module in ("called_kernels", "calling_kernels"):
        sys.modules.pop(module, None)


def empty(folder, files="*"):
    for path in folder.glob(files):
        path.unlink()


def test_what_was_compiled_is_loaded(compiled):
    assert compiled(CALLED, CALLS, "calls", 2) == (21, {"calls", "called"})
    assert compiled(CALLED, CALLS, "calls", 2) == (21, set())
    assert compiled(CALLED, CALLS, "calls", 2.5) == (26.0, {"calls", "called"})
    assert compiled(CALLED, CALLS, "calls", 2.5) == (26.0, set())


@pytest.mark.parametrize("name", ["calls", "by_module"])
@pytest.mark.parametrize("old, new, result", [("FACTOR = 10", "FACTOR = 7", 15), ("* x", "- x", 9)])
def test_a_change_in_another_module_compiles_what_calls_it(compiled, name, old, new, result):
    assert compiled(CALLED, CALLS, name, 2)[0] == 21
    assert compiled(CALLED.replace(old, new), CALLS, name, 2) == (result, {name, "called"})


def test_a_kernel_that_another_process_compiles_is_waited_for(compiled, folder, monkeypatch):
    """Another descriptor holds the claim, as another process would."""
    compiled(CALLED, CALLS, "calls", 2)
    [file] = folder.glob("calling_kernels.calls-*.kernel")
    name, content = file.stem, kernel_files.read(file.stem)
    empty(folder)
    others = kernel_files.claim(name)
    monkeypatch.setattr(kernel_files, "PATIENCE", 0.1)
    # It does not wait for ever
    assert compiled(CALLED, CALLS, "calls", 2) == (
        21,
        {"calls", "called"},
    )
    empty(folder, "*.kernel")
    monkeypatch.setattr(kernel_files, "PATIENCE", 60.0)
    asked = threading.Event()

    def ends() -> None:
        asked.wait(60)
        kernel_files.write(name, content)
        kernel_files.release(name, others)

    with jit.told_of_compiling(asked.set), ThreadPoolExecutor() as other:
        other.submit(ends)
        assert compiled(CALLED, CALLS, "calls", 2) == (21, set())
    assert not list(folder.glob("*.claim"))


def test_other_options_compile_again(compiled):
    compiled(CALLED, CALLS, "calls", 2)
    other = CALLS.replace(
        "@njit(cache=True)\ndef calls", '@njit(cache=True, error_model="numpy")\ndef calls'
    )
    assert compiled(CALLED, other, "calls", 2) == (21, {"calls"})


@pytest.mark.parametrize(("source", "warns"), [(EXPANDS, False), (WITHOUT_LOOP, True)])
def test_only_a_kernel_that_has_no_loop_for_its_threads_is_warned_of(
    folder, tmp_path, source, warns
):
    """Not one with an array expression, which numba compiles by itself."""
    program = tmp_path / "program.py"
    program.write_text(source)
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert ("no transformation for parallel execution" in done.stderr) == warns, done.stderr


def test_a_comment_a_docstring_or_another_function_compiles_nothing(compiled):
    compiled(CALLED, CALLS, "calls", 2)
    edited = CALLED.replace(
        "    return", '    """Ten times."""\n    # as many as fingers\n    return'
    )
    assert compiled("\n\n" + edited + "\ndef more():\n    return 3\n", CALLS, "calls", 2) == (
        21,
        set(),
    )


class Loaded:
    """A pickle that says that it was loaded."""

    def __reduce__(self) -> tuple:
        return pytest.fail, (
            "A file that does not have the hash that it was written with was loaded.",
        )


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "no kernel", "another's", "code"])
def test_a_damaged_file_is_compiled_again(compiled, folder, caplog, damage):
    compiled(CALLED, CALLS, "calls", 2)
    compiled(CALLED, CALLS, "calls", 2.5)
    [first, second] = folder.glob("calling_kernels.calls-*")
    content = first.read_bytes()
    if damage == "no kernel":
        kernel_files.write(first.name.removesuffix(".kernel"), b"no pickle")
    else:
        first.write_bytes(
            {
                "cut": content[:-9],
                "flipped": content[:-1] + b"?",
                "empty": b"",
                "another's": second.read_bytes(),
                "code": content[:32] + pickle.dumps(Loaded()),
            }[damage]
        )
    before = sorted(folder.iterdir())
    results = [compiled(CALLED, CALLS, "calls", argument) for argument in (2, 2.5)]
    assert [result for result, _ in results] == [21, 26.0]
    assert sorted(names != set() for _, names in results) == [False, True]
    assert "compiled again" in caplog.text
    assert sorted(folder.iterdir()) == before  # it is kept again
    assert [compiled(CALLED, CALLS, "calls", argument)[1] for argument in (2, 2.5)] == [
        set(),
        set(),
    ]


def test_a_folder_that_cannot_be_used_costs_a_compilation_alone(compiled, folder, caplog):
    folder.write_text("a file")
    assert compiled(CALLED, CALLS, "calls", 2) == (21, {"calls", "called"})
    assert "can't be kept" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="rights as of POSIX")
@pytest.mark.parametrize("of_another", [False, True])
def test_a_folder_that_others_can_write_to_is_not_read(
    compiled, folder, caplog, monkeypatch, of_another
):
    compiled(CALLED, CALLS, "calls", 2)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    if of_another:
        another = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: another)
    else:
        folder.chmod(0o770)
    kernel_files.folder.cache_clear()
    assert compiled(CALLED, CALLS, "calls", 2) == (21, {"calls", "called"})
    assert ("another user" if of_another else "other users") in caplog.text


def test_the_cache_folder_of_the_user_is_used(monkeypatch, tmp_path):
    monkeypatch.delenv("TOPOGRAPH_KERNELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kernel_files.folder.cache_clear()
    assert kernel_files.folder() == tmp_path / "cache" / "topograph" / "kernels"
    kernel_files.folder.cache_clear()


def test_the_files_that_were_used_least_recently_are_deleted(folder, monkeypatch):
    monkeypatch.setattr(kernel_files, "MOST_BYTES", 2_500)
    for day, name in enumerate("abcd"):
        kernel_files.write(name, bytes(1_000 - 32))
        os.utime(folder / f"{name}.kernel", (day * 86_400, day * 86_400))
    (folder / "unfinished").touch()
    os.utime(folder / "unfinished", (0, 0))
    assert kernel_files.read("a")  # which makes it the last used
    kernel_files.forget()
    kernel_files.write("e", b"")
    assert {path.stem for path in folder.iterdir()} == {"a", "d", "e"}


@pytest.fixture
def shipped(compiled, folder, tmp_path, monkeypatch):
    """The folder of kernels of a wheel: `calls` for integers, compiled for another processor than
    this process does."""
    monkeypatch.setattr(kernel_files, "SHIPPED", tmp_path / "shipped")
    kernel_files.forget()
    compiled(CALLED, CALLS, "calls", 2)
    empty(folder)
    program = "import calling_kernels; calling_kernels.calls(2)"
    environment = {**os.environ, **shipping.target(), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, check=True, timeout=300
    )
    kernel_files.ship({path.stem for path in folder.glob("calling_kernels.*.kernel")})
    empty(folder)
    yield tmp_path / "shipped"
    kernel_files.forget()


@pytest.mark.skipif(
    not jit.serves_this_processor(), reason="no kernels are shipped for this processor"
)
def test_what_is_shipped_is_loaded_by_a_processor_of_its_family(
    shipped, compiled, folder, monkeypatch, caplog
):
    assert len(list(shipped.iterdir())) == 2  # a kernel, and the list of hashes
    assert compiled(CALLED, CALLS, "calls", 2) == (21, set())
    assert not list(folder.iterdir())  # nothing is kept that is there already
    assert compiled(CALLED.replace("* x", "- x"), CALLS, "calls", 2) == (9, {"calls", "called"})
    empty(folder)
    with monkeypatch.context() as patch:
        patch.setattr(jit, "serves_this_processor", lambda: False)
        assert compiled(CALLED, CALLS, "calls", 2) == (21, {"calls", "called"})
    empty(folder)
    [kernel] = shipped.glob("*.kernel")
    content = kernel.read_bytes()
    code = pickle.dumps(Loaded())
    for wrong in (
        content[:-1] + b"?",
        content[:-9],
        content[:32] + code,
        sha256(code).digest() + code,
    ):
        kernel.write_bytes(wrong)
        caplog.clear()
        assert compiled(CALLED, CALLS, "calls", 2) == (21, {"calls", "called"})
        assert "does not have the hash that is listed for it" in caplog.text
        empty(folder)


@pytest.mark.parametrize(
    ("machine", "name"),
    [("x86_64", "x86-64-v3"), ("AMD64", "x86-64-v3"), ("aarch64", "generic"), ("arm64", "generic")],
)
def test_a_wheel_is_compiled_for_the_family_of_the_machine_that_builds_it(
    machine, name, monkeypatch
):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert shipping.target() == {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}


def test_nothing_is_shipped_for_another_family(monkeypatch, capsys):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    jit.serves_this_processor.cache_clear()
    try:
        assert not jit.serves_this_processor()
        assert shipping.main() == 0
        assert "No kernels are shipped for riscv64" in capsys.readouterr().out
    finally:
        jit.serves_this_processor.cache_clear()


def test_kernels_of_two_machines_are_shipped_together(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_files, "SHIPPED", tmp_path / "shipped")
    contents = {"of_one": b"x86-64", "of_another": b"ARM"}
    for name, content in contents.items():
        kernel_files.write(name, content)
    kernel_files.ship({"of_one"})
    kernel_files.ship({"of_another"}, add=True)
    for name, content in contents.items():
        assert kernel_files.read_shipped(name) == content
    kernel_files.ship({"of_another"})
    assert kernel_files.read_shipped("of_one") is None
    kernel_files.forget()


def test_every_kernel_of_the_package_can_be_kept():
    """Each says all that its compiled code follows from: none uses or takes what can't be read from
    its source."""
    for module in pkgutil.walk_packages(inference.__path__, "inference."):
        importlib.import_module(module.name)
    kernels = {
        value
        for name, module in sorted(sys.modules.items())
        if name.startswith("inference.")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    assert len(kernels) > 250
    for kernel in kernels:
        assert len(jit.fingerprint(kernel)) == 64
        assert isinstance(kernel._cache, jit.Kept), kernel
        for compiled_for in kernel.overloads:
            assert all(jit.describe_type(argument) for argument in compiled_for)


def test_types_that_look_alike_have_names_of_their_own():
    import collections

    from numba import typeof

    pair, turned = (collections.namedtuple("Pair", fields) for fields in ("a b", "b a"))
    moved = collections.namedtuple("Pair", "a b", module="elsewhere")
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    values = [
        1,
        1.0,
        True,
        (1, 1),
        (1, 1.0),
        pair(1, 1),
        turned(1, 1),
        moved(1, 1),
        np.zeros(2),
        frozen,
        np.zeros(2, "f4"),
        np.zeros((2, 2)),
    ]
    names = {jit.describe_type(typeof(value)) for value in values}
    assert len(names) == len(values)
