"""What a form of word options would give, before anything long: shared by the pages that have one."""

import hashlib
from dataclasses import asdict, replace

from django.http import HttpRequest, QueryDict

from inference.errors import Invalid
from inference.text import Spread, Stream, shares
from webapp import readers
from webapp.accounts import embargo
from webapp.ingest import corpora, forms, sample
from webapp.ingest import estimates as queries
from webapp.ingest.shaping import Shaping
from webapp.ingest.shaping_forms import ShapingForm
from webapp.models import Corpus
from webapp.storage import files

COLUMNS_SAID = 12  # names of columns in a sentence
LONGEST_SHEET = 200  # letters of its name; Excel has 31


def sent(request: HttpRequest) -> tuple[QueryDict | None, bool]:
    """What a form sent, and whether it is to be shown again rather than done. A word to leave out is added to the others."""
    if request.method != "POST":
        return None, False
    data = request.POST.copy()
    if word := data.get("leave_out", ""):
        data["extra_stop_words"] = f"{data.get('extra_stop_words', '')} {word}".strip()
    return data, bool(word) or "preview" in data


def known(data: QueryDict | None, corpus: Corpus) -> dict:
    """What of reading the user has said, now or before; the rest is guessed. Values that no form has are not among it."""
    if data is None or corpora.keeps_columns(corpus):
        return {} if corpus.into_id else _said_before(corpus.settings.get("options", {}))
    found = {}
    if data.get("encoding") in dict(forms.ENCODINGS):
        found["encoding"] = data["encoding"]
    if data.get("delimiter") in dict(forms.DELIMITERS):
        found |= {"delimiter": data["delimiter"], "header": "header" in data}
    if data.get("sheet"):
        found |= {"sheet": data["sheet"][:LONGEST_SHEET], "header": "header" in data}
    return found


def _said_before(options: dict) -> dict:
    found = {name: options[name] for name in ("encoding", "delimiter", "sheet") if options.get(name)}
    return found | ({"header": options["header"]} if found.keys() & {"delimiter", "sheet"} else {})


def shaping_of(corpus: Corpus, data: QueryDict | None) -> ShapingForm:
    """What is done to documents: as it was sent, else as it was chosen before or is guessed. A table that was refused is not guessed."""
    guess = corpora.about_files(corpus)
    tables = [*([guess.name] if guess else []), *corpora.tables(corpus)]
    chosen = Shaping(**corpus.settings.get("shaping", {}))
    kept = {"shaping": chosen, "tables": tables, "guess": None if corpus.settings and not corpus.into_id else guess}
    form = ShapingForm(**kept)
    return ShapingForm(data if data else form.sent(), **kept)


def fitting(data: QueryDict, sniff: readers.Sniff) -> QueryDict:
    """With all about the columns guessed anew where the file was cut into others than those that the user saw, and else with
    what the form that the user saw did not have: the kind of a column that was the title, say."""
    options, seen = sniff.options, data.get("columns")
    guesses = {
        f"kind_{i}": options.kinds.get(name, "category") for i, name in enumerate(sniff.columns[: forms.KINDS_SHOWN])
    }
    guesses["date_order"] = options.date_order
    anew = seen is not None and seen != columns(sniff)
    if anew:
        guesses |= {
            role: "" if (value := getattr(options, role)) is None else str(value) for role in readers.formats.ROLES
        }
    for name, value in guesses.items():
        if anew or name not in data:
            data[name] = value
    return data


def differing(into: Corpus, sniff: readers.Sniff) -> dict:
    """Names of columns that the files of a corpus have and those that are added to it do not, and the other way round."""
    before = readers.Options(**into.settings.get("options", {}))
    known = {*before.names, *before.kinds}
    if not before.names or not sniff.columns:
        return {}
    texts = {
        names[i]
        for names, i in ((before.names, before.text), (sniff.columns, sniff.options.text))
        if i is not None and i < len(names)
    }
    missing = [name for name in before.names if name not in sniff.columns and name not in texts]
    return {
        "missing": missing[:COLUMNS_SAID],
        "more": [name for name in sniff.columns if name not in known | texts][:COLUMNS_SAID],
    }


def columns(sniff: readers.Sniff) -> str:
    """A mark of how a file is cut into columns, for a hidden field. Their names are none of it: with another encoding, or without
    a row of names, they are the same columns."""
    way = (sniff.options.delimiter, sniff.options.sheet or next(iter(sniff.sheets), ""), len(sniff.columns))
    return hashlib.sha256(repr(way).encode("utf-8", "replace")).hexdigest()[:16]


def of_draft(corpus: Corpus, form: forms.ReadingForm, shaping: ShapingForm) -> dict:
    """What the prepare page shows of a sample of the files: `sample`, `words`, or `trouble`, a sentence; and `columns`."""
    shown = {"columns": columns(form.sniff)}
    asked = form if form.is_bound else type(form)(form.sent(), corpus=corpus, sniff=form.sniff)
    if not asked.is_valid() or not shaping.is_valid():
        return shown | {"trouble": "Mend what is marked in red, and this shows what it gives."}
    try:
        reading = replace(asked.reading(), shaping=asdict(shaping.shaping()))
        taken, stream = sample.taken(corpus, reading)
        if not form.is_bound and not corpus.settings:  # seen for the first time
            reading = _proposed(reading, taken)
            form.offer(reading)
    except (Invalid, readers.Unreadable) as error:
        return shown | {"trouble": error.message}
    # Short sections stand one after the other: of a text that is withheld nothing is shown but one passage.
    hidden = embargo.withheld(corpus, asdict(reading) | {"before": _before(corpus)})
    first = tuple(embargo.preview(one, hidden) for one in taken.first)
    shown["sample"] = taken = replace(taken, first=first, passage=embargo.beginning(corpus, taken.passage))
    if stream is None:
        return shown | {
            "trouble": " ".join(["No document could be read from the beginning of the files.", *taken.problems[:1]])
        }
    cut = {"language": stream.language, "given": stream.given}
    words = queries.preview(
        stream, reading.choice(), queries.of_sample(taken), frozenset(reading.kept_words), taken.passage, **cut
    )
    return shown | {"words": words} | ({} if corpus.into_id else {"languages": form.languages(taken.languages)})


def _before(corpus: Corpus) -> list[dict]:
    """How a draft's files were read, or which columns are texts in the corpus that they are to be added to."""
    return embargo.inherited(corpus.into.settings) if corpus.into else corpus.settings.get("before", [])


def _proposed(reading: corpora.Reading, taken: sample.Sample) -> corpora.Reading:
    """With thresholds for as many documents as there are, where that is known, and the stop words of all languages that were found."""
    if taken.counted:
        reading = reading.fitted(taken.of)
    found = [code for code, share in taken.languages.items() if share >= forms.SAID]
    if found and sample.cut_alike(found[0], reading.language):
        reading = replace(reading, language=found[0])
    return replace(reading, also=[code for code in found if code != reading.language])


def of_corpus(corpus: Corpus, form: forms.WordsForm, texts: list[str]) -> dict:
    """The same of a corpus that has been read. form: a valid one. texts: beginnings of documents, evenly spread."""
    words, passage = form.words(), "" if corpus.embargo else queries.passage_of(texts)
    stream = Stream.open(files.corpus_folder(corpus.pk) / "tokens")
    spread = Spread(stream)
    cut = {"language": stream.language, "given": stream.given}
    scale = queries.Scale(stream.D, spread.whole)
    return {
        "words": queries.preview(spread, words.choice(), scale, frozenset(words.kept_words), passage, **cut),
        "languages": form.languages(shares(texts)),
    }
