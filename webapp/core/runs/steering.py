"""A run steered by a reader: it begins with the topics of another run, some of them merged, split
or joined by words."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.http import QueryDict

from inference.errors import Invalid
from inference.steering import Changes
from webapp.core.asked_training.stored_steering import KEYS_OF_CHANGES, Steering, TopicChanges
from webapp.core.results import found_again, topic_numbers
from webapp.core.runs import services
from webapp.intake.ingest.typed_words import spell_words
from webapp.models import Run, User, Word
from webapp.platform.drawing.numbers import join_names, topic_label
from webapp.platform.received import words_typed
from webapp.platform.typed_text import as_counted

MOST_STEERED = 50  # topics or words of one request: more is another corpus, or other settings


@dataclass(frozen=True)
class Wish:
    """What a reader asks for. merge: topics that become one; split: topics that become two each;
    together: words that begin in one topic; never: words that are left out."""

    merge: list[int] = field(default_factory=list)
    split: list[int] = field(default_factory=list)
    together: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, posted: QueryDict, run: Run) -> "Wish":
        """What a form asks for: merge, split (numbers), together, never (words with spaces or
        commas). Raises Invalid."""
        wish = cls(
            merge=_topics(posted, "merge", run),
            split=_topics(posted, "split", run),
            together=_typed_words(posted, "together", run),
            never=_typed_words(posted, "never", run),
        )
        wish.check(run)
        return wish

    def check(self, run: Run) -> None:
        if not (self.merge or self.split or self.together or self.never):
            raise Invalid("merge", "Choose what to change: topics to merge or split, or words.")
        if len(self.merge) == 1:
            raise Invalid("merge", "Merging needs two topics or more; only one is ticked.")
        if in_both := set(self.merge) & set(self.split):
            raise Invalid(
                "split", f"{topic_label(min(in_both))} can be merged or split, not both at once."
            )
        if len(self.together) == 1:
            raise Invalid(
                "together", "Words that belong together are two or more; only one is given."
            )
        if both_words := set(self.together) & set(self.never):
            raise Invalid(
                "never",
                f"“{min(both_words)}” can't be kept together with others and left out at once.",
            )
        for name, values in vars(self).items():
            _check_number(name, values)
        existing = set(
            Word.objects.filter(
                version=run.version_id, word__in=[*self.together, *self.never]
            ).values_list("word", flat=True)
        ) - set(run.dropped)
        if unknown := [word for word in [*self.together, *self.never] if word not in existing]:
            raise Invalid(
                "together", f"Not among the words of run {run.pk}: {', '.join(unknown[:5])}."
            )
        if len({*self.never, *run.dropped}) >= run.version.vocabulary:
            raise Invalid("never", "These are all the words; at least one must be left.")

    @property
    def changes(self) -> TopicChanges:
        """What is changed of the topics; the words that are left out are Run.dropped."""
        return TopicChanges(
            merge=[self.merge] if self.merge else [],
            split=self.split,
            together=[self.together] if self.together else [],
        )


def steered(run: Run) -> QuerySet[Run]:
    """The newest runs that began with its topics, changed."""
    changed = Run.objects.filter(parent=run, begins=True, steering__has_any_keys=KEYS_OF_CHANGES)
    return changed.order_by("-pk")[:10]


def start(run: Run, wish: Wish, by: User | None = None) -> Run:
    """A queued run that begins with this one's topics, changed as is wished. Raises Invalid where
    that can't be."""
    if not run.final:
        raise Invalid("run", f"Run {run.pk} is not done; its topics can be changed when it is.")
    dropped = sorted({*run.dropped, *wish.never})
    topics = in_columns(wish.changes, {}).number_of_topics(run.topics)
    steering = Steering(changes=wish.changes)
    return services.continued(run, dropped, by, steering=steering, topics=topics)


def join(run: Run, by: User | None = None) -> Run:
    """A queued run that begins with the consensus of this one's topics and those of its trainings
    with other seeds. Raises Invalid."""
    if not (seeds := list(found_again.ready(run.pk).values_list("seed", flat=True))):
        raise Invalid("run", f"Run {run.pk} has not been trained with other seeds yet.")
    return services.continued(run, run.dropped, by, steering=Steering(consensus=seeds))


def in_columns(changes: TopicChanges, columns: dict[str, int]) -> Changes:
    """The changes with columns of the bag of words in place of words. columns: of words in the bag;
    others are left out."""
    together = []
    for words in changes.together:
        together.append([columns[word] for word in words if word in columns])
    return Changes(changes.merge, changes.split, together)


def sentences(run: Run) -> list[str]:
    """What was changed of the parent's topics, to be read: with the numbers that they have
    there."""
    steering = Steering.of_run(run)
    changes = steering.changes or TopicChanges()
    parts = [f"{join_names(map(topic_label, group))} merged" for group in changes.merge]
    parts += [f"{topic_label(k)} split in two" for k in changes.split]
    if steering.consensus:
        seeds = join_names(map(str, steering.consensus))
        parts.append(f"joined with those of the same run with seed {seeds}")
    for words in changes.together:
        quoted = [f"“{word}”" for word in words]
        parts.append(f"{join_names(quoted)} together")
    return parts


def _topics(posted: QueryDict, name: str, run: Run) -> list[int]:
    """Raises Invalid."""
    return sorted(topic_numbers.read_several(posted.getlist(name), run, name))


def _typed_words(posted: QueryDict, name: str, run: Run) -> list[str]:
    """Those of a field, each once, as the vocabulary spells them. Raises Invalid for too many,
    before the vocabulary is asked."""
    words = list(dict.fromkeys(words_typed(as_counted(posted.get(name, "")))))
    _check_number(name, words)
    return spell_words(run.version_id, words)


def _check_number(name: str, values: Sequence[object]) -> None:
    """Raises Invalid."""
    if len(values) > MOST_STEERED:
        raise Invalid(name, f"At most {MOST_STEERED} at once, got {len(values):,}.")
