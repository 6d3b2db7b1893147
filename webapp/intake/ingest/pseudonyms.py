"""A draft with pseudonyms in the place of persons, made of another draft before anything is read
(docs/pseudonyms.md).

A worker reads the files of the first draft as its page says, replaces persons (persons.py), and
writes one file of the documents, which is all that the new draft has: it is stored as an upload is
(storing.py), and nothing of what follows can reach the originals. Three passes over the documents:
the columns say who the persons are, the texts how their names are written, the last one writes.
Between them the documents lie in a file that has no name.

Where the owner asked for it in the preview of the first draft (Following), the new one is read by
itself as soon as it is stored (`following_reading`, `read_by_itself`).
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import IO

import orjson
import structlog
from django.db import transaction
from django.db.models.functions import Now
from django.http import QueryDict

from inference.errors import Invalid
from inference.runtime.durable import settle
from webapp.intake import file_formats
from webapp.intake.ingest import corpora, guesses, previews, reading_forms
from webapp.intake.ingest.asked_reading import AskedPseudonyms
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.persons import KINDS, Pseudonyms, Register, Replacer, found_alone
from webapp.intake.ingest.replacement import Following, Replacement
from webapp.intake.ingest.shaping import Shaping, shape, upload_with_table
from webapp.intake.ingest.storing import received_folder
from webapp.intake.metadata.column_names import names_people, words_of_name
from webapp.models import Corpus, Upload
from webapp.platform.accounts import quotas
from webapp.platform.drawing.excerpts import cut_at_word
from webapp.platform.jobs import dispatch, kinds
from webapp.platform.received import not_offered, words_typed
from webapp.platform.storage import files

log = structlog.get_logger(__name__)

FILE = "texts-with-pseudonyms.jsonl"  # of the new draft
ROLES = ("text", "title", "date", "id")  # keys of a document in it, before those of its fields
MOST_DOCUMENTS = 300  # that the page looks at
CHARACTERS = 1_000_000  # or of their texts
MOST_NAME_WORDS = 40  # of names that the page lists
EXAMPLES = 3  # of documents, and of a column's values
BEGINNING = 420  # characters of a document that the page shows
MOST_VALUES = 1_000  # different ones of a column that the page counts
MOST_SPARED = 2_000  # characters of words that are left
# Words of columns' names beside those of speakers and authors
NAMING = frozenset(
    "handle handles mail email phone telephone tel contact screen nick nickname name".split()
)
USUAL = 0.5  # of a column's values are addresses or handles where it is proposed by what it holds


@dataclass(frozen=True)
class Column:
    """A column of a draft. different: values in the documents that were looked at."""

    name: str
    chosen: bool
    different: int
    examples: list[str]


@dataclass(frozen=True)
class Look:
    """What would be replaced in the first documents. kinds: as pages say them, with how often.
    words: of names in texts, the most frequent first. first: titles and beginnings of texts,
    replaced."""

    documents: int
    columns: list[Column]
    kinds: list[tuple[str, int]]
    words: list[tuple[str, int]]
    first: list[dict]


def check(corpus: Corpus) -> None:
    """Raises Invalid for a draft of which no other may be made: the new one is no part of anything,
    so that no embargo would reach it."""
    _refuse_embargo(corpus)
    if corpus.parent_id:
        raise Invalid(
            "columns",
            "These files are those of another corpus, which has the originals. Upload them again to"
            " replace persons.",
        )


def _refuse_embargo(corpus: Corpus) -> None:
    if corpus.embargo:
        raise Invalid("columns", "These texts are under embargo: nobody can have them replaced.")


def reading_of(corpus: Corpus) -> ReadingSettings:
    """How a draft's page has its files read now. Raises Invalid, and what guesses.sniff raises."""
    choices = corpus.upload.choices
    if not choices:
        return previews.propose(corpus).reading
    data = QueryDict(mutable=True)
    for name, values in choices.items():
        data.setlist(name, values)
    shaping = previews.shaping_form(corpus, data)
    known = previews.known_options(data, corpus)
    sniff = guesses.sniff(corpus, shaping["table"].value() or "", **known)
    kind = reading_forms.AddingForm if corpus.is_addition else reading_forms.ReadingForm
    form = kind(previews.complete_columns(data, sniff), corpus=corpus, sniff=sniff)
    if not form.is_valid() or not shaping.is_valid():
        raise Invalid("columns", "First correct on the draft’s page what is marked in red.")
    return replace(form.reading(), shaping=asdict(shaping.shaping()))


