"""What documents cite exists: links, paths, benchmarks; and a newcomer faces no more than one can
read."""

import re
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
RECORDS = "docs/measurements/"  # what was measured once may cite a program that is gone
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)
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
