"""The page that asks how the files of a draft are read: what they are understood as with what was
chosen, and having them read."""

from dataclasses import asdict, dataclass, replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.file_formats.looking import Abandoned, Exhausted
from webapp.intake.ingest import corpora, guesses, previews, pseudonyms, reading_forms, sample
from webapp.intake.ingest.shaping_forms import ShapingForm
from webapp.models import Corpus
from webapp.platform.accounts import embargo
from webapp.platform.pages.page import told_at
from webapp.platform.pages.typed import HtmlPageResponse
from webapp.service.corpora import deletion, pseudonym_offer, views
from webapp.service.corpora.shapes import PreparePage, SubsetPage


def respond(
    request: HttpRequest, corpus: Corpus
) -> HtmlPageResponse[PreparePage | SubsetPage] | HttpResponse:
    """The page; or where having the files read, or a look at them that is not made here, leads."""
    data, is_preview = previews.read_choices(request, corpus.upload)
    try:
        look = FilesLook.take(corpus, data)
    except file_formats.Unreadable as error:
        return _end_draft(request, corpus, str(error))
    if look is None:
        return redirect("corpus", corpus.pk)
    preparation = Preparation(request, corpus, data, look)
    if not is_preview and (reading_corpus := preparation.begin()):
        return redirect("corpus", reading_corpus.pk)
    page = preparation.page()
    is_wrong = preparation.form.errors or preparation.shaping.errors
    return HtmlPageResponse(page, status=400 if is_wrong and not is_preview else 200)


def _end_draft(request: HttpRequest, corpus: Corpus, why: str) -> HttpResponse:
    """The answer where none of the files can be read."""
    if target_corpus := corpus.added_to:
        deletion.delete_corpus(corpus)
        messages.error(request, f"Nothing was added. {why}")
        return redirect("corpus", target_corpus.pk)
    Corpus.objects.filter(pk=corpus.pk, status=Corpus.Status.DRAFT).update(
        status=Corpus.Status.FAILED, error=why
    )
    return redirect("corpus", corpus.pk)


@dataclass(frozen=True)
class FilesLook:
    """What the files of a draft are understood as. refused: why not with the options that were
    chosen, but with guessed ones; refused_field: of the form, that is then to be chosen
    otherwise."""

    shaping: ShapingForm
    sniff: file_formats.Sniff
    refused: file_formats.Unreadable | None
    refused_field: str

    @classmethod
    def take(cls, corpus: Corpus, data: QueryDict | None) -> "FilesLook | None":
        """None where it is not taken here: nobody waits for it any more, as a later preview or the
        reading has replaced this one, or it takes longer than a page may, and a worker takes it.

        data: of the form; None where nothing was chosen. Raises file_formats.Unreadable where the
        files can't be read in any way.
        """
        table = ""
        options = previews.known_options(data, corpus)
        try:
            shaping = previews.shaping_form(corpus, data)
            table = shaping["table"].value() or ""
            return cls._with_options(corpus, data, shaping, table, options)
        except Abandoned:
            return None
        except Exhausted:
            corpora.look_by_worker(corpus, guesses.FilesQuestion(table, options))
            return None

    @classmethod
    def _with_options(
        cls,
        corpus: Corpus,
        data: QueryDict | None,
        shaping: ShapingForm,
        table: str,
        options: dict[str, str | bool | int],
    ) -> "FilesLook":
        chosen_before = corpus.settings.get("options", {})
        refused = None
        try:
            sniff = guesses.sniff(corpus, table, **options)
        except file_formats.Unreadable as error:
            if not data and not chosen_before:
                raise
            sniff = guesses.sniff(corpus, "")
            refused = error
        if not data:
            sniff = guesses.keep_chosen_columns(sniff, chosen_before)
        header_row = options.get("header_row")
        says_where = isinstance(header_row, int) and header_row > 1
        return cls(shaping, sniff, refused, "header_row" if says_where else "encoding")


