"""What a form of word options would give, before anything long: shared by the pages that have
one."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpRequest, QueryDict

from inference.errors import Invalid, shown
from inference.text import LANGUAGES, Spread, Stream, language_shares
from inference.text.sections import Sections
from webapp.intake import file_formats, metadata
from webapp.intake.ingest import guesses, reading_forms, sample, vocabulary_forms, word_estimates
from webapp.intake.ingest.asked_reading import AskedReading
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.sample import Sample
from webapp.intake.ingest.shaping import Shaping, is_shared
from webapp.intake.ingest.shaping_forms import ShapingForm, Silence
from webapp.models import Corpus, Upload
from webapp.platform.accounts import embargo
from webapp.platform.received import not_offered, number
from webapp.platform.storage import files, sealed

BUTTONS = ("csrfmiddlewaretoken", "preview", "leave_out", "other_list")  # of a form: no choices
CORRECT = "Correct what is marked in red to see the preview."
COLUMNS_SAID = 12  # names of columns in a sentence
FEW_DOCUMENTS_NOTE = (
    "Hardly any word occurs in several documents, and the usual limits would leave none. So words"
    " of a single document count here, too."
)


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a choice of words would give. trouble: a sentence, where that can't be said. languages:
    none where they are not known yet. sample: of files that are not read yet."""

    words: word_estimates.ChoicePreview | None = None
    trouble: str = ""
    languages: vocabulary_forms.Languages | None = None
    sample: Sample | None = None


@dataclass(frozen=True, kw_only=True)
class DraftPreview(Preview):
    """The preview of files that are not read yet. columns, header_of: fingerprints, for hidden
    fields. adapted: a sentence, where the usual limits would leave no word. several_languages:
    "German 62%, French 30%", where texts are in more than one; languages_said_wrongly: whether more
    than a few are in another than they say. text_column, date_column: their names, "" for none."""

    columns: str
    header_of: str
    adapted: str = ""
    silences: list[Silence] = field(default_factory=list)
    text_column: str = ""
    date_column: str = ""
    language: str = ""
    several_languages: str = ""
    languages_said_wrongly: bool = False


@dataclass(frozen=True)
class Differing:
    """Names of columns that the files of a corpus have and those that are added to it do not, and
    the other way round."""

    missing: list[str]
    more: list[str]


def read_request(request: HttpRequest) -> tuple[QueryDict | None, bool]:
    """What a form sent, and whether it is to be shown again rather than done. A word to leave out,
    or to keep, is added to the others."""
    if request.method != "POST":
        return None, False
    data = request.POST.copy()
    if keep := data.get("keep", ""):
        data.appendlist("kept_words", keep)
    if second_list := data.get("other_list", ""):
        data["sheet"] = second_list
    if word := data.get("leave_out", ""):
        data["extra_stop_words"] = f"{data.get('extra_stop_words', '')} {word}".strip()
    return data, bool(word or keep or second_list) or "preview" in data


def read_choices(request: HttpRequest, upload: Upload) -> tuple[QueryDict | None, bool]:
    """What the form of a draft's page has, and whether a preview is asked for. What its form sends
    is kept, and is what the form has for whoever comes back, until the files are read or the form
    asks for what we `propose`."""
    data, previewing = read_request(request)
    if data is None:
        data = QueryDict(mutable=True)
        for name, values in (upload.choices or {}).items():
            data.setlist(name, values)
        return (data, True) if data else (None, False)
    choices = None
    if "propose" not in data:  # Postgres takes no NUL, and no field does
        choices = {}
        for name, values in data.lists():
            if name not in BUTTONS:
                choices[name] = [value.replace("\0", "") for value in values]
    Upload.objects.filter(pk=upload.pk).update(choices=choices)
    return (data, previewing) if choices else (None, False)


