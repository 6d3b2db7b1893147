"""The questions: how each is question, and its answer in plain Python."""

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
import regex
from django.http import QueryDict

from inference.text import Tokeniser
from webapp.analysis.collocations import queries as collocations
from webapp.analysis.two_sets import compared_sets, word_contrast as keyness
from webapp.analysis.words import patterns, queries
from webapp.core.documents import search
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.intake.ingest.shaping import blank_silent
from webapp.models import Document, Run
from webapp.platform.storage import cache, files

KEYNESS = (
    "from_a=1993&to_a=2009&from_b=2016&to_b=2019",
    "in_a=category:cs.CR&in_b=category:math.NA",
    'q="quantum field"&rest=1',
)
# In no compound of the vocabulary: of words that are, a piece is another word.
COMPANY = ("method", "theory", "equation")
MILLISECONDS = 1000
NEAR = 5  # words on either side that are company
LEAST_USES = 5
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
    again. words: as the lexicon has them; written: as the texts do."""

    def __init__(self, run: Run, copies: int):
        stream = search.open_index(run.corpus).stream
        self.language = stream.language
        self.given = stream.given
        spans = Tokeniser(stream.language, stream.given).spans
        rules = run.corpus.settings["shaping"]["silent"]
        self.D = run.version.documents
        self.copies = copies
        self.spelling = list(stream.lexicon)
        self.words: list[list[str]] = []
        self.written: list[list[str]] = []
        documents = Document.objects.filter(corpus=run.corpus_id, number__lt=self.D // copies)
        for text in documents.order_by("number").values_list("text", flat=True):
            words_of_text = spans(blank_silent(text, rules))
            self.words.append([word for *_, word in words_of_text])
            self.written.append([sys.intern(text[start:end]) for start, end, _ in words_of_text])

    def of_documents(self, documents: np.ndarray) -> list[list[str]]:
        """The words of some documents. documents: int64[n], of all copies."""
        return [self.words[document % len(self.words)] for document in documents.tolist()]

    def counts(self, forms: np.ndarray, counter: Counter[str]) -> list[int]:
        """What a counter has of each form."""
        return [counter[self.spelling[form]] for form in forms]

    def pieces(self, phrase: str) -> str:
        """The words of a phrase as the lexicon has them, with a space between."""
        spans = Tokeniser(self.language, self.given).spans(phrase)
        return " ".join(word for *_, word in spans)


def count_words(lists: list[list[str]]) -> tuple[Counter[str], Counter[str]]:
    """Tokens of each word, and the lists that have it."""
    return Counter(chain(*lists)), Counter(chain(*map(set, lists)))


def count_matches(lists: list[list[str]], expression: str) -> np.ndarray:
    """int64[n]: how often it is found in each list, whose words have a space on either side."""
    form = regex.compile(expression)
    return np.array([len(form.findall(f" {' '.join(words)} ")) for words in lists])


def contrast(view: RunView, question: str) -> keyness.Contrast:
    query = QueryDict(question)
    sides = compared_sets.read_sides(query, Selection.read(query, view), "rest" in query)
    if sides is None:
        raise SystemExit(f"“{question}” compares nothing.")
    return keyness.Contrast(*sides, "all")


def same_keyness(view: RunView, texts: Texts, question: str, answer: keyness.Computed) -> bool:
    """Whether an answer has the tokens and documents of each word and phrase on both sides."""
    compared = contrast(view, question)
    first, second = compared.divided.of_both(compared.base)
    if second is None:
        second = np.setdiff1d(np.arange(texts.D), first)
    is_word = answer.forms < len(texts.spelling)
    words = answer.forms[is_word]
    phrases = keyness.Counted.of(view.run).spelled(answer.forms[~is_word])
    sides = [_keyness_side(texts, side, words, phrases) for side in (first, second)]
    totals = [side.total for side in sides]
    tokens = np.transpose([side.tokens for side in sides])
    documents = np.transpose([side.documents for side in sides])
    return (
        answer.totals.tokens.tolist() == totals
        and answer.amounts.tolist() == tokens.tolist()
        and answer.documents.tolist() == documents.tolist()
    )


class Side(NamedTuple):
    """total: all tokens. tokens, documents: of each word, then of each phrase."""

    total: int
    tokens: list[int]
    documents: list[int]


def _keyness_side(
    texts: Texts, documents: np.ndarray, words: np.ndarray, phrases: Iterable[str]
) -> Side:
    """Counts of some documents, int64[n]. words: forms; phrases: spelled."""
    tokens_of, documents_of = count_words(texts.of_documents(documents))
    side = Side(
        total=tokens_of.total(),
        tokens=texts.counts(words, tokens_of),
        documents=texts.counts(words, documents_of),
    )
    for phrase in phrases:
        expression = f"(?<= ){regex.escape(texts.pieces(phrase))}(?= )"
        uses = count_matches(texts.words, expression)[documents % len(texts.words)]
        side.tokens.append(int(uses.sum()))
        side.documents.append(int(np.count_nonzero(uses)))
    return side


def company(view: RunView, question: str) -> collocations.Counted:
    word = queries.word(view.run.version, question)
    if word is None:
        raise SystemExit(f"“{question}” is no word of this run.")
    settings = collocations.NearQuestion(None, NEAR, NEAR, LEAST_USES, "log_dice", "all")
    return collocations.count_near(Selection.all(view), word, settings)


def near(words: list[str], question: str) -> list[str]:
    """The words within NEAR of a use of a word, each place once, without those uses."""
    uses = {place for place, word in enumerate(words) if word == question}
    around: set[int] = set()
    for use in uses:
        around.update(range(max(use - NEAR, 0), min(use + NEAR + 1, len(words))))
    return [words[place] for place in around - uses]


def same_company(view: RunView, texts: Texts, question: str, answer: collocations.Counted) -> bool:
    """Whether an answer has the tokens and documents of each word near a word, and everywhere."""
    lists = [near(words, question) for words in texts.words]
    tokens, documents = count_words(texts.copies * lists)
    everywhere, _ = count_words(texts.copies * texts.words)
    elsewhere = everywhere.total() - everywhere[question]
    if answer.near.found != everywhere[question] or answer.total != elsewhere:
        return False
    if answer.near.totals.tokens != tokens.total():
        return False
    # Of the word itself no more than what is near another use
    everywhere[question] = tokens[question]
    sums = answer.near.sums
    pairs = (
        (sums.tokens, tokens),
        (sums.documents, documents),
        (answer.everywhere, everywhere),
    )
    return all(array.tolist() == texts.counts(sums.forms, counter) for array, counter in pairs)


def ask_hits(view: RunView, question: str) -> patterns.Hits:
    return patterns.hits(Selection.all(view), question, None)


def same_hits(view: RunView, texts: Texts, question: str, answer: patterns.Hits) -> bool:
    """Whether an answer has as many hits in each document. question: of PATTERNS."""
    lists = texts.written if question.startswith("=") else texts.words
    hits = count_matches(lists, PATTERNS[question])
    by_document = np.bincount(answer.documents, answer.counts, texts.D)
    return by_document.tolist() == hits.tolist() * texts.copies


def ask_keyness(view: RunView, question: str) -> keyness.Computed:
    return contrast(view, question).computed(None)


class Kind(NamedTuple):
    """A kind of questions. ask(view, question): an answer. is_true(view, texts, question, answer):
    whether plain Python has the same."""

    questions: Iterable[str]
    ask: Callable
    is_true: Callable


KINDS = (
    Kind(KEYNESS, ask_keyness, same_keyness),
    Kind(COMPANY, company, same_company),
    Kind(PATTERNS, ask_hits, same_hits),
)
CACHES = (  # what the questions keep
    keyness._computed,
    collocations._near,
    collocations._everywhere,
    patterns._hits,
    cache.of_documents,
)


class Milliseconds(NamedTuple):
    """What a question took, by the clock, and of all processors together. The second says what the
    program does where other processes are at work, too."""

    clock: float
    processor: float


def ask_all(run: Run, copies: int, repeats: int, is_checked: bool) -> None:
    """Ask all questions, and print a line for each. is_checked: compare each answer with plain
    Python's, which takes a minute or two a question at a million documents."""
    view = RunView(run)
    texts = Texts(run, copies) if is_checked else None
    times_warm = []
    times_cold = []
    verdicts = []
    print(f"{'':45} ms warm, of the processor, cold:")
    for kind in KINDS:
        for question in kind.questions:
            cold = [_milliseconds(kind.ask, view, question, True) for _ in range(repeats)]
            _milliseconds(kind.ask, view, question, False)  # opens the files
            warm = [_milliseconds(kind.ask, view, question, False) for _ in range(repeats)]
            verdict = "unchecked"
            if texts is not None:
                is_true = kind.is_true(view, texts, question, kind.ask(view, question))
                verdict = "equal" if is_true else "NOT EQUAL"
            times_cold.append([time_taken.clock for time_taken in cold])
            times_warm.append([time_taken.clock for time_taken in warm])
            verdicts.append(verdict)
            processor = np.median([time_taken.processor for time_taken in warm])
            print(
                f"{question:45} {np.median(times_warm[-1]):7.0f} {processor:7.0f}"
                f" {np.median(times_cold[-1]):7.0f} {verdict}",
                flush=True,
            )
    print(f"load {os.getloadavg()[0]:.1f}; cold p95: {_nearly_all(times_cold):.0f} ms")
    documents = run.version.documents
    print(
        f"equal: {_say_equal(verdicts)} p95: {_nearly_all(times_warm):.0f} ms at"
        f" {documents:,} documents"
    )


