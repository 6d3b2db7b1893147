"""What was seen in the files of a draft, kept beside them until they are read: to look again may
take long.

Each question has a file in the corpus's `looks/`: a worker's answer is there for the page that
could not wait for it. Another program may answer otherwise, so it looks again.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import orjson

import inference.text
import webapp.intake
from inference.runtime.versions import topograph
from webapp.intake.file_formats import Unreadable
from webapp.models import Corpus
from webapp.platform.storage import files

MOST_KEPT_LOOKS = 200  # answers of a draft: a form has so many ways to be asked, and a program more


def kept_answer(corpus: Corpus, look_key: list, look: Callable[[], object]):
    """The answer to a question, as JSON has it; `look` gives it where nobody has asked yet. Raises
    Unreadable where a worker has given up."""
    try:
        stored = orjson.loads(_place(corpus, look_key).read_bytes())
    except FileNotFoundError:
        fresh = look()
        answer(corpus, look_key, fresh)
        return orjson.loads(orjson.dumps(fresh))
    if "unreadable" in stored:
        raise Unreadable(stored["unreadable"])
    return stored["answer"]


def answer(corpus: Corpus, look_key: list, result: object = None, unreadable: str = "") -> None:
    """From now on that is the answer, or that nothing can be read: a sentence."""
    content = {"unreadable": unreadable} if unreadable else {"answer": result}
    folder = _folder(corpus)
    if folder.exists() and len(os.listdir(folder)) >= MOST_KEPT_LOOKS:
        remove(corpus)
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{secrets.token_hex(6)}.new"
    # Another request cleared the folder: who asks next looks again
    with suppress(FileNotFoundError):
        new.write_bytes(orjson.dumps(content))
        new.rename(_place(corpus, look_key))


def remove(corpus: Corpus) -> None:
    shutil.rmtree(_folder(corpus), ignore_errors=True)


def _folder(corpus: Corpus):
    return files.corpus_folder(corpus.pk) / "looks"


def _place(corpus: Corpus, look_key: list):
    key = orjson.dumps(
        [look_key, corpus.bytes_total, program_digest()], option=orjson.OPT_SORT_KEYS
    )
    return _folder(corpus) / f"{hashlib.sha256(key).hexdigest()[:20]}.json"


@cache
def program_digest() -> str:
    """Names the program that looks: another with each version, and each change of what reads
    files and cuts texts into words."""
    digest = hashlib.sha256(topograph().encode())
    for package in (webapp.intake, inference.text):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
