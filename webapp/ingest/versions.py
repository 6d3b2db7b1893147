"""What is done to versions of a corpus: choose other words, or add documents. The texts are kept: no file is needed twice."""

from dataclasses import asdict, dataclass, field, fields, replace

from django.db import transaction
from django.db.models import Max

from inference.errors import Invalid
from inference.text import Choice, stop_words
from webapp.accounts import quotas
from webapp.jobs import dispatch, kinds
from webapp.models import Corpus, Version

FEW = 50  # documents below which the usual thresholds would leave out too much


@dataclass(frozen=True)
class Words:
    """Which words of a corpus count: kept on a version as a dict. What each means: inference.text.Choice."""

    language: str = ""  # ISO 639-1, or none: then there are no stop words but one's own
    also: list[str] = field(default_factory=list)  # languages whose stop words are left out, too
    min_documents: int = 5
    max_share: float = 0.5
    min_length: int = 2
    extra_stop_words: list[str] = field(default_factory=list)
    kept_words: list[str] = field(default_factory=list)  # of the language's stop words those that count nevertheless
    numbers: bool = False
    hyphens: str = "split"
    apostrophes: str = "split"
    forms: str = "written"
    phrases: list[str] = field(default_factory=list)
    duplicates: str = "keep"

    @classmethod
    def of(cls, settings: dict):
        """Of a version's settings, or a corpus's, which hold more; those of an older version lack some."""
        return cls(**{f.name: settings[f.name] for f in fields(cls) if f.name in settings})

    def fitted(self, documents: int) -> "Words":
        """With thresholds for few documents: of three no word stands in five, and one in two is nothing common."""
        if documents >= FEW:
            return self
        return replace(
            self, min_documents=max(1, documents // 10), max_share=1.0 if documents < FEW // 5 else self.max_share
        )

    def stop_words(self) -> set[str]:
        """Of its languages, and one's own; those that count nevertheless are among them."""
        return {word.lower() for word in self.extra_stop_words}.union(*map(stop_words, (self.language, *self.also)))

    def choice(self) -> Choice:
        """Raises Invalid, naming the field, for a value that can't be."""
        stops = self.stop_words() - {word.lower() for word in self.kept_words}
        names = (
            "language",
            "min_documents",
            "max_share",
            "min_length",
            "numbers",
            "hyphens",
            "apostrophes",
            "forms",
            "duplicates",
        )
        return Choice(
            stop_words=frozenset(stops), phrases=tuple(self.phrases), **{name: getattr(self, name) for name in names}
        )


def begin(corpus: Corpus, words: Words, **fields) -> Version:
    """The corpus's next version, which is still to be made. Raises Invalid while another one is."""
    words.choice()
    with transaction.atomic():
        if not Corpus.objects.select_for_update().filter(pk=corpus.pk).exists():  # one number at a time
            raise Invalid("corpus", "This corpus has just been deleted.")
        if corpus.versions.filter(status__in=(Version.Status.QUEUED, Version.Status.CHOOSING)).exists():
            raise Invalid("corpus", "Another version of this corpus is being made. Wait until it is ready.")
        if fields.get("status", Version.Status.QUEUED) == Version.Status.QUEUED:
            quotas.check_job(corpus.owner)
        last = corpus.versions.aggregate(last=Max("number"))["last"] or 0
        return Version.objects.create(corpus=corpus, number=last + 1, settings=asdict(words), **fields)


def check(corpus: Corpus) -> None:
    """Raises Invalid for a corpus of which no version can be made."""
    if corpus.status != Corpus.Status.READY or not corpus.version:
        raise Invalid("corpus", f"“{corpus.name}” has not been read yet; its words can be chosen when it is ready.")
    if not corpus.progress:
        raise Invalid(
            "corpus", f"“{corpus.name}” was read by an older version that did not keep its words. Read its files again."
        )


def choose(corpus: Corpus, words: Words) -> Version:
    """Have a corpus that is ready given another vocabulary by a worker. Raises Invalid where that can't be."""
    check(corpus)
    with transaction.atomic():
        version = begin(corpus, words)
        dispatch.send(kinds.VECTORIZE, version.pk)
    return version


def again(corpus: Corpus) -> Version:
    """The words of the newest version, chosen anew: from files, too, that came or are to be tried since."""
    return choose(corpus, Words.of(corpus.version.settings if corpus.version else {}))
