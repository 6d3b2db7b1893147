"""The reading protocol: what a reader is asked, blind and the same for everybody with one seed; and what came of it.

Close reading: ten passages of a topic, sampled where it is high, middling and borderline. Word and topic intrusion:
Chang, Boyd-Graber, Gerrish, Wang and Blei 2009, "Reading tea leaves", section 3.
"""

import re
from collections import defaultdict
from itertools import combinations

import numpy as np
from django.db.models import Count

from inference.evaluate.agreement import MISSING, alpha, kappa
from webapp.accounts import embargo
from webapp.documents import wording
from webapp.models import Answer, Run, Topic
from webapp.results import evidence, links, topics
from webapp.results.view import RunView
from webapp.storage.sql import rows

STRATA = {"high": 4, "middle": 3, "borderline": 3}  # passages of each: ten in all
SHORTEST = 20  # words of the vocabulary that a document needs: the share of a topic in fewer says little
WINDOW = 100  # words of a passage: long enough to see what it is about
READ = 200_000  # characters of a document that are looked through
SHOWN = 5  # words of a topic in the word test, besides the intruder (Chang et al.)
OPENING = 900  # characters of a document that the topic test shows
APART = 100  # ranks of a topic's own words, among which no intruder may stand
FITS = ("yes", "no", "unsure")
PAGE = 100
READERS = 12  # whose agreement is shown pair by pair


def _random(seed: int, number: int, kind: int) -> np.random.Generator:
    return np.random.default_rng([seed, number, kind])


# Close reading -------------------------------------------------------------------------------------------------------


def sample(run: Run, number: int, seed: int) -> list[dict]:
    """Up to ten documents: document, share, stratum; in an order that does not tell the stratum.

    Documents with the topic stand in order of its share. "high" are drawn from the first twentieth, "middle" from the
    second quarter, "borderline" from the last quarter; where there are few documents the strata move together.
    """
    of = evidence.of(run)
    at = np.flatnonzero(of.doc_topics == number)
    documents = np.searchsorted(of.doc_ptr, at, side="right") - 1
    shares = of.doc_tokens[at] / np.maximum(of.lengths[documents], 1)
    long = of.lengths[documents] >= SHORTEST
    if long.sum() >= sum(STRATA.values()):
        documents, shares = documents[long], shares[long]
    order = np.lexsort((documents, -shares))
    documents, shares = documents[order], shares[order]
    random = _random(seed, number, 0)
    chosen = []
    for stratum, (first, end) in _strata(len(documents)).items():
        picked = random.choice(np.arange(first, end), min(STRATA[stratum], end - first), replace=False)
        chosen += [
            {"document": int(documents[i]), "share": float(shares[i]), "stratum": stratum} for i in np.sort(picked)
        ]
    return [chosen[i] for i in random.permutation(len(chosen))]


