"""What a choice of words gives, counted on a sample of a corpus: words on both sides of each
threshold, and estimates of the whole."""

import math
import os
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import regex
from scipy.special import bdtrc

from inference import day_sums, engines
from inference.engines.contract import (
    NO_DOCUMENTS,
    Config,
    Remembering,
    SeveralCores,
    TrainingCorpus,
)
from inference.runtime.memory import LARGE_BYTES
from inference.schedule import Paces
from inference.text import (
    REASONS,
    THRESHOLDS,
    Spread,
    Stream,
    VocabularyChoice,
    count,
    terms,
    thresholds,
)
from inference.text.choose import Thresholds
from webapp.intake.ingest.corpus_settings import VocabularySettings

# Words that are shown: of those that count, of those that are just enough and just too rare, of
# those that are too frequent, and of stop words
WORDS_SHOWN = 60
SIDE = 14
FREQUENT = 60
STOPS = 400
SPOKEN_MINUTES = (2, 3, 4, 5, 7, 10, 15, 20, 30, 40)  # the nearest one is said
# Bytes of the evidence: a topic and a certainty, by document and by word; a topic's tokens in a
# document, and the document's place in two orders; where a document begins
PAIR_BYTES = 6
MIXTURE_BYTES = 14
DOCUMENT_BYTES = 8
# Rough figures of this program on two cores, set by hand from single readings of some collections
# while it was made; no benchmark keeps them, so durations are only said as one says them (`spoken`).
# Characters a second, from files to a corpus that is ready, where reading the format is not what
# takes long
CHARACTERS_READ_PER_SECOND = 5e6
READY = 1.5  # seconds that the smallest corpus takes
BEGIN_AND_END = 2  # seconds of a run
FOLD = 1.5e-6  # seconds a word, for finding the topic of each
# The same of the disk, in bytes, as measured on two collections with the default engine
# (docs/measurements/storage.md): pairs of a document and a word for each word; topics of a word at
# K = 100, and of a document, by the root of its length; a row of a topic's word in Postgres with
# its indexes; the engine's state for such a row, packed and not; what Postgres keeps of each topic.
PAIRS = 0.83
ROWS = 12
MIXTURE = 0.87
ROW = 137
STATE_PACKED = 20
STATE = 60
OF_TOPIC = 3_000
_PASSAGE = 340  # characters
_FEATURES = [
    regex.compile(p)
    for p in (
        r"\p{L}[-‐]\p{L}",
        r"\p{L}['’]\p{L}",
        r"\b\d{2,}",
        r"\b\p{L}\b",
        r"\b\p{Lu}\p{L}+ \p{Lu}\p{L}+",
    )
]
# share of the words that are no stop words and no numbers, from which on the page warns that they
# don't count
OUTSIDE_SHARE = 0.2
# Documents of a sample from which on it says how many words the whole will have, and how long it
# takes: a busy machine may read one or two before the preview has to answer
LEAST_EXTRAPOLATED = 10
TOO_SMALL = (
    "From fewer than about 5,000 counted words each training finds other topics. Choose few topics,"
    " and rely on those that trainings with several seeds find. Counts of single words and groups of"
    " documents can be compared all the same."
)

TOO_FEW = f"From fewer than about {engines.FEW_DOCUMENTS} documents only a few broad topics can be learned."


@dataclass(frozen=True)
class Scale:
    """What the sample is a part of. documents, characters: of all. whole: nothing is estimated.
    part: of the characters that the sample has; 0 where it has as large a part of them as of the
    documents. seconds: that reading the sample took; 0 where nothing has to be read any more.
    counted: whether `documents` is no estimate."""

    documents: int
    whole: bool
    characters: int = 0
    part: float = 0.0
    seconds: float = 0.0
    counted: bool = True


@dataclass(frozen=True)
class FormRow:
    """A word: tokens in the sample, documents of the whole corpus."""

    word: str
    tokens: int
    documents: int


@dataclass(frozen=True)
class StopWord:
    """tokens: None for one that is kept, whose tokens are not counted apart."""

    word: str
    tokens: int | None
    kept: bool


@dataclass(frozen=True)
class Alike:
    """A writing, and the word that it counts as unless it counts apart."""

    written: str
    word: str
    apart: bool


@dataclass(frozen=True)
class LeftOut:
    reason: str
    words: int
    tokens: int


