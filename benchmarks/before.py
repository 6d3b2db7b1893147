"""What the overview said in 0.3.0 beside what it says now, and why each difference went.

    .venv/bin/python -m benchmarks.before [NAMES] [--old COMMIT] [--full] [--data FOLDER]

Collections of benchmarks.insight (at most 3,000 documents, unless --full) are uploaded, read and
trained as the pages preset it, by the program of COMMIT (0.3.0, in a worktree that is deleted) and
by this one. Of each collection a row: differences of groups that the overview says under "more",
topics and words, and changes over time, before and now; the seconds that its findings take. Then a
line for each difference or change of a topic that is not said any more, with the answer that every
page gives now. What both programs say is kept in FOLDER, and not asked for again. Topics are the
same where their first words are: where a training differs between both programs, lines say "another
topic". Of what changed all along 0.3.0 kept no periods, so the last third of the time is asked
against the first.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.origin import ROOT, options, started

RELEASE = "f4c0bc62"  # 0.3.0
USUAL = ("sections", "answers", "manifestos", "posts", "reuters")
KINDS = ("mark", "keyword", "change", "event")
FIRST_WORDS = 8  # of a topic, by which it is recognised
ALIKE = 5  # of these, at least
# Why a claim is not made any more
CHANCE = "the interval holds no difference"
TOO_FEW = "too few for any claim"
NO_INTERVAL = "no interval: too few speak on both sides"
ONE = "mostly one's doing"
NOT_WORTH = "beyond chance, but too small, or of words that do not move so"
OTHER_TOPIC = "no topic has the same words now"
REASONS = (CHANCE, TOO_FEW, NO_INTERVAL, ONE, NOT_WORTH, OTHER_TOPIC)
REASON_OF_VERDICT = {
    "": NOT_WORTH,
    "chance": CHANCE,
    "few units have it": TOO_FEW,
    "one unit": ONE,
}
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
    print_reasons(before, now)
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
    from inference.errors import Invalid
    from webapp.analysis.findings import questions
    from webapp.analysis.findings.claim import Claim
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
    selection = Selection.all(RunView(run))
    try:
        if question:
            return answer_of_sets(selection, question, topic)
        return answer_of_thirds(selection, topic)
    except Invalid as error:
        return {"topic": topic, "caution": error.message}


def answer_of_sets(selection, question: dict[str, str], topic: int) -> dict[str, Any]:
    """The answer for two sets, as an address names them. Raises Invalid."""
    from urllib.parse import urlencode

    from django.http import QueryDict

    from webapp.analysis.two_sets import compared_sets, contrasts, division

    sets = compared_sets.read_sides(QueryDict(urlencode(question)), selection, False)
    assert sets is not None, "a question has two sets"
    base, first, second = sets
    documents = division.divide(base, first, second)
    compared = contrasts.differences(base, first, second, documents, "")
    return described(topic, compared.topics, compared.answers, compared.unit)


def answer_of_thirds(selection, topic: int) -> dict[str, Any]:
    """The answer for the last third of all periods against the first."""
    from webapp.analysis.answers import set_answers

    looked_through = set_answers.over_time(selection)
    thirds = None if looked_through is None else looked_through.spans.thirds()
    if looked_through is None or thirds is None:
        return {"topic": topic, "caution": "too few periods"}
    spans = looked_through.spans
    return described(topic, looked_through.topics, spans.answer(*thirds), spans.unit)


def described(topic: int, topics: list[int], answers, unit) -> dict[str, Any]:
    """What is printed of the answer to a question of one topic."""
    from webapp.analysis.answers import cautions

    if topic not in topics:
        return {"topic": topic, "caution": "hidden"}
    column = topics.index(topic)
    # An older program has it under another name
    obstacle = answers.obstacle if hasattr(answers, "obstacle") else answers.verdict
    return {
        "topic": topic,
        "caution": cautions.caution(unit, answers.units, obstacle),
        "verdict": answers.verdict_of(column),
        "shares": [float(answers.a[column]), float(answers.b[column])],
        "ends": [float(answers.low[column]), float(answers.high[column])],
        "level": answers.level,
        "p": float(answers.p[column]),
        "unit": cautions.units_named(unit),
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


def gone(before: dict, now: dict) -> Iterator[tuple[dict, dict[str, Any] | None]]:
    """Each claim on a topic that is not said any more, with the answer of every page, None where no
    topic has the same words."""
    present = {key_of(claim, claim["topic"]) for claim in now["claims"]}
    for claim, answer in zip(before["claims"], now["answers"], strict=True):
        if claim["topic"] is None:
            continue
        if answer is None or key_of(claim, answer["topic"]) not in present:
            yield claim, answer


def print_reasons(before: dict[str, Any], now: dict[str, Any]) -> None:
    """A row for each collection: of how many claims that are gone which reason is given."""
    print(f"| claims on topics that are gone | {' | '.join(REASONS)} |")
    print("|---|" + "---|" * len(REASONS))
    for name, was in before.items():
        count = Counter(reason_of(answer) for _, answer in gone(was, now[name]))
        print(f"| {name} | {' | '.join(str(count[reason]) for reason in REASONS)} |")


def print_gone(name: str, before: dict, now: dict) -> None:
    """A row for each claim on a topic that is not said any more."""
    print("| collection | said in 0.3.0 | now |\n|---|---|---|")
    for claim, answer in gone(before, now):
        print(f"| {name} | {said_of(claim)} | {reason_of(answer)}{numbers_of(answer)} |")


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
    """Why it is not said: one of REASONS."""
    if answer is None:
        return OTHER_TOPIC
    if answer.get("caution"):
        return TOO_FEW
    if not all(map(math.isfinite, answer["ends"])):
        return NO_INTERVAL
    return REASON_OF_VERDICT[answer["verdict"]]


def numbers_of(answer: dict[str, Any] | None) -> str:
    """The answer of every page, behind its reason."""
    if answer is None:
        return ""
    if answer.get("caution"):
        return f": {answer['caution'].strip('.')}"
    inside, outside = (f"{100 * share:.2f}%" for share in answer["shares"])
    low, high = (f"{100 * end:+.1f}" for end in answer["ends"])
    level = f"{100 * answer['level']:.1f}%, {answer['unit']}"
    between = f", {low} to {high} points" if math.isfinite(answer["ends"][0]) else ""
    return f": {inside} against {outside}{between} ({level})"


if __name__ == "__main__":
    main()
