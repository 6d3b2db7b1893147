"""Findings as they are stored: read, computed at the end of a run, in a request where that is
quick, else by a worker."""

from dataclasses import replace
from hashlib import blake2b

import numpy as np
from django.http import QueryDict
from pydantic import ValidationError

from webapp.analysis.answers import rows
from webapp.analysis.findings import compute as computing
from webapp.analysis.findings.kinds import Finding
from webapp.analysis.findings.set_findings import FINDING, STORED, SetFindings
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run, StoredResult
from webapp.platform.accounts import embargo
from webapp.platform.jobs import dispatch

DIGEST = 32  # bytes, of the key of what is kept

TASK = "tasks.runs.find"
# Topics of documents, in all, and words of the corpus, up to which a request computes: below a second;
# of more a worker does, and the page says so. Of 400 sections of the example with 1,178 topics of
# documents a set took 10 to 19 seconds, nearly all for the words that tell groups apart.
QUICK_DOCUMENT_TOPICS = 5_000
QUICK_TOKENS = 5_000


def read_or_ask(selection: RunSelection, asker: int | None) -> SetFindings | None:
    """The findings of a set, or None while a worker computes them; for each asker it computes
    one after the other. Those of an older program are given until then. Raises Invalid for a run
    without evidence."""
    stored_findings = read(selection)
    if stored_findings is not None:
        return stored_findings
    arguments = _arguments(selection)
    if _is_quick(selection.view.run) and not dispatch.promised(TASK, arguments):
        return _make(selection)
    dispatch.ask(TASK, arguments, asker)
    return _of_older_program(selection)


def has_failed(selection: RunSelection) -> bool:
    """Whether a worker's last try came to nothing, and the next one waits."""
    return dispatch.has_failed(TASK, _arguments(selection))


def _arguments(selection: RunSelection) -> list:
    """Of the task that computes the findings of a set."""
    return [selection.view.run.pk, selection.address().removeprefix("?")]


def _is_quick(run: Run) -> bool:
    return (
        run.version.tokens <= QUICK_TOKENS
        and len(evidence.of(run).mixtures.doc_topics) <= QUICK_DOCUMENT_TOPICS
    )


def promise(run: Run) -> None:
    """Those of all documents are computed as soon as the run's topics are there: a page that is
    opened at once waits for them."""
    dispatch.promise(TASK, [run.pk, ""])


def compute(run_id: int, query: str = "", asker: int | None = None) -> None:
    """In a worker, asked by a page of the user `asker`, or by nobody: compute and store, unless
    they are stored already, or the run is not there any more."""
    with dispatch.at_work(TASK, [run_id, query], asker):
        run = rows.trained(run_id)
        if run and read(selection := Selection.read(QueryDict(query), RunView(run))) is None:
            _make(selection)


def read(selection: RunSelection) -> SetFindings | None:
    """What is stored of a set; None where nothing is, an older program computed it in another way,
    or another unit was independent."""
    row = _row_of(selection)
    if row is None or row.method != computing.METHOD:
        return None
    stored = STORED.validate_python(row.data)
    unit = corpus_unit.unit_of(selection.view.run.version).name
    return stored if stored.independent == unit else None


def _row_of(selection: RunSelection) -> StoredResult | None:
    snapshot = selection.view.run.snapshot_id
    return StoredResult.objects.filter(snapshot=snapshot, key=_key(selection)).first()


def _of_older_program(selection: RunSelection) -> SetFindings | None:
    """What an older program stored of a set, marked as such, without findings that this program
    can't read; None where there is nothing that can be read."""
    row = _row_of(selection)
    if row is None or row.method >= computing.METHOD:
        return None
    stored_rows = row.data.get("findings", [])
    try:
        stored = STORED.validate_python(row.data | {"findings": []})
    except ValidationError:
        return None
    findings = [finding for finding in map(_read_finding, stored_rows) if finding is not None]
    return replace(stored, findings=findings, outdated=True)


def _read_finding(data: dict) -> Finding | None:
    try:
        return FINDING.validate_python(data)
    except ValidationError:
        return None


def _make(selection: RunSelection) -> SetFindings:
    with embargo.as_program():  # they are everybody's; what a page shows of them is counted there
        new_findings = computing.findings(selection)
    data = STORED.dump_python(new_findings, mode="json")
    rows.keep(selection.view.run, _key(selection), method=computing.METHOD, data=data)
    return new_findings


def _key(selection: RunSelection) -> str:
    """What findings depend on beside the snapshot: the set, which topics are merged, moved or in a
    group, and which are no general talk since a reader labelled them. Other names don't matter."""
    labels = selection.view.labels
    merged = _with_other_target(labels.into)
    moved = _with_other_target(labels.beside)
    grouped = [(k, labels.group(k)) for k in range(len(labels.into)) if labels.group(k)]
    depends = [selection.parameters, merged, moved, grouped]
    # Only where there are any: keys of what is stored already stay as they are
    if labels.labelled_talk:
        depends.append(labels.labelled_talk)
    if not any(depends):
        return ""
    return blake2b(repr(tuple(depends)).encode(), digest_size=DIGEST).hexdigest()


def _with_other_target(targets: np.ndarray) -> list[tuple[int, int]]:
    """The topics that another topic stands for, each with that one. targets: int64[K], of each
    topic the one that stands for it, itself where none does."""
    return [(k, target) for k, target in enumerate(targets.tolist()) if k != target]
