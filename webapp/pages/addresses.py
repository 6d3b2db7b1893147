"""Addresses that a reader or a form hands back to us: only those of our own pages are kept or followed."""

from urllib.parse import urlsplit

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST = 2000  # characters; longer ones are refused by many servers and mail programs


def at_site(path: str) -> str:
    """With the site's name before it, for letters."""
    return settings.SITE + path


def ours(text: str) -> str:
    """`text` where it is the path of one of our pages (with its query and fragment), else "".

    Neither "//elsewhere.example", nor "javascript:…", nor "/\\elsewhere" is, nor a path that no page has.
    """
    if not text.startswith("/") or len(text) > LONGEST or not text.isprintable():
        return ""
    if not url_has_allowed_host_and_scheme(text, allowed_hosts=None):
        return ""
    try:
        resolve(urlsplit(text).path)
    except (Resolver404, ValueError):
        return ""
    return text
