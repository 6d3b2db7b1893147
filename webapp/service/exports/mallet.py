"""What MALLET's train-topics writes, to the letter (cc.mallet.topics.ParallelTopicModel): scripts
that read it read these.

Counts are tokens given to topics, as in a state of MALLET's sampler; its beta, the prior of words,
is eta here. A phrase is written with underscores, as MALLET does: its files are read at spaces.
"""

import gzip
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from webapp.service.exports.model import Model
from webapp.service.exports.table_formats import Sink
from webapp.service.exports.tables import BLOCK_DOCUMENTS, ExportSource, about, selected

TOP_WORDS = 20  # MALLET's --num-top-words
_LINES = 20_000  # in a piece


def java(number: float) -> str:
    """The number as Java's Double.toString writes it: 1.0E-4 where Python writes 0.0001."""
    text = repr(float(number))
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return text
    sign, digits, _ = Decimal(text).as_tuple()
    figures = "".join(map(str, digits)).rstrip("0") or "0"
    power = Decimal(text).adjusted()
    return f"{'-' * sign}{figures[0]}.{figures[1:] or '0'}E{power}"


def short(number: float) -> str:
    """The number as MALLET's NumberFormat writes it: at most five decimals, thousands apart."""
    rounded = Decimal(repr(float(number))).quantize(Decimal("0.00001"), ROUND_HALF_EVEN)
    return f"{rounded:,f}".rstrip("0").rstrip(".")


def written_words(model: Model) -> list[str]:
    """The vocabulary as these files have it."""
    return [word.replace(" ", "_") for word in model.vocabulary]


def topic_keys(source: ExportSource) -> Iterator[bytes]:
    """--output-topic-keys: topic, alpha, the words with most tokens; of equals the later word
    first, as in MALLET."""
    model = Model(source.run)
    words = written_words(model)
    for k in range(model.K):
        frequent = model.most_frequent(k, TOP_WORDS)
        first_words = "".join(f"{words[w]} " for w in frequent)
        yield f"{k}\t{short(model.alpha[k])}\t{first_words}\n".encode()


def doc_topics(source: ExportSource) -> Iterator[bytes]:
    """--output-doc-topics: document, name, the smoothed share of each topic in their order."""
    model = Model(source.run)
    total = float(model.alpha.sum())
    for numbers in selected(source, BLOCK_DOCUMENTS):
        columns = about(source.run, numbers)
        lines = []
        for d in numbers.tolist():
            length = int(model.evidence.lengths[d]) + total
            shares: dict[
                float, str
            ] = {}  # text of a share: most topics of a document have their prior alone
            cells = [
                shares.get(a) or shares.setdefault(a, java(a / length))
                for a in model.alpha.tolist()
            ]
            for k, n in zip(
                *(array.tolist() for array in model.evidence.mixtures.of_document(d)), strict=True
            ):
                cells[k] = java((float(model.alpha[k]) + n) / length)
            lines.append(f"{d}\t{_name(columns[d])}\t" + "\t".join(cells) + "\n")
        yield "".join(lines).encode()


def topic_word_weights(source: ExportSource) -> Iterator[bytes]:
    """--topic-word-weights-file: topic, word, its tokens plus the prior: a line for every word of
    every topic."""
    model = Model(source.run)
    words = written_words(model)
    none = java(model.eta)
    for k in range(model.K):
        entries = model.topic(k)
        weights = [none] * model.V
        for w, n in zip(entries.words.tolist(), entries.tokens.tolist(), strict=True):
            weights[w] = java(model.eta + n)
        for first in range(0, model.V, _LINES):
            pairs = zip(
                words[first : first + _LINES],
                weights[first : first + _LINES],
                strict=True,
            )
            yield "".join(f"{k}\t{word}\t{weight}\n" for word, weight in pairs).encode()


def state(source: ExportSource) -> Iterator[bytes]:
    """--output-state, compressed: a line for every token, with its topic, in the order of the
    text."""
    model = Model(source.run)
    vocabulary = written_words(model)
    sink = Sink()
    lines: list[str] = []
    with gzip.GzipFile(fileobj=sink, mode="wb", mtime=0, filename="") as file:
        file.write(b"#doc source pos typeindex type topic\n")
        file.write(
            f"#alpha : {''.join(java(a) + ' ' for a in model.alpha)}\n#beta : {java(model.eta)}\n".encode()
        )
        for numbers in selected(source, BLOCK_DOCUMENTS):
            columns = about(source.run, numbers)
            for d in numbers.tolist():
                name = _name(columns[d]) if columns[d]["id"] else "NA"
                words, topics = in_text_order(model, d)
                pairs = zip(words.tolist(), topics.tolist(), strict=True)
                lines += [
                    f"{d} {name} {at} {w} {vocabulary[w]} {k}\n" for at, (w, k) in enumerate(pairs)
                ]
                if len(lines) >= _LINES:
                    file.write("".join(lines).encode())
                    lines.clear()
                    yield sink.take()
        file.write("".join(lines).encode())
    yield sink.take()


def in_text_order(model: Model, d: int) -> tuple[np.ndarray, np.ndarray]:
    """(words, topics) of a document's tokens as they stand in its text; where places are not known,
    by word."""
    words, counts, topics, _ = model.evidence.token_topics.of_document(d)
    words = np.repeat(words, counts)
    topics = np.repeat(topics, counts)
    bow = model.evidence.document_bow
    if bow.offsets is None:
        return words, topics
    order = np.argsort(bow.offsets_of(d), kind="stable")
    return words[order], topics[order]


def _name(row: dict) -> str:
    """MALLET's names hold no spaces."""
    return re.sub(r"\s+", "_", row["id"]) or "no-name"
