"""Attacks on a running Topograph with accounts: everything that must hold is tried from outside.

    python -m tests.attacks [--quick] [--minutes N] [--port N]

A Topograph of its own is started, with an owner, an outsider and a private corpus in which every
text, title and field holds one secret word. Then:
- every address, in each of its states, is asked for by a stranger and by the outsider: no answer
  may hold the secret or be an error of the server;
- every form is sent by both;
- schemathesis tries the API by its own schema, as the owner and without a token;
- wapiti tries the pages as the owner, signed in;
- every hostile upload of tests/attacks/test_uploads.py is sent, and read where it can be, in
  seconds, and no process is left of it;
- more uploads are begun than the disk can hold, by two users;
- sets of many conditions are asked for, and the data of every page, before and after its states
  were looked at;
- four accounts and two links piece texts under embargo together from lines on pages and in their
  data, in files, by the API and by findings and lines of sets; they ask for the places of words, by
  lines and pins, for every file that the API lists, and for a surplus cell of a table, at every
  address; and again when the system was restarted;
- what was a hole once: nonsense that programs send begins no training, codes that can't be computed
  with are refused, coders can't be called as others and don't join by dozens, long questions are a
  worker's (tests/attacks/holes.py);
- a reader under embargo asks which word follows which, by patterns, phrases and sets;
- small odd collections are read and trained, and every page of them is asked for (tests/odd);
- it is restarted with compiled kernels that are others than were kept;
- the server's log is read for errors that none of them judged.
The scanners are taken from the PATH and left out, with a line that says so, where they are missing
(`pipx install schemathesis`, `pipx install wapiti3`). Each of their three scans ends after
--minutes. What is found is printed; the last line is `holes: H of N tried slowest: S s`: the
slowest upload, until it was refused or read.
"""

import argparse
import contextlib
import itertools
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks.browser import Browser
from benchmarks.whole_path import read, train, upload
from tests.attacks import holes
from tests.conftest import ROOT, System, start
from tests.local.test_start import processes

SECRET = "qyzzvexfleem"
PASSWORD = "correct horse 7 staple"
OWNER = "owner@example.org"
OUTSIDER = "outsider@example.org"
DOCUMENTS = 120
SHORT = 60  # words of a short text under embargo
LONGEST = 220  # characters of such a text, and spaces, that may stand together in an answer
DAMAGED = 10  # of so many kept kernels one is damaged
PAIRS = 20  # of words of a text whose order a reader asks for
QUICK_ODD = 3  # minutes of odd collections with --quick
WAYS = (  # in which a reader asks for lines of a word
    "/runs/{run}/words/{word}/?topic=all",
    "/runs/{run}/words/{word}.json?topic=all",
    "/runs/{run}/export/lines.csv?word={word}",
    "/runs/{run}/words/{word}/?topic=all&q={word}&has=0:0&has=1:0",
    "/runs/{run}/documents/?q={word}",
    "/runs/{run}/?q={word}",
)
API = (
    "/api/v1/runs/{run}/words/{word}/lines",
    "/api/v1/runs/{run}/documents?q={word}",
    "/api/v1/runs/{run}/findings?q={word}",
)
UPLOAD = 60  # seconds that a hostile upload may take until it is refused or read
LATE = 3  # times its minutes that a scanner may need on a busy machine
TOKENS = "/account/tokens/"
API_CHECKS = "not_a_server_error,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth"
# Of wapiti's modules those that need no server of their own on the internet.
MODULES = (
    "cookieflags", "crlf", "csp", "csrf", "exec", "file", "http_headers", "permanentxss", "redirect", "sql", "timesql", "upload", "xss",
)  # fmt: skip
# Forms without a text, which would take away what there is to be scanned.
SPARED = (
    "/account/logout/*",
    "/account/close/*",
    "/account/password/*",
    "/corpora/*/delete/*",
    "/runs/*/delete/*",
)
# What wapiti says of a site without TLS, as this one is: docs/operations.md says how to put a proxy
# with TLS before it.
WITHOUT_TLS = {
    "Secure Flag cookie",
    "Strict-Transport-Security",
    "HTTP Strict Transport Security (HSTS)",
    "Unencrypted Channels",
}