def known_options(
    data: QueryDict | dict[str, Any] | None, corpus: Corpus
) -> dict[str, str | bool | int]:
    """What of reading the user has said, now or before; the rest is guessed. Values that no form
    has are not among it."""
    if data is None or guesses.keeps_columns(corpus):
        return {} if corpus.is_addition else _chosen_before(corpus.settings.get("options", {}))
    options: dict[str, Any] = {}
    if data.get("encoding") in dict(reading_forms.ENCODINGS):
        options["encoding"] = data["encoding"]
    if data.get("delimiter") in dict(reading_forms.DELIMITERS):
        options |= {"delimiter": data["delimiter"], "header": "header" in data}
    if data.get("sheet"):
        # Names of sheets in Excel have at most 31 letters
        options |= {"sheet": data["sheet"][:200], "header": "header" in data}
    row = data.get("header_row", "")
    if (
        options.get("header")
        and row.isascii()
        and row.isdigit()
        and 0 < int(row[:9]) <= file_formats.HEADER_ROWS
    ):
        # Of another sheet, or cut at another character, it is another row.
        if data.get("header_of", rows_fingerprint(options)) == rows_fingerprint(options):
            options["header_row"] = int(row)
    return options


def rows_fingerprint(options: dict) -> str:
    """In which sheet, or between which delimiters, the user saw the number of the header's row: for
    a hidden field."""
    return options.get("sheet") or options.get("delimiter") or ""


def _chosen_before(options: dict) -> dict[str, str | bool | int]:
    before = {
        name: options[name] for name in ("encoding", "delimiter", "sheet") if options.get(name)
    }
    if before.keys() & {"delimiter", "sheet"}:
        before["header"] = options["header"]
    if before.get("header"):
        before["header_row"] = options.get("header_row") or 1
    return before


def shaping_form(corpus: Corpus, data: QueryDict | dict[str, Any] | None) -> ShapingForm:
    """What is done to documents: as it was sent, else as it was chosen before or is guessed. A
    table that was refused is not guessed."""
    guess = guesses.guess_table(corpus)
    tables = [*([guess.name] if guess else []), *guesses.possible_tables(corpus)]
    stored_shaping = Shaping(**corpus.settings["shaping"]) if "shaping" in corpus.settings else None
    guess = None if corpus.settings and not corpus.is_addition else guess
    form = partial(ShapingForm, shaping=stored_shaping, tables=tables, guess=guess)
    return form(data or form().sent())


def complete_columns(data: QueryDict, sniff: file_formats.Sniff) -> QueryDict:
    """With all about the columns guessed anew where the file was cut into others than those that
    the user saw, and else with what the form that the user saw did not have: the kind of a column
    that was the title, say."""
    options = sniff.options
    seen = data.get("columns")
    guessed = {
        f"kind_{i}": options.kinds.get(name, metadata.DEFAULT.kind)
        for i, name in enumerate(sniff.columns[: reading_forms.KINDS_SHOWN])
    }
    guessed["date_order"] = options.date_order
    header = options.header and (options.delimiter or sniff.sheets)
    if header:
        guessed["header_row"] = str(options.header_row or 1)
    anew = seen is not None and seen != columns_fingerprint(sniff)
    if anew:
        for role in file_formats.ROLES:
            column = getattr(options, role)
            guessed[role] = "" if column is None else str(column)
        guessed["unit"] = ""
        data.setlist("html", ["on"] if options.html else [])
        data.setlist("missing", ["on"] if options.missing else [])
    for name, value in guessed.items():
        if anew or name not in data:
            data[name] = value
    return data


def differing_columns(target: Corpus, sniff: file_formats.Sniff) -> Differing | None:
    """None where the files have no columns to compare."""
    before = file_formats.Options(**target.settings.get("options", {}))
    known_columns = {*before.names, *before.kinds}
    if not before.names or not sniff.columns:
        return None
    texts = {
        _name_of(before.text, before.names),
        _name_of(sniff.options.text, sniff.columns),
    }
    expected = [name for name in before.names if name not in texts]
    missing = [name for name in expected if name not in sniff.columns]
    new_columns = [name for name in sniff.columns if name not in known_columns | texts]
    return Differing(missing[:COLUMNS_SAID], new_columns[:COLUMNS_SAID])


def _name_of(column: int | None, names: Sequence[str]) -> str | None:
    """None where no column is chosen, or the file has none of that number."""
    if column is None or column >= len(names):
        return None
    return names[column]


