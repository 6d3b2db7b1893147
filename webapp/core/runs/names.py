"""What a run's topics are called until readers name them: proposed when their snapshot is
published."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from django.db import transaction
from django.db.models.functions import Length, Now

from inference import Evidence, Topics
from inference.documents import even_step
from inference.explore import company, naming, neighbours
from inference.explore.company import TopicCompany
from inference.explore.following import equal_spans
from inference.explore.grammar import Grammar
from inference.explore.naming import LeadingWords, Name, NamingRules
from inference.explore.neighbours import TopicSample, Written
from inference.text.clitics import dividing_clitics
from inference.text.numerals import number_words
from inference.text.spelling import fold_apostrophes
from inference.text.stopwords import LANGUAGES, stop_words
from webapp.core.documents import corpus_unit, document_days, fields
from webapp.core.results import evidence
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Run, Snapshot, Topic, Version, Word
from webapp.platform.accounts import embargo
from webapp.platform.storage import files

# documents of a phrase that is kept: what fewer have may tell a text that is under embargo
LEAST_DOCUMENTS = 5
METHOD = 13  # which way of naming is the present one; topics that an older one named are named anew
GRAMMAR = 4_000_000  # characters that the grammar is learned from: about a second
LEAST_CHARACTERS = 1_000  # of a text, or all of it: fragments would be ends of sentences
SPANS = 24  # of time that names follow their topics over, with as many documents each
MOST_FIELDS = 8  # whose values they follow them over
MOST_VALUES = 60  # of such a field
# Share of a word's uses in small letters from which on it is an ordinary word, such as "routing" of
# the group Inter-Domain Routing; and of the words of a column that may be, for it to name somebody
ORDINARY = 0.1
MOST_ORDINARY = 0.5
# Different words of a column from which on it may be of titles: parties and persons of a few dozen
# names are speakers, however ordinary "labour" and "grant" are
WORDS_OF_TITLES = 100
FOREIGN = 6  # of a topic's first 20 words: so many are function words of another language
# Part of the shorter of two lists of function words that is in the other, from which on the languages
# are near relatives: ordinary words of Galician stand in the list of Portuguese
RELATED = 0.15


class Called(NamedTuple):
    """What the topics of a finished run are called. names: of K topics. phrases: of each, the most
    frequent first: (as the texts write it, tokens, documents of those looked at). by_words: whether
    names could not be made from the texts."""

    names: list[Name]
    phrases: list[list[tuple[str, int, int]]]
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
    return Called(of_words(run_id, topics), [[] for _ in range(topics.K)], by_words=True)


class LookedAt(NamedTuple):
    """What was read of one topic's documents. words: numbers of those that stand for it and of its
    first ones. taught: what the grammar learns from. phrases: as Called has them."""

    sample: TopicSample
    words: list[int]
    written: Written
    taught: list[str]
    phrases: list[tuple[str, int, int]]

    @property
    def every_word(self) -> list[int]:
        """With those of its phrases."""
        return [*self.words, *chain.from_iterable(phrase.words for phrase in self.sample.every)]


def of_texts(run: Run, evidence: Evidence, kinds: TopicCompany, beat: Beat) -> Called:
    """When training has ended: names made of words and phrases, as the texts write them.

    Of a corpus under embargo only what every reader may see of a text is looked at.
    """
    samples = _samples(run, evidence, beat)
    leading = naming.leading_words(evidence)
    vocabulary = spelling(run.version_id, naming.spelled(leading, samples))
    looked_at = []
    for sample, standing, first in zip(samples, leading.standing, leading.first, strict=True):
        beat.check()
        words = list(dict.fromkeys([*standing, *first]))
        looked_at.append(_look(run, evidence, sample, words, vocabulary))
    rules = _rules(run.version, looked_at, leading, vocabulary)
    seen = [(looked.sample, looked.written) for looked in looked_at]
    names = naming.by_coverage(evidence, leading, seen, kinds, rules)
    return Called(names, [looked.phrases for looked in looked_at])


def _samples(run: Run, evidence: Evidence, beat: Beat) -> list[TopicSample]:
    """What is looked at of each topic."""
    lengths = np.zeros(evidence.document_bow.V, np.int32)
    words = Word.objects.filter(version=run.version_id).annotate(length=Length("word"))
    for number, length in words.values_list("number", "length").iterator():
        lengths[number] = length
    samples = []
    for sample in neighbours.samples(evidence, lengths):
        beat.check()
        if run.corpus.embargo:
            enough = [p for p in sample.naming if p.documents >= LEAST_DOCUMENTS]
            sample = sample._replace(naming=enough)
        samples.append(sample)
    return samples


def _look(
    run: Run,
    evidence: Evidence,
    sample: TopicSample,
    words: list[int],
    vocabulary: Mapping[int, str],
) -> LookedAt:
    texts = neighbours.read(sample, partial(embargo.beginnings, run.corpus))
    written = neighbours.written(evidence, sample, words, vocabulary.__getitem__, texts)
    phrases = []
    for phrase in sample.phrases:
        text = written.form(phrase.words)
        if text and phrase.documents >= LEAST_DOCUMENTS:
            phrases.append((text, phrase.tokens, phrase.documents))
    taught = list(middles(list(texts.values()), GRAMMAR // evidence.K))
    return LookedAt(sample, words, written, taught, phrases)


def _rules(
    version: Version,
    looked_at: list[LookedAt],
    leading: LeadingWords,
    vocabulary: Mapping[int, str],
) -> NamingRules:
    settings = VocabularySettings.from_dict(version.settings)
    taught = list(chain.from_iterable(looked.taught for looked in looked_at))
    grammar = Grammar(taught, _stop_words(version), dividing_clitics(settings))
    language = _language(version)
    return NamingRules(
        vocabulary=vocabulary,
        grammar=grammar,
        avoided=names_of_units(version, grammar),
        columns=list(_columns(version)),
        numerals=number_words(language),
        nameless=topics_of_other_languages(language, leading.first, vocabulary),
    )


def names_of_units(version: Version, grammar: Grammar) -> frozenset[str]:
    """The words, in small letters, that name who speaks and no subject: "bush", of presidents.

    A column of WORDS_OF_TITLES or more of which many are ordinary words of the texts, such as
    “Domain Name System Operations” of working groups, names subjects, and its words may name
    topics."""
    names: set[str] = set()
    for words in corpus_unit.words_of_values(version):
        if len(words) < WORDS_OF_TITLES:
            names |= words
            continue
        small_shares = {word: grammar.small_share(word) for word in words}
        seen = [share for share in small_shares.values() if share is not None]
        ordinary = sum(share >= ORDINARY for share in seen)
        if ordinary > MOST_ORDINARY * len(seen):
            continue
        for word, share in small_shares.items():
            if share is None or share < ORDINARY:
                names.add(word)
    return frozenset(names)


def topics_of_other_languages(
    language: str, first: list[list[int]], vocabulary: Mapping[int, str]
) -> frozenset[int]:
    """Topics in another language than the texts': FOREIGN of their first words are its function
    words, so that a name would be made of these. None where the language is not known ("") or has
    no function words here, and none by words of a near relative: they may be its own."""
    own_words = stop_words(language)
    if not own_words:
        return frozenset()
    others = [
        stop_words(other) - own_words for other in LANGUAGES if not _are_related(language, other)
    ]
    foreign: set[int] = set()
    for k, words in enumerate(first):
        spelled = {fold_apostrophes(vocabulary[word]).casefold() for word in words}
        if any(len(spelled & function_words) >= FOREIGN for function_words in others):
            foreign.add(k)
    return frozenset(foreign)


def _are_related(language: str, other: str) -> bool:
    """Whether two languages are one, or share RELATED of their function words."""
    own_words = stop_words(language)
    other_words = stop_words(other)
    shorter = min(len(own_words), len(other_words))
    return len(own_words & other_words) >= RELATED * shorter


def _columns(version: Version) -> Iterator[np.ndarray]:
    """int32[D] each, -1 for none: the span of time of each document, and its value of each field of
    few values."""
    days = document_days.read_days(version)
    if (days > 0).any():
        yield equal_spans(days, SPANS)
    of_few_values = [
        field for field in fields.categories(version) if 1 < len(field.values) <= MOST_VALUES
    ]
    for field in of_few_values[:MOST_FIELDS]:
        yield fields.values(version, field)


def middles(texts: Sequence[str], limit: int) -> Iterator[str]:
    """The middles of some texts, evenly over all by their lengths, with so many characters together
    and LEAST_CHARACTERS of each: the beginnings of two long ones would be title pages, and would
    lack most words."""
    most_texts = max(1, limit // LEAST_CHARACTERS)
    by_length = sorted(texts, key=len)
    chosen = by_length[:: even_step(len(by_length), most_texts)]
    left = limit
    for number, text in enumerate(chosen):
        characters = left // (len(chosen) - number)
        begin = max(0, len(text) - characters) // 2
        yield _whole_words(text, begin, begin + characters)
        left -= min(characters, len(text))


def _whole_words(text: str, begin: int, end: int) -> str:
    """A part of a text without the words that its ends cut."""
    part = text[begin:end]
    if begin > 0:
        _, space, behind = part.partition(" ")
        part = behind if space else part
    if end < len(text):
        before, space, _ = part.rpartition(" ")
        part = before if space else part
    return part


def _stop_words(version: Version) -> frozenset[str]:
    """The function words of the texts' language; none where it is not known."""
    return stop_words(_language(version))


