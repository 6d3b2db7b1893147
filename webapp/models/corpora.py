"""What users uploaded: files, documents, and versions of which words count."""

from typing import Any, TypedDict

from django.db import models

from webapp.models.accounts import User, local_owner
from webapp.models.base import Deletable, Job, deleted_index


class Origin(TypedDict):
    """What a corpus was copied from, as it was then. digest: of its words."""

    id: int
    name: str
    digest: str


class Provenance(TypedDict, total=False):
    """Which documents of another corpus one was copied from (ingest.corpora.create_subset).

    sentence, parameters: which they are, in words and as an address; run: by whose topics, if by
    any. documents: how many; of: of how many of `parent`. language: the code of the language, where
    they are all texts in one (service.corpora.languages). whole: they are all that the corpus had,
    but erased ones, so that it is no part of another. erased: how many were erased, last on
    erased_on, an ISO date.
    """

    sentence: str
    parameters: list[Any]  # [name, value]
    run: int | None
    parent: Origin
    documents: int
    of: int
    language: str
    whole: bool
    erased: int
    erased_on: str


HAS_OWN_FILES = models.Q(provenance={})  # Corpus.has_own_files, for queries


class Corpus(Job, Deletable):
    """What a user uploaded: stored files, then documents, and versions of which words count.

    Some rows are more than that, and some are no corpus yet:
    - read anew: a second reading of the files of another corpus (`is_read_anew`);
    - part: documents copied from another corpus (`is_part`);
    - replacement: a copy without erased documents, until it takes the place of the corpus that it
      `replaces` (`is_replacement`). Then it is what that one was, with files of its own no more;
    - addition: a draft of files that are to be added to another corpus (`is_addition`).
    """

    class Status(models.TextChoices):
        # not read yet: its upload says how far storing its files is, and how they will be read
        DRAFT = "draft"
        QUEUED = Job.QUEUED
        READING = "reading"
        READY = "ready"
        FAILED = Job.FAILED

    # others: Membership
    owner = models.ForeignKey(User, models.PROTECT, related_name="corpora", default=local_owner)
    # To whom its owner wants to hand it over
    offered_to = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    public = models.BooleanField(default=False)  # anybody may read it
    name = models.CharField(max_length=200)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    # ingest.corpus_settings.ReadingSettings as a dict: how its files are read
    settings = models.JSONField(default=dict)
    # The newest that is ready
    version = models.OneToOneField("Version", models.SET_NULL, null=True, related_name="+")
    report = models.JSONField(default=dict)  # of reading: problems, documents that repeat others
    # How far reading has come, for another attempt to go on from
    # (ingest.checkpoints.ReadCheckpoint)
    progress = models.JSONField(default=dict)
    bytes_read = models.BigIntegerField(default=0)
    bytes_total = models.BigIntegerField(default=0)
    documents_read = models.BigIntegerField(default=0)
    # Of its texts: accounts.embargo decides what can be read then
    embargo = models.BooleanField(default=False)
    # Whether its owner has a record of who opens its texts; under embargo there always is one
    # (accounts.readings)
    reading_kept = models.BooleanField(default=False)
    # Sites whose pages may show its charts in a frame (accounts.framing); none: nobody's
    embed_sites = models.JSONField(default=list)
    # The field that says who is independent of whom (documents.corpus_unit); "": each document;
    # none: nobody has said it
    unit = models.TextField(null=True)
    # Settings of the run that is trained as soon as it is read; none: no run
    train_settings = models.JSONField(null=True)
    # The corpus that its documents were copied from, or whose files it reads anew
    parent = models.ForeignKey("self", models.SET_NULL, null=True, related_name="parts")
    # Which documents of what were copied; {} where it was read from files
    provenance: "models.JSONField[Provenance, Provenance]" = models.JSONField(default=dict)
    # Whose place it takes when it is ready: the same without erased documents
    # (service.privacy.erasure)
    replaces = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    # Of a draft: where its files will be added
    added_to = models.ForeignKey("self", models.CASCADE, null=True, related_name="additions")

    class Meta:
        indexes = [
            models.Index(fields=["status", "heartbeat_at"], name="corpus_status"),
            deleted_index("corpus_deleted"),
            models.Index(fields=["owner", "-id"], name="corpus_owner"),
            models.Index(fields=["-id"], name="corpus_public", condition=models.Q(public=True)),
        ]

    def __str__(self):
        return self.name

    @property
    def has_own_files(self) -> bool:
        """Whether it is read from files that were uploaded, and not copied from another corpus."""
        return not self.provenance

    @property
    def is_part(self) -> bool:
        """Whether it holds some documents of another corpus. So does a replacement, until it has
        taken the place of what it `replaces`."""
        return bool(self.provenance) and not self.provenance.get("whole")

    @property
    def is_read_anew(self) -> bool:
        """Whether its files are those of another corpus, which is not deleted for good."""
        return self.parent_id is not None and self.has_own_files

    @property
    def is_addition(self) -> bool:
        """Whether its files are to be added to another corpus."""
        return self.added_to_id is not None

    @property
    def is_replacement(self) -> bool:
        """Whether it has yet to take the place of another corpus."""
        return self.replaces_id is not None

    @property
    def taken_from(self) -> "Corpus | None":
        """Its parent, unless that is deleted."""
        return self.parent if self.parent and not self.parent.deleted_at else None

    @property
    def unstored(self) -> "Upload | None":
        """Its upload, while a worker still has to do something with the files, or could not."""
        upload = getattr(self, "upload", None)  # a part of another corpus has none
        return upload if upload and upload.status != Upload.Status.STORED else None

    @property
    def stage(self) -> str:
        """Its status, as pages and the API say it: of a draft whose files are not stored yet, that
        of storing them."""
        return (
            self.unstored.stage
            if self.status == self.Status.DRAFT and self.unstored
            else self.status
        )

    @property
    def makes_version(self) -> bool:
        """Whether documents are being added, or words chosen."""
        open_versions = (Version.Status.QUEUED, Version.Status.CHOOSING)
        return self.versions.filter(status__in=open_versions).exists()

    @property
    def is_made_again(self) -> bool:
        """Whether another corpus is being made that takes its place without some documents."""
        return Corpus.objects.filter(replaces=self).exclude(status=self.Status.FAILED).exists()

    @property
    def documents(self) -> int:
        """D of the newest version; so are the other two."""
        return self.version.documents if self.version else 0

    @property
    def tokens(self) -> int:
        return self.version.tokens if self.version else 0

    @property
    def vocabulary(self) -> int:
        return self.version.vocabulary if self.version else 0


