"""The conditions of a selection as addresses and forms write them. Each function raises Invalid,
with a sentence, for what it can't read."""

import regex
from django.http import QueryDict

from inference.errors import Invalid, called
from webapp.core.documents import fields, search
from webapp.intake.ingest import sources
from webapp.intake.metadata import ValueField
from webapp.models import Corpus, Run, Version
from webapp.platform.pages.run_links import is_condition

ONLY = {
    "wordless": "without a word that counts",
    "same": "the same as an earlier one",
    "near": "nearly the same as an earlier one",
}
MATCHES = 3  # patterns of a set: each is a pass over texts
PLACES = ("after", "before", "at")  # where a page of a list begins
_PERCENT = regex.compile(r"\d{1,3}(?:\.\d{1,3})?", regex.ASCII)
_TOPIC_SHARE = regex.compile(rf"(\d{{1,5}}):({_PERCENT.pattern})", regex.ASCII)
_TOPIC = regex.compile(r"[Tt]?(\d{1,5})", regex.ASCII)
_FILE = regex.compile(r"file:\d{1,9}", regex.ASCII)


def topic(text: str, run: Run) -> tuple[int, float]:
    """ "12:20" -> (12, 20.0): a topic and the least percentage of a document that is the topic."""
    match = _TOPIC_SHARE.fullmatch(text)
    if not match or float(match[2]) > 100:
        raise Invalid(
            "has",
            "“has” in the address must be a topic and a percentage such as 12:20, got"
            f" “{text[:50]}”.",
        )
    if int(match[1]) >= run.topics:
        raise Invalid("has", f"Run {run.pk} has topics 0 to {run.topics - 1}, got {match[1]}.")
    return int(match[1]), float(match[2])


def only(query: QueryDict, version: Version) -> list[str]:
    """Names of ONLY, and files of the corpus."""
    names = [name for name in dict.fromkeys(query.getlist("only")) if name]
    for name in names:
        if name not in ONLY:
            sources.documents(version, file_position(name))
    return names


def matches(query: QueryDict, corpus: Corpus) -> list[str]:
    """Patterns of words."""
    texts = [text for text in dict.fromkeys(query.getlist("match")) if text.strip()]
    if len(texts) > MATCHES:
        raise Invalid("match", f"A set has at most {MATCHES} patterns, got {len(texts)}.")
    for text in texts:
        with called({"pattern": "match"}):
            search.pattern(corpus, text)
    return texts


def file_position(text: str) -> int:
    """The position of a file: "file:7" -> 7."""
    if not _FILE.fullmatch(text):
        raise Invalid(
            "only",
            f"“only” in the address must be {', '.join(ONLY)}, or a file such as file:7; got"
            f" “{text[:50]}”.",
        )
    return int(text[5:])


def joined(query: QueryDict) -> str:
    """Two fields of a form as `has`."""
    topic = query.get("with", "").strip()
    least = query.get("least", "").strip().removesuffix("%").strip()
    if not topic:
        return ""
    match = _TOPIC.fullmatch(topic)
    if not match:
        raise Invalid("with", f"A topic is given by its number, such as T07; got “{topic[:50]}”.")
    if least and not _PERCENT.fullmatch(least):
        raise Invalid(
            "least", f"How much of a topic must be a percentage from 0 to 100, got “{least[:50]}”."
        )
    return f"{match[1]}:{least or 0}"


def typed(category: ValueField, text: str) -> tuple[str, str]:
    """A value of a category as one types it."""
    alike = (value for value in category.values if value.casefold() == text.casefold())
    value = text if text in category.values else next(alike, None)
    if value is None:
        raise Invalid(
            "in",
            f"“{text[:80]}” is not a value of “{category.name}”. Its most frequent ones:"
            f" {', '.join(category.values[:8])}.",
        )
    return category.name, value


def value(text: str, version: Version) -> tuple[str, str]:
    """ "party:Democratic" -> ("party", "Democratic")."""
    for category in fields.categories(version):  # a name may have a colon in it
        if (
            text.startswith(category.name + ":")
            and text[len(category.name) + 1 :] in category.values
        ):
            return category.name, text[len(category.name) + 1 :]
    names = ", ".join(f"“{c.name}”" for c in fields.categories(version)) or "none"
    raise Invalid(
        "in",
        "“in” in the address must be a category and one of its values, such as party:Democratic,"
        f" got “{text[:80]}”. Categories here: {names}.",
    )


def own_parameters(query: QueryDict) -> list[tuple[str, str]]:
    """The parameters of an address that are the page's own: neither a condition, nor a place in a
    list, which differs from selection to selection."""
    return [
        (name, value)
        for name, values in query.lists()
        if name not in PLACES and not is_condition(name)
        for value in values
        if value
    ]
