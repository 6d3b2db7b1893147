"""The overview, as a page, its .json address and the API have it, key by key in this order."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from webapp.analysis.families.shapes import FamilyTopics
from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.finding import Detail, ShareLine
from webapp.analysis.findings.kinds import Item
from webapp.analysis.findings.phrasing import SentencePart
from webapp.analysis.findings.river import River
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.results.links import TopicLink


@dataclass(frozen=True)
class FindingRow:
    """A sentence that stands out, and what it rests on. docs/findings.md says what each kind
    means."""

    kind: Annotated[
        str,
        Field(
            description=(
                "family, change, event, speaker, mark, keyword, none, sense, unlike or caution"
            )
        ),
    ]
    rank: Annotated[int, Field(description="within its kind, from 1")]
    sentence: str
    parts: Annotated[
        list[SentencePart], Field(description="the sentence in pieces: texts and topics")
    ]
    sure: Annotated[str, Field(description="how sure it is, in words")]
    times: Annotated[
        str,
        Field(description="how many times as much, in words: 50 times, 13 times less; or empty"),
    ]
    ends: Annotated[str, Field(description="of its interval, in words: 35 to 73; or empty")]
    items: Annotated[
        list[Item], Field(description="its numbers, of a change, a word, a group or a sense")
    ]
    url: Annotated[str, Field(description="of its passages, or of what `opens` names")]
    opens: Annotated[
        str,
        Field(
            description=(
                "what the address opens, as its link is called: Passages, Topics, Word over time,"
                " Read it or See"
            )
        ),
    ]
    estimate: Annotated[
        float | None,
        Field(
            description=(
                "a share (family, speaker, keyword, unlike, caution), a ratio (change, event, mark)"
                " or a difference of shares (none, sense); null: of nothing"
            )
        ),
    ]
    low: Annotated[
        float | None,
        Field(description="the ends of its interval; those of a count are the count"),
    ]
    high: float | None
    level: Annotated[
        float | None,
        Field(description="of the interval that the sentence says, 0.95 of 95%; null without one"),
    ]
    score: Annotated[float, Field(description="size times certainty, comparable within a kind")]
    topic: TopicLink | None
    line: Annotated[
        ShareLine,
        Field(description="shares of the words from the first time to the last, in equal steps"),
    ]
    claims: Annotated[
        list[Claim], Field(description="of a change, an event, or each topic of a group")
    ]
    family: Annotated[FamilyTopics | None, Field(description="of a family")]
    not_found_again: Annotated[
        list[int],
        Field(description="topics it names that fewer than half of the runs with other seeds have"),
    ]


@dataclass(frozen=True)
class Quotation:
    """A passage that stands for a topic."""

    text: Annotated[
        list[tuple[str, bool]], Field(description="pieces, and whether each is a word of the topic")
    ]
    title: str
    date_text: str
    author: Annotated[str, Field(description="who wrote or spoke it, empty where nobody is known")]
    document: int
    start: int
    end: int
    topic: TopicLink
    url: str
    passage_url: str

    @property
    def plain(self) -> str:
        """The quotation without marks."""
        return "".join(text for text, _ in self.text)


@dataclass(frozen=True)
class OverviewPage:
    """What a set of documents says. ready: false while a worker computes it."""

    set: Annotated[str, Field(description="the documents in words")]
    detail: Annotated[Detail, Field(description="less, more, or empty")]
    ready: bool
    documents: int
    tokens: int = 0
    span: Annotated[list[str], Field(description="the first and the last time, or nothing")] = (
        field(default_factory=list)
    )
    ends: Annotated[
        list[str], Field(description="the first and the last period, as addresses have them")
    ] = field(default_factory=list)
    unit: Annotated[str, Field(description="year, month, week, day, decade, or empty")] = ""
    bins: Annotated[
        list[str], Field(description="the times that the points of each line stand for")
    ] = field(default_factory=list)
    independent: Annotated[
        UnitAbout | None, Field(description="which texts count as one; null while it is computed")
    ] = None
    too_few_in_order: Annotated[
        int,
        Field(
            description="values of the unit, of which each has texts of one time only, where they are"
            " too few to tell what changed with time from what changed with who speaks; else 0"
        ),
    ] = 0
    quotes: list[Quotation] = field(default_factory=list)
    families: Annotated[int, Field(description="that the topics are cut into")] = 0
    usual_families: Annotated[
        int, Field(description="unless the address asks for another number")
    ] = 0
    rest: Annotated[
        float | None, Field(description="the share of the words of topics in no family")
    ] = None
    river: Annotated[
        River | None, Field(description="words of the topics over time; null without two dates")
    ] = None
    findings: list[FindingRow] = field(default_factory=list)
    outdated: Annotated[
        bool,
        Field(description="an older program made them: they are being computed anew"),
    ] = False
    has_failed: Annotated[
        bool,
        Field(
            description="a worker's last try to compute them came to nothing; the next one waits"
        ),
    ] = False
    hidden: Annotated[
        int, Field(description="how many more findings there are with detail=more")
    ] = 0
    failed: Annotated[list[str], Field(description="kinds that could not be computed")] = field(
        default_factory=list
    )

    @property
    def is_waiting(self) -> bool:
        """Whether a worker computes it, or computes it anew; also before the training has ended."""
        return self.outdated or not self.ready


@dataclass(frozen=True)
class FindingHtml(FindingRow):
    """effects: the page that answers its question, or ""; holds: the same question in the other
    runs of the corpus, or ""."""

    effects: str
    holds: str


@dataclass(frozen=True)
class FindingsOfKind:
    """Findings of one kind."""

    kind: str
    title: str
    findings: list[FindingHtml]


@dataclass(frozen=True)
class DetailLink:
    name: str
    url: str
    here: bool
