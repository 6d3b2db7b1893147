"""What the pages of documents show: each is rendered as HTML and answered as JSON, key by key in
this order. Of a type with several bases the keys of the last base come first, those of the first
base behind them, and its own at the end."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.core.documents.texts import Word
from webapp.core.results.links import TopicLink, TopicShare, TopicWithWords
from webapp.models import Corpus


@dataclass(frozen=True)
class Link:
    """label: what it says."""

    label: str
    url: str


@dataclass(frozen=True)
class Described:
    """What a document says of itself. parts: how many sections it was cut into, or the whole that
    it was cut from."""

    source_id: str
    file: str
    date_text: str
    metadata: dict[str, str]
    words: int
    parts: int


@dataclass(frozen=True)
class PartOfText:
    """Characters start … end - 1 of a document. text: empty under embargo, and `embargo` says
    why."""

    number: int
    title: str
    date: str
    start: int
    end: int
    text: str
    embargo: str


@dataclass(frozen=True)
class Document(PartOfText, Described):
    """A document with a part of its text, which has `length` characters. part: which section of a
    whole document it is, from 1 on."""

    place: str
    part: int
    whole: str
    digest: str
    length: int
    id: str


@dataclass(frozen=True)
class DocumentLink:
    number: int
    url: str


@dataclass(frozen=True)
class ListedDocument(DocumentLink):
    """A document of a list."""

    title: str
    date_text: str


@dataclass(frozen=True)
class DocumentWithPassage(ListedDocument):
    """author: who wrote or spoke it, "" where nobody is known. snippet: the passage in pieces, and
    whether each is to be marked."""

    author: str
    snippet: list[tuple[str, bool]]
    passage_url: str | None


@dataclass(frozen=True)
class FoundDocument(DocumentWithPassage):
    """passage: the snippet as one text. share: of the topic by which the list is chosen or sorted;
    null without such. match_url: of a search, the document opened where it matches; else `url`."""

    source_id: str
    share: float | None
    id: str
    date: str
    passage: str
    match_url: str


@dataclass(frozen=True)
class StrongestPassage(DocumentWithPassage):
    """The passage where a topic is strongest, and the topic's share of the document."""

    share: float


@dataclass(frozen=True)
class Found:
    """A page of a list. documents: the set in words; count: how many are in it."""

    documents: str
    count: int
    items: list[FoundDocument]


@dataclass(frozen=True)
class ListOrder(Link):
    by: str
    chosen: bool


@dataclass(frozen=True)
class FacetValue:
    """url: narrows the set to the value, or takes that back where it is chosen."""

    value: str
    documents: int
    chosen: bool
    url: str


@dataclass(frozen=True)
class Facet:
    """A category, its most frequent values first. more: how many others there are."""

    name: str
    values: list[FacetValue]
    more: int


@dataclass(frozen=True)
class Bar(Link):
    """A period. documents: how many it has; where a bar is of uses, how many of these. part: its
    height as a part of the highest bar's."""

    documents: int
    part: float


@dataclass(frozen=True)
class ProminentTopic(TopicShare, TopicWithWords):
    """share: of the set's words; usual: of all. narrow: the set with this topic alone."""

    usual: float
    narrow: str


@dataclass(frozen=True)
class Group(Link):
    """A group of documents: a period, or a value of a field. url: of these documents."""

    documents: int
    tokens: int


@dataclass(frozen=True)
class Facets:
    """How a set is made up. topics: larger in it than in the whole corpus; of the whole corpus, the
    largest."""

    categories: list[Facet]
    years: list[Bar]
    topics: list[ProminentTopic]


@dataclass(frozen=True)
class DocumentsPage(Found):
    """A list of documents. of: all there are. uses: what can be done with the set -> address."""

    of: int
    q: str
    by: str
    orders: list[ListOrder]
    next: str | None
    facets: Facets
    uses: dict[str, str]


@dataclass(frozen=True)
class Proportion(TopicShare, TopicWithWords):
    """A topic's share of a document or a passage, and its first words."""

    tokens: int


@dataclass(frozen=True)
class MarkedProportion(Proportion):
    """mark: the page with the topic's words coloured."""

    mark: str


@dataclass(frozen=True)
class ChosenCondition:
    """url: the page without it."""

    text: str
    url: str