def corpus_file(folder: Path) -> Path:
    """A table of which every title, text and field holds SECRET."""
    words = "war peace law tax land ship trade coast treaty farm".split()
    path = folder / f"{SECRET}.csv"
    lines = ["title,date,text,party"]
    for i in range(DOCUMENTS):
        text = " ".join(words[(i * k) % len(words)] for k in range(1, 40))
        lines.append(f"{SECRET} {i},{1900 + i % 50}-01-02,{SECRET} {text},{SECRET}{i % 3}")
    path.write_text("\n".join(lines) + "\n")
    return path


def manage(*arguments: str, said: str = "") -> str:
    """A command beside the running system; what it printed."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        input=said,
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"manage.py {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def signed_in(url: str, address: str) -> Browser:
    browser = Browser(url)
    browser.post("/account/login/", {"login": address, "password": PASSWORD}, "/account/login/")
    if "/account/login/" in browser.url:
        sys.exit(f"{address} could not sign in.")
    return browser


def account(address: str) -> str:
    manage(
        "account",
        address,
        "--name",
        address.split("@")[0],
        "--password-stdin",
        said=f"{PASSWORD}\n",
    )
    return address


def token(browser: Browser) -> str:
    """A new one for the API."""
    return re.search(r"topograph_[\w-]+", browser.post(TOKENS, {"name": "attacks"}, TOKENS)).group()


class Tried:
    """What was tried, and what did not hold."""

    def __init__(self) -> None:
        self.count = 0
        self.holes = 0

    def one(self, held: bool, what: str) -> None:
        self.count += 1
        if not held:
            self.hole(what)

    def scan(self, argv: list[str], seconds: int, log: Path) -> None:
        """A scanner, which writes to a log, and which must end soon after its seconds."""
        with log.open("w") as said:
            try:
                subprocess.run(
                    argv,
                    cwd=log.parent,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    check=False,
                    timeout=LATE * seconds + 300,
                )
            except subprocess.TimeoutExpired:
                self.one(
                    False,
                    f"{argv[0]} was to end after {seconds} s, and was still going on after {LATE}"
                    " times as many",
                )

    def hole(self, what: str) -> None:
        self.holes += 1
        print(f"HOLE {what}", flush=True)


def asked(browser: Browser, path: str, form_of: str = "") -> tuple[int, str]:
    """Status and text of an answer. form_of: a page with a form, whose token goes along; the answer
    is then to a form."""
    try:
        if form_of:
            return 200, browser.post(path, {"name": "x", "label": "x"}, form_of)
        with browser.opener.open(urllib.parse.urljoin(browser.base, path), timeout=60) as response:
            return response.status, response.read(2_000_000).decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read(2_000_000).decode(errors="replace")


def addresses(corpus: int, run: int) -> Iterator[tuple[str, str, bool]]:
    """Name, address and whether it takes a form, of everything but streams and uploads."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django

    django.setup()
    from tests import addresses as declared

    skipped = {*declared.STREAMS, *declared.TUS}
    for name in sorted(declared.names() - skipped):
        path = declared.address(name, corpus, run, word="war", edit_id=1, pin_id=1)
        if name in declared.POSTS:
            yield name, path, True
            continue
        for query in declared.states(name):
            yield name, f"{path}?{query}" if query else path, False


def walk(who: str, browser: Browser, form_of: str, corpus: int, run: int, tried: Tried) -> None:
    """Every address and form, as somebody with whom nothing is shared."""
    for name, path, posts in addresses(corpus, run):
        status, text = asked(browser, path, form_of if posts else "")
        tried.one(
            SECRET not in text and status < 500,
            f"{who}: {name} {path} answers {status}, {'with' if SECRET in text else 'without'} the"
            " secret",
        )


