"""Holes that were open once, tried again from outside: nonsense that programs send, codes that can't
be computed with, coders who call themselves as others, and questions that took long."""

import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from benchmarks.browser import Browser

Tell = Callable[[bool, str], None]  # whether it held, and what did not
BODIES = (
    "[1]",
    '"x"',
    "null",
    "{",
    '{"topics": true}',
    '{"topics": "3"}',
    '{"topics": 1e400}',
    '{"topics": 3, "engine": "\\u0000"}',
    '{"topics": 3, "unknown": 1}',
    '{"topics": 100000000000000000000000000000}',
    '{"topics": 3, "settings": {"passes": true}}',
)
CODES = ("0\n1e308", "0\n-1e308", "0\nnan", "0\ninf", "0\n1e-320")
FILES = (
    "id,code\n0\0,yes",
    "id,code,coder\n0,yes,a\0b",
    "id,code,probability\n0,yes,1e-320",
    "id,code,probability\n0,yes,nan",
    "id,code,probability\n0,yes,inf",
)
NAMES = ("owner", "0wner", "EDITOR", "\u043ewner", "Anna  Berg", "\u0410nna B\u0435rg", "anna-berg")
CODER = "Anna Berg"
JOINS = 60
MOST_JOINED = 35  # of these, in a minute
LONGEST = 10  # seconds of an answer to a question that a worker answers


def nonsense(base: str, token: str, corpus: int, run: int, tell: Tell) -> None:
    """No body that is no training begins one, and no number breaks an address."""
    browser = Browser(base)
    browser.opener.addheaders = [("Authorization", f"Bearer {token}")]
    address = f"/api/v1/corpora/{corpus}/runs"
    headers = {"Content-Type": "application/json"}
    before = _runs(browser, corpus)
    for body in BODIES:
        url = urllib.parse.urljoin(browser.base, address)
        request = urllib.request.Request(url, body.encode(), headers)
        status, text = _sent(lambda request=request: browser.opener.open(request, timeout=60))
        tell(status == 400, f"{address} answers {status} to {body}: {text[:200]}")
    for query in ("after=" + "9" * 30, "after=1e400", "pattern=%00", "unknown=1"):
        path = f"/api/v1/runs/{run}/patterns?{query}"
        status, text = _asked(browser, path)
        tell(status == 400, f"{path} answers {status}: {text[:200]}")
    tell(_runs(browser, corpus) == before, "nonsense began a training")


def _runs(browser: Browser, corpus: int) -> int:
    return len(browser.json(f"/api/v1/corpora/{corpus}/runs")["items"])


def codebook(owner: Browser, run: int, folder: Path, tell: Tell) -> None:
    """Codes that nothing can be computed with are refused, and names that look like others."""
    start = f"/runs/{run}/codebook/"
    for codes in CODES:
        sent = {"called": "scale", "kind": "scale", "text": "How much.", "codes": codes}
        page = owner.post(f"{start}new/", sent, start)
        tell("A number of a scale" in page, f"a scale has the code {codes!r}")
    owner.post(f"{start}new/", {"called": "war", "kind": "yes_no", "text": "About war."}, start)
    concept = urllib.parse.urlsplit(owner.url).path
    change = f"{concept}change/"
    for content in FILES:
        path = folder / "codes.csv"
        path.write_text(content)
        page = owner.post(change, {"act": "take"}, concept, path, "codes")
        tell("Line 2" in page, f"a file of codes is taken in: {content!r}")
    drawn = {"act": "draw", "size": "20", "topic": "", "overlap": "0"}
    owner.post(change, drawn, concept)
    page = owner.post(change, {"act": "invite"}, concept)
    link = re.search(r'id="invitation">([^<]+)<', page)
    tell(link is not None, f"no link for coders on {concept}")
    if link is not None:
        _join(owner.base, urllib.parse.urlsplit(link[1]).path, tell)
    for twin in ("", "agreement/", "estimates/"):
        status, _ = _asked(owner, f"{concept}{twin}")
        tell(status < 500, f"{concept}{twin} answers {status}")


def _join(base: str, link: str, tell: Tell) -> None:
    """Each as a browser of its own."""

    def has_joined(name: str) -> bool:
        browser = Browser(base)
        browser.post(link, {"name": name}, link)
        return urllib.parse.urlsplit(browser.url).path != link

    tell(has_joined(CODER), f"{CODER} could not join")
    for name in NAMES:
        tell(not has_joined(name), f"“{name}” joined as a coder beside {CODER}")
    joined = sum(has_joined(f"Coder number {number}") for number in range(JOINS))
    tell(joined <= MOST_JOINED, f"{joined} of {JOINS} coders joined at once from one address")


def long_questions(browser: Browser, run: int, tell: Tell) -> None:
    """What takes longer than a moment is a worker's: no request waits."""
    for path in (f"/runs/{run}/?q=a*", f"/runs/{run}/overview.json?q=w*", f"/runs/{run}/?q=t*"):
        began = time.monotonic()
        status, _ = _asked(browser, path)
        seconds = time.monotonic() - began
        tell(status < 500 and seconds < LONGEST, f"{path}: {status} in {seconds:.0f} s")


def _asked(browser: Browser, path: str) -> tuple[int, str]:
    url = urllib.parse.urljoin(browser.base, path)
    return _sent(lambda: browser.opener.open(url, timeout=60))


def _sent(send: Callable) -> tuple[int, str]:
    """Status and text of an answer, also of a refusal."""
    try:
        with send() as response:
            return response.status, response.read(2_000_000).decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read(2_000_000).decode(errors="replace")
