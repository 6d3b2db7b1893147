"""Every benchmark can be imported: what it imports is still there."""

import pkgutil
from importlib import import_module

import pytest

import benchmarks

NAMES = [module.name for module in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")]
# Groups of pyproject.toml: for benchmarks alone, and for a cluster
OPTIONAL = ("sklearn", "tomotopy", "topica", "vowpalwabbit", "distributed")


def test_benchmarks_are_found():
    assert len(NAMES) > 25


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported(name):
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        assert error.name in OPTIONAL
        pytest.skip(f"{error.name} is not installed")
