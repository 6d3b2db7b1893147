"""Checks addresses that a browser sends, in forms and queries: only paths of this site's own pages
are kept or followed."""

from urllib.parse import urlsplit

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST_ADDRESS = 2000  # characters; longer ones are refused by many servers and mail programs


def at_site(path: str) -> str:
    """The path with the site's scheme and host before it, for e-mail."""
    return settings.SITE + path


def own_path(text: str) -> str:
    """`text` where it is the path of a page of this site, with its query and fragment; else "".

    Neither "//elsewhere.example", nor "javascript:…", nor "/\\elsewhere" is, nor a path that no
    page has.
    """
    safe = text.startswith("/") and len(text) <= LONGEST_ADDRESS and text.isprintable()
    if not (safe and url_has_allowed_host_and_scheme(text, allowed_hosts=None)):
        return ""
    try:
        resolve(urlsplit(text).path)
    except (Resolver404, ValueError):
        return ""
    return text
