"""What workers computed of runs, and what can be downloaded."""

from django.db import models

from webapp.models.accounts import User
from webapp.models.base import Job
from webapp.models.runs import Run, Snapshot


class StoredResult(models.Model):
    """What is computed of a snapshot and kept: what the overview says of its documents, or of a set
    of them (webapp.analysis.findings.compute); which words set two of them apart, and other answers
    to a question (webapp.analysis.answers.rows); the tree of families
    (webapp.core.results.family_tree). One row, as a page shows all of it at once.

    Numbers, not sentences: names and labels may change.
    """

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="stored_results")
    # Of the sets and of merged topics; "": all documents, none merged
    key = models.CharField(max_length=64, blank=True)
    # METHOD of what computed it; those of an older one are computed again
    method = models.IntegerField()
    data = models.JSONField()
    arrays = models.BinaryField(null=True)  # of a stored answer: its arrays, as .npz
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "webapp_findings"  # of when it had findings alone
        constraints = [models.UniqueConstraint(fields=["snapshot", "key"], name="one_findings")]


class Comparison(Job):
    """Which topics of two snapshots are the same, where that takes long enough to be a job.
    Snapshots never change.

    data: inference.explore.matching.Matching, seen from `first`
    (webapp.analysis.compare.matchings).
    """

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        COMPARING = "comparing"
        READY = "ready"
        FAILED = Job.FAILED

    # The one with the lower number
    first = models.ForeignKey(Snapshot, models.CASCADE, related_name="+")
    second = models.ForeignKey(Snapshot, models.CASCADE, related_name="+")
    # Who looked at it first; nobody: a guest
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    size = models.BigIntegerField(default=0)  # pairs of topics
    done = models.FloatField(default=0)  # from 0 to 1
    data = models.JSONField(null=True)

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=["first", "second"], name="one_comparison")]


class Export(Job):
    """A file that somebody takes away of a run, where it is too large to be made while it is sent
    (webapp.service.exports.kept).

    The file is in files/exports/<id>/ and never changes; it goes after a while.
    """

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        MAKING = "making"
        READY = "ready"
        FAILED = Job.FAILED

    run = models.ForeignKey(Run, models.CASCADE, related_name="exports")
    by = models.ForeignKey(User, models.CASCADE, related_name="+")  # who may download it
    file = models.CharField(max_length=100)  # form and ending: "document-topics.parquet"
    # The set of documents, and what else was asked, as an address has it
    query = models.TextField(blank=True)
    name = models.TextField()  # that it is downloaded as
    sentence = models.TextField()  # what is in it
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    expected = models.BigIntegerField()  # bytes, about
    bytes = models.BigIntegerField(default=0)  # written so far
    sha256 = models.CharField(max_length=64, default="")
    made_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["status", "heartbeat_at"], name="export_status"),
            models.Index(fields=["by", "-id"], name="export_by"),
            models.Index(fields=["run", "by", "-id"], name="export_run"),
        ]
