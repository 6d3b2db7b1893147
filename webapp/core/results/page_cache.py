"""The cache of pages of finished runs.

A final snapshot never changes, so such a page depends on little: the rows of its run, version and
corpus, the edits that hold, the address, and who asks. All of that is the key, so an edit, an
embargo or another name shows at once, and nothing that one person was shown can reach another. Only
the CSRF token differs each time: a placeholder stands for it in the cached page.
"""

import hmac
import zlib
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

import webapp
from webapp.core.results.labels import state
from webapp.models import Run
from webapp.platform.accounts import authorization, embargo, readings
from webapp.platform.pages.page import READER, unchecked_run
from webapp.platform.pages.typed import PART_HEADER
from webapp.platform.request_context import request_context
from webapp.platform.storage.cache import ENTRY, BoundedCache

KEY_BYTES = 32  # of the digest of all that a page depends on
ETAG_BYTES = 16
BYTES_OF_READING = 300  # bytes, about, of a text in the record of reading
BYTES = 32 << 20  # of compressed pages: of some 20 KB each, fifteen hundred


def _token() -> str:
    """The placeholder, and part of every ETag: the same in all web processes that have the same key
    and program, and another with each change of what pages are made of. It follows from the secret
    key and never leaves a process, so no text can contain it."""
    digest = sha256()
    templates: list[Any] = settings.TEMPLATES[0]["DIRS"]  # type: ignore[assignment]
    for folder in (Path(webapp.__file__).parent, *templates, *settings.STATICFILES_DIRS):
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in (".py", ".html", ".txt", ".js", ".css"):
                digest.update(path.read_bytes())
    return hmac.new(settings.SECRET_KEY.encode(), b"pages " + digest.digest(), sha256).hexdigest()


TOKEN = _token()


class Page(NamedTuple):
    body: bytes  # compressed by zlib
    content_type: str
    cache_control: str | None
    readings: tuple  # what texts it shows, for the record of reading


def _weigh(page: Page) -> int:
    return ENTRY + len(page.body) + BYTES_OF_READING * len(page.readings)


_pages = BoundedCache(BYTES, weigh=_weigh)
clear = _pages.clear


def cached_page(
    depends_on: Callable[[HttpRequest, Run], object] = lambda request, run: None,
):
    """Decorator of a view of a run, which is given the run in place of its number.

    depends_on: what else the page depends on, of the request or the run, such as when something of
    it was stored. It is called at each request, also where the page is in the cache.
    """

    def decorate(view):
        @require_safe
        @wraps(view)
        def cached_view(request: HttpRequest, run_id: int, **arguments) -> HttpResponse:
            run = unchecked_run(run_id)
            also = depends_on(request, run)
            has_message = CookieStorage.cookie_name in request.COOKIES  # which is shown once
            if has_message or run.status != Run.Status.DONE or run.snapshot is None:
                return view(request, run=run, **arguments)
            key = _key(request, run, arguments, also)
            if (page := _pages.get(key)) is None:
                request_context(request).csrf_placeholder = TOKEN
                if (response := view(request, run=run, **arguments)).status_code != 200:
                    response.content = _with_token(request, response.content)
                    return response
                page = Page(
                    zlib.compress(response.content, 1),
                    response["Content-Type"],
                    response.get("Cache-Control"),
                    readings.noted(),
                )
                _pages.set(key, page)
            readings.note_again(page.readings)
            return _conditional_response(request, key, page)

        return cached_view

    return decorate


def _conditional_response(request: HttpRequest, key: bytes, page: Page) -> HttpResponse:
    """The page, or 304 where the browser has it, whichever web process gave it. Another CSRF cookie
    gives the page another ETag."""
    cookie = request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
    digest = blake2b(key + TOKEN.encode() + cookie.encode(), digest_size=ETAG_BYTES)
    etag = f'W/"{digest.hexdigest()}"'
    not_modified = get_conditional_response(request, etag=etag)
    if not_modified is not None:
        return not_modified
    headers = {"ETag": etag}
    if page.cache_control:
        headers["Cache-Control"] = page.cache_control
    body = _with_token(request, zlib.decompress(page.body))
    return HttpResponse(body, content_type=page.content_type, headers=headers)


def _with_token(request: HttpRequest, body: bytes) -> bytes:
    placeholder = TOKEN.encode()
    return body.replace(placeholder, get_token(request).encode()) if placeholder in body else body


def _key(request: HttpRequest, run: Run, arguments: dict, also: object) -> bytes:
    """All that a page of a finished run depends on."""
    rows = (run, run.snapshot, run.version, run.corpus, run.corpus.version)
    stored = [_values(row) for row in rows if row is not None]
    parts = (
        request.path,
        request.GET.urlencode(),
        request.headers.get(PART_HEADER),
        sorted(arguments.items()),
        also,
    )
    all_parts = repr((parts, _reader(request, run), stored, state(run)))
    return blake2b(all_parts.encode(), digest_size=KEY_BYTES).digest()


def _values(row: Model) -> list[object]:
    """The values of all columns of a row."""
    return [getattr(row, field.attname) for field in row._meta.concrete_fields]


def _reader(request: HttpRequest, run: Run) -> tuple:
    """What pages show of the reader: their role, their name, and the notebooks that a Pin button
    offers. Under an embargo also for whom the passages of a page were counted: they have not been
    shown to others. And in whose records of reading it is noted."""
    user = request.user
    context = request_context(request)
    account = (
        (user.pk, user.name, user.is_staff) if settings.ACCOUNTS and user.is_authenticated else None
    )
    return (
        settings.ACCOUNTS,
        context.role,
        context.own_run,
        account,
        request.session.get(READER),
        [(notebook.pk, notebook.title) for notebook in authorization.recent_notebooks(request)],
        embargo.readers(run.corpus),
        readings.keepers(run.corpus),
    )
