"""Neighbouring words in a topic's own documents, and how the texts write them: names are made from
these.

Computed once at the end of a run. The work is bounded: at most DOCUMENTS documents of a topic are
looked at for its name, MORE for its phrases, and about TOKENS tokens of all topics together; the
texts of DOCUMENTS_READ documents of a topic are read, READ_CHARACTERS characters of each, and of
short ones more until they have as many together.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import regex

from inference.evidence import Evidence
from inference.runtime.jit import njit
from inference.text.spelling import WORD, fold_apostrophes

# of a topic: those with most of its tokens
DOCUMENTS = 64
MORE = 256
TOKENS = 40_000_000  # of all topics' documents together
DOCUMENTS_READ = 16  # documents of a topic whose texts are read
READ_CHARACTERS = 60_000  # of each of these
GAP_CHARACTERS = 9  # characters between the two words of a phrase, at most: " of the " has 8
LEAST_DOCUMENTS = 3  # documents in which a phrase occurs, of those looked at
PHRASES = 16  # of a topic that are kept: those with most tokens
NAMING = 40  # of a topic that its name may be made of
# Of a pair's tokens that stand in one longer phrase: then this is the phrase
LONGER_PHRASE_PART = 0.6
# Of the two words in a text
_BETWEEN_NEIGHBOURS = regex.compile(r"(?:[ \n\u00a0-]|[ \n]\p{Ll}{2,4}[ \n](?:\p{Ll}{2,3}[ \n])?)?")
_PIECE = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# Between the words of a phrase that counts as one
_GAP = regex.compile(rf"[^\p{{L}}\p{{M}}\p{{N}}]{{1,{GAP_CHARACTERS}}}")


class TopicPhrase(NamedTuple):
    """Two or three words of the vocabulary that are neighbours in a topic's documents.

    words: their numbers. gaps: characters between each two. tokens: how often, two of its words
    assigned to the topic; documents: in how many of those looked at.
    """

    words: tuple[int, ...]
    gaps: tuple[int, ...]
    tokens: int
    documents: int


class TopicSample(NamedTuple):
    """What was looked at of one topic. documents: int64, most of its tokens first. tokens: of the
    topic in them, size: in all documents. phrases: PHRASES of MORE documents, the most frequent
    first. naming: of the same and of the first DOCUMENTS those that a name may be made of."""

    documents: np.ndarray
    tokens: int
    phrases: list[TopicPhrase]
    naming: list[TopicPhrase]
    size: int

    @property
    def every(self) -> list[TopicPhrase]:
        """All phrases, each once."""
        return list({phrase.words: phrase for phrase in (*self.naming, *self.phrases)}.values())


def samples(evidence: Evidence, lengths: np.ndarray) -> Iterable[TopicSample]:
    """A TopicSample of each topic, in their order. lengths: int32[V], letters of each word of the
    vocabulary."""
    bow = evidence.document_bow
    K = evidence.K
    largest = _largest(
        evidence.mixtures.doc_ptr,
        evidence.mixtures.doc_topics,
        evidence.mixtures.doc_tokens,
        K,
        MORE,
    )
    size = np.bincount(
        evidence.mixtures.doc_topics, weights=evidence.mixtures.doc_tokens, minlength=K
    )
    words = np.asarray(bow.words)
    counts = np.asarray(bow.counts)
    topics = np.asarray(evidence.token_topics.topics)
    offsets = np.zeros(0, np.int32) if bow.offsets is None else np.asarray(bow.offsets)
    for k in range(K):
        documents = largest[k][largest[k] >= 0]
        seen = np.cumsum(evidence.lengths[documents])
        documents = documents[: max(1, int(np.searchsorted(seen, TOKENS // K, side="right")))]
        rows = []
        tokens = []
        for d in documents.tolist() if bow.offsets is not None else ():
            pairs = slice(*bow.indptr[d : d + 2].tolist())
            token_slice = slice(*bow.first_token[d : d + 2].tolist())
            of_topic = topics[pairs] == k
            rows.append(
                neighbouring_words(
                    words[pairs], counts[pairs], of_topic, offsets[token_slice], lengths
                )
            )
            tokens.append(int(counts[pairs][of_topic].sum()))
        of_first = _phrases(rows[:DOCUMENTS], min(len(rows), DOCUMENTS), NAMING)
        of_all = _phrases(rows, len(rows), NAMING)
        naming = {phrase.words: phrase for phrase in (*of_all, *of_first)}
        yield TopicSample(
            documents[:DOCUMENTS],
            sum(tokens[:DOCUMENTS]),
            _phrases(rows, len(rows), PHRASES),
            list(naming.values()),
            int(size[k]),
        )


@njit(cache=True, nogil=True)
def neighbouring_words(words, counts, own_words, offsets, lengths):
    """int64[n, 7] of a topic's words in a document that follow each other: first, second, gap; the
    word before them and its gap; the word behind them and its gap (-1 where none is close by). Of
    the document's pairs: words, counts, own_words: whether the topic has them; offsets: of its
    tokens, in the order of the pairs."""
    of_token = np.repeat(np.arange(len(words)), counts)
    order = np.argsort(offsets, kind="mergesort")
    n = 0
    T = len(order)
    table = np.empty((max(T - 1, 0), 7), np.int64)
    gaps = np.full(T + 1, -1, np.int64)  # before each token
    for i in range(1, T):
        gaps[i] = offsets[order[i]] - offsets[order[i - 1]] - lengths[words[of_token[order[i - 1]]]]
    for i in range(1, T):
        a = of_token[order[i - 1]]
        b = of_token[order[i]]
        if (
            not (own_words[a] and own_words[b] and 0 <= gaps[i] <= GAP_CHARACTERS)
            or words[a] == words[b]
        ):
            continue
        table[n, 0] = words[a]
        table[n, 1] = words[b]
        table[n, 2] = gaps[i]
        table[n, 3:] = -1
        if 0 <= gaps[i - 1] <= 1:
            table[n, 3] = words[of_token[order[i - 2]]]
            table[n, 4] = gaps[i - 1]
        if 0 <= gaps[i + 1] <= 1:
            table[n, 5] = words[of_token[order[i + 1]]]
            table[n, 6] = gaps[i + 1]
        n += 1
    return table[:n].copy()


def _phrases(rows: list[np.ndarray], looked_at: int, limit: int) -> list[TopicPhrase]:
    """The `limit` most frequent phrases of some documents: pairs, and of a pair that is nearly
    always in a longer phrase that one."""
    if not sum(map(len, rows)):
        return []
    document = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    table = np.concatenate(rows)
    distinct, phrase_of_row, tokens = _distinct(table[:, :3])
    documents = np.bincount(
        np.unique(phrase_of_row * len(rows) + document) // len(rows), minlength=len(distinct)
    )
    order = np.lexsort((distinct[:, 1], distinct[:, 0], -tokens))
    phrases: dict[tuple[int, ...], TopicPhrase] = {}
    for i in order[documents[order] >= min(LEAST_DOCUMENTS, looked_at)][:limit].tolist():
        phrase = _longer(
            distinct[i].tolist(), table[phrase_of_row == i], int(tokens[i]), int(documents[i])
        )
        phrases.setdefault(phrase.words, phrase)
    return list(phrases.values())


def _distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct rows of a table, which of them each row is, and how often each occurs, as
    numpy.unique has them; by one number for each row, many times faster. table: int64[n, columns],
    n > 0."""
    least = table.min(axis=0)
    numbers = np.ravel_multi_index(tuple((table - least).T), tuple(table.max(axis=0) - least + 1))
    _, first, inverse, times = np.unique(
        numbers, return_index=True, return_inverse=True, return_counts=True
    )
    return table[first], inverse, times


