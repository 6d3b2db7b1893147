"""Where a pattern matches the texts of an index: how often in each document, and at which of its
words.

A match of the first part of a pattern is a hit if each other part matches near it. Of the matches
that begin at a word the longest counts, and the next one begins behind it.
"""

from itertools import chain
from time import monotonic
from typing import NamedTuple

import numpy as np

from inference.documents import numbers_of_mask
from inference.errors import Invalid
from inference.evidence import Evidence
from inference.index.patterns import ANY, Element, PatternPart, reach
from inference.index.query import ANY_CASE
from inference.index.search import END, Index
from inference.index.segments import LARGEST_COUNT, NUMBER, begins_sentence, in_sentence
from inference.kernels import rng
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.runtime.threads import in_two
from inference.text import starts
from inference.text.case import MIXED, SHIFT

SECONDS = 10.0  # that counting may take, at whose end a segment is finished
FORMS_SECONDS = 1.0  # of these, that it may take to find the words that a pattern stands for
BLOCK = 1 << 20  # hits of which a sample is drawn at a time: 40 MB
AS_WRITTEN = 1 << 15  # in a code, above the bits of elements
OLDER = (
    "An older version of Topograph read this corpus, and did not keep which letters are capitals."
    " Topograph looks through the texts again as soon as it has nothing else to do, and before"
    " documents are added or words chosen. Until then, leave “=” out, or write %c in CQL."
)


class Texts(NamedTuple):
    """The texts of a segment. words: int32, of the whole stream. steps: where they begin, as
    text.starts has it. first: int64[n + 1], at which word each document begins. first_document:
    the number of the first one."""

    words: np.ndarray
    steps: starts.Starts
    first: np.ndarray
    first_document: int


class Codes(NamedTuple):
    """Which elements of a pattern each word is. by_form: uint16, for each form of the lexicon, bits
    of elements, and AS_WRITTEN where it depends on how the form is written. as_written: int64[n,
    3], forms, how they are written and bits of elements. mixed: Stream.mixed."""

    by_form: np.ndarray
    as_written: np.ndarray
    mixed: np.ndarray


class PartStates(NamedTuple):
    """The parts of a pattern, whose words are bits of a state: bit s is the s-th word that a part
    can have. Of each part read from the left, and from the right.

    passed: uint64[2, parts, codes], the words that a form may be by its code, in which bit e is set
    where it is of element e. optional, final: uint64[2, parts], those that may be left out, and
    those behind which all may be. within: int64[parts], from how many words of the first part a
    match of another one may be; sentence: bool[parts], whether it must be in the same sentence.
    reaches: int64[parts], of how many words a match is at most.
    """

    passed: np.ndarray
    optional: np.ndarray
    final: np.ndarray
    within: np.ndarray
    sentence: np.ndarray
    reaches: np.ndarray


class PairTopics(NamedTuple):
    """A bag of words with the topic of each pair, as Bow and Evidence have it; without elements
    where no topic is asked for. wanted: bool[K], of which topics a hit must have a word; bool[0]
    for any."""

    indptr: np.ndarray
    counts: np.ndarray
    topics: np.ndarray
    first_token: np.ndarray
    offsets: np.ndarray
    wanted: np.ndarray


