"""Of how many texts under an embargo each reader was shown something: a sum, which was counted for each page."""

import django.db.models.deletion
from django.db import migrations, models

TABLE = """
CREATE TABLE text_reader (
    corpus_id bigint NOT NULL,
    reader varchar(30) NOT NULL,
    texts bigint NOT NULL,
    used_up bigint NOT NULL,
    PRIMARY KEY (corpus_id, reader)
);
INSERT INTO text_reader
SELECT corpus_id, reader, count(*) FILTER (WHERE shown <> '{}'), count(*) FILTER (WHERE used_up)
FROM text_shown GROUP BY corpus_id, reader;
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0041_text_shown")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE text_reader"),
        migrations.CreateModel(
            name="TextReader",
            fields=[
                ("pk", models.CompositePrimaryKey("corpus_id", "reader", primary_key=True, serialize=False)),
                ("reader", models.CharField(max_length=30)),
                ("texts", models.BigIntegerField()),
                ("used_up", models.BigIntegerField()),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="webapp.corpus"
                    ),
                ),
            ],
            options={"db_table": "text_reader", "managed": False},
        ),
    ]
