"""Names of files as data: what is kept of the name that an upload, or a member of a pack, says it
has."""

from webapp.intake import file_formats
from webapp.platform.typed_text import MISLEADING

LONGEST_CORPUS_NAME = 200  # characters
END_CHARACTERS = 8000  # characters of a name's end: more than LONGEST_NAME, as some are removed
LONGEST_NAME = 1000  # characters; of longer ones the end is kept, which says the format


def clean(name: str) -> str:
    """A file's name with its folders, "letters/1901/a.txt", as data: never leads upwards, holds no
    control characters, is bounded."""
    end = name[-END_CHARACTERS:].replace("\\", "/")
    parts = [part.strip() for part in MISLEADING.sub("", end).split("/")]
    cleaned = "/".join(part for part in parts if part not in ("", ".", ".."))
    return cleaned[-LONGEST_NAME:].lstrip("/") or "untitled"


def corpus_name(file: str) -> str:
    """What a corpus may be called after one of its files: the folder, else the file itself."""
    folders, _, _ = file.rpartition("/")
    first_folder, _, _ = folders.partition("/")
    name = (first_folder or file_formats.stem(file)).replace("_", " ").strip()
    return name[:LONGEST_CORPUS_NAME] or "Untitled"
