"""What all parts of the API share: a page of a list and the address of the next, and what is common
to their answers."""

from django.http import HttpRequest

from inference.errors import Invalid
from webapp.core.documents import queries as texts
from webapp.core.documents.listing import Listing
from webapp.core.documents.selection import Selection
from webapp.platform.pages.page import address, place_in_list

LIMIT = 100  # items of a page, by default
MOST_ROWS = 1000
QUOTED = 50  # characters of a wrong one, in a sentence


def following(request: HttpRequest, **place) -> str | None:
    """This address from another place on; None where there is nothing more."""
    return None if None in place.values() else request.path + address(request, **place)


def documents(request: HttpRequest, selection: Selection, by: str, after: str, limit: int) -> dict:
    """A page of a set's documents."""
    page, next_place = texts.page(Listing(selection, by), place(after), limit)
    return vars(page) | {"next": following(request, after=next_place)}


def place(after: str) -> tuple[float, int] | None:
    """Where a page of a list begins, as `next` says it."""
    if not after:
        return None
    begin = place_in_list(after)
    if begin is None:
        raise Invalid("after", f"“after” must be what “next” says, got “{after[:QUOTED]}”.")
    return begin
