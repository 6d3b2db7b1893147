"""Charts in pages of other sites: which sites the owner of a corpus allows, and what an address of a
chart shows without a session.

A chart of a public corpus is shown to everybody. One of any other corpus needs a key in its
address. The key is made of a link that shares the corpus, and is signed for one chart with one
query: another question, asked with the same key, is refused, so a reader of the page learns nothing
beyond the chart. It ends when its link does.
"""

import re

from django.conf import settings
from django.core import signing
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.crypto import constant_time_compare

from inference.errors import Invalid
from webapp.models import Corpus, Link
from webapp.platform.accounts.roles import Person, links_that_hold

MOST_SITES = 20  # a header of a thousand characters, which every server takes
LONGEST_SITE = 200
# https alone: another page on the way could put anything around the chart otherwise
SITE = re.compile(
    r"https://(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(:[0-9]{1,5})?"
)
NONE = "'none'"


def read_sites(text: str) -> list[str]:
    """The sites that an owner typed, one a line or separated by spaces. Raises Invalid."""
    sites = list(dict.fromkeys(site.rstrip("/").lower() for site in text.split()))
    if len(sites) > MOST_SITES:
        raise Invalid("sites", f"At most {MOST_SITES} sites can be listed; got {len(sites)}.")
    for site in sites:
        if len(site) > LONGEST_SITE or not SITE.fullmatch(site):
            raise Invalid(
                "sites",
                f"“{site[:100]}” is not the address of a site. Write https:// and its name, as in"
                " https://blog.example.org or https://*.example.org, without a path.",
            )
    return sites


def allow(corpus: Corpus, text: str) -> None:
    """From now on the charts of a corpus may be shown in frames of these sites, and of no others.
    Raises Invalid."""
    Corpus.objects.filter(pk=corpus.pk).update(embed_sites=read_sites(text))


def let_into_frames(response: HttpResponse, corpus: Corpus) -> HttpResponse:
    """The response, which the sites that the owner lists may show in a frame."""
    sites = corpus.embed_sites
    # X-Frame-Options knows no lists of sites: the policy, which every present browser reads, decides.
    vars(response).update(
        _csp_replace={"frame-ancestors": sites or [NONE]}, xframe_options_exempt=bool(sites)
    )
    return response


def key_of(link: int, chart: str) -> str:
    """The key of a chart by a link. chart: its path and query, without the key."""
    return f"{link}.{_signature(link, chart)}"


def _signature(link: int, chart: str) -> str:
    return signing.Signer(salt="webapp.framing").signature(f"{link} {chart}")


def reader_of(corpus: Corpus, chart: str, key: str) -> Person | None:
    """Who sees a chart at its address, without a session; None where nobody does.

    chart: its path and query, without the key.
    """
    if not settings.ACCOUNTS:
        return Person()
    if not corpus.embed_sites:
        return None
    if corpus.public:
        return Person()
    number, _, signature = key.partition(".")
    if not re.fullmatch("[1-9][0-9]{0,17}", number):
        return None
    link = int(number)
    if not constant_time_compare(signature, _signature(link, chart)):
        return None
    return Person(None, (link,)) if holding_links(corpus).filter(pk=link).exists() else None


def holding_links(corpus: Corpus) -> QuerySet[Link]:
    """The links of a corpus that are neither revoked nor at their end, the newest first."""
    return links_that_hold().filter(corpus=corpus).order_by("-id")
