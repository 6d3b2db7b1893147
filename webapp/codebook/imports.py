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
    rows, (holds, base) = _rows(content), defined(concept)
    if Draw.objects.filter(concept=concept).exists():
        raise Invalid(
            "codes", "Documents were drawn for this concept already. Begin another for codes that were made elsewhere."
        )
    labels = {str(i): i for i in range(len(holds.codes))} | {name.casefold(): i for i, name in enumerate(holds.codes)}
    numbers = embargo.numbers(concept.corpus, {row["id"] for row in rows})
    given: dict[int, dict[str, int]] = defaultdict(dict)  # document -> coder -> code
    pi: dict[int, float] = {}
    for line, row in enumerate(rows, 2):
        document, coder, code = (
            numbers.get(row["id"]),
            row.get("coder") or ELSEWHERE,
            labels.get(row["code"].casefold()),
        )
        if document is None:
            raise Invalid("codes", f"Line {line:,}: no document here has the id “{row['id'][:40]}”.")
        if code is None:
            raise Invalid(
                "codes", f"Line {line:,}: “{row['code'][:40]}” is no code of this concept: {', '.join(holds.codes)}."
            )
        if coder in given[document]:
            raise Invalid("codes", f"Line {line:,}: {coder[:40]} has coded “{row['id'][:40]}” above already.")
        given[document][coder] = code
        pi[document] = _probability(row.get("probability", ""))
    if len({p == 0 for p in pi.values()}) > 1:
        raise Invalid("codes", "Some documents have a probability, and others none. Give all of them one, or none.")
    D = run.version.documents
    with transaction.atomic():
        drawn = Draw.objects.create(concept=concept, columns=[], documents=D, elsewhere=True, seed=0, overlap=0, by=by)
        coders = {n: coding.join(concept, n) for n in sorted({name for codes in given.values() for name in codes})}
        items = Item.objects.bulk_create(
            Item(
                draw=drawn, document=document, place=place, pi=pi[document] or len(given) / D, stratum=0, stratum_size=D,
                twice=len(codes) > 1,
            )
            for place, (document, codes) in enumerate(given.items())
        )  # fmt: skip
        readings = [(item, coders[name], code) for item in items for name, code in given[item.document].items()]
        Assignment.objects.bulk_create(Assignment(item=item, coder=coder, base=base) for item, coder, _ in readings)
        Coding.objects.bulk_create(
            Coding(item=item, coder=coder, definition=holds, code=code, unsure=False) for item, coder, code in readings
        )
    return len(readings)


def _rows(content: bytes) -> list[dict[str, str]]:
    if len(content) > FILE:
        raise Invalid("codes", f"The file has more than {FILE // 1_000_000} MB, which is the most.")
    try:
        text = content.decode("utf-8-sig")
        head = text.partition("\n")[0]
        delimiter = max(",;\t", key=head.count)
        table = csv.DictReader(io.StringIO(text), strict=True, delimiter=delimiter)
        rows = [{k.strip().lower(): csv_cells.unsafe((v or "").strip()) for k, v in row.items() if k} for row in table]
    except (UnicodeDecodeError, csv.Error):
        raise Invalid("codes", "The file must be a CSV in UTF-8, with a line of column names.") from None
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
