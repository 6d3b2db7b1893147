"""Just enough of a browser for the programs that act as a user does over HTTP, and what the forms of
pages are preset with."""

import json
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from http.cookiejar import CookieJar
from pathlib import Path

BOUNDARY = "topograph-benchmark"
PATIENCE = 300  # seconds for an answer

Fields = Mapping[str, str | list[str]]  # of a form


class Browser:
    """Just enough of one: cookies, forms with their token, redirects."""

    def __init__(self, base: str):
        self.base = base.rstrip("/")
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> str:
        with self.opener.open(urllib.parse.urljoin(self.base, path), timeout=PATIENCE) as response:
            self.url = response.url
            return response.read().decode()

    def json(self, path: str) -> dict:
        return json.loads(self.get(path))

    def post(
        self,
        path: str,
        fields: Fields,
        token_from: str,
        file: Path | None = None,
        field: str = "files",
    ) -> str:
        """file: is sent as that field of the form."""
        token = search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(token_from))
        fields = {"csrfmiddlewaretoken": token, **fields}
        if file:
            body = self.multipart(fields, file, field)
            kind = f"multipart/form-data; boundary={BOUNDARY}"
        else:
            body = urllib.parse.urlencode(fields, doseq=True).encode()
            kind = "application/x-www-form-urlencoded"
        address = urllib.parse.urljoin(self.base, path)
        request = urllib.request.Request(address, body, {"Content-Type": kind})
        with self.opener.open(request, timeout=PATIENCE) as response:
            self.url = response.url
            return response.read().decode()

    @staticmethod
    def multipart(fields: Fields, file: Path, field: str) -> bytes:
        parts = []
        for name, value in fields.items():
            disposition = f'Content-Disposition: form-data; name="{name}"'
            parts.append(f"--{BOUNDARY}\r\n{disposition}\r\n\r\n{value}\r\n")
        disposition = f'Content-Disposition: form-data; name="{field}"; filename="{file.name}"'
        parts.append(f"--{BOUNDARY}\r\n{disposition}\r\n\r\n")
        end = f"\r\n--{BOUNDARY}--\r\n"
        return "".join(parts).encode() + file.read_bytes() + end.encode()

    def events(self, path: str):
        """(seconds since the epoch, event) as they come."""
        with self.opener.open(urllib.parse.urljoin(self.base, path), timeout=PATIENCE) as response:
            for line in response:
                if line.startswith(b"data: "):
                    yield time.time(), json.loads(line.removeprefix(b"data: "))


def search(pattern: str, text: str) -> str:
    """What the pattern's group matches. Raises ValueError where it matches nothing."""
    match = re.search(pattern, text)
    if match is None:
        raise ValueError(f"“{pattern}” is not in “{text[:200]}”.")
    return match[1]


def form_fields(html: str) -> dict[str, str | list[str]]:
    """The values that a form is preset with: what a user sends who changes nothing. Of several
    boxes, or hidden fields, of one name a list."""
    values: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", html):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        kind = attributes.get("type")
        name = attributes.get("name")
        is_box = kind in ("checkbox", "radio")
        if name is None or (is_box and " checked" not in tag):
            continue
        value = attributes.get("value", "on" if is_box else "")
        if kind in ("checkbox", "hidden"):
            values.setdefault(name, []).append(value)
        else:
            values[name] = [value]
    values.pop("csrfmiddlewaretoken", None)
    for name, offered in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', html, re.S):
        selected = re.findall(r'<option value="([^"]*)" selected', offered)
        values[name] = selected[:1] or [""]
    for name, text in re.findall(r'<textarea name="(\w+)"[^>]*>(.*?)</textarea>', html, re.S):
        values[name] = [text.strip()]
    return {name: of_name[0] if len(of_name) == 1 else of_name for name, of_name in values.items()}


def training_form(html: str) -> dict[str, str | list[str]]:
    """What the form that trains is preset with, of a corpus's page, which has other forms, too.
    Raises ValueError for a page without it."""
    form = re.search(r'<form[^>]* action="[^"]*/runs/"[^>]*>(.*?)</form>', html, re.S)
    if form is None:
        raise ValueError("The page has no form that trains.")
    return form_fields(form[1])


def reading_fields(html: str) -> dict[str, str | list[str]]:
    """What the prepare page is preset with, without the run that it would begin when the corpus has
    been read."""
    return {name: value for name, value in form_fields(html).items() if name != "train"}
