"""A class of the engines or kernels is the only one of inference/ with its name: a docstring that says
`Minibatch` can mean one thing."""

import ast
from collections import defaultdict
from pathlib import Path

import inference

ROOT = Path(inference.__file__).parent
OF_EVERY_ENGINE = {"Config", "Resolved", "State"}  # as inference/engines/contract.py asks
# What a module asks of another one's class, as a protocol of its name
PROTOCOLS = {"Stream", "Tokeniser"}


def places_of_classes() -> dict[str, list[str]]:
    """The files that define each public class of inference/, by its name."""
    places = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    return places


def test_a_class_of_engines_or_kernels_has_a_name_of_its_own() -> None:
    shared = {
        name: files
        for name, files in places_of_classes().items()
        if len(files) > 1
        and name not in OF_EVERY_ENGINE
        and any(file.startswith(("engines/", "kernels/")) for file in files)
    }
    assert not shared


def test_no_name_is_of_two_classes() -> None:
    """What `Units` or `Shares` are is then asked of a module, not of the name."""
    places = places_of_classes()
    shared = {name for name, files in places.items() if len(files) > 1}
    assert shared == OF_EVERY_ENGINE | PROTOCOLS