def _language(version: Version) -> str:
    """The code of the texts' language; "" where it is not known."""
    language = version.settings.get("language", "")
    return language if language in LANGUAGES else ""


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


def of_finished(run: Run, beat: Beat) -> Called:
    """What the topics of a finished run are called by this program."""
    run_evidence = evidence.of(run)
    return of_texts(run, run_evidence, company.company(run_evidence), beat)


def rename(run: Run, called: Called) -> bool:
    """Name the topics of a finished run anew, where an older program named them; whether it did.
    What readers said of them stays. Of a run that was named by words alone phrases stay unknown:
    where they stand is stored when a training ends (FinalResults._index_phrases)."""
    assert run.snapshot_id is not None, f"run {run.pk} has no topics yet"
    with transaction.atomic():
        snapshot = Snapshot.objects.select_for_update().get(pk=run.snapshot_id)
        if snapshot.naming >= METHOD:
            return False
        topics = list(Topic.objects.filter(snapshot=snapshot).order_by("number"))
        for topic, name in zip(topics, called.names, strict=True):
            topic.name = name.text
            topic.name_parts = list(name.parts)
        Topic.objects.bulk_update(topics, ["name", "name_parts"], batch_size=500)
        Snapshot.objects.filter(pk=snapshot.pk).update(
            naming=METHOD, renamed_at=Now(), named_by_words=False
        )
    return True
