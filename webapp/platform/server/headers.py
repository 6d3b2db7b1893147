"""Headers of every response, for browsers and for caches between, beside those of Django and
django-csp."""

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

# No page of ours uses these, so no script that is smuggled into one may.
FEATURES = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid", "idle-detection",
    "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
PERMISSIONS = ", ".join(f"{feature}=()" for feature in FEATURES)
# The policy of a response that is no page: data, files, pictures. Opened as a document it has no
# origin, and runs and loads nothing.
INERT = "default-src 'none'; frame-ancestors 'none'; sandbox"


@sync_and_async_middleware
def response_headers(get_response):
    """Middleware: add the headers to each response."""

    async def answer_later(request: HttpRequest) -> HttpResponse:
        return _with_headers(request, await get_response(request))

    def answer(request: HttpRequest) -> HttpResponse:
        return _with_headers(request, get_response(request))

    return answer_later if iscoroutinefunction(get_response) else answer


def _with_headers(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    response["Permissions-Policy"] = PERMISSIONS
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    download = response.get("Content-Disposition", "").startswith("attachment")
    if response.status_code == 304:
        # The browser's stored copy keeps its own policy, which one in this response would replace.
        response.headers.pop("Content-Security-Policy", None)
    elif download or not response.get("Content-Type", "").startswith("text/html"):
        response["Content-Security-Policy"] = INERT
    if not request.path.startswith(settings.STATIC_URL):
        # With accounts a browser stores nothing: somebody else may use it next.
        response.setdefault(
            "Cache-Control", "private, no-store" if settings.ACCOUNTS else "private, no-cache"
        )
        patch_vary_headers(response, ["Cookie"])
    return response
