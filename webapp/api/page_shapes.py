"""What the .json address of each page answers; webapp.urls says which shape is whose. Items have the API's own shapes.

A page that has several views answers one of several shapes. Every answer that a test sees is compared with what is
declared here (tests/webapp/page_json.py): no field is missing and none is undeclared.
"""

from typing import Any

from ninja import Field, Schema

from webapp.api.shapes import (
    Run,
    TopicName,
)

# What several pages have


class Link(Schema):
    url: str
    label: str


class TopicWords(TopicName):
    words: list[str]


# Runs


class FormingAt(TopicWords):
    """A topic at a step of the training. cx, cy, r: its circle on the map."""

    share: float
    background: bool = Field(description="general talk, rather than a subject")
    told: bool = Field(description="one of the largest, which are shown with a passage")
    passage: str = Field(description="of a document that has much of it; empty where it is not told")
    passage_url: str
    cx: float
    cy: float
    r: float
    dx: float = Field(description="where the middle of its name's upper edge is, from the circle's middle")
    dy: float
    labelled: bool = Field(description="whether the map has room for its name")


class Forming(Schema):
    """The largest topics as they were at a step. steps: those that are kept."""

    step: int | None
    steps: list[int]
    topics: list[FormingAt]


class RunPage(Schema):
    """A run and how far it is. metrics: the columns of webapp.runs.series, and each topic's coherence."""

    run: Run
    id: int
    status: str
    request: str
    error: str
    step: int
    steps: int
    pass_: int = Field(alias="pass")
    passes: int
    tokens: int
    seconds: float
    left: float | None
    tokens_per_second: float | None
    documents_per_second: float | None
    workers: int
    queue_ahead: int
    metrics: dict[str, Any]
    says: str = Field(description="how well it predicts held-out words, in words")
    forming: Forming
    shown: int = Field(description="how many topics there are: those in use, where the model finds their number")
    hues: list[int] | None
    names: list[str] | None = Field(description="what each topic is called")
    url_overview: str = Field(description="where it leads to when it is done")
    url_forming: str = Field(description="`forming` alone, at ?step=")
    url_events: str
