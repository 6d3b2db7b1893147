"""The tables. Four large ones are partitioned, and written by webapp.platform.storage.bulk alone:
see migrations/0001_initial.py."""

from datetime import UTC, datetime

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower

# deleted_at of what is deleted for good: older than anything that can be restored
GONE = datetime(1970, 1, 1, tzinfo=UTC)


class Users(BaseUserManager["User"]):
    def create_user(self, email: str, name: str, password: str | None = None, **fields) -> "User":
        """Without a password nobody can sign in by one."""
        user = self.model(email=email.lower(), name=name, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def local(self) -> "User":
        """Whoever sits at the machine while accounts are off: one row, to which everything belongs
        that is made then."""
        return self.get_or_create(
            local=True, defaults={"name": User.LOCAL, "is_staff": True, "password": "!"}
        )[0]


class User(AbstractBaseUser):
    """Who has an account, or the one local owner."""

    LOCAL = "owner"  # the name of the local owner, until it is made an account
    USERNAME_FIELD = EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    # In small letters; none: the local owner
    email = models.EmailField(max_length=254, unique=True, null=True)
    # Shown to others; never changed, as it stands on what its owner said
    name = models.CharField(max_length=60)
    is_active = models.BooleanField(default=True)
    # An operator: may see the pages about workers, queue and disk, but nobody's corpora
    is_staff = models.BooleanField(default=False)
    local = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    leaving_at = models.DateTimeField(null=True)  # when its owner deleted it (service.own_data)
    # What this account may have; none: what the installation's settings say
    # (webapp.platform.accounts.quotas).
    most_bytes = models.BigIntegerField(null=True)
    most_documents = models.BigIntegerField(null=True)
    most_jobs = models.IntegerField(null=True)
    most_students = models.IntegerField(null=True)

    objects = Users()

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_name"),
            models.UniqueConstraint(
                fields=["local"], condition=models.Q(local=True), name="one_local_owner"
            ),
        ]

    def __str__(self):
        return self.name


def local_owner() -> int:
    """To whom belongs what is made at the machine itself, by a command or while accounts are off;
    views say whose a thing is."""
    return User.objects.local().pk


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


def _deleted(name: str) -> models.Index:
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

    status: models.CharField  # of each kind of job its own, "queued" and "failed" among them
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
        if self.status == "queued" and self.waits_for:
            return self.WaitsFor(self.waits_for).label
        return ""


class Said(models.Model):
    """What somebody did, by the name that they gave."""

    by = models.CharField(max_length=60)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Corpus(Job, Deletable):
    """What a user uploaded: stored files, then documents, and versions of which words count."""

    class Status(models.TextChoices):
        # not read yet: its upload says how far storing its files is, and how they will be read
        DRAFT = "draft"
        QUEUED = "queued"
        READING = "reading"
        READY = "ready"
        FAILED = "failed"

    # others: Membership
    owner = models.ForeignKey(User, models.PROTECT, related_name="corpora", default=local_owner)
    # To whom its owner wants to hand it over
    offered = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
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
    trains = models.JSONField(null=True)
    # The corpus that its documents were chosen from
    parent = models.ForeignKey("self", models.SET_NULL, null=True, related_name="parts")
    # Of such a part: which documents of what (ingest.corpora.create_subset)
    provenance = models.JSONField(default=dict)
    # Whose place it takes when it is ready: the same without erased documents
    # (service.privacy.erasure)
    replaces = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    # Of a draft: where its files will be added
    into = models.ForeignKey("self", models.CASCADE, null=True, related_name="additions")

    class Meta:
        indexes = [
            models.Index(fields=["status", "heartbeat_at"], name="corpus_status"),
            _deleted("corpus_deleted"),
            models.Index(fields=["owner", "-id"], name="corpus_owner"),
            models.Index(fields=["-id"], name="corpus_public", condition=models.Q(public=True)),
        ]

    def __str__(self):
        return self.name

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
        QUEUED = "queued"
        STORING = "storing"
        STORED = "stored"  # each file has a row, and what a page asked is answered
        # of an addition: its files are being given to the corpus that they are added to
        JOINING = "joining"
        FAILED = "failed"

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


class Membership(models.Model):
    """What somebody who does not own a corpus may do with it. What the roles mean:
    webapp.platform.accounts.authorization."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        TRAINER = "trainer"
        EDITOR = "editor"

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "user"], name="one_role")]
        indexes = [models.Index(fields=["user", "-corpus"], name="membership_user")]


class Invitation(models.Model):
    """A role that waits for somebody to have an account with this address; it becomes a Membership
    when the address is verified."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)  # in small letters
    role = models.CharField(max_length=10, choices=Membership.Role)
    by = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "email"], name="one_invitation")]
        indexes = [models.Index(fields=["email"], name="invitation_email")]


class SignOnGroup(models.Model):
    """A group as the provider of single sign-on names it (accounts.sign_on_groups)."""

    name = models.CharField(max_length=255, unique=True)


class GroupMember(models.Model):
    """That the provider said at somebody's last sign-in that they are in a group. What is older
    than settings.GROUP_DAYS gives no role."""

    group = models.ForeignKey(SignOnGroup, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="sign_on_groups")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "group"], name="once_in_a_group"),
        ]


