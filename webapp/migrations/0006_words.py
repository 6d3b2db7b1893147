"""Words can be found without their accents, and by words like them.

Rewrites all words, for what is computed of them. Builds an index on them, twice.
"""

from django.db import migrations

# U+0300 to U+036F: combining marks. Normal form D splits "é" into a letter and one of them.
FORWARD = r"""
CREATE EXTENSION IF NOT EXISTS pg_trgm;
ALTER TABLE word ADD COLUMN plain text GENERATED ALWAYS AS (
    regexp_replace(normalize(word, NFD), '[\u0300-\u036F]+', '', 'g')
) STORED;
CREATE INDEX word_plain ON word (corpus_id, plain text_pattern_ops);
CREATE INDEX word_alike ON word USING gin (plain gin_trgm_ops);
"""
BACKWARD = """
DROP INDEX word_alike;
DROP INDEX word_plain;
ALTER TABLE word DROP COLUMN plain;
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0005_versions")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
