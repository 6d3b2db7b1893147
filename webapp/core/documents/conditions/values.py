"""?in=party:Democratic, a category and a value; may be repeated: values of one category are
alternatives. A form without JavaScript can't join two fields into one: ?in:party= a value of this
category, or several with commas or semicolons between, small letters or capitals, are read, too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents import fields
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort, passing
from webapp.intake.metadata import ValueField
from webapp.models import Version

LONGEST_SHOWN = 80  # characters of what was asked for, in a sentence about it
VALUES_SHOWN = 8  # values of a category, in such a sentence
_BETWEEN_VALUES = re.compile(r"\s*[,;]\s*")


@dataclass(frozen=True)
class Value(Condition):
    """Documents with a value of a category, or with another value of it that the set names."""

    PARAMETERS = ("in",)
    FORM_FIELDS = ("in:",)
    EFFORT = Effort.COLUMN
    IN_FORM = True

    category: str
    value: str

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        version = all_documents.version
        values = [cls(*_parse(text, version)) for text in query.getlist("in") if text]
        for category in fields.categories(version):
            for text in map(str.strip, query.getlist(f"in:{category.name}")):
                values += [cls(category.name, value) for value in typed_values(category, text)]
        return values

    @property
    def parameter(self) -> tuple[str, str]:
        return "in", f"{self.category}:{self.value}"

    def sentence(self, all_documents: AllDocuments) -> str:
        return f"{self.category} {self.value}"

    def short_sentence(self, all_documents: AllDocuments) -> str:
        return self.value

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        return self.find([self], all_documents, among)

    @classmethod
    def find(
        cls, conditions: Sequence[Self], all_documents: AllDocuments, among: np.ndarray | None
    ) -> np.ndarray:
        """Of one category any of its values will do; of several categories each has to."""
        numbers = among
        for name in dict.fromkeys(condition.category for condition in conditions):
            category, codes = fields.codes(all_documents.version, name)
            # The last, which is also the place -1: no value
            accepted = np.zeros(len(category.values) + 1, bool)
            for condition in conditions:
                if condition.category == name:
                    accepted[category.values.index(condition.value)] = True
            numbers = passing(partial(_has_accepted, codes, accepted), numbers)
        assert numbers is not None
        return numbers


def _has_accepted(
    codes: np.ndarray, accepted: np.ndarray, documents: np.ndarray | slice
) -> np.ndarray:
    return accepted[codes[documents]]


def typed_values(category: ValueField, text: str) -> list[str]:
    """The values of a category as one types them. A value that has a comma in it is meant by that
    comma: "Paris, Texas" is one value where there is such a one, else two."""
    if not text:
        return []
    whole_value = _find_value(category, text)
    if whole_value is not None:
        return [whole_value]
    typed = [part for part in _BETWEEN_VALUES.split(text) if part]
    values = []
    for part in typed:
        value = _find_value(category, part)
        if value is None:
            raise Invalid(
                "in",
                f"“{part[:LONGEST_SHOWN]}” is not a value of “{category.name}”."
                " Its most frequent ones:"
                f" {', '.join(category.values[:VALUES_SHOWN])}.",
            )
        values.append(value)
    return values


def _find_value(category: ValueField, text: str) -> str | None:
    if text in category.values:
        return text
    same_letters = (value for value in category.values if value.casefold() == text.casefold())
    return next(same_letters, None)


def _parse(text: str, version: Version) -> tuple[str, str]:
    """ "party:Democratic" -> ("party", "Democratic")."""
    for category in fields.categories(version):  # a name may have a colon in it
        value = text.removeprefix(category.name + ":")
        if value != text and value in category.values:
            return category.name, value
    names = ", ".join(f"“{c.name}”" for c in fields.categories(version)) or "none"
    raise Invalid(
        "in",
        "“in” in the address must be a category and one of its values, such as party:Democratic,"
        f" got “{text[:LONGEST_SHOWN]}”. Categories here: {names}.",
    )
