"""Names of topics are stored in parts, and old runs are named anew once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0053_arrays")]
    operations = [
        migrations.AddField("topic", "name_parts", models.JSONField(null=True)),
        migrations.AddField(
            "snapshot", "naming", models.SmallIntegerField(default=0, db_default=0)
        ),
        migrations.AddField("snapshot", "renamed_at", models.DateTimeField(null=True)),
    ]
