"""The owner of a corpus may have a record of who opens its texts."""

from django.db import migrations, models
from django.db.models import CASCADE, SET_NULL

BY = [("account", "Account"), ("link", "Link"), ("coder", "Coder"), ("public", "Public")]
KINDS = [("opened", "Opened"), ("passage", "Passage"), ("file", "File"), ("more", "More")]


class Migration(migrations.Migration):
    dependencies = [("webapp", "0058_codes")]
    operations = [
        migrations.AddField("corpus", "reading_kept", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="Reading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("within", models.BigIntegerField()),
                ("at", models.DateTimeField(db_index=True)),
                ("by", models.CharField(choices=BY, max_length=10)),
                ("coder", models.CharField(default="", max_length=60)),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                ("document", models.BigIntegerField(null=True)),
                ("digest", models.BinaryField(default=b"")),
                ("begin", models.BigIntegerField(default=0)),
                ("end", models.BigIntegerField(default=0)),
                ("file", models.TextField(default="")),
                (
                    "corpus",
                    models.ForeignKey(
                        "webapp.corpus", CASCADE, db_constraint=False, related_name="readings"
                    ),
                ),
                (
                    "link",
                    models.ForeignKey(
                        "webapp.link", SET_NULL, db_constraint=False, null=True, related_name="+"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        "webapp.user",
                        SET_NULL,
                        db_constraint=False,
                        null=True,
                        related_name="readings",
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["corpus", "-id"], name="reading_newest")]},
        ),
    ]
