"""What the overview said in 0.3.0 beside what it says now, and why each difference went.

    .venv/bin/python -m benchmarks.before [NAMES] [--old COMMIT] [--full] [--data FOLDER]

Collections of benchmarks.insight (at most 3,000 documents, unless --full) are uploaded, read and
trained as the pages preset it, by the program of COMMIT (0.3.0, in a worktree that is deleted) and
by this one. Of each collection a row: differences of groups that the overview says under "more",
topics and words, and changes over time, before and now; the seconds that its findings take. Then a
line for each difference or change of a topic that is not said any more, with the answer that every
page gives now. What both programs say is kept in FOLDER, and not asked for again. Topics are the same where their first words are: where a training differs between
both programs, lines say "another topic".
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.origin import ROOT, options, started

RELEASE = "f4c0bc62"  # 0.3.0
USUAL = ("sections", "answers", "manifestos", "posts", "reuters")
KINDS = ("mark", "keyword", "change", "event")
FIRST_WORDS = 8  # of a topic, by which it is recognised
ALIKE = 5  # of these, at least
WRITE = "BENCHMARK_BEFORE_WRITES"  # the file that an inner call writes
ASKS = "BENCHMARK_BEFORE_ASKS"  # what an older program wrote


def main() -> None:
    """Prints the table, or in an inner call writes what one program says."""
    declared: dict[str, dict[str, Any]] = {
        "names": {"nargs": "*", "help": "of benchmarks.insight"},
        "--old": {"default": RELEASE, "help": "the commit of the program that was"},
        "--full": {"action": "store_true", "help": "whole collections"},
        "--data": {"type": Path, "help": "a folder that stays"},
    }
    arguments = options(__doc__, declared).parse_args()
    names = arguments.names or list(USUAL)
    if WRITE in os.environ:
        write(names, not arguments.full, Path(os.environ[WRITE]))
        return
    before: dict[str, Any] = {}
    now: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        for name in names:
            of_before = folder / f"{name}.before.json"
            of_now = folder / f"{name}.now.json"
            if not of_before.exists():
                with worktree(arguments.old) as old:
                    said_by(old, name, arguments.full, of_before)
            if not of_now.exists():
                said_by(ROOT, name, arguments.full, of_now, of_before)
            before |= json.loads(of_before.read_text())
            now |= json.loads(of_now.read_text())
    print_table(before, now)
    for name in names:
        print_gone(name, before[name], now[name])


@contextmanager
def worktree(commit: str):
    """A checkout of another commit, with this one's packages and this program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "old"
        shared = (ROOT.parent / "shared").resolve()  # where collections are looked for
        (Path(folder) / "shared").symlink_to(shared)
        subprocess.run(["git", "worktree", "add", "-q", str(path), commit], cwd=ROOT, check=True)
        try:
            yield path
        finally:
            removal = ["git", "worktree", "remove", "--force", str(path)]
            subprocess.run(removal, cwd=ROOT, check=True)


def said_by(program: Path, name: str, full: bool, file: Path, before: Path | None = None) -> None:
    """Have a program write what its overview says of a collection. before: what another one wrote,
    whose questions are asked of this one."""
    environment = os.environ | {WRITE: str(file.resolve()), "PYTHONPATH": str(program)}
    if before is not None:
        environment[ASKS] = str(before.resolve())
    command = [sys.executable, str(Path(__file__).resolve()), name]
    command += ["--full"] if full else []
    subprocess.run(command, cwd=program, env=environment, check=True, stdout=sys.stderr)


def write(names: list[str], quick: bool, file: Path) -> None:
    """In the program of the working directory."""
    asks = os.environ.get(ASKS)
    before = json.loads(Path(asks).read_text()) if asks else {}
    said = {}
    with started(None):
        from benchmarks.insight import collections, runs

        for name in names:
            run = runs.trained(collections.COLLECTIONS[name](quick), quick, 0)
            runs.shown(run, "")  # what is compiled, and read once
            began = time.perf_counter()
            runs.shown(run, "")
            seconds = time.perf_counter() - began
            rows = [row for row in runs.shown(run, "more")["findings"] if row["kind"] in KINDS]
            claims = [claim for row in rows for claim in claims_of(row)]
            said[name] = {
                "seconds": seconds,
                "claims": claims,
                "words": words_of(run),
                "documents": run.version.documents,
            }
            if before:
                said[name]["answers"] = answers_to(run, before[name], said[name]["words"])
    file.write_text(json.dumps(said))


def claims_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Each with the number of its topic, None for a word's."""
    topics = [part["number"] for part in row["parts"] if isinstance(part, dict)]
    if row["kind"] in ("keyword", "event") or len(topics) < len(row["claims"]):
        topics = [None] * len(row["claims"])
    claims = []
    for claim, topic in zip(row["claims"], topics, strict=False):
        claims.append(claim | {"kind": row["kind"], "topic": topic, "sentence": row["sentence"]})
    return claims


def words_of(run) -> dict[str, list[str]]:
    """The first words of each topic, by its number."""
    from django.test import Client

    page = Client(SERVER_NAME="127.0.0.1").get(f"/runs/{run.pk}/topics.json?all=1").json()
    return {str(topic["number"]): topic["words"][:FIRST_WORDS] for topic in page["items"]}


def partner_of(topic: int, before: dict[str, list[str]], now: dict[str, list[str]]) -> int | None:
    """The topic that has the same first words now."""
    first = set(before.get(str(topic), ()))
    shared = Counter({number: len(first & set(words)) for number, words in now.items()})
    number, most = shared.most_common(1)[0]
    return int(number) if most >= min(ALIKE, len(first)) else None


