"""What the pages of corpora show: each is rendered as HTML, and those with a .json address are
answered as JSON, key by key in this order."""

from dataclasses import dataclass
from datetime import datetime

from webapp.analysis.words.queries import WordCount
from webapp.analysis.words.shapes import WordRow
from webapp.core.asked_training.forms import SeveralForm, TrainForm
from webapp.core.documents.unit_sentences import UnitSaid
from webapp.core.results.topic_kinds import ClearTopics
from webapp.intake.file_formats import Problem, Sniff
from webapp.intake.ingest.phrases import Proposed
from webapp.intake.ingest.previews import Differing, DraftPreview, Preview
from webapp.intake.ingest.reading_forms import ReadingForm
from webapp.intake.ingest.shaping_forms import ShapingForm
from webapp.intake.ingest.version_history import NewVersion, VersionRow
from webapp.intake.ingest.vocabulary_forms import Languages, NamedVocabularyForm, VocabularyForm
from webapp.intake.ingest.words_outside import WordsOutside
from webapp.models import Corpus, Run, Version
from webapp.platform.jobs import kinds
from webapp.service.corpora.pseudonym_offer import PseudonymsOffer

CORPUS_AT_WORK = frozenset(kinds.READ.unfinished_statuses)
RUN_AT_WORK = frozenset(kinds.TRAIN.unfinished_statuses)

# The list


@dataclass(frozen=True)
class ListedCorpus:
    """runs: how many it has. url: of the newest of them, "" without."""

    corpus: Corpus
    runs: int
    latest: Run | None
    url: str


@dataclass(frozen=True)
class UploadFields:
    """What the form of uploads needs. accept: endings of files. most: bytes, 0 without a limit.
    days_kept: for which what has arrived is kept."""

    accept: str
    most: int
    days_kept: int


@dataclass(frozen=True)
class HomePage:
    """public: whether these are the corpora that anybody may read. formats: endings of files, and
    what they are. example: the reader's own, with its address, and whether a run on it is done.
    first_visit: whether there is nothing else."""

    corpora: list[ListedCorpus]
    more: str | None
    public: bool
    formats: list[tuple[str, str]]
    example: Corpus | None
    example_url: str | None
    example_done: bool
    first_visit: bool
    upload: UploadFields


# A corpus


@dataclass(frozen=True)
class Identified:
    id: int
    name: str


@dataclass(frozen=True)
class CorpusFacts(Identified):
    """status: of a draft whose files are not stored yet, that of storing them. categories: names of
    fields; dated: the first and the last day; both are known when it is ready."""

    documents: int
    tokens: int
    vocabulary: int
    embargo: bool
    status: str
    created: datetime
    categories: list[str]
    dated: list[str] | None


@dataclass(frozen=True)
class CorpusPage(CorpusFacts):
    """A corpus and how far it is read. error: why it failed; notice: what it waits for; each ""
    where there is nothing to say. dropped: reason -> (words, tokens) that were left out.
    making: the version that is being made. run: where the run is watched that is trained when the
    corpus has been read. workers: how many are alive, null where nobody can tell."""

    error: str
    notice: str
    bytes_read: int
    bytes_total: int
    documents_read: int
    dropped: dict[str, tuple[int, int]]
    problem_counts: dict[str, int]
    arriving: bool
    files_stored: int
    making: NewVersion | None
    run: str | None
    workers: int | None


@dataclass(frozen=True)
class Progress:
    """What a worker does with a corpus. kind: storing or looking into its files, reading them, or
    choosing other words. stage: what it does now, in words. words: that were counted, None where
    that is not known. bar: whether files are read. state: when this changes, so does the rest of
    the page; then: where it leads to, "" for here. notice: why it does not come further, or ""."""

    kind: str
    stage: str
    bytes: int
    files: int
    documents: int
    words: int | None
    bar: bool
    state: str
    then: str
    notice: str


@dataclass(frozen=True)
class RunRow:
    id: int
    status: str
    by: str
    engine: str
    K: int
    version: int
    created: datetime
    held_out: float | None
    clear: ClearTopics | None


@dataclass(frozen=True)
class StoredFile:
    name: str
    format: str
    bytes: int
    encoding: str
    documents: int
    documents_url: str | None
    problems_url: str | None
    problems: int
    error: str


@dataclass(frozen=True)
class FirstFiles:
    """The first files, and how many there are."""

    files: list[StoredFile]
    count: int


@dataclass(frozen=True)
class Repeated:
    """How many documents are the same as an earlier one, or nearly; sentence: what was chosen to do
    with them."""

    exact: int
    near: int
    sentence: str


@dataclass(frozen=True)
class CorpusHtml:
    """dropped: reasons in words, with different words and their occurrences. problems: the first
    ones. speaking: fields whose texts may count as one; unit: which do. additions: uploads that
    wait to be added. done: runs that are compared at side_by_side, "" where there are too few.
    failed: files that could not be read. made: whether the texts were simulated. pseudonyms: what
    was replaced by them, or "". just_made: the number of the version of the words that was made
    while the reader waited, None else. languages: "German 62%, French 30%" where the texts are in
    several, or ""; unsaid_languages: the same where no column says so. partly_dated: a sentence
    where many documents have no date, though others have, or "". outside: words that are in no
    topic, too rare or too frequent; None before the corpus is read."""

    progress: Progress
    train_form: TrainForm
    several_form: SeveralForm
    runs: list[RunRow]
    done: int
    side_by_side: str
    more: str | None
    dropped: list[tuple[str, int, int]]
    outside: WordsOutside | None
    problems: list[dict[str, str]]
    versions: list[VersionRow]
    repeated: Repeated
    speaking: list[str]
    unit: UnitSaid | None
    additions: list[Corpus]
    failed: int
    made: bool
    pseudonyms: str
    without_words: int
    files: FirstFiles
    upload: UploadFields
    just_made: int | None
    languages: str
    unsaid_languages: str
    partly_dated: str

    @property
    def several_engines(self) -> bool:
        return len({run.engine for run in self.runs}) > 1

    @property
    def several_people(self) -> bool:
        return len({run.by for run in self.runs}) > 1


