"""A Postgres that accepts connections and answers nothing: stopped, swapped out, or behind a network that swallows what it is given.

Its own timeouts don't help then, as it does not come to look at them. A request that hears nothing for a while asks over a second
connection, of all who wait one, whether anybody is there; where nobody is, it ends as if the connection had broken: 503.
"""

import threading
import time
from collections.abc import Generator

import psycopg

SILENT = (
    3.0  # seconds without a byte, after which Postgres is asked whether it is there; AWAY when it was not, a moment ago
)
AWAY = 0.5
ANSWER = 3  # seconds for its answer; libpq knows no fewer than 2
KNOWN = 2.0  # seconds for which an answer is told again
LONGEST = 40.0  # seconds without a byte, whatever others hear: Postgres ends a statement sooner (settings.DATABASES)


class Connection(psycopg.Connection):
    """Of the web server. What is broken off leaves the connection closed."""

    def wait(self, gen: Generator, interval: float = 0.1, timeout: float | None = None):
        return super().wait(self._heard(gen), interval, timeout)

    def _heard(self, gen: Generator) -> Generator:
        """The same generator; at every `interval` it is told that nothing came."""
        heard = asked = time.monotonic()
        try:
            state = next(gen)
            while True:
                ready = yield state
                now = time.monotonic()
                if ready:
                    heard = asked = now
                elif now - asked > (SILENT if _known[1] else AWAY):
                    if now - heard > LONGEST or not answers(self):
                        self.pgconn.finish()
                        raise psycopg.OperationalError("Postgres does not answer")
                    asked = time.monotonic()
                state = gen.send(ready)
        except StopIteration as end:
            return end.value


_lock = threading.Lock()
_known = (0.0, True)  # when it was asked, and whether it answered


def answers(connection: psycopg.Connection) -> bool:
    """Whether the server of a connection answers another one. At most KNOWN old; one asks, and the others wait for what it hears."""
    global _known
    with _lock:
        if time.monotonic() - _known[0] > KNOWN:
            there = _asked(connection)
            _known = (time.monotonic(), there)
        return _known[1]


def _asked(connection: psycopg.Connection) -> bool:
    try:
        psycopg.connect(connection.info.dsn, password=connection.info.password, connect_timeout=ANSWER).close()
    except psycopg.errors.ConnectionTimeout:
        return False
    except psycopg.OperationalError:
        pass  # "no": what is wrong is told to whoever connects, and a broken connection to whoever waits
    return True
