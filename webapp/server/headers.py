"""What every answer says of itself to browsers and to caches on its way, beside what Django and django-csp say."""

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

# What no page of ours uses: nothing that is smuggled into one may, either.
FEATURES = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid", "idle-detection",
    "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
PERMISSIONS = ", ".join(f"{feature}=()" for feature in FEATURES)
# Of what is no page: data, files, pictures. Opened as a document, it is in nobody's origin, and runs and loads nothing.
INERT = "default-src 'none'; frame-ancestors 'none'; sandbox"


@sync_and_async_middleware
def headers(get_response):
    if iscoroutinefunction(get_response):

        async def front(request: HttpRequest) -> HttpResponse:
            return _said(request, await get_response(request))
    else:

        def front(request: HttpRequest) -> HttpResponse:
            return _said(request, get_response(request))

    return front


def _said(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    response["Permissions-Policy"] = PERMISSIONS
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    download = response.get("Content-Disposition", "").startswith("attachment")
    if response.status_code == 304:
        response.headers.pop(
            "Content-Security-Policy", None
        )  # what a browser has keeps its own: a policy here would take its place
    elif download or not response.get("Content-Type", "").startswith("text/html"):
        response["Content-Security-Policy"] = INERT
    if not request.path.startswith(settings.STATIC_URL):
        # With accounts, what one person may see must not stay in a browser that others use, either.
        response.setdefault("Cache-Control", "private, no-store" if settings.ACCOUNTS else "private, no-cache")
        patch_vary_headers(response, ["Cookie"])
    return response
