"""Codes that were made elsewhere: a CSV with the ids of documents and their codes, and if they are
known the coders and the probabilities with which the documents were drawn; or a REFI-QDA project
(webapp.service.codebook.qdpx)."""

import csv
import io
from collections import Counter, defaultdict
from typing import NamedTuple

from django.db import transaction

from inference.errors import Invalid
from webapp.models import Assignment, Coding, Concept, Corpus, Draw, Item, Run
from webapp.platform.accounts import embargo
from webapp.platform.storage import csv_cells
from webapp.service.codebook import coding, qdpx
from webapp.service.codebook.concepts import DRAWN, TEXT, defined

FILE = 50_000_000  # bytes
READINGS = 2 * DRAWN  # rows
# That a document was drawn: of a larger collection than there is; estimates divide by its square.
LEAST_PROBABILITY = 1e-9
ELSEWHERE = "elsewhere"  # the coder where the file names none
NAMED = 5  # of what did not match


class Given(NamedTuple):
    """A code. coder: "" where nobody is named; probability: with which the document was drawn, 0
    where that is not said."""

    document: int
    coder: str
    code: int
    probability: float
    unsure: bool = False
    remark: str = ""


def take_in(concept: Concept, run: Run, content: bytes, by: str) -> tuple[int, str]:
    """(how many codes were taken in, sentences about what was left out). Where the file says no
    probabilities, its documents are taken for drawn uniformly from all. Raises Invalid, and then
    nothing is kept."""
    holds, base = defined(concept)
    if Draw.objects.filter(concept=concept).exists():
        raise Invalid(
            "codes",
            "Documents were drawn for this concept already. Begin another for codes that were made"
            " elsewhere.",
        )
    if len(content) > FILE:
        raise Invalid("codes", f"The file has more than {FILE // 1_000_000} MB, which is the most.")
    readings, left_out = (_of_project if content.startswith(b"PK") else _of_table)(
        concept, holds.codes, content
    )
    if len(readings) > READINGS:
        raise Invalid(
            "codes", f"The file has {len(readings):,} codes; at most {READINGS:,} are taken in."
        )
    pi = {one.document: one.probability for one in readings}
    if len({p == 0 for p in pi.values()}) > 1:
        raise Invalid(
            "codes",
            "Some documents have a probability, and others none. Give all of them one, or none.",
        )
    D, times = run.version.documents, Counter(one.document for one in readings)
    with transaction.atomic():
        drawn = Draw.objects.create(
            concept=concept, columns=[], documents=D, elsewhere=True, seed=0, overlap=0, by=by
        )
        coders = {
            n: coding.join(concept, n or ELSEWHERE) for n in sorted({one.coder for one in readings})
        }
        items = {
            document: Item(
                draw=drawn,
                document=document,
                place=place,
                pi=pi[document] or len(times) / D,
                stratum=0,
                stratum_size=D,
                twice=n > 1,
            )
            for place, (document, n) in enumerate(times.items())
        }
        Item.objects.bulk_create(items.values())
        Assignment.objects.bulk_create(
            Assignment(item=items[one.document], coder=coders[one.coder], base=base)
            for one in readings
        )
        Coding.objects.bulk_create(
            Coding(
                item=items[one.document],
                coder=coders[one.coder],
                definition=holds,
                code=one.code,
                unsure=one.unsure,
                remark=one.remark,
            )
            for one in readings
        )
    return len(readings), left_out


def _of_table(concept: Concept, codes: list[str], content: bytes) -> tuple[list[Given], str]:
    rows = _rows(content)
    labels = {str(i): i for i in range(len(codes))} | {
        name.casefold(): i for i, name in enumerate(codes)
    }
    numbers = embargo.numbers(concept.corpus, {row["id"] for row in rows if "\0" not in row["id"]})
    given: dict[tuple[int, str], Given] = {}
    for line, row in enumerate(rows, 2):
        if any("\0" in cell for cell in row.values()):
            raise Invalid("codes", f"Line {line:,} has a character that no text has (NUL).")
        document, coder, code = (
            numbers.get(row["id"]),
            row.get("coder", ""),
            labels.get(row["code"].casefold()),
        )
        if document is None:
            raise Invalid(
                "codes", f"Line {line:,}: no document here has the id “{row['id'][:40]}”."
            )
        if code is None:
            raise Invalid(
                "codes",
                f"Line {line:,}: “{row['code'][:40]}” is no code of this concept:"
                f" {', '.join(codes)}.",
            )
        if (document, coder) in given:
            raise Invalid(
                "codes",
                f"Line {line:,}: {coder[:40] or ELSEWHERE} has coded “{row['id'][:40]}” above"
                " already.",
            )
        given[document, coder] = Given(
            document,
            coder,
            code,
            _probability(row.get("probability", ""), f"Line {line:,}"),
        )
    return list(given.values()), ""


