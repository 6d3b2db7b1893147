"""The questions: how each is asked, and its answer in plain Python."""

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import regex
from django.http import QueryDict

from inference.text import Tokeniser
from webapp.analysis.collocations import queries as collocations
from webapp.analysis.keyness import counting as keyness
from webapp.analysis.time import contrasts
from webapp.analysis.words import patterns, queries
from webapp.core.documents import search
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.intake.ingest.shaping import silent
from webapp.models import Document, Run
from webapp.platform.storage import cache, files

KEYNESS = (
    "from_a=1993&to_a=2009&from_b=2016&to_b=2019",
    "in_a=category:cs.CR&in_b=category:math.NA",
    'q="quantum field"&rest=1',
)
COMPANY = (
    "method",
    "theory",
    "equation",
)  # in no compound of the vocabulary: of these a piece is another word
NEAR = 5
PATTERNS = {  # and what it is among words with a space on either side
    "state of the art": "(?<= )state of the art(?= )",
    "neural *": r"(?<= )neural \S+(?= )",
    "quantum|classical ~5 field": r"(?<= )(?:quantum|classical)(?= (?:\S+ ){0,4}field )"
    r"|(?<= field (?:\S+ ){0,4})(?:quantum|classical)(?= )",
    "/(semi|un)?supervised/ learning": "(?<= )(?:semi|un)?supervised learning(?= )",
    "the *": r"(?<= )the \S+(?= )",
    "=The *": r"(?<= )The \S+(?= )",
    "of the ~9 in": r"(?<= )of the(?= (?:\S+ ){0,8}in )|(?<= in (?:\S+ ){0,8})of the(?= )",
}


class Texts:
    """The words of all texts but those that don't count: of so many documents, which come again and
    again."""

    def __init__(self, run: Run, copies: int):
        stream = search.open_index(run.corpus).stream
        self.language = stream.language
        self.given = stream.given
        spans = Tokeniser(stream.language, stream.given).spans
        rules = run.corpus.settings["shaping"]["silent"]
        self.D = run.version.documents
        self.copies = copies
        self.spelling = list(stream.lexicon)
        rows = Document.objects.filter(corpus=run.corpus_id, number__lt=self.D // copies).order_by(
            "number"
        )
        self.words, self.written = (
            list[list[str]](),
            list[list[str]](),
        )  # as the lexicon has them, and as the texts do
        for text in rows.values_list("text", flat=True):
            pieces = spans(silent(text, rules))
            self.words.append([w for *_, w in pieces])
            self.written.append([sys.intern(text[a:b]) for a, b, _ in pieces])

    def counts(self, forms: np.ndarray, *counters: Counter[str]) -> list[list[int]]:
        """What each counter has of each form."""
        return [[counter[self.spelling[form]] for form in forms] for counter in counters]


def counted(lists: list[list[str]]) -> tuple[Counter[str], Counter[str]]:
    """Tokens of each word, and the lists that have it."""
    return Counter(chain(*lists)), Counter(chain(*map(set, lists)))


def found(lists: list[list[str]], expression: str) -> np.ndarray:
    """int64[n]: how often it is found in each list, whose words have a space on either side."""
    form = regex.compile(expression)
    return np.array([len(form.findall(f" {' '.join(words)} ")) for words in lists])


def contrast(view: RunView, asked: str) -> keyness.Contrast:
    query = QueryDict(asked)
    sides = contrasts.read_sides(query, Selection.read(query, view), "rest" in query)
    if sides is None:
        raise SystemExit(f"“{asked}” compares nothing.")
    return keyness.Contrast(*sides, "all")


def same_keyness(view: RunView, texts: Texts, asked: str, made: keyness.Computed) -> bool:
    compared = contrast(view, asked)
    first, second = compared.divided.of_both(compared.base)
    second = np.setdiff1d(np.arange(texts.D), first) if second is None else second
    a, b = (
        counted([texts.words[d % len(texts.words)] for d in side.tolist()])
        for side in (first, second)
    )
    words = made.forms < len(texts.spelling)
    wanted = [np.transpose(texts.counts(made.forms[words], a[i], b[i])).tolist() for i in range(2)]
    for phrase in keyness.Counted.of(view.run).spelled(made.forms[~words]):
        pieces = " ".join(word for *_, word in Tokeniser(texts.language, texts.given).spans(phrase))
        each = [
            found(texts.words, f"(?<= ){regex.escape(pieces)}(?= )")[side % len(texts.words)]
            for side in (first, second)
        ]
        wanted[0].append([int(counts.sum()) for counts in each])
        wanted[1].append([int(np.count_nonzero(counts)) for counts in each])
    return made.totals.tokens.tolist() == [a[0].total(), b[0].total()] and wanted == [
        array.tolist() for array in (made.tokens, made.documents)
    ]


