"""What a choice of words gives, counted on a sample of a corpus: words on both sides of each threshold, and estimates
of the whole."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import regex
from scipy.special import bdtrc

from inference import engines
from inference.engines.contract import Config, Remembering, Shape
from inference.explore import day_sums
from inference.memory import LARGE
from inference.text import REASONS, THRESHOLDS, Choice, Spread, Stream, count, terms, thresholds
from inference.text.choose import Thresholds
from inference.training import Paces

KEPT, SIDE, FREQUENT, STOPS = 60, 14, 60, 400  # words that are shown
# Rough figures of this program on two cores, set by hand from single readings and trainings of some collections while
# it was made; no benchmark keeps them, so durations are only said as one says them (`spoken`).
READ = 5e6  # characters a second, from files to a corpus that is ready, where reading the format is not what takes long
READY = 1.5  # seconds that the smallest corpus takes
FOLD = 1.5e-6  # seconds a word, for finding the topic of each
# The same of the disk, in bytes, as measured on two collections with the default engine (docs/measurements/storage.md): pairs
# of a document and a word for each word; topics of a word at K = 100, and of a document, by the root of its length; a row
# of a topic's word in Postgres with its indexes; the engine's state for such a row, packed and not; what Postgres keeps of
# each topic.
PAIRS, ROWS, MIXTURE = 0.83, 12, 0.87
ROW, STATE_PACKED, STATE, OF_TOPIC = 137, 20, 60, 3_000
_PASSAGE = 340  # characters
_FEATURES = [
    regex.compile(p)
    for p in (r"\p{L}[-‐]\p{L}", r"\p{L}['’]\p{L}", r"\b\d{2,}", r"\b\p{L}\b", r"\b\p{Lu}\p{L}+ \p{Lu}\p{L}+")
]
OUTSIDE = (
    0.2  # share of the words that are no stop words and no numbers, from which on the page warns that they don't count
)
TOO_SMALL = (
    "With fewer than about 5,000 words that count, topics differ from one seed to the next, however many they are: take "
    "few, and rely on what several seeds agree on. Counts of single words and groups of documents can be compared all the same."
)
_TELLS = 2  # documents of the sample from which on their number tells how many there are of the whole


@dataclass(frozen=True)
class Scale:
    """What the sample is a part of. documents, bytes: of all. whole: nothing is estimated. seconds: that reading the
    sample took, and bytes that it read for that; 0 where nothing has to be read any more. counted: whether `documents`
    is no estimate."""

    documents: int
    whole: bool
    bytes: int = 0
    read: int = 0
    characters: int = 0
    seconds: float = 0.0
    counted: bool = True


def of_sample(sample) -> Scale:
    """sample: ingest.sample.Sample."""
    share = 1.0 if sample.whole else min(1.0, sample.bytes / max(1, sample.total))
    characters = round(sample.characters / max(share, 1e-12))
    return Scale(sample.of, sample.whole, sample.total, sample.bytes, characters, sample.seconds, sample.counted)


def preview(
    stream: Stream | Spread,
    choice: Choice,
    scale: Scale,
    kept_words: frozenset[str] = frozenset(),
    passage: str = "",
    **cut,
) -> dict:
    """All that the page shows of a choice. kept_words: stop words of the language that count nevertheless. cut:
    language and given of the corpus's tokeniser, for the passage."""
    counts = count(stream, choice)
    D, part = stream.D, stream.D / max(1, scale.documents)
    left = thresholds(choice, counts.tokens, counts.documents, len(counts.lengths), counts.even, counts.words, part)
    exists = counts.tokens > 0
    kept, frequent = exists & ~left.any, left.common | left.even
    tokens = int(counts.left_out_tokens[counts.reason < len(REASONS)].sum() + counts.tokens.sum())
    counted = int(counts.tokens[kept].sum())
    content = max(1, int(counts.tokens.sum()))
    vocabulary = max(0, _vocabulary(counts.documents[exists], choice.min_documents, scale, D) - int(frequent.sum()))
    rows = len(counts.lengths)  # sections, where long documents are cut
    rows_of = round(scale.documents * rows / max(1, D))
    words = _words(counts, rows_of, rows)
    return {
        "documents": D,
        "of": scale.documents if scale.counted else rough(scale.documents),
        "of_counted": scale.counted,
        "whole": scale.whole,
        "sections": _sections(counts.cut, rows, D, scale),
        "vocabulary": vocabulary if scale.whole else rough(vocabulary),
        "words": tokens,
        "counted": counted,
        "share": counted / tokens if tokens else 0.0,
        "kept": words(np.flatnonzero(kept), counts.tokens, KEPT),
        "too_frequent": words(np.flatnonzero(frequent), counts.tokens, FREQUENT),
        "outside": (content - counted) / content,
        "warns": (content - counted) / content > OUTSIDE,
        "enough": words(np.flatnonzero(kept), -counts.documents + _tie(counts.tokens), SIDE),
        "too_rare": words(np.flatnonzero(left.rare), counts.documents + _tie(counts.tokens), SIDE),
        "too_small": not scale.whole and choice.min_documents * part <= 1,  # for a word to be too rare in it
        "min_documents": choice.min_documents,
        "stops": _stops(counts, kept_words),
        "left_out": _left_out(counts, left),
        "passage": _passage(passage, choice, counts, kept, cut) if passage else None,
        "time": _time(scale, rows_of, counted / max(part, 1e-12)),
    }


