"""Of texts under an embargo: what was shown to all readers of a corpus together, from what was shown to each."""

from django.db import migrations

FORWARD = """
WITH texts AS (
    SELECT corpus_id, digest, min(length(text)) AS length FROM document
    WHERE corpus_id IN (SELECT corpus_id FROM text_shown) GROUP BY corpus_id, digest
), together AS (
    SELECT corpus_id, digest, range_agg(shown) AS shown FROM text_shown GROUP BY corpus_id, digest
)
INSERT INTO text_shown (reader, digest, corpus_id, shown, used_up)
SELECT 'corpus ' || corpus_id, digest, corpus_id, shown,
       coalesce((SELECT sum(upper(s) - lower(s)) FROM unnest(shown) s) >= length / 2, false)
FROM together LEFT JOIN texts USING (corpus_id, digest);
INSERT INTO text_reader (corpus_id, reader, texts, used_up)
SELECT corpus_id, reader, count(*) FILTER (WHERE shown <> '{}'), count(*) FILTER (WHERE used_up)
FROM text_shown WHERE reader LIKE 'corpus %' GROUP BY corpus_id, reader;
"""
BACK = "DELETE FROM text_shown WHERE reader LIKE 'corpus %'; DELETE FROM text_reader WHERE reader LIKE 'corpus %';"


class Migration(migrations.Migration):
    dependencies = [("webapp", "0044_unit")]

    operations = [migrations.RunSQL(FORWARD, BACK)]
