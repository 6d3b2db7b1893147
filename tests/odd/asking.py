"""Makes a collection by the tasks that make a user's, and asks for every page of it."""

import html
import json
import logging
import re
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, urldefrag, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

from inference.errors import Invalid
from tests import addresses
from tests.answer_bodies import body_of
from tests.odd.collections import WORDS, Collection

WITHOUT_WORDS = f"drop={','.join(WORDS)}"  # leaves topics without words
NOT_FOUND = 404
SLOW = 5.0  # seconds that no page may take
LONGEST = 600  # characters of a failure that are told
SAID = 200  # characters of a refusal that are told
ALIKE = 2  # addresses of one route with the same questions that are asked
NOT_FINITE = re.compile(r"(?<![\w'’-])(?:nan|NaN|-?inf|Infinity|0 of 0|None(?! of\b))(?![\w'’-])")
LINK = re.compile(r'(?:href|data-json|data-url|src)="([^"]+)"')
UNSEEN = re.compile(r"<(script|style|template|textarea|select)\b.*?</\1>|<[^>]*>", re.S)


@dataclass
class Outcome:
    """What came of one collection. refused: why it could not be made, in a sentence for its
    owner."""

    collection: Collection
    refused: str = ""
    pages: int = 0
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0
    corpus: int = 0
    run: int = 0


def try_collection(collection: Collection, most: int) -> Outcome:
    """Import, train, edit, and ask for at most so many pages."""
    outcome = Outcome(collection)
    with Tracebacks() as tracebacks:
        try:
            make_collection(outcome)
        except Invalid as error:
            outcome.refused = str(error)
        except Exception:  # what an upload must never meet
            tracebacks.last = traceback.format_exc()
        if tracebacks.last:
            outcome.failures.append(f"could not be made: {_cause(tracebacks.last)}")
        if outcome.corpus:
            _walk(outcome, most, tracebacks)
    return outcome


def forget(outcome: Outcome) -> None:
    """Delete what was made for a collection, for good."""
    from webapp.models import Corpus
    from webapp.service.corpora import deletion

    corpus = Corpus.everything.filter(pk=outcome.corpus).first()
    if corpus is not None:
        deletion.delete_corpus(corpus)
        deletion.expire_now(Corpus.everything.get(pk=corpus.pk))


def make_collection(outcome: Outcome) -> None:
    """The corpus, its run, and its edits."""
    from tasks.corpora import read_corpus
    from tasks.runs import train
    from webapp.core.runs import services as runs
    from webapp.intake.ingest import corpora, guesses

    collection = outcome.collection
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(collection.content())
        corpus = corpora.create("", [corpora.ReceivedFile(f"{collection.name}.csv", path)])
    outcome.corpus = corpus.pk
    options = asdict(guesses.sniff(corpus).options)
    reading = corpora.ReadingSettings(options=options, language="en")
    reading = replace(reading.fitted(len(collection.rows) - 1), **collection.reading)
    corpora.read(corpus, reading)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    if corpus.status != "ready":
        raise Invalid("corpus", corpus.error)
    _choose_words(corpus, collection)
    run = runs.create(
        corpus.version,
        engine=collection.engine,
        seed=1,
        topics=min(collection.topics, corpus.version.vocabulary),
        engine_settings=collection.settings,
    )
    outcome.run = run.pk
    train(run.pk)
    run.refresh_from_db()
    if run.status != "done":
        raise RuntimeError(f"the training ended as {run.status}: {run.error}")
    _edit(run, collection.edit)


def _choose_words(corpus, collection: Collection) -> None:
    """Another version of the corpus's words."""
    from tasks.corpora import choose
    from webapp.intake.ingest import versions
    from webapp.intake.ingest.corpus_settings import VocabularySettings

    if collection.words == "as read":
        return
    before = VocabularySettings.from_dict(corpus.version.settings)
    kept = {"one word": 1, "few words": 3}[collection.words]
    chosen = replace(before, min_documents=1, extra_stop_words=WORDS[kept:])
    version = versions.choose(corpus, chosen)
    choose(version.pk)
    version.refresh_from_db()
    if version.status != "ready":
        raise Invalid("words", version.error)
    corpus.refresh_from_db()


