"""Simulated texts as they are asked for: the one schema for the form and the command. What is
wrong is refused with the same field and sentence, whichever way it comes."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from webapp.core.simulate.truth import MadeSettings
from webapp.platform.received import Received

_DEFAULT = MadeSettings()
LARGEST_COUNT = 2**31 - 1  # of documents, topics and words: arrays are counted so
SMALLEST_PRIOR = 0.001  # of a prior: with smaller ones random numbers underflow
LARGEST_PRIOR = 100  # of a prior: with larger ones all topics are alike


class AskedTexts(Received):
    """What texts are drawn by, and what is left out is as usual: fields of MadeSettings."""

    documents: int = Field(_DEFAULT.documents, ge=1, le=LARGEST_COUNT)
    length: float = Field(_DEFAULT.length, gt=0, le=LARGEST_COUNT)
    topics: int = Field(_DEFAULT.topics, ge=1, le=LARGEST_COUNT)
    vocabulary: int = Field(_DEFAULT.vocabulary, ge=1, le=LARGEST_COUNT)
    alpha: float = Field(_DEFAULT.alpha, ge=SMALLEST_PRIOR, le=LARGEST_PRIOR)
    varied: bool = _DEFAULT.varied
    eta: float = Field(_DEFAULT.eta, ge=SMALLEST_PRIOR, le=LARGEST_PRIOR)
    seed: int = Field(_DEFAULT.seed, ge=0, le=2**63 - 1)

    @classmethod
    def of_texts(cls, texts: Mapping[str, Any]) -> Self:
        """What a command asks for by texts. Raises Invalid."""
        return cls.read({name: cls.from_text(name, text) for name, text in texts.items()})

    def settings(self) -> MadeSettings:
        return MadeSettings(**self.model_dump())


class AskedOnPage(AskedTexts):
    """With bounds, so that a request answers in seconds; the command has none of them."""

    documents: int = Field(_DEFAULT.documents, ge=20, le=50_000)
    length: float = Field(_DEFAULT.length, ge=5, le=5_000)
    topics: int = Field(_DEFAULT.topics, ge=1, le=200)
    vocabulary: int = Field(_DEFAULT.vocabulary, ge=10, le=20_000)