def look(
    corpus: Corpus, reading: ReadingSettings, columns: list[str] | None, spared: list[str]
) -> Look:
    """What would be replaced in the first documents of a draft. columns: None for those that we
    propose."""
    characters = 0
    documents = []
    with file_formats.looking.first(CHARACTERS, MOST_DOCUMENTS):
        for document in islice(
            _documents(corpus, reading, lambda count: None, _LeftOut()), MOST_DOCUMENTS
        ):
            documents.append(document)
            characters += len(document["text"])
            if characters >= CHARACTERS:
                break
    values: dict[str, dict[str, None]] = {}
    for document in documents:
        for name, value in document.items():
            if name not in ("text", "date") and value and len(values.get(name, ())) < MOST_VALUES:
                values.setdefault(name, {})[value] = None
    if columns is None:
        chosen_columns = [name for name in values if _names_persons(name, list(values[name]))]
    else:
        keys = _keys_of_columns(columns, reading)
        chosen_columns = [name for name in values if name in keys]
    replacer = _replacer(corpus, documents, chosen_columns, spared)
    new = [_replace_values(replacer, document) for document in documents]
    replaced = replacer.replaced
    return Look(
        documents=len(documents),
        columns=[
            Column(name, name in chosen_columns, len(different), list(different)[:EXAMPLES])
            for name, different in values.items()
        ],
        kinds=[(words, replaced.kinds[kind]) for kind, words in KINDS.items()],
        words=replaced.words.most_common(MOST_NAME_WORDS),
        first=[
            {
                "title": document.get("title", ""),
                "fields": [(name, document[name]) for name in chosen_columns if document.get(name)],
                "text": cut_at_word(document["text"], BEGINNING),
            }
            for document in new[:EXAMPLES]
        ],
    )


def _names_persons(name: str, values: list[str]) -> bool:
    if names_people(name) or words_of_name(name) & NAMING:
        return name not in ROLES
    return sum(map(found_alone, values)) > USUAL * len(values)


def spared_words(text: str) -> list[str]:
    """Words that texts keep, separated by spaces or commas. Raises Invalid."""
    if len(text) > MOST_SPARED:
        raise Invalid(
            "spared", f"Write at most {MOST_SPARED:,} characters here, not {len(text):,}."
        )
    return words_typed(text)


def proposed_columns(sniff: file_formats.Sniff) -> list[str]:
    """Columns of a draft that seem to name persons, by their names and first rows. One that is
    empty in these is judged by its name."""
    proposed = []
    for place, name in enumerate(sniff.columns):
        values = [row[place] for row in sniff.rows if place < len(row) and row[place]]
        if place != sniff.options.text and _names_persons(name, values):
            proposed.append(name)
    return proposed


def fingerprint(columns: list[str]) -> str:
    """A fingerprint of chosen columns, for a hidden field: what was counted is what is replaced."""
    return hashlib.sha256(json.dumps(sorted(set(columns))).encode()).hexdigest()[:16]