@dataclass(frozen=True)
class Piece:
    """A piece of a passage. word: that it counts as, "" for what is left out, None for what is no
    word."""

    text: str
    word: str | None


@dataclass(frozen=True)
class BeforeAndAfter:
    """A passage, and its words that count."""

    pieces: list[Piece]
    after: list[str]


@dataclass(frozen=True)
class SectionedDocuments:
    """How many documents are read in how many sections, of all."""

    documents: int
    sections: int


@dataclass(frozen=True)
class Times:
    """How long reading and a first training may take, in words; reading: "" where nothing is read.
    tokens: words that count, of which the usual number of topics depends. too_small, too_few:
    sentences where these, or documents, are few."""

    reading: str
    training: str
    topics: int
    tokens: int
    too_small: str
    too_few: str
    passes: int


@dataclass(frozen=True)
class ChoicePreview:
    """What a choice of words gives. documents: of the sample; of: of the whole, of_counted where
    that is no estimate; whole: nothing is estimated. words: tokens of the sample, of which
    `counted` count, the share. outside: of the tokens that are no stop words or numbers, the part
    that does not count; warns: it is large. kept, too_frequent, enough, too_rare: the first forms
    of each kind. too_small: the sample can't tell which words are too rare."""

    documents: int
    of: int
    of_counted: bool
    whole: bool
    sections: SectionedDocuments | None
    vocabulary: int
    words: int
    counted: int
    share: float
    kept: list[FormRow]
    too_frequent: list[FormRow]
    outside: float
    warns: bool
    enough: list[FormRow]
    too_rare: list[FormRow]
    too_small: bool
    min_documents: int
    stops: list[StopWord]
    alike: list[Alike]
    left_out: list[LeftOut]
    passage: BeforeAndAfter | None
    time: Times

    @property
    def extrapolates(self) -> bool:
        """Whether the number of words, and how long all takes, may be told from what was read."""
        is_all = self.whole or self.documents >= self.of
        return is_all or self.documents >= LEAST_EXTRAPOLATED


def scale_of_sample(sample) -> Scale:
    """What is known of all files by a sample of them. sample: webapp.intake.ingest.sample.Sample."""
    part = sample.characters / max(1, sample.of_characters)
    return Scale(
        sample.of, sample.whole, sample.of_characters, part, sample.seconds, sample.counted
    )


def preview(
    stream: Stream | Spread,
    words_chosen: VocabularySettings,
    scale: Scale,
    passage: str = "",
    **how_cut,
) -> ChoicePreview:
    """All that the page shows of a choice, with the writings that are alike in the
    stream. how_cut: language, given and rules of the corpus's tokeniser, for the passage."""
    choice = words_chosen.choice()
    kept_words = frozenset(words_chosen.kept_words)
    counts = count(stream, choice)
    D = stream.D
    part = stream.D / max(1, scale.documents)
    left = thresholds(
        choice,
        counts.tokens,
        counts.documents,
        len(counts.lengths),
        counts.even,
        counts.words,
        part,
    )
    exists = counts.tokens > 0
    is_kept = exists & ~left.any
    frequent = left.common | left.even
    tokens = int(counts.left_out_tokens[counts.reason < len(REASONS)].sum() + counts.tokens.sum())
    tokens_kept = int(counts.tokens[is_kept].sum())
    content = max(1, int(counts.tokens.sum()))
    vocabulary = max(
        0,
        estimate_vocabulary(counts.documents[exists], choice.min_documents, scale, D)
        - int(frequent.sum()),
    )
    rows = len(counts.lengths)  # sections, where long documents are cut
    share = max(scale.part or part, 1e-12)  # of the words
    corpus_rows = sections_of(scale, rows, D)
    words = partial(_words, counts, corpus_rows, rows)
    typical = words(np.flatnonzero(is_kept), -counts.documents + _tie(counts.tokens), SIDE)
    rare_words = words(np.flatnonzero(left.rare), counts.documents + _tie(counts.tokens), SIDE)
    outside = (content - tokens_kept) / content
    before_and_after = None
    if passage:
        before_and_after = _passage(passage, choice, counts, is_kept, how_cut)
    return ChoicePreview(
        documents=D,
        of=scale.documents if scale.counted else rough(scale.documents),
        of_counted=scale.counted,
        whole=scale.whole,
        sections=_sections(counts.cut, rows, D, scale),
        vocabulary=vocabulary if scale.whole else rough(vocabulary),
        words=tokens,
        counted=tokens_kept,
        share=tokens_kept / tokens if tokens else 0.0,
        kept=words(np.flatnonzero(is_kept), counts.tokens, WORDS_SHOWN),
        too_frequent=words(np.flatnonzero(frequent), counts.tokens, FREQUENT),
        outside=outside,
        warns=outside > OUTSIDE_SHARE,
        enough=typical,
        too_rare=rare_words,
        too_small=not scale.whole
        and choice.min_documents * part <= 1,  # for a word to be too rare in it
        min_documents=choice.min_documents,
        stops=_stops(counts, kept_words),
        alike=[
            Alike(written, word, written in words_chosen.apart)
            for written, word in words_chosen.alike[:STOPS]
        ],
        left_out=_left_out(counts, left),
        passage=before_and_after,
        time=training_times(scale, corpus_rows, tokens_kept / share),
    )


