"""The corpora that a corpus was taken from: whose texts it shows."""

from typing import NamedTuple

from webapp.platform.storage.sql import rows


class Ancestor(NamedTuple):
    """owner: None for the local owner, or where it is gone. embargo, reading_kept: as Corpus has
    them. is_orphan: it was taken from another that is gone for good, and its texts are not its
    own."""

    pk: int
    owner: int | None
    embargo: bool
    reading_kept: bool
    is_orphan: bool


def line_of(corpus_id: int) -> list[Ancestor]:
    """The corpus itself, then what it was taken from, to the first that all came from."""
    found = rows(
        """
        WITH RECURSIVE line AS (
            SELECT id, coalesce(parent_id, added_to_id) AS before, owner_id, embargo, reading_kept, provenance, 1 AS depth
            FROM webapp_corpus WHERE id = %s
            UNION ALL
            SELECT c.id, coalesce(c.parent_id, c.added_to_id), c.owner_id, c.embargo, c.reading_kept, c.provenance, depth + 1
            FROM webapp_corpus c JOIN line ON c.id = line.before
        ) CYCLE id SET again USING path
        SELECT id AS pk, owner_id AS owner, embargo, reading_kept,
            before IS NULL AND provenance <> '{}' AND provenance->'whole' IS NULL AS is_orphan
        FROM line WHERE NOT again ORDER BY depth
        """,
        [corpus_id],
    )
    return [Ancestor(**row) for row in found]
