"""The language of searches: words, "phrases", or, -without, AND OR NOT, parentheses, begin*.

    either = both (("or" | "OR") both)*      both = one ("AND"? one)*      one = ("-" | "NOT") one |
    "(" either ")" | phrase | word
"or" is an operator between two operands and a word elsewhere; AND, OR and NOT are operators
wherever they are in capitals.
"""

from collections.abc import Callable
from typing import NamedTuple

import regex

from inference.errors import Invalid

LONGEST_QUERY = 1000  # characters of a query
WORDS = 100  # that a query may have: each is a pass over an array of all documents
DEPTH = 20  # parentheses in parentheses

STEM = "stem"
EXACT = "exact"
BEGIN = "begin"
ANY_CASE = -1
_QUOTES = '"“”„‟«»＂'
_TOKEN = regex.compile(
    rf"(?P<open>(?<minus>[-−–]*)\()|(?P<close>\))|(?P<phrase>(?<minus>[-−–]*)[{_QUOTES}](?P<inside>[^{_QUOTES}]*)(?:[{_QUOTES}]|$))"
    rf"|(?P<chunk>(?<minus>[-−–]*)(?P<rest>[^\s(){_QUOTES}]+))"
)

_ALTERNATIVES = regex.compile(r"\bor\b", regex.I)


class Piece(NamedTuple):
    """A word of a query or a pattern. how: in a query any form of it (STEM), as it is (EXACT), or
    all that begin so (BEGIN); in a pattern EXACT, with wildcards (GLOB), a regular expression
    (EXPRESSION), or any word (ANY), all three of inference.index.patterns. case: how it is written
    (inference.text.case.key), or ANY_CASE. marks: whether accents make a difference."""

    word: str
    how: str
    case: int = ANY_CASE
    marks: bool = True


class PieceSequence(NamedTuple):
    """Pieces that follow each other; one alone is a word."""

    pieces: tuple[Piece, ...]


class AllOf(NamedTuple):
    """Documents that match all parts."""

    parts: tuple["Node", ...]


class AnyOf(NamedTuple):
    """Documents that match one of the parts or more."""

    parts: tuple["Node", ...]


class NotOf(NamedTuple):
    """Documents that do not match the part."""

    part: "Node"


Node = PieceSequence | AllOf | AnyOf | NotOf


def parse(text: str, cut: Callable[[str], list[str]]) -> Node:
    """The tree of a query. cut: a text's words as the stream has them.

    Raises Invalid("q", a sentence) for what can't be understood.
    """
    if len(text) > LONGEST_QUERY:
        raise _invalid(
            f"A search may have at most {LONGEST_QUERY:,} characters; this one is longer."
        )
    query = _Parser(text, cut).whole()
    if query is None:
        raise _invalid(
            f"There is no word to search for in “{text if len(text) <= 50 else text[:50] + ' …'}”."
        )
    return query


def narrowed(text: str, *terms: str) -> str:
    """The query that finds what a query finds, "" for everything, and that has some other terms
    as well."""
    parts = [text, *terms]
    if text and _ALTERNATIVES.search(text):
        # An OR binds less than what follows it; a phrase may be open to the end
        is_open = sum(character in _QUOTES for character in text) % 2
        parts[0] = f"({text}{_QUOTES[0] if is_open else ''})"
    return " ".join(part for part in parts if part)


def sequences(node: Node, wanted: bool = True) -> list[PieceSequence]:
    """What a document is found for: all words and phrases but those that must not be there."""
    if isinstance(node, PieceSequence):
        return [node] if wanted else []
    if isinstance(node, NotOf):
        return sequences(node.part, not wanted)
    return [sequence for part in node.parts for sequence in sequences(part, wanted)]


def has_order(node: Node) -> bool:
    """Whether a search asks for words that follow each other, or that they do not."""
    sequences_of_query = sequences(node) + sequences(node, wanted=False)
    return any(len(sequence.pieces) > 1 for sequence in sequences_of_query)


class _Token(NamedTuple):
    kind: str  # open close phrase chunk
    text: str
    without: bool  # there is a minus before it


