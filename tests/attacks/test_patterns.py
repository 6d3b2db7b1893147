"""Expressions over what strangers wrote: none may try so many ways that a text of some thousand
characters takes it long."""

import importlib
import pkgutil
import re
import time
from pathlib import Path

import pytest
import regex

import inference
import tasks
import webapp

LENGTH = 2_000  # characters; where more is let in, time must grow no faster than the text
BOUND = 0.1  # seconds of processor time for one of them
PATIENCE = 2.0  # seconds after which `regex` gives up; `re` can't

# Texts of one or two characters over and over, and an end that does not fit: what makes an
# expression go back again and again.
OVER = [" ", "\t", "\n", "a", "A", "1", "-", ".", ",", "'", '"', "(", "[", "<", "~", "{", "1 ", "a ", "1,", ". ", "\n ", "a-", "a'", "1-", "1:", "c.", "1 1:",
        "( ", "a* ", "encoding ", "@a{", "1,000", "NOT ", "ab AND ", "가", "a\u0301", "\\", "# "]  # fmt: skip
BEGINNINGS = ["", "a: ", "1", "<?xml ", "---\na: "]
SHORT = {  # where the code bounds a text before it is matched: characters, and where that is said
    "webapp.intake.metadata.dates": 60,  # LONGEST
}


def patterns() -> dict[str, tuple]:
    """Every compiled expression of ours, by its name, with the ways in which its module uses it."""
    found = {}
    for package in (inference, tasks, webapp):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if any(
                part in module.name
                for part in (".migrations", ".management", ".sandbox_worker", ".local")
            ):
                continue
            loaded = importlib.import_module(module.name)
            source = Path(loaded.__file__).read_text(encoding="utf-8")
            for name, value in vars(loaded).items():
                if f"\n{name} = " not in source and f"\n{name}: " not in source:
                    continue  # of another module
                ways = [way for way in ("fullmatch", "match") if f"{name}.{way}(" in source] or [
                    "search",
                    "fullmatch",
                ]
                if re.search(rf"\b{name}\.(search|sub|split|findall|finditer)\(", source):
                    ways.append("search")
                for i, each in enumerate(value if isinstance(value, (list, tuple)) else [value]):
                    if isinstance(each, (re.Pattern, regex.Pattern)):
                        found[f"{module.name}.{name}.{i}"] = each, set(ways)
    return found


def seconds(pattern, text: str, ways=("search", "fullmatch")) -> float:
    """The longest of the ways in which a text can be matched."""
    if isinstance(pattern.pattern, bytes):
        text = text.encode()
    more = {} if isinstance(pattern, re.Pattern) else {"timeout": PATIENCE}
    most = 0.0
    for way in ways:
        began = time.process_time()
        try:
            getattr(pattern, way)(text, **more)
        except TimeoutError:
            pass
        most = max(most, time.process_time() - began)
    return most


def test_a_bad_expression_is_noticed():
    """So that the test below can fail."""
    assert seconds(regex.compile(r"(?:\s*\s*)*$"), " " * 4_000 + "!", ["match"]) > BOUND
    assert seconds(re.compile(r"(a|aa)+$"), "a" * 33 + "!", ["match"]) > BOUND


@pytest.mark.django_db
def test_no_expression_takes_long():
    found = patterns()
    slow = {}
    for name, (pattern, ways) in found.items():
        length = next((most for module, most in SHORT.items() if name.startswith(module)), LENGTH)
        for beginning in BEGINNINGS:
            for over in OVER:
                text = beginning + over * (length // len(over)) + "!"
                took = seconds(pattern, text, ways)
                if took > BOUND:  # again: beside other processes a moment may be long by chance
                    took = min(took, seconds(pattern, text, ways))
                if took > BOUND:
                    slow[name] = max(slow.get(name, (0.0,)), (round(took, 2), beginning, over))
    assert len(found) > 40 and slow == {}


@pytest.mark.parametrize(
    "pattern",
    ["{a}_{b}_{c}.txt", "{a}" * 40 + "x", "{a}-" * 200, "{" * 500, "a" * 5000 + "{x}", "{a}{a}"],
)
def test_a_pattern_of_names_goes_on_without_going_back(pattern):
    """It is no regular expression (docs/decisions)."""
    from inference.errors import Invalid
    from webapp.intake.ingest.shaping import name_fields

    began = time.process_time()
    try:
        compiled = getattr(name_fields, "Pattern", None)
        assert compiled is None or compiled(pattern) is not None
    except Invalid:
        pass
    assert time.process_time() - began < BOUND


def test_a_quotation_is_found_in_one_pass():
    from inference.errors import Invalid
    from webapp.platform.accounts.embargo import located

    text = "a " * 200_000
    began = time.process_time()
    with pytest.raises(Invalid):
        located(text, "a " * 4_000 + "b", None, None)
    assert time.process_time() - began < 1
    assert located("x  a\n\nb c y", "a b  c", None, None) == (3, 9) and located(
        "hello", "ell", None, None
    ) == (1, 4)
    assert located("one two three", "wo thr", None, None) == (5, 11)
