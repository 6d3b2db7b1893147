"""The ratchet of tests/readable: no package gets further beyond a limit than tests/readable.toml
says; and that each measure sees what it is for."""

import ast
import shutil
import subprocess
import sys

import pytest

from tests.readable import packages, ratchet
from tests.readable.__main__ import new_passages
from tests.readable.forms import all_forms
from tests.readable.limits import MEASURES
from tests.readable.names import is_vague
from tests.readable.source import Source, read
from tests.readable.statements import Statement, every_statement, thoughts

FORMS = all_forms()
PLAIN = """
def mean(values):
    total = sum(values)
    if not values:
        raise ValueError("a mean needs values")
    for value in values:
        print(value)
    return total / len(values)


SIZES = {"small": 1, "middle": 5, "large": 25}
"""
LONG = " + ".join(f"name{number}" for number in range(30))


def of(code: str) -> Source:
    return read(code, "webapp/analysis/time/example.py")


def faults(code: str, measure: str) -> list[str]:
    return [passage.fault for passage in of(code).passages if passage.measure == measure]


def test_no_package_gets_worse():
    sources = packages.by_package()
    assert len(sources) > 40
    circles = packages.circles(source for files in sources.values() for source in files)
    sentences = ratchet.judged(ratchet.excess(sources, circles), ratchet.allowed())
    advice = "`python -m tests.readable --since origin/main` lists what came; docs/testing.md."
    assert not sentences, "\n".join([*sentences, advice])


def test_every_package_that_is_allowed_more_is_there():
    names = packages.by_package().keys() | {ratchet.CIRCLES}
    assert ratchet.allowed().keys() <= names


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_a_form_is_found_in_its_example(form):
    assert form.name in faults(form.example, "golf")


def test_nothing_is_wrong_with_plain_code():
    assert of(PLAIN).passages == []


@pytest.mark.parametrize(
    "code",
    [
        "[a, b] = x, y",
        "a, b = (f(z) for z in (x, y))",
        "a, b = map(f, (x, y))",
        "for x in (y,): f(x)",
        'exec("a = 1; b = 2")',
        "def f():\n    return (g if x else h)(y)",
    ],
)
def test_other_ways_to_write_a_form_are_found(code):
    assert faults(code, "golf")


def test_a_swap_is_no_parallel_assignment():
    assert faults("a, b = b, a", "golf") == []


def test_a_long_expression_is_heavy():
    assert faults(f"total = {LONG}", "heavy") == ["60 nodes"]


def test_what_stands_behind_keywords_is_read_by_itself():
    arguments = ", ".join(f"field{number}=a + b" for number in range(20))
    assert faults(f"page = Page({arguments})", "heavy") == []


def test_a_table_that_is_taken_apart_at_once_is_one_thought():
    elements = ", ".join(f"key{number}=a + b" for number in range(20))
    assert faults(f"def f():\n    return dict({elements})['key1']", "heavy")


def test_a_table_of_constants_may_be_wide():
    rows = ", ".join(f"({number}, 'a', None)" for number in range(30))
    assert faults(f"ROWS = ({rows})", "heavy") == []


def test_thoughts_are_all_nodes_of_a_statement():
    code = f"f(a={LONG}, b=[x for x in y], c=d[1])"
    node, function = next(every_statement(ast.parse(code)))
    statement = Statement.of(node, function)
    (together,) = thoughts(statement, at_least=1000)
    assert sum(thoughts(statement, at_least=0)) == together


def test_an_echo_is_found_within_functions():
    assert faults("def f(a):\n    b = a\n    pass", "echo") == ["b = a", "pass"]


def test_a_number_in_a_function_needs_a_name():
    assert faults("LIMIT = 7\ndef f(a):\n    return a * 7 + 1 - 2.5", "numbers") == ["2.5", "7"]


def test_a_wide_line_is_found_but_not_in_a_docstring():
    assert faults(f'def f():\n    """{"long " * 30}"""\n    # {"long " * 30}', "wide") == []
    assert len(faults(f"x = '{'long ' * 30}'", "wide")) == 1


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("def f(a, b, c, d, e, f, g, h, i): ...", "f has 9 parameters"),
        ("def f():\n" + "    print()\n" * 60, "f has 61 lines"),
        ("def f():\n" + "".join(f"    name{n}s = 1\n" for n in range(26)), "f has 26 locals"),
    ],
)
def test_a_big_function_is_found(code, fault):
    assert faults(code, "big") == [fault]


@pytest.mark.parametrize("name", ["told", "one", "the_rest", "one_of_each", "a1", "_kept", "own_"])
def test_a_name_that_says_nothing_is_vague(name):
    assert is_vague(name, symbols=False)


@pytest.mark.parametrize("name", ["is_one", "is_this", "counted_is"])
def test_is_without_a_participle_says_nothing_more(name):
    assert is_vague(name, symbols=False)


