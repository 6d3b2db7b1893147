"""Coding: coders join by a link, get one text after the other, and say which code it has."""

import secrets
from itertools import groupby
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from inference.errors import Invalid
from webapp.models import (
    Assignment,
    Coder,
    Coding,
    Concept,
    Corpus,
    Definition,
    Draw,
    Item,
    Settlement,
    User,
)
from webapp.platform.storage.sql import rows
from webapp.platform.typed_text import person, several_lines
from webapp.service.codebook import coder_names
from webapp.service.codebook.concepts import TEXT, defined

CODERS = 500  # of a concept
TIMES = 50  # that a coder codes a text: who has their link may send as many forms as they like
CHARACTERS_SHOWN = 30_000  # characters of a text, which coders see of it


def invited(token: str) -> Concept | None:
    """The concept of an invitation, while it holds."""
    return (
        Concept.objects.select_related("corpus")
        .filter(token=token, removed_at=None, corpus__in=Corpus.objects.all())
        .first()
    )


def coder_of(token: str) -> Coder | None:
    """Whose address it is, while they may code."""
    return (
        Coder.objects.select_related("concept__corpus")
        .filter(
            token=token,
            withdrawn_at=None,
            concept__removed_at=None,
            concept__corpus__in=Corpus.objects.all(),
        )
        .first()
    )


def join(concept: Concept, name: str, user: User | None = None, by_link: bool = False) -> Coder:
    """A coder of that name, or the one that an account is already. Raises Invalid where another has
    the name, or, of those who come by the link, one that reads like it: coders who have joined can
    continue at their own address."""
    has_joined = concept.coders.filter(user=user).first() if user else None
    if has_joined is not None:
        if has_joined.withdrawn_at:
            raise Invalid(
                "name", "Your codings for this concept were withdrawn. An editor can put them back."
            )
        return has_joined
    name = person(name)
    if by_link:
        coder_names.check(concept, name)
    if concept.coders.count() >= CODERS:
        raise Invalid("name", f"“{concept.name}” has {CODERS} coders, which is the most.")
    try:
        with transaction.atomic():
            return Coder.objects.create(
                concept=concept, name=name, user=user, token=secrets.token_urlsafe(32)
            )
    except IntegrityError:
        raise Invalid(
            "name",
            f"“{name}” codes here already. If that is you, continue at your own address, which an"
            " editor can tell you; else take another name.",
        ) from None


class Open(NamedTuple):
    """item: the text that a coder has to code now; None: there is none for them. coded: how many
    they have; left: how many readings all coders have still to do."""

    item: Item | None
    coded: int
    left: int


def following(coder: Coder) -> Open:
    """The text that this coder was given and has not coded, or the next that needs a reader. No two
    readers get the same one, but where two are wanted, or where one has kept it for an hour."""
    base = defined(coder.concept).base
    with transaction.atomic():
        draws = Draw.objects.select_for_update(no_key=True)  # so coders are served one by one
        drawn = draws.filter(concept=coder.concept).first()
        if drawn is None:
            return Open(None, 0, 0)
        (waiting,) = rows(_WAITING, {"draw": drawn.pk, "coder": coder.pk, "base": base})
        if waiting["item"] and not waiting["given"]:
            Assignment.objects.create(item_id=waiting["item"], coder=coder, base=base)
    item = Item.objects.filter(pk=waiting["item"]).first()
    return Open(item, waiting["coded"], waiting["to_do"])


# Of each text: how many readers it needs, by how many it was coded, how many have it, and what this
# coder has to do with it.
_WAITING = """
    WITH text AS (
        SELECT i.id, i.place, 1 + i.twice::int AS wanted,
               count(a.id) FILTER (WHERE c.done OR a.at > now() - interval '1 hour') AS given_to,
               count(c.done) AS done,
               bool_or(a.coder_id = %(coder)s) IS TRUE AS mine,
               bool_or(a.coder_id = %(coder)s AND c.done) IS TRUE AS coded
        FROM webapp_item i
        LEFT JOIN (
            webapp_assignment a
            JOIN webapp_coder w ON w.id = a.coder_id AND w.withdrawn_at IS NULL
        ) ON a.item_id = i.id AND a.base = %(base)s
        LEFT JOIN LATERAL (
            SELECT true AS done
            FROM webapp_coding g JOIN webapp_definition d ON d.id = g.definition_id
            WHERE g.item_id = i.id AND g.coder_id = a.coder_id AND d.number >= %(base)s LIMIT 1
        ) c ON true
        WHERE i.draw_id = %(draw)s GROUP BY i.id
    ), next AS (
        SELECT id, mine FROM text WHERE mine AND NOT coded OR NOT mine AND given_to < wanted
        ORDER BY NOT mine, place LIMIT 1
    )
    SELECT (SELECT id FROM next) AS item, (SELECT mine FROM next) AS given,
           count(*) FILTER (WHERE coded) AS coded,
           coalesce(sum(greatest(wanted - done, 0)), 0)::int AS to_do
    FROM text
"""