def _sections(cut: int, rows: int, D: int, scale: Scale) -> SectionedDocuments | None:
    """None where no document is cut. cut, rows: of the sample's D."""
    if not cut:
        return None
    of_cut = cut * scale.documents / max(1, D)
    sizes = (of_cut, of_cut + sections_of(scale, rows, D) - scale.documents)
    return SectionedDocuments(*(round(n) if scale.whole else rough(n) for n in sizes))


def sections_of(scale: Scale, rows: int, D: int) -> int:
    """Rows of the bag of words of all, of which the sample's D documents have some: sections beyond
    one a document are as many as the words let expect."""
    return round(
        scale.documents + (rows - D) / max(scale.part or D / max(1, scale.documents), 1e-12)
    )


def _tie(tokens: np.ndarray) -> np.ndarray:
    """Below one half: of words in equally many documents the more frequent one first."""
    return tokens / (2.0 * max(1, int(tokens.max(initial=1))))


def _words(
    counts, corpus_rows: int, sample_rows: int, numbers: np.ndarray, key: np.ndarray, limit: int
) -> list[FormRow]:
    """The first `limit` words among `numbers`, by a key, largest first. corpus_rows, sample_rows:
    rows of the bag of words, which are sections where long documents are cut."""
    order = numbers[np.argsort(-key[numbers], kind="stable")[:limit]]
    estimates = counts.documents[order] * (corpus_rows / max(1, sample_rows))
    rows = []
    for word, tokens, estimate in zip(
        counts.words(order), counts.tokens[order], estimates, strict=True
    ):
        documents = int(estimate)
        if corpus_rows != sample_rows:
            documents = max(1, min(corpus_rows, rough(estimate)))
        rows.append(FormRow(word, int(tokens), documents))
    return rows


def estimate_vocabulary(documents: np.ndarray, least: int, scale: Scale, D: int) -> int:
    """Words in at least `least` documents of the whole, from those in `documents` (int32 by word,
    above 0) of a sample's D.

    Counted, where the sample can tell. Else by growth: how much such words increase from a quarter
    of the sample to a half and to all of it (what a part would have is a binomial's expectation),
    each doubling by less than the one before. That the growth goes on falling at the same rate is
    an assumption: it takes the sample for an even part of the whole, and the further the whole is
    beyond it the less it says. Only tests/webapp/intake/ingest/test_prepare.py holds it to
    something: words drawn from a power law, off by at most 35 per cent from a fifth of the
    documents.
    """
    part = D / max(1, scale.documents)
    # From two documents of the sample on their number tells how many the whole has
    if scale.whole or least * part >= 2:
        return int(np.count_nonzero(documents >= least * part))
    sizes, words = np.unique(documents[documents >= least], return_counts=True)

    def expected_in(part_of_sample: float) -> float:
        return float((words * bdtrc(least - 1, sizes, part_of_sample)).sum())

    quarter = expected_in(0.25)
    half = expected_in(0.5)
    in_sample = expected_in(1.0)
    if quarter < 1 or in_sample <= half or half <= quarter:
        return round(in_sample)
    before = math.log2(half / quarter)
    now = math.log2(in_sample / half)
    fewer = min(1.0, now / before)
    doublings = -math.log2(part)
    growth = 0.0
    for i in range(math.ceil(doublings)):
        now *= fewer
        growth += now * min(1.0, doublings - i)
    return round(in_sample * 2**growth)


