"""Texts as TEI P5 (https://tei-c.org/guidelines/p5/): a teiCorpus with one TEI element a document.
Its header has the topics as a taxonomy; each counted word or phrase names its topic by @ana."""

from collections.abc import Iterator
from html import escape

import regex

from webapp.core.documents.texts import Word
from webapp.core.results import provenance
from webapp.platform.drawing.numbers import topic_label
from webapp.service.exports.tables import ExportSource
from webapp.service.exports.texts import Document, documents_in_words

# What XML 1.0 has no place for, not even as a reference (section 2.2)
_NOT_IN_XML = regex.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\ufffd"
_PARAGRAPH = regex.compile(r"\n[^\S\n]*\n\s*")


def corpus(request: ExportSource) -> Iterator[bytes]:
    """The whole file, a document at a time."""
    yield _corpus_header(request).encode("utf-8", "replace")
    for document, words in documents_in_words(request):
        yield _write_document(document, words).encode("utf-8", "replace")
    yield b"</teiCorpus>\n"


def _corpus_header(request: ExportSource) -> str:
    run = request.run
    labels = request.selection.view.labels
    categories = []
    for k in range(run.topics):
        categories.append(
            f"<category xml:id={_attribute(topic_label(k))}>"
            f"<catDesc>{escape_text(labels.title(k))}</catDesc></category>"
        )
    made_by = provenance.made_by(run)
    facts = []
    for name in ("made by", "made at", "run", "engine", "topics", "seed", "corpus digest"):
        facts.append(f"<p>{escape_text(name)}: {escape_text(str(made_by[name]))}</p>")
    title = escape_text(run.corpus.name)
    source = escape_text(request.selection.sentence)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">\n'
        "<teiHeader><fileDesc>"
        f"<titleStmt><title>{title}</title></titleStmt>"
        "<publicationStmt><p>Taken from Topograph.</p></publicationStmt>"
        f"<sourceDesc><p>{source}</p></sourceDesc></fileDesc>\n"
        f"<encodingDesc><projectDesc>{''.join(facts)}</projectDesc>\n"
        '<classDecl><taxonomy xml:id="topics">\n'
        + "\n".join(categories)
        + "\n</taxonomy></classDecl></encodingDesc></teiHeader>\n"
    )


def _write_document(document: Document, words: list[Word]) -> str:
    return (
        f'<TEI xml:id="d{document.number}">\n{_header(document)}\n'
        f"<text><body><p>{_body(words)}</p></body></text>\n</TEI>\n"
    )


def _header(document: Document) -> str:
    title = document.title or document.name
    facts = []
    if document.id:
        facts.append(f"<idno>{escape_text(document.id)}</idno>")
    if document.date:
        facts.append(f"<date>{escape_text(document.date)}</date>")
    for name, value in document.fields.items():
        if value:
            facts.append(f"<note type={_attribute(name)}>{escape_text(value)}</note>")
    return (
        "<teiHeader><fileDesc>"
        f"<titleStmt><title>{escape_text(title)}</title></titleStmt>"
        "<publicationStmt><p/></publicationStmt>"
        f"<sourceDesc><bibl><title>{escape_text(title)}</title>{''.join(facts)}</bibl></sourceDesc>"
        "</fileDesc></teiHeader>"
    )


def _body(words: list[Word]) -> str:
    """Paragraphs, cut at empty lines, which are never within a word."""
    markup = []
    before = " "
    for word in words:
        if word.topic is None:
            markup.append(_PARAGRAPH.sub("</p>\n<p>", escape_text(word.text)))
        else:
            markup.append(_mark_word(word, is_attached=not before.isspace()))
        before = word.text[-1]
    return "".join(markup)


def _mark_word(word: Word, is_attached: bool) -> str:
    """A word, or a phrase, with its topic. is_attached: whether no space stands before it; programs
    that read `w` put one there unless `join` says so."""
    topic = topic_label(word.topic)
    if any(map(str.isspace, word.text)):
        return f'<phr ana="#{topic}">{escape_text(word.text)}</phr>'
    join = ' join="left"' if is_attached else ""
    return f'<w ana="#{topic}"{join}>{escape_text(word.text)}</w>'


def escape_text(text: str) -> str:
    """A text as it stands between tags; REPLACEMENT stands for what XML can't have."""
    return escape(_NOT_IN_XML.sub(REPLACEMENT, text), quote=False)


def _attribute(text: str) -> str:
    return f'"{escape(_NOT_IN_XML.sub(REPLACEMENT, text))}"'
