"""What readers say of topics, and keep of pages."""

from django.db import models

from webapp.models.accounts import User, local_owner
from webapp.models.base import Said
from webapp.models.runs import Run


class Edit(Said):
    """What a reader says of a topic, beside the model's own results. Rows are only added; undoing
    one marks it.

    The present value of a field is that of its newest edit that is not undone:
    webapp.core.results.labels.
    """

    class Field(models.TextChoices):
        LABEL = "label"  # a name to read; the number stays the topic's only key
        NOTE = "note"
        COLOUR = "colour"  # "0" to "11", one of the twelve hues; "" the topic's own
        HIDDEN = "hidden"  # "1" junk, "" not
        GROUP = "group"
        INTO = "into"  # the number of the topic that it is read as a part of; "" itself
        BESIDE = (  # the number of the topic in whose family it is; "" in that of the run's tree
            "beside"
        )

    run = models.ForeignKey(Run, models.CASCADE, related_name="edits")
    topic = models.IntegerField()
    field = models.CharField(max_length=10, choices=Field)
    value = models.TextField(blank=True)  # "" takes what was said back
    batch = models.UUIDField()  # shared by the edits that were made at once
    undone_at = models.DateTimeField(null=True)
    undone_by = models.CharField(max_length=60, default="")

    class Meta:
        indexes = [
            models.Index(
                fields=["run", "topic", "field", "-id"],
                name="edit_overlay",
                condition=models.Q(undone_at=None),
            ),
            models.Index(fields=["run", "-id"], name="edit_history"),
            models.Index(fields=["batch"], name="edit_batch"),
        ]


class Notebooks(models.QuerySet["Notebook"]):
    def recent(self, most: int = 8) -> list["Notebook"]:
        """The notebooks that a Pin button offers, last used first."""
        return list(
            self.filter(removed_at=None, student="")
            .order_by("-used_at", "-pk")
            .only("title")[:most]
        )


class Notebook(models.Model):
    """A collection of evidence that a reader makes. Nothing in it is deleted: what is removed can
    be put back."""

    owner = models.ForeignKey(User, models.CASCADE, related_name="notebooks", default=local_owner)
    title = models.CharField(max_length=200)
    intro = models.TextField(default="")
    by = models.CharField(max_length=60)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(auto_now_add=True)
    # Of the link that shares it; none: not shared
    token = models.CharField(max_length=43, null=True, unique=True)
    removed_at = models.DateTimeField(null=True)
    # Of a copy that a student handed in: by whom, and the name, which the teacher alone sees; it
    # stays when the student is gone
    handed_in_by = models.ForeignKey(
        "Student", models.SET_NULL, null=True, related_name="handed_in"
    )
    student = models.CharField(max_length=60, default="", db_default="")

    objects = Notebooks.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-used_at", "-id"], name="notebook_used"),
            # Of everybody, while accounts are off
            models.Index(fields=["-used_at", "-id"], name="notebook_newest"),
            models.Index(fields=["owner", "-id"], name="notebook_owner"),
        ]


class Pin(Said):
    """A piece of evidence as it was when it was pinned. It points at no row: its run may be
    deleted, the pin stays."""

    class Kind(models.TextChoices):
        TOPIC = "topic"
        PASSAGE = "passage"
        CHART = "chart"

    notebook = models.ForeignKey(Notebook, models.CASCADE, related_name="pins")
    position = models.IntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    title = models.TextField()
    address = models.TextField()  # the path of one of our pages
    # Of a passage: the document's characters start to end; of a topic: its first words
    quote = models.TextField(default="")
    start = models.BigIntegerField(null=True)
    end = models.BigIntegerField(null=True)
    sentence = models.TextField(default="")  # of a chart: what it shows
    # Of a chart: {"columns": [text], "rows": [[text or number]]}
    table = models.JSONField(null=True)
    source = models.JSONField(default=dict)  # where it comes from: notebooks.shapes.Source
    comment = models.TextField(default="")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["notebook", "position", "id"], name="pin_order")]


class Answer(models.Model):
    """What one reader answered in the reading protocol (webapp.core.curation.intrusion); one row a
    question."""

    class Kind(models.TextChoices):
        LABEL = "label"  # {label, confidence}
        FIT = "fit"  # {document, start, end, share, stratum, fits}
        WORDS = "words"  # {shown, intruder, chosen}
        TOPICS = "topics"  # {document, shown, intruder, chosen, log_odds}

    run = models.ForeignKey(Run, models.CASCADE, related_name="answers")
    reader = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind)
    topic = models.IntegerField()
    seed = models.BigIntegerField()  # of the sample that was read
    # Which of the topic's passages, in the order of the sample
    item = models.IntegerField(default=0)
    payload = models.JSONField()
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "topic", "kind", "seed", "reader", "item"], name="one_answer"
            )
        ]