def answers_to(run, before: dict, words: dict[str, list[str]]) -> list[dict[str, Any] | None]:
    """What this program answers to the questions of an older one's claims, in their order."""
    return [answer_to(run, claim, before["words"], words) for claim in before["claims"]]


def answer_to(run, claim: dict, before: dict, words: dict) -> dict[str, Any] | None:
    """None of words, and of a topic that is not found again."""
    from urllib.parse import urlencode

    from django.http import QueryDict

    from inference.errors import Invalid
    from webapp.analysis.answers import cautions
    from webapp.analysis.findings import questions
    from webapp.analysis.findings.claim import Claim
    from webapp.analysis.time import contrasts
    from webapp.core.documents.selection import Selection
    from webapp.core.results.view import RunView

    if claim["topic"] is None:
        return None
    topic = partner_of(claim["topic"], before, words)
    if topic is None:
        return None
    names = ("field", "value", "first", "last", "steady", "more", "ratio")
    bounds = claim["bounds"] and tuple(claim["bounds"])
    question_claim = Claim("", [], [], bounds=bounds, **{name: claim[name] for name in names})
    question = questions.question_of(claim["kind"], question_claim)
    if not question:
        return {"topic": topic, "caution": "no question: a line of an older program"}
    selection = Selection.all(RunView(run))
    try:
        sets = contrasts.read_sides(QueryDict(urlencode(question)), selection, False)
        assert sets is not None, "a question has two sets"
        base, first, second = sets
        documents = contrasts.divided(base, first, second)
        compared = contrasts.differences(base, first, second, documents, "")
    except Invalid as error:
        return {"topic": topic, "caution": error.message}
    if topic not in compared.topics:
        return {"topic": topic, "caution": "hidden"}
    column = compared.topics.index(topic)
    answers = compared.found
    return {
        "topic": topic,
        "caution": cautions.caution(compared.unit, answers.units, answers.verdict),
        "verdict": answers.verdict_of(column),
        "shares": [float(answers.a[column]), float(answers.b[column])],
        "ends": [float(answers.low[column]), float(answers.high[column])],
        "level": answers.level,
        "p": float(answers.p[column]),
        "unit": cautions.units_named(compared.unit),
        "part": float(answers.part[column]),
        "without": float(answers.ratio_without[column]),
    }


def print_table(before: dict[str, Any], now: dict[str, Any]) -> None:
    """A row for each collection: before, now."""
    print(
        "| collection (documents) | topics of groups | words of groups | changes | words over time | seconds |"
    )
    print("|---|---|---|---|---|---|")
    for name, was in before.items():
        count_before = Counter(claim["kind"] for claim in was["claims"])
        count_now = Counter(claim["kind"] for claim in now[name]["claims"])
        cells = [f"{count_before[kind]}, {count_now[kind]}" for kind in KINDS]
        seconds = f"{was['seconds']:.1f}, {now[name]['seconds']:.1f}"
        print(f"| {name} ({was['documents']:,}) | {' | '.join(cells)} | {seconds} |")


def print_gone(name: str, before: dict, now: dict) -> None:
    """A row for each claim on a topic that is not said any more."""
    print("| collection | said in 0.3.0 | now |\n|---|---|---|")
    present = {key_of(claim, claim["topic"]) for claim in now["claims"]}
    for claim, answer in zip(before["claims"], now["answers"], strict=True):
        if claim["topic"] is None:
            continue
        if answer is not None and key_of(claim, answer["topic"]) in present:
            continue
        print(f"| {name} | {said_of(claim)} | {reason_of(answer)} |")


def said_of(claim: dict) -> str:
    """A claim in a few words: "Immigration: 9.9 times, from 2005"."""
    ratio = claim["ratio"]
    times = f"{ratio:.1f} times" if ratio >= 1 else f"{1 / ratio:.1f} times less"
    where = f"{claim['value']} ({claim['field']})" if claim["field"] else f"from {claim['first']}"
    if claim["last"]:
        where += f" to {claim['last']}"
    if claim["steady"]:
        where = "ever more" if claim["more"] else "ever less"
    return f"{claim['name']}: {times}, {where}"


def key_of(claim: dict, topic: int) -> tuple:
    """A group's, or any change of a topic in the same direction."""
    if claim["kind"] == "mark":
        return claim["kind"], claim["field"], claim["value"], claim["more"], topic
    return claim["kind"], claim["more"], topic


def reason_of(answer: dict[str, Any] | None) -> str:
    """Why it is not said, with the answer of every page."""
    if answer is None:
        return "another topic: this training has none with the same words"
    if answer.get("caution"):
        return answer["caution"].strip(".")
    inside, outside = (f"{100 * share:.2f}%" for share in answer["shares"])
    low, high = (f"{100 * end:+.1f}" for end in answer["ends"])
    level = f"{100 * answer['level']:.1f}%, {answer['unit']}"
    numbers = f"{inside} against {outside}, {low} to {high} points ({level})"
    reasons = {
        "": "beyond chance, but too small, one’s doing, or of words that do not move so",
        "chance": "the interval holds no difference",
        "few units have it": "too few have it",
        "one unit": "mostly one’s doing",
    }
    return f"{reasons.get(answer['verdict'], answer['verdict'])}: {numbers}"


if __name__ == "__main__":
    main()
