"""Codes that were made elsewhere: a CSV with the ids of documents and their codes, and if they are
known the coders and the probabilities with which the documents were drawn; or a REFI-QDA project
(webapp.service.codebook.qdpx)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.db.models import Model

from inference.errors import Invalid, number_of, shown
from webapp.models import Assignment, Coder, Coding, Concept, Corpus, Draw, Item, Run
from webapp.platform import received_table
from webapp.platform.accounts import embargo
from webapp.platform.received import number
from webapp.platform.received_table import ReceivedRow
from webapp.platform.typed_text import NAME, one_line
from webapp.service.codebook import coding, qdpx
from webapp.service.codebook.concepts import DRAWN, NO, ROWS_AT_ONCE, TEXT, YES, defined, lock

MEGABYTE = 1_000_000
FILE = 15 * MEGABYTE  # a form may have little more (webapp.platform.server.bodies.FORM)
READINGS = 2 * DRAWN  # rows
# That a document was drawn: of a larger collection than there is; estimates divide by its square.
LEAST_PROBABILITY = 1e-9
ELSEWHERE = "elsewhere"  # the coder where the file names none
MOST_NAMED = 5  # of what did not match
TITLE = 60  # characters of a title, or of an id, in a sentence
CELL = 40
ZIP = b"PK"  # how a zip begins
COLUMNS = ("id", "code", "coder", "probability")  # of a table, that are read


class Given(NamedTuple):
    """A code. coder: ELSEWHERE where nobody is named; probability: with which the document was
    drawn, 0 where that is not said."""

    document: int
    coder: str
    code: int
    probability: float
    unsure: bool = False
    remark: str = ""


class CoderNames:
    """The coders of a file. Names that differ in capitals or spaces alone are one coder's, as they
    are on the pages; the first spelling holds."""

    def __init__(self) -> None:
        self._spellings: dict[str, str] = {}

    def spell(self, name: str, where: str) -> str:
        """The name of a coder; ELSEWHERE for none. where: it stands, in words. Raises Invalid."""
        name = one_line(name) or ELSEWHERE
        if len(name) > NAME:
            raise Invalid(
                "codes",
                f"{where}: The name of a coder has at most {NAME} characters; “{name[:CELL]}…” has"
                f" {len(name):,}.",
            )
        return self._spellings.setdefault(name.casefold(), name)


def check(concept: Concept, content: bytes = b"") -> None:
    """What can be said before the file is read. Raises Invalid."""
    if Draw.objects.filter(concept=concept).exists():
        raise Invalid(
            "codes",
            "Documents were drawn for this concept already. Begin another for codes that were made"
            " elsewhere.",
        )
    if len(content) > FILE:
        raise Invalid("codes", f"The file has more than {FILE // MEGABYTE} MB, which is the most.")


class ReadFile(NamedTuple):
    """What a file says. left_out: sentences about what of it is not taken in."""

    readings: list[Given]
    left_out: str


def read(concept: Concept, run: Run, content: bytes) -> ReadFile:
    """What a file says of the documents that a run knows. Raises Invalid."""
    check(concept, content)
    codes = defined(concept).holds.codes
    if content.startswith(ZIP):
        readings, left_out = _of_project(concept, run, codes, content)
    else:
        readings = _of_table(run, codes, content)
        left_out = ""
    if len(readings) > READINGS:
        raise Invalid(
            "codes", f"The file has {len(readings):,} codes; at most {READINGS:,} are taken in."
        )
    probabilities = _probabilities(readings).values()
    if 0 < sum(value == 0 for value in probabilities) < len(probabilities):
        raise Invalid(
            "codes",
            "Some documents have a probability, and others none. Give all of them one, or none.",
        )
    return ReadFile(readings, left_out)


def _probabilities(readings: list[Given]) -> dict[int, float]:
    """The probability that the file says for each document, 0 where it says none; of one that is
    read twice the last that is said."""
    return {reading.document: reading.probability for reading in readings}


def keep(
    concept: Concept,
    run: Run,
    file: ReadFile,
    by: str,
    advance: Callable[[float], None] = lambda done: None,
) -> str:
    """Store the codes of a file as a draw of the concept's documents; to be called in a
    transaction.

    concept: locked here. run: whose documents the file names. file: of `read`; where it says no
    probabilities, its documents are treated as drawn uniformly from all. by: who imports it.
    advance: is called with the share that is stored so far, 0 to 1. Returns sentences for the page:
    how many codes were taken in, and what was left out. Raises Invalid where others drew documents
    since the file was read.
    """
    lock(concept)
    check(concept)
    _store(concept, run, file.readings, _probabilities(file.readings), by, advance)
    return f"{number_of(len(file.readings), 'code was', 'codes were')} taken in. {file.left_out}".strip()


def _store(
    concept: Concept,
    run: Run,
    readings: list[Given],
    probability: dict[int, float],
    by: str,
    advance: Callable[[float], None],
) -> None:
    """probability: of each document, 0 where the file says none."""
    definition, base = defined(concept)
    D = run.version.documents
    drawn = Draw.objects.create(
        concept=concept, columns=[], documents=D, elsewhere=True, seed=0, overlap=0, by=by
    )
    names = sorted({reading.coder for reading in readings})
    coders = _coders_called(concept, names, by)
    times = Counter(reading.document for reading in readings)
    items = {
        document: Item(
            draw=drawn,
            document=document,
            place=number,
            pi=probability[document] or len(times) / D,
            stratum=0,
            stratum_size=D,
            twice=times[document] > 1,
        )
        for number, document in enumerate(times)
    }
    assignments = []
    codings = []
    for reading in readings:
        item = items[reading.document]
        coder = coders[reading.coder]
        assignments.append(Assignment(item=item, coder=coder, base=base))
        coding_of_item = Coding(
            item=item,
            coder=coder,
            definition=definition,
            code=reading.code,
            unsure=reading.unsure,
            remark=reading.remark,
        )
        codings.append(coding_of_item)
    tables: list[Sequence[Model]] = [[*items.values()], assignments, codings]  # in this order
    rows_in_all = sum(map(len, tables))
    left = rows_in_all
    for rows in tables:
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            batch = rows[begin : begin + ROWS_AT_ONCE]
            type(batch[0])._default_manager.bulk_create(batch)
            left -= len(batch)
            advance(1 - left / rows_in_all)


def _coders_called(concept: Concept, names: list[str], by: str) -> dict[str, Coder]:
    """The coders of a file by their names: who joined by the link under one of them is that coder,
    and so is who imports it. Raises Invalid where a name is that of somebody else's account, or of
    a coder who was withdrawn."""
    present = {coder.name.casefold(): coder for coder in concept.coders.all()}
    coders = {}
    for name in names:
        coder = present.get(name.casefold())
        if coder is None:
            coders[name] = coding.join(concept, name)
            continue
        if coder.withdrawn_at:
            raise Invalid(
                "codes",
                f"“{coder.name}” codes here, and their codings don't count any more. Let them count"
                " again first, or give the coder of the file another name.",
            )
        if coder.user_id and coder.name != by:
            raise Invalid(
                "codes",
                f"“{coder.name}” codes here with an account of their own. Give the coder of the file"
                " another name, or let them take it in.",
            )
        coders[name] = coder
    return coders


# A table


def _of_table(run: Run, codes: list[str], content: bytes) -> list[Given]:
    """Raises Invalid, which names the line."""
    rows = _rows(content)
    code_of = {str(i): i for i in range(len(codes))}
    code_of |= {name.casefold(): i for i, name in enumerate(codes)}
    ids = {row.cells["id"] for row in rows}
    numbers = embargo.documents_by_id(run.corpus, ids)
    D = run.version.documents
    coder_names = CoderNames()
    readings: dict[tuple[int, str], Given] = {}
    for line, cells in rows:
        document = numbers.get(cells["id"])
        coder = coder_names.spell(cells.get("coder", ""), f"Line {line:,}")
        code = code_of.get(cells["code"].casefold())
        if document is None:
            raise Invalid(
                "codes", f"Line {line:,}: no document here has the id “{cells['id'][:CELL]}”."
            )
        if document >= D:
            raise Invalid(
                "codes",
                f"Line {line:,}: “{cells['id'][:CELL]}” was added to the corpus after run {run.pk}"
                " began. Open the concept in a newer run.",
            )
        if code is None:
            raise Invalid(
                "codes",
                f"Line {line:,}: “{cells['code'][:CELL]}” is no code of this concept:"
                f" {', '.join(codes)}.",
            )
        if (document, coder) in readings:
            raise Invalid(
                "codes",
                f"Line {line:,}: {coder[:CELL]} has coded “{cells['id'][:CELL]}” above already.",
            )
        probability = _probability(cells.get("probability", ""), f"Line {line:,}")
        readings[document, coder] = Given(document, coder, code, probability)
    return list(readings.values())


# A project


def _of_project(
    concept: Concept, run: Run, codes: list[str], content: bytes
) -> tuple[list[Given], str]:
    """A document's codes are those of its text and of all passages of it; and sentences about what
    was left out. Raises Invalid where that is everything."""
    project = qdpx.read(content)
    meanings = _meanings(project, concept, codes)
    readings: list[Given] = []
    unknown: list[str] = []
    added_later: list[str] = []
    coded_twice: list[str] = []
    seen: set[int] = set()
    coder_names = CoderNames()
    documents = _documents(run.corpus, project.texts)
    for text, document in zip(project.texts, documents, strict=True):
        title = text.names[0] if text.names else "a text without a name"
        if document is None or document in seen:
            unknown.append(title)
            continue
        if document >= run.version.documents:
            added_later.append(title)
            continue
        seen.add(document)
        for coder, remarks_of_code in _by_coder(text, meanings, coder_names).items():
            if len(remarks_of_code) > 1:
                coded_twice.append(title)
                continue
            ((code, remarks),) = remarks_of_code.items()
            reading = Given(
                document=document,
                coder=coder,
                code=code,
                probability=_probability(text.probability, f"“{title[:TITLE]}”"),
                unsure=any(remark.startswith(qdpx.UNSURE) for remark in remarks),
                remark=_remark(remarks),
            )
            readings.append(reading)
    left_out = _left_out(unknown, coded_twice, project.others)
    if added_later:
        left_out += (
            f" Left out, as they were added to the corpus after run {run.pk} began:"
            f" {len(added_later):,} of the texts, {_first_titles(added_later)}."
        )
        left_out = left_out.strip()
    if not readings:
        raise Invalid("codes", f"Nothing of this project could be taken in. {left_out}")
    return readings, left_out


class _Meanings(NamedTuple):
    """code_of: guid of a project's code -> the concept's code. unmarked: the code of a document
    without any; None where nothing is known of it."""

    code_of: dict[str, int]
    unmarked: int | None


def _meanings(project: qdpx.Project, concept: Concept, codes: list[str]) -> _Meanings:
    """What the project's codes mean here: those below a code that is called as the concept, or,
    where there is none, all of them. Where none is called “yes” or “no”, but one as the concept, a
    document is coded yes where it has that, and no else. Raises Invalid where none means
    anything."""
    name_of_concept = qdpx.folded(concept.name)
    number_of_code = {qdpx.folded(label): i for i, label in enumerate(codes)}
    names = {guid: qdpx.folded(name) for guid, (name, _) in project.codes.items()}
    below_concept = {
        guid: names[guid]
        for guid, (_, above) in project.codes.items()
        if qdpx.folded(above) == name_of_concept
    }
    candidates = below_concept or names
    code_of = {
        guid: number_of_code[name] for guid, name in candidates.items() if name in number_of_code
    }
    if code_of:
        return _Meanings(code_of, unmarked=None)
    expected = codes
    if concept.kind == Concept.Kind.YES_NO:
        code_of = {guid: YES for guid, name in names.items() if name == name_of_concept}
        if code_of:
            return _Meanings(code_of, unmarked=NO)
        expected = [concept.name, *codes]
    in_project = sorted({name for name, _ in project.codes.values()})
    raise Invalid(
        "codes",
        f"No code of this project is called as one here ({', '.join(expected)}). It has:"
        f" {', '.join(in_project[:MOST_NAMED]) or 'none'}.",
    )


def _by_coder(
    text: qdpx.Text, meanings: _Meanings, coder_names: CoderNames
) -> dict[str, dict[int, list[str]]]:
    """coder -> the codes that they gave to the text -> remarks."""
    by_coder: dict[str, dict[int, list[str]]] = {}
    for mark in text.marks:
        if mark.code not in meanings.code_of:
            continue
        coder = coder_names.spell(mark.coder, "A coding")
        remarks_of_code = by_coder.setdefault(coder, {})
        remarks = remarks_of_code.setdefault(meanings.code_of[mark.code], [])
        remarks.append(mark.remark)
    if not by_coder and meanings.unmarked is not None:
        return {ELSEWHERE: {meanings.unmarked: []}}
    return by_coder


def _remark(remarks: list[str]) -> str:
    text = "\n".join(remark for remark in remarks if remark)
    return text.removeprefix(qdpx.UNSURE).strip()[:TEXT]


def _documents(corpus: Corpus, texts: list[qdpx.Text]) -> list[int | None]:
    """The document that each text is: the only one with its words, or else with its name as its id
    or title."""
    digests = {digest for text in texts for digest in text.digests}
    names = {name for text in texts for name in text.names}
    by_text = embargo.documents_by_id(corpus, digests, "digest")
    by_name = embargo.documents_by_id(corpus, names, "title") | embargo.documents_by_id(
        corpus, names
    )
    documents = []
    for text in texts:
        numbers = [by_text[digest] for digest in text.digests if digest in by_text]
        numbers += [by_name[name] for name in text.names if name in by_name]
        documents.append(next(iter(numbers), None))
    return documents


def _left_out(unknown: list[str], ambiguous: list[str], other_rows: int) -> str:
    """Sentences."""
    sentences = []
    if unknown:
        sentences.append(
            "Left out, as no document here, or none that is not taken already, has that text or"
            f" name: {len(unknown):,} of the texts, {_first_titles(unknown)}."
        )
    if ambiguous:
        sentences.append(
            f"Left out, as one coder gave them several of these codes: {len(ambiguous):,},"
            f" {_first_titles(ambiguous)}."
        )
    if other_rows:
        sentences.append(
            f"Sources of the project that are no plain texts were left out: {other_rows:,}."
        )
    return " ".join(sentences)


def _first_titles(titles: list[str]) -> str:
    quoted = ", ".join(f"“{title[:TITLE]}”" for title in titles[:MOST_NAMED])
    return f"{quoted} …" if len(titles) > MOST_NAMED else quoted


def _rows(content: bytes) -> list[ReceivedRow]:
    """Raises Invalid, also where there are more rows than are taken in."""
    table = received_table.read(content, "codes", COLUMNS)
    if not {"id", "code"} <= table.columns:
        raise Invalid(
            "codes", "The file needs the columns id and code; coder and probability are read, too."
        )
    rows: list[ReceivedRow] = []
    for row in table.rows:
        if len(rows) == READINGS:
            raise Invalid(
                "codes", f"The file has more than {READINGS:,} codes, which are taken in at most."
            )
        rows.append(row)
    if not rows:
        raise Invalid("codes", "The file names its columns, and has no code below them.")
    return rows


def _probability(text: str, where: str) -> float:
    """0 where none is given. where: where it stands, in words."""
    value = number(text or "0")
    if isinstance(value, str) or not (value == 0 or LEAST_PROBABILITY <= value <= 1):
        raise Invalid(
            "codes",
            f"{where}: A probability is a number from {LEAST_PROBABILITY} to 1, got {shown(text)}.",
        )
    return float(value)
