"""What is done to a run: create, stop, cancel, train again. Deleting: corpora.deletion."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models.functions import Now

from inference import Invalid, engines
from inference.engines.contract import Config, ResolvedConfig, WarmStart
from inference.schedule import SEEDS_END
from inference.training import check_seeds
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import NOTHING_SAID, Steering
from webapp.core.runs import snapshots
from webapp.intake.ingest.typed_words import spell_words
from webapp.models import Corpus, Run, User, Version, Word
from webapp.platform.accounts import quotas
from webapp.platform.drawing.colours import CHOICES
from webapp.platform.drawing.numbers import duration
from webapp.platform.jobs import dispatch, events, kinds
from webapp.platform.typed_text import as_counted

log = structlog.get_logger(__name__)

MAX_DROPPED = (
    2_000  # words; more of them is another vocabulary: read the corpus again with stop words
)
# what pages and arrays are tried with is 2,000; far beyond it a number is a slip of the hand
MAX_TOPICS = 10_000
FEWEST_TOPICS = 2  # of a further run
FURTHER_RUNS = 3  # in which a claim is looked at
USUAL_SETTINGS: Mapping[str, Any] = MappingProxyType({})  # all as the engine has them
MOST_AT_ONCE = CHOICES  # runs that are made by one action: one page compares them, each in a colour


def create(
    version: Version | None,
    *,
    topics: int | None = None,
    seed: int = 0,
    engine: str = engines.DEFAULT,
    engine_settings: Mapping[str, Any] = USUAL_SETTINGS,
    by: User | None = None,
    consensus: bool = False,
    topics_named: Sequence[NamedTopic] = (),
) -> Run:
    """A queued run, by default the local owner's. engine_settings: by their names, as Run.settings
    has them; what is left out is the engine's own choice. topics: how many, where
    `engine_settings` doesn't say it; None for as many as the words of the texts suggest.
    consensus: whether trainings with other seeds follow, and then one run of all (runs.replicates).
    topics_named: topics that are named beforehand, its first ones. Raises Invalid, naming the field,
    for settings that the engine or this corpus can't have."""
    version = _ready(version)
    config = _config_of(version, engine, {"topics": topics, **engine_settings})
    limit = min(version.vocabulary, MAX_TOPICS)
    if config.topics > limit:
        why = "the size of the vocabulary" if limit < MAX_TOPICS else "the limit"
        raise Invalid("topics", f"topics must be at most {limit:,}, {why}; got {config.topics:,}.")
    if topics_named:
        _check_named(topics_named, version, engine, config)
    if not 0 <= seed < SEEDS_END:
        raise Invalid("seed", f"Seed must be a whole number from 0 to 2^63 - 1, got {seed}.")
    with transaction.atomic():
        _lock_corpus(version)
        by = by or User.objects.local()
        quotas.check_job(by)
        run = Run.objects.create(
            corpus_id=version.corpus_id,
            version=version,
            by=by,
            engine=engine,
            settings=asdict(config),
            seed=seed,
            steering=Steering(named=list(topics_named), join=consensus).stored,
        )
        if consensus:
            warm_starter(run)
        dispatch.send(kinds.TRAIN, run.pk)
    return run


def _config_of(version: Version, engine: str, settings: dict[str, Any]) -> ResolvedConfig:
    """settings: of the engine; “topics” None for as many as the words suggest."""
    if settings["topics"] is None:
        settings["topics"] = engines.suggest_topics(version.tokens, engine, version.vocabulary)
    return engines.config(engine, **settings).resolve(version.rows, version.tokens)


def _check_named(
    topics: Sequence[NamedTopic], version: Version, engine: str, config: Config
) -> None:
    """Raises Invalid where a run can't have these topics."""
    check_seeds(engines.get(engine), config)
    if len(topics) > config.topics:
        raise Invalid(
            "topics",
            f"{len(topics)} topics are named, so there must be at least {len(topics)}; got"
            f" {config.topics}.",
        )
    supported = [topic.supported for topic in named_topics.count_topics(version, topics)]
    if not any(supported):
        raise Invalid(
            named_topics.KEY,
            f"The texts support none of the named topics: each needs {named_topics.SUPPORT}"
            " occurrences of its words or more. Choose other words, or name no topics.",
        )


