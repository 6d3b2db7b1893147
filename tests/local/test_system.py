"""What the system can do: the sentence of each system on which Topograph does not start, and the portable ways, in real
processes."""

import ast
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.waiting import until
from webapp.platform import system

PORTABLE = [sys.executable, "-m", "tests.portable"]


def run(program: str, *before: str) -> subprocess.CompletedProcess:
    """A program in a Python of its own. before: the command in front of it."""
    return subprocess.run(
        [*before, sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture(scope="module")
def portable():
    """A command that runs another one without /proc and without Linux's own calls."""
    tried = subprocess.run([*PORTABLE, "/bin/true"], cwd=ROOT, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this machine allows no namespace of mounts: {tried.stderr[-200:]}")
    return PORTABLE


# (what is different there, how the sentence begins, what the sentence tells to do)
SYSTEMS = {
    "Windows": (
        "sys.platform = 'win32'",
        "Topograph does not start on Windows itself",
        "wsl --install",
    ),
    "FreeBSD": (
        "sys.platform = 'freebsd14'",
        "Topograph starts on Linux, and is prepared for macOS",
        "a container where Docker runs",
    ),
    "an Intel Mac": (
        "sys.platform = 'darwin'; platform.machine = lambda: 'x86_64'",
        "Topograph does not start on Macs with an Intel processor",
        "it starts in a container",
    ),
    "32 bits": ("sys.maxsize = 2**31 - 1", "Topograph needs a 64-bit Python", "Install a 64-bit"),
    "musl": (
        "sysconfig.get_config_var = lambda name: 'cpython-311-x86_64-linux-musl'",
        "Topograph does not start on a Linux with musl",
        "Use Debian",
    ),
    "Python 3.9": (
        "sys.version_info = (3, 9, 2)",
        "Topograph needs Python 3.11 or newer; this is 3.9.2",
        "manage.py start",
    ),
    "Python 3.99": (
        "sys.version_info = (3, 99, 0)",
        "Topograph runs on Python 3.11 to 3.14; this is 3.99.0",
        "python3.14",
    ),
    "no venv": (
        "find = importlib.util.find_spec;"
        " importlib.util.find_spec = lambda name: None if name == 'ensurepip' else find(name)",
        "This Python has no venv module",
        "apt install python3-venv",
    ),
    "no ssl": (
        "find = importlib.util.find_spec;"
        " importlib.util.find_spec = lambda name: None if name == '_ssl' else find(name)",
        "This Python was built without ssl",
        "python.org",
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_that_is_refused_hears_why_and_what_to_do(name):
    """By the command that a newcomer types, in a process in which what Windows lacks can't be
    imported."""
    difference, beginning, remedy = SYSTEMS[name]
    done = run(
        f"""
        import importlib.util, platform, signal, sys, sysconfig
        {difference}
        if sys.platform == 'win32':
            del signal.SIGKILL
            for name in ('fcntl', 'pwd', 'resource', 'termios'):
                sys.modules[name] = None
        sys.argv = ['manage.py', 'start']
        import runpy
        runpy.run_path('manage.py', run_name='__main__')
        """
    )
    assert done.stderr.startswith(beginning)
    assert remedy in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


def test_chapters_that_sentences_name_are_there():
    headings = (ROOT / "docs" / "operations.md").read_text().splitlines()
    for sentence in (system.WINDOWS, system.INTEL_MAC, system.OTHER_SYSTEM):
        assert 'docs/operations.md, "In a container"' in sentence
    assert "### In a container" in headings


def old_pythons() -> list[str]:
    """Programs of this machine, each an older Python than the oldest that is promised."""
    names = ["python2.7", *(f"python3.{minor}" for minor in range(4, system.OLDEST_PYTHON[1]))]
    found = [shutil.which(name) for name in names]
    found += map(str, Path.home().glob(".pyenv/versions/*/bin/python"))
    told = "import sys; sys.exit(sys.version_info >= (3, 11))"
    return [
        program
        for program in found
        if program and not subprocess.run([program, "-c", told], capture_output=True).returncode
    ]


def test_each_old_python_of_this_machine_is_told_what_it_lacks():
    programs = old_pythons()
    if not programs:
        pytest.skip("this machine has no old Python")
    for program in programs:
        done = subprocess.run(
            [program, "manage.py", "start"],
            cwd=ROOT,
            env={"PATH": ""},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1, program
        assert done.stderr.startswith("Topograph needs Python 3.11 or newer"), done.stderr
        assert "Traceback" not in done.stderr


def test_what_is_read_before_packages_is_the_grammar_of_python_3_7():
    """manage.py itself is read by still older ones, which can't be parsed for here."""
    read = ("commands", "environment", "needs", "package")
    for name in ("system", *(f"local/{module}" for module in read)):
        path = ROOT / "webapp" / "platform" / f"{name}.py"
        ast.parse(path.read_text(), path.name, feature_version=(3, 7))


@pytest.mark.parametrize("works", [True, False])
def test_a_newer_python_is_named_where_it_works(monkeypatch, tmp_path, works):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    program = tmp_path / "python3.12"
    program.write_text(f"#!/bin/sh\nexit {0 if works else 127}\n")
    program.chmod(0o755)
    refusal = system.refusal()
    assert refusal is not None
    assert ("A newer one is here, too: python3.12 manage.py start" in refusal) == works
    assert ("Install a newer one" in refusal) != works


def test_this_system_is_not_refused():
    assert system.refusal() is None


CHILDREN = """
    import sys, time
    from webapp.platform import system
    from webapp.platform.local import processes
    child = processes.Child(["sleep", "600"], start_new_session=True)
    print(system.has_parent_death_signal(), child.pid, flush=True)
    time.sleep(600)
"""


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("way", ["kernel", "pipe"])
def test_a_child_ends_with_its_parent(way, portable):
    before = portable if way == "pipe" else []
    parent = subprocess.Popen(
        [*before, sys.executable, "-c", textwrap.dedent(CHILDREN)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    by_kernel, child = parent.stdout.readline().split()
    assert (by_kernel == "True") == (way == "kernel")
    assert is_running(int(child))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until(lambda: not is_running(int(child)), 20)


def test_a_child_that_has_ended_takes_its_guard_along(portable):
    done = run(
        """
        import subprocess
        from webapp.platform.local import processes
        child = processes.Child(["sleep", "600"], process_group=0)
        guard = child.guard.shell
        processes.stop(child, 15, 5.0)
        print(guard.poll() is not None)
        """,
        *portable,
    )
    assert done.stdout.split() == ["True"], done.stderr


def test_a_running_process_ends_with_its_parent_without_the_kernels_help(portable):
    program = """
        import os, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c",
            "import time; from webapp.platform import system; system.end_with_parent();"
            " print('ready', flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
        child.stdout.readline()
        print(child.pid, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = run(program, *portable)
    until(lambda: not is_running(int(done.stdout)), 20)


def test_a_descriptor_is_read_from_a_place_of_its_own_without_proc(portable, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(range(100)))
    done = run(
        f"""
        import io, os
        from webapp.platform import system
        descriptor = os.open({str(file)!r}, os.O_RDONLY)
        first, second = system.open_descriptor(descriptor), system.open_descriptor(descriptor)
        print(type(first).__name__)
        assert first.read(10) == bytes(range(10))
        assert second.read(3) == bytes(range(3))
        assert first.seek(-5, io.SEEK_END) == 95
        assert first.read() == bytes(range(95, 100))
        assert second.seek(2, io.SEEK_CUR) == 5
        assert io.BufferedReader(second).read() == bytes(range(5, 100))
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == 0
        first.close()
        os.read(descriptor, 1)
        """,
        *portable,
    )
    assert done.stdout.split() == ["PlacedFile"], done.stderr


def test_room_on_the_disk_is_refused_quietly_where_the_system_has_no_call(portable, tmp_path):
    with (tmp_path / "file").open("wb") as file:
        assert system.reserve_room(file.fileno(), 1 << 20)
        assert os.fstat(file.fileno()).st_size == 0
        assert os.fstat(file.fileno()).st_blocks * 512 >= 1 << 20
    done = run(
        f"""
        from webapp.platform import system
        with open({str(tmp_path / "other")!r}, "wb") as file:
            print(system.reserve_room(file.fileno(), 1 << 20))
        """,
        *portable,
    )
    assert done.stdout.split() == ["False"], done.stderr


def test_the_command_line_of_a_process_is_known_without_proc(portable):
    process = subprocess.Popen(["sleep", "54321"])
    try:
        # Just after it began the kernel may not show it yet
        deadline = time.monotonic() + 10
        while not system.command_line(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert b"54321" in system.command_line(process.pid)
    finally:
        process.kill()
        process.wait()
    assert system.command_line(process.pid) is None


def test_a_lock_is_seen_with_its_holder(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys, time; file = open(sys.argv[1], 'r+b'); fcntl.lockf(file, fcntl.LOCK_EX);"
            " print('held', flush=True); time.sleep(600)",
            str(path),
        ],
        stdout=subprocess.PIPE,
    )
    try:
        holder.stdout.readline()
        with path.open("rb") as file:
            assert system.lock_holder(file.fileno()) == (True, holder.pid)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with path.open("rb") as file:
        assert system.lock_holder(file.fileno()) == (False, 0)


def test_the_machine_is_described():
    assert system.waiting_processes() >= 1.0
    assert system.describe_processor()
    began = time.monotonic()
    assert not system.is_memory_shared(-1)
    assert time.monotonic() - began < 60
