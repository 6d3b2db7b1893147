"""Tokens that were given to topics, beside the engine's estimates; a digest of each text.

Rewrites every document, to compute its digest. Builds an index on documents' topics.
"""

from django.db import migrations, models

FORWARD = """
ALTER TABLE document ADD COLUMN digest bytea NOT NULL DEFAULT '';
UPDATE document SET digest = sha256(convert_to(text, 'UTF8'));
ALTER TABLE topic_word ADD COLUMN tokens bigint NOT NULL DEFAULT 0, ADD COLUMN documents bigint NOT NULL DEFAULT 0;
ALTER TABLE document_topic RENAME COLUMN weight TO share;
ALTER TABLE document_topic ADD COLUMN tokens integer NOT NULL DEFAULT 0;
CREATE INDEX document_topic_tokens ON document_topic (snapshot_id, topic, tokens DESC, document);
"""
BACKWARD = """
DROP INDEX document_topic_tokens;
ALTER TABLE document_topic DROP COLUMN tokens;
ALTER TABLE document_topic RENAME COLUMN share TO weight;
ALTER TABLE topic_word DROP COLUMN tokens, DROP COLUMN documents;
ALTER TABLE document DROP COLUMN digest;
"""


def nullable(*names: str, of: type[models.Field]) -> list[migrations.AddField]:
    return [migrations.AddField("topic", name, of(null=True)) for name in names]


class Migration(migrations.Migration):
    dependencies = [("webapp", "0002_curation")]

    operations = [
        migrations.RunSQL(FORWARD, BACKWARD),
        *nullable("tokens", "documents", of=models.BigIntegerField),
        *nullable(
            "npmi", "exclusivity", "effective_words", "document_entropy", "rank_1_documents", "uniform_distance", "corpus_distance", "x", "y",
            of=models.FloatField,
        ),
        migrations.AddField("topic", "similar", models.JSONField(default=list)),
        migrations.AddField("topic", "beside", models.JSONField(default=list)),
    ]