def _of_project(concept: Concept, codes: list[str], content: bytes) -> tuple[list[Given], str]:
    """A document's codes are those of its text and of all passages of it. Where the project has no
    codes “yes” and “no”, but one that is called as the concept, a document is coded yes where it
    has that, and no else."""
    project = qdpx.read(content)
    name, labels = (
        qdpx.folded(concept.name),
        {qdpx.folded(label): i for i, label in enumerate(codes)},
    )
    named = {
        guid: own for guid, (own, above) in project.codes.items() if qdpx.folded(above) == name
    } or {guid: own for guid, (own, _) in project.codes.items()}
    index = {
        guid: labels[qdpx.folded(own)] for guid, own in named.items() if qdpx.folded(own) in labels
    }
    either = not index and concept.kind == Concept.Kind.YES_NO
    if either:
        index = {guid: 1 for guid, (own, _) in project.codes.items() if qdpx.folded(own) == name}
    if not index:
        there = ", ".join(sorted({own for own, _ in project.codes.values()})[:NAMED])
        wanted = ", ".join([concept.name, *codes] if either else codes)
        raise Invalid(
            "codes",
            f"No code of this project is called as one here ({wanted}). It has: {there or 'none'}.",
        )
    given: dict[tuple[int, str], Given] = {}
    unknown, several, seen = list[str](), list[str](), set[int]()
    for text, document in zip(
        project.texts, _documents(concept.corpus, project.texts), strict=True
    ):
        title = text.names[0] if text.names else "a text without a name"
        if document is None or document in seen:
            unknown.append(title)
            continue
        seen.add(document)
        mine: dict[str, dict[int, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )  # coder -> code -> remarks
        for mark in text.marks:
            if mark.code in index:
                mine[mark.coder][index[mark.code]].append("".join(mark.remark).strip())
        if either and not mine:
            mine[""] = {0: []}
        for coder, own in mine.items():
            if len(own) > 1:
                several.append(title)
                continue
            ((code, remarks),) = own.items()
            unsure, remark = (
                any(one.startswith(qdpx.UNSURE) for one in remarks),
                "\n".join(filter(None, remarks)),
            )
            remark = remark.removeprefix(qdpx.UNSURE).strip()[:TEXT]
            given[document, coder] = Given(
                document,
                coder,
                code,
                _probability(text.probability, f"“{title[:60]}”"),
                unsure,
                remark,
            )
    if not given:
        raise Invalid(
            "codes",
            "Nothing of this project could be taken in."
            f" {_left_out(unknown, several, project.others)}",
        )
    return list(given.values()), _left_out(unknown, several, project.others)


def _documents(corpus: Corpus, texts: list[qdpx.Text]) -> list[int | None]:
    """The document that each text is: the only one with its words, or else with its name as its id
    or title."""
    by_text = embargo.numbers(corpus, {each for text in texts for each in text.digests}, "digest")
    names = {name for text in texts for name in text.names}
    by_name = embargo.numbers(corpus, names, "title") | embargo.numbers(corpus, names)
    known = (
        [*(by_text.get(d) for d in text.digests), *(by_name.get(n) for n in text.names)]
        for text in texts
    )
    return [next((number for number in numbers if number is not None), None) for numbers in known]


def _left_out(unknown: list[str], several: list[str], others: int) -> str:
    """Sentences."""

    def listed(titles: list[str]) -> str:
        return ", ".join(f"“{title[:60]}”" for title in titles[:NAMED]) + (
            " …" if len(titles) > NAMED else ""
        )

    sentences = {
        f"Left out, as no document here, or none that is not taken already, has that text or name: {len(unknown):,} of the texts, {listed(unknown)}.": (
            unknown
        ),
        f"Left out, as one coder gave them several of these codes: {len(several):,}, {listed(several)}.": (
            several
        ),
        f"{others:,} sources of the project are no plain texts, and were left out.": others,
    }
    return " ".join(sentence for sentence, some in sentences.items() if some)


def _rows(content: bytes) -> list[dict[str, str]]:
    try:
        text = content.decode("utf-8-sig")
        table = csv.DictReader(
            io.StringIO(text), strict=True, delimiter=max(",;\t", key=text.partition("\n")[0].count)
        )
        rows = [
            {k.strip().lower(): csv_cells.unsafe((v or "").strip()) for k, v in row.items() if k}
            for row in table
        ]
    except (UnicodeDecodeError, csv.Error):
        raise Invalid(
            "codes",
            "The file must be a CSV in UTF-8, with a line of column names, or a REFI-QDA project.",
        ) from None
    if not rows or not {"id", "code"} <= rows[0].keys():
        raise Invalid(
            "codes", "The file needs the columns id and code; coder and probability are read, too."
        )
    return rows


def _probability(text: str, place: str) -> float:
    """0 where none is given. place: where it stands, in words."""
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if value != 0 and not LEAST_PROBABILITY <= value <= 1:
        raise Invalid(
            "codes",
            f"{place}: A probability is a number from {LEAST_PROBABILITY} to 1, got “{text[:20]}”.",
        )
    return value
