"""What is done to versions of a corpus: choose other words, or add documents. The texts are kept:
no file is needed twice."""

from dataclasses import asdict

from django.db import transaction
from django.db.models import Max

from inference.errors import Invalid
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Corpus, Version
from webapp.platform.accounts import quotas
from webapp.platform.jobs import claims, dispatch, kinds


def create(corpus: Corpus, words: VocabularySettings, **fields) -> Version:
    """The corpus's next version, which is still to be made. Raises Invalid while another one is."""
    words.choice()
    with transaction.atomic():
        _lock_unchanging(corpus)
        if fields.get("status", Version.Status.QUEUED) == Version.Status.QUEUED:
            quotas.check_job(corpus.owner)
        last = corpus.versions.aggregate(last=Max("number"))["last"] or 0
        return Version.objects.create(
            corpus=corpus, number=last + 1, settings=asdict(words), **fields
        )


def retry(version_id: int) -> bool:
    """Have a version that failed made again. Returns whether there is one that had failed. Raises
    Invalid where its corpus has another by now, or where none can be made."""
    with transaction.atomic():
        version = Version.objects.select_related("corpus").filter(pk=version_id).first()
        if version is None or version.status != Version.Status.FAILED:
            return False
        _lock_unchanging(version.corpus)
        if version.corpus.versions.filter(number__gt=version.number).exists():
            raise Invalid(
                "version",
                f"The corpus of version {version_id} has a later one, whose place this one would"
                " take.",
            )
        return claims.retry(kinds.VECTORIZE, version_id)


def _lock_unchanging(corpus: Corpus) -> None:
    """Lock a corpus, so that it gets one version at a time. Raises Invalid where it is gone, or is
    changing already.

    Rows that name it can be added meanwhile, by those, too, who have locked its owner before: here
    the owner is locked after it (quotas)."""
    if not Corpus.objects.select_for_update(no_key=True).filter(pk=corpus.pk).exists():
        raise Invalid("corpus", "This corpus has just been deleted.")
    if corpus.makes_version:
        raise Invalid(
            "corpus", "Another version of this corpus is being made. Wait until it is ready."
        )
    if corpus.is_made_again:
        raise Invalid(
            "corpus",
            "Documents of this corpus are being erased: it is made again of all others, and what"
            " is added to it now would be lost. Wait until it is there.",
        )


def check_can_choose(corpus: Corpus) -> None:
    """Raises Invalid for a corpus of which no version can be made."""
    if corpus.status != Corpus.Status.READY or not corpus.version:
        raise Invalid(
            "corpus",
            f"“{corpus.name}” has not been read yet; its words can be chosen when it is ready.",
        )
    if not corpus.progress:
        raise Invalid(
            "corpus",
            f"“{corpus.name}” was read by an older version that did not keep its words. Read its"
            " files again.",
        )


def choose(corpus: Corpus, words: VocabularySettings) -> Version:
    """Have a corpus that is ready given another vocabulary by a worker. Raises Invalid where that
    can't be."""
    check_can_choose(corpus)
    with transaction.atomic():
        version = create(corpus, words)
        dispatch.send(kinds.VECTORIZE, version.pk)
    return version


def choose_again(corpus: Corpus) -> Version:
    """Choose the words of the newest version anew, including files that were added or queued for
    another try since."""
    return choose(
        corpus, VocabularySettings.from_dict(corpus.version.settings if corpus.version else {})
    )