def api(
    system: System, token: str | None, seconds: int, quick: bool, tried: Tried, folder: Path
) -> None:
    """schemathesis, by the API's own schema, for some seconds: each kind of failure at each
    operation is a hole."""
    if not (command := shutil.which("schemathesis")):
        print("schemathesis is not on the PATH: the API was not tried by its schema.", flush=True)
        return
    who = "owner" if token else "stranger"
    report = folder / f"api-{who}.json"
    log = folder / f"api-{who}.log"
    given = ["--header", f"Authorization: Bearer {token}"] if token else []
    schema = urllib.parse.urljoin(system.url, "/api/v1/openapi.json")
    tried.scan(
        [
            command,
            "run",
            schema,
            *given,
            "--checks",
            API_CHECKS,
            "--max-examples",
            "5" if quick else "100",
            "--phases",
            "fuzzing" if quick else "coverage,fuzzing,stateful",
            "--seed",
            "1",
            "--no-shrink",
            "--continue-on-failure",
            "--rate-limit",
            "auto",
            "--request-timeout",
            "60",
            "--suppress-health-check",
            "all",
            "--max-time",
            str(seconds),
            "--report-json-path",
            str(report),
        ],
        seconds,
        log,
    )
    verdict = json.loads(report.read_text()) if report.exists() else {"complete": False}
    if not verdict["complete"]:
        tried.one(False, f"schemathesis did not end: {log.read_text()[-3000:]}")
        return
    tried.count += verdict["test_cases"]["generated"]
    for failure in verdict["failures"]:
        for operation in failure["operations"]:
            tried.hole(f"schemathesis, as {who}: {failure['title']}: {operation}")
    for error in verdict["errors"]:
        tried.hole(f"schemathesis, as {who}: {error['title']}")
    if verdict["failures"] or verdict["errors"]:
        print(log.read_text()[-6000:], flush=True)


