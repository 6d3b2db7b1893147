"""The JSON of LDAvis and pyLDAvis (Sievert and Shirley 2014), with the topics' own numbers: from 0,
in their order.

pyLDAvis numbers topics by size unless it is told not to. Here `topic.order` is 0 … K - 1 and topic
k is “Topick”. Bars are tokens that were given to topics, as everywhere in these pages, not expected
counts.
"""

import json
from collections.abc import Iterator

import numpy as np

from webapp.core.results import provenance
from webapp.service.exports.model import Model
from webapp.service.exports.tables import ExportSource

R = 30  # terms shown at a time
LAMBDA_STEP = 0.01  # of lambda, the viewer's slider
COLUMNS = ("Freq", "Total", "Category", "logprob", "loglift")  # of tinfo
Term = tuple[int, int, int, str, float, float]  # a word and its COLUMNS


def viewer(source: ExportSource) -> Iterator[bytes]:
    model = Model(source.run)
    terms = [*_default(model), *(term for k in range(model.K) for term in _relevant(model, k))]
    words = [word for word, *_ in terms]
    yield json.dumps(
        {
            "mdsDat": {
                "x": model.map[:, 0].tolist(),
                "y": model.map[:, 1].tolist(),
                "topics": list(range(model.K)),
                "cluster": [1] * model.K,
                "Freq": (100 * (model.tokens / model.tokens.sum())).tolist(),
            },
            "tinfo": (
                {"Term": [model.vocabulary[w] for w in words]}
                | {name: [term[i] for term in terms] for i, name in enumerate(COLUMNS, 1)}
            ),
            "token.table": _token_table(model, np.unique(words)),
            "R": min(R, model.V),
            "lambda.step": LAMBDA_STEP,
            "plot.opts": {"xlab": "", "ylab": ""},
            "topic.order": list(range(model.K)),
            "made_by": provenance.made_by(source.run),
        },
        ensure_ascii=False,
    ).encode()


def _default(model: Model) -> Iterator[Term]:
    """The most salient words: p(w) times the divergence of p(topic | w) from p(topic) (Chuang et
    al. 2012)."""
    ptr, topics, tokens, _ = model.evidence.word_topics.held_by_word()
    word = np.repeat(np.arange(model.V), np.diff(ptr))
    p = tokens / model.word_tokens[word]
    parts = p * np.log(p / (model.tokens[topics] / model.tokens.sum()))
    saliency = (
        model.word_tokens / model.word_tokens.sum() * np.bincount(word, parts, minlength=model.V)
    )
    for rank, w in enumerate(np.argsort(-saliency, kind="stable")[:R].tolist()):
        yield (
            w,
            int(model.word_tokens[w]),
            int(model.word_tokens[w]),
            "Default",
            R - rank,
            R - rank,
        )


def _relevant(model: Model, k: int) -> Iterator[Term]:
    """Words that are among the first R of a topic for some lambda, of those that have tokens in
    it."""
    entries = model.topic(k)
    has = entries.tokens > 0
    words = entries.words[has]
    weights = entries.weights[has].astype(np.float64)
    tokens = entries.tokens[has]
    logprob = np.log(weights)
    loglift = logprob - np.log(model.word_tokens[words] / model.word_tokens.sum())
    chosen_words: set[int] = set()
    for lam in np.linspace(0, 1, round(1 / LAMBDA_STEP) + 1):
        relevance = lam * logprob + (1 - lam) * loglift
        chosen_words.update(
            (
                np.argpartition(-relevance, R)[:R] if len(words) > R else np.arange(len(words))
            ).tolist()
        )
    for i in sorted(chosen_words):
        yield (
            int(words[i]),
            int(tokens[i]),
            int(model.word_tokens[words[i]]),
            f"Topic{k}",
            round(logprob[i], 4),
            round(loglift[i], 4),
        )


def _token_table(model: Model, words: np.ndarray) -> dict[str, list[str | int | float]]:
    """The share of each word's tokens in each topic, for the words that are shown."""
    ptr, topics, tokens, _ = model.evidence.word_topics.held_by_word()
    table: dict[str, list[str | int | float]] = {"Term": [], "Topic": [], "Freq": []}
    for w in sorted(words.tolist(), key=lambda w: model.vocabulary[w]):
        span = slice(ptr[w], ptr[w + 1])
        table["Term"] += [model.vocabulary[w]] * (span.stop - span.start)
        table["Topic"] += topics[span].tolist()
        table["Freq"] += (tokens[span] / model.word_tokens[w]).tolist()
    return table
