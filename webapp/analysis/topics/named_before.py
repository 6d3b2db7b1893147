"""What became of a topic that a reader named before the training: how much of its words' use it
has."""

from webapp.analysis.topics import topic_words
from webapp.analysis.topics.shapes import NamedBefore, NamingWord
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.intake.ingest.typed_words import find_words

NO_WORD = (-1, 0)  # the number and the tokens of a word that the vocabulary has not


def of_topic(view: RunView, k: int) -> NamedBefore | None:
    """In all documents of the run; None for a topic that nobody named before."""
    topics_named = Steering.of_run(view.run).named
    if k >= len(topics_named):
        return None
    words_given = topics_named[k].words
    found = find_words(view.run.version_id, words_given)
    counts = {word: (row.number, row.tokens) for word, row in found.items()}
    in_topic = topic_words.tallied(RunSelection.all(view), k)
    tokens_of = dict(zip(in_topic.numbers.tolist(), in_topic.tokens.tolist(), strict=True))
    words: list[NamingWord] = []
    missing: list[str] = []
    inside = 0
    everywhere = 0
    counted: set[int] = set()  # forms of one word are counted once
    for word in words_given:
        number, tokens = counts.get(word, NO_WORD)
        if not tokens:
            missing.append(named_topics.as_typed(word))
            continue
        tokens_here = tokens_of.get(number, 0)
        if number not in counted:
            inside += tokens_here
            everywhere += tokens
            counted.add(number)
        url = view.go("run_word", word)
        words.append(NamingWord(named_topics.as_typed(word), url, tokens_here / tokens))
    return NamedBefore(
        words=words,
        missing=missing,
        share=inside / everywhere if everywhere else 0.0,
        unsupported=everywhere < named_topics.SUPPORT,
    )