def train_when_read(corpus: Corpus) -> None:
    """Queue the run that was asked for when the corpus was given to be read (Corpus.train_settings).

    Where it can't be made, as its owner has too many jobs or no word counts, the corpus is ready
    all the same: its page offers to train.
    """
    version = corpus.version
    if corpus.train_settings is None or version is None:
        return
    engine_settings = dict(corpus.train_settings)
    engine = engine_settings.pop("engine", engines.DEFAULT)
    seed = engine_settings.pop("seed", 0)
    consensus = engine_settings.pop("consensus", False)
    named = []
    for topic in engine_settings.pop("named", []):
        named.append(NamedTopic(topic["name"], tuple(topic["words"])))
    try:
        with transaction.atomic():
            create(
                version,
                seed=seed,
                engine=engine,
                engine_settings=engine_settings,
                by=corpus.owner,
                consensus=consensus,
                topics_named=named,
            )
    except Invalid:
        log.info("no run is trained", corpus=corpus.pk)


def create_several(
    version: Version | None,
    names: Sequence[str],
    *,
    topics: int,
    seed: int = 0,
    by: User | None = None,
) -> list[Run]:
    """A queued run for each of some engines, with the same topics and seed and otherwise the
    engine's own settings; or none.

    names: of engines, each of which counts once. Raises Invalid where they are fewer than two or
    too many, and where one of the runs can't be made.
    """
    version = _ready(version)
    names = list(dict.fromkeys(names))
    limit = min(len(engines.ENGINES), MOST_AT_ONCE)
    for name in names:
        engines.get(name)
    if not 2 <= len(names) <= limit:
        raise Invalid("engines", f"Mark two engines or more, at most {limit}, got {len(names)}.")
    by = by or User.objects.local()
    with transaction.atomic():
        _lock_corpus(version)
        quotas.check_job(by, len(names))
        return [create(version, engine=name, topics=topics, seed=seed, by=by) for name in names]


def _ready(version: Version | None) -> Version:
    """It. Raises Invalid where it can't be trained on."""
    if version is None or version.status != Version.Status.READY:
        raise Invalid(
            "corpus", "Only a corpus that has been read, and is ready, can be trained on."
        )
    return version


def _lock_corpus(version: Version) -> None:
    """Before its user (quotas): two who lock in another order wait for each other. Raises Invalid
    where the corpus is gone."""
    if not Corpus.objects.select_for_update(no_key=True).filter(pk=version.corpus_id).exists():
        raise Invalid("corpus", "This corpus has just been deleted.")


def train_again(run: Run, by: User | None = None) -> Run:
    """A new run with the same settings and seed, which a run of all seeds follows where one
    followed this; one that leaves words out begins with the same topics again."""
    if run.begins and run.begun_with is None:
        raise Invalid(
            "run",
            f"Run {run.pk} began with the topics of a run that is deleted; begin with another run"
            " instead.",
        )
    steering = Steering.of_run(run)
    with transaction.atomic():
        new = create(
            run.version,
            seed=run.seed,
            engine=run.engine,
            by=by,
            consensus=steering.join,
            topics_named=steering.named,
            engine_settings=run.settings,
        )
        if not run.begins:
            return new
        return _continue_from(new, run.parent, run.dropped, steering)


class Variant(NamedTuple):
    """A number of topics and a seed, of which one is not a run's."""

    topics: int
    seed: int


