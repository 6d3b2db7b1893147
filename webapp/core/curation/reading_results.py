"""What came of the reading tests: labels and judgements of topics, how far readers agree, how
precise the topics are."""

import re
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any

import numpy as np

from inference.evaluate.agreement import MISSING, alpha, kappa, tabled
from webapp.core.curation.intrusion import STRATA
from webapp.core.curation.intrusion_answers import FITS
from webapp.core.curation.shapes import Agreement, ReaderLabel, ReaderPair, TopicResults
from webapp.core.results.links import topic_link
from webapp.core.results.view import RunView
from webapp.models import Answer
from webapp.platform.storage.nulls import number_or_none

PAGE = 100  # topics
READERS = 12  # whose agreement is shown pair by pair


def results(view: RunView, first: int = 0) -> tuple[list[TopicResults], int | None, dict[str, Any]]:
    """A page of topics from number `first` on, where the next begins, and the measures over all
    topics, which are fields of ResultsPage."""
    stored_answers = list(Answer.objects.filter(run=view.run).order_by("topic", "pk"))
    by_topic = {
        topic: list(answers) for topic, answers in groupby(stored_answers, key=attrgetter("topic"))
    }
    numbers = sorted(k for k in by_topic if k >= first)
    fits = [
        (a.reader, (a.topic, a.seed, a.payload["document"]), a.payload["fits"])
        for a in stored_answers
        if a.kind == "fit"
    ]
    tests = [
        a.payload["chosen"] == a.payload["intruder"] for a in stored_answers if a.kind == "topics"
    ]
    return (
        [_of_topic(view, k, by_topic[k]) for k in numbers[:PAGE]],
        numbers[PAGE] if len(numbers) > PAGE else None,
        {
            "readers": sorted({answer.reader for answer in stored_answers}),
            "passages": len(fits),
            "labels": sum(answer.kind == "label" for answer in stored_answers),
            "agreement": agreement(fits),
            **_word_tests(stored_answers),
            "topic_precision": _mean(tests),
            **_topic_tests(stored_answers),
        },
    )


def _fits(payloads: list[dict], stratum: str) -> tuple[int, int]:
    """How many passages of a stratum fit their topic, and how many were answered."""
    answers_of_stratum = [payload["fits"] for payload in payloads if payload["stratum"] == stratum]
    return answers_of_stratum.count("yes"), len(answers_of_stratum)


def _of_topic(view: RunView, number: int, answers: list[Answer]) -> TopicResults:
    fits = [answer.payload for answer in answers if answer.kind == "fit"]
    labels = [
        ReaderLabel(reader=answer.reader, **answer.payload)
        for answer in answers
        if answer.kind == "label"
    ]
    return TopicResults(
        **vars(topic_link(view, number)),
        labels=labels,
        likeness=likeness([label.label for label in labels]),
        fits={stratum: _fits(fits, stratum) for stratum in STRATA},
        **_word_tests(answers),
        **_topic_tests(answers),
    )


def _word_tests(answers: list[Answer]) -> dict[str, Any]:
    """How many there are, and in what share of them the reader found the intruder."""
    hits = [
        answer.payload["chosen"] == answer.payload["intruder"]
        for answer in answers
        if answer.kind == "words"
    ]
    return {"model_precision": _mean(hits), "word_tests": len(hits)}


def _topic_tests(answers: list[Answer]) -> dict[str, Any]:
    odds = [answer.payload["log_odds"] for answer in answers if answer.kind == "topics"]
    return {"log_odds": _mean(odds), "topic_tests": len(odds)}


def _mean(values: list) -> float | None:
    return float(np.mean(values)) if values else None


def likeness(labels: list[str]) -> float | None:
    """Words that two labels share of those that either has (Jaccard), averaged over pairs; None for
    fewer than two."""
    sets = [set(re.findall(r"\w+", label.lower())) for label in labels]
    return _mean([len(a & b) / max(len(a | b), 1) for a, b in combinations(sets, 2)])


def agreement(fits: list[tuple[str, tuple, str]]) -> Agreement:
    """Krippendorff's alpha of all readers, and Cohen's kappa of each two, on (reader, passage,
    answer) rows."""
    readers, _, table = tabled(
        (reader, item, FITS.index(answer)) for reader, item, answer in sorted(fits)
    )
    pairs = [
        ReaderPair(
            readers=(readers[a], readers[b]),
            both=int(((table[a] != MISSING) & (table[b] != MISSING)).sum()),
            kappa=number_or_none(kappa(table[a], table[b])),
        )
        for a, b in combinations(range(min(len(readers), READERS)), 2)
    ]
    return Agreement(
        alpha=number_or_none(alpha(table)),
        judged_twice=int(((table != MISSING).sum(axis=0) >= 2).sum()),
        pairs=pairs,
    )
