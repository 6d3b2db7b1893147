"""Concepts, and what readers coded by them."""

from django.db import models
from django.db.models.functions import Lower

from webapp.models.accounts import User
from webapp.models.base import Job, Said
from webapp.models.corpora import Corpus
from webapp.models.runs import Run


class Concept(models.Model):
    """What readers code documents for. The codebook of a corpus is its concepts."""

    class Kind(models.TextChoices):
        YES_NO = "yes_no"
        ONE_OF = "one_of"
        SCALE = "scale"  # its codes are in order, and count 0, 1, 2 …

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="concepts")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind)
    origin = models.TextField(default="")  # the path of the page that it began from
    # Of the link by which coders join
    token = models.CharField(max_length=43, null=True, unique=True)
    by = models.CharField(max_length=60)
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]


class Definition(Said):
    """A version of a concept's definition, as coders read it. Rows are only added; the newest
    holds."""

    concept = models.ForeignKey(Concept, models.CASCADE, related_name="definitions")
    number = models.IntegerField()
    text = models.TextField()
    examples = models.TextField(blank=True)
    borderline = models.TextField(blank=True)
    codes = models.JSONField()  # their names
    anew = models.BooleanField()  # earlier codings don't count for it

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["concept", "number"], name="definition_number")
        ]


class Draw(Said):
    """How the documents of a concept were drawn. More can be drawn by the same design."""

    concept = models.OneToOneField(Concept, models.CASCADE, related_name="draw")
    run = models.ForeignKey(Run, models.SET_NULL, null=True)  # whose topic makes the strata
    topic = models.IntegerField(null=True)
    columns = models.JSONField()  # fields that are to be compared
    documents = models.BigIntegerField()  # from which was drawn
    elsewhere = models.BooleanField(default=False)  # the codes were made elsewhere, and taken in
    seed = models.BigIntegerField()
    overlap = models.FloatField()  # share of them that two readers code


class Item(models.Model):
    """A document that was drawn. place: in the order in which coders get them."""

    draw = models.ForeignKey(Draw, models.CASCADE, related_name="items")
    document = models.BigIntegerField()
    place = models.IntegerField()
    pi = models.FloatField()  # the probability with which it was drawn
    stratum = models.IntegerField()
    stratum_size = models.BigIntegerField()
    twice = models.BooleanField()  # two readers code it

    class Meta:
        ordering = ["place"]
        constraints = [models.UniqueConstraint(fields=["draw", "document"], name="item_once")]


class Coder(models.Model):
    """Who codes. Their token is the address at which they do, and all that they need."""

    concept = models.ForeignKey(Concept, models.CASCADE, related_name="coders")
    # Whose account it is; None: they joined by the link
    user = models.ForeignKey(User, models.SET_NULL, null=True)
    name = models.CharField(max_length=60)
    token = models.CharField(max_length=43, unique=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True)  # their codings don't count any more

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(models.F("concept"), Lower("name"), name="coder_name")
        ]


class Assignment(models.Model):
    """A text that a coder got, by a definition that asks for codings anew."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="assignments")
    coder = models.ForeignKey(Coder, models.CASCADE, related_name="assignments")
    base = models.IntegerField()  # the number of that definition
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "coder", "base"], name="assigned_once")
        ]


class Coding(models.Model):
    """What a coder said of a text. Rows are only added; their newest counts."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="codings")
    coder = models.ForeignKey(Coder, models.CASCADE, related_name="codings")
    definition = models.ForeignKey(Definition, models.CASCADE)
    code = models.SmallIntegerField()  # which of the definition's
    unsure = models.BooleanField()
    remark = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["item", "coder", "-id"], name="coding_newest")]


class Settlement(Said):
    """The code on which readers who disagreed agree. Rows are only added; the newest counts, their
    codings are kept."""

    OPEN = -1

    item = models.ForeignKey(Item, models.CASCADE, related_name="settlements")
    definition = models.ForeignKey(Definition, models.CASCADE)
    code = models.SmallIntegerField()  # OPEN: to be talked about again


class Agreement(models.Model):
    """How far the coders of a concept agree, computed once for the same codes
    (webapp.service.codebook.agreement)."""

    concept = models.OneToOneField(Concept, models.CASCADE, related_name="agreement")
    key = models.CharField(max_length=64)  # of all that it depends on
    data = models.JSONField()


class CodeFile(Job):
    """Codes that were made elsewhere, in a file so large that a worker takes it in
    (webapp.service.codebook.imports)."""

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        READING = "reading"
        READY = "ready"
        FAILED = Job.FAILED

    concept = models.OneToOneField(Concept, models.CASCADE, related_name="code_file")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    by = models.CharField(max_length=60)
    content = models.BinaryField()  # empty once it was read
    size = models.IntegerField()  # bytes
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    said = models.TextField(default="")  # what was taken in, and what was left out


class Example(Said):
    """A document that a reader chose by looking. It was not drawn, so it enters no estimate."""

    concept = models.ForeignKey(Concept, models.CASCADE, related_name="chosen")
    document = models.BigIntegerField()
    note = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["concept", "document"], name="example_once")]
