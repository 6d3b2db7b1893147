"""Names of coders who join by a link: none that reads like another coder's, or like somebody who
decides here."""

import unicodedata

from inference.errors import Invalid
from webapp.models import Concept

# Whoever is called so would be taken for somebody else by those who read the results.
RESERVED = (
    "owner",
    "editor",
    "trainer",
    "reader",
    "viewer",
    "coder",
    "teacher",
    "admin",
    "administrator",
    "operator",
    "moderator",
    "topograph",
    "elsewhere",
    "nobody",
    "anybody",
    "everybody",
)
# Letters of Cyrillic and Greek, and digits and marks, that look like Latin letters (the part of
# Unicode's confusables that names are written with).
CYRILLIC = str.maketrans("авеікмнорстухѕјԁԛԝһ", "abeikmhopctyxsjdqwh")
GREEK = str.maketrans("αβεηικνορτυχω", "abenikvoptuxw")
MARKS = str.maketrans("ıɑɡ01|!$", "iagollls")
LOOK_ALIKES = CYRILLIC | GREEK | MARKS
CAPITALS = str.maketrans("I", "l")  # before letters are made small: it looks like a small L


def check(concept: Concept, name: str) -> None:
    """Raises Invalid for a name that reads like another one."""
    keys = _keys(name)
    if not all(keys):
        raise Invalid("name", f"Give a name with a letter or a digit in it; got “{name}”.")
    if any(keys & _keys(word) for word in RESERVED):
        raise Invalid(
            "name", f"“{name}” reads like a role here, not like a person. Take another name."
        )
    for coder_name in concept.coders.values_list("name", flat=True):
        if coder_name != name and keys & _keys(coder_name):
            raise Invalid(
                "name",
                f"“{name}” looks like “{coder_name}”, who codes here already. If that is you, go on at"
                " your own address, which an editor can tell you; else add something to your name.",
            )


def _keys(name: str) -> set[str]:
    """What a name is read as: by its letters, and by how they look."""
    plain = _letters(name.casefold())
    looks = _letters(name.translate(CAPITALS).casefold())
    shape = looks.translate(LOOK_ALIKES).replace("rn", "m").replace("vv", "w")
    return {plain, shape}


def _letters(name: str) -> str:
    """Letters and digits, without accents, spaces and marks."""
    parts = unicodedata.normalize("NFKD", name)
    return "".join(filter(_is_read, parts))


def _is_read(character: str) -> bool:
    """Whether it is a letter or a digit, or a mark that looks like one."""
    return character.isalnum() or character in "|!$"
