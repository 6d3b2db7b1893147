"""What an account may be called: labels, answers and notes have its name, and are found by it, also
when the account is gone."""

from django.core.validators import RegexValidator
from django.db.models import Model

from webapp.models import (
    Answer,
    CodeFile,
    Concept,
    Definition,
    Draw,
    Edit,
    Example,
    Notebook,
    Pin,
    Settlement,
)

# It stands on what its owner says, so it can't pretend to be another by what can't be seen
NAME = [
    RegexValidator(
        r"^[^\W_](?:[\w .’'-]*[\w.])?$",
        "A name is made of letters and digits, with spaces, points, apostrophes and hyphens"
        " between.",
    ),
    RegexValidator(
        r"(?i)^student\s+\d+-\d+$",
        "Students of a class are called so. Take another name.",
        inverse_match=True,
    ),
]
# Where a name stands beside what somebody said or did
SIGNED: tuple[tuple[type[Model], str], ...] = (
    (Answer, "reader"),
    (CodeFile, "by"),
    (Concept, "by"),
    (Definition, "by"),
    (Draw, "by"),
    (Edit, "by"),
    (Edit, "undone_by"),
    (Example, "by"),
    (Notebook, "by"),
    (Pin, "by"),
    (Settlement, "by"),
)
IS_SIGNED = (
    "Labels, notes or answers here are signed with this name, by somebody whose account is gone or"
    " who had none. Take another name. If they are yours, ask whoever runs this Topograph to make"
    " your account."
)


def is_signed(name: str) -> bool:
    """Whether the name stands on what somebody said here, in small letters or capitals: who is
    called so would have that person's answers and labels."""
    return any(
        model._default_manager.filter(**{f"{field}__iexact": name}).exists()
        for model, field in SIGNED
    )
