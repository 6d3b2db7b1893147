"""Folding in, and the evidence of a shared training: all workers have its topics, and each takes
the next documents."""

import logging
from collections import deque
from collections.abc import Iterator
from typing import Any

from inference.cluster.calls import LOST
from inference.cluster.lead import Team
from inference.cluster.member import unpack
from inference.cluster.share import Assigner
from inference.evidence import Assigned

BLOCK = 1000  # documents that a worker takes at a time
AHEAD = 2  # blocks requested of a worker at once
log = logging.getLogger(__name__)


def evidence(team: Team, state: Any) -> Iterator[Assigned]:
    """The topics of all documents' tokens under a state's topics, for inference.gather, in the
    order of documents.

    What a lost worker was asked for is done here, and all of it where the workers do not have these
    topics any more.
    """
    bow = team.bow
    assigner = Assigner(team.engine, team.config, team.bow)
    unasked = deque(range(0, bow.D, BLOCK))
    pending: deque[tuple[str, Any]] = deque()

    def ask(member: str) -> None:
        if unasked:
            first = unasked.popleft()
            pending.append(
                (member, team.ask(member, "evidence", first=first, end=min(first + BLOCK, bow.D)))
            )

    for member in [*team.members] * AHEAD if team.ready(state) else []:
        ask(member)
    for first in range(0, bow.D, BLOCK):
        block = None
        if pending:
            member, call = pending.popleft()
            try:
                answer = team.result(call, member)
                block = Assigned(answer["first"], *unpack(answer["heads"], answer["data"]))
                ask(member)
            except LOST as error:
                log.warning("a worker was lost (%s) while topics were stored", type(error).__name__)
        elif unasked:
            unasked.popleft()
        yield block or assigner(state, first, min(first + BLOCK, bow.D))