class Upload(Job, Deletable):
    """The files that came for a corpus, until it is read: stored, and looked into, by a worker
    where that takes long.

    A corpus has one, unless it is a part of another (provenance); it keeps it. A row is a job
    (jobs.kinds.STORE).
    """

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        STORING = "storing"
        STORED = "stored"  # each file has a row, and what a page asked is answered
        # of an addition: its files are being given to the corpus that they are added to
        JOINING = "joining"
        FAILED = Job.FAILED

    corpus = models.OneToOneField(Corpus, models.CASCADE, primary_key=True, related_name="upload")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # By the user; else the corpus is called after its files
    named = models.BooleanField(default=True)
    # How far storing, or joining, is (ingest.checkpoints.StoreCheckpoint); none: nothing can be
    # made of the files
    checkpoint = models.JSONField(default=dict, null=True)
    # What a worker is to find out about the stored files (ingest.guesses.FilesQuestion): behind
    # storing, and for a page that could not wait for it
    question = models.JSONField(null=True)
    # What the form that says how the files are read had when it was last sent, for whoever comes
    # back to it: field -> values. None: it was not sent, or the corpus is read
    choices = models.JSONField(null=True)
    position = models.IntegerField(null=True)  # of its first file in the corpus that it joins
    # Where its file is made of another draft's, with pseudonyms: ingest.replacement.Replacement
    pseudonyms = models.JSONField(null=True)

    @property
    def stage(self) -> str:
        """Its status, in words for the status of a corpus."""
        return {
            self.Status.STORING: "reading",
            self.Status.STORED: "draft",
            self.Status.JOINING: "draft",
        }.get(self.Status(self.status), self.status)


