"""What answers look like: the promise to programs. Lists are pages: `items`, and `next`, the
address of the next page or null."""

from typing import Any, Self

from ninja import Field, Schema
from pydantic import create_model

from webapp.analysis.topics.shapes import RankedTopic
from webapp.analysis.two_sets.contrasts import Constant
from webapp.analysis.words.concordance import Line
from webapp.analysis.words.shapes import OtherTopic, Sense, WordCount
from webapp.core.asked_training.named_topics import CountedTopic, NamedTopic, SeedCount, as_typed
from webapp.core.documents.shapes import Proportion
from webapp.core.runs.series import COLUMNS
from webapp.core.runs.shapes import RunAbout
from webapp.platform.received import Received
from webapp.service.corpora.shapes import CorpusFacts


class Sentence(Schema):
    """Why it could not be answered."""

    error: str
    field: str | None = None  # the parameter that is wrong, where it is one


class Documents(Schema):
    """Which documents: everything that is asked must hold."""

    q: str = Field("", description="words, “a phrase”, or, -without")
    has: list[str] = Field(
        [], description="12:20, at least 20% of the document is topic 12; repeatable"
    )
    first: str = Field(
        "", alias="from", description="a day, month or year: 1914-08-04, 1914-08, 1914"
    )
    last: str = Field("", alias="to", description="the same, included")
    values: list[str] = Field(
        [],
        alias="in",
        description="party:Democratic; repeatable, values of one category are alternatives",
    )
    between: list[str] = Field(
        [],
        description=(
            "price:10:20, a field of numbers or dates and its ends, both included; repeatable"
        ),
    )
    match: list[str] = Field(
        [],
        description=(
            "right|rights of ~5 labor or =US (so written), a pattern that occurs in the document;"
            " at most 3"
        ),
    )
    only: list[str] = Field(
        [],
        description=(
            "wordless, same (as an earlier document) or near (nearly the same), or file:7, of an"
            " uploaded file; repeatable"
        ),
    )


class Sides(Schema):
    """Two sets among these documents: a time, values, or both. Of two sets of words: b is all
    others where nothing is said of it."""

    from_a: str = Field("", description="a day, month or year")
    to_a: str = Field("", description="the same, included")
    in_a: list[str] = Field([], description="party:Democratic; repeatable")
    from_b: str = ""
    to_b: str = ""
    in_b: list[str] = []
    between_a: list[str] = Field([], description="year_of_birth:1900:1950; repeatable")
    between_b: list[str] = []


class Against(Schema):
    """How two sets are compared."""

    against_rest: bool = Field(
        False, alias="rest", description="the chosen documents with all others"
    )
    constant: Constant = Field("", description="time: with time held constant")


class Effect(Schema):
    """What topics' shares depend on, and what is compared. docs/intervals.md says what a formula
    is."""

    formula: str = Field(
        "",
        max_length=2000,
        description="party + spline(date): the effect first, then what is held constant",
    )
    a: str = Field(
        "",
        description="the first setting of the effect: a value, a number or a date; empty: as usual",
    )
    b: str = Field("", description="the second")
    x: str = Field("", description="where it may differ by group, party * gender: the first group")
    y: str = Field("", description="the second")


class Making(Received):
    uploads: list[str] = Field(
        description="ids of finished uploads, the last part of their addresses",
        min_length=1,
        max_length=20_000,
    )
    name: str = Field("", max_length=200)


def _listed(name: str, item: Any) -> type[Schema]:
    """A page of a list."""
    return create_model(name, __base__=Schema, items=(list[item], ...), next=(str | None, ...))


Corpora = _listed("Corpora", CorpusFacts)
Runs = _listed("Runs", RunAbout)


_CURVES: dict[str, Any] = {
    column.name: (list[int] if column.format == "count" else list[float | None], ...)
    for column in COLUMNS
}
Curves = create_model(
    "Curves", __base__=Schema, __doc__="By step; null where nothing was measured.", **_CURVES
)


class ProposedSeeds(Schema):
    name: str
    words: list[str] = Field(description="as `seeds` of a training takes them")
    counts: list[SeedCount] = Field(description="how often each is in the texts")
    supported: bool = Field(description="whether they are enough to hold a topic")

    @classmethod
    def of(cls, proposed: NamedTopic, counted_topic: CountedTopic) -> Self:
        words = [as_typed(word) for word in proposed.words]
        return cls(
            name=proposed.name,
            words=words,
            counts=counted_topic.seeds,
            supported=counted_topic.supported,
        )


class Proposed(Schema):
    seeds: list[ProposedSeeds]


class Named(Schema):
    name: str
    label: str
    help: str


class Setting(Named):
    type: str = Field(description="int, float or str")
    choices: list[str] = Field(description="all that it can be, where it is one of a few words")
    default: int | float | str | None = Field(
        description="null: chosen from the corpus, where it is not required"
    )
    required: bool


class Engine(Named):
    purpose: str = Field(
        description=(
            "what a reader wants who should choose it; empty where it does as its paper does"
        )
    )
    source: str = Field(description="the work that it follows, by authors and year")
    settings: list[Setting]


class Engines(Schema):
    items: list[Engine]
    default: str


Topics = _listed("Topics", RankedTopic)


class WordOfTopic(Schema):
    rank: int
    word: str
    weight: float


WordsOfTopic = _listed("WordsOfTopic", WordOfTopic)
Words = _listed("Words", WordCount)


class Senses(Schema):
    word: str
    set: str = Field(description="the documents that were asked for, in words")
    tokens: int
    documents: int
    senses: list[Sense | OtherTopic]


class Lines(Schema):
    count: int
    items: list[Line]
    next: str | None


class Headed(Schema):
    """A document by its number, and what it is called."""

    number: int
    id: str
    title: str
    date: str


class Found(Headed):
    passage: str
    share: float | None = Field(
        description="of the topic by which the documents are chosen or sorted; null without one"
    )
    url: str


class FoundDocuments(Schema):
    documents: str = Field(description="the set in words")
    count: int
    items: list[Found]
    next: str | None


class Document(Headed):
    file: str
    place: str
    metadata: dict
    words: int
    part: int = Field(description="which section of a whole document it is, from 1 on")
    parts: int = Field(description="how many sections the whole has; 1 where the document is one")
    text: str = Field(description="empty under embargo")
    embargo: str = Field(description="why there is no text, or empty")


class Mixture(Headed):
    tokens: int
    topics: list[Proportion] = Field(description="largest first")


class Whole(Schema):
    first: int = Field(description="the document that is its first section; the others follow")
    parts: int
    title: str
    tokens: int
    topics: list[Proportion] = Field(description="largest first, of all sections together")


class Counts(Schema):
    """tokens[g][i] is how many words of group g are of topics[i]; shares are of all words of the
    group."""

    by: str
    documents: str
    groups: list[str]
    topics: list[int]
    tokens: list[list[int]]
    shares: list[list[float | None]]
    of_tokens: list[int]
    of_documents: list[int]


class File(Schema):
    name: str
    title: str
    sentence: str
    files: list[str] = Field(description="addresses, one for each format")


class Files(Schema):
    items: list[File]
