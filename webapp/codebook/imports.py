"""Codes that were made elsewhere: a CSV with the ids of documents and their codes, and if they are known the coders and the
probabilities with which the documents were drawn."""

import csv
import io
from collections import defaultdict

from django.db import transaction

from inference.errors import Invalid
from webapp.accounts import embargo
from webapp.codebook import coding
from webapp.codebook.concepts import DRAWN, defined
from webapp.models import Assignment, Coding, Concept, Draw, Item, Run
from webapp.storage import csv_cells

FILE = 10_000_000  # bytes
READINGS = 2 * DRAWN  # rows
ELSEWHERE = "elsewhere"  # the coder where the file names none


def take_in(concept: Concept, run: Run, content: bytes, by: str) -> int:
    """How many codes were taken in. Where the file says no probabilities, its documents are taken for drawn uniformly from
    all. Raises Invalid, and then nothing is kept."""
    rows, holds = _rows(content), defined(concept)
    if Draw.objects.filter(concept=concept).exists():
        raise Invalid(
            "codes", "Documents were drawn for this concept already. Begin another for codes that were made elsewhere."
        )
    labels = {name.casefold(): i for i, name in enumerate(holds.holds.codes)} | {
        str(i): i for i in range(len(holds.holds.codes))
    }
    if unknown := sorted({row["code"] for row in rows if row["code"].casefold() not in labels}):
        raise Invalid("codes", f"“{unknown[0][:40]}” is no code of this concept: {', '.join(holds.holds.codes)}.")
    numbers = embargo.numbers(concept.corpus, {row["id"] for row in rows})
    if missing := [row["id"] for row in rows if row["id"] not in numbers]:
        raise Invalid("codes", f"{len(missing):,} ids are of no document here, such as “{missing[0][:40]}”.")
    given: dict[int, dict[str, int]] = defaultdict(dict)  # document -> coder -> code
    pi: dict[int, float] = {}
    for row in rows:
        given[numbers[row["id"]]][row.get("coder") or ELSEWHERE] = labels[row["code"].casefold()]
        pi[numbers[row["id"]]] = _probability(row.get("probability", ""))
    if len({p == 0 for p in pi.values()}) > 1:
        raise Invalid("codes", "Some documents have a probability, and others none. Give all of them one, or none.")
    D = run.version.documents
    with transaction.atomic():
        drawn = Draw.objects.create(concept=concept, columns=[], documents=D, seed=0, overlap=0, by=by)
        coders = {name: coding.join(concept, name) for name in sorted({name for one in given.values() for name in one})}
        for place, (document, codes) in enumerate(given.items()):
            item = Item.objects.create(
                draw=drawn, document=document, place=place, pi=pi[document] or len(given) / D, stratum=0, stratum_size=D,
                twice=len(codes) > 1,
            )  # fmt: skip
            Assignment.objects.bulk_create(Assignment(item=item, coder=coders[n], base=holds.base) for n in codes)
            Coding.objects.bulk_create(
                Coding(item=item, coder=coders[n], definition=holds.holds, code=code, unsure=False)
                for n, code in codes.items()
            )
    return sum(map(len, given.values()))


def _rows(content: bytes) -> list[dict[str, str]]:
    if len(content) > FILE:
        raise Invalid("codes", f"The file has more than {FILE // 1_000_000} MB, which is the most.")
    try:
        table = csv.DictReader(io.StringIO(content.decode("utf-8-sig")), strict=True)
        rows = [{k.strip().lower(): csv_cells.unsafe((v or "").strip()) for k, v in row.items() if k} for row in table]
    except (UnicodeDecodeError, csv.Error):
        raise Invalid("codes", "The file must be a CSV in UTF-8, with commas and a line of column names.") from None
    if not rows or not {"id", "code"} <= rows[0].keys():
        raise Invalid("codes", "The file needs the columns id and code; coder and probability are read, too.")
    if len(rows) > READINGS:
        raise Invalid("codes", f"The file has {len(rows):,} codes; at most {READINGS:,} are taken in.")
    return rows


def _probability(text: str) -> float:
    """0 where none is given."""
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise Invalid("codes", f"A probability is a number above 0 and at most 1, got “{text[:20]}”.")
    return value
