"""What happens with each request beside its authorization: who asks while accounts are off,
the record of reading, and where a student was last.

They come before and after webapp.platform.accounts.admission.AdmissionMiddleware in the settings:
the local user has to be known before it, and nothing is recorded of a request that it refuses.
"""

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from webapp.models import Student, User
from webapp.platform.accounts import authorization, readings
from webapp.platform.accounts.access_rules import Who, rule_of
from webapp.platform.request_context import request_context

ADDRESS = 2000  # characters of one that are kept

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class LocalUser:
    """While accounts are off everybody is the one user of this machine."""

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.ACCOUNTS:
            request.user = SimpleLazyObject(User.objects.local)  # type: ignore[assignment]
        return self.get_response(request)


class RecordOfReading:
    """Keeps which texts an answer shows, and to whom."""

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        if noted := request_context(request).readings:
            readings.keep(noted)
            if answer.streaming:
                # What is read while it is sent is kept at its end: Django closes these with an
                # answer, and has no other way to be told of the end of one
                answer._resource_closers.append(partial(readings.keep, noted))  # type: ignore[attr-defined]
        return answer

    def process_view(self, request: HttpRequest, view, args, kwargs) -> None:
        request_context(request).readings = readings.begin(
            partial(authorization.person_of, request)
        )


class StudentPlace:
    """Keeps when a student last opened a page of a corpus, and which: for their teacher, and for
    them to continue there."""

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        if _shows_page_of_corpus(request, answer) and authorization.is_student(request):
            Student.objects.filter(pk=authorization.user_id(request)).update(
                seen_at=Now(), address=request.get_full_path()[:ADDRESS]
            )
        return answer


def _shows_page_of_corpus(request: HttpRequest, answer: HttpResponseBase) -> bool:
    match = request.resolver_match
    return (
        request.method == "GET"
        and answer.status_code == 200
        and answer.get("Content-Type", "").startswith("text/html")
        and match is not None
        and rule_of(match).who is Who.CORPUS
    )
