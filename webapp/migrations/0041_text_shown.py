"""Of texts under an embargo: which of their characters were shown, and to whom."""

import django.db.models.deletion
from django.db import migrations, models

TABLE = """
CREATE TABLE text_shown (
    reader varchar(30) NOT NULL,
    digest bytea NOT NULL,
    corpus_id bigint NOT NULL,
    shown int4multirange NOT NULL DEFAULT '{}',
    used_up boolean NOT NULL DEFAULT false,
    PRIMARY KEY (reader, digest)
);
CREATE INDEX text_shown_of_corpus ON text_shown (corpus_id, reader);
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0040_choices")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE text_shown"),
        migrations.CreateModel(
            name="TextShown",
            fields=[
                ("pk", models.CompositePrimaryKey("reader", "digest", primary_key=True, serialize=False)),
                ("reader", models.CharField(max_length=30)),
                ("digest", models.BinaryField()),
                ("shown", models.TextField()),
                ("used_up", models.BooleanField(default=False)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="webapp.corpus"
                    ),
                ),
            ],
            options={"db_table": "text_shown", "managed": False},
        ),
    ]
