"""The glossary: what pages mean by their words."""

from dataclasses import dataclass

from webapp.platform.pages.glossary import TERMS, Term
from webapp.platform.pages.typed import PageResponse, typed


@dataclass(frozen=True)
class GlossaryPage:
    """terms: by the name that addresses have (/glossary/#token)."""

    terms: dict[str, Term]

    @property
    def ordered(self) -> list[tuple[str, Term]]:
        return sorted(self.terms.items(), key=lambda item: item[1].name.lower())


@typed("glossary.html")
def index() -> PageResponse[GlossaryPage]:
    return PageResponse(GlossaryPage(TERMS))
