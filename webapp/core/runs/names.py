"""What a run's topics are called until readers name them: proposed when their snapshot is
published."""

from collections.abc import Iterable, Iterator, Set
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import regex
from django.db import transaction
from django.db.models.functions import Length, Now

from inference import Evidence, Topics
from inference.explore import company, naming, neighbours, reach
from inference.explore.company import Company
from inference.explore.grammar import Grammar
from inference.explore.naming import Name
from inference.explore.neighbours import Sample, Written
from inference.explore.reach import Reached
from inference.text.stopwords import LANGUAGES, stop_words
from webapp.core.documents import corpus_unit, fields
from webapp.core.results import evidence
from webapp.models import Run, Snapshot, Topic, Version, Word
from webapp.platform.accounts import embargo
from webapp.platform.storage import files

# documents of a phrase that is kept: what fewer have may tell a text that is under embargo
LEAST_DOCUMENTS = 5
METHOD = 5  # which way of naming is the present one; topics that an older one named are named anew
GRAMMAR = 4_000_000  # characters that the grammar is learned from: about a second
SPANS = 24  # of time that names follow their topics over, with as many documents each
MOST_FIELDS = 8  # whose values they follow them over
MOST_VALUES = 60  # of such a field
PERSON = 0.4  # of the tokens of a person's name: families are rather called by subjects
NOUN_PHRASES = 24  # of a topic that are kept: what its family may be called by
# What a mistake in this program raises where texts are unlike all that it was tried on. Topics then
# have the names that words give, since hours of training shall not fail for a heading.
MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


class Called(NamedTuple):
    """What the topics of a finished run are called. names: of K topics. phrases: of each, the most
    frequent first: (as the texts write it, tokens, documents of those looked at). noun_phrases: of
    each, those that a family may be called by: (text, tokens, the topics that it reaches).
    by_words: whether names could not be made from the texts."""

    names: list[Name]
    phrases: list[list[tuple[str, int, int]]]
    noun_phrases: list[list[tuple[str, int, list[Reached]]]]
    by_words: bool = False


class Beat(Protocol):
    """Says now and then that the work goes on."""

    def check(self) -> None: ...


def of_words(run_id: int, topics: Topics) -> list[Name]:
    """While the run trains: made of words alone, as the vocabulary has them."""
    version = Run.everything.values_list("version_id", flat=True).get(pk=run_id)
    return naming.names(topics, spelling(version, naming.candidates(topics)))


def of_words_alone(run_id: int, topics: Topics) -> Called:
    """When training has ended and names could not be made from the texts. There are no phrases."""
    no_phrases: list[list] = [[] for _ in range(topics.K)]
    return Called(of_words(run_id, topics), no_phrases, no_phrases, by_words=True)


def of_texts(run: Run, evidence: Evidence, kinds: Company, beat: Beat) -> Called:
    """When training has ended: names made of words and phrases, as the texts write them; of a mixed
    topic of those of both subjects.

    Of a corpus under embargo only what every reader may see of a text is looked at.
    """
    lengths = np.zeros(evidence.bow.V, np.int32)
    words = Word.objects.filter(version=run.version_id).annotate(length=Length("word"))
    for number, length in words.values_list("number", "length").iterator():
        lengths[number] = length
    samples = []
    for sample in neighbours.samples(evidence, lengths):
        beat.check()
        samples.append(sample)
    vocabulary = spelling(run.version_id, naming.spelled(evidence, samples))
    first_words, *_ = company.words(evidence)
    words_of_topics = []
    for standing, first in zip(naming.standing(evidence), first_words, strict=True):
        words_of_topics.append(list(dict.fromkeys([*standing, *first])))
    looked_at = []
    phrases = []
    every_phrase = []
    taught: list[str] = []
    characters_of_topic = GRAMMAR // max(len(samples), 1)
    for sample, words_of_topic in zip(samples, words_of_topics, strict=True):
        beat.check()
        texts = neighbours.read(sample, partial(embargo.beginnings, run.corpus))
        taught += _beginnings(texts.values(), characters_of_topic)
        written = neighbours.written(
            evidence, sample, words_of_topic, vocabulary.__getitem__, texts
        )
        looked_at.append((sample, written))
        forms = [
            (written.form(p.words), p.tokens, p.documents)
            for p in sample.phrases
            if p.documents >= LEAST_DOCUMENTS
        ]
        phrases.append([row for row in forms if row[0]])
        every_phrase.append(_written_phrases(sample, written))
    grammar = Grammar(taught, _stop_words(run.version))
    avoided = corpus_unit.words_of_names(run.version)
    names = naming.by_coverage(
        evidence,
        vocabulary,
        looked_at,
        grammar,
        kinds,
        avoided,
        list(_columns(run.version)),
    )
    of_families = [_noun_phrases(grammar, rows, avoided) for rows in every_phrase]
    return Called(names, phrases, _with_reach(run.version, evidence, of_families, beat))


class _WrittenPhrase(NamedTuple):
    """text: as the texts write it, or as a heading has it. words: the numbers of its words."""

    text: str
    words: tuple[int, ...]
    tokens: int


