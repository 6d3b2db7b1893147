"""The file with all that the program holds of a person: JSON for programs and for people, without
anything that is secret, and without the texts of other people."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import QuerySet

from webapp.core.notebooks import queries as notebooks
from webapp.models import (
    Answer,
    Coding,
    Corpus,
    Course,
    Edit,
    Example,
    Invitation,
    Link,
    Notebook,
    Run,
    Settlement,
    SourceFile,
    User,
)
from webapp.platform.accounts import authorization, sign_on_groups
from webapp.platform.pages.page import as_bytes
from webapp.service.exports.zips import Member, zipped

README = """What this Topograph holds of {name}.

account.json      the account, its addresses, how it signs in (no passwords, no keys)
corpora.jsonl     corpora that it owns, their files by name and size, with whom they are shared
runs.jsonl        trainings that it began
notebooks/        its notebooks, those removed too, a file each
labels.jsonl      names, notes and colours that it gave to topics
answers.jsonl     answers in reading tests
codings.jsonl     codes that it gave to texts
examples.jsonl    documents that it chose as examples, and differences of coders that it settled
shared.jsonl      what others share with it, links and invitations that it made, its classes
readings.jsonl    texts of others that it opened, where their owners keep a record of reading
tokens.jsonl      tokens of the API, by name (the tokens themselves are not stored)

A line of a .jsonl file is one JSON object. Uploaded files are not repeated here: they are those that
were uploaded, and each run's page "Files" has what was made of them. Labels, answers and examples are
those of corpora that the account sees now: what it wrote elsewhere is found by its name alone.
The log of requests has the number of the account, and is kept as long as the operator says.
"""
BLOCK = 500  # rows that are fetched at a time


def archive(user: User) -> Iterator[bytes]:
    """The zip, in pieces."""
    seen = authorization.corpora_of(user)
    runs = Run.objects.filter(corpus__in=seen)
    return zipped(
        [
            Member("README.txt", [README.format(name=user.name).encode()]),
            Member("account.json", [_json(_account(user))]),
            Member("corpora.jsonl", _lines(map(_corpus, _rows(_owned_corpora(user))))),
            Member("runs.jsonl", _lines(map(_run, _rows(Run.objects.filter(by=user))))),
            Member("labels.jsonl", _labels(runs, user)),
            Member("answers.jsonl", _answers(runs, user)),
            Member("codings.jsonl", _codings(user)),
            Member("examples.jsonl", _example_lines(seen, user)),
            Member("shared.jsonl", _lines(_shared_corpora(user))),
            Member("readings.jsonl", readings_of_user(user)),
            Member("tokens.jsonl", _tokens(user)),
            *_notebooks(user, seen),
        ]
    )


def _owned_corpora(user: User) -> QuerySet[Corpus]:
    """Deleted ones that can be restored, too."""
    return Corpus.everything.filter(owner=user)


def _rows(found: QuerySet) -> Iterator:
    return found.order_by("pk").iterator(BLOCK)


def _write_value(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return str(value)


def _json(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, indent=1, default=_write_value).encode()


def _lines(rows: Iterable[dict]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, default=_write_value).encode() + b"\n"


def _account(user: User) -> dict:
    addresses = EmailAddress.objects.filter(user=user)
    elsewhere = SocialAccount.objects.filter(user=user)
    second_steps = Authenticator.objects.filter(user=user)
    return {
        "name": user.name,
        "email": user.email,
        "made": user.created_at,
        "last signed in": user.last_login,
        "operator": user.is_staff,
        "addresses": list(addresses.values("email", "verified", "primary")),
        "signs in elsewhere": list(elsewhere.values("provider", "uid", "extra_data")),
        "groups elsewhere": sign_on_groups.of(user),
        "second steps": list(second_steps.values("type", "created_at", "last_used_at")),
    }


def _corpus(corpus: Corpus) -> dict:
    files = SourceFile.objects.filter(corpus=corpus).order_by("pk")
    members = corpus.memberships.order_by("pk")
    return {
        "corpus": corpus.pk,
        "name": corpus.name,
        "deleted": corpus.deleted_at,
        "settings": corpus.settings,
        "public": corpus.public,
        "embargo": corpus.embargo,
        "sites": corpus.embed_sites,
        "files": list(files.values("name", "bytes")),
        "members": list(members.values("user__name", "role")),
        "groups": list(corpus.group_roles.order_by("pk").values("group__name", "role")),
    }


def _run(run: Run) -> dict:
    return {
        "run": run.pk,
        "corpus": run.corpus_id,
        "engine": run.engine,
        "topics": run.topics,
        "seed": run.seed,
        "settings": run.settings,
        "queued": run.created_at,
    }


def _labels(runs: QuerySet[Run], user: User) -> Iterator[bytes]:
    edits = Edit.objects.filter(run__in=runs, by=user.name)
    return _lines(_rows(edits.values("run", "topic", "field", "value", "at", "undone_at")))


def _answers(runs: QuerySet[Run], user: User) -> Iterator[bytes]:
    answers = Answer.objects.filter(run__in=runs, reader=user.name)
    return _lines(_rows(answers.values("run", "topic", "kind", "item", "payload", "at")))


def _codings(user: User) -> Iterator[bytes]:
    codings = Coding.objects.filter(coder__user=user)
    fields = ("coder__concept", "item__document", "code", "unsure", "remark", "at")
    return _lines(_rows(codings.values(*fields)))


def _example_lines(seen: QuerySet[Corpus], user: User) -> Iterator[bytes]:
    examples = Example.objects.filter(concept__corpus__in=seen, by=user.name)
    yield from _lines(_rows(examples.values("concept", "document", "note", "at")))
    settled = Settlement.objects.filter(item__draw__concept__corpus__in=seen, by=user.name)
    yield from _lines(_rows(settled.values("item__draw__concept", "item__document", "code", "at")))


def _shared_corpora(user: User) -> Iterator[dict]:
    yield from _rows(user.memberships.values("corpus", "corpus__name", "role"))
    yield from _rows(Link.objects.filter(by=user).values("corpus", "name", "expires_at"))
    yield from _rows(Invitation.objects.filter(by=user).values("corpus", "email", "role"))
    yield from _rows(Course.objects.filter(owner=user).values("name", "ends_at"))


def _tokens(user: User) -> Iterator[bytes]:
    return _lines(_rows(user.tokens.values("name", "created_at", "used_at", "revoked_at")))


def readings_of_user(user: User) -> Iterator[bytes]:
    """What is on record of a person's reading, a line of JSON for each."""
    fields = ("at", "within", "kind", "document", "begin", "end", "file")
    return _lines(_rows(user.readings.values(*fields)))


def _notebooks(user: User, seen: QuerySet[Corpus]) -> Iterator[Member]:
    """The user's notebooks as their pages show them: an embargo shortens passages here, too."""
    for notebook in _rows(Notebook.objects.filter(owner=user)):
        page = notebooks.content(notebook, seen)
        yield Member(f"notebooks/{notebook.pk}.json", [as_bytes(page)])
