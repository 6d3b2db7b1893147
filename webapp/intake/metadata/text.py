"""Text: too long or too various to be counted. It is kept with the document, shown and exported,
and is no column."""

from typing import Never

import numpy as np

from webapp.intake.metadata.column_names import names_people
from webapp.intake.metadata.field import Field

FEWEST_VALUES = 4  # values that tell whether nearly all are different
DIFFERENT = 0.9  # of the values, above which they are
_LABEL = 60  # characters of a value that can be a category's, on average


class Text(Field):
    kind = "text"
    label = "text: kept, not counted"
    priority = 1

    @classmethod
    def claims(cls, values: list[str], name: str) -> bool:
        """Long values, or such as are nearly all different; who spoke or wrote is a name, though
        the first rows have another each."""
        if sum(map(len, values)) / len(values) > _LABEL:
            return True
        different = len(values) >= FEWEST_VALUES and len(set(values)) > DIFFERENT * len(values)
        return different and not names_people(name)

    def groups(self, values: np.ndarray) -> Never:
        raise TypeError("A text is stored in no column: there are no groups of it.")
