"""Partitions: rows arrive as they were, readers see all or nothing, and dropping leaves nothing."""

import threading

import numpy as np
import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from webapp.models import Snapshot, TopicWord
from webapp.platform.storage import bulk

pytestmark = pytest.mark.django_db

NOBODYS = 10**6  # no snapshot of a run has so large a number here


def fill(key: int, topic, word, rank, weight) -> None:
    with transaction.atomic():
        part = bulk.Partition("topic_word", key)
        part.create()
        none = np.zeros(len(topic), np.int64)
        part.write_arrays(
            [(np.array(topic), np.array(word), np.array(rank), np.array(weight), none, none)]
        )
        part.attach()


def test_binary_copy_keeps_every_value():
    rng = np.random.default_rng(1)
    n = 450_000  # more than two blocks
    topic, word = np.divmod(np.arange(n), 1000)
    weight = rng.random(n).astype(np.float32)
    fill(NOBODYS + 7, topic, word, word, weight)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT topic, word, rank, weight FROM topic_word WHERE snapshot_id = %s ORDER BY"
            " topic, rank",
            [NOBODYS + 7],
        )
        rows = np.array(cursor.fetchall())
    assert (rows[:, 0] == topic).all() and (rows[:, 1] == word).all() and (rows[:, 2] == word).all()
    assert (rows[:, 3].astype(np.float32) == weight).all()


def test_two_partitions_do_not_mix():
    fill(NOBODYS + 1, [0], [5], [0], [0.5])
    fill(NOBODYS + 2, [0], [6], [0], [0.25])
    assert list(
        TopicWord.objects.filter(snapshot_id=NOBODYS + 1).values_list("word", flat=True)
    ) == [5]
    assert list(
        TopicWord.objects.filter(snapshot_id=NOBODYS + 2).values_list("word", flat=True)
    ) == [6]


def test_a_failed_block_leaves_nothing():
    with pytest.raises(IntegrityError):
        fill(NOBODYS + 3, [0, 0], [1, 2], [0, 0], [0.5, 0.5])  # the same rank twice
    assert not TopicWord.objects.filter(snapshot_id=NOBODYS + 3).exists()


def test_empty_partition():
    with transaction.atomic():
        part = bulk.Partition("topic_word", NOBODYS + 9)
        part.create()
        assert part.write_arrays([]) == 0
        part.attach()
    assert not TopicWord.objects.filter(snapshot_id=NOBODYS + 9).exists()


def test_orphans_are_found_and_dropped(trained):
    before = bulk.orphans()  # of other tests
    assert ("topic_word", 10**9) not in before
    fill(10**9, [0], [1], [0], [0.5])
    assert sorted(bulk.orphans()) == sorted([*before, ("topic_word", 10**9)])
    assert bulk.drop("topic_word", 10**9)
    assert sorted(bulk.orphans()) == sorted(before)
    assert Snapshot.objects.filter(pk=trained.snapshot_id).exists()


def parent_of(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhparent::regclass::text FROM pg_inherits WHERE inhrelid = %s::regclass",
            [name],
        )
        return cursor.fetchone()[0]


def test_partitions_are_in_groups_which_go_when_they_are_empty():
    """A connection holds the list of all partitions of a table that it reads."""
    for key in (NOBODYS + 11, NOBODYS + 12, NOBODYS + bulk.GROUP + 1):
        fill(key, [0], [5], [0], [0.5])
    first = f"topic_word_from_{NOBODYS}"
    second = f"topic_word_from_{NOBODYS + bulk.GROUP}"
    assert (
        parent_of(f"topic_word_{NOBODYS + 11}") == parent_of(f"topic_word_{NOBODYS + 12}") == first
    )
    assert (
        parent_of(f"topic_word_{NOBODYS + bulk.GROUP + 1}") == second
        and parent_of(first) == "topic_word"
    )
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN SELECT word FROM topic_word WHERE snapshot_id = %s", [NOBODYS + 11])
        plan = str(cursor.fetchall())
        assert f"topic_word_{NOBODYS + 11}" in plan and f"topic_word_{NOBODYS + 12}" not in plan
        by_parent = {table.name: table.parent for table in bulk.tables(cursor)}
    assert by_parent[f"topic_word_{NOBODYS + 11}"] == "topic_word" and first not in by_parent
    assert bulk.drop("topic_word", NOBODYS + 11)
    bulk.drop_empty_groups(NOBODYS + 2 * bulk.GROUP)
    assert parent_of(f"topic_word_{NOBODYS + 12}") == first  # it is not empty
    assert bulk.drop("topic_word", NOBODYS + 12)
    bulk.drop_empty_groups(NOBODYS)
    assert parent_of(first) == "topic_word"  # newer snapshots may come into it
    bulk.drop_empty_groups(NOBODYS + bulk.GROUP)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [first])
        assert cursor.fetchone() == (None,)


@pytest.mark.django_db
def test_no_statement_is_prepared_on_the_server(trained):
    """It would be planned for thousands of partitions, and kept. psycopg prepares what is executed
    more than five times."""
    for _ in range(12):
        assert TopicWord.objects.filter(snapshot=trained.snapshot_id).count()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        assert cursor.fetchall() == []


@pytest.mark.parametrize("table", bulk.KEYS)
def test_a_partitions_indexes_are_built_before_the_table_is_locked(table):
    """Attaching builds no index: each of the table's finds its equal, and the primary key, too."""
    indexes = "SELECT indexrelid FROM pg_index WHERE indrelid = %s::regclass"
    lock = (
        "SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = %s::regclass AND"
        " mode LIKE '%%Exclusive%%'"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        part = bulk.Partition(table, NOBODYS + 11)
        part.create()
        part.index()
        cursor.execute(lock, [table])
        assert cursor.fetchall() == []
        cursor.execute(indexes, [part.name])
        built = cursor.fetchall()
        part.attach()
        cursor.execute(indexes, [part.name])
        assert cursor.fetchall() == built
        cursor.execute(
            "SELECT count(*) FROM pg_inherits WHERE inhrelid = ANY(%s)", [[row[0] for row in built]]
        )
        attached = cursor.fetchone()[0]
        cursor.execute(f"SELECT count(*) FROM ({indexes}) AS of_table", [table])
        assert attached == len(built) == cursor.fetchone()[0] > 0
        transaction.set_rollback(True)


def test_a_copy_that_loses_postgres_says_so_as_every_statement_does():
    """A job goes on later after Django's OperationalError, and fails after an error that nobody
    foresaw."""
    raised = []

    def store() -> None:  # over a connection of its own
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pid = cursor.fetchone()[0]

        def blocks():
            columns = tuple(np.zeros(500_000, np.int64) for _ in range(6))
            yield columns
            other = connection.copy()
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
            other.close()
            for _ in range(20):
                yield columns

        try:
            with transaction.atomic():
                part = bulk.Partition("topic_word", NOBODYS + 12)
                part.create()
                part.write_arrays(blocks())
        except Exception as error:
            raised.append(type(error))
        finally:
            connection.close()

    thread = threading.Thread(target=store)
    thread.start()
    thread.join()
    assert raised == [OperationalError]