def _longer(pair: list[int], rows: np.ndarray, tokens: int, documents: int) -> TopicPhrase:
    """The pair as a phrase, with the word before or behind it that nearly always occurs there."""
    first, second, gap = pair
    for column in (3, 5):
        around, _, times = _distinct(rows[:, column : column + 2])
        word, near = around[np.argmax(times)].tolist()
        if word >= 0 and times.max() >= LONGER_PHRASE_PART * tokens:
            words = (word, first, second) if column == 3 else (first, second, word)
            return TopicPhrase(
                words, (near, gap) if column == 3 else (gap, near), int(times.max()), documents
            )
    return TopicPhrase((first, second), (gap,), tokens, documents)


@lru_cache(1 << 16)  # few characters, the same ones again and again
def _begins_sentence(before: str) -> bool:
    """Whether a word with these characters before it is the first of a sentence, or of a
    paragraph."""
    trimmed = before.rstrip()
    ends = not trimmed or before[len(trimmed) :].count("\n") > 1
    return ends or not (trimmed[-1] in ",;)-" or unicodedata.category(trimmed[-1])[0] in "LMN")


def _heading(form: str) -> bool:
    """Whether it is written as headings are, and acronyms seldom: long, and in capitals."""
    # letters: shorter ones are taken for acronyms
    return form.isupper() and max(map(len, form.split())) > 5


