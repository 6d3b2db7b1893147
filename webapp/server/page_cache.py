"""Pages of finished runs, kept as they were made until something that they show is another.

A final snapshot never changes, so such a page depends on little: the rows of its run, version and corpus, the edits that hold, the
address, and who asks. All of that is the key, so that an edit, an embargo or another name shows at once, and nothing that one person
was shown can come to another. The one thing that differs each time is the token of forms, which is put in when the page is sent.
"""

import secrets
import zlib
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from typing import NamedTuple

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from webapp.accounts import authorization
from webapp.models import Run
from webapp.pages.page import READER, run_or_404
from webapp.results.labels import state
from webapp.storage.cache import Kept

BYTES = 48 << 20  # of compressed pages: of some 20 KB each, two thousand
TOKEN = secrets.token_urlsafe(
    32
)  # stands where a form's token goes; it never leaves this process, so no text can hold it


class Page(NamedTuple):
    body: bytes  # compressed
    kind: str
    cache_control: str | None


_kept = Kept(BYTES, weigh=lambda page: len(page.body))
forget = _kept.clear


def kept_page(chosen: Callable[[HttpRequest], object] = lambda request: None):
    """A view of a run, which is given the run instead of its number.

    chosen: what else of the request the page depends on, such as a reader's last choice; asked each time, so that it may note it.
    """

    def decorate(view):
        @require_safe
        @wraps(view)
        def front(request: HttpRequest, run_id: int, **named) -> HttpResponse:
            run, also = run_or_404(run_id), chosen(request)
            told = CookieStorage.cookie_name in request.COOKIES  # a message, which is shown once
            if told or run.status != Run.Status.DONE or run.snapshot is None:
                return view(request, run, **named)
            key = _key(request, run, named, also)
            found = _kept.get(key)
            if found is None:
                request.token = TOKEN
                response = view(request, run, **named)
                found = Page(
                    zlib.compress(response.content, 1), response["Content-Type"], response.get("Cache-Control")
                )
                if response.status_code != 200:
                    return _sent(request, found, response.status_code)
                _kept.keep(key, found)
            return _conditional(request, key, found)

        return front

    return decorate


def _conditional(request: HttpRequest, key: bytes, page: Page) -> HttpResponse:
    """The page, or that the browser has it already. Of another process, or with another cookie of forms, it has another one."""
    cookie = request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
    etag = f'W/"{blake2b(key + TOKEN.encode() + cookie.encode(), digest_size=16).hexdigest()}"'
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = _sent(request, page)
        answer["ETag"] = etag
    return answer


def _sent(request: HttpRequest, page: Page, status: int = 200) -> HttpResponse:
    body, place = zlib.decompress(page.body), TOKEN.encode()
    if place in body:
        body = body.replace(place, get_token(request).encode())
    headers = {"Cache-Control": page.cache_control} if page.cache_control else {}
    return HttpResponse(body, status=status, content_type=page.kind, headers=headers)


def _key(request: HttpRequest, run: Run, named: dict, also: object) -> bytes:
    """All that a page of a finished run depends on."""
    models = (run, run.snapshot, run.version, run.corpus, run.corpus.version)
    stored = [[getattr(row, field.attname) for field in row._meta.concrete_fields] for row in models]
    asked = (request.path, request.GET.urlencode(), sorted(named.items()), also)
    return blake2b(repr((asked, _who(request), stored, state(run))).encode(), digest_size=32).digest()


def _who(request: HttpRequest) -> tuple:
    """The reader, as far as pages show it: what they may do, how they sign, and the notebooks that a Pin button offers."""
    user = request.user
    account = (user.pk, user.name, user.is_staff) if settings.ACCOUNTS and user.is_authenticated else None
    request.recent_notebooks = authorization.notebooks(request).recent() if account or not settings.ACCOUNTS else []
    offered = [(notebook.pk, notebook.title) for notebook in request.recent_notebooks]
    return settings.ACCOUNTS, request.role, account, request.session.get(READER), offered
