"""What can be taken away of a run: the one list of the kinds of export. Each is streamed: memory
does not grow with it."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace

from webapp.core.documents.selection import Selection
from webapp.core.results import provenance
from webapp.models import Run
from webapp.service.exports import (
    arrays,
    bundle,
    conllu,
    dfr,
    ldavis,
    mallet,
    searched_site,
    site,
    tables,
    tei,
    texts,
)
from webapp.service.exports.table_formats import FORMATS
from webapp.service.exports.tables import WIDE_WORDS, ExportSource, ExportTable

SELECTION = "selection"


@dataclass(frozen=True)
class ExportKind:
    """A table, in any of FORMATS, or another file, which has an ending and a media type of its own.

    final: needs the counts that are made when training ends. options: fields of an ExportSource on
    which it depends, which its address may name; with SELECTION a set of documents restricts it.
    asks: the name of what must be typed first. texts: gives texts away; there is no such file
    under embargo. passages: has passages, or texts that its maker may choose to put into it.
    choices: values of ?by=, which is among its options, the first by default; without any there is
    no such file. instead: of a dense file, the name of the kind that has the same numbers without the
    zeros."""

    name: str
    group: str
    title: str
    sentence: str
    _: KW_ONLY
    table: Callable[[ExportSource], ExportTable] | None = None
    file: Callable[[ExportSource], Iterator[bytes]] | None = None
    ending: str = ""
    media: str = ""
    final: bool = True
    options: frozenset[str] = frozenset()
    texts: bool = False
    passages: bool = False
    asks: str = ""
    choices: Callable[[Run], list[str]] | None = None
    instead: str = ""

    @property
    def selected(self) -> bool:
        """Whether a set of documents restricts it."""
        return SELECTION in self.options

    @property
    def endings(self) -> list[str]:
        """The endings of its files, without the dot."""
        return list(FORMATS) if self.table else [self.ending]

    def is_ready(self, run: Run) -> bool:
        """Whether the run has stored what such a file is made of, and it may be taken away."""
        if run.snapshot_id is None or (self.final and not run.final):
            return False
        if self.texts and run.corpus.embargo:
            return False
        return self.choices is None or bool(self.choices(run))

    def restricted(self, source: ExportSource) -> ExportSource:
        """What its file is made of: all documents, whatever set was asked for, where the kind takes
        none."""
        if self.selected:
            return source
        return replace(source, selection=Selection.all(source.selection.view))

    def label_of(self, ending: str) -> str:
        """How pages call its file with an ending."""
        return (FORMATS[ending].label if self.table else "") or ending

    def media_of(self, ending: str) -> str:
        """The media type of its file with an ending."""
        return FORMATS[ending].media if self.table else self.media


TOPICS = "Topics and words"
DOCUMENTS = "Documents"
READERS = "Labels and notes of readers"
PROGRAMS = "For other programs"
WHOLE = "The whole run"
_TEXT = "text/plain; charset=utf-8"
_ZIP = "application/zip"
_NPZ = "application/octet-stream"
_SET = frozenset({SELECTION})

EXPORT_KINDS = {
    kind.name: kind
    for kind in (
        ExportKind(
            "topics-long",
            TOPICS,
            "Topics, one row per word",
            "topic, rank, word, weight, how often the word is assigned to the topic, and in how"
            " many documents",
            table=tables.topics_long,
            final=False,
        ),
        ExportKind(
            "topics-wide",
            TOPICS,
            "Topics, one per row",
            f"share, coherence, label and the first {WIDE_WORDS} words; programs can ask for"
            " more, such as ?words=100",
            table=tables.topics_wide,
            options=frozenset({"words"}),
            final=False,
        ),
        ExportKind(
            "topic-measures",
            TOPICS,
            "Measures of topics",
            "size, UMass coherence, NPMI, exclusivity and the other measures that say whether a"
            " topic holds together",
            table=tables.diagnostics,
        ),
        ExportKind(
            "families",
            TOPICS,
            "Families of topics",
            "which topics are in which family, with its words, documents and phrases; programs can"
            " ask for another number, such as ?families=9",
            table=tables.families,
            options=_SET | {"families"},
        ),
        ExportKind(
            "words",
            TOPICS,
            "Vocabulary",
            "every word that was kept, how often it occurs and in how many documents",
            table=tables.words,
            final=False,
        ),
        ExportKind(
            "lines",
            TOPICS,
            "Senses of a word, with their lines",
            "every line in which a word occurs, and the topic that it is assigned to there; those"
            " of a pattern on its page",
            table=tables.lines,
            options=_SET | {"topics", "word", "pattern"},
            passages=True,
            asks="word",
        ),
        ExportKind(
            "documents",
            DOCUMENTS,
            "Documents",
            "id, title, date, file, place, metadata and the sha256 of the text; for chosen"
            " documents with the shares that chose them (programs: ?topics=3,7)",
            table=tables.documents,
            options=_SET | {"topics"},
        ),
        ExportKind(
            "documents-with-texts",
            DOCUMENTS,
            "Documents with their texts",
            "the same table, with the whole text of each document in its last column",
            table=texts.documents_with_texts,
            options=_SET | {"topics"},
            texts=True,
        ),
        ExportKind(
            "document-topics",
            DOCUMENTS,
            "Documents and topics, one row per pair",
            "how many words of a document are assigned to each topic, and their share",
            table=tables.document_topics,
            options=_SET,
        ),
        ExportKind(
            "section-topics",
            DOCUMENTS,
            "Sections of long documents and topics, one row per pair",
            "the same of each section, and the character at which it begins; a short document is"
            " one section",
            table=tables.section_topics,
            options=_SET,
        ),
        ExportKind(
            "document-topics-wide",
            DOCUMENTS,
            "Documents and topics, one row per document",
            "the share of every topic in a column of its own",
            table=tables.document_topics_wide,
            options=_SET,
            instead="document-topics",
        ),
        ExportKind(
            "topic-time",
            DOCUMENTS,
            "Topics over time and by category",
            "words and documents of each topic in each period, or with each value of a category",
            table=tables.topic_time,
            options=_SET | {"by"},
            choices=tables.groupings,
        ),
        ExportKind(
            "texts",
            DOCUMENTS,
            "Texts, one file each",
            "every document as plain text, and a table of their titles, dates and fields; the folder"
            " can be uploaded again",
            file=texts.folder,
            ending="zip",
            media=_ZIP,
            options=_SET,
            texts=True,
            final=False,
        ),
        ExportKind(
            "texts-conllu",
            DOCUMENTS,
            "Texts with topics, CoNLL-U",
            "one word a line, with the topic of each word that counts; lemma and syntax are not"
            " annotated",
            file=conllu.corpus,
            ending="conllu",
            media=_TEXT,
            options=_SET,
            texts=True,
        ),
        ExportKind(
            "texts-tei",
            DOCUMENTS,
            "Texts with topics, TEI",
            "one XML file: titles, dates and fields in headers, each word that counts marked with its"
            " topic",
            file=tei.corpus,
            ending="xml",
            media="application/tei+xml",
            options=_SET,
            texts=True,
        ),
        ExportKind(
            "curation",
            READERS,
            "Labels",
            "labels, notes, groups, colours and merges; can be imported again",
            table=tables.curation,
            final=False,
        ),
        ExportKind(
            "curation-history",
            READERS,
            "Their history",
            "every entry, who and when, and what was undone",
            table=tables.curation_history,
            final=False,
        ),
        ExportKind(
            "reading",
            READERS,
            "Answers of the reading tests",
            "who was shown what, what was answered, and what the model says",
            table=tables.reading,
        ),
        ExportKind(
            "mallet-topic-keys",
            PROGRAMS,
            "MALLET: topic keys",
            "as --output-topic-keys writes them",
            file=mallet.topic_keys,
            ending="txt",
            media=_TEXT,
        ),
        ExportKind(
            "mallet-doc-topics",
            PROGRAMS,
            "MALLET: document topics",
            "as --output-doc-topics",
            file=mallet.doc_topics,
            ending="txt",
            media=_TEXT,
            instead="document-topics",
        ),
        ExportKind(
            "mallet-topic-word-weights",
            PROGRAMS,
            "MALLET: topic word weights",
            "as --topic-word-weights-file",
            file=mallet.topic_word_weights,
            ending="txt",
            media=_TEXT,
            instead="topics-long",
        ),
        ExportKind(
            "mallet-state",
            PROGRAMS,
            "MALLET: state",
            "as --output-state: the topic of every word, in the order of the text",
            file=mallet.state,
            ending="gz",
            media="application/gzip",
            texts=True,
        ),
        ExportKind(
            "dfr-browser",
            PROGRAMS,
            "dfr-browser",
            "its data folder, with the topics’ labels",
            file=dfr.archive,
            ending="zip",
            media=_ZIP,
            options=_SET,
        ),
        ExportKind(
            "ldavis",
            PROGRAMS,
            "LDAvis and pyLDAvis",
            "the JSON of its viewer, with the topics’ own numbers",
            file=ldavis.viewer,
            ending="json",
            media="application/json",
        ),
        ExportKind(
            "model",
            PROGRAMS,
            "gensim, scikit-learn, numpy: the model, dense",
            "every weight of every topic, the mixture of every document, vocabulary and priors",
            file=arrays.dense,
            ending="npz",
            media=_NPZ,
            instead="model-sparse",
        ),
        ExportKind(
            "model-sparse",
            PROGRAMS,
            "The same, sparse",
            "for large corpora: listed weights and counts alone",
            file=arrays.sparse,
            ending="npz",
            media=_NPZ,
        ),
        ExportKind(
            "site",
            WHOLE,
            "Pages for a folder",
            "topics, words and titles as plain pages that open without a server, a network or"
            " JavaScript; no texts",
            file=site.archive,
            ending="zip",
            media=_ZIP,
        ),
        ExportKind(
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
        ExportKind(
            "made-by",
            WHOLE,
            "How these files were made",
            "corpus, settings, seed and versions: keep it with CSV and text files, which name their"
            " run only in their file names",
            file=provenance.made_by_file,
            ending="json",
            media="application/json",
            final=False,
        ),
        ExportKind(
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


def find_kind(file: str) -> tuple[ExportKind, str] | None:
    """The kind and the ending that "topics-long.csv" asks for; None where there is none such."""
    name, _, ending = file.partition(".")
    kind = EXPORT_KINDS.get(name)
    return (kind, ending) if kind and ending in kind.endings else None
