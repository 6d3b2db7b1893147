"""The languages of some of a corpus's texts, evenly spread, which are found while all are read: its
page says where there are several, though no field says it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from inference.text import language_of

MOST_TEXTS = 400  # whose languages are known, of however many: a fifth of a second


@dataclass(frozen=True)
class LanguageSample:
    """codes: languages (ISO 639-1, "" for not told) of the documents 0, step, 2 step …"""

    step: int = 1
    codes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # JSON, as which a checkpoint is stored, has lists alone
        object.__setattr__(self, "codes", tuple(self.codes))

    def with_texts(self, first: int, texts: Iterable[str]) -> "LanguageSample":
        """With those of further documents. first: the number of the first of these. As it is where
        those before it were read by a version that did not look."""
        if first and not self.codes:
            return self
        step = self.step
        codes = list(self.codes)
        for number, text in enumerate(texts, first):
            if number % step:
                continue
            codes.append(language_of(text))
            if len(codes) > MOST_TEXTS:
                codes = codes[::2]
                step *= 2
        return LanguageSample(step, tuple(codes))

    def counts(self) -> dict[str, int]:
        """Texts by language, most first."""
        return dict(Counter(self.codes).most_common())
