"""The page of a run that asks how many topics, and its file."""

from webapp.analysis.how_many import comparison as comparisons, sentences
from webapp.analysis.how_many.comparison import Comparison, Level
from webapp.analysis.how_many.shapes import HowMany, HowManyAsked, ShortTopic
from webapp.core.results import measures
from webapp.core.results.view import RunView
from webapp.core.runs import how_many
from webapp.intake.ingest import word_estimates
from webapp.models import Run
from webapp.platform.storage.csv_table import CsvTable

TOPICS_SHOWN = 15  # of the run, the largest, unless all are asked for
TOPICS_MOST = 200  # that are shown at all: a page of more is slow to draw
COLUMNS = (  # of the file
    "corpus run topics topic name share kind of_topics of_topic part found_again mixed repeats"
).split()


def describe_progress(run: Run) -> HowManyAsked:
    """Before the trainings are there."""
    progress = how_many.progress(run)
    return HowManyAsked(
        ready=progress.ready,
        trainings=progress.trainings,
        to_come=progress.to_come,
        refused=progress.refused,
        error=progress.error,
        takes=word_estimates.spoken(progress.seconds),
        sample=_say_sample(run, progress.refused),
        passes=how_many.count_passes(run),
        numbers=list(progress.numbers),
    )


def answer(view: RunView, show_all: bool = False) -> HowMany | HowManyAsked:
    """show_all: list all of the run's topics, up to TOPICS_MOST. Raises Invalid where a run has no
    evidence."""
    comparison = _compare(view.run)
    if comparison is None:
        return describe_progress(view.run)
    largest = _largest(view, TOPICS_MOST if show_all else TOPICS_SHOWN)
    ordered = comparisons.order_by_parent(comparison, largest)
    counts = comparisons.count_changes(view, comparison)
    return HowMany(
        passes=how_many.count_passes(view.run),
        sample=_say_sample(view.run),
        trained=comparison.trained,
        sentences=sentences.say_measures(comparison.trained),
        counts=counts,
        changes=sentences.say_changes(comparison.trained, counts),
        topics=[comparisons.describe(view, comparison, topic) for topic in ordered],
        left_out=len(view.topics) - len(ordered),
        csv=view.go("run_how_many_csv"),
    )


def _say_sample(run: Run, refused: str = "") -> str:
    return "" if refused else sentences.say_share(how_many.share_read(run))


def _compare(run: Run) -> Comparison | None:
    return None if how_many.refuse(run) else comparisons.compare(run)


def _largest(view: RunView, limit: int) -> list[int]:
    """The run's largest topics."""
    tokens = measures.of(view.run)["tokens"]
    largest_first = sorted(view.topics, key=lambda topic: -tokens[topic])
    return largest_first[:limit]


def table(view: RunView) -> CsvTable | None:
    """A row for each topic of each number of topics; None before the trainings are
    there."""
    comparison = _compare(view.run)
    if comparison is None:
        return None
    rows = _rows_of_level(view, comparison, comparison.smaller)
    for number in view.topics:
        topic = comparisons.describe(view, comparison, number)
        about = [*_about(view.run, view.run.topics), number, topic.name, topic.share]
        descent: list = [None, None, None, None]
        if topic.parent is not None:
            fewer_topics = len(comparison.smaller.short.sizes)
            parent = topic.parent
            descent = [parent.kind, fewer_topics, parent.topic.number, parent.part]
        rows.append([*about, *descent, None, None, None])
    rows += _rows_of_level(view, comparison, comparison.larger)
    return CsvTable(COLUMNS, rows)


def _about(run: Run, topics: int) -> list:
    return [run.corpus.name, run.pk, topics]


def _rows_of_level(view: RunView, comparison: Comparison, level: Level) -> list[list]:
    size = len(level.short.sizes)
    topics = [comparisons.short_topic(comparison, level, topic) for topic in range(size)]
    about = _about(view.run, size)
    return [_row(about, topic, _descent(view.run, level, topic.number)) for topic in topics]


def _descent(run: Run, level: Level, topic: int) -> list:
    """Where a topic of a training with more topics is in the run."""
    size = len(level.short.sizes)
    if size < run.topics:
        return [None, None, None, None]
    kind = comparisons.kind_of(level.descent, topic)
    parent = int(level.descent.parent[topic])
    return [kind, run.topics, parent if parent >= 0 else None, float(level.descent.part[topic])]


def _row(about: list, topic: ShortTopic, descent: list) -> list:
    marks = [int(topic.found_again), int(topic.mixed), int(topic.repeats)]
    return [*about, topic.number, topic.name, topic.share, *descent, *marks]