def _strata(n: int) -> dict[str, tuple[int, int]]:
    """Ranks [first, end) that each stratum is drawn from: disjoint, and large enough from n = 10 on."""
    high = min(n, max(STRATA["high"], n // 20))
    middle = min(n, max(high + STRATA["middle"], n // 2))
    last = max(middle, n - max(STRATA["borderline"], n // 4))
    return {"high": (0, high), "middle": (min(max(high, n // 4), middle), middle), "borderline": (last, n)}


def passages(run: Run, number: int, seed: int) -> list[dict]:
    """The sample with the text to read: where most tokens of the topic stand together, or the beginning."""
    chosen = sample(run, number, seed)
    of = evidence.of(run)
    pairs = {row["document"]: of.document(row["document"]) for row in chosen}
    mine = {d: words[given == number].tolist() for d, (words, _, given, _) in pairs.items()}
    spelled = rows(
        "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)",
        [run.version_id, sorted(set().union(*mine.values()))],
    )
    word = {row["number"]: row["word"] for row in spelled}

    def densest(d: int, text: str) -> tuple[int, int]:
        return _densest(text, wording.terms(run.version, [text])[0], {word[w] for w in mine[d]})

    numbers = list(mine)
    known = embargo.about(run.corpus, numbers, "title", "date_text")
    texts = embargo.chosen(run.corpus, numbers, READ, densest)
    for row in chosen:
        row["start"], row["text"] = texts[row["document"]]
        row["end"] = row["start"] + len(row["text"])
        row["title"], row["date_text"] = (known[row["document"]][name] for name in ("title", "date_text"))
    return chosen


def _densest(text: str, spans: list, wanted: set[str]) -> tuple[int, int]:
    """The first window of WINDOW words that holds most of `wanted`, as characters start to end."""
    if not spans:
        return 0, min(len(text), OPENING)
    has = np.concatenate([[0], np.cumsum([word in wanted for _, _, word in spans])])
    width = min(WINDOW, len(spans))
    first = int(np.argmax(has[width:] - has[:-width]))
    return spans[first][0], spans[first + width - 1][1]


# Intrusion -----------------------------------------------------------------------------------------------------------


def word_test(run: Run, number: int, seed: int) -> dict | None:
    """The topic's first words and one that intrudes: {"shown": words, "intruder": its place}.

    The intruder is among another topic's first words and not among this one's first hundred, so that it is no rare
    word. None where there is no such word, or the topic has too few of its own.
    """
    view = RunView(run)
    own = topics.top_words(view, [number], APART, topics.FREQUENT)[number]
    if len(own) < SHOWN:
        return None
    random = _random(seed, number, 1)
    others = [int(k) for k in random.permutation(view.topics) if k != number][:10]
    candidates = topics.top_words(view, others, SHOWN * 2, topics.FREQUENT)
    for other in others:
        intruders = [word for word in candidates[other] if word not in own]
        if intruders:
            intruder = intruders[int(random.integers(len(intruders)))]
            shown = [*own[:SHOWN], intruder]
            order = random.permutation(len(shown))
            return {"shown": [shown[i] for i in order], "intruder": int(np.flatnonzero(order == SHOWN)[0])}
    return None


def topic_test(run: Run, number: int, seed: int) -> dict | None:
    """A document of which this topic is the largest, its three largest topics and one that has no token there.

    {"document", "text", "shown": [{"number", "words"}], "intruder": its place, "weights": of those shown}. None where
    no document has three topics, or none is left to intrude.
    """
    of, random = evidence.of(run), _random(seed, number, 2)
    at = np.flatnonzero(of.doc_topics == number)
    documents = np.searchsorted(of.doc_ptr, at, side="right") - 1
    fit = (np.diff(of.doc_ptr)[documents] >= 3) & (of.lengths[documents] >= SHORTEST)
    largest = of.doc_tokens[at] * 3 >= of.lengths[documents]  # a third at least: a cheap test; the exact one follows
    for document in random.permutation(documents[fit & largest])[:50].tolist():
        present, tokens = of.mixture(document)
        order = np.lexsort((present, -tokens))
        absent = np.setdiff1d(RunView(run).topics, present)
        if present[order[0]] == number and len(absent):
            break
    else:
        return None
    intruder = int(random.choice(absent))
    shown = [*present[order[:3]].tolist(), intruder]
    # Half a token for a topic without any: the log odds of Chang et al. (eq. 2) need a weight above 0. N_d cancels.
    weights = [*(float(t) for t in tokens[order[:3]]), 0.5]
    words = topics.top_words(RunView(run), shown, 8, topics.FREQUENT)
    opening = embargo.beginnings(run.corpus, [document], OPENING)[document]
    places = random.permutation(4)
    return {
        "document": document,
        "text": opening if len(opening) < OPENING else opening.rpartition(" ")[0],
        "shown": [{"number": shown[i], "words": words[shown[i]]} for i in places],
        "weights": [weights[i] for i in places],
        "intruder": int(np.flatnonzero(places == 3)[0]),
    }


# Progress and results ------------------------------------------------------------------------------------------------


def answers(run: Run, number: int, seed: int, reader: str, *kinds: str) -> dict[tuple[str, int], dict]:
    """(kind, item) -> payload of what one reader said of one topic."""
    given = Answer.objects.filter(run=run, topic=number, seed=seed, reader=reader, kind__in=kinds)
    return {(answer.kind, answer.item): answer.payload for answer in given}


def revealed(said: dict, passages: list[dict]) -> bool:
    """Whether everything has been answered: only then a reader sees the shares, words and other readers' labels."""
    return ("label", 0) in said and all(("fit", i) in said for i in range(len(passages)))


def labels(run: Run, number: int) -> list[dict]:
    """What readers called a topic: reader, label, confidence, seed."""
    answers = Answer.objects.filter(run=run, topic=number, kind=Answer.Kind.LABEL).order_by("pk")
    return [{"reader": a.reader, "seed": a.seed, **a.payload} for a in answers]


def progress(run: Run, reader: str, seed: int) -> dict:
    """How many topics this reader has done of each kind, and which comes next: by size to read, by lot for the
    tests."""
    done = defaultdict(set)
    fits = dict(
        Answer.objects.filter(run=run, reader=reader, seed=seed, kind="fit")
        .values_list("topic")
        .annotate(n=Count("pk"))
        .values_list("topic", "n")
    )
    for kind, topic in (
        Answer.objects.filter(run=run, reader=reader, seed=seed).exclude(kind="fit").values_list("kind", "topic")
    ):
        done[kind].add(topic)
    done["label"] &= {topic for topic, n in fits.items() if n}
    by_size = list(
        Topic.objects.filter(snapshot_id=run.snapshot_id, used=True)
        .order_by("-share", "number")
        .values_list("number", flat=True)
    )
    orders = {"label": by_size}
    for place, kind in enumerate(("words", "topics")):
        orders[kind] = _random(seed, place, 3).permutation(RunView(run).topics).tolist()
    return {
        kind: {"done": len(done[kind]), "next": next((k for k in order if k not in done[kind]), None)}
        for kind, order in orders.items()
    }


def after(run: Run, reader: str, seed: int, kind: str, number: int) -> int | None:
    """The topic of the next question of a kind, behind this one in its order; None at the end."""
    order = _random(seed, ("words", "topics").index(kind), 3).permutation(RunView(run).topics).tolist()
    done = set(Answer.objects.filter(run=run, reader=reader, seed=seed, kind=kind).values_list("topic", flat=True))
    place = order.index(number) + 1
    return next((k for k in order[place:] + order[:place] if k not in done and k != number), None)


def results(run: Run, first: int = 0) -> dict:
    """What came of it: a page of topics from number `first` on, and measures over all of them."""
    said = list(
        Answer.objects.filter(run=run).order_by("topic", "pk").values_list("reader", "kind", "topic", "seed", "payload")
    )
    by_topic = defaultdict(list)
    for reader, kind, topic, _, payload in said:
        by_topic[topic].append((reader, kind, payload))
    numbers = sorted(k for k in by_topic if k >= first)
    view = RunView(run)
    page = [_of_topic(view, k, by_topic[k]) for k in numbers[:PAGE]]
    words = [p["chosen"] == p["intruder"] for _, kind, _, _, p in said if kind == "words"]
    tests = [p for _, kind, _, _, p in said if kind == "topics"]
    return {
        "topics": page,
        "next": numbers[PAGE] if len(numbers) > PAGE else None,
        "readers": sorted({reader for reader, *_ in said}),
        "passages": sum(kind == "fit" for _, kind, *_ in said),
        "labels": sum(kind == "label" for _, kind, *_ in said),
        "agreement": agreement([(r, (k, s, p["document"]), p["fits"]) for r, kind, k, s, p in said if kind == "fit"]),
        "model_precision": _mean(words),
        "word_tests": len(words),
        "topic_precision": _mean([p["chosen"] == p["intruder"] for p in tests]),
        "log_odds": _mean([p["log_odds"] for p in tests]),
        "topic_tests": len(tests),
    }


def _of_topic(view: RunView, number: int, said: list[tuple[str, str, dict]]) -> dict:
    fits = [p for _, kind, p in said if kind == "fit"]
    named = [{"reader": reader, **p} for reader, kind, p in said if kind == "label"]
    words = [p["chosen"] == p["intruder"] for _, kind, p in said if kind == "words"]
    tests = [p for _, kind, p in said if kind == "topics"]
    return links.topic(view, number) | {
        "labels": named,
        "likeness": likeness([p["label"] for p in named]),
        "fits": {
            s: [sum(p["fits"] == "yes" for p in fits if p["stratum"] == s), sum(p["stratum"] == s for p in fits)]
            for s in STRATA
        },
        "model_precision": _mean(words),
        "word_tests": len(words),
        "log_odds": _mean([p["log_odds"] for p in tests]),
        "topic_tests": len(tests),
    }


def _mean(values: list) -> float | None:
    return float(np.mean(values)) if values else None


def likeness(labels: list[str]) -> float | None:
    """Words that two labels share of those that either has (Jaccard), averaged over pairs; None for fewer than two."""
    sets = [set(re.findall(r"\w+", label.lower())) for label in labels]
    return _mean([len(a & b) / max(len(a | b), 1) for a, b in combinations(sets, 2)])


def agreement(fits: list[tuple[str, tuple, str]]) -> dict:
    """Krippendorff's alpha of all readers, and Cohen's kappa of each two, on (reader, passage, answer) rows."""
    readers = sorted({reader for reader, _, _ in fits})
    items = {item: i for i, item in enumerate(sorted({item for _, item, _ in fits}))}
    table = np.full((len(readers), len(items)), MISSING)
    for reader, item, answer in fits:
        table[readers.index(reader), items[item]] = FITS.index(answer)
    pairs = [
        {"readers": [readers[a], readers[b]], "both": int(((table[a] != MISSING) & (table[b] != MISSING)).sum()), "kappa": _number(kappa(table[a], table[b]))}
        for a, b in combinations(range(min(len(readers), READERS)), 2)
    ]  # fmt: skip
    return {
        "alpha": _number(alpha(table)),
        "judged_twice": int(((table != MISSING).sum(axis=0) >= 2).sum()),
        "pairs": pairs,
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
