"""Known holes in what we build on: all locks are asked for at an advisory service by pip-audit.

It fails on a hole that is known, unless requirements/advisories.toml accepts it, with a reason and
a date up to which. Where no service answers, or it does not know our packages (a mirror without
advisories says so of all), nothing was audited: then it is skipped, and says so.
"""

import datetime
import json
import re
import subprocess
import sys
import tomllib

import pytest

from tests import wheels
from tests.conftest import ROOT

ACCEPTED = ROOT / "requirements" / "advisories.toml"
LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.lock"))
SECONDS = 120


def accepted(text: str, today: datetime.date) -> set[str]:
    """Ids of advisories that are accepted today. Raises ValueError for an entry without a reason or
    an end."""
    found = set()
    for entry in tomllib.loads(text).get("advisory", []):
        if not (
            entry.get("id")
            and len(entry.get("reason", "")) > 20
            and isinstance(entry.get("until"), datetime.date)
        ):
            raise ValueError(
                f"An advisory needs an id, a reason in a sentence, and `until`, a date: {entry}"
            )
        if entry["until"] >= today:
            found.add(entry["id"])
    return found


def judged(report: dict, accepted: set[str]) -> tuple[int, list[str]]:
    """How many packages were audited, and the holes that nobody accepted."""
    known = [package for package in report["dependencies"] if "skip_reason" not in package]
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in"
        f" {', '.join(hole['fix_versions']) or 'no version'}"
        for package in known
        for hole in package["vulns"]
        if not accepted & {hole["id"], *hole.get("aliases", [])}
    ]
    return len(known), holes


def test_no_known_hole():
    """In one call: locks have most packages in common, and each is asked for over the network."""
    paths = [ROOT / "requirements" / lock for lock in LOCKS]
    argv = [
        sys.executable,
        "-m",
        "pip_audit",
        *(argument for path in paths for argument in ("--requirement", str(path))),
        "--require-hashes",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--timeout",
        "10",
    ]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=SECONDS)
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        pytest.skip(f"not audited: the advisory service did not answer within {SECONDS} s")
    except json.JSONDecodeError:
        pytest.skip(
            "not audited:"
            f" {done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else 'no answer'}"
        )
    audited, holes = judged(report, accepted(ACCEPTED.read_text(), datetime.date.today()))
    assert holes == []
    listed: set[str] = set()
    for path in paths:
        listed |= set(re.findall(r"^[a-zA-Z0-9._-]+==\S+", path.read_text(), re.M))
    if audited < len(listed) / 2:
        pytest.skip(
            f"not audited: the advisory service knows {audited} of {len(listed)} packages of the"
            " locks"
        )


HOLE = {
    "id": "PYSEC-2026-1",
    "fix_versions": ["2.0"],
    "aliases": ["CVE-2026-0001"],
    "description": "",
}
REPORT = {
    "dependencies": [
        {"name": "a", "version": "1.0", "vulns": [HOLE]},
        {"name": "b", "version": "1.0", "vulns": []},
        {"name": "c", "skip_reason": "Dependency not found on PyPI"},
    ]
}


def test_a_hole_is_one_unless_it_is_accepted():
    assert judged(REPORT, set()) == (2, ["a 1.0: PYSEC-2026-1, mended in 2.0"])
    assert judged(REPORT, {"PYSEC-2026-1"}) == judged(REPORT, {"CVE-2026-0001"}) == (2, [])
    assert judged({"dependencies": [{"name": "c", "skip_reason": "not found"}]}, set()) == (0, [])


def test_what_is_accepted_has_a_reason_and_an_end():
    entry = (
        '[[advisory]]\nid = "CVE-2026-0001"\nreason = "We do not call the function that it is'
        ' in."\nuntil = 2026-06-01\n'
    )
    assert (
        accepted(entry, datetime.date(2026, 6, 1)) == {"CVE-2026-0001"}
        and accepted(entry, datetime.date(2026, 6, 2)) == set()
    )
    for wrong in (
        entry.replace("until = 2026-06-01\n", ""),
        entry.replace("We do not call the function that it is in.", "later"),
        entry.replace("id =", "di ="),
    ):
        with pytest.raises(ValueError):
            accepted(wrong, datetime.date(2026, 6, 1))
    accepted(ACCEPTED.read_text(), datetime.date.today())


def test_a_package_without_a_wheel_for_a_system_is_named():
    """On Intel Macs, which Topograph refuses for that reason."""
    lock = ROOT / "requirements" / "runtime.lock"
    try:
        missing = wheels.missing_wheel(lock, "x86_64-apple-darwin", "3.12")
    except (wheels.NotAnswered, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no package index answered: {error}")
    assert missing is not None
    assert re.fullmatch(r"[\w-]+==[\w.]+", missing)


def test_the_wheels_of_systems_are_not_called_complete_where_no_index_answers():
    argv = [sys.executable, "-m", "tests.wheels", "requirements/installer.lock"]
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no namespace of the network")
    done = subprocess.run(
        ["unshare", "-rn", *argv], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 2
    assert done.stdout.startswith("No package index answered, so nothing more was checked:")
    assert not done.stderr
