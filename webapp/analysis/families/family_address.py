"""The address of the topics of a family."""

from collections.abc import Sequence

from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.core.results.family_tree import CUTS

MEMBERS = 100  # topics that an address names


def topics_address(selection: RunSelection, topics: Sequence[int], families: int) -> str:
    """The page of the topics of a family: by their numbers, or, where these would make too long an
    address, by its largest topic. families: how many there are, among which it is one."""
    url = links.topics_url(selection.run)
    if len(topics) <= MEMBERS:
        return url + selection.address(topics=",".join(map(str, topics)))
    # Readers may have made more groups than can be asked for; a cut has them all at any number
    return url + selection.address(families=min(families, CUTS[1]), family=topics[0])
