"""Topics of runs in groups of partitions (webapp.platform.storage.bulk says why), so that ten thousand runs are no burden.

A partition at a time moves, each in a transaction of its own: all at once take more locks than Postgres has. No row is
read or written: what a partition may hold is in a constraint of its own. After a kill it goes on where it was.
"""

from django.db import migrations, transaction

GROUP = 1000
BEGIN = """
ALTER TABLE topic_word RENAME TO topic_word_flat;
ALTER INDEX topic_word_pkey RENAME TO topic_word_flat_pkey;
ALTER INDEX topic_word_word RENAME TO topic_word_flat_word;
CREATE TABLE topic_word (LIKE topic_word_flat INCLUDING DEFAULTS) PARTITION BY RANGE (snapshot_id);
ALTER TABLE topic_word ADD PRIMARY KEY (snapshot_id, topic, rank);
CREATE INDEX topic_word_word ON topic_word (snapshot_id, word, topic);
"""
FLAT = "SELECT partstrat = 'l' FROM pg_partitioned_table WHERE partrelid = 'topic_word'::regclass"
LEFT = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = to_regclass('topic_word_flat')"
MOVE = """
CREATE TABLE IF NOT EXISTS {group} PARTITION OF topic_word FOR VALUES FROM ({first}) TO ({end})
    PARTITION BY LIST (snapshot_id);
ALTER TABLE topic_word_flat DETACH PARTITION {part};
ALTER TABLE {group} ATTACH PARTITION {part} FOR VALUES IN ({key});
"""


def make(apps, editor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute(FLAT)
        if cursor.fetchone()[0]:
            with transaction.atomic():
                cursor.execute(BEGIN)
        cursor.execute(LEFT)
        for (part,) in cursor.fetchall():
            key = int(part.rpartition("_")[2])
            first = key // GROUP * GROUP
            group = f"topic_word_from_{first}"
            with transaction.atomic():
                cursor.execute(MOVE.format(group=group, first=first, end=first + GROUP, part=part, key=key))
        cursor.execute("DROP TABLE IF EXISTS topic_word_flat")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("webapp", "0034_no_document_topic")]
    operations = [migrations.RunPython(make)]
