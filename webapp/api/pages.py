"""What all parts of the API share: a page of a list and the address of the next, and what is common to their answers."""

from urllib.parse import urlencode

from django.http import HttpRequest

from inference.errors import Invalid
from webapp.documents import fields
from webapp.documents import queries as texts
from webapp.documents.listing import Listing
from webapp.documents.selection import Selection
from webapp.models import Corpus, Run

LIMIT = 100  # items of a page, by default
MOST = 1000


def following(request: HttpRequest, **place) -> str | None:
    """This address from another place on; None where there is nothing more."""
    if any(value is None for value in place.values()):
        return None
    query = [(name, value) for name, value in request.GET.lists() if name not in place]
    return f"{request.path}?{urlencode([*query, *place.items()], doseq=True)}"


def corpus(of: Corpus) -> dict:
    dated = fields.dated(of.version) if of.status == Corpus.Status.READY else None
    names = [category.name for category in fields.categories(of.version)] if of.status == Corpus.Status.READY else []
    numbers = {
        name: getattr(of, name) for name in ("id", "name", "status", "documents", "tokens", "vocabulary", "embargo")
    }
    return numbers | {
        "created": of.created_at,
        "categories": names,
        "dated": [day.isoformat() for day in dated] if dated else None,
    }


def run(of: Run) -> dict:
    names = ("id", "status", "error", "engine", "topics", "seed", "settings", "versions", "step", "steps", "seconds")
    return {name: getattr(of, name) for name in names} | {
        "corpus": of.corpus_id,
        "created": of.created_at,
        "url": f"/runs/{of.pk}/",
    }


def documents(request: HttpRequest, selection: Selection, by: str, after: str, limit: int, root: str) -> dict:
    """A page of a set's documents."""
    found = Listing(selection, by)
    numbers, next_place = found.page(place(after), limit)
    items = [
        {
            "number": row["number"], "id": row["source_id"], "title": row["title"], "date": row["date_text"],
            "passage": "".join(text for text, _ in row["snippet"]), "url": f"{root}documents/{row['number']}/",
        }
        for row in texts.listed(found, numbers)
    ]  # fmt: skip
    return {
        "documents": selection.sentence,
        "count": selection.count,
        "items": items,
        "next": following(request, after=next_place),
    }


def place(after: str) -> tuple[float, int] | None:
    """Where a page of a list begins, as `next` says it."""
    if not after:
        return None
    try:
        key, number = after.split(",")
        return float(key), int(number)
    except ValueError:
        raise Invalid("after", f"“after” must be what “next” says, got “{after[:50]}”.") from None
