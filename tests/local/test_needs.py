"""What a start says on a machine that lacks what is needed: real conditions, in namespaces."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from inference.runtime import memory
from tests.conftest import ROOT
from webapp.platform.local import needs, processes

NAMESPACE = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
BEFORE_PACKAGES = ("manage.py", "webapp/__init__.py", "webapp/platform/__init__.py")
WSL = """\
70 60 8:48 / / rw,relatime - ext4 /dev/sdd rw,discard
80 70 0:60 / /mnt/c rw,noatime - 9p C:\\134 rw,aname=drvfs
81 70 0:61 / /home/with\\040space rw - nfs4 server:/home rw
82 70 0:62 / /home/with\\040space/local rw - xfs /dev/sdb rw
"""


@pytest.fixture(scope="module", autouse=True)
def namespaces():
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no namespace of mounts")


def start(script: str, folder: Path, cwd: Path = ROOT, **variables) -> subprocess.CompletedProcess:
    """`manage.py start` after a shell script that prepares $folder in a namespace of mounts."""
    env = {"PATH": os.environ["PATH"], "folder": str(folder), "TOPOGRAPH_DATA": str(folder)}
    command = f"{script}\nexec {sys.executable} manage.py start"
    return subprocess.run(
        [*NAMESPACE, command],
        cwd=cwd,
        env=env | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("script", "sentences"),
    [
        (
            "mount -t tmpfs -o size=50m tmpfs $folder",
            ("MB free; 600 MB are needed.", "Set TOPOGRAPH_DATA to a folder on another disk."),
        ),
        (
            "mount --bind $folder $folder; mount -o remount,bind,ro $folder",
            ("can't be written to: Read-only file system.", "Set TOPOGRAPH_DATA to a folder"),
        ),
        (
            "rmdir $folder; touch $folder",
            ("can't be written to: File exists.", "Set TOPOGRAPH_DATA to a folder"),
        ),
    ],
)
def test_a_state_folder_that_will_not_do(script, sentences, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    done = start(script, folder, TOPOGRAPH_ENVIRONMENT="current")
    assert done.returncode == 1
    assert str(folder) in done.stderr
    assert all(sentence in done.stderr for sentence in sentences), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("size=20m", "MB free; 1500 MB are needed."),
        ("size=3g,noexec", "is mounted so that no program on it may run (noexec)"),
        ("size=3g,ro", "can't be written to: Read-only file system."),
    ],
)
def test_a_clone_on_a_disk_that_will_not_do(options, sentence, tmp_path):
    """Before anything is installed: what a clone has until then is copied to such a disk."""
    clone = tmp_path / "clone"
    for name in BEFORE_PACKAGES:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    shutil.copy(ROOT / "webapp/platform/system.py", clone / "webapp/platform")
    for name in ("webapp/platform/local", "requirements"):
        shutil.copytree(ROOT / name, clone / name)
    folder = tmp_path / "disk"
    folder.mkdir()
    script = f"""
        mount -t tmpfs -o {options.replace(",ro", "")} tmpfs $folder && cp -r {clone}/. $folder
        {"mount -o remount,ro $folder" if options.endswith(",ro") else ""}
        cd $folder"""
    done = start(script, folder)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Move the project to a folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_little_memory_is_told_and_how_to_have_more():
    program = "from pathlib import Path; from webapp.platform.local import needs;"
    program += "print(*needs.notes(Path('.')))"
    command = f'ulimit -v 1500000; exec {sys.executable} -c "{program}"'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert "this process may use 1536 MB of memory; Topograph needs 2000 MB" in done.stdout
    assert "ulimit -v unlimited" in done.stdout


@pytest.mark.parametrize(
    ("lines", "limits", "least"),
    [
        ("0::/\n", {"memory.max": "268435456\n"}, 256 << 20),
        ("0::/\n", {"memory.max": "max\n"}, None),
        ("0::/elsewhere\n", {}, None),
        (
            "0::/system.slice/topograph.service\n",
            {"system.slice/memory.max": "104857600", "memory.max": "max"},
            100 << 20,
        ),
        (
            "9:name=systemd:/\n4:memory:/docker/abc\n",
            {"memory/docker/abc/memory.limit_in_bytes": "536870912"},
            512 << 20,
        ),
    ],
)
def test_the_limit_of_a_container_is_seen_before_packages_are_there(
    monkeypatch, tmp_path, lines, limits, least
):
    process_groups = tmp_path / "cgroup"
    process_groups.write_text(lines)
    for path, limit in limits.items():
        file = tmp_path / "groups" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(limit)
    monkeypatch.setattr(needs, "PROCESS_GROUPS", process_groups)
    monkeypatch.setattr(needs, "CONTROL_GROUPS", tmp_path / "groups")
    assert needs.control_limits() == memory.control_limits(process_groups, tmp_path / "groups")
    found, remedy = needs.process_memory()
    assert ("MemoryMax" in remedy) == (least is not None)
    assert least in (None, found)
    assert any("--memory" in note for note in needs.notes(tmp_path)) == (least is not None)


def test_the_kind_of_a_disk_is_that_of_the_longest_mount(tmp_path):
    lines = WSL.splitlines()
    for folder, kind in (
        ("/home/ada", "ext4"),
        ("/mnt/c/Users/Ada", "9p"),
        ("/mnt/cd", "ext4"),
        ("/home/with space/topograph", "nfs4"),
        ("/home/with space/local/topograph", "xfs"),
    ):
        assert needs.kind_in_mounts(lines, Path(folder)) == kind
    program = "from pathlib import Path; from webapp.platform.local import needs;"
    program += f"print(needs.disk_kind(Path('{tmp_path}')))"
    command = f'mount -t tmpfs tmpfs {tmp_path}; exec {sys.executable} -c "{program}"'
    done = subprocess.run([*NAMESPACE, command], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "tmpfs"


def test_a_disk_that_keeps_no_rights_is_refused(tmp_path):
    """As folders of Windows look in WSL: whoever asks may do everything."""
    if shutil.which("bindfs") is None:
        pytest.skip("bindfs is not installed")
    folder = tmp_path / "state"
    folder.mkdir()
    script = "bindfs --perms=0777 --chmod-ignore --chown-ignore $folder $folder"
    done = start(script, folder, TOPOGRAPH_ENVIRONMENT="current")
    assert done.returncode == 1
    assert f"The disk of {folder} does not keep who may read a file" in done.stderr
    assert "Set TOPOGRAPH_DATA to a folder of your home folder" in done.stderr


def test_rights_are_asked_for_where_the_database_is_ours_and_not_there_yet(monkeypatch, tmp_path):
    make_folder = tempfile.mkdtemp

    def make_open_folder(*arguments, **options):
        made = make_folder(*arguments, **options)
        os.chmod(made, 0o777)
        return made

    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert needs.refusal_of_state(tmp_path) is None
    monkeypatch.setattr(tempfile, "mkdtemp", make_open_folder)
    refusal = needs.refusal_of_state(tmp_path)
    assert refusal is not None and "does not keep who may read a file" in refusal
    monkeypatch.setenv("DATABASE_URL", "postgres://elsewhere/topograph")
    assert needs.refusal_of_state(tmp_path) is None
    monkeypatch.delenv("DATABASE_URL")
    (tmp_path / "postgres").mkdir()
    assert needs.refusal_of_state(tmp_path) is None


def test_a_share_is_told_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(needs, "disk_kind", lambda folder: "9p")
    (note,) = (note for note in needs.notes(tmp_path) if "9p" in note)
    assert "a folder of Windows" in note
    assert "one in your Linux home" in note


def test_a_port_that_is_taken_gives_the_next_and_a_hundred_a_sentence():
    with ExitStack() as stack:
        first = next(
            port
            for port in range(20_000, 30_000, 200)
            if all(is_bound(stack, number) for number in range(port, port + 100))
        )
        with pytest.raises(OSError, match=r"None of the ports .* Choose another with --port"):
            processes.free_port(first)
        assert processes.free_port(first + 1) == first + 100


def is_bound(stack: ExitStack, port: int) -> bool:
    """Whether a port could be taken, until the stack is closed."""
    taken = stack.enter_context(socket.socket())
    try:
        taken.bind(("127.0.0.1", port))
    except OSError:
        return False
    taken.listen()
    return True