def _sections(cut: int, rows: int, D: int, scale: Scale) -> dict | None:
    """How many documents are read in how many sections, of all; None where none is. cut, rows: of the sample's D."""
    if not cut:
        return None
    both = (n * scale.documents / max(1, D) for n in (cut, rows - (D - cut)))
    cut, sections = (round(n) if scale.whole else rough(n) for n in both)
    return {"documents": cut, "sections": sections}


def _tie(tokens: np.ndarray) -> np.ndarray:
    """Below one half: of words in equally many documents the more frequent one first."""
    return tokens / (2.0 * max(1, int(tokens.max(initial=1))))


def _words(counts, of: int, D: int):
    """Of some forms the first by a key, largest first: word, tokens in the sample, documents of the whole corpus and
    their share."""

    def words(numbers: np.ndarray, key: np.ndarray, most: int) -> list[dict]:
        order = numbers[np.argsort(-key[numbers], kind="stable")[:most]]
        names = counts.words(order)
        shares = counts.documents[order] * (of / max(1, D))
        return [
            {"word": word, "tokens": int(n), "documents": int(d) if of == D else max(1, min(of, rough(d)))}
            for word, n, d in zip(names, counts.tokens[order], shares, strict=True)
        ]

    return words


def _vocabulary(documents: np.ndarray, least: int, scale: Scale, D: int) -> int:
    """Words in at least `least` documents of the whole, from those in `documents` (int32 by word, above 0) of a
    sample's D.

    Counted, where the sample can tell. Else by growth: how much such words increase from a quarter of the sample to a
    half and to all of it (what a part would have is a binomial's expectation), each doubling by less than the one
    before. That the growth goes on falling at the same rate is an assumption: it takes the sample for an even part of
    the whole, and the further the whole is beyond it the less it says. Only tests/webapp/ingest/test_prepare.py holds
    it to something: words drawn from a power law, off by at most 35 per cent from a fifth of the documents.
    """
    part = D / max(1, scale.documents)
    if scale.whole or least * part >= _TELLS:
        return int(np.count_nonzero(documents >= least * part))
    sizes, words = np.unique(documents[documents >= least], return_counts=True)
    quarter, half, all_ = (float((words * bdtrc(least - 1, sizes, p)).sum()) for p in (0.25, 0.5, 1.0))
    if quarter < 1 or all_ <= half or half <= quarter:
        return round(all_)
    before, now = math.log2(half / quarter), math.log2(all_ / half)
    fewer, doublings, growth = min(1.0, now / before), -math.log2(part), 0.0
    for i in range(math.ceil(doublings)):
        now *= fewer
        growth += now * min(1.0, doublings - i)
    return round(all_ * 2**growth)


def _stops(counts, kept_words: frozenset[str]) -> list[dict]:
    """Stop words that were met, most frequent first, and those that are kept though the language's list has them."""
    units = np.flatnonzero(counts.reason == REASONS.index("stop word"))
    units = units[np.argsort(-counts.left_out_tokens[units], kind="stable")[:STOPS]]
    rows = [
        {"word": word, "tokens": int(n), "kept": False}
        for word, n in zip(counts.left_out(units), counts.left_out_tokens[units], strict=True)
    ]
    return [*({"word": word, "tokens": None, "kept": True} for word in sorted(kept_words)), *rows]


def _left_out(counts, left: Thresholds) -> list[dict]:
    rows = [
        {
            "reason": name,
            "words": int((counts.reason == i).sum()),
            "tokens": int(counts.left_out_tokens[counts.reason == i].sum()),
        }
        for i, name in enumerate(REASONS[:-THRESHOLDS])
    ]
    rows += [
        {"reason": name, "words": int(mask.sum()), "tokens": int(counts.tokens[mask].sum())}
        for name, mask in zip(REASONS[-THRESHOLDS:], left, strict=True)
    ]
    return [row for row in rows if row["words"]]


def _passage(passage: str, choice: Choice, counts, kept: np.ndarray, cut: dict) -> dict:
    """A passage in pieces, each with what becomes of it: the word that counts, "" for what is left out, None for what
    is no word."""
    [places] = terms([passage], replace(choice, min_length=1, numbers=True), **cut)
    counted = {(start, end): word for [row] in [terms([passage], choice, **cut)] for start, end, word in row}
    stays = set(counts.words(np.flatnonzero(kept))) if places else set()
    pieces, at, after = [], 0, []
    for start, end, _ in places:
        if start > at:
            pieces.append({"text": passage[at:start], "word": None})
        word = counted.get((start, end), "")
        word = word if word in stays and not _stopped(passage[start:end], choice) else ""
        pieces.append({"text": passage[start:end], "word": word})
        after += [word] if word else []
        at = end
    pieces.append({"text": passage[at:], "word": None})
    return {"pieces": pieces, "after": after}