class Written:
    """How texts write words and phrases: forms are counted, those at the beginning of a sentence
    only where there is no other."""

    def __init__(self):
        self._forms: defaultdict[tuple[int, ...], Counter[str]] = defaultdict(Counter)
        self._initial: defaultdict[tuple[int, ...], Counter[str]] = defaultdict(Counter)

    def add(self, key: tuple[int, ...], text: str, start: int, end: int) -> None:
        """Count one way to write a word or phrase, text[start:end]. key: numbers of its words."""
        form = text[start:end]
        if not form.isalnum():
            form = " ".join(form.split())
        if _begins_sentence(text[max(0, start - 4) : start]):
            self._initial[key][form] += 1
        else:
            self._forms[key][form] += 1

    def form(self, key: tuple[int, ...]) -> str:
        """The most frequent form; "" where none was seen. Long words in capitals are headings: they
        count where there is no other form, and seen fewer than LEAST_DOCUMENTS times, in small
        letters."""
        forms = self._forms.get(key) or self._initial.get(key)
        if not forms:
            return ""
        if all(map(_heading, forms)):
            forms = self._initial.get(key, forms)
        forms = Counter({form: n for form, n in forms.items() if not _heading(form)}) or forms
        form = min(forms, key=lambda form: (-forms[form], form))
        if _heading(form) and forms.total() < LEAST_DOCUMENTS:
            return form.lower()
        first, _, later_words = form.partition(" ")
        if key not in self._forms and later_words.islower():  # the capital is the sentence's
            return f"{first.lower()} {later_words}"
        return form