def columns_fingerprint(sniff: file_formats.Sniff) -> str:
    """A fingerprint of how a file is cut into columns, for a hidden field. Their names are none of
    it: with another encoding, or without a row of names, they are the same columns."""
    options = sniff.options
    cut = (
        options.delimiter,
        options.sheet or next(iter(sniff.sheets), ""),
        options.header_row,
        len(sniff.columns),
    )
    return hashlib.sha256(repr(cut).encode("utf-8", "replace")).hexdigest()[:16]


def preview_draft(
    corpus: Corpus, form: reading_forms.ReadingForm, shaping: ShapingForm
) -> DraftPreview:
    """What the prepare page shows of a sample of the files."""
    read = form.sniff.options
    rows = {"sheet": read.sheet or next(iter(form.sniff.sheets), ""), "delimiter": read.delimiter}
    preview = DraftPreview(
        columns=columns_fingerprint(form.sniff), header_of=rows_fingerprint(rows)
    )
    bound_form = form if form.is_bound else type(form)(form.sent(), corpus=corpus, sniff=form.sniff)
    if not bound_form.is_valid() or not shaping.is_valid():
        return replace(preview, trouble=CORRECT)
    try:
        taken = _take_sample(corpus, form, bound_form, shaping)
    except (Invalid, file_formats.Unreadable) as error:
        return replace(preview, trouble=error.message)
    except file_formats.looking.Exhausted as error:
        return replace(
            preview, trouble=f"{error} So there is no preview, but you can still read the files."
        )
    reading = taken.reading
    stream = taken.stream
    beginning = _withhold_from_readers(corpus, reading, taken.beginning)
    preview = replace(
        preview,
        adapted=taken.adapted,
        silences=shaping.silences(beginning.silent),
        sample=beginning,
    )
    if stream is None:
        return replace(
            preview,
            trouble=" ".join(
                [
                    "No document could be read from the beginning of the files.",
                    *beginning.problems[:1],
                ]
            ),
        )
    options = file_formats.Options(**reading.options)
    return replace(
        preview,
        words=_words(reading, beginning, stream),
        languages=None if corpus.is_addition else form.languages(beginning.languages),
        text_column=options.column("text") or "",
        date_column=options.column("date") or "",
        several_languages=vocabulary_forms.say_several(beginning.text_languages),
        languages_said_wrongly=_are_said_wrongly(beginning),
        language=LANGUAGES.get(reading.language)
        or LANGUAGES.get(next(iter(beginning.languages), ""), ""),
    )


class _TakenSample(NamedTuple):
    """The sample of a draft's files, how it was read, and DraftPreview.adapted. stream: None where
    no document could be read."""

    reading: ReadingSettings
    beginning: Sample
    stream: Stream | None
    adapted: str = ""


def _take_sample(
    corpus: Corpus,
    form: reading_forms.ReadingForm,
    bound_form: reading_forms.ReadingForm,
    shaping: ShapingForm,
) -> _TakenSample:
    """The sample, read as `bound_form` says. Where nobody has chosen anything yet, as its texts
    suggest: then `form` and `shaping` offer that."""
    reading = replace(bound_form.reading(), shaping=asdict(shaping.shaping()))
    beginning, stream = sample.take_sample(corpus, reading)
    if form.is_bound or corpus.settings:
        return _TakenSample(reading, beginning, stream)
    suggested = _suggest_shaping(reading, beginning)
    differing = {name for name in suggested if suggested[name] != reading.shaping[name]}
    if not corpus.is_addition and differing:
        shaping.data = {
            **shaping.data,
            **suggested,
            "silent": list(suggested["silent"]),
            "join": ", ".join(suggested["join"]),  # as a browser sends it
        }
        reading = replace(reading, shaping=reading.shaping | suggested)
        # Refused dates may be in no name of the sample: then it is as it was
        if differing != {"name_dates"} or beginning.refused_evidence & beginning.evidence.keys():
            beginning, stream = sample.take_sample(corpus, reading)
    reading, adapted = _propose_reading(reading, beginning, stream)
    form.offer(reading)
    return _TakenSample(reading, beginning, stream, adapted)


