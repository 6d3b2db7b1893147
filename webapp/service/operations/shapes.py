"""What the operator's page shows: it is rendered as HTML and answered as JSON, key by key in this
order. Times are seconds."""

from dataclasses import dataclass

from webapp.platform.server.metrics import RouteTimes


@dataclass(frozen=True)
class Doing:
    """A task of a worker. since: seconds since the epoch. kind: of the job, "" for a task that is
    none."""

    task: str
    key: int
    since: float
    kind: str
    age: float


@dataclass(frozen=True)
class Worker:
    worker: str
    since: float
    processes: int
    doing: list[Doing]
    age: float | None


@dataclass(frozen=True)
class TeamWorker:
    """A worker of a cluster: what it did in a training since it took its seat. t: the step it is
    at; sent: bytes."""

    worker: str
    rank: int
    t: int
    steps: int
    computing: float
    exchanging: float
    cpu: float
    sent: int


@dataclass(frozen=True)
class Team:
    """A training that workers share. restarts: how often it went back to a checkpoint."""

    run: int
    restarts: int
    count: int
    workers: list[TeamWorker]


@dataclass(frozen=True)
class JobCount:
    """How many jobs of a kind are in each state; failed ones up to operator.MOST_COUNTED_FAILURES +
    1, which stands for more."""

    kind: str
    work: int
    waiting: int
    failed: int


@dataclass(frozen=True)
class Job:
    """age: since it was made; silent: since it was last heard from. progress: from 0 to 1. broke:
    the request of the log that says why, "" where its owner was told."""

    kind: str
    id: int
    corpus: int | None
    who: str | None
    status: str
    request: str
    attempt: int
    age: float | None
    silent: float | None
    progress: float | None
    tokens_per_second: float | None
    broke: str


@dataclass(frozen=True)
class Disk:
    """Bytes of the whole disk, and of the parts of the state folder as a worker measured them last,
    `age` ago."""

    total: int
    used: int
    free: int
    reserve: int
    parts: dict[str, int]
    age: float | None


@dataclass(frozen=True)
class Database:
    """bytes: its size. connections: how many are in each state."""

    bytes: int
    connections: dict[str, int]


@dataclass(frozen=True)
class Requests:
    """Requests of this web process. readers: open streams of events."""

    in_work: int
    waiting: int
    readers: int


@dataclass(frozen=True)
class OperatorPage:
    """parts: what the system needs, and whether it is "ok". workers: null while Redis does not
    answer. kind, state: of the jobs that are listed."""

    parts: dict[str, str]
    workers: list[Worker] | None
    teams: list[Team]
    counts: list[JobCount]
    kind: str
    state: str
    jobs: list[Job]
    next: str | None
    disk: Disk
    database: Database
    routes: list[RouteTimes]
    requests: Requests


@dataclass(frozen=True)
class OperatorHtml:
    """names: of the kinds of jobs, in words. states: their states, and these in words. most: failed
    jobs are counted up to this number."""

    names: dict[str, str]
    states: dict[str, str]
    most: int
