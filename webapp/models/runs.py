"""Trainings, what they found, and what is found again by others of the same corpus."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from webapp.models.accounts import User
from webapp.models.base import Deletable, Job, Present, deleted_index
from webapp.models.corpora import Corpus, Version


class Run(Job, Deletable):
    """One training of one engine on one corpus."""

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        RUNNING = "running"
        STORING = "storing"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = Job.FAILED

    class Request(models.TextChoices):
        NONE = ""
        STOP = "stop"  # stop and keep what there is
        CANCEL = "cancel"

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="runs")
    # Of its corpus: the words that it is trained on
    version = models.ForeignKey(Version, models.RESTRICT, related_name="runs")
    # Who had it trained, whose quota it counts for
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    request = models.CharField(max_length=10, choices=Request, default=Request.NONE, blank=True)
    engine = models.CharField(max_length=20, default="ssi")
    settings = models.JSONField(default=dict)  # the engine's Config as a dict
    # What it was trained with (inference.runtime.versions); none: by an older version
    versions = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    # The run whose topics it begins with
    parent = models.ForeignKey("self", models.SET_NULL, null=True, related_name="children")
    begins = models.BooleanField(default=False)  # with the topics of its parent
    # Words that it leaves out of its version's vocabulary
    dropped = ArrayField(models.TextField(), default=list)
    # Changes of its parent's topics, and topics named beforehand
    # (asked_training.stored_steering.Steering)
    steering = models.JSONField(default=dict, db_default={})
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    step = models.BigIntegerField(default=0)
    steps = models.BigIntegerField(default=0)
    tokens_seen = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0)  # of training, over all attempts
    # What its pages say while it trains and nothing is measured yet (runs.progress_reports)
    notice = models.TextField(default="", db_default="")
    snapshot = models.OneToOneField("Snapshot", models.SET_NULL, null=True, related_name="+")
    # Topics of the snapshot that the model uses; none: all K
    in_use = models.IntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["corpus", "-id"], name="run_corpus"),
            models.Index(fields=["status", "heartbeat_at"], name="run_status"),
            deleted_index("run_deleted"),
            models.Index(fields=["by", "status"], name="run_by"),
        ]

    @property
    def shown_notice(self) -> str:
        """What it waits for, or, while it trains and nothing is measured yet, its notice; empty
        where there is nothing to say."""
        if self.status == self.Status.RUNNING:
            return self.notice
        return super().shown_notice

    @property
    def begun_with(self) -> "Run | None":
        """Its parent, unless that is deleted."""
        return self.parent if self.parent and not self.parent.deleted_at else None

    @property
    def topics(self) -> int:
        """K: the number of topics, or the most there can be (in_use)."""
        return self.settings["topics"]

    @property
    def active(self) -> bool:
        return self.status in (self.Status.QUEUED, self.Status.RUNNING, self.Status.STORING)

    @property
    def final(self) -> bool:
        """Whether its topics are those of the finished training, with every token assigned to
        one."""
        return self.snapshot is not None and self.snapshot.final


class Metric(models.Model):
    """A point of a run's charts."""

    pk = models.CompositePrimaryKey("run_id", "step")
    run = models.ForeignKey(Run, models.CASCADE, related_name="metrics")
    step = models.BigIntegerField()
    tokens = models.BigIntegerField()
    seconds = models.FloatField()
    # Nats per token; none when the corpus is too small to hold out
    held_out = models.FloatField(null=True)
    # That training raises, nats per token; none where the engine has none
    objective = models.FloatField(null=True)
    coherence = models.FloatField(null=True)  # mean UMass over topics
    topic_coherence = ArrayField(models.FloatField(null=True))  # [K]
    nonzero = models.FloatField()  # share of the K x V parameters that hold tokens

    class Meta:
        ordering = ["step"]


class FormingStep(models.Model):
    """The largest topics of a run as they stood at a step of its training, for the page that shows
    how they form.

    topics: by number, each as webapp.core.runs.shapes.Forming says.
    """

    pk = models.CompositePrimaryKey("run_id", "step")
    run = models.ForeignKey(Run, models.CASCADE, related_name="forming")
    step = models.BigIntegerField()
    topics = models.JSONField()

    class Meta:
        ordering = ["step"]


