"""The topics of two runs as a file: a row for each topic of either, with what became of it in the
other, and whether that is more than other seeds change."""

from inference.explore import matching
from webapp.analysis.compare import matchings, seed_band
from webapp.core.results import measures
from webapp.core.results.view import RunView
from webapp.platform.storage.csv_table import CsvTable

COLUMNS = (
    "run topic name share other_run kind partner similarity difference lacking_with_other_seeds"
).split()


def table(first_view: RunView, second_view: RunView) -> CsvTable:
    """The topics of two runs. Raises Unmatched.

    The kind of a topic is matched; split, where several topics of the other run are most like this
    one; or only, where it has no partner. Its difference says whether every other seed of the run
    has the topic as it is, and is empty where that is not known, and for matched topics. The last
    column says how many of the run's topics each training with another seed lacks."""
    between = matchings.matched(first_view.run, second_view.run)
    bands = seed_band.bands(first_view, second_view)
    rows = [
        *_rows_of(first_view, second_view, between, bands[0].with_other_seeds),
        *_rows_of(second_view, first_view, between.turned(), bands[1].with_other_seeds),
    ]
    return CsvTable(COLUMNS, rows)


def _rows_of(
    view: RunView, other_view: RunView, between: matching.Matching, lacking: list[int]
) -> list[list]:
    share = measures.of(view.run)["share"]
    steady = seed_band.steady_topics(view.run)
    parts_steady = seed_band.steady_topics(other_view.run)
    splits = dict(between.splits)
    rows = []
    for topic in view.topics:
        partner = int(between.partner[topic])
        similarity = float(between.similarity[topic])
        difference: bool | None = None
        if topic in splits:
            kind = "split"
            difference = seed_band.is_difference(topic, steady, splits[topic], parts_steady)
        elif partner >= 0:
            kind = "matched"
        else:
            kind = "only"
            similarity = float(between.best_b_similarity[topic])
            difference = None if steady is None else bool(steady[topic])
        name = view.labels.title(topic)
        written = None if difference is None else int(difference)
        number = partner if partner >= 0 else None
        about = [view.run.pk, topic, name, float(share[topic]), other_view.run.pk]
        rows.append([*about, kind, number, similarity, written, " ".join(map(str, lacking))])
    return rows
