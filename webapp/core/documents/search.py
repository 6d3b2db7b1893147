"""The index of a corpus: which documents a search finds, and the passages in which it finds
them."""

from pathlib import Path

import numpy as np

from inference.index import Index
from inference.index.hits import Hits
from inference.index.patterns import PatternError, PatternPart, parse, reach
from inference.index.search import no_index
from inference.text import Stream, stop_words
from webapp.core.documents import texts
from webapp.models import Corpus
from webapp.platform.accounts.embargo import Piece
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached

UNDER_EMBARGO = 3  # words of a pattern's hit: with more, counts would tell a text word by word
_OPEN = 16  # corpora whose index a web process keeps mapped


def open_index(corpus: Corpus) -> Index:
    """Raises Invalid, with a sentence for the reader, where the corpus has none."""
    folder = files.corpus_folder(corpus.pk)
    with sealed.hold(folder / "index", folder / "tokens"):
        try:
            states = [
                (folder / name).stat() for name in ("index/meta.json", "tokens/checkpoint.json")
            ]
        except FileNotFoundError:
            raise no_index() from None
        return _open_index(folder, *((state.st_ino, state.st_mtime_ns) for state in states))


@cached(_OPEN)
def _open_index(folder: Path, *made_at: tuple[int, int]) -> Index:
    """made_at: another where the index or the words were written again."""
    return sealed.opened(lambda: _index(folder), folder / "index", folder / "tokens")


def _index(folder: Path) -> Index:
    stream = Stream.open(folder / "tokens")

    # A tokeniser remembers every word it sees: each text has one of its own
    def spans(text: str) -> list[tuple[int, int, str]]:
        return stream.tokeniser().spans(text)

    return Index.open(folder / "index", stream, spans)


def pattern(corpus: Corpus, text: str) -> tuple[PatternPart, ...]:
    """Raises PatternError for what can't be understood, or is longer than an embargo allows."""
    index = open_index(corpus)
    parts = parse(text, index.stream.tokeniser().written)
    if corpus.embargo and reach(parts) > UNDER_EMBARGO:
        raise PatternError(
            0, f"These texts are under embargo: a pattern has at most {UNDER_EMBARGO} words."
        )
    return parts


def matching(corpus: Corpus, text: str, among: np.ndarray) -> np.ndarray:
    """int32, ascending: documents in which a pattern occurs. among: bool[D], those that are looked
    at. Raises Invalid where it takes too long."""
    return Hits(open_index(corpus), pattern(corpus, text), None, np.zeros(0, bool), among).documents


def content_words(index: Index, forms: np.ndarray) -> np.ndarray:
    """bool[n]: which forms are no stop words, numbers or single letters, which are mostly pieces
    ("don" and "t")."""
    stop = stop_words(index.stream.language)
    texts = index.stream.lexicon.words(forms)
    return np.array(
        [len(text) > 1 and text not in stop and not text.isdecimal() for text in texts], bool
    )


def passages(corpus: Corpus, q: str, numbers: list[int]) -> dict[int, texts.Excerpt]:
    """The passage of each document with most of what a search finds in it, its matches marked; none
    of a document without any."""
    index = open_index(corpus)
    hits = {
        number: hit_places for number, hit_places in index.places(q, numbers).items() if hit_places
    }
    cut_texts = texts.around(
        corpus, {number: _densest(hit_places) for number, hit_places in hits.items()}
    )
    return {
        cut_text.number: _mark_matches(index, cut_text, hits[cut_text.number])
        for cut_text in cut_texts
    }


def _densest(positions: list[np.ndarray]) -> int:
    """Where the PASSAGE characters begin that have most different words and phrases of a search,
    and of those most words."""
    starts = np.unique(np.concatenate([word_places[:, 0] for word_places in positions]))
    limits = np.stack([starts, starts + texts.PASSAGE])
    # Of each
    words = np.concatenate(
        [np.diff(np.searchsorted(word_places[:, 0], limits), axis=0) for word_places in positions]
    )
    return int(starts[np.lexsort((-words.sum(axis=0), -(words > 0).sum(axis=0)))[0]])


def _mark_matches(index: Index, cut_text: Piece, positions: list[np.ndarray]) -> texts.Excerpt:
    """The passage with its matches marked."""
    a, b = texts.ends(cut_text)
    matches = np.unique(np.concatenate(positions), axis=0) - cut_text.first
    matches = matches[(matches[:, 0] >= a) & (matches[:, 0] < b)]
    lengths = index.extents([cut_text.text[begin:limit] for begin, limit in matches.tolist()])
    return texts.mark_passage(
        cut_text,
        (a, b),
        matches[:, 0],
        [begin + n for begin, n in zip(matches[:, 0].tolist(), lengths, strict=True)],
    )
