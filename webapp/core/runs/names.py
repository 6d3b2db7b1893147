"""What a run's topics are called until readers name them: proposed when their snapshot is
published."""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from django.db import transaction
from django.db.models.functions import Length, Now

from inference import Evidence, Topics
from inference.explore import company, naming, neighbours
from inference.explore.company import TopicCompany
from inference.explore.family_names import Term
from inference.explore.following import equal_spans
from inference.explore.grammar import Grammar
from inference.explore.name_candidates import Rarity, tells
from inference.explore.naming import Name
from inference.explore.neighbours import Sample, Written
from inference.text.clitics import dividing_clitics
from inference.text.numerals import number_words, written_number_words
from inference.text.spelling import WORD, fold_apostrophes
from inference.text.stopwords import LANGUAGES, stop_words
from webapp.core.documents import corpus_unit, document_days, fields
from webapp.core.results import evidence
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Run, Snapshot, Topic, Version, Word
from webapp.platform.accounts import embargo
from webapp.platform.storage import files

# documents of a phrase that is kept: what fewer have may tell a text that is under embargo
LEAST_DOCUMENTS = 5
METHOD = 8  # which way of naming is the present one; topics that an older one named are named anew
GRAMMAR = 4_000_000  # characters that the grammar is learned from: about a second
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
PERSON = 0.4  # what the name of a person is worth: families are rather called by subjects
# Of a topic that are kept: what its family may be called by
FAMILY_PHRASES = 24
FAMILY_WORDS = 32
WORTH_DIGITS = 3  # of what each of these is worth, as it is stored


class Called(NamedTuple):
    """What the topics of a finished run are called. names: of K topics. phrases: of each, the most
    frequent first: (as the texts write it, tokens, documents of those looked at). terms: of each,
    what a family may be called by. by_words: whether names could not be made from the texts."""

    names: list[Name]
    phrases: list[list[tuple[str, int, int]]]
    terms: list[list[Term]]
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


def of_texts(run: Run, evidence: Evidence, kinds: TopicCompany, beat: Beat) -> Called:
    """When training has ended: names made of words and phrases, as the texts write them; of a mixed
    topic of those of both subjects.

    Of a corpus under embargo only what every reader may see of a text is looked at.
    """
    lengths = np.zeros(evidence.document_bow.V, np.int32)
    words = Word.objects.filter(version=run.version_id).annotate(length=Length("word"))
    for number, length in words.values_list("number", "length").iterator():
        lengths[number] = length
    samples = []
    for sample in neighbours.samples(evidence, lengths):
        beat.check()
        samples.append(sample)
    leading = naming.leading_words(evidence)
    vocabulary = spelling(run.version_id, naming.spelled(leading, samples))
    words_of_topics = []
    for standing, first in zip(leading.standing, leading.first, strict=True):
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
    settings = VocabularySettings.from_dict(run.version.settings)
    grammar = Grammar(taught, _stop_words(run.version), dividing_clitics(settings))
    avoided = _names_of_units(run.version, grammar)
    names = naming.by_coverage(
        evidence,
        leading,
        vocabulary,
        looked_at,
        grammar,
        kinds,
        avoided,
        list(_columns(run.version)),
    )
    numerals = number_words(_language(run.version))
    rarity = naming.rarity_of(evidence, leading.first, _every_word(words_of_topics, samples))
    terms = []
    for k, (words_of_topic, (_, written)) in enumerate(
        zip(words_of_topics, looked_at, strict=True)
    ):
        of_words = _words_of_families(
            evidence, k, words_of_topic, vocabulary, written, grammar, avoided | numerals
        )
        of_phrases = _phrases_of_families(
            grammar, every_phrase[k], avoided, written_number_words(_language(run.version))
        )
        terms.append(_as_telling([*of_words, *of_phrases], rarity))
    return Called(names, phrases, terms)


def _names_of_units(version: Version, grammar: Grammar) -> frozenset[str]:
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


def _every_word(words_of_topics: list[list[int]], samples: list[Sample]) -> list[list[int]]:
    """Those of each topic, and of its phrases."""
    return [
        [*words, *chain.from_iterable(phrase.words for phrase in sample.every)]
        for words, sample in zip(words_of_topics, samples, strict=True)
    ]


def _as_telling(terms: list[Term], rarity: Rarity) -> list[Term]:
    """Each worth less the more evenly it is spread over all texts: "amount" tells of no subject."""
    return [
        term._replace(worth=round(term.worth * rarity.telling(term.words, power=1), WORTH_DIGITS))
        for term in terms
    ]


def _phrases_of_families(
    grammar: Grammar, phrases: Iterable[_WrittenPhrase], avoided: Set[str], numerals: Set[str]
) -> list[Term]:
    """The FAMILY_PHRASES noun phrases of a topic that it has most often. numerals: as a sentence
    writes them, so that the First Amendment names a family, and “Millionen Euro” none."""
    by_text: dict[str, Term] = {}
    for phrase in phrases:
        text = grammar.noun_phrase(phrase.text, avoided)
        if not text or grammar.is_code(text.split()[-1]) or not numerals.isdisjoint(text.split()):
            continue
        worth = PERSON if grammar.names_person(text) else 1.0
        term = Term(text, _remaining_words(phrase, text), phrase.tokens, worth)
        if text not in by_text or by_text[text].tokens < term.tokens:
            by_text[text] = term
    most_first = sorted(by_text.values(), key=lambda term: (-term.tokens, term.text))
    return most_first[:FAMILY_PHRASES]


def _words_of_families(
    evidence: Evidence,
    k: int,
    words: list[int],
    vocabulary: Mapping[int, str],
    written: Written,
    grammar: Grammar,
    avoided: Set[str],
) -> list[Term]:
    """The FAMILY_WORDS words of topic k that it has most often: nouns, and others that a family
    without a name is told by. avoided: words in small letters that are neither."""
    terms = []
    for word in words:
        spelling = vocabulary[word]
        if fold_apostrophes(spelling).casefold() in avoided or not tells(spelling):
            continue
        text = (written.form((word,)) or spelling).replace("_", " ")
        held = slice(*evidence.word_topics.held_ptr[word : word + 2].tolist())
        tokens = int(
            evidence.word_topics.held_tokens[held][
                evidence.word_topics.held_topics[held] == k
            ].sum()
        )
        worth = 1.0 if grammar.heads(spelling, text) else 0.0
        terms.append(Term(text, (int(word),), tokens, worth))
    most_first = sorted(terms, key=lambda term: (-term.tokens, term.text))
    return most_first[:FAMILY_WORDS]


def _remaining_words(phrase: _WrittenPhrase, text: str) -> tuple[int, ...]:
    """The numbers of the words of a text that is the end of a phrase's. All of the phrase's where
    these do not stand for one word of its text each: it may have words that are in no vocabulary,
    and a number may stand for two words that were joined."""
    written = _count_words(phrase.text)
    if written != len(phrase.words):
        return phrase.words
    return phrase.words[written - _count_words(text) :]


def _count_words(text: str) -> int:
    return len(WORD.findall(fold_apostrophes(text)))


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
        for topic, name, terms in zip(topics, called.names, called.terms, strict=True):
            topic.name = name.text
            topic.name_parts = list(name.parts)
            topic.family_terms = terms
        changed = ["name", "name_parts", "family_terms"]
        Topic.objects.bulk_update(topics, changed, batch_size=500)
        Snapshot.objects.filter(pk=snapshot.pk).update(
            naming=METHOD, renamed_at=Now(), named_by_words=False
        )
    return True
