"""Celery's entries to the jobs of runs: training (webapp.core.runs.training; with other seeds
webapp.core.runs.replicates), findings (webapp.analysis.findings.stored), names
(webapp.analysis.findings.renaming), words of two sets
(webapp.analysis.two_sets.word_contrast), what two sets differ in (webapp.analysis.two_sets.answering), effects of a
formula (webapp.analysis.effects.answering), words of a topic through time
(webapp.analysis.topics.word_times), comparing two (webapp.analysis.compare.matchings), and making a
file of one (webapp.service.exports.kept)."""

from tasks.celery import app
from webapp.analysis.compare import matchings
from webapp.analysis.effects import answering as effects_answering
from webapp.analysis.effects.model import Way
from webapp.analysis.findings import renaming, stored
from webapp.analysis.topics import word_times
from webapp.analysis.two_sets import answering, word_contrast
from webapp.analysis.two_sets.contrasts import Constant
from webapp.analysis.two_sets.word_shapes import Counts, Which
from webapp.core.runs import replicates, training
from webapp.service.exports import kept


@app.task(name="tasks.runs.train")
def train(run_id: int) -> None:
    training.train(run_id, findings=stored)


@app.task(name="tasks.runs.replicate")
def replicate(replicate_id: int) -> None:
    replicates.train(replicate_id)


@app.task(name="tasks.runs.find")
def find(run_id: int, query: str, asker: int | None) -> None:
    """Findings of a set of a run's documents, as an address names it; asker: the user who asked,
    None for a guest."""
    stored.compute(run_id, query, asker)


@app.task(name=renaming.TASK)
def rename(run_id: int, asker: int | None) -> None:
    """Name the topics of an older program's run anew; asker: the user whose page asked, None for a
    guest."""
    renaming.rename(run_id, asker)


@app.task(name=word_contrast.TASK)
def compare_words(
    run_id: int,
    addresses: list[str],
    complement: bool,
    which: Which,
    counts: Counts,
    asker: int | None,
) -> None:
    """Compare the words of two sets of a run's documents, as addresses name them. The first address
    is that of the documents that both are chosen of."""
    word_contrast.compute(run_id, addresses, complement, which, counts, asker)


@app.task(name=answering.TASK)
def answer(
    run_id: int, addresses: list[str], complement: bool, constant: Constant, asker: int | None
) -> None:
    """Compare the topics of two sets of a run's documents, as addresses name them. The first
    address is that of the documents that both are chosen of."""
    answering.compute(run_id, addresses, complement, constant, asker)


@app.task(name=word_times.TASK)
def follow_words(run_id: int, number: int, query: str, asker: int | None) -> None:
    """Follow the words of a topic through time, in a set of a run's documents, as an address names
    it."""
    word_times.compute(run_id, number, query, asker)


@app.task(name=effects_answering.TASK)
def estimate_effects(
    run_id: int,
    address: str,
    formula: str,
    settings: list[str],
    estimate: Way,
    topics: list[int],
    asker: int | None,
) -> None:
    """Estimate what topics depend on in a set of a run's documents, as an address names it. topics:
    those that are shown along it."""
    effects_answering.compute(run_id, address, formula, settings, estimate, topics, asker)


@app.task(name="tasks.runs.compare")
def compare(comparison_id: int) -> None:
    matchings.compare(comparison_id)


@app.task(name="tasks.runs.export")
def export(export_id: int) -> None:
    kept.make(export_id)