def _edit(run, edit: str) -> None:
    """What readers say of the topics."""
    from webapp.core.curation import services

    changes: dict[int, dict[str, str]] = {}
    for topic in range(run.topics):
        if edit == "hidden":
            changes[topic] = {"hidden": "1"}
        elif edit == "merged" and topic:
            changes[topic] = {"into": "0"}
        elif edit == "families" and topic:
            changes[topic] = {"beside": str(topic - 1)}
        elif edit == "named":
            changes[topic] = {"label": "the same name", "group": "one group", "note": "A note."}
    if changes:
        services.change_many(run, changes, "ada")


class Tracebacks(logging.Handler):
    """Takes all that is logged while it is entered, and keeps the last traceback of it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.last = ""

    def __enter__(self) -> "Tracebacks":
        root = logging.getLogger()
        self.others = root.handlers
        root.handlers = [self]
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().handlers = self.others

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info
        if not error and isinstance(record.msg, dict):  # a line of structlog
            error = record.msg.get("exc_info")
        if isinstance(error, tuple):
            error = error[1]
        if error is True:
            error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        if isinstance(error, BaseException):
            self.last = "".join(traceback.format_exception(error))


def _walk(outcome: Outcome, most: int, tracebacks: Tracebacks) -> None:
    """Breadth first: every declared address, then whatever their pages link to."""
    from webapp.platform.jobs import dispatch

    client = Client(raise_request_exception=False, SERVER_NAME="localhost")
    asked: list[tuple[str, list]] = []
    waiting = deque(_declared(outcome))
    known = set(waiting)
    alike: Counter[tuple] = Counter()
    linked: dict[str, str] = {}  # an address -> the page that links to it
    while waiting and outcome.pages < most:
        address = waiting.popleft()
        page = linked.get(address, "")
        with patch.object(dispatch, "ask", lambda task, given, by: asked.append((task, given))):
            body = _ask(client, address, outcome, tracebacks, page)
        if asked:
            _answer_sets(asked, tracebacks, outcome)
            body = _ask(client, address, outcome, tracebacks, page)
        for link in _links(body, address, outcome):
            shape = _shape(link)
            if link not in known and shape is not None and alike[shape] < ALIKE:
                alike[shape] += 1
                known.add(link)
                waiting.append(link)
                linked[link] = address


def _declared(outcome: Outcome) -> list[str]:
    """An address of every page, twin and file of a run and its corpus, in each of its states: all
    in their first state before any in its second, so that a short walk leaves out no page."""
    by_state: list[list[str]] = []
    for addresses_of_name in _of_each_name(outcome):
        for state, address in enumerate(addresses_of_name):
            if state == len(by_state):
                by_state.append([])
            by_state[state].append(address)
    return [address for of_state in by_state for address in of_state]


def _of_each_name(outcome: Outcome) -> Iterator[list[str]]:
    """The addresses of each name, one for each of its states."""
    closed = {*addresses.POSTS, *addresses.STREAMS, *addresses.TUS, *addresses.ELSEWHERE}
    for name in sorted(addresses.names() - closed):
        route = addresses.route_of(name).route
        if "run_id" in route and not outcome.run or "_id>" not in route:
            continue
        for number in (0, 1) if ":number>" in route else (0,):
            path = addresses.address(name, outcome.corpus, outcome.run, **_values(route, number))
            states = addresses.states(name)
            if route.startswith("runs/") and name in addresses.PAGES:
                states = (*states, WITHOUT_WORDS, *(f"{query}&{WITHOUT_WORDS}" for query in states))
            queries = dict.fromkeys(states)
            yield [f"{path}?{query}" if query else path for query in queries]


def _values(route: str, number: int) -> dict[str, Any]:
    """Values of the parameters of a route that every odd collection may have."""
    values = {"number": number, "first": number, "word": "war", "start": 0, "end": 3}
    return {name: value for name, value in values.items() if f":{name}>" in route}


def _ask(client: Client, address: str, outcome: Outcome, tracebacks: Tracebacks, page: str) -> str:
    """The text of an answer, "" of one that is none; what is wrong with it is noted. page: that
    links to it, which must not be refused then; "" for none."""
    tracebacks.last = ""
    began = time.perf_counter()
    busy = time.process_time()
    answer = client.get(address)
    body = body_of(answer)
    for close in answer._resource_closers:  # its own would close the connection to the database
        close()
    seconds = min(time.perf_counter() - began, time.process_time() - busy)
    outcome.pages += 1
    outcome.slowest = max(outcome.slowest, seconds)
    if seconds > SLOW:
        outcome.failures.append(f"{address} took {seconds:.1f} s of the processor")
    if answer.status_code >= 500 or tracebacks.last:
        outcome.failures.append(f"{address}: {answer.status_code} {_cause(tracebacks.last)}")
        return ""
    if page and answer.status_code >= 400:
        outcome.failures.append(
            f"{address}: {answer.status_code}, to which {page} links: {_refusal(answer)}"
        )
    kind = answer.headers.get("Content-Type", "")
    if "json" not in kind and "html" not in kind:
        return ""
    text = body.decode("utf-8", "replace")
    if answer.status_code == NOT_FOUND and leads_back(_links(text, address, outcome), address):
        outcome.failures.append(f"{address}: not found, and its page links to itself")
    if answer.status_code < 400:
        wrong = _wrong_json(text) if "json" in kind else wrong_page(text)
        if wrong:
            outcome.failures.append(f"{address}: {wrong}")
    return text


def leads_back(links: Iterable[str], address: str) -> bool:
    """Whether one of the links leads to the page of an address again, whatever it asks of it."""
    path = address.partition("?")[0]
    return any(link.partition("?")[0] == path for link in links)


def _answer_sets(asked: list[tuple[str, list]], tracebacks: Tracebacks, outcome: Outcome) -> None:
    """What a worker does of what pages asked for: findings of sets. Its errors are noted."""
    from webapp.analysis.findings import stored

    while asked:
        task, arguments = asked.pop()
        if task != stored.TASK:
            continue
        tracebacks.last = ""
        stored.compute(*arguments)
        if tracebacks.last:
            outcome.failures.append(f"findings of {arguments}: {_cause(tracebacks.last)}")


def _refusal(answer: Any) -> str:
    """What an error page says."""
    if answer.streaming:
        return ""
    text = answer.content.decode("utf-8", "replace")
    seen = " ".join(html.unescape(UNSEEN.sub(" ", text.partition("<main")[2] or text)).split())
    return seen[:SAID]


def _cause(trace: str) -> str:
    """The end of a traceback: the lines of ours, and the error."""
    places = re.findall(r'File "[^"]*/((?:webapp|inference|templates)/[^"]+)", line (\d+)', trace)
    last_line = trace.strip().rsplit("\n", 1)[-1]
    deepest = " < ".join(f"{path}:{line}" for path, line in reversed(places[-3:]))
    return f"{last_line[:LONGEST]} in {deepest}"


def wrong_page(page: str) -> str:
    """A number or sentence of a page that says nothing; "" where all do. The form that lists the
    marks of missing values has their names."""
    seen = html.unescape(UNSEEN.sub(" ", page)).replace(_marks_of_missing(), " ")
    found = NOT_FINITE.search(seen)
    return f"says “{_around(seen, found)}”" if found else ""


def _marks_of_missing() -> str:
    """The sentence of the form."""
    from webapp.intake.ingest.reading_forms import ReadingForm

    return str(ReadingForm.base_fields["missing"].help_text)


def _wrong_json(text: str) -> str:
    constants: list[str] = []
    json.loads(text, parse_constant=constants.append)
    if constants:
        return f"has {constants[0]}"
    found = NOT_FINITE.search(text)
    return f"says “{_around(text, found)}”" if found else ""


def _around(text: str, found: re.Match) -> str:
    return " ".join(text[max(0, found.start() - 60) : found.end() + 40].split())


def _links(body: str, address: str, outcome: Outcome) -> Iterator[str]:
    """Addresses of this run and corpus that a page links to."""
    if address.partition("?")[0].endswith(".json"):
        return
    own = (f"/runs/{outcome.run}/", f"/corpora/{outcome.corpus}/")
    for link in LINK.findall(body):
        path = urldefrag(html.unescape(link)).url
        if path.startswith("?"):
            path = address.partition("?")[0] + path
        if path.startswith(own):
            yield path


def _shape(link: str) -> tuple | None:
    """The route of a link and the names of its questions; None of one that isn't asked by GET."""
    parts = urlsplit(link)
    try:
        name = resolve(parts.path).url_name
    except Resolver404:
        return None
    if name in {*addresses.POSTS, *addresses.STREAMS, *addresses.TUS}:
        return None
    return (name, tuple(sorted(key for key, _ in parse_qsl(parts.query))))
