"""The index of a corpus: which documents a search finds, and the passages in which it finds
them."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np

from inference.errors import Invalid
from inference.index import Index
from inference.index.hits import Hits
from inference.index.patterns import PatternError, PatternPart, parse, reach
from inference.index.query import STEM, Piece as QueryPiece
from inference.index.search import no_index
from inference.text import Stream, joined_forms, stop_words, words_of_forms
from webapp.core.documents import texts, wording
from webapp.models import Corpus, Version, Word
from webapp.platform.accounts.embargo import Piece
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached

UNDER_EMBARGO = 3  # words of a pattern's hit: with more, counts would tell a text word by word
MOST_WRITINGS = 24  # of a word that a search is asked for: each is looked up
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


def terms(version: Version, words: Iterable[str]) -> dict[str, str]:
    """What finds each of some words of the vocabulary (inference.index.query): in quotation marks
    where words count as they are written, with the writings that count as it. Of a stem a word that
    has it, as a search for one finds all that have its stem: a stem may have another one itself. Of
    a lemma, and of a stem of joined words, its forms. Under an embargo no search may ask for two
    words in a row: what has several parts, such as "mother-in-law", is found by each of them."""
    corpus = version.corpus
    forms = version.settings.get("forms", "written")
    if forms == "written" and not corpus.embargo:
        writings = _writings(version)
        return {word: _any_of([word, *writings[word]]) for word in words}
    index = _index_if_any(corpus)
    if forms == "stems":
        return _searches_of_stems(version, index, list(words))
    if forms == "lemmas":
        return _searches_of_lemmas(version, index, list(words))
    return {word: _as_written(corpus, index, word) for word in words}


def _searches_of_stems(version: Version, index: Index | None, stems: list[str]) -> dict[str, str]:
    """By each stem: a word of the texts with it. Of one that joined words alone have their forms,
    as they are written: the search cuts them into pieces, whose stems are others. Where these are
    not known, as of a phrase, or of a version that an older program made, the stem."""
    corpus = version.corpus
    searches = {stem: _in_any_order(corpus, index, _with_stem(index, stem)) for stem in stems}
    if index is None:
        return searches
    of_no_word = [stem for stem in stems if not len(index.forms.of_stem(stem))]
    columns = Word.objects.filter(version=version, word__in=of_no_word)
    stem_of_column = dict(columns.values_list("number", "word"))
    folder = files.version_folder(version.pk) / "bow"
    with sealed.hold(folder):
        forms_of_columns = joined_forms(folder, stem_of_column)
    for column, forms in forms_of_columns.items():
        searches[stem_of_column[column]] = _joined_by_or(
            [_as_written(corpus, index, form) for form in forms[:MOST_WRITINGS]]
        )
    return searches


def _searches_of_lemmas(version: Version, index: Index | None, lemmas: list[str]) -> dict[str, str]:
    """By each lemma: its forms, in quotation marks. Of one with very many a word of each stem of
    theirs, which finds all that have it, and words of other lemmas with it. Where they are not
    known, as of a phrase, or of a version that an older program made, the lemma."""
    corpus = version.corpus
    searches = {lemma: _in_any_order(corpus, index, lemma.replace("_", " ")) for lemma in lemmas}
    if index is None:
        return searches
    folder = files.version_folder(version.pk) / "bow"
    with sealed.hold(folder):
        words = words_of_forms(folder)
        if words is None:
            return searches
        columns = Word.objects.filter(version=version, word__in=lemmas)
        forms_of_lemmas = {
            lemma: np.flatnonzero(words == column)
            for lemma, column in columns.values_list("word", "number")
        }
    writings = _writings(version)
    for lemma, forms in forms_of_lemmas.items():
        written = index.stream.lexicon.words(forms)
        if not corpus.embargo:  # another writing may have several words
            written += chain.from_iterable([writings[text] for text in written])
        if not written:
            continue
        if len(written) <= MOST_WRITINGS:
            searches[lemma] = _any_of(written)
        else:
            searches[lemma] = _joined_by_or(searches_by_stems(index, lemma, forms))
    return searches


def searches_by_stems(index: Index, lemma: str, forms: np.ndarray) -> list[str]:
    """Searches that find forms of a lemma, MOST_WRITINGS at most: for those of one stem a word that
    has it, the lemma where it is one. Where there are more stems, those of fewest forms are left
    out: first come the forms of the lemma's own stem, then the other stems by how many they
    have."""
    found_by_search: dict[str, int] = {}
    has_stem = np.isin(forms, index.forms.matching(QueryPiece(lemma, STEM)))
    if has_stem.any():
        found_by_search[lemma] = int(has_stem.sum())
    left = forms[~has_stem]
    while len(left):
        words = index.stream.lexicon.words(left)
        shortest = min(range(len(words)), key=lambda i: len(words[i]))
        word = words[shortest]
        has_stem = np.isin(left, index.forms.matching(QueryPiece(word, STEM)))
        if not has_stem[shortest]:
            # The index has the stems of the stemmer that wrote it, of which this word's may be another
            has_stem = left == left[shortest]
        count = int(has_stem.sum())
        found_by_search[word if count > 1 else f'"{word}"'] = count
        left = left[~has_stem]
    searches = sorted(
        found_by_search, key=lambda text: (text != lemma, -found_by_search[text], text)
    )
    return searches[:MOST_WRITINGS]


def _writings(version: Version) -> dict[str, list[str]]:
    """By word, the other writings that count as it."""
    writings: dict[str, list[str]] = defaultdict(list)
    for written, word in wording.alike(version):
        writings[word].append(written)
    return writings


def _any_of(texts: list[str]) -> str:
    """A search for some texts as they are written, MOST_WRITINGS of them."""
    return _joined_by_or([f'"{text}"' for text in texts[:MOST_WRITINGS]])


def _joined_by_or(searches: list[str]) -> str:
    """A search for what any of some searches finds; at least one."""
    return searches[0] if len(searches) == 1 else f"({' OR '.join(searches)})"


def _as_written(corpus: Corpus, index: Index | None, text: str) -> str:
    """A search for a text as it is written; under an embargo for each of its words."""
    words = _parts(index, text) if corpus.embargo else [text]
    return " ".join(f'"{word}"' for word in words)


def _in_any_order(corpus: Corpus, index: Index | None, text: str) -> str:
    """A search for a text; under an embargo for each of its words."""
    return " ".join(_parts(index, text)) if corpus.embargo else text


def _index_if_any(corpus: Corpus) -> Index | None:
    """None of a corpus without an index: nothing can be searched for there."""
    try:
        return open_index(corpus)
    except Invalid:
        return None


def _with_stem(index: Index | None, stem: str) -> str:
    """A word of the texts with this stem, the shortest; the stem where there is none, as of a
    phrase."""
    if index is None:
        return stem
    having = index.stream.lexicon.words(index.forms.of_stem(stem))
    return min(having, key=len, default=stem.replace("_", " "))


def _parts(index: Index | None, text: str) -> list[str]:
    """A text's words, as a search cuts it."""
    if index is None:
        return [text]
    return [part for _, _, part in index.spans(text)] or [text]


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
