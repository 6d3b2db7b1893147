"""What can be taken away of a run: the one list of forms, and how one is made. Each is streamed:
memory does not grow with it. A large one is made by a worker first
(webapp.service.exports.kept)."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict

from inference.errors import Invalid
from webapp.analysis.findings import families
from webapp.core.documents.selection import Selection
from webapp.core.results import provenance
from webapp.core.results.provenance import file_name
from webapp.core.results.topics import is_topic
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.drawing.numbers import bytes as size_of
from webapp.service.exports import (
    arrays,
    bundle,
    conllu,
    dfr,
    ldavis,
    mallet,
    searched_site,
    site,
    sizes,
    tables,
    tei,
    texts,
)
from webapp.service.exports.formats import FORMATS
from webapp.service.exports.tables import MAX_TOPICS, MAX_WORDS, WORDS, ExportSource, Table

__all__ = [
    "FORMS", "MAX_WORDS", "WORDS", "Form", "ExportSource", "address", "expected", "file_name", "find", "label", "large", "make_file", "made_name", "media", "ready", "refused", "read_source",
]  # fmt: skip

# Bytes, about, up to which a file is sent while it is made: some seconds of a web process
SENT = 32 << 20
# Bytes up to which a worker makes a file with a number for each topic of each document or word
DENSE = 8 << 30


@dataclass(frozen=True)
class Form:
    """A table, in any of FORMATS, or another file, which has an ending and a media type of its own.

    final: needs the counts that are made when training ends. selected: a set of documents restricts
    it. asks: the name of what must be typed first. texts: gives texts away; there is no such file
    under embargo. passages: has passages, or texts that its maker may choose to put into it.
    choices: values of ?by= that it can be asked with, the first by default; without any there is no
    such file. instead: of a dense file, the name of the form that has the same numbers without the
    zeros."""

    name: str
    group: str
    title: str
    sentence: str
    _: KW_ONLY
    table: Callable[[ExportSource], Table] | None = None
    file: Callable[[ExportSource], Iterator[bytes]] | None = None
    ending: str = ""
    media: str = ""
    final: bool = True
    selected: bool = False
    texts: bool = False
    passages: bool = False
    asks: str = ""
    choices: Callable[[Run], list[str]] | None = None
    instead: str = ""

    @property
    def endings(self) -> list[str]:
        return list(FORMATS) if self.table else [self.ending]


TOPICS = "Topics and words"
DOCUMENTS = "Documents"
READERS = "Labels and notes of readers"
PROGRAMS = "For other programs"
WHOLE = "The whole run"
_TEXT = "text/plain; charset=utf-8"
_ZIP = "application/zip"
_NPZ = "application/octet-stream"

FORMS = {
    form.name: form
    for form in (
        Form(
            "topics-long",
            TOPICS,
            "Topics, one row per word",
            "topic, rank, word, weight, how often the word is assigned to the topic, and in how"
            " many documents",
            table=tables.topics_long,
            final=False,
        ),
        Form(
            "topics-wide",
            TOPICS,
            "Topics, one per row",
            f"share, coherence, label and the first {WORDS} words; programs can ask for more, such"
            " as ?words=100",
            table=tables.topics_wide,
            final=False,
        ),
        Form(
            "topic-measures",
            TOPICS,
            "Measures of topics",
            "size, UMass coherence, NPMI, exclusivity and the other measures that say whether a"
            " topic holds together",
            table=tables.diagnostics,
        ),
        Form(
            "families",
            TOPICS,
            "Families of topics",
            "which topics are in which family, with its words, documents and phrases; programs can"
            " ask for another number, such as ?families=9",
            table=tables.families,
            selected=True,
        ),
        Form(
            "words",
            TOPICS,
            "Vocabulary",
            "every word that was kept, how often it occurs and in how many documents",
            table=tables.words,
            final=False,
        ),
        Form(
            "lines",
            TOPICS,
            "Senses of a word, with their lines",
            "every line in which a word occurs, and the topic that it is assigned to there; those"
            " of a pattern on its page",
            table=tables.lines,
            selected=True,
            passages=True,
            asks="word",
        ),
        Form(
            "documents",
            DOCUMENTS,
            "Documents",
            "id, title, date, file, place, metadata and the sha256 of the text; for chosen"
            " documents with the shares that chose them (programs: ?topics=3,7)",
            table=tables.documents,
            selected=True,
        ),
        Form(
            "document-topics",
            DOCUMENTS,
            "Documents and topics, one row per pair",
            "how many words of a document are assigned to each topic, and their share",
            table=tables.document_topics,
            selected=True,
        ),
        Form(
            "section-topics",
            DOCUMENTS,
            "Sections of long documents and topics, one row per pair",
            "the same of each section, and the character at which it begins; a short document is"
            " one section",
            table=tables.section_topics,
            selected=True,
        ),
        Form(
            "document-topics-wide",
            DOCUMENTS,
            "Documents and topics, one row per document",
            "the share of every topic in a column of its own",
            table=tables.document_topics_wide,
            selected=True,
            instead="document-topics",
        ),
        Form(
            "topic-time",
            DOCUMENTS,
            "Topics over time and by category",
            "words and documents of each topic in each period, or with each value of a category",
            table=tables.topic_time,
            selected=True,
            choices=tables.kinds,
        ),
        Form(
            "texts",
            DOCUMENTS,
            "Texts, one file each",
            "every document as plain text, and a table of their titles, dates and fields; the folder"
            " can be uploaded again",
            file=texts.folder,
            ending="zip",
            media=_ZIP,
            selected=True,
            texts=True,
            final=False,
        ),
        Form(
            "texts-conllu",
            DOCUMENTS,
            "Texts with topics, CoNLL-U",
            "one word a line, with the topic of each word that counts; lemma and syntax are not"
            " annotated",
            file=conllu.corpus,
            ending="conllu",
            media=_TEXT,
            selected=True,
            texts=True,
        ),
        Form(
            "texts-tei",
            DOCUMENTS,
            "Texts with topics, TEI",
            "one XML file: titles, dates and fields in headers, each word that counts marked with its"
            " topic",
            file=tei.corpus,
            ending="xml",
            media="application/tei+xml",
            selected=True,
            texts=True,
        ),
        Form(
            "curation",
            READERS,
            "Labels",
            "labels, notes, groups, colours and merges; can be imported again",
            table=tables.curation,
            final=False,
        ),
        Form(
            "curation-history",
            READERS,
            "Their history",
            "every entry, who and when, and what was undone",
            table=tables.curation_history,
            final=False,
        ),
        Form(
            "reading",
            READERS,
            "Answers of the reading tests",
            "who was shown what, what was answered, and what the model says",
            table=tables.reading,
        ),
        Form(
            "mallet-topic-keys",
            PROGRAMS,
            "MALLET: topic keys",
            "as --output-topic-keys writes them",
            file=mallet.topic_keys,
            ending="txt",
            media=_TEXT,
        ),
        Form(
            "mallet-doc-topics",
            PROGRAMS,
            "MALLET: document topics",
            "as --output-doc-topics",
            file=mallet.doc_topics,
            ending="txt",
            media=_TEXT,
            instead="document-topics",
        ),
        Form(
            "mallet-topic-word-weights",
            PROGRAMS,
            "MALLET: topic word weights",
            "as --topic-word-weights-file",
            file=mallet.topic_word_weights,
            ending="txt",
            media=_TEXT,
            instead="topics-long",
        ),
        Form(
            "mallet-state",
            PROGRAMS,
            "MALLET: state",
            "as --output-state: the topic of every word, in the order of the text",
            file=mallet.state,
            ending="gz",
            media="application/gzip",
            texts=True,
        ),
        Form(
            "dfr-browser",
            PROGRAMS,
            "dfr-browser",
            "its data folder, with the topics’ labels",
            file=dfr.archive,
            ending="zip",
            media=_ZIP,
            selected=True,
        ),
        Form(
            "ldavis",
            PROGRAMS,
            "LDAvis and pyLDAvis",
            "the JSON of its viewer, with the topics’ own numbers",
            file=ldavis.viewer,
            ending="json",
            media="application/json",
        ),
        Form(
            "model",
            PROGRAMS,
            "gensim, scikit-learn, numpy: the model, dense",
            "every weight of every topic, the mixture of every document, vocabulary and priors",
            file=arrays.dense,
            ending="npz",
            media=_NPZ,
            instead="model-sparse",
        ),
        Form(
            "model-sparse",
            PROGRAMS,
            "The same, sparse",
            "for large corpora: listed weights and counts alone",
            file=arrays.sparse,
            ending="npz",
            media=_NPZ,
        ),
        Form(
            "site",
            WHOLE,
            "Pages for a folder",
            "topics, words and titles as plain pages that open without a server, a network or"
            " JavaScript; no texts",
            file=site.archive,
            ending="zip",
            media=_ZIP,
        ),
        Form(
            "site-texts",
            WHOLE,
            "Pages for a folder, with passages and a search",
            "the same pages, passages of each topic, and a page that searches titles and texts in the"
            " browser, without a server or a network; long collections in part",
            file=searched_site.archive,
            ending="zip",
            media=_ZIP,
            texts=True,
        ),
        Form(
            "made-by",
            WHOLE,
            "How these files were made",
            "corpus, settings, seed and versions: keep it with CSV and text files, which say it"
            " only in their names",
            file=provenance.made_by_file,
            ending="json",
            media="application/json",
            final=False,
        ),
        Form(
            "bundle",
            WHOLE,
            "Reproduction bundle",
            "settings, seed, versions, stop words, vocabulary, hashes, topics, assignments and the"
            " bag of words; manage.py verify trains it again and compares bit for bit",
            file=bundle.archive,
            ending="zip",
            media=_ZIP,
        ),
    )
}


class File(NamedTuple):
    name: str
    media: str
    pieces: Iterator[bytes]


def find(file: str) -> tuple[Form, str] | None:
    """The form and the ending that "topics-long.csv" asks for."""
    name, _, ending = file.partition(".")
    form = FORMS.get(name)
    return (form, ending) if form and ending in form.endings else None


def ready(run: Run, form: Form) -> bool:
    has_topics = run.snapshot_id is not None and (run.final or not form.final)
    return (
        has_topics
        and not (form.texts and run.corpus.embargo)
        and (form.choices is None or bool(form.choices(run)))
    )


def expected(form: Form, ending: str, source: ExportSource) -> int:
    """About how many bytes a file has; 0 where it never has many."""
    if form.name not in sizes.BYTES:
        return 0
    return int(sizes.BYTES[form.name](source) * (sizes.RATIO[ending] if form.table else 1))


def large(expected: int) -> bool:
    """Whether a worker makes a file before it is sent."""
    return expected > SENT


def refused(form: Form, expected: int) -> str:
    """Why a file is not made, and what to take instead; "" where it is."""
    if not form.instead or expected <= DENSE:
        return ""
    return (
        f"It would have about {size_of(expected)}, nearly all of it zeros. Take “{FORMS[form.instead].title}”"
        " instead: it has the same numbers."
    )


def read_source(run: Run, query: QueryDict) -> ExportSource:
    """Raises Invalid, with a sentence, for an address that can't be understood."""
    return ExportSource(
        run=run,
        selection=Selection.read(query, RunView(run)),
        words=_words_of_topic(query.get("words", "")),
        by=query.get("by", ""),
        families=families.in_address(query),
        word=query.get("word", ""),
        pattern=query.get("pattern", ""),
        topics=_topics(query.getlist("topics"), run),
    )