def assigned(coder: Coder, item: int) -> Item | None:
    """A text that this coder was given."""
    return Item.objects.filter(pk=item, assignments__coder=coder).first()


def before(coder: Coder, item: Item | None) -> int | None:
    """The text that this coder coded before that one, or last: to look at it again."""
    first_codings = coder.codings.order_by("item_id", "pk").distinct("item_id")
    in_time = sorted(first_codings.values_list("pk", "item"))
    coded = [item_id for _, item_id in in_time]
    if item and item.pk in coded:
        coded = coded[: coded.index(item.pk)]
    return coded[-1] if coded else None


def save(
    coder: Coder, item: Item, definition: Definition, code: int, unsure: bool, remark: str
) -> None:
    """Raises Invalid where there is no such code, or the definition has changed meanwhile in what
    it asks for, or the draw was taken back, or they have coded the text too often: each time adds a
    row."""
    if definition.concept_id != coder.concept_id or definition.number < defined(coder.concept).base:
        raise Invalid(
            "definition",
            "The definition has changed meanwhile. Read it again; the text is as before.",
        )
    if not 0 <= code < len(definition.codes):
        raise Invalid("code", f"Choose one of {', '.join(definition.codes)}.")
    with transaction.atomic():
        # Who takes the draw back waits (concepts.discard)
        draws = Draw.objects.select_for_update(no_key=True)
        if draws.filter(pk=item.draw_id).first() is None:
            raise Invalid(
                "item", "These documents are no longer to be coded: the draw was taken back."
            )
        # Locked, so that each of several at once is counted
        Coder.objects.select_for_update(no_key=True).get(pk=coder.pk)
        if coder.codings.filter(item=item).count() >= TIMES:
            raise Invalid("item", f"You have coded this text {TIMES} times, which is the most.")
        Coding.objects.create(
            item=item,
            coder=coder,
            definition=definition,
            code=code,
            unsure=unsure,
            remark=several_lines(remark)[:TEXT],
        )


def settle(concept: Concept, item: int, code: int, by: str) -> None:
    """The code on which readers agree after they talked; Settlement.OPEN: they talk again. Raises
    Invalid."""
    definition = defined(concept).holds
    if not Settlement.OPEN <= code < len(definition.codes):
        raise Invalid("code", f"Choose one of {', '.join(definition.codes)}.")
    item_row = Item.objects.filter(pk=item, draw__concept=concept).first()
    if item_row is None:
        raise Invalid("item", "There is no such text among those that were drawn.")
    Settlement.objects.create(item=item_row, definition=definition, code=code, by=by)


def counting_codings(concept: Concept, base: int) -> QuerySet[Coding]:
    """The codings that count: of each coder who has not withdrawn the newest of each text, in the
    order of the texts."""
    return (
        Coding.objects.filter(
            item__draw__concept=concept, definition__number__gte=base, coder__withdrawn_at=None
        )
        .select_related("item", "coder", "definition")
        .order_by("item__place", "coder_id", "-pk")
        .distinct("item__place", "coder_id")
    )


def by_text(concept: Concept, base: int) -> list[list[Coding]]:
    """The codings that count of each text that has some, in the order of the texts."""
    return [
        list(readings)
        for _, readings in groupby(counting_codings(concept, base), lambda reading: reading.item_id)
    ]


def differ(readings: list[Coding]) -> bool:
    """Whether the coders of a text disagree."""
    return len({reading.code for reading in readings}) > 1


def settled(concept: Concept, base: int) -> dict[int, int]:
    """item -> the code on which readers agreed."""
    settlements = Settlement.objects.filter(
        item__draw__concept=concept, definition__number__gte=base
    )
    last_code = dict(settlements.order_by("pk").values_list("item", "code"))
    return {item: code for item, code in last_code.items() if code != Settlement.OPEN}