class GroupRole(models.Model):
    """What everybody in a group may do with a corpus."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="group_roles")
    group = models.ForeignKey(SignOnGroup, models.CASCADE, related_name="roles")
    role = models.CharField(max_length=10, choices=Membership.Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "group"], name="one_role_of_a_group"),
        ]


class Link(models.Model):
    """A link with which anybody may read a corpus, until it expires or is revoked. The token in it
    is not stored: it is said once."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="links")
    name = models.CharField(max_length=60, blank=True)  # whom it is for
    # Sha256 of the token, which is too long to be guessed
    digest = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)  # when it was last followed

    class Meta:
        ordering = ["-id"]


class Course(models.Model):
    """A class: students join by its link, without an e-mail address, train on its corpus, and hand
    in notebooks. At its end their accounts are deleted, with all that they made
    (webapp.service.courses)."""

    owner = models.ForeignKey(User, models.PROTECT, related_name="courses")  # the teacher
    # Which all share
    corpus = models.ForeignKey(Corpus, models.SET_NULL, null=True, related_name="courses")
    name = models.CharField(max_length=100)
    # Of the link by which one joins; none: nobody can
    token = models.CharField(max_length=43, null=True, unique=True)
    # Of its newest student: nobody gets the number, and with it the name, of one who was removed
    last_number = models.IntegerField(default=0, db_default=0)
    ends_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    @property
    def texts(self) -> Corpus | None:
        """Its corpus, unless that is deleted."""
        return self.corpus if self.corpus and not self.corpus.deleted_at else None


class Student(models.Model):
    """Whose account a course made. Others see the account's name, “Student 3-7”; the teacher alone
    sees `name`."""

    user = models.OneToOneField(User, models.CASCADE, primary_key=True)
    course = models.ForeignKey(Course, models.PROTECT, related_name="students")
    number = models.IntegerField()  # 1, 2 … of the course
    name = models.CharField(max_length=60)
    # Sha256 of the code with which one comes back
    digest = models.CharField(max_length=64, unique=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True)
    address = models.TextField(default="")  # of the page of a corpus or run that they opened last

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["course", "number"], name="one_student_per_number")
        ]


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
        QUEUED = "queued"
        CHOOSING = "choosing"
        READY = "ready"
        FAILED = "failed"

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
        Link, models.SET_NULL, null=True, related_name="+", db_constraint=False
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


class Run(Job, Deletable):
    """One training of one engine on one corpus."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        STORING = "storing"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

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
    in_use = models.IntegerField(
        null=True
    )  # topics of the snapshot that the model uses; none: all K

    class Meta:
        indexes = [
            models.Index(fields=["corpus", "-id"], name="run_corpus"),
            models.Index(fields=["status", "heartbeat_at"], name="run_status"),
            _deleted("run_deleted"),
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
        QUEUED = "queued"
        TRAINING = "training"
        READY = "ready"
        FAILED = "failed"

    class Texts(models.TextChoices):
        """What it is trained on. Of one that is not trained on the run's own texts the tokens are
        kept, not the topics: webapp.core.runs.trials."""

        OWN = "own"
        DRAWN = "drawn"
        HALF = "half"

    run = models.ForeignKey(Run, models.CASCADE, related_name="replicates")
    seed = models.BigIntegerField()
    texts = models.CharField(max_length=5, choices=Texts, default=Texts.OWN)
    # How many topics it has where that is asked about (runs.how_many); 0: as many as the run
    number = models.IntegerField(default=0, db_default=0)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # inference.topics.Topics, the fields that are arrays, as .npz
    topics = models.BinaryField(null=True)
    tokens = models.BinaryField(null=True)  # runs.trials.Kept or runs.how_many.Short, as .npz
    # What became there of each topic of the run: results.found_again.Elsewhere
    elsewhere = models.JSONField(default=list)

    objects = OfPresentRuns()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(fields=["run", "seed", "number"], name="one_replicate")
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
    # [[text, numbers of its words, tokens, worth], …]: what its family may be called by
    # (inference.explore.family_names.Term); none by older programs
    family_terms = models.JSONField(null=True)


class StoredResult(models.Model):
    """What is computed of a snapshot and kept: what the overview says of its documents, or of a set
    of them (webapp.analysis.findings.compute); which words set two of them apart, and other answers
    to a question (webapp.analysis.answers.rows); the tree of families (webapp.core.results.family_tree)
    and what these are called (webapp.analysis.families.family_names). One row, as a page shows all of it at once.

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
        QUEUED = "queued"
        COMPARING = "comparing"
        READY = "ready"
        FAILED = "failed"

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
        QUEUED = "queued"
        MAKING = "making"
        READY = "ready"
        FAILED = "failed"

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
        QUEUED = "queued"
        READING = "reading"
        READY = "ready"
        FAILED = "failed"

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


class ApiToken(models.Model):
    """What a program shows to use the API, with the rights of its user. The token itself is not
    stored: accounts.tokens says it once."""

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens", default=local_owner)
    name = models.CharField(max_length=60)  # what it is for
    # Sha256 of the token, which is too long to be guessed
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)  # to the minute
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]


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