def _suggest_shaping(reading: ReadingSettings, beginning: Sample) -> dict[str, Any]:
    """Fields of a Shaping, as the texts of a sample suggest them."""
    taken_evidence = beginning.evidence.keys() - beginning.refused_evidence
    has_no_dates = not taken_evidence and not beginning.dated
    most_are_made = 2 * beginning.made >= beginning.documents
    several_languages = vocabulary_forms.several(beginning.text_languages)
    # Where texts say different languages somebody has looked at them: then we only offer it
    say_one_language = len(vocabulary_forms.several(beginning.said_languages)) == 1
    languages_anew = say_one_language and _are_said_wrongly(beginning)
    has_unsaid_languages = len(several_languages) > 1 and not beginning.has_languages
    return {
        "silent": tuple(beginning.certain),
        "dated": beginning.dated,
        "name_dates": beginning.name_dates,
        "made": has_no_dates and beginning.made > 0 and most_are_made,
        "each_language": has_unsaid_languages or languages_anew,
        "languages_anew": languages_anew,
        "join": beginning.joins or reading.shaping["join"],
    }


def _are_said_wrongly(beginning: Sample) -> bool:
    return vocabulary_forms.are_said_wrongly(beginning.said_languages, beginning.wrong_languages)


def _withhold_from_readers(corpus: Corpus, reading: ReadingSettings, beginning: Sample) -> Sample:
    """What of a sample may be seen: all of it, where there is no embargo."""
    # How a draft's files were read, or which columns are texts in the corpus that they are to be
    # added to
    before = (
        embargo.inherited(corpus.added_to.settings)
        if corpus.added_to
        else corpus.settings.get("before", [])
    )
    hidden = embargo.withheld(corpus, asdict(reading) | {"before": before})
    return withhold(beginning, corpus, hidden) if hidden else beginning


def withhold(beginning: Sample, corpus: Corpus, hidden: embargo.Withheld) -> Sample:
    """What may be seen of a sample under embargo. A field that is not named here stays empty: a new
    one is withheld until somebody has decided that it gives no text away."""
    # Short sections stand one after the other: of a text that is withheld nothing is shown but one
    # passage.
    first = tuple(embargo.preview(document, hidden) for document in beginning.first)
    # What many texts share is words of theirs
    silent = {name: share for name, share in beginning.silent.items() if not is_shared(name)}
    # Some quote a line of a text, which only who owns it may see without end
    problems = () if embargo.readers(corpus) else beginning.problems
    return Sample(
        documents=beginning.documents,
        of=beginning.of,
        counted=beginning.counted,
        characters=beginning.characters,
        of_characters=beginning.of_characters,
        files=beginning.files,
        of_files=beginning.of_files,
        whole=beginning.whole,
        beginnings=beginning.beginnings,
        spread=beginning.spread,
        seconds=beginning.seconds,
        problems=problems,
        first=first,
        languages=beginning.languages,
        text_languages=beginning.text_languages,
        said_languages=beginning.said_languages,
        wrong_languages=beginning.wrong_languages,
        dates=() if "date" in hidden.roles else beginning.dates,
        silent=silent,
        certain=beginning.certain,
        dated=beginning.dated,
        name_dates=beginning.name_dates,
        untaken_dates=beginning.untaken_dates,
        undated=beginning.undated,
        without_date=beginning.without_date,
        evidence=beginning.evidence,
        made=beginning.made,
        left_out=beginning.left_out,
        passage=embargo.beginning(corpus, beginning.passage),
    )


def _words(
    reading: ReadingSettings, beginning: Sample, stream: Stream
) -> word_estimates.ChoicePreview:
    scale = word_estimates.scale_of_sample(beginning)
    how_cut = {"language": stream.language, "given": stream.given, "rules": stream.rules}
    return word_estimates.preview(
        stream, reading.alike_in(stream, stream.given), scale, beginning.passage, **how_cut
    )


@dataclass(frozen=True)
class Proposal:
    """How a draft is read as its page proposes it. unit: Corpus.unit. sniff: what its files seem to
    be."""

    reading: ReadingSettings
    unit: str | None
    sniff: file_formats.Sniff


