"""What strangers write where a corpus, a reader or an address leaves room, and a parser that finds
what came to life of it."""

import re

import lxml.html

PWN = "window.pwned=1"
# each gets out of another place: a text, an attribute with either quote, a title, a text area, a
# script, a comment, a style
MARKUP = (
    f"<script>{PWN}</script><img src=x onerror={PWN}>",
    f"\"'><svg onload={PWN}><a href=javascript:{PWN}>x</a>",
    f"</title></textarea></script></style>--><script>{PWN}</script>",
    f"' autofocus onfocus={PWN} x='",
    f'" autofocus onfocus={PWN} x="',
    f"javascript:{PWN}//",
)
EVERYTHING = " ".join(MARKUP)
FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
)
SQL = (
    "'",
    '"',
    "\\",
    "%",
    "_",
    "1'; SELECT pg_sleep(60); --",
    "1) OR pg_sleep(60) IS NULL --",
    "x' OR '1'='1",
    "1; DROP TABLE run; --",
    "$$",
    "{}",
    "%s %(x)s",
    ":x",
)
NUMBERS = (
    "-1",
    "0",
    "99999999999999999999",
    "1e308",
    "nan",
    "inf",
    "٣",
    "0x10",
    "1,2,3",
    "1:2:3",
    "7:nan:inf",
    "x:-1:1e999",
    "T99999",
    "\0",
    "\ud800",
    "A" * 5000,
)


def alive(html: str | bytes) -> list[str]:
    """Elements and attributes of a page that would run or load what is not the site's own."""
    found = []
    for element in lxml.html.document_fromstring(html).iter():
        if not isinstance(element.tag, str):
            continue
        inside = "".join(f' {name}="{value}"' for name, value in element.items())[:200]
        if element.tag == "script" and not (
            element.get("src", "").startswith("/static/") and not (element.text or "").strip()
        ):
            if element.get("type") != "application/json":
                found.append(f"<script{inside}>{(element.text or '')[:80]}")
        if element.tag in ("iframe", "object", "embed", "base", "style", "applet", "math") or (
            element.tag == "img" and element.get("src", "x")[:1] != "/"
        ):
            found.append(f"<{element.tag}{inside}>")
        for name, value in element.items():
            elsewhere = (
                name in ("action", "formaction", "ping")
                and not value.startswith(("/", "?", "#"))
                and value
            )
            if name.startswith("on") or name in ("style", "srcdoc") or elsewhere:
                found.append(f"{name}={value[:80]}")
            if name in ("href", "src", "action", "xlink:href", "data") and re.match(
                r"[\s\x00-\x20]*(javascript|data|vbscript)\s*:", value, re.I
            ):
                found.append(f"{name}={value[:80]}")
    return found