def _stops(counts, kept_words: frozenset[str]) -> list[StopWord]:
    """Stop words that were met, most frequent first, and those that are kept though the language's
    list has them."""
    units = np.flatnonzero(counts.reason == REASONS.index("stop word"))
    units = units[np.argsort(-counts.left_out_tokens[units], kind="stable")[:STOPS]]
    tokens = counts.left_out_tokens[units].tolist()
    rows = [
        StopWord(word, n, False) for word, n in zip(counts.units.words(units), tokens, strict=True)
    ]
    return [*(StopWord(word, None, True) for word in sorted(kept_words)), *rows]


def _left_out(counts, left: Thresholds) -> list[LeftOut]:
    rows = []
    for i, name in enumerate(REASONS[:-THRESHOLDS]):
        has_reason = counts.reason == i
        tokens = int(counts.left_out_tokens[has_reason].sum())
        rows.append(LeftOut(name, int(has_reason.sum()), tokens))
    for name, is_beyond in zip(REASONS[-THRESHOLDS:], left, strict=True):
        rows.append(LeftOut(name, int(is_beyond.sum()), int(counts.tokens[is_beyond].sum())))
    return [row for row in rows if row.words]


def _passage(
    passage: str, choice: VocabularyChoice, counts, is_kept: np.ndarray, how_cut: dict
) -> BeforeAndAfter:
    [spans] = terms([passage], replace(choice, min_length=1, numbers=True), **how_cut)
    [words_of_passage] = terms([passage], choice, **how_cut)
    counted_forms = {(start, end): word for start, end, word in words_of_passage}
    stays = set(counts.words(np.flatnonzero(is_kept))) if spans else set()
    parts = []
    at = 0
    after = []
    for start, end, _ in spans:
        if start > at:
            parts.append(Piece(passage[at:start], None))
        word = counted_forms.get((start, end), "")
        word = word if word in stays and not _is_stop_word(passage[start:end], choice) else ""
        parts.append(Piece(passage[start:end], word))
        if word:
            after.append(word)
        at = end
    parts.append(Piece(passage[at:], None))
    return BeforeAndAfter(parts, after)


def _is_stop_word(text: str, choice: VocabularyChoice) -> bool:
    """Whether it is a stop word, or words of which each is one and that an apostrophe joins."""
    parts = regex.split(r"['’]", text.lower())
    return text.lower() in choice.stop_words or (
        len(parts) > 1 and all(part in choice.stop_words for part in parts)
    )


def training_times(scale: Scale, rows: int, tokens: float) -> Times:
    """How long reading and a first training take. rows: of the bag of words; tokens: that count."""
    topics = engines.suggest_topics(round(tokens))
    config = engines.config(engines.DEFAULT, topics=topics).resolve(rows, max(1, int(tokens)))
    training = waited_seconds(engines.DEFAULT, config, round(tokens))
    reading = READY + max(
        scale.characters / CHARACTERS_READ_PER_SECOND, scale.seconds / max(scale.part, 1e-12)
    )
    shown_tokens = round(tokens) if scale.whole else rough(tokens)
    too_small = TOO_SMALL if tokens < engines.FEW_TOKENS else ""
    too_few = TOO_FEW if rows < engines.FEW_DOCUMENTS else ""
    return Times(
        reading=_about(reading) if scale.seconds else "",
        training=_about(training),
        topics=topics,
        tokens=shown_tokens,
        too_small=too_small,
        too_few=too_few,
        passes=config.passes,
    )


class Cost(NamedTuple):
    """What a training takes. seconds: on this machine's cores, with nothing beside it. memory:
    bytes beside the corpus. disk: bytes that the run takes when it is done; at_work: at the most
    until then."""

    seconds: float
    memory: int
    disk: int
    at_work: int