class Preparation:
    """The forms of the page, of one request. data: what they were sent, or had when the user left;
    None where nothing was chosen yet."""

    def __init__(
        self, request: HttpRequest, corpus: Corpus, data: QueryDict | None, look: FilesLook
    ):
        self.request = request
        self.corpus = corpus
        self.data = data
        self.sniff = look.sniff
        self.shaping = look.shaping
        form_class = reading_forms.AddingForm if corpus.is_addition else reading_forms.ReadingForm
        self.form = form_class(
            previews.complete_columns(data, look.sniff) if data else None,
            corpus=corpus,
            sniff=look.sniff,
        )
        if look.refused:
            has_field = look.refused_field in self.form.fields
            self.form.add_error(look.refused_field if has_field else None, str(look.refused))
        self.offer = pseudonym_offer.offer(request, corpus, self.form)

    def begin(self) -> Corpus | None:
        """Have the files read as the forms say. Returns the corpus whose page says how far that is;
        None where it can't be begun, or where the user has yet to see which persons would be
        replaced: the page says why."""
        reading = self._reading()
        if reading is None:
            return None
        if self.offer and self.offer.ticked:
            return self._begin_replacing(self.offer, reading)
        return self._begin_reading(reading)

    def _reading(self) -> corpora.ReadingSettings | None:
        """As the forms say; None where they can't be used."""
        if not self.data or not self.form.is_valid() or not self.shaping.is_valid():
            return None
        return replace(self.form.reading(), shaping=asdict(self.shaping.shaping()))

    def _begin_replacing(
        self, offer: pseudonym_offer.PseudonymsOffer, reading: corpora.ReadingSettings
    ) -> Corpus | None:
        """Have persons replaced by pseudonyms first, once they were counted on the page."""
        if not offer.is_counted:
            return None
        try:
            return pseudonym_offer.begin(self.request, self.corpus, offer, self.form, reading)
        except Invalid as error:
            self.offer = replace(offer, wrong=error.message)
            return None

    def _begin_reading(self, reading: corpora.ReadingSettings) -> Corpus | None:
        try:
            with told_at(self.shaping, self.form):
                if reading.shaping["table"]:
                    # A table that can't be used is said now, not when all is read
                    sample.take_sample(self.corpus, reading)
                return self._read(reading)
        except (file_formats.Unreadable, Exhausted) as error:
            self.shaping.add_error("table", str(error))
        return None

    def _read(self, reading: corpora.ReadingSettings) -> Corpus:
        """Have the draft read; returns the corpus that its documents come to. Raises Invalid."""
        if target_corpus := self.corpus.added_to:
            corpora.add_files(self.corpus, reading)
            return target_corpus
        self.corpus.name = self.form.cleaned_data["name"]
        self.corpus.unit = self.form.chosen_unit
        corpora.read(
            self.corpus, reading, train_settings={} if self.form.cleaned_data["train"] else None
        )
        sample.remove_samples(self.corpus)
        return self.corpus

    def page(self) -> PreparePage:
        corpus = self.corpus
        added_to = corpus.added_to
        return PreparePage(
            **vars(previews.preview_draft(corpus, self.form, self.shaping)),
            form=self.form,
            shaping=self.shaping,
            sniff=self.sniff,
            withheld=embargo.sentence(corpus),
            kept=self.request.method != "POST" and self.data is not None,
            files=views.first_files(corpus),
            differing=previews.differing_columns(added_to, self.sniff) if added_to else None,
            pseudonyms=pseudonyms.sentence(corpus),
            offer=self._counted_offer(),
        )

    def _counted_offer(self) -> pseudonym_offer.PseudonymsOffer | None:
        """With what would be replaced, where persons are to be and the forms can be used."""
        if not self.offer or not self.offer.ticked or self.offer.wrong:
            return self.offer
        reading = self._reading()
        if reading is None:
            return self.offer
        return pseudonym_offer.count(self.corpus, self.offer, reading)
