"""What a sample keeps of its documents, and what all of them together are like."""

import itertools
from collections import Counter
from datetime import date

import regex

from inference.text import language_of, language_shares
from inference.text.language import TEXT_CHARACTERS
from webapp.intake import file_formats, metadata
from webapp.intake.file_formats.base import MAX_DATE
from webapp.intake.ingest import word_estimates
from webapp.intake.ingest.sample.sample import Sample
from webapp.intake.ingest.shaping import (
    DatesInNames,
    PlaceInWhole,
    are_parts,
    certain_rules,
    date_order_of,
    is_another_language,
    place_in_whole,
    rule_shares,
    said_language,
    usual_name_dates,
)
from webapp.intake.metadata.dates import why_none
from webapp.platform.drawing.excerpts import cut_at_word

# Documents that are shown, characters of each, fields of each; so many are some ten lines of a
# column: readers see the second page, and what runs through pages
DOCUMENTS_SHOWN = 5
CHARACTERS_SHOWN = 420
FIELDS_SHOWN = 12
FORMS_SHOWN = 3  # of dates that can't be read
# Documents, evenly spread over the sample, whose languages are found each by itself; 50 ms
MOST_TOLD_LANGUAGES = 200
# Documents whose texts are kept, and characters of each: among them a passage is chosen
TEXTS_KEPT = 60
CHARACTERS_KEPT = 6_000
_DIGITS = regex.compile(r"\d+")
_LETTERS = regex.compile(r"\p{L}+")


class SampledDocuments:
    """What a sample keeps of its documents. are_shaped: whether they were joined or cut."""

    def __init__(self, options: file_formats.Options, are_shaped: bool):
        self.options = options
        self.are_shaped = are_shaped
        self.documents = 0
        self.characters = 0
        self.first: list[dict] = []  # as they are shown
        self.texts: list[str] = []  # of the first, as far as they are kept
        self.beginnings: list[str] = []  # of all, as far as a language is told by them
        self.said_languages: list[str] = []  # of each (ISO 639-1), "" where it says none
        self.places: list[PlaceInWhole | None] = []  # of documents that are not shaped
        self.days: list[date] = []
        self.undated: list[str] = []  # dates that could not be read
        self.without_date = 0
        self.made = 0  # of these, those whose file says when it was made
        self.evidence: Counter[str] = Counter()  # what dates are from
        self.dates_in_names: list[DatesInNames] = []  # of files that have no date of their own
        self.untaken_dates = 0
        # Beginnings of texts in which a date may be: they have no other, and are whole files
        self.undated_beginnings: list[str] = []

    def add(self, document: file_formats.Document, text: str) -> None:
        """text: of the document, as far as it is read."""
        self.documents += 1
        self.characters += len(text)
        if len(self.first) < DOCUMENTS_SHOWN:
            self.first.append(show_document(document, self.options))
        if len(self.texts) < TEXTS_KEPT:
            self.texts.append(text[:CHARACTERS_KEPT])
        self.beginnings.append(text[:TEXT_CHARACTERS])
        self.said_languages.append(said_language(document.metadata))
        if not self.are_shaped:
            self.places.append(place_in_whole(document))
        self._add_date(document)
        if not document.place and document.part == 1:
            self._add_dates_in_names(document)
        if not (document.date.strip() or document.place):
            self.undated_beginnings.append(text[:CHARACTERS_KEPT])

    def _add_dates_in_names(self, document: file_formats.Document) -> None:
        """Of a file that is a document, or the first section of one."""
        is_dated = bool(document.date.strip())
        if is_dated and document.dated not in file_formats.EVIDENCE:
            return
        in_names = DatesInNames.of_file(document.file)
        self.dates_in_names.append(in_names)
        self.untaken_dates += not is_dated and any(in_names)

    def _add_date(self, document: file_formats.Document) -> None:
        written_date = document.date.strip()
        day = file_formats.parse_date(document.date, self.options.date_order or None)
        if day:
            self.days.append(day)
            self.evidence[document.dated] += 1
        elif written_date:
            self.undated.append(written_date)
        else:
            self.without_date += 1
            self.made += bool(document.made)

    def describe(self) -> Sample:
        """A Sample that says what its documents are like, and nothing of the files."""
        dated = ""
        if len(self.undated_beginnings) * 2 > len(self.beginnings):
            dated = date_order_of(self.undated_beginnings)
        why_undated = ""
        if self.undated:
            why_undated = f"“{self.undated[0][:MAX_DATE]}” {why_none(self.undated[0])}"
        has_dates = bool(self.days or self.undated)
        ends = (min(self.days).isoformat(), max(self.days).isoformat()) if self.days else ()
        # Some of the texts, evenly spread
        step = max(1, -(-len(self.beginnings) // MOST_TOLD_LANGUAGES))
        told_languages = [language_of(text) for text in self.beginnings[::step]]
        said_languages = self.said_languages[::step]
        return Sample(
            documents=self.documents,
            characters=self.characters,
            first=tuple(self.first),
            languages=language_shares(self.texts),
            text_languages=dict(Counter(told_languages).most_common()),
            said_languages=dict(Counter(filter(None, said_languages)).most_common()),
            wrong_languages=sum(
                itertools.starmap(
                    is_another_language, zip(said_languages, told_languages, strict=True)
                )
            ),
            silent=rule_shares(self.texts),
            certain=certain_rules(self.texts),
            dated=dated,
            name_dates=usual_name_dates(self.dates_in_names),
            untaken_dates=self.untaken_dates,
            dates=ends,
            parts=self.first[0]["title"] if are_parts(self.places) else "",
            undated=len(self.undated),
            why_undated=why_undated,
            undated_forms=forms_of_dates(self.undated),
            without_date=self.without_date if has_dates else 0,
            evidence=dict(self.evidence),
            made=self.made,
            passage=word_estimates.passage_of(self.texts),
        )


def forms_of_dates(written_dates: list[str]) -> tuple[tuple[str, int], ...]:
    """The most frequent ways in which dates are written: an example of each, and how many are
    written so."""
    examples: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in written_dates:
        form = _LETTERS.sub("a", _DIGITS.sub("9", text))
        examples.setdefault(form, text[:MAX_DATE])
        counts[form] += 1
    return tuple((examples[form], count) for form, count in counts.most_common(FORMS_SHOWN))


def show_document(document: file_formats.Document, options: file_formats.Options) -> dict:
    """A document as pages show it. day: ISO, or ""; fields: (name, value, kind) of each; text:
    how it begins."""
    day = file_formats.parse_date(document.date, options.date_order or None)
    fields = [
        (name, value, options.kinds.get(name, metadata.DEFAULT.kind))
        for name, value in document.metadata.items()
    ]
    return {
        "title": document.title,
        "date": document.date[:MAX_DATE],
        "day": day.isoformat() if day else "",
        "fields": fields[:FIELDS_SHOWN],
        "text": cut_at_word(document.text, CHARACTERS_SHOWN),
        "file": document.file,
        "place": document.place,
        "part": document.part,
        "parts": document.parts,
    }