@dataclass(frozen=True)
class ChosenSet:
    """The chosen documents, for templates/run/_set.html. all: the page without any condition. of:
    how many there are."""

    name: str
    conditions: list[ChosenCondition]
    all: str
    count: int
    of: int


@dataclass(frozen=True)
class ChosenOfRun(ChosenSet):
    """shown: whether the page shows these documents alone. on_documents_page: whether it is the
    list of them. export_with_texts: "" where the texts may not be taken away. The others are
    addresses of what can be done with them."""

    documents: str
    on_documents_page: bool
    export: str
    export_with_texts: str
    rest: str
    corpus: str
    shown: bool
    final: bool
    sentence: str


@dataclass(frozen=True)
class ValueChoice:
    """A value of a category, to choose."""

    value: str
    parameter: str


@dataclass(frozen=True)
class OfferedValue(ValueChoice):
    documents: int
    chosen: bool


@dataclass(frozen=True)
class OfferedCategory:
    """values: to tick. more: how many others there are; offered: of these, while one types."""

    name: str
    values: list[OfferedValue]
    more: int
    offered: list[str]


@dataclass(frozen=True)
class OfferedRange:
    """low, high: what is chosen. least, most: the ends of the field."""

    name: str
    low: str
    high: str
    least: str
    most: str


@dataclass(frozen=True)
class SetForm(ChosenSet):
    """The form that chooses documents, for templates/run/_selection.html. own: parameters of the
    page, which stay; others: all but the search. has_topics: whether topics are asked for
    already. unseen: conditions that the form has in no field, and passes on. dated: the first day
    and the last. counted: whether topics can be asked for. topics: (number, title)."""

    own: list[tuple[str, str]]
    others: list[tuple[str, str]]
    q: str
    first: str
    last: str
    has_topics: bool
    unseen: list[tuple[str, str]]
    dated: tuple[date, date] | None
    categories: list[OfferedCategory]
    ranges: list[OfferedRange]
    counted: bool
    topics: list[tuple[int, str]]


@dataclass(frozen=True)
class SimilarDocument(ListedDocument):
    """likeness: 1 - H^2, H the Hellinger distance of the mixtures. shared: the topics that both
    have most of. same: the very text."""

    likeness: float
    shared: list[TopicShare]
    same: bool


@dataclass(frozen=True)
class Similar:
    """The documents most alike, the most alike first. similar_unseen: how alike one may be that was
    not looked at; null: none can be as alike as these. similar_looked: documents that were
    compared."""

    similar: list[SimilarDocument]
    similar_unseen: float | None = None
    similar_looked: int = 0


@dataclass(frozen=True)
class TopicsOfText:
    """tokens: its words that count. proportions: largest first."""

    tokens: int
    proportions: list[Proportion]


@dataclass(frozen=True)
class TextTopics(TopicsOfText):
    """unknown: words that the vocabulary doesn't have. length: characters; shown: how many of them
    are shown."""

    unknown: int
    length: int
    shown: int


@dataclass(frozen=True)
class ReadText(Similar, TextTopics):
    """A text that is not of the corpus."""


@dataclass(frozen=True)
class LikelyTopic(TopicLink):
    """probability: p(k | w, d)."""

    probability: float


@dataclass(frozen=True)
class LikelyTopics:
    """The topics that a word of a document may be of, the likeliest first. number: of the word;
    times: how often the document has it; topic: the one that it was given to."""

    number: int
    times: int
    topic: int
    topics: list[LikelyTopic]


@dataclass(frozen=True)
class TriedText:
    """A text that was read. words: its beginning. hues: of every topic; colours: topics whose words
    are coloured."""

    read: ReadText
    words: list[Word]
    hues: list[int]
    colours: set[int]


@dataclass(frozen=True)
class TryPage:
    """longest: characters that a text may have. problem: why it can't be read, "" where it can.
    tried: null before a text is sent."""

    longest: int
    problem: str = ""
    tried: TriedText | None = None


@dataclass(frozen=True)
class Neighbour(DocumentLink):
    @property
    def label(self) -> str:
        """None of its own: the pager says “Previous” and “Next”."""
        return ""


@dataclass(frozen=True)
class WholeLink:
    """The document that a section was cut from."""

    first: int
    title: str
    url: str


