"""Who else may see a corpus, and courses."""

from django.db import models

from webapp.models.accounts import User
from webapp.models.corpora import Corpus


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
