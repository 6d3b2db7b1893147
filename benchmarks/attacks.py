"""Attacks on a running Topograph with accounts: everything that must hold is tried from outside.

    python -m benchmarks.attacks [--quick] [--port N]

A Topograph of its own is started, with an owner, an outsider and a private corpus in which every text, title and field holds
one secret word. Then:
- every address, in each of its states, is asked for by a stranger and by the outsider: no answer may hold the secret or be
  an error of the server;
- every form is sent by both;
- schemathesis tries the API by its own schema, as the owner and without a token;
- wapiti tries the pages as the owner, signed in.
The last two are taken from the PATH and left out, with a line that says so, where they are missing (`pipx install
schemathesis`, `pipx install wapiti3`). What is found is printed; the last line is `holes: H of N tried`.
"""

import argparse
import json
import os
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

from benchmarks.whole_path import Browser, train, upload
from tests.conftest import ROOT, System, start

SECRET = "qyzzvexfleem"
PASSWORD = "correct horse 7 staple"
OWNER, OUTSIDER = "owner@example.org", "outsider@example.org"
DOCUMENTS = 120
TOKENS = "/account/tokens/"
API_CHECKS = (
    "not_a_server_error,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth"
)
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


def api(system: System, token: str | None, examples: int, tried: Tried, folder: Path) -> None:
    """schemathesis, by the API's own schema."""
    if not (command := shutil.which("schemathesis")):
        print("schemathesis is not on the PATH: the API was not tried by its schema.", flush=True)
        return
    report = folder / "api.json"
    given = ["--header", f"Authorization: Bearer {token}"] if token else []
    schema = urllib.parse.urljoin(system.url, "/api/v1/openapi.json")
    subprocess.run(
        [command, "run", schema, *given, "--checks", API_CHECKS, "--max-examples", str(examples), "--seed", "1", "--no-shrink",
         "--continue-on-failure", "--rate-limit", "auto", "--report-json-path", str(report)],
        cwd=folder, stdout=(folder / "api.log").open("w"), stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    print((folder / "api.log").read_text()[-6000:])
    if not report.exists():
        tried.one(False, "schemathesis did not end: see above")


def pages(system: System, browser: Browser, seconds: int, tried: Tried, folder: Path) -> None:
    """wapiti, signed in as the owner."""
    if not (command := shutil.which("wapiti")):
        print("wapiti is not on the PATH: the pages were not scanned.", flush=True)
        return
    report, cookies = folder / "pages.json", "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    done = subprocess.run(
        [command, "-u", system.url, "--scope", "folder", "--header", f"Cookie: {cookies}", "--max-scan-time", str(seconds),
         "--max-attack-time", str(max(10, seconds // 12)), "-x", urllib.parse.urljoin(system.url, "/account/logout/"),
         "--flush-session", "--no-bugreport", "-f", "json", "-o", str(report), "--store-session", str(folder)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not report.exists():
        tried.one(False, f"wapiti did not end: {done.stdout[-500:]} {done.stderr[-500:]}")
        return
    found = json.loads(report.read_text())
    for kind, cases in found["vulnerabilities"].items():
        if kind in WITHOUT_TLS:
            continue
        tried.count += 1
        for case in cases:
            tried.holes += 1
            print(f"HOLE wapiti, {kind}: {case['method']} {case['path']}: {case['info'][:200]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few examples of each operation, a minute of pages")
    parser.add_argument("--port", type=int, default=8431)
    given = parser.parse_args()
    os.environ["TOPOGRAPH_ACCOUNTS"] = "1"
    tried = Tried()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system = start(folder / "data", "--port", str(given.port))
        try:
            os.environ["TOPOGRAPH_DATA"] = str(
                system.data
            )  # our own commands and the list of addresses find its servers by it
            for address in (OWNER, OUTSIDER):
                manage(
                    system,
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
            examples = 10 if given.quick else 100
            api(system, token, examples, tried, folder)
            api(system, None, examples, tried, folder)
            pages(system, owner, 60 if given.quick else 900, tried, folder)
        finally:
            system.stop()
    print(f"holes: {tried.holes} of {tried.count} tried")


if __name__ == "__main__":
    main()
