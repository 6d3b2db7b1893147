"""What documents cite exists: links, paths, benchmarks; and a newcomer faces no more than one can
read."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
RECORDS = "docs/measurements/"  # what was measured once may cite a program that is gone
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)
PACKAGES = ("inference", "tasks", "webapp")  # their READMEs have tables of modules
MOST_WITHOUT_README = 10  # modules of a package that one finds one's way among without a table
PATH = re.compile(r"[\w./-]*\w\.(?:py|md|toml|lock|yml|service|conf)\b")


def tracked(*patterns: str) -> list[str]:
    """The project's files, new ones included, relative to its folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def documents() -> list[str]:
    return [name for name in tracked("*.md") if not name.startswith("docs/formats/address")]


def anchors(text: str) -> set[str]:
    """Of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", CODE.sub("", text), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def broken_links(name: str, text: str) -> list[str]:
    """Links of a document that lead to no file, or to no heading of it."""
    broken = []
    for link in LINK.findall(CODE.sub("", text)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists() or (
            anchor and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            broken.append(f"{name}: {link}")
    return broken


def missing_paths(text: str, files: list[str]) -> list[str]:
    """Paths in a text that are the end of no file's name. files: as `tracked` gives them."""
    ends = {"/".join(PurePosixPath(file).parts[-count:]) for file in files for count in range(1, 8)}
    without = re.sub(r"\w+://\S+", "", text.replace("\\_", "_"))
    cited = {re.sub(r"^(\.+/)+", "", path) for path in PATH.findall(without)}
    return sorted(path for path in cited if not path.startswith("/") and path not in ends)


def modules_in_tables(text: str) -> list[str]:
    """Names in the first column of a README's tables of modules: those whose header begins with
    "module"."""
    first_cells = [cells[0] for cells in rows_of_modules(text)]
    names = [name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)]
    return [name.rstrip("/") for name in names]


def rows_of_modules(text: str) -> list[list[str]]:
    """The cells of each row of a README's tables of modules, headers left out."""
    rows = []
    is_of_modules = False
    for line in CODE.sub("", text).splitlines():
        if not line.startswith("|"):
            is_of_modules = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "module":
            is_of_modules = True
        elif is_of_modules and not set(cells[0]) <= set("-: "):
            rows.append(cells)
    return rows


