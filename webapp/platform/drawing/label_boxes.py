"""Where labels stand in a picture: each takes the first of its places that is free."""

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """What a label, or something that none may cover, takes up; y points down."""

    left: float
    top: float
    right: float
    bottom: float

    def crosses(self, second: "Box") -> bool:
        """Whether they have more than an edge in common."""
        is_level = self.top < second.bottom and second.top < self.bottom
        return is_level and self.left < second.right and second.left < self.right


class LabelBoxes:
    """The labels that have found a place. is_allowed: whether a label may stand in a box, whatever
    the other labels; taken: boxes where none may stand."""

    def __init__(self, is_allowed: Callable[[Box], bool], taken: Iterable[Box] = ()):
        self.is_allowed = is_allowed
        self.taken = list(taken)

    def take_first(self, boxes: Iterable[Box]) -> int | None:
        """The number of the first of these that is free, which is taken then; None where none is."""
        for number, box in enumerate(boxes):
            if self._is_free(box):
                self.taken.append(box)
                return number
        return None

    def _is_free(self, box: Box) -> bool:
        if not self.is_allowed(box):
            return False
        return not any(box.crosses(taken_box) for taken_box in self.taken)
