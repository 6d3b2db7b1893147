"""A corpus in several languages: how its texts divide among them, and a corpus and a run of each.

Each language is a part of the corpus (webapp.intake.ingest.subset) with the same documents, dates
and fields, whose words are cut, joined and left out by its own language.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from inference.errors import Invalid
from inference.text import LANGUAGES, language_code
from webapp.core.documents import fields
from webapp.core.runs.services import MOST_AT_ONCE
from webapp.intake.ingest import corpora
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.shaping import language_column
from webapp.intake.ingest.vocabulary_forms import say_several, several
from webapp.intake.metadata import Category
from webapp.models import Corpus, Provenance, Run, User, Version
from webapp.platform.accounts import quotas, sharing

MARK: Final = "language"  # in the provenance of a part that is all texts in a language: its code


@dataclass(frozen=True)
class LanguageOfTexts:
    """code: ISO 639-1. field: the column of languages; values: those that mean this one, such as
    German and de_DE. share: of the texts whose language is known. counts_as_written: whether words
    are counted as written in it, although the corpus counts stems or lemmas. corpus: that holds the
    texts in this language alone; run: the newest on it."""

    code: str
    name: str
    field: str
    values: list[str]
    documents: int
    share: float
    counts_as_written: bool
    corpus: Corpus | None
    run: Run | None

    @property
    def corpus_status(self) -> str:
        return self.corpus.status if self.corpus else ""

    @property
    def run_status(self) -> str:
        return self.run.status if self.run else ""


@dataclass(frozen=True)
class Division:
    """languages: those that hold a share worth saying, largest first, at most MOST_AT_ONCE;
    further_languages: names of those that hold one beyond these.
    other_documents: in other languages, or without a known one; other_values: of the column of
    languages, those of such documents. stop_words_of: names of the
    languages whose stop words are left out of every text of the undivided corpus. has_phrases:
    whether readers have chosen phrases in it, which its parts count, too."""

    languages: list[LanguageOfTexts]
    further_languages: list[str]
    other_documents: int
    field: str
    other_values: list[str]
    stop_words_of: list[str]
    has_phrases: bool

    @property
    def is_several(self) -> bool:
        return len(self.languages) > 1

    @property
    def finished_runs(self) -> list[Run]:
        runs = [language.run for language in self.languages if language.run]
        return [run for run in runs if run.status == Run.Status.DONE]


def divide(corpus: Corpus, visible: QuerySet[Corpus]) -> Division:
    """How a corpus's texts divide among languages, by its column of languages; no language where it
    has none. Costs the same for ten million documents: a column knows how many have each value.

    visible: corpora that may be shown; parts that are not among them count as not made.
    """
    version = _ready_version(corpus)
    field = language_field(version) if version else None
    if version is None or field is None:
        return Division([], [], 0, "", [], [], False)
    words = VocabularySettings.from_dict(version.settings)
    counts = _counts(field)
    largest_first = list(several(counts).items())
    shares = dict(largest_first[:MOST_AT_ONCE])
    parts = _parts(corpus, visible)
    runs = _newest_runs(list(parts.values()))
    languages = []
    for code, share in shares.items():
        part = parts.get(code)
        languages.append(
            LanguageOfTexts(
                code=code,
                name=LANGUAGES[code],
                field=field.name,
                values=[value for value in field.values if language_code(value) == code],
                documents=counts[code],
                share=share,
                counts_as_written=_counts_as_written(words, code),
                corpus=part,
                run=runs.get(part.pk) if part else None,
            )
        )
    return Division(
        languages=languages,
        further_languages=[LANGUAGES[code] for code, _ in largest_first[MOST_AT_ONCE:]],
        other_documents=version.documents - sum(counts[code] for code in shares),
        field=field.name,
        other_values=[value for value in field.values if language_code(value) not in shares],
        stop_words_of=[
            LANGUAGES[code] for code in (words.language, *words.also) if code in LANGUAGES
        ],
        has_phrases=bool(words.phrases),
    )


def say(corpus: Corpus) -> str:
    """ "German 62%, French 30%", of a corpus in several languages; "" of another."""
    version = _ready_version(corpus)
    field = language_field(version) if version else None
    return say_several(_counts(field)) if field else ""


def say_unsaid(corpus: Corpus) -> str:
    """The same of a corpus whose texts are in several languages though no column of it says so."""
    if say(corpus):
        return ""
    return say_several(corpus.report.get("text_languages", {}))


def _counts(field: Category) -> Counter[str]:
    """Documents by language; "" for values that mean none."""
    counts: Counter[str] = Counter()
    for value, count in zip(field.values, field.documents, strict=True):
        counts[language_code(value)] += count
    return counts


def language_field(version: Version) -> Category | None:
    """The column that says which language a text is in; None where there is none."""
    by_name = {
        field.name: field for field in fields.categories(version) if isinstance(field, Category)
    }
    column = language_column(by_name)
    return None if column is None else by_name[column]


def train_each(
    corpus: Corpus, by: User | None, settings: Mapping[str, Any] | None = None
) -> list[Corpus]:
    """Queue for each language a corpus of its texts, and a run on it as soon as it has been read.
    Returns those of all languages, largest first; a language whose corpus is there keeps it.

    settings: of the runs, as Corpus.train_settings has them: of the engine, and topics, engine, seed and
    consensus beside them; by default the usual ones. Raises Invalid where the texts are in one language, or the languages are not known.
    """
    version = _ready_version(corpus)
    owner = by or User.objects.local()
    field = language_field(version) if version else None
    parts = []
    with transaction.atomic():
        # Of two who ask at once the second finds the parts of the first; before its owner, as
        # whoever changes a corpus does (quotas)
        sharing.lock(corpus)
        division = divide(corpus, Corpus.objects.filter(owner=owner))
        if version is None or field is None or not division.is_several:
            raise Invalid(
                "corpus",
                f"“{corpus.name}” has no column of languages with more than one of them. Have the"
                " language of each text found when you read its files.",
            )
        codes = fields.values(version, field)
        quotas.check_job(owner, sum(language.corpus is None for language in division.languages))
        for language in division.languages:
            if language.corpus is None:
                values = [field.values.index(value) for value in language.values]
                numbers = np.flatnonzero(np.isin(codes, values))
                part = _create(corpus, version, language, numbers, owner, dict(settings or {}))
            else:
                part = language.corpus
            parts.append(part)
    return parts


def _create(
    corpus: Corpus,
    version: Version,
    language: LanguageOfTexts,
    numbers: np.ndarray,
    owner: User,
    train_settings: dict,
) -> Corpus:
    """The corpus of a language. numbers: int64, ascending, of its documents."""
    provenance: Provenance = {
        "sentence": f"documents whose language is {language.name}",
        "parameters": [["in", f"{language.field}:{value}"] for value in language.values],
        "run": None,
        MARK: language.code,
    }
    name = f"{corpus.name}: {language.name}"
    reading = _reading(corpus, version, language)
    return corpora.create_subset(corpus, numbers, name, reading, provenance, owner, train_settings)


def _ready_version(corpus: Corpus) -> Version | None:
    return corpus.version if corpus.status == Corpus.Status.READY else None


def _reading(corpus: Corpus, version: Version, language: LanguageOfTexts) -> ReadingSettings:
    """How the texts in a language are read: as the corpus, with the words of that language
    alone."""
    words = VocabularySettings.from_dict(version.settings)
    own_words = _in_language(words, language.code)
    if language.counts_as_written:
        own_words = replace(own_words, forms="written")
    reading = replace(ReadingSettings.from_dict(corpus.settings), **vars(own_words))
    return reading.fitted(language.documents)


def _in_language(words: VocabularySettings, code: str) -> VocabularySettings:
    """Phrases that readers have chosen stay: those of other languages are not in the texts."""
    return replace(words, language=code, also=[], alike=[])


def _counts_as_written(words: VocabularySettings, code: str) -> bool:
    """Whether a language lacks the stems or lemmas that a corpus counts."""
    try:
        _in_language(words, code).choice()
    except Invalid as error:
        if error.field not in ("forms", "language"):
            raise
        return True
    return False


def _parts(corpus: Corpus, visible: QuerySet[Corpus]) -> dict[str, Corpus]:
    """The newest corpus of each language that holds all its texts of this corpus as it is now."""
    parts = visible.filter(
        parent=corpus, provenance__has_key=MARK, provenance__of=corpus.documents
    ).order_by("pk")
    return {part.provenance[MARK]: part for part in parts}


def _newest_runs(parts: list[Corpus]) -> dict[int, Run]:
    """By corpus."""
    newest = Run.objects.filter(corpus__in=parts).order_by("corpus", "-pk").distinct("corpus")
    return {run.corpus_id: run for run in newest}
