"""One estimator for every question of difference: the number, its interval and the verdict.

`answer(outcome, question)` compares two sets of documents, or a value of a field with all other
documents. Documents of one unit (a speaker, a source) depend on each other: variances are of sums
over units. One error and one critical value make the interval of the difference, that of the ratio
(Fieller 1954) and the test, and all rows of a family share one level: a row is accepted if and only
if its intervals exclude "no difference".

Naive twins: tests/inference/naive_answers.py. How often intervals hold the truth:
`python -m benchmarks.coverage`; how often shuffled collections are said to differ:
`python -m benchmarks.nulls`.
"""

from inference.answers.answer import (
    MOST_OF_ONE,
    Answers,
    Obstacle,
    Verdict,
    answer,
    answer_question_family,
)
from inference.answers.outcome import AmountTable, CountedTopics, Outcome
from inference.answers.question import Question, QuestionFamily
from inference.effects.unit_documents import LEAST_UNITS

__all__ = [
    "LEAST_UNITS",
    "MOST_OF_ONE",
    "Answers",
    "CountedTopics",
    "QuestionFamily",
    "Obstacle",
    "Outcome",
    "Question",
    "AmountTable",
    "Verdict",
    "answer",
    "answer_question_family",
]
