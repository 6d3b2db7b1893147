"""One document as its pages, their JSON and the API read it: of a corpus, and in a run."""

from dataclasses import dataclass
from functools import cached_property

from webapp.core.documents import queries, texts
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.documents.shapes import Document, Proportion, Similar
from webapp.core.results import evidence
from webapp.core.results.view import RunView


@dataclass(frozen=True, eq=False)
class ShownDocument:
    """All that is shown of one document without a run. Made by `read_document`.

    selection: the set that it was opened from. about: what is known of it, with a part of its text;
    under embargo the text is "" and `about.embargo` says why.
    """

    selection: Selection
    about: Document

    @property
    def number(self) -> int:
        return self.about.number

    @property
    def first_section(self) -> int | None:
        """The number of the first section of the whole document that it is a section of; None for
        one that was not cut."""
        if self.about.parts <= 1:
            return None
        return self.number - self.about.part + 1

    @property
    def words(self) -> list[texts.Word]:
        """The part of its text, in one piece: without a run no word has a topic."""
        text = self.about.text
        return [texts.Word(text, self.about.start)] if text else []


@dataclass(frozen=True, eq=False)
class ShownDocumentOfRun(ShownDocument):
    """A document with its topics in a finished run. Made by `read_document_of_run`. Each part is
    read when it is asked for, so a page that shows less reads less."""

    selection: RunSelection

    @property
    def view(self) -> RunView:
        return self.selection.view

    @property
    def length(self) -> int:
        """Its tokens that count."""
        return int(evidence.of(self.view.run).lengths[self.number])

    @cached_property
    def proportions(self) -> list[Proportion]:
        """Its topics with the tokens and the share that each has of it, largest first, and their
        first words."""
        return queries.proportions(self.view, self.number)

    @cached_property
    def tokens(self) -> texts.Tokens:
        """Its words that count, in the order of its text. Raises Invalid where the corpus kept no
        places of words."""
        return texts.tokens(self.view, self.number)

    @property
    def strip(self) -> texts.Strip:
        """Its topics along its length. Raises Invalid as `tokens` does."""
        return texts.strip(self.tokens, self.about.length)

    @property
    def words(self) -> list[texts.Word]:
        """The part of its text, in words of the vocabulary with their topics and what stands
        between them. Raises Invalid as `tokens` does."""
        return texts.words(self.view.run, self.tokens, self.about.text, self.about.start)

    @property
    def similar(self) -> Similar:
        """The documents whose mixtures, as the model has them, are most like its own."""
        return queries.similar(self.view, self.number)


def read_document(selection: Selection, number: int, at: int = 0) -> ShownDocument | None:
    """A document of a corpus with the part of its text that holds character `at`. None where there
    is no such document."""
    about = queries.document(selection.corpus, number, at)
    return None if about is None else ShownDocument(selection, about)


def read_document_of_run(
    selection: RunSelection, number: int, at: int = 0
) -> ShownDocumentOfRun | None:
    """A document in a run, with the part of its text that holds character `at`; None where there is
    no such document, or it was added after the run."""
    if number >= selection.version.documents:
        return None
    about = queries.document(selection.corpus, number, at)
    return None if about is None else ShownDocumentOfRun(selection, about)
