"""Who has an account."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower


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
