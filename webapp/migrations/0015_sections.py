"""Which section of a whole each document is; those that were not cut are wholes."""

from django.db import migrations, models

FORWARD = """
ALTER TABLE document ADD COLUMN part integer NOT NULL DEFAULT 1, ADD COLUMN parts integer NOT NULL DEFAULT 1,
    ADD COLUMN whole text NOT NULL DEFAULT '';
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0014_index")]
    operations = [
        migrations.RunSQL(
            FORWARD,
            "ALTER TABLE document DROP COLUMN part, DROP COLUMN parts, DROP COLUMN whole",
            state_operations=[
                migrations.AddField("document", "part", models.IntegerField(default=1)),
                migrations.AddField("document", "parts", models.IntegerField(default=1)),
                migrations.AddField("document", "whole", models.TextField(default="")),
            ],
        )
    ]
