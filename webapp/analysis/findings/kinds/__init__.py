"""The kinds of findings, a file for each.

A new kind is a file, a name in Finding and in KINDS, and, where it has numbers beyond its estimate,
one in Item; CONTRIBUTING.md shows how. README.md lists the files, docs/findings.md what each kind
claims.
"""

from typing import Annotated

from pydantic import Field

from webapp.analysis.findings.finding import BaseFinding
from webapp.analysis.findings.kinds.caution import AnyCaution, Caution
from webapp.analysis.findings.kinds.change import Change, ChangeItem
from webapp.analysis.findings.kinds.event import Event, EventItem
from webapp.analysis.findings.kinds.family import Family
from webapp.analysis.findings.kinds.keywords import Keywords
from webapp.analysis.findings.kinds.mark import Mark, MarkItem
from webapp.analysis.findings.kinds.no_difference import NoDifference
from webapp.analysis.findings.kinds.sense import Sense, SenseItem
from webapp.analysis.findings.kinds.speaker import Speaker
from webapp.analysis.findings.kinds.unlike import Unlike

Finding = Annotated[
    Family
    | Change
    | Event
    | Speaker
    | Mark
    | Keywords
    | NoDifference
    | Sense
    | Unlike
    | AnyCaution,
    Field(discriminator="kind"),
]
# In the order of the page, in which they are looked for, too: some ask what those before them found
KINDS: dict[str, type[BaseFinding]] = {
    "family": Family,
    "change": Change,
    "event": Event,
    "speaker": Speaker,
    "mark": Mark,
    "keyword": Keywords,
    "none": NoDifference,
    "sense": Sense,
    "unlike": Unlike,
    # It has no sentence of its own: the types that extend it have
    "caution": Caution,  # type: ignore[type-abstract]
}
# Their numbers, as the overview's JSON has them
Item = Annotated[ChangeItem | EventItem | MarkItem | SenseItem, Field(discriminator="kind")]
