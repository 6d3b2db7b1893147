"""Families as pages and their JSON have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class CountedFamily:
    """A family in the chosen documents."""

    name: Annotated[
        str,
        Field(description="of a reader's group; else of its two largest topics that have names"),
    ]
    slot: Annotated[int, Field(description="its colour, the same however many families there are")]
    hue: Annotated[int, Field(description="what it is drawn in: its colour, or a reader's choice")]
    phrases: Annotated[
        Sequence[str],
        Field(description="neighbouring words that are assigned to one of its topics"),
    ]
    tokens: Annotated[int, Field(description="words that are assigned to its topics")]
    documents: Annotated[int, Field(description="that have any of them")]
    share: Annotated[float, Field(description="of the words")]


@dataclass(frozen=True)
class FamilyTopics(CountedFamily):
    """A family with its topics."""

    topics: Annotated[list[int], Field(description="the largest of the run first, hidden ones too")]
    named_by: Annotated[list[int], Field(description="the topics whose names its name consists of")]


@dataclass(frozen=True)
class Cuts:
    """families: how many are on this page. fewer, more, usual: its address with other numbers of them,
    "" where there is none. computed: the usual one."""

    families: int
    fewer: str
    more: str
    usual: str
    computed: int
