"""What is done to versions of a corpus: choose other words, or add documents. The texts are kept:
no file is needed twice."""

from dataclasses import asdict

from django.db import transaction
from django.db.models import Max

from inference.errors import Invalid
from webapp.intake.ingest.settings import VocabularySettings
from webapp.models import Corpus, Version
from webapp.platform.accounts import quotas
from webapp.platform.jobs import dispatch, kinds


def create(corpus: Corpus, words: VocabularySettings, **fields) -> Version:
    """The corpus's next version, which is still to be made. Raises Invalid while another one is."""
    words.choice()
    with transaction.atomic():
        # One number at a time
        if not Corpus.objects.select_for_update().filter(pk=corpus.pk).exists():
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
        if fields.get("status", Version.Status.QUEUED) == Version.Status.QUEUED:
            quotas.check_job(corpus.owner)
        last = corpus.versions.aggregate(last=Max("number"))["last"] or 0
        return Version.objects.create(
            corpus=corpus, number=last + 1, settings=asdict(words), **fields
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
