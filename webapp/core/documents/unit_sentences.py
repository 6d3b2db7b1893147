"""What pages say of the unit of a corpus, and what they ask of a person."""

from dataclasses import dataclass
from typing import Literal

from inference.answers.collection_unit import CLEAR, FEWEST_VALUES, TOO_FEW_VALUES, UnitField
from webapp.core.documents import unit_words
from webapp.core.documents.corpus_unit import Unit, failed, known_fields, unit_of
from webapp.models import Version
from webapp.platform.drawing.numbers import count

MOST_ALIASES = 3  # that are named


@dataclass(frozen=True)
class Offer:
    """An answer that one press gives. sent: as the form of the corpus's page sends it."""

    sent: str
    label: str


@dataclass(frozen=True)
class UnitSaid:
    """sentence: which texts count as one, and why. question, offers: what a person is asked; ""
    and none where nothing is."""

    sentence: str
    question: str
    offers: list[Offer]


@dataclass(frozen=True)
class UnitAbout:
    """What numbers of a page, a file or the API rest on. column: whose values count as one each, ""
    where each document counts for itself; also_called: columns that say the same. count: how many
    there are in the collection. chosen_by: who said it: a person, or what was found in the data.
    beyond: for whom intervals hold; sentence: the same as a page tells it."""

    column: str
    also_called: list[str]
    count: int
    chosen_by: Literal["person", "data"]
    beyond: str
    sentence: str


def about(version: Version, unit: Unit) -> UnitAbout:
    """unit: of one question, which may be another where the usual one's own values are compared."""
    chosen_by: Literal["person", "data"] = "person" if unit.certainty == "answered" else "data"
    field = unit.field
    if field is None:
        sentence = _why_documents(version)
        return UnitAbout("", [], version.documents, chosen_by, unit.said, sentence)
    sentence = f"Texts with the same {_field(version, field)} count as one."
    return UnitAbout(
        column=field.name,
        also_called=list(field.aliases),
        count=field.values,
        chosen_by=chosen_by,
        beyond=unit.said,
        sentence=sentence,
    )


def _why_documents(version: Version) -> str:
    """Why each document counts for itself in a question: where the unit's own values are compared,
    or what lies within them, as one of them is on one side; other pages count differently."""
    usual_field = unit_of(version).field
    if usual_field is None:
        return "Each document counts for itself."
    return (
        f"Elsewhere texts with the same {_field(version, usual_field)} count as one. Here one of"
        " these groups is compared with others, so each document counts for itself."
    )


def of_version(version: Version) -> UnitSaid:
    """What is said of the unit beside all estimates on a version's documents."""
    unit = unit_of(version)
    question = _question(unit)
    return UnitSaid(_sentence(version, unit), question, _offers(unit) if question else [])


def _sentence(version: Version, unit: Unit) -> str:
    field = unit.field
    if field is None:
        return _of_documents(version, unit)
    beginning = f"Texts with the same {_field(version, field)}"
    if unit.certainty == "answered":
        return f"{beginning} count as one, as a reader decided.{_also_called(field)}"
    slightly = "slightly " if unit.certainty == "unsure" else ""
    unrelated = max(1, _two_digits(version.documents / field.effect))
    return (
        f"{beginning} resemble each other {slightly}and count as one. Because of this,"
        f" the intervals of {count(version.documents)} texts are about as wide as those of"
        f" {count(unrelated)} unrelated texts."
        f"{_also_called(field)}"
    )


def _of_documents(version: Version, unit: Unit) -> str:
    if unit.certainty == "answered":
        return "Each text counts for itself, as a reader decided."
    if version.unit_fields is None:
        return (
            "We have not looked yet which texts belong together: until then each counts for itself."
        )
    if failed(version):
        return (
            "We could not find out which texts belong together, because of a mistake of this"
            " program: each counts for itself."
        )
    field = alike_of_few_values(version)
    if field is None:
        return "We found nobody who has several texts: each text counts for itself."
    values = f"{count(field.values)} {unit_words.values_of(field.name)}"
    return (
        f"Texts with the same {_field(version, field)} resemble each other, but there are only"
        f" {values}, too few to say anything about others. So each text counts for itself, and"
        f" intervals are about more texts of these {values}."
    )


def alike_of_few_values(version: Version) -> UnitField | None:
    """The field whose texts are most alike, of those that can't be the unit because they have too
    few values: two authors who wrote all texts. None where no such field's texts are clearly
    alike."""
    of_few_values = [
        field
        for field in known_fields(version)
        # Of many values a few may have most of the texts: that is another sentence
        if field.unfit == TOO_FEW_VALUES and field.values < FEWEST_VALUES
    ]
    of_columns = [field for field in of_few_values if not field.derived]
    most_alike = max(of_columns, key=lambda field: field.effect, default=None)
    if most_alike is None or most_alike.effect < CLEAR:
        return None
    return most_alike


def _two_digits(number: float) -> int:
    """Rounded to two significant digits: 598.2 to 600."""
    return int(float(f"{number:.2g}"))


def _also_called(field: UnitField) -> str:
    names = [unit_words.the_column(name) for name in field.aliases[:MOST_ALIASES]]
    if not names:
        return ""
    return f" The groups are the same by {' and '.join(names)}."


def _field(version: Version, field: UnitField) -> str:
    """The field, and some of its values: what it is, where its name alone does not say it. Under
    embargo a value may be a text, and none is shown."""
    examples = () if version.corpus.embargo else field.examples
    return unit_words.column(field.name) + unit_words.such_as(examples)


def _question(unit: Unit) -> str:
    if not unit.asked or unit.field is None:
        return ""
    if unit.rivals:
        names = " and ".join(unit_words.column(rival.name) for rival in unit.rivals[:MOST_ALIASES])
        return f"Texts with the same {names} are alike, too. Which of them belong together?"
    field = unit_words.the_column(unit.field.name)
    return f"Does {field} say who the texts come from, or only what they are about?"


def _offers(unit: Unit) -> list[Offer]:
    assert unit.field is not None
    if unit.rivals:
        fields = [unit.field, *unit.rivals[:MOST_ALIASES]]
        return [
            Offer(f"={field.name}", f"those with the same {unit_words.column(field.name)}")
            for field in fields
        ]
    column = unit_words.column(unit.field.name)
    together = f"Who they come from: texts with the same {column} count as one"
    return [
        Offer(f"={unit.field.name}", together),
        Offer("", "What they are about: each text counts for itself"),
    ]