def _variants(run: Run) -> list[Variant]:
    """Three settings that differ from a run's in one choice, and that no other run has: half and
    twice its topics, where a corpus and the topics that were named can have them, and other
    seeds."""
    alike = Run.objects.filter(version=run.version_id, engine=run.engine, begins=False)
    present = alike.exclude(status__in=(Run.Status.CANCELLED, Run.Status.FAILED)).values_list(
        "settings", "seed"
    )
    existing = {
        Variant(settings["topics"], seed)
        for settings, seed in present
        if settings == run.settings | {"topics": settings["topics"]}
    }
    fewest = max(FEWEST_TOPICS, len(Steering.of_run(run).named))
    most = min(run.version.vocabulary, MAX_TOPICS)
    variants = []
    for topics in (run.topics // 2, 2 * run.topics):
        variant = Variant(topics, run.seed)
        if fewest <= topics <= most and variant not in existing:
            variants.append(variant)
    seed = run.seed
    while len(variants) < FURTHER_RUNS:
        seed = (seed + 1) % SEEDS_END
        variant = Variant(run.topics, seed)
        if variant not in existing:
            variants.append(variant)
    return variants


def train_on(run: Run, by: User | None = None) -> Run:
    """A new run that begins with this one's topics as they are, and improves them further. Raises
    Invalid where that can't be."""
    if not run.final:
        raise Invalid("run", f"Run {run.pk} is not done; it can be trained on when it is.")
    return continued(run, run.dropped, by)


def train_on_said(run: Run) -> str:
    """How many passes `train_on` would add, and about how long they take; "" where it can't."""
    if not run.final or not can_be_continued(run):
        return ""
    passes = warm_starter(run).continued(run.settings)["passes"]
    seconds = run.seconds * passes * run.version.tokens / max(run.tokens_seen, 1)
    return f"up to {passes} more passes, about {duration(seconds)}"


def variants(run: Run, by: User | None = None) -> list[Run]:
    """Further runs, in which a claim can be looked at. Raises Invalid for one that began with given
    topics."""
    if run.begins:
        raise Invalid(
            "run", f"Run {run.pk} began with given topics: its settings alone do not make it."
        )
    by = by or User.objects.local()
    with transaction.atomic():
        _lock_corpus(run.version)
        further = _variants(run)
        quotas.check_job(by, len(further))
        return [
            create(
                run.version,
                seed=variant.seed,
                engine=run.engine,
                engine_settings=run.settings | {"topics": variant.topics},
                by=by,
                topics_named=Steering.of_run(run).named,
            )
            for variant in further
        ]


def variants_said(run: Run) -> str:
    """What `variants` would train, and about how long; "" where it can't."""
    if run.begins:
        return ""
    names = []
    seconds = 0.0
    for variant in _variants(run):
        has_other_topics = variant.topics != run.topics
        names.append(f"{variant.topics} topics" if has_other_topics else f"seed {variant.seed}")
        seconds += run.seconds * variant.topics / max(run.topics, 1)
    return f"{', '.join(names)}: about {duration(seconds)} of training"


def without(run: Run, words: list[str], by: User | None = None) -> Run:
    """A new run that leaves words out and begins with the topics of this one, so that they stay
    recognisable.

    Raises Invalid for a run that is not done, and for what are no words of it.
    """
    if not run.final:
        raise Invalid(
            "run",
            f"Run {run.pk} has not counted its words yet; words can be left out when it is done.",
        )
    counted_words = {as_counted(word.strip()) for word in words if word.strip()}
    if not counted_words:
        raise Invalid("words", "Choose one or more words to leave out.")
    if len(counted_words) > MAX_DROPPED:
        raise Invalid(
            "words",
            f"At most {MAX_DROPPED:,} words can be left out at once, got {len(counted_words):,}.",
        )
    words = sorted(spell_words(run.version_id, counted_words))
    known_words = set(
        Word.objects.filter(version=run.version_id, word__in=words).values_list("word", flat=True)
    ) - set(run.dropped)
    if unknown := [word for word in words if word not in known_words]:
        words_listed = ", ".join(f"“{word[:40]}”" for word in unknown[:5])
        raise Invalid("words", f"Not among the words of run {run.pk}: {words_listed}.")
    if len(known_words) + len(run.dropped) >= run.version.vocabulary:
        raise Invalid("words", "These are all the words; at least one must be left.")
    return continued(run, sorted({*run.dropped, *known_words}), by)


def continue_with(run: Run, version: Version, by: User | None = None) -> Run:
    """A new run on another version of the corpus, with more documents or other words, that begins
    with the topics of this one.

    Words that this run left out count again: a version has a list of its own. Raises Invalid where
    that can't be.
    """
    if not run.final:
        raise Invalid("run", f"Run {run.pk} is not done; another can continue from it when it is.")
    if version.corpus_id != run.corpus_id or version.pk == run.version_id:
        raise Invalid(
            "version", f"Run {run.pk} can continue with another version of its own corpus."
        )
    return continued(run, [], by, version)


def continued(
    run: Run,
    dropped: list[str],
    by: User | None = None,
    version: Version | None = None,
    steering: Steering = NOTHING_SAID,
    topics: int | None = None,
) -> Run:
    """A queued run with this one's settings that begins with its topics. version: another one of
    its corpus; steering: how the topics are changed; topics: how many they are then, None for as
    many. Topics that were named beforehand stay so. Raises Invalid where that can't be."""
    settings = warm_starter(run).continued(run.settings)
    if topics is not None:
        settings["topics"] = topics
    named = named_topics.merged(Steering.of_run(run).named, steering.merged_groups)
    with transaction.atomic():
        new = create(
            version or run.version,
            seed=run.seed,
            engine=run.engine,
            engine_settings=settings,
            by=by,
        )
        return _continue_from(new, run, dropped, replace(steering, named=named))


def can_be_continued(run: Run) -> bool:
    """Whether another run can begin with this one's topics: pages ask before they offer it."""
    return isinstance(engines.get(run.engine), WarmStart)


def warm_starter(run: Run) -> WarmStart:
    """The run's engine, which can begin with its topics. Raises Invalid where it can't."""
    engine = engines.get(run.engine)
    if not isinstance(engine, WarmStart):
        raise Invalid(
            "engine",
            f"Run {run.pk} was trained by the engine {run.engine}, which can't begin with the"
            " topics of another run.",
        )
    return engine


def _continue_from(new: Run, parent: Run | None, dropped: list[str], steering: Steering) -> Run:
    """Let a new run begin with the topics of its parent, as `steering` changes them, and leave
    words out."""
    new.parent = parent
    new.dropped = dropped
    new.begins = True
    new.steering = steering.stored
    new.save(update_fields=["parent", "dropped", "begins", "steering"])
    return new


def stop(run: Run) -> bool:
    """Ask a running training to stop and keep what there is. Whether it was running: else nothing
    happens, and `why_not_stopped` says why."""
    running = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING)
    return running.update(request=Run.Request.STOP) > 0


