"""How long a question of difference takes in a large collection.

    .venv/bin/python -m benchmarks.questions [--documents N] [--repeats N]

A run of so many documents is simulated: 60 topics, six topics in a document, 400 words, dates of
forty years, a field of five values, and who speaks: nobody (documents are independent), 500, or
50,000 speakers. Of each question a line with the seconds of the clock in the median and the 95th
percentile: two sets drawn anew each time, all values of the field, all spans of time (which are
looked through once for a set), one span of them, and an effect: the first value against the others
with a curve over the years held constant. What a page does besides is timed by
`python -m benchmarks.pages`. The last line is `slow: N of M questions`: those whose 95th percentile
is above 300 ms, which a worker answers (webapp.analysis.two_sets.answering, webapp.analysis.effects).
"""

import time
from collections.abc import Callable

import numpy as np

from benchmarks.origin import options
from benchmarks.pages import quantile
from benchmarks.time_held import settings_of_two_sides
from inference import answers
from inference.answers import CountedTopics, held, periods, question, spans
from inference.effects import regression, unit_documents

DOCUMENTS = 1_000_000
REPEATS = 7
TOPICS = 60
TOPICS_OF_DOCUMENT = 6
WORDS = 400
VALUES = 5
SPEAKERS = (0, 500, 50_000)
YEAR = 365
FIRST_DAY = 723_000
YEARS = 40
YEARS_OF_SPAN = 8
PART = 0.3  # of the documents, in the first set
CORRELATION = 0.05  # of documents of one speaker
MOSTLY = 0.95
LIMIT = 0.3  # seconds
SEED = 60


def simulated(documents: int, chance: np.random.Generator) -> CountedTopics:
    """Counts of topics, as a run's evidence has them."""
    topics = chance.integers(0, TOPICS, (documents, TOPICS_OF_DOCUMENT), np.int32)
    most = 2 * WORDS // TOPICS_OF_DOCUMENT
    tokens = chance.integers(1, most, topics.shape, np.int32)
    doc_ptr = np.arange(documents + 1) * TOPICS_OF_DOCUMENT
    lengths = tokens.sum(axis=1)
    into = np.arange(TOPICS, dtype=np.int32)
    return CountedTopics(doc_ptr, topics.ravel(), tokens.ravel(), lengths, into, TOPICS)


def effect(
    outcome: CountedTopics, year: np.ndarray, on_a: np.ndarray, unit: np.ndarray | None
) -> answers.Answers:
    """How two sides differ with time held constant. year: int[D], from 0; on_a: bool[D]. unit:
    int[D], whose each document is; None: documents are independent."""
    years = int(year.max()) + 1
    cell = years * on_a + year
    side = np.repeat([1, 0], years)
    words = np.bincount(cell, weights=outcome.lengths, minlength=2 * years)
    settings = settings_of_two_sides(side, words, year.astype(float))
    documents = len(year)
    independent = (
        unit_documents.documents(documents) if unit is None else unit_documents.by_code(unit)
    )
    arrays = outcome.doc_ptr, outcome.doc_topics, outcome.doc_tokens, outcome.lengths
    data = regression.Data.from_documents(
        independent, cell, arrays, outcome.column_of_topic, TOPICS
    )
    return held.answer_held(data, settings)


def timed(name: str, ask: Callable[[], object], repeats: int) -> bool:
    """Prints a line; whether the question is slow."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - began)
    middle = np.median(seconds)
    nearly_longest = quantile(seconds, MOSTLY)
    is_slow = nearly_longest > LIMIT
    verdict = ", slow" if is_slow else ""
    print(f"{name}: median {middle:.2f} s, 95% {nearly_longest:.2f} s{verdict}", flush=True)
    return is_slow


def main(documents: int, repeats: int) -> None:
    """Prints a line for each question."""
    chance = np.random.default_rng(SEED)
    outcome = simulated(documents, chance)
    days = np.sort(chance.integers(FIRST_DAY, FIRST_DAY + YEARS * YEAR, documents))
    value = chance.integers(0, VALUES, documents)
    length = periods.finest_length(days)
    number = periods.numbers_of(days, length)
    times = spans.Periods(number - number.min(), days)
    slow: list[bool] = []
    for speakers in SPEAKERS:
        unit = chance.integers(0, speakers, documents) if speakers else None
        who = f"{speakers:,} speakers" if speakers else "independent documents"

        def two_sets(unit=unit) -> None:
            first = chance.random(documents) < PART
            answers.answer(outcome, question.of_two_sets(first, ~first, unit))

        def values_of_field(unit=unit) -> None:
            of_values = question.of_values(value, VALUES, unit, np.arange(VALUES))
            answers.answer_question_family(outcome, of_values)

        def look_through(unit=unit) -> spans.Spans:
            speaking = None if unit is None else spans.Speakers(unit, CORRELATION)
            return spans.look_through(outcome, times, speaking)

        looked = look_through()

        def one_span(looked=looked) -> None:
            begin = FIRST_DAY + YEAR * chance.integers(0, YEARS - YEARS_OF_SPAN)
            end = begin + YEAR * YEARS_OF_SPAN
            looked.answer((days >= begin) & (days < end))

        def effect_of_value(unit=unit) -> None:
            effect(outcome, (days - FIRST_DAY) // YEAR, value == 0, unit)

        effect_of_value()  # what is compiled
        slow += [
            timed(f"two sets, {who}", two_sets, repeats),
            timed(f"{VALUES} values of a field, {who}", values_of_field, repeats),
            timed(f"all spans of {length}s, {who}", look_through, 1),
            timed(f"one span, {who}", one_span, repeats),
            timed(f"an effect, {who}", effect_of_value, repeats),
        ]
    print(f"slow: {sum(slow)} of {len(slow)} questions")


if __name__ == "__main__":
    declared = {
        "--documents": {"type": int, "default": DOCUMENTS},
        "--repeats": {"type": int, "default": REPEATS},
    }
    arguments = options(__doc__, declared).parse_args()
    main(arguments.documents, arguments.repeats)
