"""Versions of a corpus, for its pages: what each is, and in words how it differs from the one
before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from inference.errors import number_of
from inference.text import LANGUAGES
from webapp.models import Corpus, Run, Version
from webapp.platform.drawing import numbers

VERSIONS_SHOWN = 20
_WORDS_NAMED = 4  # words that are named where some came or went
_FORMS = {
    "written": "words as they are written",
    "stems": "stems",
    "lemmas": "words reduced to their dictionary forms",
}
_HYPHENS = {"split": "separate", "join": "join"}
_APOSTROPHES = _HYPHENS | {"clitics": "separate only what the language ties to"}
_REPEATED = {
    "keep": "documents that repeat others count",
    "exact": "documents that are the same as others don’t count",
    "near": "documents that nearly repeat others don’t count",
}
# Setting -> what is said where it was `old` and is `new`
_CHANGES: dict[str, Callable[[Any, Any], str]] = {
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
    "apostrophes": lambda old, new: f"apostrophes {_APOSTROPHES[new]} words",
    "variants": lambda old, new: f"spellings of one word count {'as one' if new else 'apart'}",
    "forms": lambda old, new: _FORMS[new],
    "duplicates": lambda old, new: _REPEATED[new],
}


@dataclass(frozen=True)
class NewVersion:
    """error: why it could not be made; notice: what it waits for; each "" where there is nothing to
    say."""

    number: int
    status: str
    error: str
    notice: str


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
    """The newest first, at most VERSIONS_SHOWN of them."""
    versions = list(
        corpus.versions.annotate(run_count=Count("runs", filter=Q(runs__deleted_at=None))).order_by(
            "-number"
        )[: VERSIONS_SHOWN + 1]
    )
    rows = []
    for i, version in enumerate(versions[:VERSIONS_SHOWN]):
        before = _first_ready(versions[i + 1 :])
        row = VersionRow(
            number=version.number,
            status=version.status,
            error=version.error,
            notice=version.shown_notice,
            documents=version.documents,
            tokens=version.tokens,
            vocabulary=version.vocabulary,
            created=version.created_at,
            runs=version.run_count,
            newest=version.pk == corpus.version_id,
            difference=difference(before, version) if before else "",
        )
        rows.append(row)
    return rows


def _first_ready(versions: Sequence[Version]) -> Version | None:
    for version in versions:
        if version.status == Version.Status.READY:
            return version
    return None


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
    languages_before = _other_languages(old)
    languages_now = _other_languages(new)
    parts.append(_stop_words_of(languages_now - languages_before, "too"))
    parts.append(_stop_words_of(languages_before - languages_now, "no more"))
    for name, say in _CHANGES.items():
        if name in old and name in new and old[name] != new[name]:
            parts.append(say(old[name], new[name]))
    if now.status == Version.Status.READY and now.documents != before.documents:
        parts.append(
            number_of(abs(now.documents - before.documents), "document")
            + f" {'more' if now.documents > before.documents else 'fewer'}"
        )
    return "; ".join(part for part in parts if part) or "the same words"


def _other_languages(settings: dict) -> set[str]:
    """Names of the languages whose stop words don't count beside those of the main one."""
    return {LANGUAGES.get(code, code) for code in settings.get("also", [])}


def _stop_words_of(languages: set[str], how: str) -> str:
    """ "" of no languages."""
    if not languages:
        return ""
    return f"{numbers.join_names(sorted(languages))} stop words {how}"


def _counting(version: Version) -> list[str]:
    """The phrases that are words of it; of one that is not made yet, those that were chosen."""
    left_out = set(version.report.get("phrases_left_out", []))
    return [phrase for phrase in version.settings.get("phrases", []) if phrase not in left_out]


def _words(old: dict, new: dict, name: str, singular: str, plural: str = "") -> str:
    before = set(old.get(name, []))
    now = set(new.get(name, []))
    sentences = []
    for direction, words in (("more", now - before), ("fewer", before - now)):
        if not words:
            continue
        noun = singular if len(words) == 1 else plural or f"{singular}s"
        examples = ", ".join(sorted(words)[:_WORDS_NAMED])
        if len(words) > _WORDS_NAMED:
            examples += " …"
        sentences.append(f"{len(words):,} {direction} {noun} ({examples})")
    return "; ".join(sentences)


def difference_to_newest(run: Run) -> str:
    """Where a run's version is not the corpus's newest: what is otherwise there. "" where it is."""
    newest = run.corpus.version
    if newest is None or newest.pk == run.version_id:
        return ""
    return difference(run.version, newest)
