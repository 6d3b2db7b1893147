"""The topics of two sets of documents as a file: a row for each topic, also for those that the page
does not list."""

from collections.abc import Iterator

from webapp.analysis.answers.set_answers import TwoSetAnswers
from webapp.analysis.two_sets import contrasts
from webapp.analysis.two_sets.compared_sets import Side
from webapp.analysis.two_sets.contrasts import Constant, Differences
from webapp.analysis.two_sets.division import divide
from webapp.core.documents import unit_sentences
from webapp.core.documents.selection import RunSelection
from webapp.platform.storage.csv_table import CsvTable

COLUMNS = (
    "corpus run K seed documents_chosen held_constant unit unit_chosen_by first documents_first"
    " tokens_first second documents_second tokens_second topic label share_first low_first"
    " high_first topic_tokens_first share_second low_second high_second topic_tokens_second"
    " difference low high ratio ratio_low ratio_high level p verdict beyond_chance"
).split()


def table(
    base: RunSelection,
    first: Side,
    second: Side,
    constant: Constant,
    two_set_answers: TwoSetAnswers | None,
) -> CsvTable:
    """Topics in the order of their numbers. The parameters, and what it raises, are those of
    contrasts.compare."""
    division = divide(base, first, second)
    differences = contrasts.differences(base, first, second, division, constant, two_set_answers)
    same_in_all_rows = _cells_of_sets(base, first, second, constant, differences)
    return CsvTable(COLUMNS, _rows(base, same_in_all_rows, differences))


def _cells_of_sets(
    base: RunSelection, first: Side, second: Side, constant: Constant, differences: Differences
) -> list:
    run = base.run
    unit = unit_sentences.about(base.version, differences.unit)
    held_constant = constant or differences.same_speakers
    cells = [run.corpus.name, run.pk, run.topics, run.seed, base.sentence, held_constant]
    cells += [unit.column, unit.chosen_by]
    for s, side in enumerate((first, second)):
        cells += [side.name, int(differences.bands.documents[s]), int(differences.bands.tokens[s])]
    return cells


def _rows(base: RunSelection, same_in_all_rows: list, differences: Differences) -> Iterator[list]:
    answers = differences.answers
    ends_of_sides = [answers.ends(0), answers.ends(1)]
    for i, topic in enumerate(differences.topics):
        shares = []
        for s, share in enumerate((answers.a, answers.b)):
            low, high = ends_of_sides[s]
            tokens = int(differences.tokens[s, topic])
            shares += [float(share[i]), float(low[i]), float(high[i]), tokens]
        compared = [answers.difference, answers.low, answers.high]
        compared += [answers.ratio, answers.ratio_low, answers.ratio_high]
        verdict = answers.verdict_of(i)
        is_beyond_chance = int(differences.is_beyond_chance[i])
        yield [
            *same_in_all_rows,
            topic,
            base.view.labels.name(topic),
            *shares,
            *(float(numbers[i]) for numbers in compared),
            answers.level,
            float(answers.p[i]),
            verdict,
            is_beyond_chance,
        ]