def cost(engine: str, topics: int, documents: int, tokens: int, vocabulary: int) -> Cost:
    """About what an engine takes with its own settings and so many topics."""
    config = engines.config(engine, topics=topics).resolve(documents, tokens)
    paces = Paces.from_config(documents, config)
    corpus = TrainingCorpus(
        trained_documents=documents,
        trained_tokens=tokens,
        held_out_documents=NO_DOCUMENTS,
        held_out_tokens=0,
        V=vocabulary,
        pairs=round(PAIRS * tokens),
        word_tokens=None,
        steps_per_pass=paces.per_pass,
        steps_per_later_pass=paces.later,
        seeded=False,
    )
    module = engines.get(engine)
    disk = _disk(
        topics,
        corpus,
        module.remembered_bytes(config, corpus) if isinstance(module, Remembering) else 0,
    )
    return Cost(waited_seconds(engine, config, tokens), module.memory_bytes(config, corpus), *disk)


def _disk(topics: int, corpus: TrainingCorpus, remembers: int) -> tuple[int, int]:
    """Cost.disk and Cost.at_work. remembers: bytes, of contract.Remembering."""
    rows = min(corpus.pairs, corpus.V * min(topics, ROWS * (topics / 100) ** 0.45))
    # topics of a document
    mixtures = min(
        topics, MIXTURE * (corpus.tokens / corpus.all_documents) ** 0.5 * (topics / 100) ** 0.2
    )
    evidence = PAIR_BYTES * corpus.pairs
    evidence += (MIXTURE_BYTES * mixtures + DOCUMENT_BYTES) * corpus.all_documents
    evidence += day_sums.most_bytes(round(mixtures * corpus.all_documents))
    evidence_and_topics = evidence + OF_TOPIC * topics
    done = rows * (ROW + STATE_PACKED) + evidence_and_topics
    scratch = remembers if remembers >= LARGE_BYTES else 0
    at_work = 3 * rows * ROW + 2 * (remembers + STATE * rows) + scratch + evidence_and_topics
    return round(done), round(at_work)


def waited_seconds(
    engine: str, config: Config, tokens: int, cores: int | None = None, share: float = 1.0
) -> float:
    """About how long a run takes on a usual machine, to the topics of every document.

    config: resolved. cores: that the training has; None for all of this machine, as a run has them
    that no other is beside. Engines that don't say how much of their work is divided are given one.
    share: of the documents, that the training reads.
    """
    module = engines.get(engine)
    given_cores = (os.cpu_count() or 1) if cores is None else cores
    times_as_fast = module.times_as_fast(given_cores) if isinstance(module, SeveralCores) else 1.0
    training = share * module.seconds(config, tokens) / times_as_fast
    folding = tokens * FOLD
    return BEGIN_AND_END + training + folding


def rough(number: float) -> int:
    """Two digits of a number: an estimate has no more."""
    if number < 100:
        return round(number)
    unit = 10 ** (int(math.log10(number)) - 1)
    return round(number / unit) * unit


def _about(seconds: float) -> str:
    duration = spoken(seconds)
    return duration if "few" in duration else f"about {duration}"


def spoken(seconds: float) -> str:
    """A duration as one says it."""
    for limit, words in (
        (8, "a few seconds"),
        (20, "15 seconds"),
        (45, "half a minute"),
        (90, "a minute"),
    ):
        if seconds < limit:
            return words
    minutes = seconds / 60
    if minutes < 50:
        nearest = min(SPOKEN_MINUTES, key=lambda n: abs(math.log(n / minutes)))
        return f"{nearest} minutes"
    hours = minutes / 60
    if hours < 1.5:
        return "an hour"
    if hours < 36:
        return f"{round(hours)} hours"
    return f"{round(hours / 24)} days"


def passage_of(texts: list[str]) -> str:
    """The first passage that has most of what options change."""
    starts = (
        (text, _begin(text, first)) for text in texts for first in range(0, len(text), _PASSAGE)
    )
    passages = [text[start : start + _PASSAGE] for text, start in starts]
    long = passages[:1] + [passage for passage in passages[1:] if len(passage) > _PASSAGE // 2]
    richest = max(
        long,
        key=lambda passage: sum(bool(feature.search(passage)) for feature in _FEATURES),
        default="",
    )
    return (
        richest.rsplit(None, 1)[0] if len(richest) >= _PASSAGE and " " in richest else richest
    ).strip()


def _begin(text: str, first: int) -> int:
    """Where a sentence begins soon behind `first`, else that."""
    sentence_start = (
        regex.search(r"(?<=[.!?]\s+)\p{Lu}", text, pos=first, endpos=first + _PASSAGE // 2)
        if first
        else None
    )
    return sentence_start.start() if sentence_start else first
