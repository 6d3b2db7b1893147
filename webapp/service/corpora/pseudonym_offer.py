"""The tick of the preview that replaces persons by pseudonyms before anything is read
(docs/pseudonyms.md)."""

from dataclasses import dataclass, field, replace

from django.contrib import messages
from django.http import HttpRequest, QueryDict

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.ingest import pseudonyms, reading_forms
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.pseudonyms import Look
from webapp.intake.ingest.replacement import Following
from webapp.models import Corpus
from webapp.platform.accounts import authorization

NOT_OFFERED = "Persons can’t be replaced in these files. Take the tick away, or upload them again."


@dataclass(frozen=True)
class PseudonymsOffer:
    """proposed: columns that seem to name persons. chosen: those that would be replaced. counted:
    what the form sent of what was counted before, a fingerprint of columns. keep: whether what was
    uploaded stays. look: what would be replaced in the first documents; None where it is not
    ticked, or can't be counted (`wrong` says why)."""

    ticked: bool
    proposed: list[str]
    chosen: list[str] = field(default_factory=list)
    counted: str = ""
    keep: bool = False
    look: Look | None = None
    wrong: str = ""

    @property
    def fingerprint(self) -> str:
        return pseudonyms.fingerprint(self.chosen)

    @property
    def is_counted(self) -> bool:
        """Whether these very columns were counted on the page that the form was on."""
        return self.counted == self.fingerprint


def offer(
    request: HttpRequest, corpus: Corpus, form: reading_forms.ReadingForm
) -> PseudonymsOffer | None:
    """None where persons can't be replaced, or who asks may not have it done: then a form that asks
    for it is wrong, and nothing is read."""
    sent = form.data if isinstance(form.data, QueryDict) else QueryDict()
    if not _may_replace(request, corpus):
        if sent.get("pseudonyms") and request.method == "POST":
            form.add_error(None, NOT_OFFERED)
        return None
    proposed = pseudonyms.proposed_columns(form.sniff)
    if not sent.get("pseudonyms"):
        return PseudonymsOffer(ticked=False, proposed=proposed)
    counted = sent.get("pseudonyms_counted", "")
    return PseudonymsOffer(
        ticked=True,
        proposed=proposed,
        chosen=sent.getlist("pseudonym_column") if counted else proposed,
        counted=counted,
        keep=bool(sent.get("keep_uploaded")),
    )


def _may_replace(request: HttpRequest, corpus: Corpus) -> bool:
    if pseudonyms.has_pseudonyms(corpus) or not authorization.May(request).own:
        return False
    try:
        pseudonyms.check(corpus)
    except Invalid:
        return False
    return True


def count(corpus: Corpus, offered: PseudonymsOffer, reading: ReadingSettings) -> PseudonymsOffer:
    """With what would be replaced in the first documents."""
    try:
        look = pseudonyms.look(corpus, reading, offered.chosen, [])
    except (Invalid, file_formats.Unreadable) as error:
        return replace(offered, wrong=error.message)
    except file_formats.looking.Exhausted as error:
        return replace(
            offered, wrong=f"{error} Name persons by columns of a table, or upload less at once."
        )
    return replace(offered, look=look)


def begin(
    request: HttpRequest,
    corpus: Corpus,
    offered: PseudonymsOffer,
    form: reading_forms.ReadingForm,
    reading: ReadingSettings,
) -> Corpus:
    """The new draft, which a worker makes and has read as the form says. Raises Invalid."""
    following = Following(
        name=form.cleaned_data.get("name") or corpus.name,
        unit=form.chosen_unit,
        trains={} if form.cleaned_data.get("train") else None,
    )
    new = pseudonyms.begin(corpus, offered.chosen, [], offered.keep, reading, following)
    messages.success(request, "Persons are being replaced. Then the new files are read.")
    return new
