"""What memory a process may use: that of the machine, or of the container that it runs in."""

import pytest

from inference.runtime import memory

MANY = 9_223_372_036_854_771_712  # what the first version says where there is no limit


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A process in control groups, as the files of a system say them."""

    def write(lines: str, limits: dict[str, str]) -> int | None:
        (tmp_path / "cgroup").write_text(lines)
        for path, limit in limits.items():
            file = tmp_path / "groups" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(limit)
        return memory.usable_memory()

    monkeypatch.setattr(memory, "PROCESS_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "CONTROL_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(memory.os, "sysconf", lambda name: 1 << 15)  # a machine of a gigabyte
    return write


def test_a_machine_without_control_groups(groups, tmp_path):
    assert memory.usable_memory() == 1 << 30


def test_a_container_sees_its_own_group_as_the_root(groups):
    assert groups("0::/\n", {"memory.max": "268435456\n"}) == 256 << 20


def test_the_narrowest_of_the_groups_above_a_service_counts(groups):
    limits = {
        "system.slice/memory.max": "104857600\n",
        "system.slice/topograph.service/memory.max": "max\n",
    }
    assert groups("0::/system.slice/topograph.service\n", limits) == 100 << 20


def test_groups_of_the_first_version(groups):
    lines = "9:name=systemd:/\n4:memory:/docker/abc\n2:cpu,cpuacct:/\n"
    limits = {
        "memory/memory.limit_in_bytes": f"{MANY}\n",
        "memory/docker/abc/memory.limit_in_bytes": "536870912\n",
    }
    assert groups(lines, limits) == 512 << 20


def test_a_limit_above_what_the_machine_has_is_none(groups):
    assert groups("0::/\n", {"memory.max": f"{4 << 30}\n"}) == 1 << 30


def test_groups_that_can_not_be_read(groups):
    assert groups("0::/elsewhere\n", {}) == 1 << 30