def begin(
    corpus: Corpus,
    columns: list[str],
    spared: list[str],
    keep: bool,
    reading: ReadingSettings | None = None,
    following: Following | None = None,
) -> Corpus:
    """The draft that will have pseudonyms; a worker makes it. The first one stays until it is
    there.

    reading: how the first draft is read; by default as its page has it. following: how the new
    draft is read by itself; None: its owner has it read. Raises Invalid.
    """
    check(corpus)
    reading = reading or reading_of(corpus)
    with transaction.atomic():
        files.storing()
        added_to = None
        owner = corpus.owner
        if corpus.added_to_id is not None:
            added_to = corpora.lock_for_draft(corpus.added_to_id)
            _refuse_embargo(added_to)
            owner = added_to.owner
        quotas.check_bytes(owner, corpus.bytes_total)
        new = Corpus.objects.create(
            owner=owner,
            name="Texts with pseudonyms",
            bytes_total=corpus.bytes_total,
            added_to=added_to,
            settings=corpus.settings if corpus.is_addition else {},
        )
        received_folder(new).mkdir(parents=True)
        replacement = Replacement(
            source=corpus.pk,
            columns=columns,
            spared=spared,
            keep=keep,
            reading=reading,
            following=following,
        )
        Upload.objects.create(corpus=new, heartbeat_at=Now(), pseudonyms=replacement.stored)
        dispatch.send(kinds.STORE, new.pk)
    return new


def begin_as_asked(corpus: Corpus, asked: AskedPseudonyms, proposal: previews.Proposal) -> Corpus:
    """Begin for a program or a command, which sees no page: the new draft is then read as was
    proposed for the first one. Asked again, it returns the draft that is being made. Raises
    Invalid, also for a column that the files don't have and for texts that have pseudonyms, and
    looking.Exhausted."""
    check(corpus)
    if has_pseudonyms(corpus):
        raise Invalid("pseudonyms", "Persons in these texts have pseudonyms already.")
    begun = Upload.objects.filter(
        pseudonyms__source=corpus.pk,
        status__in=(Upload.Status.QUEUED, Upload.Status.STORING),
    )
    if upload := begun.select_related("corpus").first():
        return upload.corpus
    there, proposed_names = _columns_of_draft(corpus, proposal)
    for name in asked.pseudonym_column or []:
        if name not in there:
            raise not_offered("pseudonym_column", name, there)
    following = Following(name=corpus.name, unit=proposal.unit, trains=None)
    return begin(
        corpus,
        asked.pseudonym_column or proposed_names,
        [],
        bool(asked.keep_uploaded),
        proposal.reading,
        following,
    )


def _columns_of_draft(corpus: Corpus, proposal: previews.Proposal) -> tuple[list[str], list[str]]:
    """The columns of a draft, and those of them that seem to name persons. What a table has is
    known from its beginning; the fields of other files, such as mails, from their first
    documents."""
    if proposal.sniff.columns:
        return list(proposal.sniff.columns), proposed_columns(proposal.sniff)
    columns = look(corpus, proposal.reading, None, []).columns
    return [column.name for column in columns], [column.name for column in columns if column.chosen]


def write(upload: Upload, advance: Callable[[], object]) -> None:
    """Write the file of a new draft, as if it had been received. It can be repeated. Raises Invalid
    where the first draft is gone."""
    replacement = Replacement.of_upload(upload)
    assert replacement is not None and replacement.reading is not None, (
        f"upload {upload.pk} is written"
    )
    reading = replacement.reading
    source = Corpus.objects.filter(pk=replacement.source).first()
    if source is None:
        raise Invalid("files", "The files that were uploaded are gone. Upload them again.")
    folder = received_folder(upload.corpus)

    left_out = _LeftOut()

    def read(count: int) -> None:
        advance()

    with tempfile.TemporaryFile(dir=files.corpus_folder(upload.corpus.pk)) as kept:
        count = 0
        for document in _documents(source, reading, read, left_out):
            kept.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
        if not count:
            raise Invalid("files", "No document could be read from what was uploaded.")
        keys = _keys_of_columns(replacement.columns, reading)
        replacer = _replacer(source, _DocumentsOfLines(kept, advance), keys, replacement.spared)
        path = folder / "0"
        with path.open("wb") as file:
            for document in _DocumentsOfLines(kept, advance):
                new = _replace_values(replacer, document)
                file.write(orjson.dumps(new, option=orjson.OPT_APPEND_NEWLINE))
        path.chmod(0o600)
    (folder / "list.jsonl").write_text(json.dumps([FILE, "", False]) + "\n", encoding="utf-8")
    settle(folder)
    name = source.name
    following = replacement.following
    if following:
        name = following.name
        following = replace(following, name="", first_reading=reading)
    done = replace(
        replacement,
        replaced=dict(replacer.replaced.kinds),
        values=dict(replacer.replaced.values),
        documents=count,
        left_out=left_out.count,
        reading=None,  # from here on it is written
        following=following,
    )
    with transaction.atomic():
        Upload.objects.filter(pk=upload.pk).update(pseudonyms=done.stored)
        Corpus.objects.filter(pk=upload.pk).update(name=replacer.text(name)[:200])
    upload.refresh_from_db(fields=["pseudonyms"])
    upload.corpus.refresh_from_db()