def company(view: RunView, asked: str) -> collocations.Counted:
    word = queries.word(view.run.version, asked)
    if word is None:
        raise SystemExit(f"“{asked}” is no word of this run.")
    return collocations.count_near(
        Selection.all(view),
        word,
        collocations.Asked(None, NEAR, NEAR, 5, "log_dice", "all"),
    )


def near(words: list[str], asked: str) -> list[str]:
    at = {i for i, word in enumerate(words) if word == asked}
    around = {j for i in at for j in range(max(i - NEAR, 0), min(i + NEAR + 1, len(words)))}
    return [words[j] for j in around - at]


def same_company(view: RunView, texts: Texts, asked: str, made: collocations.Counted) -> bool:
    tokens, documents = counted(texts.copies * [near(words, asked) for words in texts.words])
    every, _ = counted(texts.copies * texts.words)
    one = made.near
    sums = made.near.sums
    alike = (one.found, one.totals.tokens, made.total) == (
        every[asked],
        tokens.total(),
        every.total() - every[asked],
    )
    every[asked] = tokens[asked]  # of the word itself no more than what is near another use
    return alike and [
        array.tolist() for array in (sums.tokens, sums.documents, made.everywhere)
    ] == texts.counts(sums.forms, tokens, documents, every)


def same_hits(view: RunView, texts: Texts, asked: str, made: patterns.Hits) -> bool:
    once = found(texts.written if asked.startswith("=") else texts.words, PATTERNS[asked])
    return (
        np.bincount(made.documents, made.counts, texts.D).tolist() == once.tolist() * texts.copies
    )


MIX: tuple[
    tuple[Any, Callable, Callable], ...
] = (  # the questions, how one is asked, and whether what came is true
    (
        KEYNESS,
        lambda view, asked: contrast(view, asked).computed(None),
        same_keyness,
    ),
    (COMPANY, company, same_company),
    (PATTERNS, lambda view, asked: patterns.hits(Selection.all(view), asked, None), same_hits),
)


def answered(run: Run, copies: int, repeats: int) -> None:
    """Asks all, and prints a line for each."""
    view = RunView(run)
    texts = Texts(run, copies)
    times = []
    equal = []
    for of_kind, ask, same in MIX:
        for asked in of_kind:
            took = [asking(ask, view, asked, n < repeats) for n in range(2 * repeats + 1)]
            times.append(
                (took[repeats + 1 :], took[:repeats])
            )  # the first behind cold ones opens files
            equal.append(same(view, texts, asked, ask(view, asked)))
            said = " ".join(f"{np.median(some):7.0f}" for some in times[-1])
            print(
                f"{asked:45} ms warm, cold: {said} {'equal' if equal[-1] else 'NOT EQUAL'}",
                flush=True,
            )
    warm, cold = (np.percentile(some, 95) for some in zip(*times, strict=True))
    print(f"load {os.getloadavg()[0]:.1f}; cold p95: {cold:.0f} ms")
    print(f"equal: {'yes' if all(equal) else 'no'} p95: {warm:.0f} ms at {texts.D:,} documents")


def asking(ask: Callable, view: RunView, asked: str, cold: bool) -> float:
    """Milliseconds of a question, what these keep emptied; cold: nothing open, and all files out of
    the page cache."""
    for kept in (
        keyness._computed,
        collocations._near,
        collocations._everywhere,
        patterns._hits,
        cache.of_documents,
    ):
        kept.clear()
    if cold:
        ask(view, asked)  # compiles
        cache.clear_all()
        gc.collect()  # what holds files open
        run = view.run
        for folder in (
            files.corpus_folder(run.corpus_id),
            files.version_folder(run.version_id),
            files.run_folder(run.pk),
        ):
            for path in filter(os.path.isfile, folder.rglob("*")):
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    began = time.perf_counter()
    ask(view, asked)
    return 1000 * (time.perf_counter() - began)