class SourceFile(models.Model):
    """A file as it was uploaded; `path` is relative to the state folder's files/."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="files")
    position = models.IntegerField()
    name = models.TextField()
    path = models.TextField()
    bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    read = models.BooleanField(default=False)
    # Why it could not be read, or not to its end; it can be tried again
    error = models.TextField(default="")
    items = models.BigIntegerField(default=0)  # documents and problems that came before the error
    # That came of it; of those that are joined the file of the first
    documents = models.BigIntegerField(default=0)
    # The number of its first document; none: there is none, or they do not follow each other
    first = models.BigIntegerField(null=True)
    problems = models.BigIntegerField(default=0)
    encoding = models.CharField(max_length=40, default="")  # that it was read in, where it has one

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "position"], name="one_file_per_position")
        ]


class Version(Job, Deletable):
    """Which words of which documents of a corpus count: a vocabulary and a bag of words, which
    never change.

    Documents 0 … documents - 1 of the corpus are its own; those that were added later are in later
    versions.
    """

    class Status(models.TextChoices):
        QUEUED = Job.QUEUED
        CHOOSING = "choosing"
        READY = "ready"
        FAILED = Job.FAILED

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="versions")
    number = models.IntegerField()  # 1, 2 … of its corpus
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # ingest.corpus_settings.VocabularySettings as a dict: which words count
    settings = models.JSONField(default=dict)
    report = models.JSONField(default=dict)  # dropped words, documents without words, digest
    documents = models.BigIntegerField(default=0)
    tokens = models.BigIntegerField(default=0)
    vocabulary = models.BigIntegerField(default=0)
    # Fields whose texts are alike, any of which may be the unit (ingest.unit_search.find); none:
    # nobody has looked
    unit_fields = models.JSONField(null=True)

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="one_version_per_number")
        ]

    @property
    def rows(self) -> int:
        """Rows of the bag of words: documents, or their sections where long ones are cut."""
        return self.report.get("rows", self.documents)


class Document(models.Model):
    """A text. `number` is its row in the bag of words and never changes. Partitioned by corpus."""

    pk = models.CompositePrimaryKey("corpus_id", "number")
    corpus = models.ForeignKey(Corpus, models.DO_NOTHING, related_name="+")
    number = models.BigIntegerField()
    source_id = models.TextField()
    file = models.TextField()
    place = models.TextField()
    title = models.TextField()
    date_text = models.TextField()
    date = models.DateField(null=True)
    metadata = models.JSONField(default=dict)
    text = models.TextField()
    digest = models.BinaryField()  # sha256 of the text
    words = models.BigIntegerField()
    # Which section of a whole, whose first one is document number - part + 1
    part = models.IntegerField(default=1)
    parts = models.IntegerField(default=1)  # how many sections the whole has
    whole = models.TextField(default="")  # its title, where it has several

    class Meta:
        managed = False
        db_table = "document"


class TextShown(models.Model):
    """Which characters of a text under an embargo were shown to a reader
    (webapp.platform.accounts.embargo)."""

    pk = models.CompositePrimaryKey("reader", "digest")
    # "user 5"; or all readers together of "link 7", of what is "public", or of "corpus 3"
    reader = models.CharField(max_length=30)
    # Of the text: the same in parts of a corpus and in other readings of it
    digest = models.BinaryField()
    # From which others with the text were taken; the rows go with it
    # (webapp.service.corpora.deletion)
    corpus = models.ForeignKey(Corpus, models.DO_NOTHING, related_name="+")
    shown = models.TextField()  # int4multirange: characters, from 0
    used_up = models.BooleanField(default=False)  # there are as many as may be shown

    class Meta:
        managed = False
        db_table = "text_shown"


class TextReader(models.Model):
    """How many texts of a corpus were shown to a reader: the number of their TextShown, which may
    be ten million rows."""

    pk = models.CompositePrimaryKey("corpus_id", "reader")
    corpus = models.ForeignKey(Corpus, models.DO_NOTHING, related_name="+")
    reader = models.CharField(max_length=30)
    texts = models.BigIntegerField()  # of which something was shown
    used_up = models.BigIntegerField()  # of which as much was shown as may be

    class Meta:
        managed = False
        db_table = "text_reader"


class Reading(models.Model):
    """That somebody opened a text, for the owner of its corpus (webapp.platform.accounts.readings).

    Its keys have no constraints in the database: to write a row must wait for no lock of another.
    """

    class By(models.TextChoices):
        ACCOUNT = "account"
        LINK = "link"
        CODER = "coder"  # who joined by the link of a concept, without an account
        PUBLIC = "public"

    class Kind(models.TextChoices):
        OPENED = "opened"
        PASSAGE = "passage"  # shown in a list; under embargo alone
        FILE = "file"
        MORE = "more"  # further passages of the same request, which are too many to be kept

    # Whose owner may see it
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="readings", db_constraint=False)
    # The corpus in which it was opened: this one, or a part of it
    within = models.BigIntegerField()
    at = models.DateTimeField(db_index=True)
    by = models.CharField(max_length=10, choices=By)
    # None, of an account: it is deleted
    user = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="readings", db_constraint=False
    )
    link = models.ForeignKey(
        "Link", models.SET_NULL, null=True, related_name="+", db_constraint=False
    )
    coder = models.CharField(max_length=60, default="")
    kind = models.CharField(max_length=10, choices=Kind)
    document = models.BigIntegerField(null=True)  # its number in `within`
    digest = models.BinaryField(default=b"")  # sha256 of the text
    begin = models.BigIntegerField(default=0)  # the characters begin … end - 1 were shown
    end = models.BigIntegerField(default=0)
    file = models.TextField(default="")

    class Meta:
        indexes = [models.Index(fields=["corpus", "-id"], name="reading_newest")]


class Word(models.Model):
    """A word of a version's vocabulary; `number` is its column in the bag of words. Partitioned by
    version."""

    pk = models.CompositePrimaryKey("version_id", "number")
    version = models.ForeignKey(Version, models.DO_NOTHING, related_name="+")
    number = models.IntegerField()
    word = models.TextField()
    tokens = models.BigIntegerField()
    documents = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = "word"


class Sealed(models.Model):
    """A file or folder of a corpus, version or run that is in the S3-compatible store
    (webapp.platform.storage.sealed); none of them where there is no store."""

    kind = models.CharField(max_length=10)  # corpora, versions or runs
    key = models.BigIntegerField()  # the number of the corpus, version or run, which may be gone
    name = models.CharField(max_length=40)
    generation = models.CharField(max_length=16, db_index=True)
    size = models.BigIntegerField()  # bytes of all its files
    files = models.JSONField()  # [path below it, bytes, sha256] of each
    stored_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "key", "name"], name="sealed_once")]