class _Parser:
    """By recursive descent; as deep as parentheses are, which are counted."""

    def __init__(self, text: str, cut: Callable[[str], list[str]]):
        self.cut = cut
        self.at = 0
        self.depth = 0
        self.words = 0
        self.tokens = [_token(match) for match in _TOKEN.finditer(text)]

    def whole(self) -> Node | None:
        """Everything: alternatives, and nothing behind them. None where it says nothing."""
        expression = self.either()
        if self.at < len(self.tokens):
            raise _invalid(
                "A “)” has no “(” before it. In quotation marks it is read like any other"
                " character."
            )
        return expression

    def next(self) -> _Token | None:
        """The token that comes now, which stays; None at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def operator(self, *names: str) -> bool:
        """Whether one of these comes now, and nothing but a word."""
        token = self.next()
        return (
            token is not None
            and token.kind == "chunk"
            and not token.without
            and token.text in names
        )

    def ends(self) -> bool:
        """Whether the parenthesis or everything ends here."""
        token = self.next()
        return token is None or token.kind == "close"

    def either(self) -> Node | None:
        """One or several `both`, with OR between them."""
        parts = [self.both()]
        while self.operator("OR") or self._small_or():
            self.at += 1
            self._operand("OR")
            parts.append(self.both())
        return _joined(AnyOf, parts)

    def _small_or(self) -> bool:
        """Whether a lower-case "or" is here with something on either side."""
        token = self.next()
        if (
            token is None
            or token.kind != "chunk"
            or token.without
            or token.text.lower() != "or"
            or token.text == "OR"
            or not self.at
        ):
            return False
        before = self.tokens[self.at - 1]
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        return before.kind != "open" and after is not None and after.kind != "close"

    def both(self) -> Node | None:
        """One or several `one`, with AND or nothing between them."""
        parts: list[Node | None] = []
        while not self.ends() and not self.operator("OR") and not self._small_or():
            if self.operator("AND"):
                if not parts:
                    self._operand("AND", before=True)
                self.at += 1
                self._operand("AND")
            parts.append(self.one())
        if not parts and self.operator("OR"):
            self._operand("OR", before=True)
        return _joined(AllOf, parts)

    def one(self) -> Node | None:
        """A word, a phrase, or what is in parentheses; with NOT or a minus before it what has it
        not."""
        without = False
        while self.operator("NOT"):
            self.at += 1
            self._operand("NOT")
            without = not without
        token = self.tokens[self.at]  # `_operand` and `both` have seen that there is one
        self.at += 1
        without ^= token.without
        expression = self._group() if token.kind == "open" else self._sequence(token)
        return NotOf(expression) if without and expression is not None else expression

    def _operand(self, name: str, before: bool = False) -> None:
        """There must be something here, or before an operator."""
        if before or self.ends() or self.operator("AND", "OR"):
            side = "before" if before else "after"
            raise _invalid(
                f"There is nothing {side} {name}. To search for the word itself, put it in"
                " quotation marks."
            )

    def _group(self) -> Node | None:
        self.depth += 1
        if self.depth > DEPTH:
            raise _invalid(f"Parentheses may be nested {DEPTH} deep.")
        expression = self.either()
        if self.next() is None:
            raise _invalid(
                "A “(” has no “)” after it. In quotation marks it is read like any other character."
            )
        self.at += 1
        self.depth -= 1
        return expression

    def _sequence(self, token: _Token) -> PieceSequence | None:
        """None where there is no word, as in "&"."""
        how = EXACT if token.kind == "phrase" else STEM
        query_words: list[Piece] = []
        for chunk in token.text.split():
            words = self.cut(chunk)
            query_words += [Piece(word, how) for word in words]
            if words and chunk.endswith("*"):
                query_words[-1] = Piece(words[-1], BEGIN)
        self.words += len(query_words)
        if self.words > WORDS:
            raise _invalid(f"A search may have at most {WORDS} words.")
        return PieceSequence(tuple(query_words)) if query_words else None


def _token(match) -> _Token:
    kind = next(kind for kind in ("open", "close", "phrase", "chunk") if match[kind] is not None)
    text = {"phrase": match["inside"], "chunk": match["rest"]}.get(kind) or ""
    return _Token(kind, text, bool(match["minus"]))


def _joined(kind: type, parts: list[Node | None]) -> Node | None:
    present = [part for part in parts if part is not None]
    if len(present) > 1:
        return kind(tuple(present))
    return present[0] if present else None


def _invalid(sentence: str) -> Invalid:
    return Invalid("q", sentence)
