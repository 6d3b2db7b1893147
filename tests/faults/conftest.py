"""Drills inside the tests' own process, on the shared corpus: what they make is taken away
again."""

import pytest


def everything() -> dict[str, int]:
    """What there is: tables and partitions, with their rows; folders of files."""
    from django.conf import settings
    from django.db import connection
    from psycopg import sql

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace ="
            " 'public'::regnamespace"
        )
        found = {}
        for (name,) in cursor.fetchall():
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
            found[f"table {name}"] = cursor.fetchone()[0]
    return found | {
        f"files/{path.relative_to(settings.FILES)}": 1 for path in settings.FILES.glob("*/*")
    }


def take_away(*rows) -> None:
    """Corpora and runs with all that is theirs, as when they are deleted for good."""
    from webapp.models import Run, Version
    from webapp.service.corpora import deletion
    from webapp.service.operations import upkeep

    for row in rows:
        # Nobody is at work any more, whatever its row says
        type(row).everything.filter(pk=row.pk).update(heartbeat_at=None)
        if not isinstance(row, Run):
            Version.everything.filter(corpus=row).update(heartbeat_at=None)
        (deletion.delete_run if isinstance(row, Run) else deletion.delete_corpus)(row)
        deletion.expire_now(row)
    upkeep.tidy()


@pytest.fixture
def committed(ready, monkeypatch, django_db_blocker):
    """Not within a transaction of the test: threads have connections of their own. What it makes is
    taken away again, and nothing may be left."""
    from webapp.models import Corpus, Run, User

    with django_db_blocker.unblock():
        User.objects.local()
        there = {
            model: set(model.everything.values_list("pk", flat=True)) for model in (Run, Corpus)
        }
        before = everything()
        yield
        monkeypatch.undo()  # what was away is there again
        for model, known in there.items():
            take_away(*model.everything.exclude(pk__in=known))
        after = everything()
        left = sorted(
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        )
        assert not left, (
            f"the drill left something behind, or took away what was there before: {', '.join(left)}"
        )