def _say_equal(verdicts: list[str]) -> str:
    """Sum up the verdicts of all questions."""
    if "NOT EQUAL" in verdicts:
        return "no"
    if "unchecked" in verdicts:
        return "unchecked"
    return "yes"


def _nearly_all(times: list[list[float]]) -> float:
    """Their 95th percentile."""
    return float(np.percentile(times, 95))


def _milliseconds(ask: Callable, view: RunView, question: str, cold: bool) -> Milliseconds:
    """What a question takes, the caches emptied; cold: nothing open, and all files out of the page
    cache."""
    for answers in CACHES:
        answers.clear()
    if cold:
        ask(view, question)  # compiles
        cache.clear_all()
        gc.collect()  # what holds files open
        _drop_from_page_cache(view.run)
    clock_began = time.perf_counter()
    processor_began = time.process_time()
    ask(view, question)
    processor = time.process_time() - processor_began
    return Milliseconds(
        clock=MILLISECONDS * (time.perf_counter() - clock_began),
        processor=MILLISECONDS * processor,
    )


def _drop_from_page_cache(run: Run) -> None:
    """The files of a run, its version and its corpus."""
    folders = (
        files.corpus_folder(run.corpus_id),
        files.version_folder(run.version_id),
        files.run_folder(run.pk),
    )
    for folder in folders:
        for path in filter(os.path.isfile, folder.rglob("*")):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