def _written_phrases(sample: Sample, written: Written) -> list[_WrittenPhrase]:
    """Every phrase of a topic that enough documents have, and of which the texts show how it is
    written."""
    phrases = []
    for phrase in sample.every:
        text = written.form(phrase.words)
        if text and phrase.documents >= LEAST_DOCUMENTS:
            phrases.append(_WrittenPhrase(text, phrase.words, phrase.tokens))
    return phrases


def _noun_phrases(
    grammar: Grammar, phrases: Iterable[_WrittenPhrase], avoided: Set[str]
) -> list[_WrittenPhrase]:
    """The NOUN_PHRASES of a topic that it has most often: persons' names with PERSON of their
    tokens."""
    by_text: dict[str, _WrittenPhrase] = {}
    for phrase in phrases:
        text = grammar.noun_phrase(phrase.text, avoided)
        if not text:
            continue
        worth = PERSON if grammar.names_person(text) else 1.0
        words = _remaining_words(phrase, text)
        as_heading = _WrittenPhrase(text, words, round(worth * phrase.tokens))
        if text not in by_text or by_text[text].tokens < as_heading.tokens:
            by_text[text] = as_heading
    most_first = sorted(by_text.values(), key=lambda phrase: (-phrase.tokens, phrase.text))
    return most_first[:NOUN_PHRASES]


def _remaining_words(phrase: _WrittenPhrase, text: str) -> tuple[int, ...]:
    """The numbers of the words of a text that is the end of a phrase's. All of the phrase's where
    these do not stand for one word of its text each: it may have words that are in no vocabulary,
    and a number may stand for two words that were joined."""
    written = len(_WORD.findall(phrase.text))
    if written != len(phrase.words):
        return phrase.words
    return phrase.words[written - len(_WORD.findall(text)) :]


def _with_reach(
    version: Version, evidence: Evidence, phrases: list[list[_WrittenPhrase]], beat: Beat
) -> list[list[tuple[str, int, list[Reached]]]]:
    """What Called.noun_phrases has, of each topic's phrases."""
    spans = reach.spans_of_time(fields.dates(version))
    noun_phrases = []
    for phrases_of_topic in phrases:
        beat.check()
        words_of_phrases = [phrase.words for phrase in phrases_of_topic]
        reached_topics = reach.reach(evidence, words_of_phrases, spans)
        rows = zip(phrases_of_topic, reached_topics, strict=True)
        noun_phrases.append([(phrase.text, phrase.tokens, topics) for phrase, topics in rows])
    return noun_phrases


def _columns(version: Version) -> Iterator[np.ndarray]:
    """int32[D] each, -1 for none: the span of time of each document, and its value of each field of
    few values."""
    days = fields.dates(version)
    if (days > 0).any():
        yield reach.equal_spans(days, SPANS)
    of_few_values = [
        field for field in fields.categories(version) if 1 < len(field.values) <= MOST_VALUES
    ]
    for field in of_few_values[:MOST_FIELDS]:
        yield fields.values(version, field)


def _beginnings(texts: Iterable[str], limit: int) -> Iterator[str]:
    """The texts until they have so many characters together."""
    left = limit
    for text in texts:
        if left <= 0:
            return
        yield text[:left]
        left -= len(text)


def _stop_words(version: Version) -> frozenset[str]:
    """The function words of the texts' language; none where it is not known."""
    language = version.settings.get("language", "")
    return stop_words(language) if language in LANGUAGES else frozenset()


def distinct(phrases: Iterable[Iterable[tuple[str, int, int]]]) -> list[str]:
    """The phrases of all topics in order; one that is written in two ways once."""
    by_lower_case = {}
    for phrases_of_topic in phrases:
        for text, *_ in phrases_of_topic:
            by_lower_case[text.lower()] = text
    return [text for _, text in sorted(by_lower_case.items())]


def phrases_folder(run_id: int) -> Path:
    """How often each of them stands in each document (Index.postings)."""
    return files.run_folder(run_id) / "evidence" / "phrases"


def spelling(version_id: int, numbers: Iterable[int]) -> dict[int, str]:
    """The words of some numbers."""
    words = Word.objects.filter(version=version_id, number__in=[*map(int, numbers)])
    return dict(words.values_list("number", "word"))


def rename(run: Run, beat: Beat) -> None:
    """Name the topics of a finished run anew, where an older program named them. What readers said
    of them stays. Of a run that was named by words alone phrases stay unknown: where they stand is
    stored when a training ends (Training._index_phrases)."""
    run_evidence = evidence.of(run)
    called = of_texts(run, run_evidence, company.company(run_evidence), beat)
    assert run.snapshot_id is not None, f"run {run.pk} has no topics yet"
    with transaction.atomic():
        snapshot = Snapshot.objects.select_for_update().get(pk=run.snapshot_id)
        if snapshot.naming >= METHOD:
            return
        topics = list(Topic.objects.filter(snapshot=snapshot).order_by("number"))
        for topic, name, noun_phrases in zip(
            topics, called.names, called.noun_phrases, strict=True
        ):
            topic.name = name.text
            topic.name_parts = list(name.parts)
            topic.noun_phrases = noun_phrases
        changed = ["name", "name_parts", "noun_phrases"]
        Topic.objects.bulk_update(topics, changed, batch_size=500)
        Snapshot.objects.filter(pk=snapshot.pk).update(
            naming=METHOD, renamed_at=Now(), named_by_words=False
        )