def _stopped(text: str, choice: Choice) -> bool:
    """Whether it is a stop word, or words of which each is one and that an apostrophe joins."""
    parts = regex.split(r"['’]", text.lower())
    return text.lower() in choice.stop_words or (len(parts) > 1 and all(part in choice.stop_words for part in parts))


def _time(scale: Scale, rows: int, tokens: float) -> dict:
    """How long reading and a first training may take, in words. rows: of the bag of words."""
    topics = engines.suggest_topics(round(tokens))
    config = engines.config(engines.DEFAULT, topics=topics).resolve(rows, max(1, int(tokens)))
    training = training_seconds(engines.DEFAULT, config, round(tokens))
    reading = 0.0
    if scale.seconds:
        reading = READY + max(scale.characters / READ, scale.seconds * scale.bytes / max(1, scale.read))
    return {
        "reading": _about(reading) if reading else "",
        "training": _about(training),
        "topics": topics,
        "tokens": round(tokens) if scale.whole else rough(tokens),
        "too_small": TOO_SMALL if tokens < engines.FEW_TOKENS else "",
        "passes": config.passes,
    }


class Cost(NamedTuple):
    """What a training takes. seconds: on one core of a usual machine. memory: bytes beside the corpus. disk: bytes that the
    run takes when it is done; at_work: at the most until then."""

    seconds: float
    memory: int
    disk: int
    at_work: int


def cost(engine: str, topics: int, documents: int, tokens: int, vocabulary: int) -> Cost:
    """About what an engine takes with its own settings and so many topics."""
    config = engines.config(engine, topics=topics).resolve(documents, tokens)
    paces = Paces.of(documents, config)
    pairs = round(PAIRS * tokens)
    shape = Shape(D=documents, V=vocabulary, tokens=tokens, per_pass=paces.per_pass, later=paces.later, pairs=pairs)
    module = engines.get(engine)
    disk = _disk(topics, shape, module.remembered(config, shape) if isinstance(module, Remembering) else 0)
    return Cost(training_seconds(engine, config, tokens), module.memory(config, shape), *disk)


def _disk(topics: int, shape: Shape, remembers: int) -> tuple[int, int]:
    """Cost.disk and Cost.at_work. remembers: bytes, of contract.Remembering."""
    rows = min(shape.pairs, shape.V * min(topics, ROWS * (topics / 100) ** 0.45))
    mixtures = min(topics, MIXTURE * (shape.tokens / shape.D) ** 0.5 * (topics / 100) ** 0.2)  # topics of a document
    evidence = 6 * shape.pairs + (14 * mixtures + 8) * shape.D + day_sums.most_bytes(round(mixtures * shape.D))
    done = rows * (ROW + STATE_PACKED) + evidence + OF_TOPIC * topics
    scratch = remembers if remembers >= LARGE else 0
    at_work = 3 * rows * ROW + 2 * (remembers + STATE * rows) + scratch + evidence + OF_TOPIC * topics
    return round(done), round(at_work)


def training_seconds(engine: str, config: Config, tokens: int) -> float:
    """About how long a run takes, to the topics of every document. config: resolved."""
    return engines.get(engine).seconds(config, tokens) + tokens * FOLD + 2


def rough(number: float) -> int:
    """Two digits of a number: an estimate has no more."""
    if number < 100:
        return round(number)
    unit = 10 ** (int(math.log10(number)) - 1)
    return round(number / unit) * unit


def _about(seconds: float) -> str:
    said = spoken(seconds)
    return said if "few" in said else f"about {said}"


def spoken(seconds: float) -> str:
    """A duration as one says it."""
    for limit, words in ((8, "a few seconds"), (20, "15 seconds"), (45, "half a minute"), (90, "a minute")):
        if seconds < limit:
            return words
    minutes = seconds / 60
    if minutes < 50:
        return f"{min((2, 3, 4, 5, 7, 10, 15, 20, 30, 40), key=lambda n: abs(math.log(n / minutes)))} minutes"
    hours = minutes / 60
    return "an hour" if hours < 1.5 else f"{round(hours)} hours" if hours < 36 else f"{round(hours / 24)} days"


def passage_of(texts: list[str]) -> str:
    """The first passage that has most of what options change."""
    best, most = "", -1
    for text in texts:
        for first in range(0, len(text), _PASSAGE):
            begin = (
                regex.search(r"(?<=[.!?]\s+)\p{Lu}|$", text, pos=first, endpos=first + _PASSAGE // 2) if first else None
            )
            start = begin.start() if begin and begin.group() else first
            passage = text[start : start + _PASSAGE]
            features = (
                sum(bool(feature.search(passage)) for feature in _FEATURES)
                if len(passage) > _PASSAGE // 2 or not best
                else -1
            )
            if features > most:
                best, most = passage, features
                if most == len(_FEATURES):
                    return _whole_words(best)
    return _whole_words(best)


def _whole_words(passage: str) -> str:
    cut = passage.rsplit(None, 1)[0] if len(passage) >= _PASSAGE and " " in passage else passage
    return cut.strip()