def read(sample: TopicSample, texts: Callable[[list[int], int], dict[int, str]]) -> dict[int, str]:
    """The beginnings of the texts of a topic's first documents: of DOCUMENTS_READ; where these are
    short, of all of the sample until READ_CHARACTERS are read.

    texts: (documents, characters) -> the beginnings of their texts, at most so long.
    """
    documents = sample.documents.tolist()
    texts_of_documents = texts(documents[:DOCUMENTS_READ], READ_CHARACTERS)
    if (
        sum(map(len, texts_of_documents.values())) < READ_CHARACTERS
        and len(documents) > DOCUMENTS_READ
    ):
        unread = len(documents) - DOCUMENTS_READ
        texts_of_documents |= texts(documents[DOCUMENTS_READ:], READ_CHARACTERS // unread)
    return texts_of_documents


def written(
    evidence: Evidence,
    sample: TopicSample,
    words: Iterable[int],
    spelling: Callable[[int], str],
    texts: Mapping[int, str],
) -> Written:
    """How documents of a topic's sample write some words, and its phrases, by the words' numbers.

    texts: the beginnings of documents' texts, of `read`. A phrase is counted where nothing but one
    or two short words stands between its own.
    """
    written = Written()
    phrases = sample.every
    numbers = {int(w) for w in words}
    for phrase in phrases:
        numbers.update(phrase.words)
    in_order = np.array(sorted(numbers), np.int32)
    spelled = {w: fold_apostrophes(spelling(w)) for w in numbers}
    # By its first word each phrase with its second one, and how far behind the first that begins
    by_first: dict[int, list[tuple[TopicPhrase, int, int]]] = {}
    for phrase in phrases:
        first, second, *_ = phrase.words
        distance = len(spelled[first]) + phrase.gaps[0]
        by_first.setdefault(first, []).append((phrase, second, distance))
    for d, text in texts.items():
        compared_text = fold_apostrophes(text)
        ends: dict[tuple[int, int], int] = {}
        tokens, starts = evidence.token_places.of_words(d, in_order)
        for w, start in zip(tokens.tolist(), starts.tolist(), strict=True):
            if compared_text.startswith(spelled[w], start):  # as nearly all are
                end = start + len(spelled[w])
            else:
                end = end_of_word(compared_text, start, spelled[w])
            if end:
                ends[w, start] = end
                written.add((w,), text, start, end)
        for first, start in ends:
            for phrase, second, distance in by_first.get(first, ()):
                if (second, start + distance) not in ends:
                    continue
                end = _phrase_end(phrase, start, ends, text, spelled)
                if end:
                    written.add(phrase.words, text, start, end)
    return written


def _phrase_end(
    phrase: TopicPhrase,
    start: int,
    ends: dict[tuple[int, int], int],
    text: str,
    spelled: Mapping[int, str],
) -> int:
    """Where the phrase ends that begins there; 0 where it doesn't stand there."""
    end = ends[phrase.words[0], start]
    for word, following, gap in zip(phrase.words, phrase.words[1:], phrase.gaps, strict=False):
        start += len(spelled[word]) + gap
        if (following, start) not in ends or not _BETWEEN_NEIGHBOURS.fullmatch(text, end, start):
            return 0
        end = ends[following, start]
    return end


def end_of_word(text: str, start: int, spelling: str) -> int:
    """Where the word ends that begins there; 0 where none does. text, spelling: with the
    apostrophes that `fold_apostrophes` gives them."""
    if text[start : start + len(spelling)].casefold() == spelling.casefold():
        return start + len(spelling)
    if "_" in spelling:
        return _end_of_words(text, start, spelling.split("_"))
    # Another form of the word, where words count as lemmas
    pattern = WORD if "'" in spelling else _PIECE
    match = pattern.match(text, start)
    return match.end() if match else 0


def _end_of_words(text: str, start: int, words: Sequence[str]) -> int:
    """Where a phrase ends that counts as one word and begins there, such as “new_york”, which texts
    write with a space; 0 where none does."""
    end = end_of_word(text, start, words[0])
    for word in words[1:]:
        gap = _GAP.match(text, end)
        if not end or gap is None:
            return 0
        end = end_of_word(text, gap.end(), word)
    return end


@njit(cache=True, nogil=True)
def _largest(doc_ptr, doc_topics, doc_tokens, K, n):
    """The n documents with most of each topic's tokens, most first, the first of equals: int64[K,
    n], -1 for none."""
    documents = np.full((K, n), -1, np.int64)
    tokens = np.zeros((K, n), np.int64)
    for d in range(len(doc_ptr) - 1):
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            k = doc_topics[j]
            t = doc_tokens[j]
            if t > tokens[k, n - 1]:
                i = n - 1
                while i > 0 and tokens[k, i - 1] < t:
                    tokens[k, i] = tokens[k, i - 1]
                    documents[k, i] = documents[k, i - 1]
                    i -= 1
                tokens[k, i] = t
                documents[k, i] = d
    return documents
