"""Markdown: one document per file, without its marks."""

from collections.abc import Callable, Iterator

import regex
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from webapp.intake.file_formats import html, note_marks, text
from webapp.intake.file_formats.base import Document, Options, Problem, Source
from webapp.intake.file_formats.prose import Prose

# What stands before a text: "title: …"
_FRONT = regex.compile(r"\A---[ \t]*\r?\n(.{0,20000}?)^(?:---|\.\.\.)[ \t]*\r?$", regex.S | regex.M)
_FIELD = regex.compile(r"""^([A-Za-z][\w -]{0,60}):[ \t]*["']?(.*?)["']?[ \t]*\r?$""", regex.M)
# What can begin or end something within a paragraph. The parser compares each with all others: a
# paragraph with more of them is text as it stands.
_DELIMITERS = regex.compile(r"[][*_~`<>!&]")
MOST_DELIMITERS = 1_000
# “[^1]” marks a note; “^1^” is how pandoc raises a mark
_NOTE = regex.compile(r"\[\^[^\]\s]{1,60}\]|\^(?:\d{1,3}|[*†‡])\^")
# The parser would take “[^1]: Ibid.” for the address of a link
_NOTE_BEGINS = regex.compile(r"^ {0,3}\[\^[^\]\s]{1,60}\]:[ \t]*", regex.M)
_TAG = regex.compile(r"<(?P<end>/?)(?P<name>[a-z]+)", regex.I)


def _parse_paragraphs(state: StateCore) -> None:
    """The parser's rule `inline`, with a bound for each paragraph."""
    for token in state.tokens:
        if token.type == "inline":
            if sum(1 for _ in _DELIMITERS.finditer(token.content)) > MOST_DELIMITERS:
                token.children = [
                    Token("text", "", 0, content=line)
                    for line in token.content.splitlines(keepends=True)
                ]
            else:
                token.children = []
                state.md.inline.parse(token.content, state.md, state.env, token.children)


_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
_MARKDOWN.core.ruler.at("inline", _parse_paragraphs)


sniff = text.sniff


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    source = yield from text.characters(path, name, options.encoding, advance)
    about = {}
    if front := _FRONT.match(source):
        about = {key.lower(): value for key, value in _FIELD.findall(front[1]) if value.strip()}
        source = source[front.end() :]
    prose = Prose(name)
    for token in _MARKDOWN.parse(_NOTE_BEGINS.sub("", source)):
        _add(token, prose)
    if not prose.length:  # quotations in quotations without end
        prose.text(source)
    first = prose.document().text[prose.headings[0] :].split("\n", 1)[0] if prose.headings else ""
    yield prose.document(about.pop("title", "") or first, about.pop("date", ""), about)


def _add(token, prose: Prose) -> None:
    match token.type:
        case "heading_open":
            prose.heading()
        case (
            "heading_close"
            | "paragraph_open"
            | "bullet_list_open"
            | "ordered_list_open"
            | "blockquote_open"
            | "table_open"
            | "hr"
        ):
            prose.paragraph()
        case "list_item_open" | "tr_open" | "td_open" | "th_open":
            prose.line()
        case "fence" | "code_block":
            prose.paragraph()
            for row in token.content.splitlines():
                prose.text(row)
                prose.line()
        case "html_block":
            html.add(token.content, prose)
        case "inline":
            _inline(token.children or [], prose)


def _inline(tokens: list, prose: Prose) -> None:
    raised: list[str] | None = None  # what is between <sup> and </sup>
    for token in tokens:
        tag = _TAG.match(token.content) if token.type == "html_inline" else None
        name = tag["name"].lower() if tag else ""
        if raised is not None and token.type == "text" and not name:
            raised.append(token.content)
            continue
        if raised is not None:
            _add_raised("".join(raised), prose)
            raised = None
        if name == "sup" and tag and not tag["end"]:
            raised = []
        elif name in ("br", "p", "div", "li"):
            prose.line()
        else:
            _inline_text(token, prose)
    if raised is not None:
        _add_raised("".join(raised), prose)


def _inline_text(token: Token, prose: Prose) -> None:
    match token.type:
        case "text":
            prose.text(_NOTE.sub("", token.content))
        case "code_inline":
            prose.text(token.content)
        case "softbreak":
            prose.text(" ")
        case "hardbreak":
            prose.line()
        case "image":
            _inline(token.children or [], prose)


def _add_raised(text: str, prose: Prose) -> None:
    if not note_marks.is_mark(text, prose.glued()):
        prose.text(text)
