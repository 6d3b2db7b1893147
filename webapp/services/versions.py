"""What is done to versions of a corpus: which words of it count."""

from dataclasses import asdict, dataclass, field, fields

from django.db import transaction
from django.db.models import Max

from inference.text import Choice, stop_words
from webapp.models import Corpus, Version


@dataclass(frozen=True)
class Words:
    """Which words of a corpus count: kept on a version as a dict."""

    language: str = ""  # ISO 639-1, or none: then there are no stop words but one's own
    min_documents: int = 5
    max_share: float = 0.5
    min_length: int = 2
    extra_stop_words: list[str] = field(default_factory=list)
    numbers: bool = False  # from here on as inference.text.Choice has them
    hyphens: str = "split"
    apostrophes: str = "split"
    forms: str = "written"
    phrases: list[str] = field(default_factory=list)
    duplicates: str = "keep"

    @classmethod
    def of(cls, settings: dict) -> "Words":
        """Of a version's settings, or a corpus's, which hold more."""
        return cls(**{f.name: settings[f.name] for f in fields(Words) if f.name in settings})

    def choice(self) -> Choice:
        """Raises Invalid, naming the field, for what can't be."""
        same = {f.name: getattr(self, f.name) for f in fields(Words) if f.name not in ("extra_stop_words", "phrases")}
        stops = stop_words(self.language) | frozenset(word.lower() for word in self.extra_stop_words)
        return Choice(stop_words=stops, phrases=tuple(self.phrases), **same)


def begin(corpus: Corpus, words: Words, **fields) -> Version:
    """The corpus's next version, which is still to be made."""
    with transaction.atomic():
        Corpus.objects.select_for_update().get(pk=corpus.pk)  # one number at a time
        last = corpus.versions.aggregate(last=Max("number"))["last"] or 0
        return Version.objects.create(corpus=corpus, number=last + 1, settings=asdict(words), **fields)
