"""What is stored at the end of a training: a topic for every token of the corpus, the final topics
with their names, and what nobody needs to wait for."""

import shutil
from contextlib import suppress
from typing import Any, Protocol

import structlog
from django.db import transaction

import inference
from inference import Evidence, Invalid, Postings, Topics, open_evidence
from inference.engines.contract import State
from inference.evaluate import diagnose
from inference.explore.company import TopicCompany, company
from inference.explore.distances import divergences
from inference.runtime.durable import settle
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.curation import label_transfer, services as curation
from webapp.core.documents import document_days, search
from webapp.core.runs import left_to_right, names, replicates, shared_training, snapshots
from webapp.core.runs.attempt import Attempt
from webapp.core.runs.checkpoints import forget_documents
from webapp.core.runs.starting import TrainedModel
from webapp.models import Run
from webapp.platform.jobs import dispatch, events, kinds
from webapp.platform.mistakes import MISTAKES
from webapp.platform.storage import sealed

log = structlog.get_logger(__name__)


class RunFindings(Protocol):
    """What computes the findings of a run. It stands in a wing above, so a training is given it
    (webapp.analysis.findings.stored)."""

    def promise(self, run: Run) -> None:
        """They will be computed at once: a page that is opened meanwhile waits for them."""

    def compute(self, run_id: int) -> None:
        """Compute and store them."""


def store_results(
    attempt: Attempt, model: TrainedModel, state: State, team: Any, findings: RunFindings
) -> None:
    """Give every token of the corpus a topic, and publish the final snapshot; then do what nobody
    needs to wait for, and what pages offer where the worker ends before. state: after the last
    step. team: of the workers that share the training, None where none do."""
    run = attempt.run
    # Once it is published its row is at work no more
    with dispatch.at_work(kinds.TRAIN.task, [run.pk]):
        attempt.update(status=Run.Status.STORING)
        # It may have been asked while the last checkpoint was written; from here on
        # services.cancel ends the run itself.
        attempt.look_for_request()
        with attempt.beat.long():
            topics = FinalResults(attempt, model, team).publish(state, findings)
            forget_documents(run, model)
        snapshots.drop_old(run.pk)
        if run.parent is not None:
            _transfer_labels(run, run.parent)
        findings.compute(run.pk)
        alpha = model.engine.priors(model.config, state).alpha
        likelihood = left_to_right.measure(model.bow, run.seed, topics, alpha)
        # Where the worker ends before, there is none
        run.snapshots.filter(final=True).update(left_to_right=likelihood)


class FinalResults:
    """What is known of the topics once they are final. team: as `store_results` has it."""

    def __init__(self, attempt: Attempt, model: TrainedModel, team: Any):
        self.attempt = attempt
        self.run = attempt.run
        self.model = model
        self.team = team

    def publish(self, state: State, findings: RunFindings) -> Topics:
        """Store all of it, and then point the run to it. Returns the topics."""
        model = self.model
        topics = model.engine.topics(model.config, state)
        evidence = self._gather_evidence(topics, state)
        measures = diagnose(model.bow, topics, evidence)
        self.attempt.beat.check()
        kinds_of = company(evidence)
        outcome = snapshots.Outcome(
            evidence,
            measures,
            divergences(topics),
            self._name_topics(topics, evidence, kinds_of),
            kinds_of,
        )
        self._index_phrases(outcome.called.phrases)
        finished_folders = model.folder / "evidence", model.bow_folder
        settle(*finished_folders)  # they are on the disk before a row points to them
        items = sealed.put(*finished_folders, model.checkpoint)
        findings.promise(self.run)
        storing = snapshots.store(self.run.pk, state.t, topics, measures.coherence, outcome)
        with storing as stored, transaction.atomic():
            stored.show(self.attempt.number)
            sealed.record(items)
            # In the same transaction: nobody continues a run that is done where the worker ends
            _label_named_topics(self.run)
            replicates.begin_by_itself(Run.objects.select_related("snapshot").get(pk=self.run.pk))
        return topics

    def _gather_evidence(self, topics: Topics, state: State) -> Evidence:
        """Write the evidence: the topic of every token. Publishes how far it is."""
        model = self.model
        by_word = model.bow_folder / "by_word"
        if not by_word.exists():  # the run leaves words out, or an older Topograph read the corpus
            Postings.write(by_word, model.bow)
        postings = Postings.open(by_word)
        blocks = shared_training.evidence(self.team, model.engine, model.config, state, model.bow)
        for done in inference.gather(
            model.folder / "evidence",
            model.bow,
            postings,
            topics,
            blocks,
            by_document=model.engine.ABOUT.by_document,
            days=document_days.read_days(self.run.version),
        ):
            self.attempt.beat.check()
            events.run(self.run.pk, {"type": "storing", "documents": done, "of": model.bow.D})
        return open_evidence(model.folder / "evidence", model.bow, postings)

    def _name_topics(
        self, topics: Topics, evidence: Evidence, kinds_of: TopicCompany
    ) -> names.Called:
        """From the texts; of words alone where that fails, which the run's overview says."""
        try:
            return names.of_texts(self.run, evidence, kinds_of, self.attempt.beat)
        except MISTAKES:
            log.exception("names of topics could not be made from the texts", run=self.run.pk)
            return names.of_words_alone(self.run.pk, topics)

    def _index_phrases(self, phrases: list[list[tuple[str, int, int]]]) -> None:
        """Where the topics' phrases stand, which keyness asks. A corpus that has no index, as of
        bags of words, has none of these."""
        folder = names.phrases_folder(self.run.pk)
        shutil.rmtree(folder, ignore_errors=True)  # of an attempt that was killed
        with suppress(Invalid):
            index = search.open_index(self.run.corpus)
            postings = index.postings(names.distinct(phrases), self.attempt.beat.check)
            postings.save(folder)


def _label_named_topics(run: Run) -> None:
    """Topics that were named before the training have these names as labels."""
    topics = Steering.of_run(run).named
    values = {number: {"label": topic.name} for number, topic in enumerate(topics)}
    if values:
        curation.change_many(run, values, "named before the training")


def _transfer_labels(run: Run, parent: Run) -> None:
    """Take over what readers said of the parent's topics. Where that is refused, the curation page
    offers it."""
    finished_run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=run.pk)
    with suppress(Invalid):
        label_transfer.carry(parent, finished_run)