@dataclass(frozen=True)
class PlaceInList:
    """Where a document is in the list that one came from, from 1 on; 0: it is not in it."""

    place: int
    count: int
    sentence: str
    url: str


@dataclass(frozen=True)
class DocumentPage:
    """A document as it is. at: the character that was asked for. before, after: the parts of its
    text around this one."""

    document: Document
    at: int
    whole: WholeLink | None
    previous: Neighbour | None
    next: Neighbour | None
    before: str | None
    after: str | None
    list: PlaceInList


@dataclass(frozen=True)
class Mixed:
    """topics: (topic, share)."""

    tokens: int
    topics: list[tuple[int, float]]


@dataclass(frozen=True)
class Stretch(Mixed):
    """A stretch of a document from character `at` on."""

    at: int
    url: str


@dataclass(frozen=True)
class TopicsOfDocument:
    """proportions: largest first. show: whose words are coloured; topic: where it is one topic
    alone."""

    proportions: list[MarkedProportion]
    show: str
    topic: int | None
    strip: list[Stretch]


@dataclass(frozen=True)
class DocumentOfRunPage(Similar, TopicsOfDocument, DocumentPage):
    """A document with its topics, along its length, and the documents that are like it. Keys: those
    of DocumentPage, of TopicsOfDocument, and of Similar."""


@dataclass(frozen=True)
class TextHtml:
    """The text in three parts, the middle one marked where the address names a passage. cite: its
    page; passages: below what the pages of marked passages are."""

    words: tuple[list[Word], list[Word], list[Word]]
    marked: bool
    passages: str
    cite: str


@dataclass(frozen=True)
class ColouredHtml(TextHtml):
    """shown: topics whose words are coloured. hues: of every topic. all, strongest: the page with
    these coloured. length: of the part of the text."""

    shown: set[int]
    hues: list[int]
    all: str
    strongest: str
    length: int


@dataclass(frozen=True)
class Citations:
    """A note of Chicago, a work cited of MLA, an entry of BibTeX, an item of CSL JSON."""

    chicago: str
    mla: str
    bibtex: str
    csl: dict[str, Any]


@dataclass(frozen=True)
class Passage(PartOfText):
    """mid_sentence, ends_mid_sentence: whether it begins and ends within a sentence."""

    mid_sentence: bool
    ends_mid_sentence: bool
    citations: Citations


@dataclass(frozen=True)
class PassagePage(Passage):
    """url: the document, with the passage marked."""

    url: str


@dataclass(frozen=True)
class PassageOfRunPage(Similar, TopicsOfText, PassagePage):
    """A passage with its topics, and the documents that are like it. Keys: those of PassagePage, of
    TopicsOfText, and of Similar."""


@dataclass(frozen=True)
class PassageHtml:
    corpus: Corpus
    permalink: str
    csl: str


@dataclass(frozen=True)
class DescribedWhole(Described):
    """A document that was cut into sections, the documents first … first + parts - 1."""

    first: int
    title: str


@dataclass(frozen=True)
class Section(Link):
    """label: what the title says beyond the whole's, "" where that is the part's number alone."""

    number: int
    part: int
    words: int


@dataclass(frozen=True)
class SectionOfRun(Section, Mixed):
    """With its largest topics."""


@dataclass(frozen=True)
class PartOfWhole:
    """A whole document, of which a page shows some sections. after: how many come before these."""

    whole: DescribedWhole
    after: int
    previous: Link | None
    next: Link | None


@dataclass(frozen=True)
class WholePage(PartOfWhole):
    sections: list[Section]


@dataclass(frozen=True)
class StretchOfWhole(Mixed):
    """Sections in a row: the first one's part, and how many."""

    part: int
    parts: int
    url: str


@dataclass(frozen=True)
class WholeOfRunPage(PartOfWhole):
    """With the topics of all sections together, largest first, and along its length."""

    sections: list[SectionOfRun]
    proportions: list[Proportion]
    strip: list[StretchOfWhole]


@dataclass(frozen=True)
class WholeHtml:
    """sections: each with its largest topics. hues: of every topic. shown: all topics."""

    sections: list[tuple[SectionOfRun, list[TopicShare]]]
    hues: list[int]
    shown: set[int]
