"""Topics that a reader may name before a training, proposed from what is there: a topic of a run by
its first words, or by those that a reader gave it before, a concept of the codebook by the words of
its definition that count in the texts."""

from collections import Counter
from collections.abc import Iterable

import regex

from inference.errors import Invalid
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents import wording
from webapp.core.results import topic_numbers, topics
from webapp.core.results.view import RunView
from webapp.models import Concept, Corpus, Definition, Run, Word

WORDS_OF_TOPIC = 10  # of a topic, the most relevant: more are often of its neighbours, too
NAMING = 3  # words that name a topic without a name
QUOTED = 40  # characters of what an error quotes
SPACES = regex.compile(r"[\s:]+")  # a colon would end the name in the form
TOPIC = regex.compile(r"(?P<run>\d{1,10})\.(?P<topic>\w+)", regex.ASCII)


def propose(
    corpus: Corpus, topics_asked: Iterable[str], concepts: Iterable[int]
) -> list[NamedTopic]:
    """Topics to be named, first those of runs, then those of concepts. The words are proposals,
    which may be fewer than a named topic needs.

    topics_asked: such as "5.12", of run 5 its topic 12; concepts: their numbers. Raises Invalid for
    what is not of this corpus.
    """
    seeds = [_of_topic(corpus, text) for text in topics_asked]
    seeds += [_of_concept(corpus, number) for number in concepts]
    if len(seeds) > named_topics.MOST_TOPICS:
        raise Invalid(
            "seeds",
            f"At most {named_topics.MOST_TOPICS} topics can be named, got {len(seeds)}.",
        )
    return _with_different_names(seeds)


def _of_topic(corpus: Corpus, text: str) -> NamedTopic:
    address = TOPIC.fullmatch(text)
    runs = Run.objects.select_related("version", "corpus", "snapshot").filter(corpus=corpus)
    run = runs.filter(pk=int(address["run"])).first() if address else None
    if address is None or run is None or run.snapshot is None:
        raise Invalid(
            "topic",
            "“topic” must be a run of this corpus and a topic of it, such as 5.12; got"
            f" “{text[:QUOTED]}”.",
        )
    number = topic_numbers.read(address["topic"], run, "topic")
    named_before = Steering.of_run(run).named
    if number < len(named_before):
        return named_before[number]
    view = RunView(run)
    words = topics.top_words(view, [number], WORDS_OF_TOPIC)[number]
    return NamedTopic(_as_name(view.labels.name(number) or " ".join(words[:NAMING])), tuple(words))


def _of_concept(corpus: Corpus, number: int) -> NamedTopic:
    concept = Concept.objects.filter(corpus=corpus, pk=number, removed_at=None).first()
    definition = concept.definitions.last() if concept else None
    if concept is None or definition is None:
        raise Invalid("concept", f"The codebook of this corpus has no concept {number}.")
    return NamedTopic(_as_name(concept.name), _words_of(corpus, concept, definition))


def _words_of(corpus: Corpus, concept: Concept, definition: Definition) -> tuple[str, ...]:
    """Words of a name, a definition and its examples that count in the texts: those that stand
    there most often first, of equals the rarer ones in the texts."""
    version = corpus.version
    if version is None:
        return ()
    text = "\n".join((concept.name, definition.text, definition.examples))
    [words_of_text] = wording.terms(version, [text])
    uses = Counter(word for *_, word in words_of_text)
    counting = Word.objects.filter(version=version, word__in=list(uses))
    # Rarer words first; a stable sort leaves them so among words that stand there as often
    rarest_first = counting.order_by("documents", "word").values_list("word", flat=True)
    most_used = sorted(rarest_first, key=lambda word: -uses[word])
    return tuple(most_used[: named_topics.MOST_WORDS])


def _as_name(text: str) -> str:
    return SPACES.sub(" ", text).strip()[: named_topics.LONGEST_NAME].strip()


def _with_different_names(seeds: list[NamedTopic]) -> list[NamedTopic]:
    """The second of a name gets a number, as two topics can't have the same."""
    uses: Counter[str] = Counter()
    result = []
    for topic in seeds:
        key = topic.name.casefold()
        uses[key] += 1
        if uses[key] > 1:
            suffix = f" {uses[key]}"
            name = topic.name[: named_topics.LONGEST_NAME - len(suffix)] + suffix
            topic = NamedTopic(name, topic.words)
        result.append(topic)
    return result
