"""The kit without its 80 packages: what its launcher says where it can't start, and what a release
lists. `python -m tests.kit` starts a whole one without a network."""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from deploy import release
from deploy.kit import build
from tests.conftest import ROOT

CHECKS = (  # what the kit asks of the program before anything is installed
    "webapp/__init__.py",
    "webapp/platform/__init__.py",
    "webapp/platform/system.py",
    "webapp/platform/local/__init__.py",
    "webapp/platform/local/needs.py",
)
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: 1.0
License-Expression: MIT
"""


@pytest.fixture
def kit(tmp_path):
    """A kit whose only wheel is one of ours that holds no more than its check of the system."""
    folder = tmp_path / "kit"
    (folder / "wheels").mkdir(parents=True)
    for name in build.BESIDE:
        shutil.copy(ROOT / "deploy" / "kit" / name, folder)
    (folder / "python-version").write_text("{}.{}\n".format(*sys.version_info[:2]))
    (folder / "runtime.lock").write_text("")
    write_about(folder, f"{sys.platform} {platform.machine()}")
    with zipfile.ZipFile(folder / "wheels" / "topograph.whl", "w") as wheel:
        for name in CHECKS:
            wheel.write(ROOT / name, name)
    return folder


def write_about(folder, system: str) -> None:
    about = {"system": system, "wheel": "topograph.whl"}
    (folder / "kit.json").write_text(json.dumps(about))


def start(folder, path: str | None = None) -> subprocess.CompletedProcess:
    env = {"PATH": path or f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    return subprocess.run(
        [folder / "topograph", "start"], env=env, capture_output=True, text=True, timeout=120
    )


def test_a_kit_for_another_system_says_so(kit):
    write_about(kit, "darwin arm64")
    done = start(kit)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "This kit of Topograph is for darwin arm64; this machine is linux"
    )
    assert "Traceback" not in done.stderr


def test_a_kit_without_its_python_says_which_it_needs(kit):
    (kit / "python-version").write_text("3.99\n")
    done = start(kit)
    assert done.returncode == 1
    assert done.stderr.startswith("This kit of Topograph needs Python 3.99")
    assert "TOPOGRAPH_PYTHON" in done.stderr


def test_a_kit_that_was_copied_in_part_says_so(kit):
    (kit / "runtime.lock").write_text("numpy==2.4.6 --hash=sha256:" + "0" * 64 + "\n")
    with zipfile.ZipFile(kit / "wheels" / "uv-1.whl", "w") as wheel:
        wheel.writestr("uv-1.data/scripts/uv", "#!/bin/sh\necho no numpy >&2\nexit 2\n")
    done = start(kit)
    assert done.returncode == 1
    assert "no numpy" in done.stderr
    assert "compare it with SHA256SUMS" in done.stderr
    assert not (kit / "environment" / "ready").exists()


def test_a_kit_on_a_disk_that_can_not_be_written_says_so(kit):
    """Mounted for reading alone, in a namespace of its own."""
    call = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$0/topograph" start'
    namespace = ["unshare", "--map-root-user", "--mount"]
    if subprocess.run([*namespace, "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no namespace of mounts")
    done = subprocess.run(
        [*namespace, "sh", "-c", call, kit], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr
    assert "Move the kit to a folder of yours" in done.stderr
    assert "Traceback" not in done.stderr


def test_packages_of_small_versions_of_python_are_fetched_too():
    lock = "async-timeout==5.0.1 ; python_full_version < '3.11.3' \\\n    --hash=sha256:aa\n"
    lock += "tzdata==2026.6 ; sys_platform == 'win32' \\\n    --hash=sha256:bb\n"
    fetched = build.OF_SMALL_VERSIONS.sub("", lock)
    assert fetched.splitlines()[0] == "async-timeout==5.0.1 \\"
    assert "tzdata==2026.6 ; sys_platform == 'win32' \\" in fetched
    assert "python_full_version < '3.11.3' \\" in (ROOT / "requirements/runtime.lock").read_text()


def test_a_release_lists_what_is_in_the_kit(tmp_path):
    packed = tmp_path / "topograph-1.0-linux.tar"
    with tarfile.open(packed, "w") as archive:
        for name in ("topograph", "other"):
            path = tmp_path / f"{name}-1.0-py3-none-any.whl"
            with zipfile.ZipFile(path, "w") as wheel:
                wheel.writestr(f"{name}-1.0.dist-info/METADATA", METADATA.format(name=name))
            archive.add(path, f"kit/wheels/{path.name}")
    listed = json.loads(release.list_of(packed))
    assert listed["bomFormat"] == "CycloneDX"
    assert listed["metadata"]["component"]["name"] == "topograph"
    (component,) = listed["components"]
    assert (component["name"], component["purl"]) == ("other", "pkg:pypi/other@1.0")
    assert component["licenses"] == [{"expression": "MIT"}]
    content = (tmp_path / "other-1.0-py3-none-any.whl").read_bytes()
    assert component["hashes"][0]["content"] == hashlib.sha256(content).hexdigest()

    release.write_sums(tmp_path, "1.0")
    checked = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True
    )
    assert checked.stdout.splitlines() == [
        "topograph-1.0-linux.tar: OK",
        "topograph-1.0-py3-none-any.whl: OK",
    ]


def test_a_release_whose_image_can_not_be_built_has_the_rest_and_says_so(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "dist").mkdir()
    name = f"{build.kit_name('1.0')}.tar"
    tarfile.open(tmp_path / "dist" / name, "w").close()
    (tmp_path / "dist" / "topograph-1.0-py3-none-any.whl").touch()
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\necho "$*" >> ' + f'{tmp_path}/asked; [ "$1" = info ]\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.main([]) == 1
    said = capsys.readouterr().out
    assert "No image: docker could not build it" in said
    assert f"  {name}\n" in said
    assert (tmp_path / "dist" / "SHA256SUMS").exists()
    assert release.main([release.AS_IT_IS]) == 1
    builds = [line for line in (tmp_path / "asked").read_text().splitlines() if "build" in line]
    assert [("--pull" in line) for line in builds] == [True, False]
