"""What was drawn of an upload, as it is stored and as pages show it."""

from dataclasses import dataclass, field

from webapp.intake import file_formats
from webapp.intake.file_formats import left_out
from webapp.intake.ingest import word_estimates
from webapp.intake.ingest.shaping import FILES, FOLDERS, NO_NAMES, language_column


@dataclass(frozen=True)
class Loss:
    """So many documents, rows or files that are left out, or read otherwise than they were written:
    what they are, and what to do."""

    count: int
    what: str
    mend: str

    @classmethod
    def of(cls, name: str, count: int) -> "Loss":
        kind = left_out.kind_of(name)
        return cls(count, kind.one if count == 1 else kind.many, kind.mend)


@dataclass(frozen=True)
class Sample:
    """What was read, and what all files are estimated to have. seconds: that reading took, once
    started."""

    documents: int = 0
    of: int = 0  # documents of all files
    counted: bool = False  # whether `of` is no estimate
    characters: int = 0
    of_characters: int = 0  # of all files
    files: int = 0  # of `of_files`
    of_files: int = 0
    whole: bool = False  # whether it is all there is
    beginnings: bool = False  # whether of some file only the beginning was read
    # Whether the files, or the entries of the archives, that were read are evenly spread over all
    spread: bool = False
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    # The first documents as they are shown (documents.show_document)
    first: tuple[dict, ...] = ()
    # ISO 639-1 -> share of the letters, largest first
    languages: dict[str, float] = field(default_factory=dict)
    # ISO 639-1 -> texts, most first, of documents.MOST_TOLD_LANGUAGES; "": not told
    text_languages: dict[str, int] = field(default_factory=dict)
    # The same of what these texts say themselves, of those that say one
    said_languages: dict[str, int] = field(default_factory=dict)
    wrong_languages: int = 0  # of these texts, those in another language than they say
    dates: tuple[str, ...] = ()  # ISO, the earliest and the latest of those that were read
    # Rule for words that don't count (webapp.intake.ingest.shaping.silent) -> share of the words
    silent: dict[str, float] = field(default_factory=dict)
    certain: tuple[str, ...] = ()  # rules that are chosen by default in these texts
    dated: str = ""  # Shaping.dated that gives most files a date that have none
    name_dates: str = ""  # Shaping.name_dates that suits the files without a date of their own
    # Documents without a date, in whose names is one that is not taken
    untaken_dates: int = 0
    parts: str = ""  # a title, where rows are parts of wholes
    undated: int = 0  # documents whose date could not be read
    why_undated: str = ""  # with an example
    # Of these by their forms: (an example, how many are written like it), most frequent first
    undated_forms: tuple[tuple[str, int], ...] = ()
    without_date: int = 0  # documents that have none, where others have
    # What a date is from (file_formats.EVIDENCE; "": a column, or the text itself) -> documents
    evidence: dict[str, int] = field(default_factory=dict)
    made: int = 0  # documents of which only the day is known on which their file was made
    # Kind (webapp.intake.file_formats.left_out) -> documents, rows or files
    left_out: dict[str, int] = field(default_factory=dict)
    passage: str = ""  # in which numbers, hyphens and apostrophes can be seen at work

    @property
    def losses(self) -> list[Loss]:
        """What is left out, the most first."""
        by_size = sorted(self.left_out.items(), key=lambda item: -item[1])
        return [Loss.of(name, count) for name, count in by_size]

    @property
    def has_languages(self) -> bool:
        """Whether the texts say their language themselves, as a column does."""
        names = {name for document in self.first for name, *_ in document["fields"]}
        return language_column(names) is not None

    @property
    def lacks_titles(self) -> bool:
        """Whether documents that are shown have none."""
        return not all(document["title"] for document in self.first)

    @property
    def joins(self) -> tuple[str, ...]:
        """Fields by which documents are joined by default: pages of which a METS says so."""
        names = {name for document in self.first for name, *_ in document["fields"]}
        return (file_formats.mets.DOCUMENT,) if file_formats.mets.DOCUMENT in names else ()

    @property
    def dated_from(self) -> list[tuple[str, int]]:
        """From what the dates are, where not from a column or the texts themselves, and of how many
        documents; as pages say it."""
        return [
            (words, self.evidence[name])
            for name, words in file_formats.EVIDENCE.items()
            if self.evidence.get(name)
        ]

    @property
    def is_dated_by_names(self) -> bool:
        """Whether some dates are from names of files or folders."""
        return bool(self.evidence.keys() & {"name", "folder"})

    @property
    def refused_evidence(self) -> set[str]:
        """From what dates are not taken by default (file_formats.EVIDENCE): of few names."""
        refused = set()
        if self.name_dates in (FOLDERS, NO_NAMES):
            refused.add("name")
        if self.name_dates in (FILES, NO_NAMES):
            refused.add("folder")
        return refused

    @property
    def rough(self) -> int:
        """Documents of all files, with as many digits as an estimate has."""
        return self.of if self.counted else word_estimates.rough(self.of)
