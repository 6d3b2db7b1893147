"""What became of a topic that a reader named before the training: how much of its words' use it
has."""

from webapp.analysis.topics import topic_words
from webapp.analysis.topics.shapes import NamedBefore, NamingWord
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.intake.ingest import named_topics
from webapp.intake.ingest.stored_steering import Steering
from webapp.models import Word


def of_topic(view: RunView, k: int) -> NamedBefore | None:
    """In all documents of the run; None for a topic that nobody named before."""
    topics_named = Steering.of_run(view.run).named
    if k >= len(topics_named):
        return None
    words_given = topics_named[k].words
    rows = Word.objects.filter(version=view.run.version_id, word__in=words_given)
    counts = {
        word: (number, tokens)
        for word, number, tokens in rows.values_list("word", "number", "tokens")
    }
    in_topic = topic_words.tallied(RunSelection.all(view), k)
    tokens_of = dict(zip(in_topic.numbers.tolist(), in_topic.tokens.tolist(), strict=True))
    words: list[NamingWord] = []
    inside = 0
    everywhere = 0
    for word in words_given:
        number, tokens = counts.get(word, (-1, 0))
        if not tokens:
            continue
        tokens_here = tokens_of.get(number, 0)
        inside += tokens_here
        everywhere += tokens
        url = view.go("run_word", word)
        words.append(NamingWord(named_topics.as_typed(word), url, tokens_here / tokens))
    missing = [
        named_topics.as_typed(word) for word in words_given if not counts.get(word, (-1, 0))[1]
    ]
    return NamedBefore(
        words=words,
        missing=missing,
        share=inside / everywhere if everywhere else 0.0,
        unsupported=everywhere < named_topics.SUPPORT,
    )