@pytest.mark.parametrize("name", ["is_counted", "_is_told", "is_not_kept"])
def test_a_truth_about_what_is_at_hand_says_enough(name):
    assert not is_vague(name, symbols=False)


@pytest.mark.parametrize(
    ("path", "code", "vague"),
    [
        ("inference/effects/example.py", "one, two = f()", []),
        ("inference/effects/example.py", "def f(one, two): ...", []),
        ("inference/effects/example.py", "one = f()", ["one"]),
        ("inference/effects/example.py", "one = f()\ntwo = g()", ["one"]),
        ("webapp/analysis/time/example.py", "one, two = f()", ["one"]),
    ],
)
def test_one_is_a_symbol_beside_two_in_formulas(path, code, vague):
    passages = read(code, path).passages
    assert [passage.fault for passage in passages if passage.measure == "names"] == vague


@pytest.mark.parametrize("name", ["topic", "first", "x", "share_of_words", "i", "utf8", "_"])
def test_a_name_that_says_something_is_not(name):
    assert not is_vague(name, symbols=False)


def test_a_letter_is_a_symbol_in_formulas_alone():
    assert is_vague("H", symbols=False)
    assert not is_vague("H", symbols=True)


def test_the_excess_is_what_the_size_does_not_allow():
    golf = MEASURES[1]
    counts = ratchet.total([of("a, b = f(), g()\n" * 100)])
    assert golf.excess(counts) == round(100 - 100 * golf.limit / 1000)


def test_within_the_limit_there_is_no_excess():
    counts = ratchet.total([of("x = f()\n" * 199 + "a, b = f(), g()\n")])
    assert [measure.excess(counts) for measure in MEASURES] == [0] * len(MEASURES)


def test_a_number_above_the_allowed_one_is_told():
    now = {"webapp/analysis/time": {"golf": 4}, "tasks": {"names": 1}}
    allowed = {"webapp/analysis/time": {"golf": 3}, "tasks": {"names": 1}}
    (sentence,) = ratchet.judged(now, allowed)
    assert sentence == "webapp/analysis/time: golf 4 beyond the limit, 3 allowed."


def test_a_package_that_is_not_listed_may_have_nothing():
    assert len(ratchet.judged({"tasks": {"golf": 1}}, {})) == 1


def test_numbers_are_only_lowered():
    now = {"tasks": {"golf": 5, "names": 1}, "webapp": {"heavy": 2}}
    allowed = {"tasks": {"golf": 3, "names": 4}, "inference": {"big": 1}}
    lowered = ratchet.lowered(now, allowed)
    assert lowered == {"tasks": {"golf": 3, "names": 1}, "inference": {"big": 0}}


def test_passages_that_were_there_are_not_new():
    before = of("x, y = f(), g()\nz = 1\n")
    now = of("z = 1\nx, y = f(), g()\nx, y = f(), g()\n")
    assert [passage.line for passage in new_passages(before, now)] == [3]


def test_a_circle_is_found_through_a_third_module_and_within_functions():
    sources = [
        read("from tasks import b", "tasks/a.py"),
        read("def f():\n    import tasks.c", "tasks/b.py"),
        read("from tasks.a import f", "tasks/c.py"),
        read("from tasks.a import f", "tasks/d.py"),
    ]
    assert packages.circles(sources) == [["tasks.a", "tasks.b", "tasks.c"]]


def test_a_package_is_named_as_the_ratchet_of_types_names_it():
    assert packages.package("webapp/analysis/time/views.py") == "webapp/analysis/time"
    assert packages.package("inference/text/stops.py") == "inference/text"
    assert packages.package("inference/training.py") == "inference"


def test_nothing_hides_in_a_file_that_is_called_tests(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    for name in ("webapp/tests.py", "webapp/migrations/0001_initial.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert packages.paths(["webapp"]) == ["webapp/tests.py"]


def test_the_command_lists_what_came_since_a_commit(tmp_path):
    """In a repository of its own, with a file that changed and a new one."""
    shutil.copytree(packages.ROOT / "tests" / "readable", tmp_path / "tests" / "readable")
    (tmp_path / "tests" / "__init__.py").touch()
    (tmp_path / "tasks").mkdir()
    changed = tmp_path / "tasks" / "changed.py"
    changed.write_text("x, y = f(), g()\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True, capture_output=True)
    changed.write_text("x = 1\nx, y = f(), g()\n(h if x else k)()\n")
    (tmp_path / "tasks" / "new.py").write_text("told = 1\n")
    command = [sys.executable, "-m", "tests.readable", "--since", "HEAD"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "tasks/changed.py:3  golf: call of an expression",
        "tasks/new.py:1  names: told",
        "2 passages came since HEAD.",
    ]
    assert done.returncode == 1