class Snapshot(models.Model):
    """The topics that a run published at a step."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="snapshots")
    step = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    final = models.BooleanField(default=False)
    # Of the map, inference.explore.layout.stress; of final ones
    stress = models.FloatField(null=True)
    # Nats per token of documents that were held out (webapp.core.runs.left_to_right); of final
    # ones, none by older versions.
    left_to_right = models.FloatField(null=True)
    # Which way of naming its topics have: webapp.core.runs.names.METHOD, or that of an older program
    naming = models.SmallIntegerField(default=0, db_default=0)
    renamed_at = models.DateTimeField(null=True)  # when it was renamed by a newer one
    # Names could not be made from the texts: webapp.platform.mistakes
    named_by_words = models.BooleanField(default=False, db_default=False)
    # Runs with other seeds that it is compared with, all that are to be (Replicate); none: not yet
    replicates = models.IntegerField(null=True)


class OfPresentRuns(Present):
    deleted = "run__deleted_at"


class Replicate(Job):
    """A training with a run's settings and another seed, another number of topics, or on other
    texts, of which little is kept (webapp.core.runs.replicates)."""

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        TRAINING = "training"
        READY = "ready"
        FAILED = Job.FAILED

    class Texts(models.TextChoices):
        """What it is trained on."""

        OWN = "own"
        DRAWN = "drawn"
        HALF = "half"

    run = models.ForeignKey(Run, models.CASCADE, related_name="replicates")
    seed = models.BigIntegerField()
    texts = models.CharField(max_length=5, choices=Texts, default=Texts.OWN)
    # How many topics it has, where that is what is asked (runs.how_many); 0: as many as the run
    asked_topics = models.IntegerField(default=0, db_default=0, db_column="number")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # inference.topics.Topics, the fields that are arrays, as .npz; none where it is trained on
    # other texts
    topics = models.BinaryField(null=True)
    # As .npz: runs.how_many.Short where asked_topics are, runs.trials.Kept where it is trained on
    # other texts, else none
    result = models.BinaryField(null=True, db_column="tokens")
    # What became there of each topic of the run: results.found_again.Elsewhere
    elsewhere = models.JSONField(default=list)

    objects = OfPresentRuns()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(fields=["run", "seed", "asked_topics"], name="one_replicate")
        ]


class Topic(models.Model):
    pk = models.CompositePrimaryKey("snapshot_id", "number")
    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="topics")
    number = models.IntegerField()
    share = models.FloatField()  # of the corpus's tokens; sums to 1 over topics
    coherence = models.FloatField(null=True)  # UMass
    floor = models.FloatField()  # the weight of each word that has no row in TopicWord
    floor_mass = models.FloatField()  # the sum of those weights
    # Whether the model uses it: not all, where it finds how many there are
    used = models.BooleanField(db_default=True)
    # As proposed (inference.explore.naming): a name, or its first words where it has none; "" where
    # there is neither
    name = models.TextField(default="", db_default="")
    # Of the name, [] where there are only words; none by programs before there were parts
    name_parts = models.JSONField(null=True)
    # inference.explore.company: whether it is general talk; several subjects; the second
    # eigenvalue, and how its words tell
    background = models.BooleanField(default=False, db_default=False)
    mixed = models.BooleanField(default=False, db_default=False)
    apart = models.FloatField(null=True)
    tells = models.FloatField(null=True)
    # Of final snapshots only, from here on. tokens, documents: what was given to it
    # (inference.evidence).
    tokens = models.BigIntegerField(null=True)
    documents = models.BigIntegerField(null=True)
    # inference.evaluate.diagnostics.TopicMeasures
    npmi = models.FloatField(null=True)
    exclusivity = models.FloatField(null=True)
    effective_words = models.FloatField(null=True)
    document_entropy = models.FloatField(null=True)
    rank_1_documents = models.FloatField(null=True)
    uniform_distance = models.FloatField(null=True)
    corpus_distance = models.FloatField(null=True)
    x = models.FloatField(null=True)  # its place on the map
    y = models.FloatField(null=True)
    similar = models.JSONField(default=list)  # [[topic, divergence], …], nearest first
    # [[topic, lift, documents], …]: stand in the same documents more than by chance
    beside = models.JSONField(default=list)
    # [[text, tokens, documents of those looked at], …]: runs.names
    phrases = models.JSONField(null=True)


class TopicWord(models.Model):
    """beta[k, w] above the topic's floor, and every word with tokens in the topic. Partitioned by
    snapshot."""

    pk = models.CompositePrimaryKey("snapshot_id", "topic", "word")
    snapshot = models.ForeignKey(Snapshot, models.DO_NOTHING, related_name="+")
    topic = models.IntegerField()
    word = models.IntegerField()
    rank = models.IntegerField()  # 0-based, by weight
    weight = models.FloatField()
    # Of the word that were given to the topic; 0 until the run has ended
    tokens = models.BigIntegerField()
    documents = models.BigIntegerField()  # that have such tokens

    class Meta:
        managed = False
        db_table = "topic_word"