def is_written(upload: Upload) -> bool:
    """Whether its file is there; so it is of every upload that is not for pseudonyms."""
    replacement = Replacement.of_upload(upload)
    return replacement is None or replacement.is_written


def following_reading(upload: Upload) -> ReadingSettings | None:
    """How a new draft that is stored is read by itself; None where its owner has it read.

    As the first one would have been, but for its file: its columns are those of a document (ROLES),
    and what was taken from names of files, first lines and a table is among them.
    """
    replacement = Replacement.of_upload(upload)
    if replacement is None or replacement.following is None:
        return None
    first = replacement.following.first_reading
    assert first is not None, f"the file of upload {upload.pk} is not written yet"
    options = guesses.sniff(upload.corpus, "").options
    names = list(options.names)
    kinds = {name: kind for name, kind in first.options["kinds"].items() if name in names}
    roles = {role: names.index(role) if role in names else None for role in ROLES}
    of_files = ("names", "pattern", "table", "key", "dated", "name_dates", "made")
    shaping = {name: value for name, value in first.shaping.items() if name not in of_files}
    return replace(
        first,
        options=asdict(options)
        | roles
        | {
            "kinds": options.kinds | kinds,
            "date_order": first.options["date_order"],
            "missing": first.options["missing"],
            "html": False,  # tags and entities are text already
        },
        shaping=asdict(Shaping(**shaping)),
    )


def read_by_itself(upload: Upload, reading: ReadingSettings) -> None:
    """Have a new draft read, in the transaction that says that it is stored. Where that is refused,
    by a quota say, it stays a draft, which its owner has read."""
    done = Replacement.of_upload(upload)
    assert done is not None and done.following is not None
    following = done.following
    Upload.objects.filter(pk=upload.pk).update(pseudonyms=replace(done, following=None).stored)
    corpus = Corpus.objects.get(pk=upload.pk)
    corpus.unit = following.unit
    try:
        with transaction.atomic():
            if corpus.is_addition:
                corpora.add_files(corpus, reading)
            else:
                corpora.read(corpus, reading, following.trains)
    except Invalid as error:
        log.info(
            "a draft with pseudonyms was not read by itself", corpus=corpus.pk, reason=error.field
        )


@dataclass
class _LeftOut:
    """Files, rows and documents that could not be read."""

    count: int = 0


class _DocumentsOfLines:
    """The documents of a file of lines, as often as they are asked for."""

    def __init__(self, lines: IO[bytes], advance: Callable[[], object]):
        self.lines = lines
        self.advance = advance

    def __iter__(self) -> Iterator[dict[str, str]]:
        self.lines.seek(0)
        for line in self.lines:
            self.advance()
            yield orjson.loads(line)


def _keys_of_columns(columns: list[str], reading: ReadingSettings) -> list[str]:
    """Under which keys documents have chosen columns (_texts_of), and perhaps a few more: a column
    that is read as a title, a date or an id is under its role, and one that is called like a role
    has a line behind its name."""
    options = file_formats.Options(**reading.options)
    of_roles = [role for role in ROLES if role != "text" and options.column(role) in columns]
    called_like_roles = [f"{name}_" for name in columns if name in ROLES]
    return list(dict.fromkeys([*columns, *of_roles, *called_like_roles]))


def _replacer(
    corpus: Corpus, documents: Iterable[dict[str, str]], columns: list[str], spared: list[str]
) -> Replacer:
    """What replaces the persons of documents, which are gone through twice."""
    register = Register(Pseudonyms(corpus.owner_id), spared)
    for document in documents:
        for name in columns:
            if document.get(name):
                register.add(document[name])
    for document in documents:
        register.count(document["text"])
    return Replacer(register, columns)


