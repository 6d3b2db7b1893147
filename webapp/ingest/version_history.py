"""Versions of a corpus, for its pages: what each is, and in words how it differs from the one before."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from inference.text import LANGUAGES
from webapp.models import Corpus, Run, Version

SHOWN = 20
_NAMED = 4  # words that are named where some came or went
_FORMS = {"written": "words as they are written", "stems": "stems", "lemmas": "words reduced to their dictionary forms"}
_REPEATED = {
    "keep": "documents that repeat others count",
    "exact": "documents that are the same as others don’t count",
    "near": "documents that nearly repeat others don’t count",
}


@dataclass(frozen=True)
class VersionRow:
    """newest: whether it is the corpus's. difference: from the version before it that could be made; "" for the first."""

    number: int
    status: str
    error: str
    documents: int
    tokens: int
    vocabulary: int
    created: datetime
    runs: int
    newest: bool
    difference: str


def listed(corpus: Corpus) -> list[VersionRow]:
    """The newest first, at most SHOWN of them."""
    versions = list(
        corpus.versions.annotate(run_count=Count("runs", filter=Q(runs__deleted_at=None))).order_by("-number")[
            : SHOWN + 1
        ]
    )
    rows = []
    for i, version in enumerate(versions[:SHOWN]):
        before = next((v for v in versions[i + 1 :] if v.status == Version.Status.READY), None)
        rows.append(
            VersionRow(
                number=version.number,
                status=version.status,
                error=version.error,
                documents=version.documents,
                tokens=version.tokens,
                vocabulary=version.vocabulary,
                created=version.created_at,
                runs=version.run_count,
                newest=version.pk == corpus.version_id,
                difference=difference(before, version) if before else "",
            )
        )
    return rows


def making(corpus: Corpus) -> Version | None:
    """The version that is being made, or waits to be."""
    return corpus.versions.filter(status__in=(Version.Status.QUEUED, Version.Status.CHOOSING)).first()


def following(corpus: Corpus) -> int:
    """The number of the version that would be made next: failed ones have numbers, too."""
    return (corpus.versions.aggregate(last=Max("number"))["last"] or 0) + 1


def difference(before: Version, now: Version) -> str:
    """What of one version is otherwise than in another, in words; "the same words" where nothing is."""
    old, new = before.settings, now.settings
    parts = [
        _words(old, new, "extra_stop_words", "stop word"),
        _words(old, new, "kept_words", "word that counts nevertheless", "words that count nevertheless"),
        _words({"phrases": _counting(before)}, {"phrases": _counting(now)}, "phrases", "phrase"),
    ]
    if _changed(old, new, "language"):
        parts.append("stop words of another language")
    had, has = ({LANGUAGES.get(code, code) for code in settings.get("also", [])} for settings in (old, new))
    parts += [
        f"{_named(sorted(which))} stop words {how}"
        for which, how in ((has - had, "too"), (had - has, "no more"))
        if which
    ]
    if _changed(old, new, "min_documents"):
        parts.append(f"words in at least {new['min_documents']:,} documents instead of {old['min_documents']:,}")
    if _changed(old, new, "max_share"):
        parts.append(
            f"words in at most {100 * new['max_share']:.3g}% of documents instead of {100 * old['max_share']:.3g}%"
        )
    if _changed(old, new, "spread_evenly"):
        parts.append(f"frequent words that are spread evenly {'count' if new['spread_evenly'] else 'don’t count'}")
    if _changed(old, new, "section_words"):
        parts.append(f"sections of {new['section_words']:,} words" if new["section_words"] else "no sections")
    if _changed(old, new, "min_length"):
        parts.append(f"words of at least {new['min_length']} letters instead of {old['min_length']}")
    if _changed(old, new, "numbers"):
        parts.append("numbers count" if new["numbers"] else "numbers don’t count")
    parts += [f"{name} {new[name]} words" for name in ("hyphens", "apostrophes") if _changed(old, new, name)]
    if _changed(old, new, "forms"):
        parts.append(_FORMS[new["forms"]])
    if _changed(old, new, "duplicates"):
        parts.append(_REPEATED[new["duplicates"]])
    if now.status == Version.Status.READY and now.documents != before.documents:
        parts.append(
            f"{abs(now.documents - before.documents):,} documents {'more' if now.documents > before.documents else 'fewer'}"
        )
    return "; ".join(part for part in parts if part) or "the same words"


def _counting(version: Version) -> list[str]:
    """The phrases that are words of it; of one that is not made yet, those that were chosen."""
    out = set(version.report.get("phrases_left_out", []))
    return [phrase for phrase in version.settings.get("phrases", []) if phrase not in out]


def _named(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _changed(old: dict, new: dict, name: str) -> bool:
    return name in old and name in new and old[name] != new[name]


def _words(old: dict, new: dict, name: str, one: str, many: str = "") -> str:
    had, has = set(old.get(name, [])), set(new.get(name, []))
    return "; ".join(
        f"{len(words):,} {which} {one if len(words) == 1 else many or one + 's'} ({', '.join(sorted(words)[:_NAMED])}{' …' if len(words) > _NAMED else ''})"
        for which, words in (("more", has - had), ("fewer", had - has))
        if words
    )


def said(run: Run) -> str:
    """Where a run's version is not the corpus's newest: what is otherwise there. "" where it is."""
    corpus = run.corpus
    if corpus.version_id in (None, run.version_id):
        return ""
    return difference(run.version, corpus.version)
