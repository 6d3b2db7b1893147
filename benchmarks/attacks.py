"""Attacks on a running Topograph with accounts: everything that must hold is tried from outside.

    python -m benchmarks.attacks [--quick] [--minutes N] [--port N]

A Topograph of its own is started, with an owner, an outsider and a private corpus in which every text, title and field holds
one secret word. Then:
- every address, in each of its states, is asked for by a stranger and by the outsider: no answer may hold the secret or be
  an error of the server;
- every form is sent by both;
- schemathesis tries the API by its own schema, as the owner and without a token;
- wapiti tries the pages as the owner, signed in;
- every hostile upload of tests/attacks/test_uploads.py is sent, and read where it can be, in seconds;
- more uploads are begun than the disk can hold;
- three readers of one link piece a text under embargo together from lines, on pages and in files;
- the server's log is read for errors that none of them judged.
The scanners are taken from the PATH and left out, with a line that says so, where they are missing (`pipx install
schemathesis`, `pipx install wapiti3`). Each of their three scans ends after --minutes. What is found is printed; the last line is
`holes: H of N tried slowest: S s`: the slowest upload, until it was refused or read.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks.whole_path import Browser, read, train, upload
from tests.conftest import ROOT, System, start

SECRET = "qyzzvexfleem"
PASSWORD = "correct horse 7 staple"
OWNER, OUTSIDER = "owner@example.org", "outsider@example.org"
DOCUMENTS = 120
WORDS = 300  # of a text under embargo
UPLOAD = 60  # seconds that a hostile upload may take until it is refused or read
LATE = 3  # times its minutes that a scanner may need on a busy machine
TOKENS = "/account/tokens/"
API_CHECKS = (
    "not_a_server_error,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth"
)
# Of wapiti's modules those that need no server of their own on the internet.
MODULES = (
    "cookieflags", "crlf", "csp", "csrf", "exec", "file", "http_headers", "permanentxss", "redirect", "sql", "timesql", "upload", "xss",
)  # fmt: skip
# Forms without a text, which would take away what there is to be scanned.
SPARED = ("/account/logout/*", "/account/close/*", "/account/password/*", "/corpora/*/delete/*", "/runs/*/delete/*")
# What wapiti says of a site without TLS, as this one is: docs/operations.md says how to put a proxy with TLS before it.
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
        [sys.executable, str(ROOT / "manage.py"), *arguments], input=said, cwd=ROOT, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"manage.py {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def signed_in(url: str, address: str) -> Browser:
    browser = Browser(url)
    browser.post("/account/login/", {"login": address, "password": PASSWORD}, "/account/login/")
    if "/account/login/" in browser.url:
        sys.exit(f"{address} could not sign in.")
    return browser


class Tried:
    """What was tried, and what did not hold."""

    def __init__(self) -> None:
        self.count, self.holes = 0, 0

    def one(self, held: bool, what: str) -> None:
        self.count += 1
        if not held:
            self.hole(what)

    def scan(self, argv: list[str], seconds: int, log: Path) -> None:
        """A scanner, which writes to a log, and which must end soon after its seconds."""
        with log.open("w") as said:
            try:
                subprocess.run(
                    argv, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                    check=False, timeout=LATE * seconds + 300,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                self.one(
                    False, f"{argv[0]} was to end after {seconds} s, and was still going on after {LATE} times as many"
                )

    def hole(self, what: str) -> None:
        self.holes += 1
        print(f"HOLE {what}", flush=True)


def asked(browser: Browser, path: str, form_of: str = "") -> tuple[int, str]:
    """Status and text of an answer. form_of: a page with a form, whose token goes along; the answer is then to a form."""
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
            f"{who}: {name} {path} answers {status}, {'with' if SECRET in text else 'without'} the secret",
        )


def api(system: System, token: str | None, seconds: int, quick: bool, tried: Tried, folder: Path) -> None:
    """schemathesis, by the API's own schema, for some seconds: each kind of failure at each operation is a hole."""
    if not (command := shutil.which("schemathesis")):
        print("schemathesis is not on the PATH: the API was not tried by its schema.", flush=True)
        return
    who = "owner" if token else "stranger"
    report, log = folder / f"api-{who}.json", folder / f"api-{who}.log"
    given = ["--header", f"Authorization: Bearer {token}"] if token else []
    schema = urllib.parse.urljoin(system.url, "/api/v1/openapi.json")
    tried.scan(
        [command, "run", schema, *given, "--checks", API_CHECKS,
         "--max-examples", "5" if quick else "100", "--phases", "fuzzing" if quick else "coverage,fuzzing,stateful", "--seed", "1", "--no-shrink",
         "--continue-on-failure", "--rate-limit", "auto", "--request-timeout", "60", "--suppress-health-check", "all",
         "--max-time", str(seconds), "--report-json-path", str(report)],
        seconds, log,
    )  # fmt: skip
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
    """wapiti, signed in as the owner: each case of each of its kinds is a hole, errors of the server among them."""
    if not (command := shutil.which("wapiti")):
        print("wapiti is not on the PATH: the pages were not scanned.", flush=True)
        return
    report, cookies = folder / "pages.json", "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    spared = [part for path in SPARED for part in ("-x", urllib.parse.urljoin(system.url, path))]
    walking = seconds // 3  # the rest is for trying what was seen
    each = max(1, (seconds - walking) // len(MODULES))
    log = folder / "pages.log"
    tried.scan(
        [command, "-u", system.url, "--scope", "folder", "--header", f"Cookie: {cookies}", "--max-scan-time", str(walking),
         "--max-attack-time", str(each), "-m", ",".join(MODULES), "-t", "60", *spared,
         "--flush-session", "--no-bugreport", "-f", "json", "-o", str(report), "--store-session", str(folder)],
        seconds, log,
    )  # fmt: skip
    if not report.exists():
        tried.one(False, f"wapiti did not end: {log.read_text()[-1000:]}")
        return
    verdict = json.loads(report.read_text())
    tried.one(verdict["infos"]["crawled_pages_nbr"] > 10, "wapiti saw next to no page: it was not signed in")
    tried.count += verdict["infos"]["crawled_pages_nbr"]
    for kind, cases in (verdict["vulnerabilities"] | verdict["anomalies"]).items():
        for case in cases if kind not in WITHOUT_TLS else ():
            tried.hole(f"wapiti, {kind}: {case['method']} {case['path']}: {case['info'][:200]}")


def uploads(browser: Browser, tried: Tried, folder: Path) -> float:
    """Every hostile upload: refused with 400, or read, and its report says what became of it. Seconds of the slowest."""
    from tests.attacks.test_uploads import HOSTILE, READ

    slowest = 0.0
    for what, (name, content, *sentence) in [*HOSTILE.items(), *READ.items()]:
        (folder / name).write_bytes(content)
        result, seconds, corpus = read(browser, folder / name, {"min_documents": "1", "max_share": "100"})
        if sentence:
            report = asked(browser, f"/corpora/{corpus}/report.csv")[1] if corpus else ""
            tried.one(bool(corpus) and sentence[0] in report, f"{what}: {result[:200]}; the report: {report[:200]}")
        else:
            tried.one(result.startswith("refused: HTTP Error 400"), f"{what}: {result[:200]}")
        tried.one(seconds < UPLOAD, f"{what} took {seconds:.0f} s")
        slowest = max(slowest, seconds)
    return slowest


def promises(browser: Browser, system: System, tried: Tried) -> None:
    """More uploads than the disk can hold are begun, and not one byte is sent."""
    begun, size = [], shutil.disk_usage(system.data).free // 5
    headers = {"Tus-Resumable": "1.0.0", "Upload-Metadata": "filename YQ=="}
    for _ in range(6):
        address = urllib.parse.urljoin(browser.base, "/uploads/")
        request = urllib.request.Request(address, b"", headers | {"Upload-Length": str(size)}, method="POST")
        try:
            begun.append(browser.opener.open(request, timeout=60).headers["Location"])
        except urllib.error.HTTPError:
            break
    tried.one(0 < len(begun) < 4, f"{len(begun)} uploads of a fifth of the free disk were begun by one user")
    for place in begun:
        address = urllib.parse.urljoin(browser.base, place)
        browser.opener.open(urllib.request.Request(address, headers=headers, method="DELETE"), timeout=60)


def stitching(owner: Browser, tried: Tried, folder: Path) -> None:
    """Three readers of one link ask for the lines of the words of a text under embargo, by pages and in files, and put them
    together."""
    chance = random.Random(7)
    words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=8)) for _ in range(WORDS)]
    texts = [chance.sample(words, WORDS) for _ in range(24)]
    path = folder / "shut.csv"
    path.write_text("text\n" + "".join(" ".join(text) + "\n" for text in texts))
    _, _, corpus = read(owner, path, {"min_documents": "1", "max_share": "100"})
    run, _, _ = train(owner, corpus, 2)
    owner.post(f"/corpora/{corpus}/embargo/", {"embargo": "1"}, f"/corpora/{corpus}/")
    sharing = f"/corpora/{corpus}/sharing/"
    page = owner.post(sharing, {"act": "link", "name": "class", "days": "7"}, sharing)
    link = urllib.parse.urlsplit(re.search(r'class="secret">([^<]+)<', page)[1]).path
    place, seen = {word: i for i, word in enumerate(texts[0])}, set[int]()
    for turn, way in enumerate(("words/{}/?topic=all", "words/{}/?topic=all", "export/lines.csv?word={}")):
        reader = Browser(owner.base)
        reader.get(link)
        for word in texts[0][turn::9]:
            line = re.findall(r"(?<![a-z])[a-z]{8}(?![a-z])", reader.get(f"/runs/{run}/{way.format(word)}"))
            seen |= {place[a] for a, b in zip(line, line[1:], strict=False) if place.get(a, -9) + 1 == place.get(b)}
    # Chance puts some of the same words beside each other in other texts
    tried.one(20 < len(seen) <= WORDS // 4 + 20, f"readers of a link pieced {len(seen)} of {WORDS} word pairs together")


def own_errors(system: System, tried: Tried) -> None:
    """What the server's log says that broke: a scanner asks most addresses without judging their answers."""
    broken = re.findall(r" route=(\S+) .*?status=500 ", (system.data / "logs" / "web.log").read_text())
    for route in sorted(set(broken)):
        tried.hole(f"{route} answered 500, {broken.count(route)} times: the log says to what")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few examples of each operation, a minute of each scan")
    parser.add_argument("--minutes", type=float, default=15, help="of each scan")
    parser.add_argument("--port", type=int, default=8431)
    given = parser.parse_args()
    os.environ["TOPOGRAPH_ACCOUNTS"] = "1"
    tried, seconds = Tried(), 60 if given.quick else int(60 * given.minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system = start(folder / "data", "--port", str(given.port))
        try:
            os.environ["TOPOGRAPH_DATA"] = str(
                system.data
            )  # our own commands and the list of addresses find its servers by it
            for address in (OWNER, OUTSIDER):
                manage(
                    "account",
                    address,
                    "--name",
                    address.split("@")[0],
                    "--password-stdin",
                    said=f"{PASSWORD}\n",
                )
            owner, outsider = signed_in(system.url, OWNER), signed_in(system.url, OUTSIDER)
            corpus, _ = upload(owner, corpus_file(folder))
            run, _, _ = train(owner, corpus, 4)
            if SECRET not in asked(owner, f"/runs/{run}/documents/")[1]:
                sys.exit("The owner does not see the secret: nothing could be shown by looking for it.")
            walk("a stranger", Browser(system.url), "/account/login/", corpus, run, tried)
            walk("an outsider", outsider, TOKENS, corpus, run, tried)
            token = re.search(r"topograph_[\w-]+", owner.post(TOKENS, {"name": "attacks"}, TOKENS)).group()
            api(system, token, seconds, given.quick, tried, folder)
            api(system, None, seconds, given.quick, tried, folder)
            pages(system, owner, seconds, tried, folder)
            slowest = uploads(owner, tried, folder)
            promises(owner, system, tried)
            stitching(owner, tried, folder)
            own_errors(system, tried)
        finally:
            system.stop()
    print(f"holes: {tried.holes} of {tried.count} tried slowest: {slowest:.1f} s")


if __name__ == "__main__":
    main()