def _replace_values(replacer: Replacer, document: dict[str, str]) -> dict[str, str]:
    return {name: _replaced_value(replacer, name, value) for name, value in document.items()}


def _replaced_value(replacer: Replacer, name: str, value: str) -> str:
    if name == "text":
        return replacer.text(value)
    if name == "date" and file_formats.parse_date(value, None):
        return value
    return replacer.value(name, value)


def _documents(
    corpus: Corpus,
    reading: ReadingSettings,
    advance: Callable[[int], None],
    left_out: "_LeftOut",
) -> Iterator[dict[str, str]]:
    """The documents of a draft's files, each as its texts by ROLES and by the names of its fields.
    Of what is done to documents before they are rows the fields and dates come from names, first
    lines and a table are taken here, as only the first draft's files have them. What can't be read
    is counted in left_out."""
    shaping = Shaping(**reading.shaping)
    fields_of_files = Shaping(
        names=shaping.names,
        pattern=shaping.pattern,
        table=shaping.table,
        key=shaping.key,
        dated=shaping.dated,
        name_dates=shaping.name_dates,
        made=shaping.made,
    )
    options = file_formats.Options(**reading.options)
    named = [(stored_path(file), file.name) for file in corpus.files.all()]
    companions = file_formats.Companions.among(named)

    def items() -> Iterator[file_formats.Document | file_formats.Problem]:
        for path, name in named:
            if name == shaping.table:
                continue
            try:
                yield from file_formats.read(path, name, options, advance, companions)
            except file_formats.Unreadable:
                left_out.count += 1

    folder = files.corpus_folder(corpus.pk)
    table = upload_with_table(named, shaping.table)
    for item in shape(items(), fields_of_files, folder, table, advance, options.date_order):
        if isinstance(item, file_formats.Document):
            yield _texts_of(item)
        elif item.dropped:
            left_out.count += item.count


def _texts_of(document: file_formats.Document) -> dict[str, str]:
    texts = {
        "text": document.text,
        "title": document.title,
        "date": document.date,
        "id": document.source_id,
    }
    texts = {name: text for name, text in texts.items() if text or name == "text"}
    for name, value in document.metadata.items():
        key = name
        while key in ROLES or key in texts:
            key += "_"
        texts[key] = value
    return texts


def has_pseudonyms(corpus: Corpus) -> bool:
    """Whether persons in a corpus, or a draft, have pseudonyms."""
    return _replaced_upload(corpus) is not None


def _replaced_upload(corpus: Corpus) -> Upload | None:
    return Upload.everything.filter(corpus=corpus, pseudonyms__documents__gt=0).first()


def sentence(corpus: Corpus) -> str:
    """What was replaced in a corpus, or a draft; "" where nothing was."""
    upload = _replaced_upload(corpus)
    if upload is None or upload.pseudonyms is None:
        return ""
    done = Replacement.from_dict(upload.pseudonyms)
    parts = [f"{count:,} values of “{name}”" for name, count in done.values.items()]
    parts += [
        f"{done.replaced[kind]:,} {words}"
        for kind, words in KINDS.items()
        if done.replaced.get(kind)
    ]
    what = ", ".join(parts) or "nothing was found"
    kept = " What was uploaded was kept as a draft." if done.keep else ""
    lost = ""
    if done.left_out:
        lost = f" Not readable, and left out: {done.left_out:,} of the files and rows."
    return f"Persons have pseudonyms. Replaced in {done.documents:,} documents: {what}.{lost}{kept}"


def finished() -> list[Corpus]:
    """First drafts that are not needed any more: the new one is there, and nobody wished to keep
    them."""
    sources = Upload.objects.filter(
        status=Upload.Status.STORED, pseudonyms__keep=False, pseudonyms__documents__gt=0
    ).values_list("pseudonyms__source", flat=True)
    return list(Corpus.objects.filter(pk__in=list(sources), status__in=corpora.UNREAD))
