"""What several tables have: rows that can be brought back, jobs, and who said something."""

from datetime import UTC, datetime

from django.db import models

# deleted_at of what is deleted for good: older than anything that can be restored
GONE = datetime(1970, 1, 1, tzinfo=UTC)


class Present(models.Manager):
    """Leaves out what is deleted, which can still be brought back for a while (corpora.deletion).
    `everything` has that, too.

    Django follows a foreign key to a deleted row all the same: Run.begun_with and Corpus.taken_from
    don't.
    """

    deleted = "deleted_at"  # the field that says so

    def get_queryset(self):
        return super().get_queryset().filter(**{self.deleted: None})


class Deletable(models.Model):
    """A row that can be brought back for a while after it was deleted: versions and runs at the
    moment of their corpus."""

    deleted_at = models.DateTimeField(null=True)

    objects = Present()
    everything = models.Manager()

    class Meta:
        abstract = True


def deleted_index(name: str) -> models.Index:
    return models.Index(
        fields=["-deleted_at", "-id"], name=name, condition=models.Q(deleted_at__isnull=False)
    )


class Job(models.Model):
    """A row is a job of a worker (webapp.platform.jobs.kinds). attempt: counts those that claimed
    it. heartbeat_at: when the one that has it was last alive. error: why it failed, for its
    user."""

    class WaitsFor(models.TextChoices):
        """What a queued job has not found on the server; each with the sentence that says so."""

        NOTHING = "", ""
        DISK = (
            "disk",
            "The server’s disk is full. Nothing is lost: the work waits, and goes on by itself once"
            " there is room on the disk.",
        )
        STORE = (
            "store",
            "The store of this server’s files does not answer. Nothing is lost: the work waits, and"
            " goes on by itself once it does.",
        )

    QUEUED = "queued"
    FAILED = "failed"

    status: models.CharField  # of each kind of job its own; QUEUED and FAILED are among all
    attempt = models.IntegerField(default=0)
    tries = models.IntegerField(default=0)  # attempts since it last came further (jobs.claims)
    heartbeat_at = models.DateTimeField(null=True)
    error = models.TextField(default="")
    # The sweep sends such a job again after a while (jobs.sweep); a claim empties it
    waits_for = models.CharField(
        max_length=5, default=WaitsFor.NOTHING, db_default=WaitsFor.NOTHING
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["status", "heartbeat_at"], name="%(class)s_status")]

    @property
    def shown_notice(self) -> str:
        """What pages and the API say under the key `notice` of a job that has not failed: what it
        waits for; empty where there is nothing to say."""
        if self.status == Job.QUEUED and self.waits_for:
            return self.WaitsFor(self.waits_for).label
        return ""


class Said(models.Model):
    """What somebody did, by the name that they gave."""

    by = models.CharField(max_length=60)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
