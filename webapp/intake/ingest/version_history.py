"""Versions of a corpus, for its pages: what each is, and in words how it differs from the one
before."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from inference.errors import number_of
from inference.text import LANGUAGES
from webapp.models import Corpus, Run, Version
from webapp.platform.drawing import numbers

SHOWN = 20
_NAMED = 4  # words that are named where some came or went
_FORMS = {
    "written": "words as they are written",
    "stems": "stems",
    "lemmas": "words reduced to their dictionary forms",
}
_HYPHENS = {"split": "separate", "join": "join"}
_REPEATED = {
    "keep": "documents that repeat others count",
    "exact": "documents that are the same as others don’t count",
    "near": "documents that nearly repeat others don’t count",
}
_CHANGES: dict[
    str, Callable[[Any, Any], str]
] = {  # setting -> what is said where it was `old` and is `new`
    "language": lambda old, new: "stop words of another language",
    "min_documents": lambda old, new: (
        f"words in at least {number_of(new, 'document')} instead of {old:,}"
    ),
    "max_share": lambda old, new: (
        f"words in at most {100 * new:.3g}% of documents instead of {100 * old:.3g}%"
    ),
    "spread_evenly": lambda old, new: (
        f"frequent words that are spread evenly {'count' if new else 'don’t count'}"
    ),
    "section_words": lambda old, new: f"sections of {new:,} words" if new else "no sections",
    "min_length": lambda old, new: f"words of at least {number_of(new, 'letter')} instead of {old}",
    "numbers": lambda old, new: "numbers count" if new else "numbers don’t count",
    "hyphens": lambda old, new: f"hyphens {_HYPHENS[new]} words",
    "apostrophes": lambda old, new: f"apostrophes {_HYPHENS[new]} words",
    "variants": lambda old, new: f"spellings of one word count {'as one' if new else 'apart'}",
    "forms": lambda old, new: _FORMS[new],
    "duplicates": lambda old, new: _REPEATED[new],
}


@dataclass(frozen=True)
class NewVersion:
    number: int
    status: str
    error: str


@dataclass(frozen=True)
class VersionRow(NewVersion):
    """newest: whether it is the corpus's. difference: from the version before it that could be
    made; "" for the first."""

    documents: int
    tokens: int
    vocabulary: int
    created: datetime
    runs: int
    newest: bool
    difference: str


def list_versions(corpus: Corpus) -> list[VersionRow]:
    """The newest first, at most SHOWN of them."""
    versions = list(
        corpus.versions.annotate(run_count=Count("runs", filter=Q(runs__deleted_at=None))).order_by(
            "-number"
        )[: SHOWN + 1]
    )
    before = [
        next((v for v in versions[i:] if v.status == Version.Status.READY), None)
        for i in range(1, SHOWN + 1)
    ]
    return [
        VersionRow(
            number=version.number,
            status=version.status,
            error=version.message,
            documents=version.documents,
            tokens=version.tokens,
            vocabulary=version.vocabulary,
            created=version.created_at,
            runs=version.run_count,
            newest=version.pk == corpus.version_id,
            difference=difference(earlier, version) if earlier else "",
        )
        for version, earlier in zip(versions, before, strict=False)
    ]


def making(corpus: Corpus) -> Version | None:
    """The version that is being made, or waits to be."""
    return corpus.versions.filter(
        status__in=(Version.Status.QUEUED, Version.Status.CHOOSING)
    ).first()


def following(corpus: Corpus) -> int:
    """The number of the version that would be made next: failed ones have numbers, too."""
    return (corpus.versions.aggregate(last=Max("number"))["last"] or 0) + 1


def difference(before: Version, now: Version) -> str:
    """What of one version is otherwise than in another, in words; "the same words" where nothing
    is."""
    old = before.settings
    new = now.settings
    parts = [
        _words(old, new, "extra_stop_words", "stop word"),
        _words(
            old, new, "kept_words", "word that counts nevertheless", "words that count nevertheless"
        ),
        _words(old, new, "apart", "spelling that counts apart", "spellings that count apart"),
        _words({"phrases": _counting(before)}, {"phrases": _counting(now)}, "phrases", "phrase"),
    ]
    had, has = (
        {LANGUAGES.get(code, code) for code in settings.get("also", [])} for settings in (old, new)
    )
    parts += [
        f"{numbers.join_names(sorted(languages))} stop words {how}"
        for languages, how in ((has - had, "too"), (had - has, "no more"))
        if languages
    ]
    shared_settings = [name for name in _CHANGES if name in old and name in new]
    parts += [
        _CHANGES[name](old[name], new[name]) for name in shared_settings if old[name] != new[name]
    ]
    if now.status == Version.Status.READY and now.documents != before.documents:
        parts.append(
            number_of(abs(now.documents - before.documents), "document")
            + f" {'more' if now.documents > before.documents else 'fewer'}"
        )
    return "; ".join(part for part in parts if part) or "the same words"


def _counting(version: Version) -> list[str]:
    """The phrases that are words of it; of one that is not made yet, those that were chosen."""
    left_out = set(version.report.get("phrases_left_out", []))
    return [phrase for phrase in version.settings.get("phrases", []) if phrase not in left_out]


def _words(old: dict, new: dict, name: str, singular: str, plural: str = "") -> str:
    had = set(old.get(name, []))
    has = set(new.get(name, []))
    return "; ".join(
        f"{len(words):,} {direction} {singular if len(words) == 1 else plural or singular + 's'}"
        f" ({', '.join(sorted(words)[:_NAMED])}{' …' if len(words) > _NAMED else ''})"
        for direction, words in (("more", has - had), ("fewer", had - has))
        if words
    )


def difference_to_newest(run: Run) -> str:
    """Where a run's version is not the corpus's newest: what is otherwise there. "" where it is."""
    newest = run.corpus.version
    if newest is None or newest.pk == run.version_id:
        return ""
    return difference(run.version, newest)