def pages(system: System, browser: Browser, seconds: int, tried: Tried, folder: Path) -> None:
    """wapiti, signed in as the owner: each case of each of its kinds is a hole, errors of the
    server among them."""
    if not (command := shutil.which("wapiti")):
        print("wapiti is not on the PATH: the pages were not scanned.", flush=True)
        return
    report = folder / "pages.json"
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    spared = [part for path in SPARED for part in ("-x", urllib.parse.urljoin(system.url, path))]
    walking = seconds // 3  # the rest is for trying what was seen
    each = max(1, (seconds - walking) // len(MODULES))
    log = folder / "pages.log"
    tried.scan(
        [
            command,
            "-u",
            system.url,
            "--scope",
            "folder",
            "--header",
            f"Cookie: {cookies}",
            "--max-scan-time",
            str(walking),
            "--max-attack-time",
            str(each),
            "-m",
            ",".join(MODULES),
            "-t",
            "60",
            *spared,
            "--flush-session",
            "--no-bugreport",
            "-f",
            "json",
            "-o",
            str(report),
            "--store-session",
            str(folder),
        ],
        seconds,
        log,
    )
    if not report.exists():
        tried.one(False, f"wapiti did not end: {log.read_text()[-1000:]}")
        return
    verdict = json.loads(report.read_text())
    tried.one(
        verdict["infos"]["crawled_pages_nbr"] > 10,
        "wapiti saw next to no page: it was not signed in",
    )
    tried.count += verdict["infos"]["crawled_pages_nbr"]
    for kind, cases in (verdict["vulnerabilities"] | verdict["anomalies"]).items():
        for case in cases if kind not in WITHOUT_TLS else ():
            tried.hole(f"wapiti, {kind}: {case['method']} {case['path']}: {case['info'][:200]}")


def uploads(browser: Browser, system: System, tried: Tried, folder: Path) -> float:
    """Every hostile upload: refused with 400, or read, and its report says what became of it.
    Seconds of the slowest."""
    from tests.attacks.test_uploads import HOSTILE, READ

    slowest = 0.0
    for what, (name, content, *sentence) in [*HOSTILE.items(), *READ.items()]:
        (folder / name).write_bytes(content)
        result, seconds, corpus = read(
            browser, folder / name, {"min_documents": "1", "max_share": "100"}
        )
        if sentence:
            report = (
                asked(browser, f"/corpora/{corpus}/report.csv")[1]
                if corpus
                else sentence[0] and result
            )
            tried.one(
                bool(report) and sentence[0] in report,
                f"{what}: {result[:200]}; the report: {report[:200]}",
            )
        else:
            tried.one(result.startswith("refused: HTTP Error 400"), f"{what}: {result[:200]}")
        tried.one(seconds < UPLOAD, f"{what} took {seconds:.0f} s")
        print(f"{seconds:5.1f} s {what}: {result[:160]}", flush=True)
        slowest = max(slowest, seconds)
    tried.one(
        not (left := ended(system)), f"processes {left} have ended, and nobody has waited for them"
    )
    return slowest


def ended(system: System) -> list[int]:
    """Children of the system's processes that have ended and are not waited for."""
    parents = set(processes(system.data))
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            found += [int(path.parent.name)] if state == "Z" and int(parent) in parents else []
    return found


def promises(browsers: list[Browser], system: System, tried: Tried) -> None:
    """Each user begins uploads of 1 GB, and sends not one byte of them: together no more than the
    disk can hold, of one user a part of it."""
    begun: list[tuple[Browser, str]] = []
    free = shutil.disk_usage(system.data).free
    headers = {"Tus-Resumable": "1.0.0", "Upload-Metadata": "filename YQ=="}
    for browser in browsers:
        address = urllib.parse.urljoin(browser.base, "/uploads/")
        before = len(begun)
        for _ in range(400):
            request = urllib.request.Request(
                address, b"", headers | {"Upload-Length": str(1 << 30)}, method="POST"
            )
            try:
                begun.append(
                    (browser, browser.opener.open(request, timeout=60).headers["Location"])
                )
            except urllib.error.HTTPError:
                break
        count = len(begun) - before
        print(f"{count} uploads of 1 GB were begun with {free / (1 << 30):.0f} GB free", flush=True)
        tried.one(count << 30 < 0.8 * free, f"{count} uploads of 1 GB were begun by one user")
    tried.one(
        0 < len(begun) << 30 < free,
        f"{len(begun)} uploads of 1 GB were begun with {free >> 30} GB free",
    )
    for browser, place in begun:
        address = urllib.parse.urljoin(browser.base, place)
        browser.opener.open(
            urllib.request.Request(address, headers=headers, method="DELETE"), timeout=60
        )


def shut(owner: Browser, folder: Path) -> tuple[int, int]:
    """A corpus and its run, under embargo: texts of the same words, each in an order of its own,
    the last one short; one row has SECRET in a surplus cell, where a comma cut it off the text."""
    from tests.webapp.platform.accounts.test_embargo import texts

    rows = [
        f"Document {i},{' '.join(words)}"
        for i, words in enumerate([*texts(), texts()[0][:SHORT][::-1]])
    ]
    path = folder / "shut.csv"
    path.write_text(
        "\n".join(["title,text", *rows, f"Last,{' '.join(texts()[1])},{SECRET}"]) + "\n"
    )
    _, _, corpus = read(owner, path, {"min_documents": "1", "max_share": "100"})
    run, _, _ = train(owner, corpus, 2)
    owner.post(f"/corpora/{corpus}/embargo/", {"embargo": "1"}, f"/corpora/{corpus}/")
    return corpus, run


class Reader:
    """Somebody with whom the corpus under embargo is shared: as a browser, and as a program where
    they have an account."""

    def __init__(self, owner: Browser, corpus: int, name: str):
        self.name = name
        sharing = f"/corpora/{corpus}/sharing/"
        if name.startswith("link"):
            page = owner.post(sharing, {"act": "link", "name": name, "days": "7"}, sharing)
            self.browser = self.program = Browser(owner.base)
            self.browser.get(
                urllib.parse.urlsplit(re.search(r'class="secret">([^<]+)<', page)[1]).path
            )
            return
        address = account(f"{name}@example.org")
        owner.post(sharing, {"act": "add", "who": address, "role": "viewer"}, sharing)
        self.browser = signed_in(owner.base, address)
        self.program = Browser(owner.base)
        self.program.opener.addheaders = [("Authorization", f"Bearer {token(self.browser)}")]

    def ask(self, path: str) -> str:
        """The text of an answer, of files in it, too."""
        from tests.webapp.platform.accounts.test_embargo import readable

        who = self.program if path.startswith("/api/") else self.browser
        with who.opener.open(urllib.parse.urljoin(who.base, path), timeout=300) as response:
            return readable(response.read(), urllib.parse.urlsplit(path).path)


def pieced(answer: str, text: list[str]) -> set[int]:
    """Places of the words of a text that stand next to each other in an answer as they do in it."""
    place = {word: i for i, word in enumerate(text)}
    found = re.findall(r"(?<![a-z])[a-z]{8}(?![a-z])", answer)
    return {
        place[a]
        for a, b in zip(found, found[1:], strict=False)
        if place.get(a, -9) + 1 == place.get(b)
    }


def stitching(readers: list[Reader], run: int, tried: Tried) -> None:
    """Each reader asks for the lines of the words of one part of a text, in each of WAYS, and all
    put them together: of a long text and of a short one."""
    from tests.webapp.platform.accounts.test_embargo import WORDS, texts

    long = texts()[0]
    short = texts()[0][:SHORT][::-1]
    seen: dict[str, tuple[set[int], set[int]]] = {reader.name: (set(), set()) for reader in readers}
    for i, reader in enumerate(readers):
        for word, way in zip(long[i % 4 * WORDS // 4 :: 3][: WORDS // 12], itertools.cycle(WAYS)):
            ways = WAYS if reader.name.startswith("link") else (*WAYS, *API)
            answer = reader.ask(ways[(i + ways.index(way)) % len(ways)].format(run=run, word=word))
            seen[reader.name][0].update(pieced(answer, long))
            seen[reader.name][1].update(pieced(answer, short))
    everybody = [set().union(*(places[which] for places in seen.values())) for which in (0, 1)]
    for name, (
        places,
        few,
    ) in seen.items():  # chance puts some of the same words beside each other in other texts
        tried.one(
            len(places) <= WORDS // 4 + 25,
            f"{name} pieced {len(places)} of {WORDS} word pairs together",
        )
        tried.one(
            len(few) <= SHORT // 4 + 8,
            f"{name} pieced {len(few)} of {SHORT} word pairs of a short text together",
        )
    for places, words in zip(everybody, (WORDS, SHORT), strict=True):
        print(
            f"all readers together pieced {len(places)} of {words} word pairs together", flush=True
        )
        tried.one(
            words // 20 < len(places) <= words // 2 + 25,
            f"all readers pieced {len(places)} of {words} word pairs together",
        )


def places(reader: Reader, run: int, tried: Tried) -> None:
    """A reader who has used up the budget asks where each word of a text stands: by its lines, and
    by pinning it."""
    from tests.webapp.platform.accounts.test_embargo import WORDS, texts

    words = texts()[0][::5]
    told = 0
    pinned = 0
    notebook = "new"
    for word in words:
        lines = json.loads(reader.ask(f"/api/v1/runs/{run}/words/{word}/lines"))["items"]
        told += any(line["at"] is not None for line in lines if line["document"] == 0)
        given = {
            "kind": "passage",
            "run": str(run),
            "document": "0",
            "quote": word,
            "notebook": notebook,
        }
        page = reader.browser.post("/notebooks/pin/", given, TOKENS)
        if made := re.search(r'Pinned in <a href="/notebooks/(\d+)/', page):
            pinned = pinned + 1
            notebook = made[1]
    for way, count in (("lines", told), ("pins", pinned)):
        print(f"{way} told the places of {count} of {len(words)} words", flush=True)
        tried.one(
            0 < count <= len(words) // 4 + 5,
            f"{way} told the places of {count} of {len(words)} words",
        )
    tried.one(WORDS > len(words), "a text has fewer words than were asked for")


def followers(reader: Reader, run: int, tried: Tried) -> None:
    """A reader asks which word follows which: by patterns, phrases, and sets."""
    from tests.webapp.platform.accounts.test_embargo import texts

    for word, following in list(itertools.pairwise(texts()[0]))[:PAIRS]:
        pair = urllib.parse.quote(f"{word} {following}")
        for way, field in (
            (f"/runs/{run}/patterns.json?pattern={pair}", "hits"),
            (f"/runs/{run}/documents.json?match={pair}", "count"),
            (f"/runs/{run}/documents.json?q=%22{pair}%22", "count"),
        ):
            status, text = asked(reader.browser, way)
            told = status == 200 and bool(json.loads(text).get(field))
            tried.one(not told, f"{way} tells a reader under embargo which word follows")


def odd_collections(minutes: float, tried: Tried) -> None:
    """Small odd collections, each with all its pages, by a process of its own."""
    env = {name: value for name, value in os.environ.items() if name != "TOPOGRAPH_ACCOUNTS"}
    ended = subprocess.run(
        [sys.executable, "-m", "tests.odd", "--minutes", str(minutes)],
        cwd=ROOT,
        env=env,
        text=True,
        capture_output=True,
        check=False,
    )
    last = re.search(r"^failed: (\d+) of (\d+) collections, \d+ pages$", ended.stdout, re.M)
    if last is None:
        tried.one(False, f"the odd collections did not end: {ended.stderr[-2000:]}")
        return
    print(last[0], flush=True)
    tried.count += int(last[2])
    for failure in re.findall(r"^  FAILED (.*)$", ended.stdout, re.M):
        tried.hole(f"an odd collection: {failure}")


def listed_files(reader: Reader, run: int, tried: Tried) -> None:
    """Every file that the API lists of a run under embargo."""
    from tests.webapp.platform.accounts.test_embargo import longest

    for form in json.loads(reader.ask(f"/api/v1/runs/{run}/files"))["items"]:
        for path in form["files"]:
            try:
                answer = reader.ask(path)
            except urllib.error.HTTPError as error:
                answer = "" if error.code < 500 else SECRET
            tried.one(
                SECRET not in answer and longest(answer) <= LONGEST,
                f"{path} gives texts under embargo",
            )


def twins(browser: Browser, corpus: int, run: int, tried: Tried) -> None:
    """The data of each page before and after all of its states were looked at: it must be the
    same."""
    from tests import addresses as declared

    for name in declared.PAGES:
        page = declared.address(name, corpus, run, word="war")
        twin = declared.address(f"{name}_json", corpus, run, word="war")
        before = asked(browser, twin)
        for state in declared.states(name):
            asked(browser, f"{page}?{state}")
        tried.one(asked(browser, twin) == before, f"{twin} depends on what was looked at before")


def conditions(browser: Browser, run: int, tried: Tried) -> None:
    """Sets of many conditions: answered, or refused, in seconds."""
    many = {
        "has": "&".join(f"has={i % 4}:{i % 90}" for i in range(400)),
        "between": "&".join(f"between=date:{1900 + i}-01-01:" for i in range(200)),
        "value": "&".join(f"value=party:{i}" for i in range(400)),
        "only": "&".join(f"only=file:{i}" for i in range(400)),
        "q": "q=" + "+or+".join(f"war{i}" for i in range(600)),
        "quoted": "q=" + "+".join('"war+peace"' for _ in range(300)),
    }
    for path in ("documents/", "words/", "", "time/", "export/documents.csv"):
        for what, query in many.items():
            began = time.monotonic()
            status, _ = asked(browser, f"/runs/{run}/{path}?{query}")
            seconds = time.monotonic() - began
            tried.one(
                status < 500 and seconds < 10,
                f"/runs/{run}/{path}, many of {what}: {status} in {seconds:.0f} s",
            )


def damaged_kernels(folder: Path) -> Path:
    """A copy of the folder of compiled kernels in which files with the hash of another content hold
    code: it makes a folder, which is returned, when it is loaded."""
    from inference.runtime import kernel_files

    copy = folder / "kernels"
    loaded = folder / "loaded"
    shutil.copytree(kernel_files.folder(), copy)

    class Code:
        def __reduce__(self) -> tuple:
            return os.makedirs, (str(loaded), 0o777, True)

    for path in sorted(copy.glob("*.kernel"))[::DAMAGED]:
        path.write_bytes(path.read_bytes()[:32] + pickle.dumps(Code()))
    os.environ["TOPOGRAPH_KERNELS"] = str(copy)
    return loaded


def embargoed(owner: Browser, system: System, tried: Tried, folder: Path, port: int) -> System:
    """All that readers try with texts under embargo; the same again after a restart, with damaged
    kernels. Returns the restarted system."""
    corpus, run = shut(owner, folder)
    readers = [
        Reader(owner, corpus, name) for name in ("ann", "bob", "cyd", "dan", "link x", "link y")
    ]
    stitching(readers, run, tried)
    places(readers[0], run, tried)
    followers(readers[3], run, tried)
    listed_files(readers[1], run, tried)
    walk("a reader", readers[2].browser, TOKENS, corpus, run, tried)
    system.stop()
    loaded = damaged_kernels(folder)
    system = start(system.data, "--port", str(port))
    stitching(readers, run, tried)
    train(owner, corpus, 2)
    logs = "".join(
        path.read_text(errors="replace") for path in (system.data / "logs").glob("*.log")
    )
    tried.one(
        not loaded.exists(),
        "a compiled kernel was loaded that does not have the hash that it was written with",
    )
    tried.one("hash that it was written with" in logs, "no damaged kernel was noticed")
    return system


def own_errors(system: System, tried: Tried) -> None:
    """What the server's log says that broke: a scanner asks most addresses without judging their
    answers."""
    broken = re.findall(
        r" route=(\S+) .*?status=500 ", (system.data / "logs" / "web.log").read_text()
    )
    for route in sorted(set(broken)):
        tried.hole(f"{route} answered 500, {broken.count(route)} times: the log says to what")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="few examples of each operation, a minute of each scan"
    )
    parser.add_argument("--minutes", type=float, default=15, help="of each scan")
    parser.add_argument("--port", type=int, default=8431)
    given = parser.parse_args()
    os.environ["TOPOGRAPH_ACCOUNTS"] = "1"
    tried = Tried()
    seconds = 60 if given.quick else int(60 * given.minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system = start(folder / "data", "--port", str(given.port))
        try:
            # Our own commands and the list of addresses find its servers by it
            os.environ["TOPOGRAPH_DATA"] = str(system.data)
            owner, outsider = (
                signed_in(system.url, account(address)) for address in (OWNER, OUTSIDER)
            )
            corpus, _ = upload(owner, corpus_file(folder))
            run, _, _ = train(owner, corpus, 4)
            if SECRET not in asked(owner, f"/runs/{run}/documents/")[1]:
                sys.exit(
                    "The owner does not see the secret: nothing could be shown by looking for it."
                )
            walk("a stranger", Browser(system.url), "/account/login/", corpus, run, tried)
            walk("an outsider", outsider, TOKENS, corpus, run, tried)
            api(system, token(owner), seconds, given.quick, tried, folder)
            api(system, None, seconds, given.quick, tried, folder)
            pages(system, owner, seconds, tried, folder)
            twins(owner, corpus, run, tried)
            conditions(owner, run, tried)
            holes.nonsense(system.url, token(owner), corpus, run, tried.one)
            holes.long_questions(owner, run, tried.one)
            holes.codebook(owner, run, folder, tried.one)
            slowest = uploads(owner, system, tried, folder)
            promises([owner, outsider], system, tried)
            system = embargoed(owner, system, tried, folder, given.port)
            own_errors(system, tried)
            odd_collections(QUICK_ODD if given.quick else given.minutes, tried)
        finally:
            system.stop()
    print(f"holes: {tried.holes} of {tried.count} tried slowest: {slowest:.1f} s")


if __name__ == "__main__":
    main()
