"""What a reader should know of runs before comparing them: which are missing, which have no topics
or others to come, and which settings differ."""

from inference.text import LANGUAGES
from webapp.analysis.compare.shapes import Differences, SettingRow
from webapp.core.asked_training.described import describe_settings
from webapp.intake.ingest import version_history
from webapp.models import Run
from webapp.platform.drawing.numbers import join_names

NO_TOPICS: dict[str, tuple[str, str]] = {  # why a run has none yet, and why several have none
    Run.Status.QUEUED: ("it waits for a worker", "they wait for a worker"),
    Run.Status.RUNNING: ("its training has just begun", "their training has just begun"),
    Run.Status.STORING: ("its topics are being stored", "their topics are being stored"),
    Run.Status.CANCELLED: ("it was cancelled", "they were cancelled"),
    Run.Status.FAILED: ("it failed", "they failed"),
}


def of_runs(numbers: list[int], runs: list[Run]) -> list[str]:
    """What a reader should know before anything else, in sentences."""
    there_are = {run.pk for run in runs}
    missing = [number for number in numbers if number not in there_are]
    notices = [f"There is no run {number}: it may have been deleted." for number in missing]
    if len({run.corpus_id for run in runs}) > 1:
        notices.append(
            "These runs are of different corpora: likelihoods are of different texts and can’t be"
            " compared; topics are compared by their words, and a word that one corpus lacks has no"
            " weight there."
        )
    languages = {run.corpus.settings.get("language") or "" for run in runs}
    if len(languages) > 1:
        names = sorted(LANGUAGES.get(code, "no stated language") for code in languages)
        notices.append(
            f"They are in different languages ({', '.join(names)}), so hardly any words, and hardly"
            " any topics, will be the same."
        )
    return notices


def of_topics(runs: list[Run]) -> list[str]:
    """Why runs have no topics, or not their last ones."""
    notices = [
        f"Run {run.pk} is still training: these are its topics at step {run.snapshot.step:,}."
        for run in runs
        if run.snapshot and run.active
    ]
    without = [run for run in runs if run.snapshot is None]
    for status in dict.fromkeys(run.status for run in without):
        numbers = [str(run.pk) for run in without if run.status == status]
        notice_of_run, notice_of_runs = NO_TOPICS.get(
            status, ("none were stored", "none were stored")
        )
        if len(numbers) == 1:
            notices.append(f"Run {numbers[0]} has no topics to compare: {notice_of_run}.")
        else:
            notices.append(
                f"Runs {join_names(numbers)} have no topics to compare: {notice_of_runs}."
            )
    return notices


def settings_that_differ(runs: list[Run]) -> Differences:
    """The settings that runs do not share, and how many they share. A setting that an engine lacks
    is "". A run has several topics that were named beforehand, each with its words: they are one
    row."""
    rows: dict[str, SettingRow] = {}
    for i, run in enumerate(runs):
        for name, label, symbol, value in _settings(run, runs[0]):
            row = rows.setdefault(name, SettingRow(name, label, symbol, [""] * len(runs)))
            row.values[i] = f"{row.values[i]}; {value}" if row.values[i] else value
    differ = [row for row in rows.values() if len(set(row.values)) > 1]
    return Differences(differ, len(rows) - len(differ))


def _settings(run: Run, first: Run) -> list[tuple[str, str, str, str]]:
    """Name, label, symbol and value of each."""
    return [
        ("corpus", "Corpus", "", run.corpus.name),
        ("words", "Words", "", _words_of(run, first)),
        *describe_settings(run),
    ]


def _words_of(run: Run, first: Run) -> str:
    """Which words a run has: the number of its version, and how that differs from the first run's
    where both are of one corpus."""
    number = f"version {run.version.number:,}"
    if run.corpus_id != first.corpus_id or run.version_id == first.version_id:
        return number
    return f"{number}: {version_history.difference(first.version, run.version)}"