DIGITS_OF_WORDS = 8  # of a number of words, far beyond any vocabulary


def _words_of_topic(text: str) -> int:
    """Of ?words=20, how many of each topic; 0, which no form takes, for what is no such number."""
    if not text:
        return WORDS
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_OF_WORDS):
        return 0
    return int(text)


def address(form: Form, source: ExportSource) -> str:
    """The query that `source` reads again, of what a form is made by and nothing else."""
    parameters: list[tuple[str, str]] = []
    if form.selected:
        parameters += source.selection.parameters
        parameters.append(("topics", ",".join(map(str, source.topics))))
    if source.words != WORDS:
        parameters.append(("words", str(source.words)))
    if form.choices:
        parameters.append(("by", source.by))
    if form.name == "families":
        parameters.append(("families", str(source.families or "")))
    if form.asks:
        parameters += [("word", source.word), ("pattern", source.pattern)]
    if source.deposit:
        parameters += source.deposit.parameters
    return urlencode([(name, value) for name, value in parameters if value])


def _topics(texts: list[str], run: Run) -> tuple[int, ...]:
    """Of ?topics=3,7."""
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    for name in names:
        if not is_topic(name, run):
            raise Invalid(
                "topics",
                f"“topics” in the address must be numbers below {run.topics}, got “{name[:20]}”.",
            )
    if len(names) > MAX_TOPICS:
        raise Invalid(
            "topics", f"At most {MAX_TOPICS} topics can stand in columns, got {len(names):,}."
        )
    return tuple(dict.fromkeys(map(int, names)))


def label(form: Form, ending: str) -> str:
    """A kind of file as pages call it."""
    return (FORMATS[ending].label if form.table else "") or ending


def made_name(source: ExportSource, form: Form, ending: str) -> str:
    return file_name(
        source.run,
        form.name + ("-selected" if form.selected and source.selection else "") + "." + ending,
    )


def media(form: Form, ending: str) -> str:
    return FORMATS[ending].media if form.table else form.media


def make_file(source: ExportSource, form: Form, ending: str) -> File:
    """A file, to be pulled piece by piece."""
    name = made_name(source, form, ending)
    if form.table is None:
        if form.file is None:
            raise AssertionError(f"“{form.name}” is neither a table nor a file.")
        return File(name, form.media, form.file(source))
    origin = provenance.made_by(source.run) | {
        "table": form.title,
        "documents taken": source.selection.sentence,
    }
    return File(name, media(form, ending), FORMATS[ending].write(form.table(source), origin))
