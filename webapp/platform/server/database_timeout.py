"""The time limit of a web request on Postgres where Postgres itself keeps none: stopped, swapped
out, or behind a network that loses packets.

statement_timeout is kept by Postgres, so a Postgres that does not run does not keep it. Here the
driver does (docs/decisions).
"""

import psycopg
from psycopg.abc import RV, PQGen

# Seconds that a statement of a page may take: Postgres ends it (settings.DATABASES)
STATEMENT = 10.0
# seconds after which Postgres does not answer any more: more than STATEMENT, less than a reader
# waits
ANSWER = 12.0


class Connection(psycopg.Connection):
    """A connection that is closed, and raises OperationalError, when Postgres lets it wait for
    longer than ANSWER."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, ANSWER if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:
            if timeout is None:
                self.pgconn.finish()
                raise psycopg.OperationalError("Postgres does not answer") from None
            raise
