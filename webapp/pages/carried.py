"""The chosen documents go along on pages that are not made from types yet: every link of a page to another page of the
same run carries the conditions that the page's own address has. Pages of types have the set in their links
(webapp.results.run_links)."""

import re
from html import escape, unescape

from webapp.results.run_links import RunLinks


def carried(html: str, go: RunLinks) -> str:
    """A page of a run with the set in each link to a page of that run. Relative links ("?…") stay: they are this page
    with something changed."""
    if not go.chosen:
        return html
    link = re.compile(rf'href="(/runs/{go.run:d}/(?:[^"?#]*/)?(?:\?[^"#]*)?(?:#[^"]*)?)"')
    return link.sub(lambda match: f'href="{escape(go.with_set(unescape(match[1])))}"', html)


def carried_json(answer: bytes, go: RunLinks) -> bytes:
    """The .json twin of such a page with the set in the same links: the values that are, as a whole, an address of a
    page of that run."""
    if not go.chosen:
        return answer
    link = re.compile(rb'"(/runs/%d/(?:[^"?#\\\s]*/)?(?:\?[^"#\\\s]*)?(?:#[^"\\\s]*)?)"(?!:)' % go.run)
    return link.sub(lambda match: b'"%b"' % go.with_set(match[1].decode()).encode(), answer)