def cancel(run: Run) -> bool:
    """Stop and keep nothing but the charts. A run that waits or stores ends here, one that trains
    within a second, or where it is writing its last checkpoint, when that is written. Whether it
    had not ended before."""
    with transaction.atomic():
        # Locked: it may begin to store while we look
        locked = Run.objects.select_for_update(no_key=True).filter(pk=run.pk)
        status = locked.values_list("status", flat=True).first()
        is_running = status == Run.Status.RUNNING
        if is_running:
            locked.update(request=Run.Request.CANCEL)
        ends_here = status in (Run.Status.QUEUED, Run.Status.STORING)
        if ends_here:
            locked.update(status=Run.Status.CANCELLED, finished_at=Now())
            snapshots.discard(run.pk)
    if ends_here:
        events.run(run.pk, events.status_event(Run.Status.CANCELLED))
    return is_running or ends_here


def why_not_stopped(run: Run) -> str:
    """Why a run could not be stopped or cancelled, in a sentence."""
    status = Run.everything.filter(pk=run.pk).values_list("status", flat=True).first()
    if status == Run.Status.QUEUED:
        return f"Run {run.pk} has not begun, so there is nothing to keep: cancel it instead."
    if status == Run.Status.STORING:
        return f"Run {run.pk} has stopped training: it stores its topics now."
    return f"Run {run.pk} has ended already."