def sources_of(folder: Path, module: str) -> str:
    """The code of a module or a package beside a README."""
    paths = [folder / f"{module}.py", *(folder / module).rglob("*.py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())


def missing_beginnings(folder: Path, text: str) -> list[str]:
    """What tables of modules say to begin with, in their third column, and no module of the row
    has."""
    missing = []
    for module_cell, _, *further in rows_of_modules(text):
        modules = re.findall(r"`([^`]+)`", module_cell)
        code = "\n".join(sources_of(folder, module.rstrip("/")) for module in modules)
        names = re.findall(r"`([\w.]+)`", further[0]) if further else []
        for name in names:
            if not re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", code):
                missing.append(f"{module_cell}: {name}")
    return missing


def public_modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py") if not path.name.startswith("_")}


def packages() -> list[Path]:
    """Folders of the program with modules in them."""
    names = tracked(*(f"{room}/**/*.py" for room in PACKAGES))
    folders = {(ROOT / name).parent for name in names}
    return sorted(folder for folder in folders if folder.name != "migrations")


DTYPE = r"(?:u?int(?:8|16|32|64)?|float(?:32|64)?|bool)"
# "place, days: int64[D]" at the beginning of a sentence of a docstring
DESCRIBED = re.compile(rf"(?:^|[.;] )(\w+(?:, \w+)*): {DTYPE}\[")
RETURNED = re.compile(r"\((\w+(?:, \w+)+)\)")  # "(low, high)": what is returned has names, too


def names_in(node: ast.AST) -> set[str]:
    """All names of a function or class: parameters, fields, attributes, locals."""
    names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    names |= {child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute)}
    return names | {child.arg for child in ast.walk(node) if isinstance(child, ast.arg)}


def described_in_vain(path: Path) -> Iterator[str]:
    """Arrays that a docstring describes by names that its function or class does not have."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        text = " ".join((ast.get_docstring(node) or "").split())
        known = names_in(node)
        if isinstance(node, ast.ClassDef) and any("State" in ast.unparse(b) for b in node.bases):
            known |= {"values"}  # of what every state of an engine extends
        for names in RETURNED.findall(text):
            known |= set(names.split(", "))
        for names in DESCRIBED.findall(text):
            for name in set(names.split(", ")) - known:
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {name}"


GLOSSED = re.compile(
    r"(?:^|[.;] )([a-z]\w*(?:, [a-z]\w*)*): "
)  # "size: of a block", without a dtype
NO_NAME = re.compile(r"(?:u?int|float)(?:8|16|32|64)|bool|ascending")


def glossed_in_vain(function: ast.FunctionDef) -> list[str]:
    """Names at the beginning of a sentence of a function's docstring that the function does not
    have, as a parameter, a local or a key."""
    text = " ".join((ast.get_docstring(function) or "").split())
    known = names_in(function)
    known |= {
        child.value
        for child in ast.walk(function)
        if isinstance(child, ast.Constant) and isinstance(child.value, str)
    }
    for names in RETURNED.findall(text):
        known |= set(names.split(", "))
    glossed = [name for names in GLOSSED.findall(text) for name in names.split(", ")]
    return [name for name in glossed if name not in known and not NO_NAME.fullmatch(name)]


def test_docstrings_describe_arrays_by_their_names():
    """A renamed parameter is renamed in what is said of it."""
    files = [path for folder in (*PACKAGES, "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 300
    assert not [wrong for path in files for wrong in described_in_vain(path)]


def test_docstrings_of_functions_gloss_their_own_names():
    renamed = ast.parse('def count(further):\n    """more: what the type takes."""').body[0]
    assert isinstance(renamed, ast.FunctionDef)
    assert glossed_in_vain(renamed) == ["more"]
    files = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]
    assert not {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": names
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (names := glossed_in_vain(node))
    }


def test_tables_of_modules_are_read():
    table = "| module | what |\n|---|---|\n| `bow`, `engines/` | counts, `Bow` |\n\n| `x` | y |\n"
    assert modules_in_tables(table) == ["bow", "engines"]


def test_modules_that_readmes_list_exist():
    missing = [
        f"{folder.relative_to(ROOT)}: {module}"
        for folder in packages()
        if (readme := folder / "README.md").is_file()
        for module in modules_in_tables(readme.read_text(encoding="utf-8"))
        if not (folder / f"{module}.py").is_file() and not (folder / module).is_dir()
    ]
    assert not missing


def test_what_readmes_say_to_begin_with_is_there():
    table = "| module | what | begin with |\n|---|---|---|\n| `waiting` | x | `not_there` |\n"
    assert missing_beginnings(Path(__file__).parent, table) == ["`waiting`: not_there"]
    missing = {}
    for folder in packages():
        readme = folder / "README.md"
        if not readme.is_file():
            continue
        names = missing_beginnings(folder, readme.read_text(encoding="utf-8"))
        if names:
            missing[str(folder.relative_to(ROOT))] = names
    assert not missing


def test_readmes_of_large_packages_list_all_modules():
    unlisted = {}
    for folder in packages():
        modules = public_modules(folder)
        if len(modules) <= MOST_WITHOUT_README:
            continue
        readme = folder / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
        if left_out := modules - set(modules_in_tables(text)):
            unlisted[str(folder.relative_to(ROOT))] = sorted(left_out)
    assert not unlisted, (
        f"A package of more than {MOST_WITHOUT_README} modules has a README.md with a table of them:"
        " add a row for each of these"
    )


def test_links_lead_somewhere():
    broken = [
        link
        for name in documents()
        for link in broken_links(name, (ROOT / name).read_text(encoding="utf-8"))
    ]
    assert not broken


def test_paths_that_documents_cite_exist():
    files = tracked()
    assert missing_paths("tests/attacks/test_scripts.py, test_gate_of_old.py", files) == [
        "test_gate_of_old.py"
    ]
    missing = {
        name: paths
        for name in documents()
        if not name.startswith(RECORDS)
        if (paths := missing_paths((ROOT / name).read_text(encoding="utf-8"), files))
    }
    assert not missing


# "`engines/svi.py: _fade, rho`": names that a module has
NAMED_IN_MODULE = re.compile(r"`([\w/]+\.py): ([\w, ]+)`")


def defined_names(tree: ast.Module) -> set[str]:
    """Functions, classes and values, those within classes, too."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def missing_names(text: str, files: list[str]) -> list[str]:
    """Names that a text says to be in a module, and that are not in it. files: as `tracked` gives
    them."""
    missing = []
    for path, names in NAMED_IN_MODULE.findall(text.replace("\\_", "_")):
        modules = [file for file in files if f"/{file}".endswith(f"/{path}")]
        for name in re.findall(r"\w+", names):
            if not any(name in defined_names(parsed(module)) for module in modules):
                missing.append(f"{path}: {name}")
    return missing


@cache
def parsed(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def test_names_that_documents_say_to_be_in_a_module_are_there():
    files = tracked("*.py")
    text = "`engines/svi.py: step, forget`, `engines/arena.py: Rows`, `gone.py: x`"
    assert missing_names(text, files) == ["engines/svi.py: forget", "gone.py: x"]
    missing = {
        name: names
        for name in documents()
        if not name.startswith(RECORDS)
        if (names := missing_names((ROOT / name).read_text(encoding="utf-8"), files))
    }
    assert not missing


ANY = "*"  # instead of a parameter: as many as one likes


def callables() -> dict[str, list[list[str]]]:
    """Parameters of each public function and class of the library, by its name: of all that have
    it. Those of a class are its constructor's, or its fields."""
    parameters: dict[str, list[list[str]]] = {}
    for file in tracked("inference/*.py"):
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.FunctionDef):
                parameters.setdefault(node.name, []).append(parameters_of(node))
            elif isinstance(node, ast.ClassDef):
                parameters.setdefault(node.name, []).append(fields_of(node))
    return parameters


def parameters_of(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if arguments.vararg is not None or arguments.kwarg is not None:
        names.append(ANY)
    return [name for name in names if name not in ("self", "cls")]


def fields_of(kind: ast.ClassDef) -> list[str]:
    for node in kind.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return parameters_of(node)
    return [
        node.target.id
        for node in kind.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


def wrong_calls(text: str, known: dict[str, list[list[str]]]) -> list[str]:
    """Calls in a text that nothing of their name takes. known: of `callables`; what is not there is
    of another library."""
    wrong = []
    for code in re.findall(r"`([^`\n]+\))`", text):
        try:
            tree = ast.parse(re.sub(r"^\.", "of.", code.replace("…", "...")), mode="eval")
        except SyntaxError:
            continue
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and not is_taken(call, known):
                wrong.append(ast.unparse(call))
    return wrong


def is_taken(call: ast.Call, known: dict[str, list[list[str]]]) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    keywords = {keyword.arg for keyword in call.keywords}
    return name not in known or any(
        ANY in parameters
        or (len(call.args) + len(keywords) <= len(parameters) and keywords <= set(parameters))
        for parameters in known[name]
    )


def test_calls_that_documents_show_can_be_made():
    known = callables()
    assert wrong_calls("`LeftToRight(bow, documents, most=9)(topics)`, `Bow.open(a)`", known) == [
        "LeftToRight(bow, documents, most=9)"
    ]
    wrong = {
        name: calls
        for name in documents()
        if name.startswith(("docs/judge.md", "docs/engines/", "inference/"))
        if (calls := wrong_calls((ROOT / name).read_text(encoding="utf-8"), known))
    }
    assert not wrong


LISTS_DEVIATIONS = re.compile(r"every deviation from \w+, is in (docs/engines/\w+\.md)")


def test_deviations_are_listed_where_engines_say_so():
    """Not on a page that this one leads on to."""
    pages = set()
    for file in tracked("inference/*.py"):
        text = " ".join((ast.get_docstring(parsed(file)) or "").split())
        pages |= set(LISTS_DEVIATIONS.findall(text))
    assert len(pages) > 5
    for page in pages:
        section = (ROOT / page).read_text(encoding="utf-8").partition("\n## Deviations\n")[2]
        assert section.lstrip().startswith("- "), page


REPORTS = ("docs/accessibility.md", "docs/security.md")


def test_tests_that_reports_name_exist():
    """An institution is told that a test knows it: then there is such a test."""
    written = "".join((ROOT / name).read_text(encoding="utf-8") for name in tracked("tests/*.py"))
    there = set(re.findall(r"def (test_\w+)\(", written))
    named = {
        name: set(re.findall(r"\btest_\w+\b(?!\.py)", (ROOT / name).read_text(encoding="utf-8")))
        for name in REPORTS
    }
    assert all(len(tests) > 5 for tests in named.values())
    assert {name: sorted(tests - there) for name, tests in named.items() if tests - there} == {}


def test_documents_that_code_cites_exist():
    missing = [
        f"{name}: {path}"
        for name in tracked(
            "*.py",
            "*.html",
            "*.js",
            "*.toml",
            "*.yml",
            "*.sh",
            "Dockerfile",
            "Makefile",
            ".env.example",
        )
        for path in re.findall(
            r"\bdocs/[\w./-]+\.(?:md|csv|yml)", (ROOT / name).read_text(encoding="utf-8")
        )
        if not (ROOT / path).exists()
    ]
    assert not missing


def test_benchmarks_that_are_cited_exist():
    missing = [
        f"{name}: {module}"
        for name in (*documents(), *tracked("*.py"))
        for module in re.findall(
            r"python3? -m (benchmarks[\w.]*[a-z])\b", (ROOT / name).read_text(encoding="utf-8")
        )
        if not any(
            (ROOT / (module.replace(".", "/") + end)).is_file() for end in (".py", "/__main__.py")
        )
    ]
    assert not missing


def test_commands_of_benchmarks_that_are_cited_can_be_given():
    """Each is a program that has the options; or the text says of which commit it was."""
    wrong = []
    for name in documents():
        text = (ROOT / name).read_text(encoding="utf-8")
        for match in re.finditer(r"`python3? -m (benchmarks[\w.]*)([^`]*)`(?! at commit)", text):
            module = ROOT / match[1].replace(".", "/")
            files = list(module.glob("*.py")) or [module.with_suffix(".py")]
            source = "".join(path.read_text(encoding="utf-8") for path in files)
            if '__name__ == "__main__"' not in source:
                wrong.append(f"{name}: {match[1]} is no program")
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", match[2]):
                if f'"{option}"' not in source:
                    wrong.append(f"{name}: {match[1]} has no option {option}")
    assert not wrong