def propose(corpus: Corpus, asked: AskedReading | None = None) -> Proposal:
    """What the page of a draft proposes, and sends where nobody changes it: by the page's own
    forms.

    asked: what is to be otherwise. Raises Invalid with the field, and what guesses.sniff raises.
    """
    choices = asked.chosen() if asked else {}
    options = {name: value for name, value in choices.items() if value is not False}
    shaping = shaping_form(corpus, None)
    of_shaping = {name: value for name, value in choices.items() if name in shaping.fields}
    shaping.data = {**shaping.data, **of_shaping}
    sniff = guesses.sniff(corpus, shaping["table"].value() or "", **known_options(options, corpus))
    for role in (*file_formats.ROLES, "unit"):
        if choices.get(role) not in (None, "", reading_forms.EACH_DOCUMENT):
            choices[role] = _column(sniff, role, choices[role])
    form = reading_forms.ReadingForm(corpus=corpus, sniff=sniff)
    for name in choices:
        if name not in form.fields and name not in shaping.fields:
            raise Invalid(name, f"These files have no “{name}” to choose; leave it out.")
    preview_draft(corpus, form, shaping)
    # A form that was valid has what it had then: another one takes what was proposed since
    shaped = shaping_form(corpus, {**shaping.data, **of_shaping})
    of_reading = {name: value for name, value in choices.items() if name not in of_shaping}
    filled = reading_forms.ReadingForm(
        {**form.sent(), "name": corpus.name, **of_reading}, corpus=corpus, sniff=sniff
    )
    for checked_form in (filled, shaped):
        for error in checked_form.refused:
            raise error
    reading = replace(filled.reading(), shaping=asdict(shaped.shaping()))
    return Proposal(reading, filled.chosen_unit, sniff)


def _column(sniff: file_formats.Sniff, role: str, name_or_number: str) -> str:
    """The place of a column by its name, or by its number from 1, as the form sends it. Raises
    Invalid."""
    if name_or_number in sniff.columns:
        return str(sniff.columns.index(name_or_number))
    place = number(name_or_number)
    if isinstance(place, int) and 1 <= place <= len(sniff.columns):
        return str(place - 1)
    if not sniff.columns:
        raise Invalid(
            role, f"These files have no columns, and none {shown(name_or_number)}; leave it out."
        )
    raise not_offered(role, name_or_number, sniff.columns)


def _propose_reading(
    reading: ReadingSettings, beginning: Sample, stream: Stream | None
) -> tuple[ReadingSettings, str]:
    """With thresholds for as many documents as there are, where that is known, and the stop words
    of all languages that were found. Where those thresholds leave no word: with such as leave some,
    and a sentence that says so."""
    rows = beginning.of
    if stream is not None and reading.section_words:
        rows = word_estimates.sections_of(
            word_estimates.scale_of_sample(beginning),
            Sections(stream, reading.section_words).D,
            stream.D,
        )
    reading = reading.fitted(rows)
    by_letters = [
        code
        for code, share in beginning.languages.items()
        if share >= vocabulary_forms.LEAST_LANGUAGE_SHARE
    ]
    # The letters are of the first texts, which may all be in one language where a file is sorted
    by_texts = vocabulary_forms.several(beginning.text_languages)
    languages = [*by_letters, *(code for code in by_texts if code not in by_letters)]
    if languages and sample.are_cut_alike(languages[0], reading.language):
        reading = replace(reading, language=languages[0])
    reading = replace(reading, also=[code for code in languages if code != reading.language])
    if stream is None or _words(reading, beginning, stream).kept:
        return reading, ""
    wider = replace(reading, min_documents=1)
    return (wider, FEW_DOCUMENTS_NOTE) if _words(wider, beginning, stream).kept else (reading, "")


def preview_corpus(
    corpus: Corpus, form: vocabulary_forms.VocabularyForm, texts: list[str]
) -> Preview:
    """The preview of a corpus that has been read. form: a valid one. texts: beginnings of
    documents, evenly spread."""
    words = form.words()
    passage = "" if corpus.embargo else word_estimates.passage_of(texts)
    tokens = files.corpus_folder(corpus.pk) / "tokens"
    stream = sealed.opened(lambda: Stream.open(tokens), tokens)
    spread = Spread(stream)
    how_cut = {"language": stream.language, "given": stream.given, "rules": stream.rules}
    scale = word_estimates.Scale(stream.D, spread.whole)
    estimate = word_estimates.preview(
        spread, words.alike_in(spread, stream.given), scale, passage, **how_cut
    )
    return Preview(words=estimate, languages=form.languages(language_shares(texts)))
