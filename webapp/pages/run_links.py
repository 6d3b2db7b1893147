"""Addresses of a run's pages, made by one object that knows the chosen set."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from webapp.models import Run
from webapp.pages.carried import conditions, is_condition


@dataclass(frozen=True)
class RunLinks:
    """Addresses of a run's pages, which know the set of documents that is chosen on this one: each carries it along, so
    that it is lost nowhere until it is taken off.

    chosen: the conditions of this page's address, as they came.
    """

    run: int
    chosen: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, run: Run, request: HttpRequest) -> "RunLinks":
        return cls(run.pk, tuple(conditions(request.GET)))

    def __call__(self, name: str, *arguments: object, **query: object) -> str:
        """A page by its name in webapp.urls. query: what its address says beside the set."""
        return self._path(name, *arguments) + self._asked([(key, str(value)) for key, value in query.items()])

    def word(self, word: str) -> str:
        return self._path("run_word", word) + self._asked([])

    def _path(self, name: str, *arguments: object) -> str:
        return reverse(name, args=[self.run, *arguments])

    def _asked(self, own: list[tuple[str, str]]) -> str:
        """What says itself which documents it means stays as it is."""
        if not any(is_condition(name) for name, _ in own):
            own = [*own, *self.chosen]
        return f"?{urlencode(own)}" if own else ""