class Hits:
    """Where a pattern matches. documents: those that have any, int32, ascending; counts: how many
    each has, int32. codes: of its words."""

    def __init__(
        self,
        index: Index,
        pattern: tuple[PatternPart, ...],
        evidence: Evidence | None,
        topics: np.ndarray,
        chosen: np.ndarray,
        *,
        seconds: float | None = None,
    ):
        """chosen: bool[D], documents that are looked at; the index may have more. evidence: None
        where neither topics nor places are asked for. topics: bool[K]: hits count of which a word
        is assigned to one of them; bool[0]: all do. seconds: that it may take; None for what a page
        may, `inf` for one that also compiles. Raises Invalid where it takes longer, and ValueError
        for topics without evidence."""
        if evidence is None and len(topics):
            raise ValueError("hits in topics can't be counted without evidence")
        self.index = index
        self._evidence = evidence
        # Read at each call: tests shorten them.
        limit = SECONDS if seconds is None else seconds
        forms_limit = FORMS_SECONDS if seconds is None else seconds
        now = monotonic()
        self.codes, forms_of_pieces = _codes_and_forms(index, pattern, now + forms_limit)
        self._part_states = _states_of_parts(pattern)
        self._pair_topics = _topics_of_pairs(evidence, topics)
        followed = None if len(topics) else _followed_form(pattern, forms_of_pieces)
        found = [np.zeros((2, 0), np.int32)]
        for s in range(len(index.fields["text"])):
            if followed is not None and (known := self._known(s, followed, chosen)) is not None:
                found.append(known)
                continue
            found.append(self._read(s, forms_of_pieces, chosen))
            if monotonic() > now + limit:
                raise Invalid(
                    "pattern",
                    f"Counting was stopped after {limit:.0f} seconds. Choose fewer documents or"
                    " rarer words.",
                )
        self.documents, self.counts = np.concatenate(found, axis=1)

    def places(self, document: int, most: int) -> np.ndarray:
        """int64[n, 5]: of the first hits of a document: characters of its text at which one begins,
        at which its last word does, and at which the next word of the text does (END behind the
        last); the topic of its first word that has one, of `topics` if there are any, and how
        certain that is, as in TokenTopics.certainty. Without such a word these are -1. Raises
        ValueError for hits without evidence."""
        if self._evidence is None:
            raise ValueError("places of hits can't be given without evidence")
        s = int(np.searchsorted(self.index.bounds, document, "right")) - 1
        token_range = self.index.fields["text"][s].first[document - self.index.bounds[s] :][:2]
        positions = np.empty((most, 3), np.int64)
        (n,) = self._count(s, np.array([document], np.int32), positions)
        begin, end, pair = positions[:n].T
        characters = np.append(self.index.stream.starts.of(*token_range[:, None]), END)
        without = pair < 0
        topic = np.where(without, -1, self._evidence.token_topics.topics[pair].astype(np.int64))
        certainty = np.where(
            without, -1, self._evidence.token_topics.certainty[pair].astype(np.int64)
        )
        columns = [characters[begin], characters[end - 1], characters[end], topic, certainty]
        return np.stack(columns, axis=1)

    def _known(self, s: int, form: int, chosen: np.ndarray) -> np.ndarray | None:
        """int32[2, n], documents of a segment in which any word follows one, and how often, from
        what is kept of frequent words (inference.index.unfollowed): the texts are not read. None
        where nothing is kept of this one, as in an index of an older version."""
        unfollowed = self.index.unfollowed[s]
        if unfollowed is None or form not in unfollowed.words:
            return None
        forms = np.array([form], np.int32)
        [(documents, uses)] = self.index.fields["text"][s].lists(forms)
        [(some_documents, lacking)] = unfollowed.lists(forms)
        counts = uses.astype(np.int32)
        counts[np.searchsorted(documents, some_documents)] -= lacking
        is_cut = uses == LARGEST_COUNT  # or may be, by an older version
        counts[is_cut] = self._count(s, frozen(documents[is_cut], np.int32))
        within = np.searchsorted(documents, len(chosen))
        inside = chosen[documents[:within]] & (counts[:within] > 0)
        return np.stack([documents[:within], counts[:within]])[:, inside]

    def _read(self, s: int, forms_of_pieces: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
        """int32[2, n], documents of a segment with hits, and how many each has, from its texts: of
        those that have a form of each of forms_of_pieces."""
        begin, end = self.index.bounds[s : s + 2].tolist()
        having = self.index.fields["text"][s].having(forms_of_pieces, begin)
        inside = having[: max(len(chosen) - begin, 0)] & chosen[begin:end]
        documents = numbers_of_mask(inside) + np.int32(begin)
        halves = np.array_split(documents, 2)
        counts = np.concatenate(in_two(lambda half: self._count(s, half), halves))
        return np.stack([documents, counts])[:, counts > 0]

    def _count(
        self, s: int, documents: np.ndarray, hit_table: np.ndarray | None = None
    ) -> np.ndarray:
        """int32[n]: hits in each of some documents of a segment, int32[n]. hit_table: as
        `count_hits` fills it; None where places are not asked for."""
        if hit_table is None:
            hit_table = np.zeros((0, 3), np.int64)
        stream = self.index.stream
        first = frozen(self.index.fields["text"][s].first, np.int64)
        first_document = int(self.index.bounds[s])
        texts = Texts(frozen(stream.words, np.int32), stream.starts.frozen, first, first_document)
        rows = documents - first_document
        longest = int((first[rows + 1] - first[rows]).max(initial=0))
        return count_hits(
            texts,
            documents,
            longest,
            self.codes,
            self._part_states,
            self._pair_topics,
            hit_table,
        )


def sample(documents: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """int64, ascending: of all hits, by document, at most so many: those with the smallest hashes
    of the document's number and of which hit it is there. So they are the same each time, spread
    evenly, and those of some documents are among the sample of these alone."""
    ends = np.cumsum(counts, dtype=np.int64)
    line_numbers = np.zeros(0, np.int64)
    for begin in range(0, int(ends[-1]) if len(ends) else 0, BLOCK):
        new_lines = np.arange(begin, min(begin + BLOCK, int(ends[-1])))
        lines = np.concatenate([line_numbers, new_lines])
        at = np.searchsorted(ends, lines, "right")
        hit = (lines - ends[at] + counts[at]).astype(np.uint64)  # which one of its document
        hashes = rng.mixed(documents[at].astype(np.uint64) << np.uint64(32) | hit)
        line_numbers = lines[np.argsort(hashes, kind="stable")[:most]]
    return np.sort(line_numbers)


def _codes_and_forms(
    index: Index, pattern: tuple[PatternPart, ...], until: float
) -> tuple[Codes, list[np.ndarray]]:
    """(the codes of all forms, the forms of each word but ANY that every document with a hit has).
    until: by time.monotonic. Raises Invalid."""
    by_form = np.zeros(len(index.stream.lexicon), np.uint16)
    forms_of_pieces: list[np.ndarray] = []
    cased_forms: list[tuple[int, int, int]] = []
    for e, element in enumerate(chain.from_iterable(part.elements for part in pattern)):
        mask = 1 << e
        forms_of_element = [index.forms.like(word, until) for word in element.words]
        for word, forms in zip(element.words, forms_of_element, strict=True):
            if word.case == ANY_CASE:
                by_form[forms] |= np.uint16(mask)
                continue
            by_form[forms] |= np.uint16(AS_WRITTEN)
            cased_forms += [(form, word.case, mask) for form in forms.tolist()]
        if element.least and ANY not in element.words:  # in every document with a hit
            forms_of_pieces.append(np.concatenate(forms_of_element))
    mixed = index.stream.mixed
    if cased_forms and mixed is None:
        raise Invalid("pattern", OLDER)
    no_forms = np.zeros((0, 2))
    codes = Codes(
        by_form,
        np.array(cased_forms, np.int64).reshape(-1, 3),
        frozen(no_forms if mixed is None else mixed, np.int64),
    )
    return codes, forms_of_pieces


def _followed_form(
    pattern: tuple[PatternPart, ...], forms_of_pieces: list[np.ndarray]
) -> int | None:
    """The one form that a pattern asks for, where it is a word, however it is written, and any
    other behind it, like “the *”; None for other patterns. forms_of_pieces: of its words but
    ANY."""
    elements = [element for part in pattern for element in part.elements]
    if len(pattern) > 1 or len(elements) != 2 or elements[1] != Element((ANY,)):
        return None
    words = elements[0].words
    once = elements[0].least == elements[0].most == 1
    if not once or len(words) != 1 or words[0].case != ANY_CASE or ANY in words:
        return None
    [forms] = forms_of_pieces
    return int(forms[0]) if len(forms) == 1 else None


def _states_of_parts(pattern: tuple[PatternPart, ...]) -> PartStates:
    """The parts of a pattern as the kernels take them."""
    codes = np.arange(1 << sum(len(part.elements) for part in pattern))
    passed = np.zeros((2, len(pattern), len(codes)), np.uint64)
    optional = np.zeros((2, len(pattern)), np.uint64)
    final = np.zeros((2, len(pattern)), np.uint64)
    e = 0
    for p, part in enumerate(pattern):
        left = []
        for element in part.elements:
            left += [(e, n >= element.least) for n in range(element.most)]
            e += 1
        for side, states in enumerate((left, left[::-1])):
            for s, (number, may) in enumerate(states):
                passed[side, p] |= (codes >> number & 1).astype(np.uint64) << np.uint64(s)
                optional[side, p] |= np.uint64(may << s)
                final[side, p] |= np.uint64(all(can for _, can in states[s + 1 :]) << s)
    return PartStates(
        passed=passed,
        optional=optional,
        final=final,
        within=np.array([part.within for part in pattern]),
        sentence=np.array([part.sentence for part in pattern]),
        reaches=np.array([reach((part,)) for part in pattern]),
    )


def _topics_of_pairs(evidence: Evidence | None, topics: np.ndarray) -> PairTopics:
    """The bag of words and its topics in the one form that `count_hits` is compiled for. topics:
    bool[K] or bool[0], those that are wanted."""
    if evidence is None:
        indptr = first_token = np.zeros(0, np.int64)
        counts = offsets = np.zeros(0, np.int32)
        topics_of_pairs = np.zeros(0, np.uint16)
    else:
        bow = evidence.document_bow
        indptr = bow.indptr
        counts = bow.counts
        topics_of_pairs = evidence.token_topics.topics
        first_token = bow.first_token
        offsets = np.asarray(bow.offsets)
    return PairTopics(
        frozen(indptr, np.int64),
        frozen(counts, np.int32),
        frozen(topics_of_pairs, np.uint16),
        frozen(first_token, np.int64),
        frozen(offsets, np.int32),
        frozen(topics, np.bool_),
    )


@njit(cache=True, nogil=True)
def count_hits(texts, documents, longest, codes, parts, pair_topics, hit_table):
    """int32[n]: hits in each of some documents.

    texts: Texts; documents: int32[n], of them; longest: words of the longest. codes: Codes. parts:
    PartStates. pair_topics: PairTopics, with elements where it has topics or hit_table has rows.
    hit_table: int64[m, 3], filled for the first hits of all: where they begin and end in their
    document, and the pair of a word.
    """
    words, steps, first, first_document = texts
    passed, optional, final, within, sentence, reaches = parts
    needs_pairs = len(pair_topics.wanted) > 0 or len(hit_table) > 0
    hits_of_document = np.zeros(len(documents), np.int32)
    filled = 0
    begins = np.zeros((len(within), longest), np.bool_)
    ends = np.zeros((len(within), longest), np.bool_)
    pairs = np.zeros(longest + 1, np.int64)
    passed_by_first = passed[0, 0]
    positions = np.empty(longest, np.int32)
    codes_of_words = np.empty(longest, np.uint16)
    beginnings = np.empty(longest, np.int64)
    lowest_bit = np.uint64(1)
    for i in range(len(documents)):
        low = first[documents[i] - first_document]
        high = first[documents[i] - first_document + 1]
        text = words[low:high]
        size = high - low
        stop = 0
        n = _beginnings(
            words, low, high, codes, passed[1, 0], final[1, 0], codes_of_words, beginnings
        )
        if not n:
            continue
        codes_of_text = codes_of_words[:size]
        # Where they are many, and a match has several words, one pass tells at which one begins
        if final[1, 0] != lowest_bit and n * reaches[0] >= size:
            from_the_right = begins[0, :size][::-1]
            _ends(
                text[::-1],
                codes_of_text[::-1],
                passed[1, 0],
                optional[1, 0],
                final[1, 0],
                0,
                from_the_right,
            )
            n = 0
            for start in range(size):
                if begins[0, start]:
                    beginnings[n] = start
                    n += 1
        others_are_known = False
        if needs_pairs:
            starts.begin(steps, low, high, positions)
            _fill_pairs(positions[:size], documents[i], pair_topics, pairs)
        for start in beginnings[:n]:
            if start < stop:
                continue
            stop = _longest(codes_of_text, start, passed_by_first, optional[0, 0], final[0, 0])
            if stop == start:
                continue
            if not others_are_known:
                _near_parts(text, codes_of_text, parts, begins, ends)
                others_are_known = True
            pair = -1
            if needs_pairs:
                pair = pairs[start + np.argmax(pairs[start:stop] >= 0)]
            near = pair >= 0 or not len(pair_topics.wanted)
            for p in range(1, len(within)):
                left = max(start - within[p], 0)
                right = min(stop + within[p], size)
                if sentence[p]:
                    left, right = in_sentence(text, start, stop, left, right)
                is_part_near = begins[p, stop:right].any() or ends[p, left:start].any()
                near = near and bool(is_part_near)
            if near and filled < len(hit_table):
                hit_table[filled, 0] = start
                hit_table[filled, 1] = stop
                hit_table[filled, 2] = pair
                filled += 1
            hits_of_document[i] += near
    return hits_of_document


@njit(cache=True, nogil=True)
def _near_parts(text, codes_of_text, parts, begins, ends):
    """Fills begins[p] and ends[p]: at which words of a text a match of each part but the first
    begins, and with which one ends. codes_of_text: uint16, of its words. parts: PartStates."""
    passed, optional, final, _, sentence, _ = parts
    size = len(text)
    for p in range(1, len(sentence)):
        cut = int(sentence[p])
        from_the_right = begins[p, :size][::-1]
        _ends(
            text[::-1],
            codes_of_text[::-1],
            passed[1, p],
            optional[1, p],
            final[1, p],
            2 * cut,
            from_the_right,
        )
        _ends(text, codes_of_text, passed[0, p], optional[0, p], final[0, p], cut, ends[p])


@njit(cache=True, nogil=True)
def _beginnings(words, low, high, codes, passed, final, codes_of_words, beginnings):
    """Fills codes_of_words[: high - low]: of which elements words low … high - 1 of a stream are;
    and beginnings[:n]: which of them may begin a match of the first part. Returns n.

    codes: Codes. passed, final: of the first part, read from the right.
    """
    found = 0
    by_form, asked_codes, mixed = codes
    for i in range(low, high):
        w = words[i] & NUMBER
        code = by_form[w]
        if code & AS_WRITTEN:
            code ^= AS_WRITTEN
            case = np.int64(words[i] >> SHIFT & MIXED)
            if case == MIXED:
                case |= mixed[np.searchsorted(mixed[:, 0], i), 1] << 2
            for n in range(len(asked_codes)):
                if asked_codes[n, 0] == w and asked_codes[n, 1] == case:
                    code |= asked_codes[n, 2]
        codes_of_words[i - low] = code
        if passed[code] & final:
            beginnings[found] = i - low
            found += 1
    return found


@njit(cache=True, nogil=True)
def _ends(words, codes_of_text, passed, optional, final, cut, ends):
    """With which words of a text a match ends that begins anywhere. codes_of_text: uint16, of its
    words. cut: none crosses the border of a
    sentence (1, of words in reverse order 2), or any may (0). Bit s of a state: the words before
    state s have matched."""
    count = 0
    state = np.uint64(1)
    lowest_bit = np.uint64(1)
    for i in range(len(words)):
        ends[i] = passed[codes_of_text[i]] & final
        count += ends[i]
    # final is 1 where a match is of one word
    if not count or final == lowest_bit:
        return
    for i in range(len(words)):
        if cut and i and begins_sentence(words[i + 1 - cut]):
            state = lowest_bit
        while (state & optional) << lowest_bit & ~state:
            state |= (state & optional) << lowest_bit
        state &= passed[codes_of_text[i]]
        ends[i] = state & final
        state = state << lowest_bit | lowest_bit


@njit(cache=True, nogil=True)
def _longest(codes_of_text, begin, passed, optional, final):
    """The word behind the longest match that begins with one; that word where none does.
    codes_of_text: uint16, of the text's words."""
    state = np.uint64(1)
    lowest_bit = np.uint64(1)
    end = begin
    for i in range(begin, len(codes_of_text)):
        while (state & optional) << lowest_bit & ~state:
            state |= (state & optional) << lowest_bit
        state &= passed[codes_of_text[i]]
        if state & final:
            end = i + 1
        state <<= lowest_bit
        if not state:
            break
    return end


@njit(cache=True, nogil=True)
def _fill_pairs(positions, d, pair_topics, pairs):
    """Fills pairs[:n], int64, by the n words of a document: the pair of the bag of words that each
    belongs to; -1 where it has no topic that is wanted. positions: int32[n], at which characters
    they begin. pair_topics: PairTopics."""
    indptr, counts, topics, first_token, offsets, wanted = pair_topics
    pairs[: len(positions)] = -1
    token = first_token[d]
    for pair in range(indptr[d], indptr[d + 1]):
        for n in range(token, token + counts[pair]):
            if not len(wanted) or wanted[topics[pair]]:
                pairs[np.searchsorted(positions, offsets[n])] = pair
        token += counts[pair]
