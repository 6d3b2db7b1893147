"""A word that the texts have and the vocabulary has not, and why."""

from dataclasses import replace

import numpy as np

from inference.errors import Invalid
from inference.index.query import EXACT, Piece
from inference.text import Stream, VocabularyChoice
from inference.text.joined_words import WordUnits
from inference.text.stream import Block
from webapp.analysis.words import queries
from webapp.analysis.words.shapes import UncountedWord, WordLink
from webapp.core.documents import facets, search
from webapp.core.documents.conditions import Search
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Version
from webapp.platform.storage import files, sealed
from webapp.platform.typed_text import as_counted

WHOLES = 3  # words that are named of those that a word is a part of
# Pieces of texts that are looked at: a tenth of a second. Where the documents with a word have more,
# some of them are looked at
MOST_PIECES = 1 << 22


def find_uncounted(view: RunView, word: str) -> UncountedWord | None:
    """A word that the texts have, but not the vocabulary; None for what is no word, or in no
    text."""
    version = view.run.version
    settings = VocabularySettings.from_dict(version.settings)
    choice = settings.choice()
    text = as_counted(word)
    counts_as_another = text in dict(choice.variants)
    if not text.isalpha() or counts_as_another:
        return None
    having = RunSelection(view.run.corpus, view, [Search(f'"{text}"')])
    try:
        documents = having.count
    except Invalid:  # a corpus without an index
        return None
    if not documents:
        return None
    alone = _count_alone(version, choice, text)
    if alone is None:
        alone = documents
    is_part = not alone
    wholes: list[str] = []
    if text in settings.stop_words():
        reason = "is a stop word"
    elif is_part:
        reason = "is counted as a part of other words"
        wholes = queries.containing(version, text, WHOLES)
    elif documents < settings.min_documents:
        reason = f"is in fewer than {settings.min_documents:,} documents"
    elif alone < settings.min_documents:
        reason = f"is by itself in fewer than {settings.min_documents:,} documents"
    else:
        reason = "is spread evenly, or in too many documents"

    def documents_url(query: str) -> str:
        return view.go("run_documents", asked=query)

    return UncountedWord(
        word=text,
        documents=documents,
        among=version.documents,
        reason=reason,
        lines=documents_url(having.address()),
        years=[replace(bar, url=documents_url(bar.url)) for bar in facets.bars(having)],
        can_count=min(documents, alone) >= settings.min_documents,
        is_part=is_part,
        wholes=[WordLink(whole, view.go("run_word", whole)) for whole in wholes],
    )


def _count_alone(version: Version, choice: VocabularyChoice, text: str) -> int | None:
    """In about how many documents a word stands by itself, and is no part of a word that hyphens,
    apostrophes, variants or phrases make; None where no text has it, as titles may."""
    index = search.open_index(version.corpus)
    forms = index.forms.matching(Piece(text, EXACT))
    lists = [documents for field in index.fields["text"] for documents, _ in field.lists(forms)]
    documents = np.concatenate([np.zeros(0, np.int32), *lists])
    # Others were added later
    documents = documents[: np.searchsorted(documents, version.documents)]
    if not len(documents):
        return None
    folder = files.corpus_folder(version.corpus_id) / "tokens"
    stream = sealed.opened(lambda: Stream.open(folder), folder)
    step = 1 + int(stream.lengths[documents].sum(dtype=np.int64)) // MOST_PIECES
    words, ends = stream.pieces_of(documents[::step])
    units = WordUnits(stream.lexicon, replace(choice, stop_words=frozenset()))
    units.learn([Block(0, words, np.zeros(0, np.int32), ends)])
    numbers, _, _, unit_ends = units.cut(words, ends)
    standing = np.flatnonzero(numbers == forms[0])
    return step * len(np.unique(np.searchsorted(unit_ends, standing, side="right")))