# Files


@dataclass(frozen=True)
class FilesPage:
    files: list[StoredFile]
    next: str | None


@dataclass(frozen=True)
class FilesHtml:
    """only: "problems" where only files that have some are listed. count: of all files."""

    only: str
    count: int


@dataclass(frozen=True)
class ProblemsPage:
    problems: list[Problem]
    next: str | None


@dataclass(frozen=True)
class ProblemsHtml:
    """name: of the file whose problems these are, "" for all."""

    name: str


# Words


@dataclass(frozen=True)
class VocabularyPage:
    items: list[WordCount]
    next: str | None


@dataclass(frozen=True)
class VocabularyHtml:
    """words: with the addresses of the documents that have them."""

    words: list[WordRow]


@dataclass(frozen=True, kw_only=True)
class WordsPage(Preview):
    """Other words of a corpus. making: the version that is being made; next: the number of the one
    after it."""

    form: VocabularyForm
    more_open: bool = True
    making: Version | None
    next: int


@dataclass(frozen=True, kw_only=True)
class SubsetPage:
    """A part of a corpus that becomes one. sentence: which documents; count: how many."""

    form: NamedVocabularyForm
    languages: Languages
    sentence: str
    count: int
    more_open: bool = False


@dataclass(frozen=True)
class LanguageRow:
    """Texts in a language. share: of the texts whose language is known. counts_as_written: whether
    words are counted as written in it, although the corpus counts stems or lemmas. corpus: that
    holds them alone, and its status; run: the newest on it, and its status."""

    code: str
    name: str
    documents: int
    share: float
    documents_url: str
    counts_as_written: bool
    corpus: int | None
    corpus_status: str
    run: int | None
    run_status: str

    @property
    def is_at_work(self) -> bool:
        """Whether its corpus is being read, or its run waits or trains."""
        return self.corpus_status in CORPUS_AT_WORK or self.run_status in RUN_AT_WORK


@dataclass(frozen=True)
class LanguagesPage:
    """languages: that hold a share of the texts worth saying, as many as are trained at once;
    further_languages: names of others that hold one. other_documents: in none of `languages`;
    other_documents_url: of those that have another value, "" for none. stop_words_of: names of
    languages whose stop words are left out of every text of the undivided corpus. has_phrases: whether phrases were chosen in it. compare: the address that shows the
    finished runs side by side, "" for fewer than two."""

    languages: list[LanguageRow]
    further_languages: list[str]
    other_documents: int
    other_documents_url: str
    stop_words_of: list[str]
    has_phrases: bool
    compare: str

    @property
    def as_written(self) -> list[str]:
        """Names of languages that have no stems or lemmas, where the corpus counts them."""
        return [row.name for row in self.languages if row.counts_as_written]

    @property
    def state(self) -> str:
        """Changes when the page has more to show than other words in its table."""
        at_work = [row for row in self.languages if row.is_at_work]
        return "waiting" if at_work else "idle"


@dataclass(frozen=True, kw_only=True)
class PreparePage(DraftPreview):
    """How files are read, before they are. withheld: why their texts are not shown, or "". kept:
    whether the choices are those that were made before. differing: of files that are added to a
    corpus. pseudonyms: what was replaced by them, or "". offer: to replace persons; None where they
    can't be, or who asks may not have them replaced."""

    form: ReadingForm
    shaping: ShapingForm
    sniff: Sniff
    withheld: str
    kept: bool
    files: FirstFiles
    differing: Differing | None
    pseudonyms: str
    offer: PseudonymsOffer | None = None
    more_open: bool = False


@dataclass(frozen=True)
class PhraseRow(Proposed):
    """passage: in pieces, and whether each is the phrase.
    left_out: why it would be no word, or ""."""

    passage: list[tuple[str, bool]]
    taken: bool
    left_out: str


@dataclass(frozen=True)
class PhrasesPage:
    """elsewhere: phrases that are ticked on other pages. first, last: places of these among all,
    from 1. before, next: where other pages begin, counted from 0. middle: a score above which a
    quarter of them is."""

    phrases: list[PhraseRow]
    elsewhere: list[str]
    count: int
    first: int
    last: int
    before: int | None
    next: int | None
    middle: float
    making: Version | None


# What was deleted


@dataclass(frozen=True)
class DeletedRow(Identified):
    """adds: whether it is files that were to be added to a corpus. of: the corpus of a run.
    documents, runs: of a corpus; topics: of a run."""

    adds: bool
    of: Identified | None
    topics: int | None
    documents: int | None
    runs: int | None
    kind: str
    deleted: datetime
    until: datetime


@dataclass(frozen=True)
class DeletedItem(DeletedRow):
    """url: its page; bring_back and for_good take a form."""

    url: str
    bring_back: str
    for_good: str


@dataclass(frozen=True)
class DeletedList:
    """The last deleted first."""

    deleted: list[DeletedItem]
    next: str | None


@dataclass(frozen=True)
class DeletedPage:
    """pins: pieces of evidence in notebooks that were taken from it, and stay."""

    item: DeletedItem
    pins: int
