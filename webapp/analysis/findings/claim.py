"""What a finding claims, so that it can be checked against the texts."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from webapp.analysis.findings.spans_and_groups import Ends
from webapp.analysis.findings.stored_answers import StoredAnswer

RATIO_TO_NOTHING = 1e4  # the ratio of something to nothing


def claimed_ratio(ratio: float | None, low: float | None, high: float | None) -> float:
    """How many times the share elsewhere, finite and above 0, so that it has a logarithm. ratio:
    None of something to nothing, of which the lower end of the interval is claimed; 0 of nothing to
    something, of which the upper end is; where these say nothing, RATIO_TO_NOTHING or its
    inverse."""
    if ratio is None:
        return low or RATIO_TO_NOTHING
    return ratio or high or 1 / RATIO_TO_NOTHING


@dataclass(frozen=True)
class Claim:
    """What a finding about a time or a group says, so that it can be checked against the texts."""

    name: Annotated[str, Field(description="what it calls its topic; or its words")]
    parts: Annotated[
        list[str], Field(description="words and phrases of the name, as texts have them")
    ]
    above_all: Annotated[
        list[str],
        Field(description="words of the topic that move so, where those of the name don't"),
    ]
    more: Annotated[
        bool, Field(description="whether there is more of it in the span or group than elsewhere")
    ]
    steady: Annotated[bool, Field(description="whether it changed all along")]
    ratio: Annotated[float, Field(description="how many times the share elsewhere")]
    field: str = ""
    value: str = ""
    bounds: Annotated[Ends | None, Field(description="of a field of numbers")] = None
    first: Annotated[str, Field(description="of the span, as addresses have it; empty: open")] = ""
    last: str = ""
    early: Annotated[
        str, Field(description="of what changed all along: the end of the first third")
    ] = ""
    topic: Annotated[int | None, Field(description="of a topic; null: of a word")] = None
    answer: Annotated[
        StoredAnswer | None,
        Field(description="the answer that every page gives to the same question"),
    ] = None
